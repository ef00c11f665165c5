//! The forms in which lists of tools come.

use dsh_llm::{Error, NO_PARAMETERS, ToolSchema, parse_each_tool, parse_tool_list};

use crate::support::{list, refused};

const TOOL: &str = r#"{"description":"d","name":"t","parameters":{"type":"object"}}"#;

#[test]
fn every_form_of_a_list_gives_the_same_tool() {
    for source in [
        r#"[{"name":"t","description":"d","parameters":{"type":"object"}}]"#,
        r#"[{"name":"t","description":"d","inputSchema":{"type":"object"}}]"#,
        r#"[{"name":"t","description":"d","input_schema":{"type":"object"}}]"#,
        r#"[{"type":"function","name":"t","description":"d","parameters":{"type":"object"}}]"#,
        r#"[{"type":"function","function":{"name":"t","description":"d","parameters":{"type":"object"}}}]"#,
        r#"{"tools":[{"name":"t","description":"d","inputSchema":{"type":"object"}}]}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","description":"d","inputSchema":{"type":"object"}}]}}"#,
        "\u{feff}[{\"name\":\"t\",\"description\":\"d\",\"parameters\":{\"type\":\"object\"}}]\r\n",
    ] {
        let list = list(source);
        assert_eq!(list.dropped_count(), 0, "{source}");
        assert_eq!(list.next_cursor(), None, "{source}");
        assert_eq!(list.into_schemas().iter().map(ToolSchema::json).collect::<Vec<_>>(), [TOOL], "{source}");
    }
}

