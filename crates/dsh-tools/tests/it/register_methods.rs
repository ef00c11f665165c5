//! All register-methods, row by row (I15): exact disposer, nested in a composite in order, single shot, rolled back on a failing
//! change listener, refused on an inactive owner, gone on unload, nothing left.

use dsh_kernel::{Context, Disposer, Failure, FiberState, Scope, Service as _};
use dsh_testkit::{Gate, Log};
use dsh_tools::{Error, ToolChange, ToolFilter, ToolRegistry, ToolsExt};

use crate::support::{Part, World, echo, register, world};

/// One register-method.
struct Row {
    method: &'static str,
    /// What its effect is called.
    label: &'static str,
    register: fn(&Context) -> Result<Disposer, Error>,
}

const ROWS: [Row; 3] = [
    Row { method: "register", label: "tool t", register: |ctx| ctx.tools().register(echo("t")) },
    Row {
        method: "restrict",
        label: "restriction",
        register: |ctx| ctx.tools().restrict(ToolFilter::new().deny(["base"])),
    },
    Row {
        method: "bound_by",
        label: "bound",
        // By a scope that is gone, which has nothing.
        register: |ctx| {
            let gone = ctx.scope("gone")?;
            let other = gone.ctx().clone();
            drop(gone.dispose());
            ctx.tools().bound_by(&other)
        },
    },
];

/// What the test looks at: whether the registration is there for that scope.
fn is_there(world: &World, row: &Row, scope: &Scope) -> bool {
    let view = world.root.tools().view(scope.key()).unwrap();
    match row.method {
        "register" => view.get("t").is_some(),
        _ => !view.get("base").unwrap().is_visible(),
    }
}

/// A world with a tool to restrict, and a scope.
async fn prepared() -> (World, Scope) {
    let world = world().await;
    register(&world.root, &["base"]);
    let scope = world.root.scope("agent").unwrap();
    (world, scope)
}

/// I15: a method that is missing here is found by its name in the catalog.
#[test]
fn every_method_of_the_service_has_a_row() {
    let methods: Vec<&str> = ToolRegistry::METHODS.iter().map(|method| method.name).collect();
    assert_eq!(methods, ROWS.map(|row| row.method));
}

/// K4: the kernel's own disposer, single shot by type; dropping it undoes nothing.
#[tokio::test]
async fn each_returns_the_exact_disposer() {
    for row in &ROWS {
        let (world, scope) = prepared().await;
        let disposer: Disposer = (row.register)(scope.ctx()).unwrap();
        assert_eq!(format!("{disposer:?}"), format!("Disposer({} of agent)", row.label));
        assert!(is_there(&world, row, &scope), "{}", row.method);
        drop(disposer.dispose());
        assert!(!is_there(&world, row, &scope), "{}: synchronous links have run", row.method);
        drop((row.register)(scope.ctx()).unwrap());
        assert!(is_there(&world, row, &scope), "{}: dropped is not disposed", row.method);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Nested {
    Adopted,
    Wrapped,
}

/// K5: the discriminating test: adopted, the registration stays while the slow inner link drains and is gone before the outer one
/// begins. Its twin shows that a closure round the disposer would be told from it.
#[tokio::test]
async fn each_nests_in_a_composite_in_order() {
    for row in &ROWS {
        for nested in [Nested::Adopted, Nested::Wrapped] {
            let (world, scope) = prepared().await;
            let (log, inner, outer) = (Log::new(), Gate::new(), Gate::new());
            let pack = scope.ctx().plugin_dyn(Part::new("pack", {
                let (log, inner, outer, register) = (log.clone(), inner.clone(), outer.clone(), row.register);
                move |ctx| composite(ctx, register, nested, [&inner, &outer], &log)
            }));
            let pack = pack.unwrap();
            pack.ready().await.unwrap();
            let end = pack.dispose();
            inner.reached().await;
            assert_eq!(pack.state(), FiberState::Unloading);
            assert_eq!(
                is_there(&world, row, &scope),
                nested == Nested::Adopted,
                "{}: while the inner link drains",
                row.method
            );
            log.assert([]);
            inner.open();
            outer.reached().await;
            assert!(!is_there(&world, row, &scope), "{}: gone before the outer link begins", row.method);
            log.assert(["outer begins"]);
            outer.open();
            end.await.unwrap();
        }
    }
}

/// One effect of the links [outer, registration, slow inner].
fn composite(
    ctx: &Context,
    register: fn(&Context) -> Result<Disposer, Error>,
    nested: Nested,
    [inner, outer]: [&Gate; 2],
    log: &Log,
) -> Result<(), Failure> {
    let (log, inner, outer) = (log.clone(), inner.clone(), outer.clone());
    ctx.effect("pack", |fx| {
        fx.defer_async(move || async move {
            log.push("outer begins");
            outer.wait().await;
        });
        let registered = register(ctx)?;
        match nested {
            Nested::Adopted => fx.adopt(registered)?,
            Nested::Wrapped => fx.defer(move || drop(registered.dispose())),
        }
        fx.defer_async(move || async move { inner.wait().await });
        Ok(())
    })?;
    Ok(())
}

/// S9
#[tokio::test]
async fn each_is_rolled_back_when_a_change_listener_fails() {
    for row in &ROWS {
        let (world, scope) = prepared().await;
        let before = world.kernel.inspect().to_string();
        let bomb = world.root.on(|_: &ToolChange| Err::<(), _>(Failure::msg("no"))).unwrap();
        let error = (row.register)(scope.ctx()).unwrap_err();
        assert_eq!(error.code(), "kernel::listener_failed", "{}", row.method);
        drop(error.teardown().unwrap().await);
        assert!(!is_there(&world, row, &scope), "{}", row.method);
        bomb.dispose().await.unwrap();
        assert_eq!(world.kernel.inspect().to_string(), before, "{}: nothing is left", row.method);
        (row.register)(scope.ctx()).unwrap();
    }
}

/// K8
#[tokio::test]
async fn each_is_refused_on_an_inactive_owner() {
    for row in &ROWS {
        let (world, scope) = prepared().await;
        let late = scope.ctx().clone();
        scope.dispose().await.unwrap();
        assert_eq!((row.register)(&late).unwrap_err().code(), "kernel::inactive", "{}", row.method);
        let other = world.root.scope("other").unwrap();
        assert!(!is_there(&world, row, &other));
    }
}

/// K9, K15: gone on unload, and nothing is left, however often.
#[tokio::test]
async fn each_is_gone_on_unload_and_leaves_nothing() {
    for row in &ROWS {
        let (world, scope) = prepared().await;
        let before = world.kernel.inspect().to_string();
        for _ in 0..1_000 {
            let inner = scope.ctx().scope("inner").unwrap();
            (row.register)(inner.ctx()).unwrap();
            assert!(is_there(&world, row, &inner), "{}", row.method);
            let key = inner.key();
            inner.dispose().await.unwrap();
            assert_eq!(world.root.tools().view(key).unwrap().visible().count(), 1);
        }
        assert_eq!(world.kernel.inspect().to_string(), before, "{}", row.method);
        assert_eq!(
            format!("{:?}", world.root.get::<ToolRegistry>().resolve().unwrap()),
            "ToolRegistry(Layers(Snapshot(0 scopes)))"
        );
    }
}
