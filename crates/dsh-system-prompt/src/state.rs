//! The state of one assembly before anybody edits it: immutable, shared, and the same object again where nothing has changed.

use std::sync::{Arc, OnceLock};

use dsh_kernel::Owner;

use crate::assembly::{AssembledSection, AssembledTool};
use crate::context::AssembleContext;
use crate::error::{Error, FailedPart};
use crate::order::{ToolOrder, ordered_tools};
use crate::registration::Body;
use crate::registry::Shared;
use crate::render::Kept;
use crate::shape::{Shape, ShapeText};
use crate::tools::ToolProviderResult;
use crate::value::Value;
use crate::view::View;

/// What the providers of a view answered, and what was made of it.
pub(crate) struct State {
    pub(crate) shape: Arc<Shape>,
    /// In the order of the shape's variables.
    pub(crate) values: Vec<Option<Value>>,
    /// In the order of the shape's computed sections.
    computed: Vec<AssembledSection>,
    pub(crate) tools: Arc<ToolBlock>,
    /// The rendered prompt, once somebody has rendered it.
    pub(crate) text: OnceLock<Arc<str>>,
    /// What else was asked of the rendered prompt.
    pub(crate) kept: Kept,
}

/// The tools in order, and the answers that they were made of.
pub(crate) struct ToolBlock {
    answers: Vec<ToolProviderResult>,
    pub(crate) tools: Vec<AssembledTool>,
    pub(crate) json: OnceLock<Arc<str>>,
    pub(crate) fingerprint: OnceLock<blake3::Hash>,
}

/// What came of asking the providers.
pub(crate) struct Evaluation {
    pub(crate) marks: Marks,
    /// The state, which knows its shape; or why there is none, of a view of this shape.
    pub(crate) result: Result<Arc<State>, (Unfinished, Arc<Shape>)>,
}

/// What was read before any provider was asked, to see afterwards whether anybody has left.
#[derive(Clone, Copy)]
pub(crate) struct Marks {
    /// [`Shape::unloads`].
    pub(crate) unloads: u64,
    /// How many registrations had gone with their owner.
    pub(crate) departures: u64,
}

impl Marks {
    /// Whether every part of the shape is still there, and was there all the time (S8).
    pub(crate) fn still_hold(self, shape: &Shape, now: &Shared) -> bool {
        shape.unloads() == self.unloads && (now.departures() == self.departures || !shape.has_lost_a_part())
    }
}

