//! K16: settled, what handles tell, and what is known only at run time.

use std::any::Any;
use std::sync::Arc;

use dsh_kernel::{
    BoxFuture, Context, DynPlugin, ErrorKind, EventInfo, Failure, FiberChanged, FiberState, Kernel, Method, Name,
    Plugin, Service,
};
use dsh_testkit::{Gate, Log};

use crate::support::{Part, quiet, run, slow, traced};

// K16
#[test]
fn settled_waits_for_starts_and_unloads() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let (start, stop) = (Gate::new(), Gate::new());
        let root = kernel.root();
        kernel.settled().await.unwrap();
        let wait = start.clone();
        let part = Part::new("starting").start_async(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Ok(())
            }
        });
        part.mount(&root);
        let stopping = Part::new("stopping").mount(&root);
        slow(&stopping.ctx(), "slow", &log, &stop);
        drop(stopping.dispose());
        let settled = tokio::spawn(kernel.settled());
        quiet().await;
        assert!(!settled.is_finished());
        start.open();
        quiet().await;
        assert!(!settled.is_finished());
        stop.open();
        settled.await.unwrap().unwrap();
    });
}

// K16
#[test]
fn settled_waits_for_plugins_whose_turn_to_start_has_not_come() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let wait = gate.clone();
        let first = Part::new("first").inject(["db"]).start_async(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Ok(())
            }
        });
        first.mount(&root);
        traced("second", &log).inject(["db"]).mount(&root);
        root.provide_dyn("db", Arc::new(())).unwrap();
        let settled = tokio::spawn(kernel.settled());
        quiet().await;
        assert!(!settled.is_finished());
        gate.open();
        settled.await.unwrap().unwrap();
        log.assert(["start:second"]);
    });
}

// K16: what is pending or failed is settled; effects and tasks are not plugins
#[test]
fn settled_does_not_wait_for_what_cannot_start_nor_for_effects() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        Part::new("pending").inject(["db"]).mount(&root);
        Part::new("failed").start(|_| Err(Failure::msg("no"))).mount(&root);
        root.spawn("task", |cancel| async move { cancel.cancelled().await }).unwrap();
        let draining = slow(&root, "slow", &log, &gate).dispose();
        kernel.settled().await.unwrap();
        gate.open();
        draining.await.unwrap();
    });
}

// K16
#[test]
fn handles_tell_state_error_and_path() {
    run(async {
        let kernel = Kernel::new();
        let scope = kernel.root().scope("s").unwrap();
        let failed = Part::new("p").start(|_| Err(Failure::msg("no disk"))).mount(scope.ctx());
        assert_eq!(failed.state(), FiberState::Failed);
        assert_eq!(failed.state().to_string(), "failed");
        assert_eq!(failed.path().to_string(), "s/p");
        assert_eq!(failed.error().unwrap().failure().unwrap().to_string(), "no disk");
        assert_eq!(failed.path().state(), FiberState::Failed);
        let tree = kernel.inspect().to_string();
        assert!(tree.contains("p [failed]") && tree.contains("no disk"), "{tree}");
        assert!(Part::new("q").mount(scope.ctx()).error().is_none());
        let names = [
            (FiberState::Pending, "pending"),
            (FiberState::Loading, "loading"),
            (FiberState::Active, "active"),
            (FiberState::Failed, "failed"),
            (FiberState::Unloading, "unloading"),
            (FiberState::Disposed, "disposed"),
        ];
        for (state, name) in names {
            assert_eq!(state.as_str(), name);
        }
    });
}

struct Greeting(String);

impl Service for Greeting {
    const NAME: &'static str = "greeting";
    const DOC: &'static str = "What to say.";
    const METHODS: &'static [Method] = &[Method::new("say", "()", "Says it.")];
    const EVENTS: &'static [EventInfo] = &[EventInfo::of::<FiberChanged>()];
}

struct Typed;

impl Plugin for Typed {
    const NAME: &'static str = "typed";
    type Inject = (Greeting,);

    fn provides(&self) -> Vec<Name> {
        vec![Name::fixed("typed")]
    }

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let greeting = ctx.get::<Greeting>().resolve()?;
        ctx.provide_dyn("typed", Arc::new(format!("typed {}", greeting.0)))?;
        Ok(())
    }
}

/// Known only from a configuration.
struct Configured {
    name: String,
    inject: Vec<String>,
    log: Log,
}

impl DynPlugin for Configured {
    fn name(&self) -> Name {
        Name::from(self.name.clone())
    }

    fn inject(&self) -> Vec<Name> {
        self.inject.iter().cloned().map(Name::from).collect()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            for name in &self.inject {
                let value: Arc<dyn Any + Send + Sync> = ctx.get_dyn(name)?;
                let text = value.downcast_ref::<String>().map_or("?", String::as_str);
                self.log.push(format!("{} has {text}", self.name));
            }
            Ok(())
        })
    }
}

// K16
#[test]
fn what_is_known_at_run_time_and_what_is_typed_stand_on_one_layer() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let configured = Configured { name: "configured".into(), inject: vec!["typed".into()], log: log.clone() };
        let configured = root.plugin_dyn(Arc::new(configured)).unwrap();
        let typed = root.plugin(Typed).unwrap();
        assert_eq!(typed.ready().await.unwrap_err().kind(), ErrorKind::MissingProvider);
        assert_eq!(configured.ready().await.unwrap_err().label().unwrap().as_str(), "greeting");
        root.provide_dyn("greeting", Arc::new(Greeting("hello".into()))).unwrap();
        configured.ready().await.unwrap();
        typed.ready().await.unwrap();
        log.assert(["configured has typed hello"]);
        assert_eq!(configured.path().to_string(), "configured");
    });
}

// K16: what a typed service says of itself
#[test]
fn services_that_are_provided_are_listed_with_what_they_say_of_themselves() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.provide_dyn("nameless", Arc::new(())).unwrap();
        let provide = root.provide(Greeting("hi".into())).unwrap();
        let services = kernel.services();
        assert_eq!(services.len(), 1);
        let info = services[0];
        assert_eq!((info.name, info.crate_name, info.doc), ("greeting", "it", "What to say."));
        assert_eq!((info.methods, info.events), (Greeting::METHODS, Greeting::EVENTS));
        assert_eq!((info.events[0].name, info.events[0].mode), ("kernel/fiber", "emit"));
        provide.dispose().await.unwrap();
        assert!(kernel.services().is_empty());
        assert_eq!(dsh_kernel::KERNEL_EVENTS, Greeting::EVENTS);
        assert!(dsh_kernel::CONTEXT_METHODS.iter().any(|method| method.name == "effect"));
    });
}

// K16: names made at run time are names like others
#[test]
fn names_are_compared_by_their_text() {
    let fixed = Name::fixed("db");
    let made = Name::from(String::from("db"));
    assert_eq!(fixed, made);
    assert_eq!(fixed, *"db");
    assert!(Name::fixed("a") < made);
    assert_eq!((format!("{made:>4}"), format!("{made:?}")), ("  db".to_owned(), "\"db\"".to_owned()));
}
