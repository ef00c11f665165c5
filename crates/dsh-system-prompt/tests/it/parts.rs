//! Provenance and fingerprints of a rendered prompt (X3, X5).

use dsh_system_prompt::{
    AssembleEvent, AssembledSection, Part, PartLayer, PromptConfig, PromptSection, PromptVariable, RenderedPrompt,
    Source, Stability, SystemPromptExt, render,
};

use crate::support::{bare, section, tools, variable, world, world_with};

/// The parts' ranges partition the prompt, and the pieces' ranges their part.
pub(crate) fn assert_partition(rendered: &RenderedPrompt) {
    let mut at = 0;
    for (index, part) in rendered.parts().enumerate() {
        assert_eq!(part.range().start, at);
        assert_eq!(part.is_separator(), index % 2 == 1);
        assert_eq!(Some(part.text()), rendered.text().get(part.range()));
        let Some(section) = part.section() else {
            assert_eq!((part.text(), part.pieces().len()), ("\n\n", 0));
            at = part.range().end;
            continue;
        };
        let mut text_at = 0;
        for piece in part.pieces() {
            assert_eq!((piece.range.start, piece.text_range.start), (at, text_at));
            (at, text_at) = (piece.range.end, piece.text_range.end);
            if let Some(variable) = &piece.variable {
                let reference = format!("{{{{{}}}}}", variable.name);
                assert_eq!(section.text().as_str().get(piece.text_range.clone()), Some(&*reference));
                let value = rendered.assembly().variable(variable.name.as_str()).unwrap().value().unwrap();
                assert_eq!(Some(value.as_str()), rendered.text().get(piece.range.clone()));
            }
        }
        assert_eq!((at, text_at), (part.range().end, section.text().as_str().len()));
    }
    assert_eq!(at, rendered.text().len());
}

fn names(rendered: &RenderedPrompt) -> Vec<&str> {
    rendered.parts().map(|part| part.section().map_or("-", |section| section.name())).collect()
}

