//! Case 13: marks and line ends of an agent's file, as `check` sees them.

use crate::support::{Project, reads};

#[test]
fn check_names_what_cannot_be_read_and_points_at_the_mark_inside() {
    // X12
    let wide: Vec<u8> = "\u{feff}---\nname: wide\n---\nHello\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let project = Project::new("tool_schemas = [\"tools.json\"]\n")
        .file("tools.json", r#"[{"name": "read"}, {"name": "write"}]"#)
        .file(
            "agents/scout.md",
            "\u{feff}---\r\nname: scout\r\ndeny_tools: [write]\r\n---\r\n\r\nLook first.\r\nKeep \u{feff}this.\r\n",
        )
        .file("agents/plain.md", "---\nname: plain\ndeny_tools: [write]\n---\n\nLook first.\nKeep \u{feff}this.\n")
        .file("agents/mixed.md", "---\r\nname: mixed\ndeny_tools: [write]\r\n---\n\nLook first.\n")
        .file("agents/wide.md", wide)
        .file("agents/bad.md", b"---\nname: bad\n---\nprice 5\x80\n");
    let run = project.dsh(&["check"]);
    assert_eq!(run.status, Some(1), "{run}");
    reads!(run);
    for agent in ["scout", "plain", "mixed"] {
        assert_eq!(project.dsh(&["check", "--agent", agent]).status, Some(0));
    }
}