#[test]
fn an_empty_list_is_a_list() {
    assert_eq!(list("[]").tools(), []);
    assert_eq!(list(r#"{"tools":[]}"#).schemas().len(), 0);
}

#[test]
fn the_order_of_the_list_stays_and_namesakes_are_left_to_the_registry() {
    let list = list(r#"[{"name":"b"},{"name":"a"},{"name":"b"}]"#);
    assert_eq!(list.schemas().map(ToolSchema::name).collect::<Vec<_>>(), ["b", "a", "b"]);
}

#[test]
fn what_is_left_out_has_its_default() {
    let list = list(r#"[{"name":"a"},{"name":"b","description":null}]"#);
    for schema in list.schemas() {
        assert_eq!((schema.description(), schema.parameters_json()), ("", NO_PARAMETERS));
    }
}

#[test]
fn other_fields_are_dropped_and_told_per_tool() {
    let list = list(
        r#"{"tools":[{"name":"a","title":"A","inputSchema":{},"annotations":{},"_meta":{}},{"name":"b"},
            {"type":"function","strict":true,"description":"lost","function":{"name":"c","strict":true,"parameters":{}}},
            {"name":"d","type":"custom","function":{"name":"e"}}],"_meta":{}}"#,
    );
    let dropped: Vec<Vec<&str>> =
        list.tools().iter().map(|tool| tool.dropped.iter().map(|field| &*field.name).collect()).collect();
    assert_eq!(
        dropped,
        [
            vec!["title", "annotations", "_meta"],
            vec![],
            vec!["strict", "description", "strict"],
            vec!["type", "function"]
        ]
    );
    assert_eq!(list.dropped_count(), 8);
    assert_eq!(list.schemas().map(ToolSchema::name).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
}

/// X3
#[test]
fn each_tool_knows_the_bytes_it_was_read_from() {
    let source = "\u{feff}{\"tools\": [ {\"name\": \"é\"} , {\"name\":\"b\"}]}";
    let ranges: Vec<_> = list(source).tools().iter().map(|tool| source.get(tool.range.clone()).unwrap()).collect();
    assert_eq!(ranges, ["{\"name\": \"é\"}", "{\"name\":\"b\"}"]);
}

#[test]
fn a_cursor_to_more_tools_is_noted() {
    assert_eq!(list(r#"{"tools":[],"nextCursor":"p2"}"#).next_cursor(), Some("p2"));
    assert_eq!(list(r#"{"result":{"tools":[],"nextCursor":"p3"}}"#).next_cursor(), Some("p3"));
    assert_eq!(list(r#"{"tools":[],"nextCursor":null}"#).next_cursor(), None);
}

#[test]
fn two_spellings_of_the_parameters_must_say_the_same() {
    let both = list(r#"[{"name":"a","parameters":{"x":1,"w":2},"inputSchema":{"w":2,"x":1}}]"#);
    assert_eq!((both.tools()[0].schema.parameters_json(), both.dropped_count()), (r#"{"w":2,"x":1}"#, 0));
    let source = r#"[{"name":"a","parameters":{"x":1},"inputSchema":{"x":2}}]"#;
    let error = parse_tool_list(source).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("llm::invalid_tool_parameters", Some(48)));
    assert_eq!(error.problem(), "`parameters` and `inputSchema` of a tool differ");
}

#[test]
fn what_is_no_list_of_tools_is_refused_where_it_fails() {
    for (source, code, offset) in [
        ("{}", "llm::not_a_tool_list", 0),
        ("\"tools\"", "llm::not_a_tool_list", 0),
        (r#"{"name":"t","parameters":{}}"#, "llm::not_a_tool_list", 0),
        (r#"{"tools":{}}"#, "llm::not_a_tool_list", 9),
        (r#"{"result":{}}"#, "llm::not_a_tool_list", 10),
        (r#"{"result":[]}"#, "llm::not_a_tool_list", 10),
        (r#"{"id":1,"error":{"code":-32601}}"#, "llm::not_a_tool_list", 16),
        (r#"[{"name":"a"},7]"#, "llm::not_a_tool_list", 14),
        (r#"[{"name":"a"},{}]"#, "llm::invalid_tool_name", 14),
        (r#"[{"name":""}]"#, "llm::invalid_tool_name", 9),
        (r#"[{"name":7}]"#, "llm::invalid_tool_name", 9),
        (r#"[{"type":"function","function":{"description":"d"}}]"#, "llm::invalid_tool_name", 31),
        (r#"[{"name":"a","description":7}]"#, "llm::invalid_tool_description", 27),
        (r#"[{"name":"a","parameters":null}]"#, "llm::invalid_tool_parameters", 26),
        (r#"[{"name":"a","inputSchema":true}]"#, "llm::invalid_tool_parameters", 27),
        (r#"[{"name":"a","inputSchema":{"a":1,"a":1}}]"#, "llm::duplicate_key", 34),
        (r#"[{"name":"a","inputSchema":{"a":1}"#, "llm::json_syntax", 34),
    ] {
        assert_eq!(refused(source, parse_tool_list(source)), (code, offset), "{source}");
    }
}

#[test]
fn a_function_that_is_no_object_is_refused_by_its_own_words() {
    let error = parse_tool_list(r#"[{"type": "function", "function": "x"}]"#).unwrap_err();
    assert_eq!((error.code(), error.tool_index()), ("llm::not_a_tool_list", Some(0)));
    assert_eq!(error.problem(), "a tool's `function` is a string, not an object");
}

/// X3
#[test]
fn a_tool_tells_where_its_name_and_each_dropped_field_stand() {
    let source = r#"[{"title":"name","name":"name"},{"type":"function","strict":1,"function":{"t\u0069tle":"strict","name":"\u0061"}}]"#;
    let of = |range: &std::ops::Range<usize>| source.get(range.clone()).unwrap();
    let list = list(source);
    assert_eq!(list.tools().iter().map(|tool| of(&tool.name_range)).collect::<Vec<_>>(), ["\"name\"", r#""\u0061""#]);
    assert_eq!(list.tools()[0].name_range.start, 24);
    let dropped = list.tools().iter().flat_map(|tool| &tool.dropped).map(|field| (&*field.name, of(&field.range)));
    let expected = [("title", "\"title\""), ("strict", "\"strict\""), ("title", r#""t\u0069tle""#)];
    assert_eq!(dropped.collect::<Vec<_>>(), expected);
}

#[test]
fn behind_a_wrong_tool_reading_goes_on() {
    let source =
        r#"[{"name":"a"},{"name":""},7,{"description":"x"},{"name":"p","parameters":[],"description":5},{"name":"b"}]"#;
    let (list, errors) = parse_each_tool(source).unwrap();
    assert_eq!(list.schemas().map(ToolSchema::name).collect::<Vec<_>>(), ["a", "b"]);
    let told = |error: &Error| (error.tool_index().unwrap(), error.tool_name().map(str::to_owned), error.code());
    assert_eq!(
        errors.iter().map(told).collect::<Vec<_>>(),
        [
            (1, None, "llm::invalid_tool_name"),
            (2, None, "llm::not_a_tool_list"),
            (3, None, "llm::invalid_tool_name"),
            (4, Some("p".to_owned()), "llm::invalid_tool_description"),
            (4, Some("p".to_owned()), "llm::invalid_tool_parameters"),
        ]
    );
    assert_eq!(errors.iter().map(|error| error.offset().unwrap()).collect::<Vec<_>>(), [22, 26, 28, 90, 73]);
    let first = parse_tool_list(source).unwrap_err();
    assert_eq!(first.to_string(), errors[0].to_string());
}

#[test]
fn where_there_is_no_list_nothing_goes_on() {
    for (source, code, offset) in
        [(r#"[{"name":""},"#, "llm::json_syntax", 13), (r#"{"tools":7}"#, "llm::not_a_tool_list", 9)]
    {
        assert_eq!(refused(source, parse_each_tool(source)), (code, offset), "{source}");
    }
}
