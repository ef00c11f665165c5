//! The compiled form of a text: its literals in one buffer, its references as slots, its places in a side table.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::ops::Range;

use crate::Error;
use crate::quoted;
use crate::reference::reference_range;
use crate::scan::{Scanner, Token, part};

/// A compiled template.
///
/// Compiling never fails: a text that is malformed somewhere keeps its pieces up to that place, and then the error. Rendering
/// reports whatever comes first in the text, so an unknown variable before a malformed place wins. (S11)
///
/// ```
/// use dsh_template::{Piece, Template};
///
/// let template = Template::compile(r#"{{"{"}}{{user}}}, {{user}} {{model}}"#);
/// let pieces: Vec<String> = template
///     .pieces()
///     .map(|piece| match piece {
///         Piece::Literal(text) => format!("{text:?}"),
///         Piece::Variable(variable) => format!("{} in slot {}", variable.name, variable.slot),
///     })
///     .collect();
/// assert_eq!(pieces, ["\"{\"", "user in slot 0", "\"}, \"", "user in slot 0", "\" \"", "model in slot 1"]);
/// assert!(template.names().eq(["user", "model"]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// All literals, decoded, one after the other; the text itself where it has no groups.
    pub(crate) literals: Arc<str>,
    /// The references in order.
    pub(crate) steps: Box<[Step]>,
    /// Where each step's reference begins in the source; looked at for errors and places alone.
    starts: Box<[usize]>,
    /// The distinct names in order of first use; a slot is an index into it.
    pub(crate) names: Box<[Name]>,
    /// What ends the text before its end.
    pub(crate) malformed: Option<Error>,
}

/// One reference: the literal that stands before it, and whose value it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Where the literal before the reference ends in `literals`; it begins where the one before ended.
    pub(crate) literal_end: usize,
    pub(crate) slot: usize,
}

/// A distinct name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: Box<str>,
    /// Where it is first referred to.
    start: usize,
    /// How many references name it.
    pub(crate) uses: usize,
}

impl Name {
    pub(crate) fn first_use(&self) -> Range<usize> {
        reference_range(self.start, &self.text)
    }
}

impl Template {
    /// Compiles a template. See [`Text::compile`](crate::Text::compile) for a text that may be raw or is shared.
    pub fn compile(source: &str) -> Self {
        Self::build(source, || Arc::from(source))
    }

    /// One literal.
    pub(crate) fn whole(text: Arc<str>) -> Self {
        Self { literals: text, steps: Box::default(), starts: Box::default(), names: Box::default(), malformed: None }
    }

    /// Compiles `source`; `shared` gives the same text where it is all prose and need not be copied.
    pub(crate) fn build(source: &str, shared: impl FnOnce() -> Arc<str>) -> Self {
        if Scanner::new(source).all(|token| matches!(token, Token::Literal(_))) {
            return Self::whole(shared());
        }
        let mut literals = String::new();
        let mut steps = Vec::new();
        let mut starts = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        let mut slots = BTreeMap::new();
        let mut malformed = None;
        for token in Scanner::new(source) {
            match token {
                Token::Literal(text) => literals.push_str(text),
                Token::Quoted(body) => quoted::decode_into(body, &mut literals),
                Token::Variable { name, start } => {
                    let slot = *slots.entry(name).or_insert(names.len());
                    match names.get_mut(slot) {
                        Some(known) => known.uses += 1,
                        None => names.push(Name { text: name.into(), start, uses: 1 }),
                    }
                    steps.push(Step { literal_end: literals.len(), slot });
                    starts.push(start);
                }
                Token::Malformed(place) => malformed = Some(Error::malformed(source, &place)),
            }
        }
        Self { literals: literals.into(), steps: steps.into(), starts: starts.into(), names: names.into(), malformed }
    }

