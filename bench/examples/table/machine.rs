//! The machine, in a line, without its name.

use std::process::Command;

/// What the figures were measured on.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// Processor, cores, system, versions.
    pub(crate) line: String,
}

impl Machine {
    /// Asks the system.
    pub(crate) fn read() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = model(&cpuinfo)
            .or_else(|| first_line("sysctl", &["-n", "machdep.cpu.brand_string"]))
            .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let kernel = first_line("uname", &["-sr"]).unwrap_or_else(|| std::env::consts::OS.to_owned());
        let rustc = first_line("rustc", &["--version"]).unwrap_or_else(|| "rustc of unknown version".to_owned());
        let node = first_line("node", &["--version"])
            .map_or_else(|| "no node".to_owned(), |version| format!("node {version}"));
        Self { line: format!("{cpu}, {cores} cores, {}, {}, {node}", short_kernel(&kernel), short_rustc(&rustc)) }
    }
}

/// The processor's name in `/proc/cpuinfo`.
fn model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// System and version, without what whoever built the kernel added.
fn short_kernel(kernel: &str) -> &str {
    kernel.split_once('-').map_or(kernel, |(short, _)| short)
}

/// `rustc 1.2.3`, without hash and date.
fn short_rustc(rustc: &str) -> &str {
    rustc.split_once(" (").map_or(rustc, |(short, _)| short)
}

/// The first line that a program prints.
fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()?.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{model, short_kernel, short_rustc};

    #[test]
    fn the_line_has_no_word_of_who_built_it() {
        assert_eq!(model("processor\t: 0\nmodel name\t: Some CPU\nmodel name\t: Some CPU\n").unwrap(), "Some CPU");
        assert_eq!(short_kernel("Linux 6.18.44-somebody"), "Linux 6.18.44");
        assert_eq!(short_rustc("rustc 1.95.0 (59807616e 2026-04-14)"), "rustc 1.95.0");
    }
}
