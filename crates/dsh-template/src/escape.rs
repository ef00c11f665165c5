//! `escape`: makes a template out of any text.

use alloc::borrow::Cow;
use alloc::string::String;

use memchr::memchr;

use crate::scan::part;

/// A template that renders to exactly `text`, whatever `text` is. (X1)
///
/// Two or more opening braces in a row, and one at the end, are written in the quoted form `{{"{{"}}`; everything else stays as it
/// is. So text without a `{`, and JSON or code whose opening braces are single, comes back borrowed and unchanged.
///
/// # Putting templates together
///
/// An escaped text holds no bare `{{`, and does not end in a bare `{`. Therefore:
///
/// * `escape(a) + escape(b)` renders to `a + b`;
/// * any template may follow an escaped text, also one that begins with `{` or `}`;
/// * an escaped text may follow any template that does not end in `{` and has no `{{` left open as prose (`awk {{ print`). The
///   `}}` of an escaped text would close the latter; no way of writing can avoid that.
///
/// ```
/// use dsh_template::{Lookup, Template, escape};
///
/// assert_eq!(escape(r#"{"a": {"b": 1}}"#), r#"{"a": {"b": 1}}"#);
/// assert_eq!(escape("<p>{{msg}}</p>"), r#"<p>{{"{{"}}msg}}</p>"#);
///
/// let template = escape("a {").into_owned() + "{{v}}" + &escape("}}");
/// assert_eq!(Template::compile(&template).render(|_| Lookup::Value("V"))?, "a {V}}");
/// # Ok::<(), dsh_template::Error>(())
/// ```
pub fn escape(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'{', rest)) {
        let open = at + found;
        let run = bytes.get(open..).unwrap_or_default().iter().take_while(|byte| **byte == b'{').count();
        at = open + run;
        if run == 1 && at < bytes.len() {
            continue;
        }
        out.push_str(part(text, copied..open));
        out.push_str(r#"{{""#);
        out.push_str(part(text, open..at));
        out.push_str(r#""}}"#);
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(part(text, copied..text.len()));
    Cow::Owned(out)
}
