//! Variables that are registered and that no section refers to (S4).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use dsh_kernel::{Name, Owner};
use dsh_system_prompt::{AssembledSection, PartLayer, PromptAssembly};
use dsh_template::{Text, is_variable_name};

/// Which registered variables the sections of some assemblies refer to.
///
/// One assembly tells of one scope, and a variable may be there for another: so it is fed with an assembly of each scope, and
/// asked then. A reference is one to the variable that is visible in that assembly, so a global variable which all of them shadow
/// stays unused. Raw texts, quoted groups and values of other variables refer to nothing (X1).
///
/// What is registered is what the assemblies show: a variable that a listener sets for one assembly is not.
///
/// ```
/// use dsh_kernel::Kernel;
/// use dsh_prompt_report::VariableUse;
/// use dsh_system_prompt::{AssembleContext, PromptConfig, PromptVariable, SystemPrompt, SystemPromptExt};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let root = kernel.root();
/// root.plugin(SystemPrompt::new(PromptConfig::new().persona("You maintain {{project}}.")))?.ready().await?;
/// root.system_prompt().variable(PromptVariable::new("project", "dsh"))?;
/// root.system_prompt().variable(PromptVariable::new("team", "harbour"))?;
///
/// let mut uses = VariableUse::new();
/// uses.add(&root.system_prompt().assemble(AssembleContext::new()).await?);
/// let unused: Vec<&str> = uses.unused().map(|variable| variable.name).collect();
/// assert_eq!(unused, ["team"]);
/// # Ok::<(), dsh_system_prompt::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug, Default)]
pub struct VariableUse {
    /// In the order in which they were first seen.
    variables: Vec<(Registered, bool)>,
    places: HashMap<Registered, usize>,
    /// The names that texts refer to: scopes share most of theirs.
    texts: HashMap<usize, Referring>,
}

/// A template, kept so that no other text gets its place in memory, and the names that it refers to.
#[derive(Clone, Debug)]
struct Referring {
    _text: Text,
    names: Arc<[Box<str>]>,
}

/// A variable that nothing refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedVariable<'a> {
    /// The name.
    pub name: &'a str,
    /// Who registered it.
    pub owner: &'a Owner,
    /// The layer that it stands in.
    pub layer: PartLayer,
}

/// One registration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Registered {
    name: Name,
    owner: Owner,
    layer: PartLayer,
}

impl VariableUse {
    /// Of no assembly yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the variables of an assembly, and what its sections refer to.
    pub fn add(&mut self, assembly: &PromptAssembly) {
        let templates = assembly.sections().map(AssembledSection::text).filter(|text| !text.is_raw());
        let texts: Vec<Arc<[Box<str>]>> = templates.map(|text| self.names_in(text)).collect();
        let named: HashSet<&str> = texts.iter().flat_map(|names| names.iter()).map(|name| &**name).collect();
        for variable in assembly.variables() {
            let (Some(owner), layer) = (variable.owner(), variable.layer()) else { continue };
            if layer == PartLayer::Assembly {
                continue;
            }
            let registered = Registered { name: variable.shared_name().clone(), owner: owner.clone(), layer };
            let is_used = named.contains(variable.name());
            let place = *self.places.entry(registered).or_insert_with_key(|registered| {
                self.variables.push((registered.clone(), false));
                self.variables.len() - 1
            });
            if let Some((_, used)) = self.variables.get_mut(place) {
                *used |= is_used;
            }
        }
    }

    /// The names that a template refers to.
    fn names_in(&mut self, text: &Text) -> Arc<[Box<str>]> {
        let referring = self.texts.entry(Arc::as_ptr(text.shared()).addr()).or_insert_with(|| {
            let mut names = HashSet::new();
            references(text, &mut names);
            Referring { _text: text.clone(), names: names.into_iter().map(Box::from).collect() }
        });
        Arc::clone(&referring.names)
    }

    /// The variables that no section of any of the assemblies refers to, in the order in which they were first seen.
    pub fn unused(&self) -> impl Iterator<Item = UnusedVariable<'_>> {
        self.variables.iter().filter(|(_, used)| !used).map(|(registered, _)| UnusedVariable {
            name: registered.name.as_str(),
            owner: &registered.owner,
            layer: registered.layer,
        })
    }
}

/// Adds the names that a template refers to. What stands behind a malformed place is no reference yet, but will be one when the place
/// is mended: it counts, so that one mistake does not make all the variables behind it look unused.
fn references<'t>(text: &'t Text, named: &mut HashSet<&'t str>) {
    let mut end = 0;
    for reference in text.references() {
        named.insert(reference.name);
        end = reference.range.end;
    }
    if text.compile().malformed().is_some() {
        let rest = text.as_str().get(end..).unwrap_or_default();
        let groups = rest.split("{{").skip(1).filter_map(|group| group.split_once("}}"));
        let names = groups.map(|(inner, _)| inner.trim_matches(|c: char| c == '{' || c.is_whitespace()));
        named.extend(names.filter(|name| is_variable_name(name)));
    }
}
