//! What comes and goes leaves nothing behind, however often (K15). That each method's effect is exact is told for all registries at
//! once, by the table of register-methods of `dsh-harness`.

use dsh_tools::{ToolRegistry, ToolsExt};

use crate::support::{deny, register, world};

/// K9, K15
#[tokio::test]
async fn scopes_that_register_and_go_leave_no_layer_behind() {
    let world = world().await;
    register(&world.root, &["base"]);
    let other = world.root.scope("other").unwrap();
    let before = world.kernel.inspect().to_string();
    for _ in 0..1_000 {
        let scope = world.root.scope("agent").unwrap();
        register(scope.ctx(), &["own"]);
        deny(scope.ctx(), &["base"]);
        scope.ctx().tools().bound_by(other.ctx()).unwrap();
        assert_eq!(world.root.tools().view(scope.key()).unwrap().visible().count(), 0, "`own` is not of the other one");
        scope.dispose().await.unwrap();
    }
    assert_eq!(world.kernel.inspect().to_string(), before);
    let registry = world.root.get::<ToolRegistry>().resolve().unwrap();
    assert_eq!(format!("{registry:?}"), "ToolRegistry(Layers(Snapshot(0 scopes)))");
}
