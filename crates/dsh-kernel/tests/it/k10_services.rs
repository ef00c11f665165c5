//! K10: services: who may use them, who waits for them, and what becomes of their users.

use std::sync::Arc;

use dsh_kernel::{Context, Disposer, Error, ErrorKind, Failure, FiberState, Handle, Kernel, Method, Plugin, Service};
use dsh_testkit::{Gate, Log, Probes};

use crate::support::{Part, Slot, is_open, quiet, run, slow, slow_link, traced, traced_provider, undo, watch};

#[derive(Debug)]
struct Db(u32);

impl Service for Db {
    const NAME: &'static str = "db";
    const DOC: &'static str = "Rows.";
    const METHODS: &'static [Method] = &[];
}

struct Cache;

impl Service for Cache {
    const NAME: &'static str = "cache";
    const DOC: &'static str = "Rows, sooner.";
    const METHODS: &'static [Method] = &[];
}

/// Another type of the same name.
#[derive(Debug)]
struct OtherDb;

impl Service for OtherDb {
    const NAME: &'static str = "db";
    const DOC: &'static str = "An impostor.";
    const METHODS: &'static [Method] = &[];
}

fn resolved(ctx: &Context) -> Result<u32, ErrorKind> {
    ctx.get::<Db>().resolve().map(|db| db.0).map_err(|error| error.kind())
}

struct User(Log);

impl Plugin for User {
    const NAME: &'static str = "user";
    type Inject = (Db, Cache);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let db = ctx.get::<Db>().resolve()?;
        ctx.get::<Cache>().resolve()?;
        self.0.push(format!("user of {}", db.0));
        Ok(())
    }
}

// K10
#[test]
fn a_typed_plugin_starts_when_all_it_injects_is_there() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let fiber = root.plugin(User(log.clone())).unwrap();
        root.provide(Db(1)).unwrap();
        assert_eq!(fiber.state(), FiberState::Pending);
        assert_eq!(kernel.inspect().fibers[1].missing, [dsh_kernel::Name::fixed("cache")]);
        let cache = root.provide(Cache).unwrap();
        assert_eq!(fiber.state(), FiberState::Active);
        log.assert(["user of 1"]);
        cache.dispose().await.unwrap();
        assert_eq!(fiber.state(), FiberState::Pending);
        root.provide(Cache).unwrap();
        log.assert(["user of 1"]);
    });
}

// K10
#[test]
fn making_a_handle_never_fails_and_its_use_says_what_is_undeclared() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.provide(Db(1)).unwrap();
        let fiber = Part::new("p").mount(&root);
        let handle: Handle<Db> = fiber.ctx().get();
        let error = handle.resolve().unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::UndeclaredService, "kernel::undeclared_service"));
        assert_eq!(error.owner(), Some(&fiber.path()));
        assert_eq!(error.label().unwrap().as_str(), "db");
        assert!(error.to_string().contains("`db`") && error.to_string().contains("Inject"), "{error}");
        assert_eq!(handle.ctx().owner(), fiber.path());
    });
}

// K10
#[test]
fn a_child_and_a_scope_may_use_what_an_ancestor_declares() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.provide(Db(7)).unwrap();
        let user = Part::new("user").inject(["db"]).mount(&root);
        let child = Part::new("child").mount(&user.ctx());
        let scope = child.ctx().scope("scope").unwrap();
        let below = Part::new("below").mount(scope.ctx());
        for ctx in [user.ctx(), child.ctx(), scope.ctx().clone(), below.ctx()] {
            assert_eq!(resolved(&ctx), Ok(7), "{}", ctx.owner());
        }
        let stranger = Part::new("stranger").mount(&root);
        let strange = stranger.ctx().scope("scope").unwrap();
        assert_eq!(resolved(&stranger.ctx()), Err(ErrorKind::UndeclaredService));
        assert_eq!(resolved(strange.ctx()), Err(ErrorKind::UndeclaredService));
    });
}

// K10
#[test]
fn the_root_and_its_scopes_may_use_whatever_is_provided() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let scope = root.scope("s").unwrap();
        assert_eq!(resolved(&root), Err(ErrorKind::MissingService));
        assert_eq!(resolved(scope.ctx()), Err(ErrorKind::MissingService));
        let srv = Part::new("srv").start(|ctx| {
            ctx.provide(Db(3))?;
            Ok(())
        });
        let srv = srv.mount(&root);
        assert_eq!(resolved(&root), Ok(3));
        assert_eq!(resolved(scope.ctx()), Ok(3));
        srv.dispose().await.unwrap();
        assert_eq!(resolved(&root), Err(ErrorKind::MissingService));
        assert_eq!(resolved(scope.ctx()), Err(ErrorKind::MissingService));
    });
}

