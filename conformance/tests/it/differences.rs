//! Our side of each known difference of `FORMAT.md` (D1 to D13).

#![expect(clippy::unwrap_used, reason = "helpers of tests stand outside of test functions")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dsh_conformance::{Entry, Scenario, trace};
use dsh_harness::kernel::{
    Audience, BoxFuture, Context, Disposer, DynPlugin, Emit, Event, Failure, Fiber, Kernel, Name,
};
use dsh_harness::llm::ToolSchema;
use dsh_harness::prompt::{
    AssembleContext, AssembleEvent, Identity, PromptConfig, PromptSection, SystemPrompt, SystemPromptExt, ToolProvider,
    render_prompt,
};
use serde_json::{Value, json};

use crate::support::steps;

fn ours(scenario: &Scenario) -> Vec<Value> {
    trace(scenario).iter().map(Entry::to_json).collect()
}

#[track_caller]
fn gives(scenario: &Scenario, step: usize, entry: &Value) {
    let trace = ours(scenario);
    assert_eq!(trace.get(step), Some(entry), "{trace:#?}");
}

fn in_runtime<T>(body: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(body)
}

async fn with_registry(config: PromptConfig) -> (Kernel, Context) {
    let kernel = Kernel::new();
    let root = kernel.root();
    root.plugin(SystemPrompt::new(config)).unwrap().ready().await.unwrap();
    (kernel, root)
}

const SCOPED: &str = r#"{"op": "plugin", "id": "p", "in": "root"}, {"op": "scope", "id": "s", "in": "p"}"#;

/// S4.
#[test]
fn d1_a_shadowed_variable_provider_is_not_run() {
    let scenario = steps(&format!(
        r#"{SCOPED}, {{"op": "variable", "id": "g", "in": "p", "name": "v", "value": {{"throws": "never"}}}},
        {{"op": "variable", "id": "l", "in": "s", "name": "v", "value": "local"}},
        {{"op": "section", "id": "x", "in": "s", "name": "x", "order": 1, "text": "{{{{v}}}}"}},
        {{"op": "render", "scope": "s"}}, {{"op": "render"}}"#
    ));
    gives(&scenario, 5, &json!({"ok": "<identity>\n\nlocal"}));
    gives(&scenario, 6, &json!({"err": "user", "message": "never"}));
}

/// K11.
#[test]
fn d2_all_listeners_hear_though_the_first_fails() {
    let scenario = steps(
        r#"{"op": "on_change", "id": "c", "in": "root", "name": "c", "throws_on": 1},
        {"op": "on_change", "id": "d", "in": "root", "name": "d"},
        {"op": "section", "id": "x", "in": "root", "name": "x", "order": 1, "text": "x"}, {"op": "log"}"#,
    );
    gives(&scenario, 2, &json!({"err": "user", "message": "change listener c"}));
    // Once for the registration, once for its rollback.
    gives(&scenario, 3, &json!({"ok": ["change:c", "change:d", "change:c", "change:d"]}));
}

