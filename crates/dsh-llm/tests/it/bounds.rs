//! What holds of the public types by their form.

use dsh_llm::{
    ContentBlock, Error, ErrorKind, ListedTool, Message, StopReason, ToolCall, ToolList, ToolResult, ToolSchema, Usage,
};

#[test]
fn public_types_can_be_sent_and_shared() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    shared::<ContentBlock>();
    shared::<Error>();
    shared::<ErrorKind>();
    shared::<ListedTool>();
    shared::<Message>();
    shared::<StopReason>();
    shared::<ToolCall>();
    shared::<ToolList>();
    shared::<ToolResult>();
    shared::<ToolSchema>();
    shared::<Usage>();
}

#[test]
fn an_error_and_a_schema_are_one_pointer_wide() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<ToolSchema>(), size_of::<usize>());
}
