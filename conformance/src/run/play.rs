//! A scenario that is being run: its kernel, and what its ids stand for.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dsh_harness::kernel::{Context, Disposer, Fiber, Kernel, Scope, ScopeKey, Teardown};
use dsh_harness::prompt::{
    AssembleContext, PromptAssembly, PromptConfig, SystemPrompt, SystemPromptExt, render_prompt,
};
use serde_json::{Value, json};

use crate::entry::Entry;
use crate::scenario::{Config, Step};

use super::failure::{NoEntry, entry_of};
use super::stage::Stage;
use super::view::View;
use super::{listeners, parts};

/// A handle that a step made; nothing is left of it once it is disposed.
enum Handle {
    Effect(Option<Disposer>),
    Plugin(Fiber),
    Scope(Option<Scope>),
}

/// A scenario that is being run.
pub(super) struct Play {
    kernel: Kernel,
    root: Context,
    view: View,
    stage: Stage,
    contexts: HashMap<String, Context>,
    handles: HashMap<String, Handle>,
    keys: HashMap<String, ScopeKey>,
}

impl Play {
    /// A kernel with the registry on its root; or the entry that a refused configuration gives.
    pub(super) async fn begin(config: &Config) -> Result<Result<Self, Entry>, NoEntry> {
        let kernel = Kernel::new();
        let root = kernel.root();
        let mut prompt = PromptConfig::new();
        if let Some(persona) = &config.persona {
            prompt = prompt.persona(persona.clone());
        }
        if let Some(order) = &config.tool_order {
            prompt = prompt.tool_order(order.iter().cloned());
        }
        let mounted = match root.plugin(SystemPrompt::new(prompt)) {
            Ok(fiber) => fiber.ready().await,
            Err(error) => Err(error),
        };
        if let Err(error) = mounted {
            return entry_of(&error).map(Err);
        }
        Ok(Ok(Self {
            contexts: HashMap::from([("root".to_owned(), root.clone())]),
            view: View::new().await?,
            stage: Stage::default(),
            handles: HashMap::new(),
            keys: HashMap::new(),
            kernel,
            root,
        }))
    }

    /// Takes a step and awaits its end.
    pub(super) async fn take(&mut self, step: &Step) -> Result<Entry, NoEntry> {
        let entry = self.act(step).await?;
        self.settle().await?;
        Ok(entry)
    }

    /// Waits as the format says, until no plugin is starting or unloading; and a little more, as the npm package's
    /// runner does: a rollback that a failed composite left behind goes on between the steps.
    async fn settle(&self) -> Result<(), NoEntry> {
        for _ in 0..3 {
            self.kernel.settled().await.map_err(|error| NoEntry::new(error.to_string()))?;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    async fn act(&mut self, step: &Step) -> Result<Entry, NoEntry> {
        match step {
            Step::Plugin(plugin) => {
                let mounted = parts::Mounted { stage: self.stage.clone(), plugin: plugin.clone() };
                match self.context(&plugin.at)?.plugin_dyn(Arc::new(mounted)) {
                    Ok(fiber) => {
                        self.contexts.insert(plugin.id.clone(), fiber.ctx());
                        self.handles.insert(plugin.id.clone(), Handle::Plugin(fiber));
                        Ok(Entry::DONE)
                    }
                    Err(error) => entry_of(&error),
                }
            }
            Step::Scope { id, at } => match self.context(at)?.scope(id.clone()) {
                Ok(scope) => {
                    self.stage.name_scope(scope.key(), id);
                    self.keys.insert(id.clone(), scope.key());
                    self.contexts.insert(id.clone(), scope.ctx().clone());
                    self.handles.insert(id.clone(), Handle::Scope(Some(scope)));
                    Ok(Entry::DONE)
                }
                Err(error) => entry_of(&error),
            },
            Step::State { id } => match self.handles.get(id) {
                Some(Handle::Plugin(fiber)) => Ok(Entry::Ok(json!(fiber.state().as_str()))),
                _ => Err(NoEntry::new(format!("no plugin {id:?}"))),
            },
            Step::Provide { id, at, name } => {
                let made = self.context(at)?.provide_dyn(name.clone(), Arc::new(name.clone()));
                self.keep(id, made)
            }
            Step::Part { id, at, part } => match parts::add(&self.stage, self.context(at)?, part) {
                Ok(disposer) => self.keep(id, Ok(disposer)),
                Err(failure) => entry_of(failure.as_error()),
            },
            Step::Composite { id, at, parts } => {
                let made = parts::add_composite(&self.stage, self.context(at)?, id, parts);
                self.keep(id, made)
            }
            Step::OnChange { id, at, name, throws_on } => {
                let made = listeners::on_change(&self.stage, self.context(at)?, name, *throws_on);
                self.keep(id, made)
            }
            Step::OnAssemble { id, at, actions } => {
                let made = listeners::on_assemble(&self.stage, self.context(at)?, actions);
                self.keep(id, made)
            }
            Step::Dispose { id } | Step::Unload { id } => match self.teardown(id)? {
                Some(teardown) => teardown.await.map_or_else(|error| entry_of(&error), |()| Ok(Entry::DONE)),
                None => Ok(Entry::DONE),
            },
            Step::Assemble { scope } => match self.assemble(scope.as_deref()).await {
                Ok(assembly) => self.view.assembly(&assembly).map(Entry::Ok),
                Err(error) => entry_of(&error),
            },
            Step::Render { scope } => {
                match self.assemble(scope.as_deref()).await.and_then(|assembly| render_prompt(&assembly)) {
                    Ok(text) => Ok(Entry::Ok(Value::String(self.view.prompt(&text)))),
                    Err(error) => entry_of(&error),
                }
            }
            Step::Log => Ok(Entry::Ok(json!(self.stage.take_log()))),
        }
    }

    fn context(&self, id: &str) -> Result<&Context, NoEntry> {
        self.contexts.get(id).ok_or_else(|| NoEntry::new(format!("no context {id:?}")))
    }

    fn keep(&mut self, id: &str, made: Result<Disposer, dsh_harness::kernel::Error>) -> Result<Entry, NoEntry> {
        match made {
            Ok(disposer) => {
                self.handles.insert(id.to_owned(), Handle::Effect(Some(disposer)));
                Ok(Entry::DONE)
            }
            Err(error) => entry_of(&error),
        }
    }

    fn teardown(&mut self, id: &str) -> Result<Option<Teardown>, NoEntry> {
        match self.handles.get_mut(id) {
            Some(Handle::Effect(disposer)) => Ok(disposer.take().map(Disposer::dispose)),
            Some(Handle::Plugin(fiber)) => Ok(Some(fiber.dispose())),
            Some(Handle::Scope(scope)) => Ok(scope.take().map(Scope::dispose)),
            None => Err(NoEntry::new(format!("no handle {id:?}"))),
        }
    }

    /// An id that is no scope's is for nobody in particular, as on the npm package's side.
    async fn assemble(&self, scope: Option<&str>) -> Result<PromptAssembly, dsh_harness::prompt::Error> {
        let key = scope.and_then(|id| self.keys.get(id));
        let cx = key.map_or_else(AssembleContext::new, |key| AssembleContext::for_scope(*key));
        self.root.system_prompt().assemble(cx).await
    }
}
