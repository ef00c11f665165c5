//! What the public types promise to threads.

use dsh_system_prompt::{
    AssembleContext, AssembleEvent, AssembledSection, AssembledTool, AssembledVariable, Error, ErrorKind, Identity,
    Part, PartKind, PartLayer, PartPiece, PieceVariable, PromptAssembly, PromptChange, PromptConfig, PromptHandle,
    PromptRegistry, PromptSection, PromptVariable, PromptView, RenderedPrompt, Sections, Source, Stability,
    SystemPrompt, SystemPromptExt, ToolProvider, ToolProviderResult, Value,
};
use dsh_testkit::{assert_send, assert_send_sync, block_on};

/// Every public type may be sent to and shared between threads.
#[test]
fn public_types_are_send_and_sync() {
    assert_send_sync::<AssembleContext>();
    assert_send_sync::<AssembleEvent>();
    assert_send_sync::<AssembledSection>();
    assert_send_sync::<AssembledTool>();
    assert_send_sync::<AssembledVariable<'_>>();
    assert_send_sync::<Error>();
    assert_send_sync::<ErrorKind>();
    assert_send_sync::<Identity>();
    assert_send_sync::<PartLayer>();
    assert_send_sync::<Part<'_>>();
    assert_send_sync::<PartKind>();
    assert_send_sync::<PartPiece>();
    assert_send_sync::<PieceVariable>();
    assert_send_sync::<PromptAssembly>();
    assert_send_sync::<PromptChange>();
    assert_send_sync::<PromptConfig>();
    assert_send_sync::<PromptHandle>();
    assert_send_sync::<PromptRegistry>();
    assert_send_sync::<PromptSection>();
    assert_send_sync::<PromptVariable>();
    assert_send_sync::<PromptView>();
    assert_send_sync::<RenderedPrompt>();
    assert_send_sync::<Sections<'_>>();
    assert_send_sync::<Source>();
    assert_send_sync::<Stability>();
    assert_send_sync::<SystemPrompt>();
    assert_send_sync::<ToolProvider>();
    assert_send_sync::<ToolProviderResult>();
    assert_send_sync::<Value>();
}

/// S8: an assembly may be awaited on any thread, and needs no runtime.
#[test]
fn an_assembly_is_sent_and_needs_no_runtime() {
    let world = crate::support::in_runtime(crate::support::world());
    let handle = world.root.system_prompt();
    let assembly = block_on(assert_send(handle.assemble(AssembleContext::new()))).unwrap();
    assert_eq!(assembly.sections().len(), 2);
}
