//! The command-line tool.

use std::process::ExitCode;

fn main() -> ExitCode {
    quchong::cli::main()
}
