//! What the fuzz target of this crate looks at beside the public items. No API: it may change at any time.

use crate::scan::Scanner;

/// How many bytes a scan of `text` looks at, one that is looked at twice counted twice.
pub fn scan_work(text: &str) -> usize {
    let mut scanner = Scanner::new(text);
    scanner.by_ref().for_each(drop);
    scanner.looked_at
}
