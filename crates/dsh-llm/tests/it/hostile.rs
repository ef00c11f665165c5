//! Hostile sizes: anything quadratic here takes long enough to be noticed, and anything that recurses over its input would overflow the stack.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test by panicking")]

use dsh_llm::{MAX_DEPTH, ToolSchema, canonical_json, keep_old_bytes, parse_tool_list};

use crate::support::{canonical, list, refused, tool};

const MIB: usize = 1 << 20;

/// What `line` makes of the numbers below `count`, joined by commas.
fn each(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join(",")
}

/// Runs a test on a stack of two megabytes.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn strings_of_fifty_megabytes_are_copied_and_decoded() {
    let plain = format!("{{\"default\":\"{}\"}}", "x".repeat(50 * MIB));
    assert!(canonical(&plain) == plain);
    let escaped = format!("\"{}\"", "\\u000a\\/".repeat(2 * MIB));
    assert!(canonical(&escaped) == format!("\"{}\"", "\\n/".repeat(2 * MIB)));
    let open = format!("\"{}", "\\\"".repeat(8 * MIB));
    assert_eq!(refused(&open, canonical_json(&open)), ("llm::json_syntax", open.len()));
    let half = format!("\"{}\\ud800\"", "\\ud83d\\ude00".repeat(MIB));
    assert_eq!(refused(&half, canonical_json(&half)), ("llm::lone_surrogate", 12 * MIB + 1));
}

#[test]
fn numbers_blanks_and_lists_of_megabytes_are_read_once() {
    let digits = format!("-{}.{}e-{}", "9".repeat(4 * MIB), "0".repeat(4 * MIB), "1".repeat(4 * MIB));
    assert!(canonical(&digits) == digits);
    let blanks = " \t\r\n".repeat(2 * MIB);
    assert_eq!(canonical(&format!("{blanks}[{blanks}1{blanks},{blanks}2{blanks}]{blanks}")), "[1,2]");
    let items = format!("[{}]", each(MIB, |_| "1".to_owned()));
    assert!(canonical(&items) == items);
    let word = "a".repeat(16 * MIB);
    assert_eq!(refused(&word, canonical_json(&word)), ("llm::json_syntax", 0));
}

#[test]
fn a_hundred_thousand_levels_are_refused_at_once_wherever_they_stand() {
    on_a_small_stack(|| {
        for (open, close) in
            [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":[{\"b\":", "}]}]"), ("{\"properties\":{\"p\":", "}}")]
        {
            let levels = open.matches(['[', '{']).count();
            let deep = format!("{}1{}", open.repeat(100_000 / levels), close.repeat(100_000 / levels));
            let place = |within: usize| {
                // The first bracket that is one too many, in a text whose first `within` levels are others.
                let too_many = MAX_DEPTH - within;
                let brackets = open.match_indices(['[', '{']).map(|(at, _)| at).collect::<Vec<_>>();
                too_many / levels * open.len() + brackets[too_many % levels]
            };
            assert_eq!(refused(&deep, canonical_json(&deep)), ("llm::too_deep", place(0)));
            let parameters = format!("{{\"x\":{deep}}}");
            assert_eq!(refused(&parameters, ToolSchema::new("t", "", &parameters)), ("llm::too_deep", 5 + place(1)));
            let head = "{\"tools\":[{\"name\":\"t\",\"inputSchema\":";
            let tools = format!("{head}{deep}}}]}}");
            assert_eq!(refused(&tools, parse_tool_list(&tools)), ("llm::too_deep", head.len() + place(3)));
        }
    });
}

#[test]
fn what_is_as_deep_as_allowed_is_made_compared_and_dropped_on_a_small_stack() {
    on_a_small_stack(|| {
        let inside = MAX_DEPTH / 2 - 1;
        let deep = |open: &str, close: &str| tool(&format!("{}{{}}{}", open.repeat(inside), close.repeat(inside)));
        let ahead = deep("{\"b\":1,\"properties\":{\"p\":", "}}");
        let behind = deep("{\"properties\":{\"p\":", "},\"b\":1}");
        assert_eq!(ahead, behind);
        let turned = deep("{\"properties\":{\"a\":1,\"p\":", "}}");
        assert!(turned.equal_up_to_order(&deep("{\"properties\":{\"p\":", ",\"a\":1}}")));
        drop(turned.parameters().unwrap());
    });
}