// K10
#[test]
fn a_provider_and_its_children_may_use_what_it_provides() {
    run(async {
        let kernel = Kernel::new();
        let seen = Slot::new();
        let part = Part::new("srv").start({
            let seen = seen.clone();
            move |ctx| {
                ctx.provide(Db(4))?;
                seen.put(resolved(ctx));
                Ok(())
            }
        });
        let srv = part.mount(&kernel.root());
        assert_eq!(seen.take().unwrap(), Ok(4), "while it loads");
        let child = Part::new("child").mount(&srv.ctx());
        assert_eq!(resolved(&child.ctx()), Ok(4));
    });
}

// K10
#[test]
fn a_second_provider_is_refused_and_told_who_is_the_first() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let scope = root.scope("first").unwrap();
        scope.ctx().provide(Db(1)).unwrap();
        let before = kernel.inspect();
        let error = root.provide(Db(2)).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::DuplicateService, "kernel::duplicate_service"));
        assert_eq!(error.owner(), Some(&scope.ctx().owner()));
        assert_eq!(error.label().unwrap().as_str(), "db");
        assert!(error.to_string().contains("`first`"), "{error}");
        assert_eq!(kernel.inspect(), before, "a refused provide leaves no effect");
        assert_eq!(resolved(&root), Ok(1), "the first stays");
        assert_eq!(root.provide(OtherDb).unwrap_err().kind(), ErrorKind::DuplicateService);
        assert_eq!(scope.ctx().provide(Db(3)).unwrap_err().kind(), ErrorKind::DuplicateService);
    });
}

// K10
#[test]
fn a_service_of_another_type_under_the_name_is_told_apart() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.provide(OtherDb).unwrap();
        let error = root.get::<Db>().resolve().unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::ServiceType, "kernel::service_type"));
    });
}

// K10: scenario service-needs-active-provider
#[test]
fn a_service_is_there_when_its_provider_is_active() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        watch(&kernel, &log);
        let user = Part::new("user").inject(["db"]).mount(&root);
        let wait = gate.clone();
        let part = Part::new("srv").start_async(move |ctx| {
            let wait = wait.clone();
            async move {
                ctx.provide(Db(1))?;
                wait.wait().await;
                Ok(())
            }
        });
        part.mount(&root);
        quiet().await;
        assert_eq!(user.state(), FiberState::Pending);
        assert_eq!(resolved(&root), Err(ErrorKind::MissingService));
        assert_eq!(root.provide(Db(2)).unwrap_err().kind(), ErrorKind::DuplicateService, "but its name is taken");
        gate.open();
        user.ready().await.unwrap();
        log.assert(["srv pending>loading", "srv loading>active", "user pending>loading", "user loading>active"]);
        assert_eq!(resolved(&root), Ok(1));
    });
}

// K10
#[test]
fn a_provider_that_fails_to_start_has_provided_nothing() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let user = traced("user", &log).inject(["db"]).mount(&root);
        let part = Part::new("srv").start(|ctx| {
            ctx.provide(Db(1))?;
            Err(Failure::msg("no"))
        });
        part.mount(&root);
        assert_eq!(user.state(), FiberState::Pending);
        log.assert([]);
        root.provide(Db(2)).unwrap();
        log.assert(["start:user"]);
    });
}

// K10
#[test]
fn a_plugin_may_provide_later_than_in_its_start() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        traced("user", &log).inject(["db"]).mount(&root);
        let srv = Part::new("srv").mount(&root);
        let provide = srv.ctx().provide(Db(1)).unwrap();
        log.assert(["start:user"]);
        provide.dispose().await.unwrap();
        log.assert(["stop:user"]);
    });
}

