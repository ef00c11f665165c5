//! Does each step to the kernel and to the model, and compares.

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Disposer, Emit, Event, Failure, Fiber, FiberState, Fx, Kernel, Scope};
use dsh_testkit::{Gate, Log, Probes};

use super::model::{Link, Model, Plugin, State};
use super::{Piece, Step};
use crate::support::{Part, paused_runtime, quiet};

struct Ping;

impl Event for Ping {
    const NAME: &'static str = "ping";
    const DOC: &'static str = "A test.";
    type Mode = Emit;
}

/// The kernel's side of a fiber of the model.
struct Twin {
    ctx: Context,
    handle: Handle,
}

enum Handle {
    Root,
    Scope(Option<Scope>),
    Plugin(Fiber),
}

/// Collects one link of an effect.
type Collect = dyn FnOnce(&mut Fx);

struct Driver {
    kernel: Kernel,
    log: Log,
    probes: Probes,
    model: Model,
    twins: Vec<Twin>,
    /// By the model's effect: the disposer, while it is there to be used.
    disposers: Vec<Option<Disposer>>,
    gates: Vec<Gate>,
    lines: usize,
}

pub(super) fn run(steps: &[Step]) {
    paused_runtime().block_on(Box::pin(async {
        let kernel = Kernel::new();
        let root = Twin { ctx: kernel.root(), handle: Handle::Root };
        let (log, probes) = (Log::new(), Probes::new());
        let mut driver = Driver {
            kernel,
            log,
            probes,
            model: Model::new(),
            twins: vec![root],
            disposers: Vec::new(),
            gates: Vec::new(),
            lines: 0,
        };
        for (index, step) in steps.iter().enumerate() {
            driver.take(step);
            driver.compare(&format!("step {index}: {step:?}")).await;
        }
        driver.end().await;
    }));
}

impl Driver {
    fn take(&mut self, step: &Step) {
        match step {
            Step::Scope { owner } => self.scope(owner % self.twins.len()),
            Step::Plugin { owner, inject, provides, parts } => {
                let plugin = Plugin { inject: inject.clone(), provides: *provides, parts: *parts };
                self.plugin(owner % self.twins.len(), plugin);
            }
            Step::Effect { owner, pieces, fails } => self.effect(owner % self.twins.len(), &[], pieces, *fails),
            Step::Composite { owner, adopts, piece, fails } => {
                self.effect(owner % self.twins.len(), adopts, &[*piece], *fails);
            }
            Step::DisposeEffect(choice) => self.dispose_effect(*choice),
            Step::DisposeFiber(choice) => self.dispose_fiber(choice % self.twins.len()),
            Step::OpenGate(choice) => {
                if self.model.gates() > 0 {
                    let gate = choice % self.model.gates();
                    self.gates[gate].open();
                    self.model.open(gate);
                }
            }
            Step::Emit { audience } => self.emit(*audience),
        }
        self.disposers.resize_with(self.model.effects.len(), || None);
    }

    /// An owner that takes nothing says so, to the kernel's caller and to the model's alike.
    fn is_refused(&self, owner: usize) -> bool {
        let refused = !self.model.is_active(owner);
        if refused {
            let error = self.twins[owner].ctx.effect("refused", |_| Ok(())).unwrap_err();
            assert_eq!(error.code(), "kernel::inactive");
        }
        refused
    }

    fn scope(&mut self, owner: usize) {
        if self.is_refused(owner) {
            return;
        }
        let id = self.model.scope(owner);
        let scope = self.twins[owner].ctx.scope(format!("f{id}")).unwrap();
        self.twins.push(Twin { ctx: scope.ctx().clone(), handle: Handle::Scope(Some(scope)) });
    }