#[test]
fn a_hundred_thousand_keys_keep_the_authors_order_or_are_sorted() {
    let keys = |count| each(count, |key| format!("\"{:06}\":{{}}", 999_999 - key));
    let properties = format!("{{\"properties\":{{{}}}}}", keys(100_000));
    assert!(canonical(&properties) == properties);
    let enumerated = format!("{{\"enum\":[{}]}}", each(100_000, |number| (100_000 - number).to_string()));
    assert!(canonical(&enumerated) == enumerated);
    let required = |sorted: bool| {
        let name = |number: usize| format!("\"{:06}\"", if sorted { number } else { 99_999 - number });
        format!("{{\"dependentRequired\":{{\"a\":[{0}]}},\"required\":[{0}]}}", each(100_000, name))
    };
    assert!(canonical(&required(false)) == required(true));
}

#[test]
fn a_key_given_twice_is_found_among_a_hundred_thousand() {
    let keys = each(100_000, |key| format!("\"{key:06}\":1"));
    let last = format!("{{{keys},\"000000\":2}}");
    assert_eq!(refused(&last, canonical_json(&last)), ("llm::duplicate_key", keys.len() + 2));
    let error = canonical_json(&last).unwrap_err();
    assert_eq!(error.first_offset(), Some(1));
    let all = format!("{{{}}}", each(100_000, |_| "\"\":1".to_owned()));
    assert_eq!(refused(&all, canonical_json(&all)), ("llm::duplicate_key", 6));
    let long = format!("{{{}}}", each(500, |key| format!("\"{}{key:03}\":1", "k".repeat(20_000))));
    assert!(canonical(&long) == long);
}

#[test]
fn tools_by_the_ten_thousand_are_listed_and_kept_across_a_reload() {
    let source = |first: &str, second: &str| {
        let tool = |number: usize| {
            format!(
                "{{\"name\":\"t{number}\",\"inputSchema\":{{\"properties\":{{\"{first}\":{{}},\"{second}\":{{}}}}}},\"x\":1}}"
            )
        };
        format!("[{}]", each(10_000, tool))
    };
    let old = list(&source("b", "a"));
    assert_eq!((old.tools().len(), old.dropped_count()), (10_000, 10_000));
    let (old, new) = (old.into_schemas(), list(&source("a", "b")).into_schemas());
    assert!(old != new);
    assert!(keep_old_bytes(&old, new) == old);
}

#[test]
fn ten_thousand_tools_of_one_name_each_find_the_old_one_that_they_were() {
    let of = |first: &str, last: &str| {
        let tool = |number: usize| tool(&format!("{{\"properties\":{{{first}\"p{number}\":{{}}{last}}}}}"));
        (0..10_000).map(tool).collect::<Vec<_>>()
    };
    let (old, mut new) = (of("\"a\":{},", ""), of("", ",\"a\":{}"));
    new.reverse();
    let mut kept = keep_old_bytes(&old, new);
    kept.reverse();
    assert!(kept == old);
}

#[test]
fn a_tool_with_a_name_of_a_megabyte_and_fields_by_the_ten_thousand_is_a_tool() {
    let name = "n".repeat(MIB);
    let fields = each(50_000, |number| format!("\"field_{number}\":[]"));
    let listed = list(&format!("[{{{fields},\"name\":\"{name}\"}}]"));
    let [tool] = listed.tools() else { panic!("{} tools", listed.tools().len()) };
    assert!(tool.schema.name() == name);
    assert_eq!(tool.dropped.len(), 50_000);
    assert_eq!(&*tool.dropped[49_999].name, "field_49999");
}