/// Why an evaluation has no state.
pub(crate) enum Unfinished {
    /// A provider failed, or the tools were refused.
    Failed(Error),
    /// An owner left before its provider was called.
    Left(Owner),
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl State {
    /// Asks the providers, in the order of S8: variables, tool providers, section texts, tool order. The first failure ends it.
    /// Where all answers are those of `last`, so is the state.
    pub(crate) fn evaluate(
        view: &Arc<View>,
        last: Option<&Arc<Self>>,
        order: Option<&ToolOrder>,
        cx: &AssembleContext,
    ) -> Result<Arc<Self>, Unfinished> {
        let mut values = Answers::new(last.map(|last| &*last.values));
        for variable in &view.variables {
            variable.origin.stays()?;
            match &variable.body {
                Body::Fixed(value) => values.push_fixed(value),
                Body::Computed(provider) => {
                    let value = provider.ask(&variable.origin, cx, || FailedPart::Variable(variable.name.clone()))?;
                    values.push(value, |old, new| old == new);
                }
            }
        }

        let mut answers = Answers::new(last.map(|last| &*last.tools.answers));
        for entry in &view.tools {
            entry.origin.stays()?;
            match &entry.body {
                Body::Fixed(tools) => answers.push_fixed(tools),
                Body::Computed(provider) => {
                    let tools = provider.ask(&entry.origin, cx, || FailedPart::Tools)?;
                    answers.push(tools, ToolProviderResult::is_same);
                }
            }
        }

        // Sections whose tools are not there leave before their text is asked for (X11).
        let narrowed = view.narrowed(answers.all());
        let view = narrowed.as_ref().unwrap_or(view);
        let of_this_shape = |last: &&Arc<Self>| Arc::ptr_eq(&last.shape, &view.shape);
        let last_of_shape = last.filter(of_this_shape);

        let mut computed = Answers::new(last_of_shape.map(|last| &*last.computed));
        for (section, provider) in view.computed() {
            section.origin.stays()?;
            let part = || FailedPart::Section(section.section.shared_name().clone());
            let text = provider.ask(&section.origin, cx, part)?;
            let same = computed.next_old().filter(|old: &&AssembledSection| *old.text() == text).cloned();
            match same {
                Some(old) => computed.push(old, |_, _| true),
                None => computed.push(section.section.with_text(text), |_, _| false),
            }
        }

        if let Some(last) = last_of_shape
            && values.is_same()
            && answers.is_same()
            && computed.is_same()
        {
            return Ok(Arc::clone(last));
        }
        let tools = if let Some(last) = last.filter(|_| answers.is_same()) {
            Arc::clone(&last.tools)
        } else {
            let answers = answers.into_vec();
            let owners = view.tools.iter().map(|entry| (entry.origin.owner().clone(), entry.origin.layer()));
            let tools = ordered_tools(order, &answers, owners)?;
            Arc::new(ToolBlock { answers, tools, json: OnceLock::new(), fingerprint: OnceLock::new() })
        };
        Ok(Arc::new(Self {
            shape: Arc::clone(&view.shape),
            values: values.into_vec(),
            computed: computed.into_vec(),
            tools,
            text: OnceLock::new(),
            kept: Kept::default(),
        }))
    }

    /// Whether everything but the values of variables is the same object in both.
    pub(crate) fn differs_in_values_alone(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&AssembledSection, &AssembledSection)| one.is_same(other);
        Arc::ptr_eq(&self.shape, &other.shape)
            && Arc::ptr_eq(&self.tools, &other.tools)
            && self.computed.iter().zip(&other.computed).all(is_same)
    }

    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        self.differs_in_values_alone(other) && self.values == other.values
    }

    pub(crate) fn sections(&self) -> usize {
        self.shape.sections.len()
    }

    pub(crate) fn section(&self, index: usize) -> Option<&AssembledSection> {
        let section = self.shape.sections.get(index)?;
        match section.text {
            ShapeText::Fixed(_) => Some(&section.section),
            ShapeText::Computed(computed) => self.computed.get(computed),
        }
    }

    /// The value of a variable by its index in the shape.
    pub(crate) fn value(&self, index: usize) -> Option<&Value> {
        self.values.get(index).and_then(Option::as_ref)
    }
}

/// Answers as they come in, kept apart from the last ones only from the first difference on.
struct Answers<'a, T> {
    last: Option<&'a [T]>,
    same: usize,
    own: Option<Vec<T>>,
}

impl<'a, T: Clone> Answers<'a, T> {
    fn new(last: Option<&'a [T]>) -> Self {
        let own = if last.is_none() { Some(Vec::new()) } else { None };
        Self { last, same: 0, own }
    }

    /// The old answer in the place of the one that comes next.
    fn next_old(&self) -> Option<&'a T> {
        let place = self.own.as_ref().map_or(self.same, Vec::len);
        self.last.and_then(|last| last.get(place))
    }

    fn push(&mut self, answer: T, is_same: impl FnOnce(&T, &T) -> bool) {
        match &mut self.own {
            Some(own) => own.push(answer),
            None => match self.next_old() {
                Some(old) if is_same(old, &answer) => self.same += 1,
                Some(_) | None => {
                    let last = self.last.unwrap_or_default();
                    let mut own = Vec::with_capacity(last.len());
                    own.extend(last.iter().take(self.same).cloned());
                    own.push(answer);
                    self.own = Some(own);
                }
            },
        }
    }

    /// An answer that is the same for as long as the view is.
    fn push_fixed(&mut self, answer: &T) {
        match &mut self.own {
            Some(own) => own.push(answer.clone()),
            None => self.same += 1,
        }
    }

    fn is_same(&self) -> bool {
        self.own.is_none()
    }

    /// All of them, when all have come in.
    fn all(&self) -> &[T] {
        self.own.as_deref().or(self.last).unwrap_or_default()
    }

    fn into_vec(self) -> Vec<T> {
        self.own.unwrap_or_else(|| self.last.unwrap_or_default().to_vec())
    }
}