    /// The pieces in order, up to the first malformed place. No literal is empty, and no two literals follow each other.
    pub fn pieces(&self) -> Pieces<'_> {
        Pieces { template: self, literal_from: 0, step: 0 }
    }

    /// The distinct names of variables, in order of first use. A [`Variable::slot`] is an index into them.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.names.iter().map(|name| &*name.text)
    }

    /// How many references each of the [`names`](Self::names) has.
    pub fn uses(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.names.iter().map(|name| name.uses)
    }

    /// The name in a slot.
    pub fn name(&self, slot: usize) -> Option<&str> {
        self.names.get(slot).map(|name| &*name.text)
    }

    /// The first malformed place, if there is one. It is not the first error of a rendering when a variable that stands before
    /// it cannot be resolved.
    pub fn malformed(&self) -> Option<&Error> {
        self.malformed.as_ref()
    }

    /// The same references between other literals: for each literal of this one, what `write` appends for it.
    ///
    /// So a text that is rendered often, in some encoding, is encoded once. Errors stay where they are.
    ///
    /// ```
    /// use dsh_template::{Lookup, Template};
    ///
    /// let shout = Template::compile("ab{{x}}c").map_literals(|literal, out| out.push_str(&literal.to_uppercase()));
    /// assert_eq!(shout.render(|_| Lookup::Value("-"))?, "AB-C");
    /// # Ok::<(), dsh_template::Error>(())
    /// ```
    #[must_use]
    pub fn map_literals(&self, mut write: impl FnMut(&str, &mut String)) -> Self {
        let mut literals = String::with_capacity(self.literals.len());
        let mut from = 0;
        let mut next = |end, literals: &mut String| {
            write(part(&self.literals, from..end), literals);
            from = end;
            literals.len()
        };
        let step = |step: &Step| Step { literal_end: next(step.literal_end, &mut literals), slot: step.slot };
        let steps = self.steps.iter().map(step).collect();
        next(self.literals.len(), &mut literals);
        Self {
            literals: literals.into(),
            steps,
            starts: self.starts.clone(),
            names: self.names.clone(),
            malformed: self.malformed.clone(),
        }
    }

    /// How many bytes the literals have together.
    pub fn literal_len(&self) -> usize {
        self.literals.len()
    }

    /// The text that every rendering gives, where there is only one: no variable and no malformed place.
    ///
    /// ```
    /// use dsh_template::Template;
    ///
    /// assert_eq!(Template::compile(r#"a{{"b"}}"#).as_literal().map(|text| &**text), Some("ab"));
    /// assert_eq!(Template::compile("{{a}}").as_literal(), None);
    /// ```
    pub fn as_literal(&self) -> Option<&Arc<str>> {
        (self.steps.is_empty() && self.malformed.is_none()).then_some(&self.literals)
    }
}

/// A piece of a compiled template.
///
/// Exhaustive on purpose: who writes out pieces must handle each kind, and a new one has to break the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text that stands for itself, decoded.
    Literal(&'a str),
    /// The place of a value.
    Variable(Variable<'a>),
}

/// The place of a value in a compiled template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable<'a> {
    /// The variable's name.
    pub name: &'a str,
    /// Its index into [`Template::names`].
    pub slot: usize,
    /// Where the reference stands, braces included, in bytes of the source.
    pub range: Range<usize>,
}

/// The pieces of a template; made by [`Template::pieces`].
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    template: &'a Template,
    literal_from: usize,
    step: usize,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let template = self.template;
        let step = template.steps.get(self.step);
        let literal = self.literal_from..step.map_or(template.literals.len(), |step| step.literal_end);
        if !literal.is_empty() {
            self.literal_from = literal.end;
            return Some(Piece::Literal(part(&template.literals, literal)));
        }
        let slot = step?.slot;
        let name = template.name(slot)?;
        let start = *template.starts.get(self.step)?;
        self.step += 1;
        Some(Piece::Variable(Variable { name, slot, range: reference_range(start, name) }))
    }
}

impl FusedIterator for Pieces<'_> {}
