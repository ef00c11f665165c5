//! The command `dsh`: a shell round [`dsh_cli::run`].
//!
//! Arguments go in, an exit status comes out. Everything else, printing included, is the library's.

fn main() -> std::process::ExitCode {
    dsh_cli::run(std::env::args_os()).into()
}