/// K7.
#[test]
fn d3_all_links_of_a_composite_run_though_a_listener_fails_meanwhile() {
    let composite = r#"{"op": "on_change", "id": "c", "in": "root", "name": "c", "throws_on": 2},
        {"op": "plugin", "id": "p", "in": "root"},
        {"op": "composite", "id": "k", "in": "p", "parts": [{"probe": {"name": "first", "ms": 0}},
            {"section": {"name": "x", "order": 1, "text": "x"}}, {"probe": {"name": "last", "ms": 0}}]}"#;
    for end in [r#"{"op": "dispose", "id": "k"}"#, r#"{"op": "unload", "id": "p"}"#] {
        let scenario = steps(&format!(r#"{composite}, {end}, {{"op": "log"}}, {{"op": "render"}}"#));
        gives(&scenario, 3, &json!({"err": "user", "message": "change listener c"}));
        gives(&scenario, 4, &json!({"ok": ["change:c", "last", "change:c", "first"]}));
        gives(&scenario, 5, &json!({"ok": "<identity>"}));
    }
}

/// K7.
#[test]
fn d3_all_links_of_a_rollback_run_though_a_listener_fails_meanwhile() {
    let scenario = steps(
        r#"{"op": "on_change", "id": "c", "in": "root", "name": "c", "throws_on": 2},
        {"op": "composite", "id": "k", "in": "root", "parts": [{"probe": {"name": "first", "ms": 0}},
            {"section": {"name": "x", "order": 1, "text": "x"}}, {"fail": "third part"}]},
        {"op": "log"}"#,
    );
    gives(&scenario, 1, &json!({"err": "user", "message": "third part"}));
    gives(&scenario, 2, &json!({"ok": ["change:c", "change:c", "first"]}));
}

fn tool(name: &str) -> ToolSchema {
    ToolSchema::new(name, "", "{}").unwrap()
}

/// S7.
#[test]
fn d4_two_visible_tools_of_one_name_are_refused() {
    in_runtime(async {
        let (_kernel, root) = with_registry(PromptConfig::new()).await;
        let first = root.system_prompt().tools(ToolProvider::new([tool("read")])).unwrap();
        let _second = root.system_prompt().tools(ToolProvider::new([tool("read")])).unwrap();
        let refused = root.system_prompt().assemble(AssembleContext::new()).await.unwrap_err();
        assert_eq!(refused.code(), "prompt::duplicate_tool");
        first.dispose().await.unwrap();
        assert!(root.system_prompt().assemble(AssembleContext::new()).await.is_ok());
        let _listener = root.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| async move {
            assembly.tools_mut().push(tool("read").into());
            next.run(assembly).await
        });
        let refused = root.system_prompt().assemble(AssembleContext::new()).await.unwrap_err();
        assert_eq!(refused.code(), "prompt::duplicate_tool");
    });
}

/// X1.
#[test]
fn d5_a_quoted_group_is_the_quoted_string() {
    let text = r#"{{\"{{v}} \\\"\\u00e9\\\"\"}}"#;
    let scenario = steps(&format!(
        r#"{{"op": "section", "id": "x", "in": "root", "name": "x", "order": 1, "text": "{text}"}}, {{"op": "render"}}"#
    ));
    gives(&scenario, 1, &json!({"ok": "<identity>\n\n{{v}} \"\u{e9}\""}));
}

/// X5.
#[test]
fn d6_numbers_keep_their_digits() {
    in_runtime(async {
        let (_kernel, root) = with_registry(PromptConfig::new()).await;
        let parameters = r#"{"maximum": 9007199254740993, "minimum": 1.0, "multipleOf": 1e2}"#;
        let schema = ToolSchema::new("count", "", parameters).unwrap();
        let _tools = root.system_prompt().tools(ToolProvider::new([schema])).unwrap();
        let assembly = root.system_prompt().assemble(AssembleContext::new()).await.unwrap();
        let json = assembly.tools_json();
        for digits in ["9007199254740993", "1.0", "1e2"] {
            assert!(json.contains(digits), "{json}");
        }
    });
}

/// K11. That `next` can be called once needs no test: it is consumed.
#[test]
fn d7_next_takes_what_a_listener_replaced() {
    let scenario = steps(
        r#"{"op": "on_assemble", "id": "a", "in": "root", "do": [{"replace":
            {"sections": [{"name": "only", "order": 0, "text": "only {{v}}"}], "tools": [], "variables": {"v": "V"}}}, {"next": true}]},
        {"op": "on_assemble", "id": "b", "in": "root", "do": [{"push_section": {"name": "more", "order": 0, "text": "more"}}]},
        {"op": "render"}"#,
    );
    gives(&scenario, 2, &json!({"ok": "only V\n\nmore"}));
}

/// K8.
#[test]
fn d8_a_pending_or_failed_plugin_takes_no_effects() {
    let pending = r#"{"op": "plugin", "id": "p", "in": "root", "inject": ["db"]}"#;
    let failed = r#"{"op": "plugin", "id": "p", "in": "root", "parts": [{"fail": "no key"}]}"#;
    let registrations = [
        r#"{"op": "section", "id": "x", "in": "p", "name": "x", "order": 1, "text": "x"}"#,
        r#"{"op": "probe", "id": "x", "in": "p", "name": "x", "ms": 0}"#,
        r#"{"op": "composite", "id": "x", "in": "p", "parts": []}"#,
        r#"{"op": "plugin", "id": "x", "in": "p"}"#,
        r#"{"op": "scope", "id": "x", "in": "p"}"#,
        r#"{"op": "provide", "id": "x", "in": "p", "name": "net"}"#,
        r#"{"op": "on_change", "id": "x", "in": "p", "name": "x"}"#,
        r#"{"op": "on_assemble", "id": "x", "in": "p", "do": []}"#,
    ];
    for plugin in [pending, failed] {
        for registration in registrations {
            gives(&steps(&format!("{plugin}, {registration}")), 1, &json!({"err": "inactive"}));
        }
    }
}

/// A plugin that waits for `db` and whose start takes time.
struct SlowStart {
    name: &'static str,
    log: Arc<Mutex<Vec<String>>>,
}

impl DynPlugin for SlowStart {
    fn name(&self) -> Name {
        Name::from(self.name)
    }

    fn inject(&self) -> Vec<Name> {
        vec![Name::from("db")]
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            self.log.lock().unwrap().push(format!("{} begins", self.name));
            ctx.clock().sleep(Duration::from_millis(5)).await;
            self.log.lock().unwrap().push(format!("{} ends", self.name));
            Ok(())
        })
    }
}

/// K10.
#[test]
fn d9_plugins_woken_together_start_one_after_the_other() {
    in_runtime(async {
        let (kernel, log) = (Kernel::new(), Arc::new(Mutex::new(Vec::new())));
        for name in ["first", "second"] {
            let plugin = SlowStart { name, log: Arc::clone(&log) };
            kernel.root().plugin_dyn(Arc::new(plugin)).unwrap();
        }
        kernel.root().provide_dyn("db", Arc::new(())).unwrap();
        kernel.settled().await.unwrap();
        assert_eq!(*log.lock().unwrap(), ["first begins", "first ends", "second begins", "second ends"]);
    });
}

