//! What somebody would write who knows the prompt beforehand: the pieces, one after the other, into one exactly sized buffer.

use dsh_system_prompt::PromptAssembly;
use dsh_template::Piece;

use super::values::Values;

/// The pieces of a prompt, literal text beside slots.
#[derive(Debug)]
pub(crate) struct ByHand {
    pieces: Vec<Pieced>,
}

#[derive(Debug)]
enum Pieced {
    Literal(Box<str>),
    Slot(usize),
}

impl ByHand {
    /// The very pieces that an assembly is rendered from: those of each section, and the blank lines between.
    pub(crate) fn new(assembly: &PromptAssembly, values: &Values) -> Self {
        let mut pieces = Vec::new();
        for (index, section) in assembly.sections().enumerate() {
            if index > 0 {
                pieces.push(Pieced::Literal("\n\n".into()));
            }
            pieces.extend(section.text().compile().pieces().map(|piece| match piece {
                Piece::Literal(text) => Pieced::Literal(text.into()),
                Piece::Variable(variable) => Pieced::Slot(values.slot(variable.name)),
            }));
        }
        Self { pieces }
    }

    /// The same with each run of literal pieces made into one.
    pub(crate) fn merged(self) -> Self {
        let mut pieces: Vec<Pieced> = Vec::new();
        for piece in self.pieces {
            match (pieces.last_mut(), piece) {
                (Some(Pieced::Literal(text)), Pieced::Literal(more)) => *text = format!("{text}{more}").into(),
                (_, piece) => pieces.push(piece),
            }
        }
        Self { pieces }
    }

    /// Measures, allocates once, copies.
    pub(crate) fn concatenate(&self, values: &[&str]) -> String {
        let text = |piece: &'_ Pieced| match piece {
            Pieced::Literal(text) => text.len(),
            Pieced::Slot(slot) => values.get(*slot).map_or(0, |value| value.len()),
        };
        let mut whole = String::with_capacity(self.pieces.iter().map(text).sum());
        for piece in &self.pieces {
            whole.push_str(match piece {
                Pieced::Literal(text) => text,
                Pieced::Slot(slot) => values.get(*slot).copied().unwrap_or_default(),
            });
        }
        whole
    }
}