/// X3
#[tokio::test]
async fn every_byte_of_a_prompt_has_a_part() {
    let world = world_with(PromptConfig::new().persona("You maintain {{project}}.")).await;
    let pack = world.plugin("pack").await;
    pack.system_prompt().variable(PromptVariable::new("project", "dsh").stability(Stability::Session)).unwrap();
    let quoted =
        PromptSection::new("quoted", 5, r#"a {{"{{"}} b {{project}}{{project}} c"#).source(Source::file("q.md"));
    pack.system_prompt().section(quoted).unwrap();
    section(&world.root, "empty", 6, "");
    let scope = world.root.scope("agent").unwrap();
    variable(scope.ctx(), "project", "");
    section(scope.ctx(), "deployment:persona", 0, "p");
    for cx in [bare(), scope.key().into()] {
        let rendered = render(&world.assemble(cx).await.unwrap()).unwrap();
        assert_partition(&rendered);
        assert_eq!(names(&rendered), ["harness:identity", "-", "deployment:persona", "-", "quoted"]);
    }
    let rendered = render(&world.assemble(bare()).await.unwrap()).unwrap();
    let [.., persona, _, quoted] = *rendered.parts().collect::<Vec<_>>() else { panic!("five parts") };
    assert_eq!(persona.section().unwrap().owner().unwrap().to_string(), "system-prompt");
    let piece = persona.pieces().remove(1);
    let variable = piece.variable.as_ref().unwrap();
    assert_eq!((variable.name.as_str(), variable.owner.as_ref().unwrap().to_string()), ("project", "pack".to_owned()));
    assert_eq!((variable.layer, variable.stability), (PartLayer::Global, Stability::Session));
    assert_eq!(quoted.text(), "a {{ b dshdsh c");
    assert_eq!(quoted.section().unwrap().source().unwrap().path(), "q.md");
    assert_eq!(quoted.pieces().len(), 4);
    // For the scope, what shadows is said.
    let rendered = render(&world.assemble(scope.key()).await.unwrap()).unwrap();
    let persona = rendered.parts().nth(2).unwrap().section().unwrap();
    assert_eq!(persona.layer(), PartLayer::Scope(scope.key()));
    assert_eq!(persona.shadows().unwrap().to_string(), "system-prompt");
    let variable = rendered.parts().nth(4).unwrap().pieces().remove(1).variable.unwrap();
    assert_eq!(variable.shadows.as_ref().unwrap().to_string(), "pack");
}

/// X3: the second of equal siblings is `name#2`.
#[tokio::test]
async fn owners_are_paths_and_equal_siblings_are_numbered() {
    let world = world().await;
    let (one, two) = (world.plugin("pack").await, world.plugin("pack").await);
    let scope = two.scope("agent").unwrap();
    section(&one, "a", 1, "a");
    section(&two, "b", 2, "b");
    section(scope.ctx(), "c", 3, "c");
    let assembly = world.assemble(scope.key()).await.unwrap();
    let owners: Vec<_> = assembly.sections().skip(2).map(|section| section.owner().unwrap().to_string()).collect();
    assert_eq!(owners, ["pack", "pack#2", "pack#2/agent"]);
}

/// X3: parts of an edited assembly, a listener's among them.
#[tokio::test]
async fn parts_of_an_edited_assembly_partition_it_too() {
    let world = world().await;
    let hook = world.plugin("hook").await;
    variable(&world.root, "v", "V");
    section(&world.root, "a", 1, "a {{v}}");
    hook.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
        assembly.set_variable("w", "W");
        assembly.sections_mut().push(AssembledSection::new("added", 2, "{{w}}{{v}}"));
        next.run(assembly)
    })
    .unwrap();
    let rendered = render(&world.assemble(bare()).await.unwrap()).unwrap();
    assert_eq!(&**rendered.text(), "a V\n\nWV");
    assert_partition(&rendered);
    let added = rendered.parts().nth(2).unwrap();
    assert_eq!(added.section().unwrap().owner().unwrap().to_string(), "hook");
    assert_eq!(added.pieces()[0].variable.as_ref().unwrap().owner.as_ref().unwrap().to_string(), "hook");
    assert_eq!(added.pieces()[1].variable.as_ref().unwrap().layer, PartLayer::Global);
}

/// X5: fingerprints of every part, of the tool block and of the whole.
#[tokio::test]
async fn fingerprints_are_those_of_the_bytes() {
    let world = world().await;
    section(&world.root, "a", 1, "a");
    section(&world.root, "b", 2, "b");
    let rendered = render(&world.assemble(bare()).await.unwrap()).unwrap();
    assert_eq!(rendered.fingerprint(), blake3::hash(b"a\n\nb"));
    let parts: Vec<_> = rendered.parts().map(Part::fingerprint).collect();
    assert_eq!(parts, [blake3::hash(b"a"), blake3::hash(b"\n\n"), blake3::hash(b"b")]);
    let whole = rendered.whole_fingerprint();
    tools(&world.root, &["t"]);
    let with_tools = render(&world.assemble(bare()).await.unwrap()).unwrap();
    assert_eq!(with_tools.fingerprint(), rendered.fingerprint());
    assert_ne!(with_tools.whole_fingerprint(), whole);
    let mut bytes = with_tools.fingerprint().as_bytes().to_vec();
    bytes.extend(with_tools.assembly().tools_fingerprint().as_bytes());
    assert_eq!(with_tools.whole_fingerprint(), blake3::hash(&bytes));
}

/// X5: the same registrations in the same order give the same bytes.
#[tokio::test]
async fn the_same_registrations_give_the_same_bytes() {
    let mut seen = Vec::new();
    for _ in 0..3 {
        let world = world().await;
        for (name, order) in [("b", 1.0), ("a", 1.0), ("c", 0.5)] {
            section(&world.root, name, order, name);
            tools(&world.root, &[name]);
        }
        seen.push(render(&world.assemble(bare()).await.unwrap()).unwrap().whole_fingerprint());
    }
    assert!(seen.iter().all(|fingerprint| *fingerprint == seen[0]));
}