// K10
#[test]
fn withdrawing_frees_the_name_at_once_and_ends_when_the_users_have_unloaded() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let provide = root.provide(Db(1)).unwrap();
        let user = Part::new("user").inject(["db"]).start({
            let (log, gate) = (log.clone(), gate.clone());
            move |ctx| {
                let (ctx_again, line, gate) = (ctx.clone(), log.clone(), gate.clone());
                ctx.effect("e", |fx| {
                    fx.defer_async(move || async move {
                        line.push(format!("at first {:?}", resolved(&ctx_again)));
                        gate.wait().await;
                        line.push(format!("at last {:?}", resolved(&ctx_again)));
                    });
                    Ok(())
                })?;
                Ok(())
            }
        });
        let user = user.mount(&root);
        let teardown = provide.dispose();
        assert!(is_open(&teardown));
        assert_eq!(resolved(&root), Err(ErrorKind::MissingService), "withdrawn from new users");
        let second = root.provide(Db(2)).unwrap();
        let newcomer = Part::new("newcomer").inject(["db"]).mount(&root);
        assert_eq!(resolved(&newcomer.ctx()), Ok(2));
        quiet().await;
        assert_eq!(user.state(), FiberState::Unloading);
        gate.open();
        teardown.await.unwrap();
        log.assert(["at first Ok(1)", "at last Ok(1)"]);
        kernel.settled().await.unwrap();
        assert_eq!((user.state(), resolved(&user.ctx())), (FiberState::Active, Ok(2)), "it starts on the new one");
        second.dispose().await.unwrap();
        log.assert(["at first Ok(2)", "at last Ok(2)"]);
    });
}

// K10
#[test]
fn a_child_of_a_user_can_use_the_service_until_it_has_unloaded() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let provide = root.provide(Db(1)).unwrap();
        let user = Part::new("user").inject(["db"]).mount(&root);
        let child = Part::new("child").mount(&user.ctx());
        let (ctx, line) = (child.ctx(), log.clone());
        child
            .ctx()
            .effect("e", |fx| {
                fx.defer_async(move || async move {
                    tokio::task::yield_now().await;
                    line.push(format!("{:?}", resolved(&ctx)));
                });
                Ok(())
            })
            .unwrap();
        provide.dispose().await.unwrap();
        log.assert(["Ok(1)"]);
    });
}

// K10
#[test]
fn a_composite_of_connection_and_provide_closes_the_connection_last() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let composite: Slot<Disposer> = Slot::new();
        let part = Part::new("srv").start({
            let (log, composite) = (log.clone(), composite.clone());
            move |ctx| {
                composite.put(ctx.effect("db", |fx| {
                    fx.adopt(undo(ctx, "connection closed", &log))?;
                    fx.adopt(ctx.provide(Db(1))?)?;
                    Ok(())
                })?);
                Ok(())
            }
        });
        let srv = part.mount(&root);
        let user = Part::new("user").inject(["db"]).start({
            let (log, gate) = (log.clone(), gate.clone());
            move |ctx| {
                slow(ctx, "last query", &log, &gate);
                Ok(())
            }
        });
        user.mount(&root);
        let teardown = srv.dispose();
        quiet().await;
        log.assert(["last query:begin"]);
        gate.open();
        teardown.await.unwrap();
        log.assert(["last query:end", "connection closed"]);
    });
}

// K10: a user that unloads at once, without a task
#[test]
fn a_provide_whose_users_unload_at_once_ends_at_once() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let provide = root.provide(Db(1)).unwrap();
        traced("u1", &log).inject(["db"]).mount(&root);
        traced("u2", &log).inject(["db"]).mount(&root);
        log.assert(["start:u1", "start:u2"]);
        let teardown = provide.dispose();
        log.assert(["stop:u1", "stop:u2"]);
        assert!(!is_open(&teardown));
    });
}

// K10
#[test]
fn a_replaced_service_restarts_its_users_on_the_new_one() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        let part = Part::new("user").inject(["db"]).start({
            let log = log.clone();
            move |ctx| {
                log.push(format!("{:?}", resolved(ctx)));
                Ok(())
            }
        });
        let user = part.mount(&root);
        let mut current = root.provide(Db(1)).unwrap();
        for number in 2..4 {
            drop(current.dispose());
            current = root.provide(Db(number)).unwrap();
        }
        log.assert(["Ok(1)", "Ok(2)", "Ok(3)"]);
        assert_eq!(user.state(), FiberState::Active);
    });
}

// K10: scenario service-chain
#[test]
fn a_chain_of_services_starts_in_order_and_unloads_with_its_first() {
    run(async {
        let (kernel, log, gate) = (Kernel::new(), Log::new(), Gate::new());
        let root = kernel.root();
        let c = traced("c", &log).inject(["b"]).mount(&root);
        let part = Part::new("b").inject(["a"]).start({
            let (log, gate) = (log.clone(), gate.clone());
            move |ctx| {
                crate::support::trace(ctx, "b", &log);
                ctx.provide_dyn("b", Arc::new(()))?;
                ctx.effect("pb", |fx| {
                    fx.defer_async(slow_link("pb", &log, &gate));
                    Ok(())
                })?;
                Ok(())
            }
        });
        let b = part.mount(&root);
        log.assert([]);
        let a = traced_provider("a", "a", &log).mount(&root);
        log.assert(["start:a", "start:b", "start:c"]);
        let teardown = a.dispose();
        log.assert(["stop:a", "pb:begin", "stop:b", "stop:c"]);
        gate.open();
        teardown.await.unwrap();
        log.assert(["pb:end"]);
        assert_eq!((b.state(), c.state()), (FiberState::Pending, FiberState::Pending));
    });
}

