//! `quchong completions` and `quchong man`: print files that packages of this program install with it.

use std::process::ExitCode;

use crate::locale::tr;
use anyhow::Context;
use clap::Command;
use clap_complete::Shell;

/// Print the completions of a shell
///
/// bash: source <(quchong completions bash). zsh: quchong completions zsh > a file `_quchong` on $fpath. fish: quchong completions
/// fish > ~/.config/fish/completions/quchong.fish.
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print a manual page, in troff
///
/// man -l <(quchong man dedup) shows it.
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// Command whose page to print [default: the program as a whole]
    command: Option<String>,
}

/// Prints the completions of `program`.
pub(crate) fn completions(args: &CompletionsArgs, mut program: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "quchong", &mut script);
    print(script)
}

/// Prints the page of `program`, or of one of its commands.
pub(crate) fn man(args: &ManArgs, mut program: Command) -> anyhow::Result<ExitCode> {
    // Names the commands `quchong-dedup`, and so on.
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name).cloned();
            found.with_context(|| tr!("{name}: there is no such command; quchong --help lists all", name))?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    print(page)
}

fn print(bytes: Vec<u8>) -> anyhow::Result<ExitCode> {
    super::print(String::from_utf8(bytes)?)
}