    fn plugin(&mut self, owner: usize, plugin: Plugin) {
        if self.is_refused(owner) {
            return;
        }
        let id = self.twins.len();
        let (log, probe, parts, provides) = (self.log.clone(), self.probes.probe(), plugin.parts, plugin.provides);
        let part = Part::new(format!("f{id}"))
            .inject(plugin.inject.iter().map(|service| format!("s{service}")))
            .provides(provides.map(|service| format!("s{service}")))
            .start(move |ctx| {
                probe.touch();
                log.push(format!("start f{id}"));
                for part in 0..parts {
                    let (line, log) = (format!("f{id} part {part}"), log.clone());
                    ctx.effect(format!("part {part}"), |fx| {
                        fx.defer(move || log.push(line));
                        Ok(())
                    })?;
                }
                if let Some(service) = provides {
                    // Where the name is taken, it does without.
                    drop(ctx.provide_dyn(format!("s{service}"), Arc::new(())));
                }
                Ok(())
            });
        assert_eq!(self.model.plugin(owner, plugin), id);
        let fiber = part.mount(&self.twins[owner].ctx);
        self.twins.push(Twin { ctx: fiber.ctx(), handle: Handle::Plugin(fiber) });
    }

    /// Makes one effect: what `adopts` chooses, then the pieces. It may fail when all is collected.
    fn effect(&mut self, owner: usize, adopts: &[usize], pieces: &[Piece], fails: bool) {
        if self.is_refused(owner) {
            return;
        }
        self.disposers.resize_with(self.model.effects.len(), || None);
        let ctx = self.twins[owner].ctx.clone();
        let label = format!("e{}", self.lines);
        let mut links: Vec<Link> = Vec::new();
        let mut collects: Vec<Box<Collect>> = Vec::new();
        for choice in adopts {
            if let Some((effect, disposer)) = self.adoptable(owner, *choice) {
                links.push(self.model.adopt(effect));
                collects.push(Box::new(move |fx| fx.adopt(disposer).unwrap()));
            }
        }
        for piece in pieces {
            self.lines += 1;
            let line = format!("l{}", self.lines);
            match piece {
                Piece::Line => {
                    let (log, probe) = (self.log.clone(), self.probes.probe());
                    links.push(Link::Line(line.clone()));
                    collects.push(Box::new(move |fx| {
                        fx.defer(move || {
                            probe.touch();
                            log.push(line);
                        });
                    }));
                }
                Piece::Gate => {
                    let (log, gate) = (self.log.clone(), Gate::new());
                    self.gates.push(gate.clone());
                    links.push(Link::Gate(line.clone(), self.model.gate()));
                    collects.push(Box::new(move |fx| fx.defer_async(gated_link(line, log, gate))));
                }
                Piece::Listener => {
                    let log = self.log.clone();
                    links.push(self.model.listen(owner, line.clone()));
                    let listener = ctx.on::<Ping, _>(move |_| log.push(line.clone())).unwrap();
                    collects.push(Box::new(move |fx| fx.adopt(listener).unwrap()));
                }
                Piece::Service(service) => {
                    let made = ctx.provide_dyn(format!("s{service}"), Arc::new(()));
                    match self.model.provide(owner, *service) {
                        Some(link) => {
                            self.model.settle();
                            links.push(link);
                            let provide = made.unwrap();
                            collects.push(Box::new(move |fx| fx.adopt(provide).unwrap()));
                        }
                        None => assert_eq!(made.unwrap_err().code(), "kernel::duplicate_service"),
                    }
                }
            }
        }
        assert!(!self.is_refused(owner), "providing a service does not end its provider");
        let effect = self.model.effect(owner, label.clone(), links);
        let made = ctx.effect(label, |fx| {
            for collect in collects {
                collect(fx);
            }
            if fails { Err(Failure::msg("as it was told")) } else { Ok(()) }
        });
        self.disposers.resize_with(self.model.effects.len(), || None);
        if fails {
            let error = made.unwrap_err();
            assert_eq!(error.code(), "kernel::body_failed");
            self.model.dispose_effect(effect);
        } else {
            self.disposers[effect] = Some(made.unwrap());
        }
    }

    /// An effect of this owner that nobody has adopted, with its disposer.
    fn adoptable(&mut self, owner: usize, choice: usize) -> Option<(usize, Disposer)> {
        let listed = &self.model.fibers[owner].listed;
        let effect = *listed.get(choice % listed.len().max(1))?;
        let disposer = match self.model.effects[effect].child {
            None => self.disposers[effect].take(),
            Some(fiber) => match &mut self.twins[fiber].handle {
                Handle::Root => None,
                Handle::Scope(scope) => scope.take().map(Scope::into_disposer),
                Handle::Plugin(fiber) => fiber.take_disposer(),
            },
        };
        disposer.map(|disposer| (effect, disposer))
    }