// K10: users of several services of one provider, as the npm package has it
#[test]
fn users_of_several_services_follow_the_order_of_provision() {
    run(async {
        let (kernel, log) = (Kernel::new(), Log::new());
        let root = kernel.root();
        traced("y", &log).inject(["b"]).mount(&root);
        traced("x", &log).inject(["a"]).mount(&root);
        traced("both", &log).inject(["a", "b"]).mount(&root);
        let part = Part::new("srv").start({
            let log = log.clone();
            move |ctx| {
                crate::support::trace(ctx, "srv", &log);
                ctx.provide_dyn("a", Arc::new(()))?;
                ctx.provide_dyn("b", Arc::new(()))?;
                Ok(())
            }
        });
        let srv = part.mount(&root);
        log.assert(["start:srv", "start:x", "start:both", "start:y"]);
        srv.dispose().await.unwrap();
        log.assert(["stop:srv", "stop:x", "stop:both", "stop:y"]);
    });
}

// K10, K16
#[test]
fn services_are_had_and_provided_by_name_at_run_time() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.provide_dyn(String::from("db"), Arc::new(Db(5))).unwrap();
        assert_eq!(resolved(&root), Ok(5), "typed and erased are one layer");
        let value = root.get_dyn("db").unwrap();
        assert_eq!(value.downcast_ref::<Db>().unwrap().0, 5);
        assert_eq!(root.get_dyn("other").unwrap_err().kind(), ErrorKind::MissingService);
        let shared = Arc::new(Cache);
        root.provide_shared(Arc::clone(&shared)).unwrap();
        assert!(Arc::ptr_eq(&root.get::<Cache>().resolve().unwrap(), &shared));
    });
}

// K10
#[test]
fn a_handle_that_outlives_its_owner_says_so_and_holds_no_service() {
    run(async {
        let (kernel, probes) = (Kernel::new(), Probes::new());
        let root = kernel.root();
        let provide = root.provide_dyn("db", Arc::new(probes.probe())).unwrap();
        let user = Part::new("user").inject(["db"]).mount(&root);
        let handle = user.ctx().get::<Db>();
        assert_eq!(handle.resolve().unwrap_err().kind(), ErrorKind::ServiceType);
        user.dispose().await.unwrap();
        assert_eq!(handle.resolve().unwrap_err().kind(), ErrorKind::Inactive);
        provide.dispose().await.unwrap();
        assert_eq!(probes.balance(), 0);
        assert_eq!(handle.clone().resolve().unwrap_err().kind(), ErrorKind::Inactive);
    });
}

// K10
#[test]
fn providers_in_mutual_need_are_named_and_one_may_do_without() {
    run(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        let a = Part::new("a").inject(["b"]).provides(["a"]).mount(&root);
        let b = Part::new("b").inject(["a"]).provides(["b"]).mount(&root);
        let error: Error = a.ready().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InjectionCycle);
        let tree = kernel.inspect().to_string();
        assert!(tree.contains("`a` -> `b` -> `a`"), "{tree}");
        b.dispose().await.unwrap();
        Part::new("b")
            .provides(["b"])
            .start(|ctx| {
                ctx.provide_dyn("b", Arc::new(()))?;
                Ok(())
            })
            .mount(&root);
        a.ready().await.unwrap();
        assert!(!kernel.inspect().to_string().contains("->"));
    });
}

// K10: the tree says who waits for what
#[test]
fn the_tree_names_what_a_plugin_waits_for() {
    run(async {
        let (kernel, gate) = (Kernel::new(), Gate::new());
        let root = kernel.root();
        Part::new("user").inject(["db", "cache"]).mount(&root);
        let wait = gate.clone();
        let part = Part::new("srv").provides(["db", "cache"]).start_async(move |_| {
            let wait = wait.clone();
            async move {
                wait.wait().await;
                Ok(())
            }
        });
        part.mount(&root);
        let tree = kernel.inspect().to_string();
        assert!(tree.contains("user [pending] waits for `db`, `cache`"), "{tree}");
        gate.open();
        kernel.settled().await.unwrap();
    });
}
