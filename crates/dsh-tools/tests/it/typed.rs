//! Tools that are types (T4).

use dsh_tools::{Tool, ToolContext, ToolFailure, ToolsExt, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::support::{anybody, shown, text, world};

/// Where to look.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Find {
    /// A pattern of names.
    pattern: String,
    /// At most so many.
    #[schemars(range(min = 1, max = 9))]
    limit: Option<u8>,
}

/// T4: the schema is that of the type, without what says nothing to a model.
#[tokio::test]
async fn the_parameters_of_a_typed_tool_are_its_types_schema() {
    let world = world().await;
    let find =
        Tool::typed(
            "find",
            "Finds files.",
            |find: Find, _| async move { Ok(format!("{} {:?}", find.pattern, find.limit)) },
        );
    assert_eq!(
        find.schema().unwrap().parameters_json(),
        concat!(
            r#"{"additionalProperties":false,"description":"Where to look.","properties":{"pattern":{"description":"A pattern of names.","#,
            r#""type":"string"},"limit":{"description":"At most so many.","format":"uint8","maximum":9,"minimum":1,"#,
            r#""type":["integer","null"]}},"required":["pattern"],"type":"object"}"#
        )
    );
    world.root.tools().register(find).unwrap();
    assert_eq!(
        shown(&world.call("find", r#"{"pattern": "*.rs", "limit": 3}"#, anybody()).await),
        (None, "*.rs Some(3)".into())
    );
    let executed = world.call("find", r#"{"limit": 10, "deep": true}"#, anybody()).await;
    assert_eq!(executed.code, Some("tools::invalid_arguments"));
    for part in [
        "\"pattern\" is a required property",
        "/limit: the value is greater than the maximum of 9",
        "'deep' was unexpected",
    ] {
        assert!(text(&executed).contains(part), "{part}: {}", text(&executed));
    }
}

struct Greet(&'static str);

#[derive(Deserialize, JsonSchema)]
struct Whom {
    name: String,
}

impl TypedTool for Greet {
    const NAME: &'static str = "greet";
    const DESCRIPTION: &'static str = "Greets.";
    const EXCLUSIVE: bool = true;
    const TIMEOUT: Option<std::time::Duration> = Some(std::time::Duration::from_secs(3));
    type Params = Whom;
    type Output = String;

    async fn run(&self, whom: Whom, cx: ToolContext) -> Result<String, ToolFailure> {
        Ok(format!("{}, {} ({})", self.0, whom.name, cx.call_id()))
    }
}

/// T4
#[tokio::test]
async fn a_type_is_a_tool() {
    let world = world().await;
    world.root.tools().register(Greet("Hello")).unwrap();
    assert_eq!(shown(&world.call("greet", r#"{"name": "you"}"#, anybody()).await), (None, "Hello, you (c1)".into()));
    let tool = world.root.tools().get("greet", None).unwrap().unwrap();
    assert!(tool.is_exclusive());
    assert_eq!(tool.timeout(), Some(std::time::Duration::from_secs(3)));
}

/// T4: a tool's parameters are an object, or no provider takes them.
#[tokio::test]
async fn a_type_that_is_no_object_is_refused_when_it_is_registered() {
    let world = world().await;
    let tool = Tool::typed("t", "", |_: Vec<u8>, _| async { Ok("") });
    let error = world.root.tools().register(tool).unwrap_err();
    assert_eq!((error.code(), error.name()), ("tools::invalid_schema", Some("t")));
    assert!(error.to_string().contains("use a struct"), "{error}");
    let nameless = Tool::typed("", "", |_: Whom, _| async { Ok("") });
    assert_eq!(world.root.tools().register(nameless).unwrap_err().code(), "tools::invalid_schema");
}