    fn dispose_effect(&mut self, choice: usize) {
        let there: Vec<usize> = (0..self.disposers.len()).filter(|effect| self.disposers[*effect].is_some()).collect();
        if there.is_empty() {
            return;
        }
        let effect = there[choice % there.len()];
        let was_live = self.model.is_live(effect);
        let teardown = self.disposers[effect].take().unwrap().dispose();
        self.model.dispose_effect(effect);
        if !was_live && teardown.result().is_some() {
            assert!(!self.model.is_live(effect));
        }
    }

    fn dispose_fiber(&mut self, fiber: usize) {
        match &mut self.twins[fiber].handle {
            Handle::Root => return,
            Handle::Scope(scope) => match scope.take() {
                Some(scope) => drop(scope.dispose()),
                None => return,
            },
            Handle::Plugin(fiber) => drop(fiber.dispose()),
        }
        self.model.dispose_fiber(fiber);
    }

    fn emit(&mut self, audience: Option<usize>) {
        let heard_as = audience.map(|choice| choice % self.twins.len());
        let heard = match heard_as {
            None => Audience::Everyone,
            Some(fiber) => self.twins[fiber].ctx.scope_key().into(),
        };
        self.kernel.root().emit(&Ping, heard).unwrap();
        self.model.emit(heard_as);
    }

    async fn compare(&mut self, what: &str) {
        quiet().await;
        assert_eq!(self.log.take(), std::mem::take(&mut self.model.log), "the log after {what}");
        for (twin, fiber) in self.twins.iter().zip(&self.model.fibers) {
            assert_eq!(twin.ctx.state().as_str(), fiber.state.name(), "`{}` after {what}", fiber.name);
        }
        assert_eq!(self.tree(), self.model_tree(), "the tree after {what}");
    }

    /// Fibers with their effects, each before its children.
    fn tree(&self) -> Vec<(usize, String, Vec<String>)> {
        let inspection = self.kernel.inspect();
        let effects =
            |fiber: &dsh_kernel::InspectedFiber| fiber.effects.iter().map(|effect| effect.label.to_string()).collect();
        inspection.fibers.iter().map(|fiber| (fiber.depth, fiber.name.clone(), effects(fiber))).collect()
    }

    fn model_tree(&self) -> Vec<(usize, String, Vec<String>)> {
        let mut tree = Vec::new();
        self.model_branch(0, 0, &mut tree);
        tree
    }

    fn model_branch(&self, id: usize, depth: usize, tree: &mut Vec<(usize, String, Vec<String>)>) {
        let fiber = &self.model.fibers[id];
        if fiber.state == State::Disposed {
            return;
        }
        let own = |effect: &&usize| self.model.effects[**effect].child.is_none();
        let labels = fiber.listed.iter().filter(own).map(|effect| self.model.effects[*effect].label.clone()).collect();
        tree.push((depth, fiber.name.clone(), labels));
        for child in 0..self.model.fibers.len() {
            if self.model.fibers[child].parent == Some(id) {
                self.model_branch(child, depth + 1, tree);
            }
        }
    }

    /// Unloads all with the gates open, and looks that nothing is left.
    async fn end(mut self) {
        for gate in 0..self.gates.len() {
            self.gates[gate].open();
            self.model.open(gate);
            self.compare("the last gates").await;
        }
        let teardown = self.kernel.shutdown();
        self.model.dispose_fiber(0);
        self.compare("the shutdown").await;
        teardown.await.unwrap();
        assert!(self.twins.iter().all(|twin| twin.ctx.state() == FiberState::Disposed));
        let probes = self.probes.clone();
        drop(self);
        assert_eq!(probes.balance(), 0);
    }
}

fn gated_link(line: String, log: Log, gate: Gate) -> impl FnOnce() -> dsh_kernel::BoxFuture<'static, ()> + Send {
    move || {
        Box::pin(async move {
            log.push(format!("{line} begin"));
            gate.wait().await;
            log.push(format!("{line} end"));
        })
    }
}
