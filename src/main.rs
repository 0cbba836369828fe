//! The command-line tool: parse, run, exit code.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            cli::fail(&error);
            ExitCode::from(cli::FAILURE)
        }
    }
}
