//! The list of targets, for whoever goes through all of them.

/// A function that a fuzzer feeds.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of the fuzzer, of the corpus and of the dictionary.
    pub name: &'static str,
    /// The function; it panics where something does not hold.
    pub check: fn(&[u8]),
}

/// Every target.
pub const TARGETS: [Target; 6] = [
    Target { name: "agent_file", check: crate::agent_file },
    Target { name: "configuration", check: crate::configuration },
    Target { name: "instructions", check: crate::instructions },
    Target { name: "scenario", check: crate::scenario },
    Target { name: "template", check: crate::template },
    Target { name: "tools", check: crate::tools },
];