/// K10. Starts that take no time leave no difference, as the format says, though one of them fails.
#[test]
fn d9_starts_that_take_no_time_agree_with_the_npm_package() {
    let scenario = steps(
        r#"{"op": "plugin", "id": "p", "in": "root", "trace": true, "inject": ["db"], "parts": [
            {"section": {"name": "x", "order": 1, "text": "of p"}}, {"probe": {"name": "slow", "ms": 5}}, {"fail": "no key"}]},
        {"op": "plugin", "id": "q", "in": "root", "trace": true, "inject": ["db"]},
        {"op": "provide", "id": "d", "in": "root", "name": "db"}, {"op": "log"},
        {"op": "state", "id": "p"}, {"op": "state", "id": "q"}"#,
    );
    gives(&scenario, 3, &json!({"ok": ["start:p", "start:q", "slow:begin", "stop:p", "slow:end"]}));
    gives(&scenario, 4, &json!({"ok": "failed"}));
    gives(&scenario, 5, &json!({"ok": "active"}));
}

struct Knock;

impl Event for Knock {
    const NAME: &'static str = "door/knock";
    const DOC: &'static str = "Somebody knocks.";
    type Mode = Emit;
}

/// K11.
#[test]
fn d10_a_listener_removed_in_mid_dispatch_is_skipped() {
    let (kernel, heard) = (Kernel::new(), Arc::new(Mutex::new(Vec::new())));
    let root = kernel.root();
    let second: Arc<Mutex<Option<Disposer>>> = Arc::default();
    let _first = {
        let (heard, second) = (Arc::clone(&heard), Arc::clone(&second));
        root.on::<Knock, _>(move |_| {
            heard.lock().unwrap().push("first");
            let second = second.lock().unwrap().take();
            second.map_or(Ok(()), |second| second.dispose().result().unwrap_or(Ok(())))
        })
    };
    let made = {
        let heard = Arc::clone(&heard);
        root.on::<Knock, _>(move |_| heard.lock().unwrap().push("second"))
    };
    *second.lock().unwrap() = Some(made.unwrap());
    root.emit(&Knock, Audience::Everyone).unwrap();
    assert_eq!(*heard.lock().unwrap(), ["first"]);
}

/// A plugin whose teardown awaits its own end.
struct Ouroboros {
    own: Arc<Mutex<Option<Fiber>>>,
    code: Arc<Mutex<Option<&'static str>>>,
}

impl DynPlugin for Ouroboros {
    fn name(&self) -> Name {
        Name::from("ouroboros")
    }

    fn inject(&self) -> Vec<Name> {
        Vec::new()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            ctx.effect("tail", move |fx| {
                fx.defer_async(move || async move {
                    let own = self.own.lock().unwrap().clone();
                    if let Some(own) = own {
                        *self.code.lock().unwrap() = own.dispose().await.err().map(|error| error.code());
                    }
                });
                Ok(())
            })?;
            Ok(())
        })
    }
}

/// K8.
#[test]
fn d11_a_teardown_awaited_from_inside_itself_says_so() {
    in_runtime(async {
        let kernel = Kernel::new();
        let (own, code): (Arc<Mutex<Option<Fiber>>>, _) = (Arc::default(), Arc::default());
        let plugin = Ouroboros { own: Arc::clone(&own), code: Arc::clone(&code) };
        let fiber = kernel.root().plugin_dyn(Arc::new(plugin)).unwrap();
        *own.lock().unwrap() = Some(fiber.clone());
        fiber.dispose().await.unwrap();
        assert_eq!(*code.lock().unwrap(), Some("kernel::reentrant"));
    });
}

/// S3.
#[test]
fn d12_the_identity_can_be_left_out_and_its_name_stays_reserved() {
    in_runtime(async {
        let (_kernel, root) = with_registry(PromptConfig::new().identity(Identity::Omitted)).await;
        let assembly = root.system_prompt().assemble(AssembleContext::new()).await.unwrap();
        assert_eq!(&*render_prompt(&assembly).unwrap(), "");
        let taken = root.system_prompt().section(PromptSection::new("harness:identity", 1, "mine")).unwrap_err();
        assert_eq!(taken.code(), "prompt::duplicate_section");
    });
}

/// S4, S6.
#[test]
fn d13_a_name_that_nobody_could_register_is_refused_when_a_listener_leaves_it() {
    let leaves = |action: &str, code: &str| {
        let listens = format!(r#"{{"op": "on_assemble", "id": "l", "in": "root", "do": [{action}]}}"#);
        let scenario = steps(&format!(r#"{listens}, {{"op": "assemble"}}, {{"op": "render"}}"#));
        gives(&scenario, 1, &json!({"err": code}));
        gives(&scenario, 2, &json!({"err": code}));
    };
    leaves(r#"{"set_variable": {"name": "Team", "value": "x"}}"#, "invalid_variable_name");
    leaves(r#"{"replace": {"sections": [], "tools": [], "variables": {"a b": null}}}"#, "invalid_variable_name");
    leaves(r#"{"push_tool": {"name": "<unlisted-tools>", "description": "", "parameters": {}}}"#, "reserved_tool_name");
}
