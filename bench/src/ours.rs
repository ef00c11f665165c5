//! Our side: a kernel with the prompt registry, filled from the workload.

use std::sync::Arc;

use dsh_kernel::{Context, Failure, Kernel, Scope, ScopeKey};
use dsh_system_prompt::{
    AssembleContext, PromptAssembly, PromptConfig, PromptHandle, PromptSection, PromptVariable, SystemPrompt,
    SystemPromptExt, ToolProvider, ToolProviderResult, render_prompt,
};

use crate::changing::Changing;
use crate::polled::at_once;
use crate::workload::Workload;

/// The variable that is another one each step where [`Changes::OneVariable`] is asked for. Nine sections name it.
pub const CHANGING: &str = "branch";

/// How the variables get their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Providers {
    /// Fixed at registration: nobody is asked.
    Fixed,
    /// A provider hands out a shared string that it keeps.
    Shared,
    /// A provider makes a new string each time.
    Cloning,
}

/// What differs from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Nothing.
    Nothing,
    /// The variable [`CHANGING`]: each step has to render.
    OneVariable,
}

/// What an agent registers for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owned {
    /// Its persona, and all variables.
    Everything,
    /// Its persona, and the variable [`CHANGING`]; the others are everybody's.
    PersonaAndOneVariable,
    /// Nothing.
    Nothing,
}

/// A kernel whose prompt registry holds the workload.
#[derive(Debug)]
pub struct Ours {
    kernel: Kernel,
    root: Context,
    prompt: PromptHandle,
}

impl Ours {
    /// Registers the workload. To be called inside a runtime ([`runtime`](crate::runtime)).
    ///
    /// # Errors
    ///
    /// The kernel's and the registry's.
    pub fn start(workload: &Workload, providers: Providers, changes: Changes) -> Result<Self, Failure> {
        let kernel = Kernel::new();
        let root = kernel.root();
        let config =
            PromptConfig::new().persona(workload.persona.clone()).tool_order(workload.tool_order.iter().cloned());
        at_once(root.plugin(SystemPrompt::new(config))?.ready())??;
        let prompt = root.system_prompt();
        for section in &workload.sections {
            prompt.section(PromptSection::new(section.name.clone(), section.order, section.text.clone()))?;
        }
        for (name, value) in &workload.variables {
            prompt.variable(variable(name, value, providers, changes))?;
        }
        // It is asked at each step and hands out what it keeps.
        let tools = ToolProviderResult::new(workload.tools.iter().cloned());
        prompt.tools(ToolProvider::computed(move |_| tools.clone()))?;
        Ok(Self { kernel, root, prompt })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The root's context.
    pub fn root(&self) -> &Context {
        &self.root
    }

    /// The registry, as the root sees it.
    pub fn prompt(&self) -> &PromptHandle {
        &self.prompt
    }

    /// Opens a scope for an agent, with registrations of its own. Its variables hand out shared strings.
    ///
    /// # Errors
    ///
    /// The kernel's and the registry's.
    pub fn agent(&self, workload: &Workload, label: &str, owned: Owned, changes: Changes) -> Result<Scope, Failure> {
        let scope = self.root.scope(label.to_owned())?;
        if owned == Owned::Nothing {
            return Ok(scope);
        }
        let prompt = scope.ctx().system_prompt();
        let persona = format!("You are {label}. {}", workload.persona);
        prompt.section(PromptSection::new("deployment:persona", 0, persona))?;
        for (name, value) in &workload.variables {
            if owned == Owned::Everything || name == CHANGING {
                prompt.variable(variable(name, value, Providers::Shared, changes))?;
            }
        }
        Ok(scope)
    }

    /// One assembly, for a scope or for nobody in particular.
    ///
    /// # Errors
    ///
    /// The registry's.
    pub fn assemble(&self, scope: Option<ScopeKey>) -> Result<PromptAssembly, Failure> {
        let cx = scope.map_or_else(AssembleContext::new, AssembleContext::for_scope);
        Ok(at_once(self.prompt.assemble(cx))??)
    }

    /// One step: an assembly, rendered.
    ///
    /// # Errors
    ///
    /// The registry's.
    pub fn step(&self, scope: Option<ScopeKey>) -> Result<Arc<str>, Failure> {
        Ok(render_prompt(&self.assemble(scope)?)?)
    }
}

fn variable(name: &str, value: &str, providers: Providers, changes: Changes) -> PromptVariable {
    let name = name.to_owned();
    let shared: Arc<str> = value.into();
    match providers {
        _ if changes == Changes::OneVariable && name == CHANGING => {
            let changing = Changing::new(value);
            PromptVariable::computed(name, move |_| changing.next())
        }
        Providers::Fixed => PromptVariable::new(name, shared),
        Providers::Shared => PromptVariable::computed(name, move |_| Arc::clone(&shared)),
        Providers::Cloning => {
            let value = value.to_owned();
            PromptVariable::computed(name, move |_| value.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Changes, Ours, Owned, Providers};
    use crate::{Workload, runtime};

    #[test]
    fn every_way_of_giving_values_gives_the_same_prompt() {
        let runtime = runtime().unwrap();
        let _inside = runtime.enter();
        let workload = Workload::load().unwrap();
        let text = |providers| {
            let ours = Ours::start(&workload, providers, Changes::Nothing).unwrap();
            ours.step(None).unwrap()
        };
        let fixed = text(Providers::Fixed);
        assert_eq!(text(Providers::Shared), fixed);
        assert_eq!(text(Providers::Cloning), fixed);
    }

    #[test]
    fn one_variable_changes_where_it_is_asked_for_and_nothing_else() {
        let runtime = runtime().unwrap();
        let _inside = runtime.enter();
        let workload = Workload::load().unwrap();
        let ours = Ours::start(&workload, Providers::Shared, Changes::OneVariable).unwrap();
        let (first, second) = (ours.step(None).unwrap(), ours.step(None).unwrap());
        assert_eq!(first.replace("feature/cache-0", "feature/cache-1"), &*second);
        let agent = ours.agent(&workload, "reviewer", Owned::Everything, Changes::Nothing).unwrap();
        let own = ours.step(Some(agent.key())).unwrap();
        assert!(own.contains("You are reviewer.") && own.contains("feature/cache"));
        assert!(Arc::ptr_eq(&own, &ours.step(Some(agent.key())).unwrap()));
    }
}
