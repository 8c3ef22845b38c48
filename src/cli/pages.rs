//! What is derived from the command line itself: completions of shells, and the manual.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

/// What stands at the foot of every page of the manual.
const SOURCE: &str = concat!("pricebook ", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell. Its own documentation says where the text belongs; for bash
    /// ~/.local/share/bash-completion/completions/pricebook.
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Folder for the pages, made if need be. `man -l DIR/pricebook-query-best-price.1` shows one.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Prints what completes the command line.
pub(super) fn complete(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<()> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "pricebook", &mut text);
    let mut out = io::stdout().lock();
    out.write_all(&text)?;
    Ok(out.flush()?)
}

/// Writes the manual.
pub(super) fn write_manual(args: &ManArgs, command: Command) -> anyhow::Result<()> {
    let ManArgs { out } = args;
    let write = || -> io::Result<()> {
        fs::create_dir_all(out)?;
        let mut command = command.disable_help_subcommand(true);
        command.build();
        write_pages(&command, out)
    };
    write().with_context(|| format!("the manual cannot be written to {}", out.display()))
}

/// A page for a command, and one for each command below it.
fn write_pages(command: &Command, out: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below, out)?;
    }
    // No date: the same program writes the same pages.
    let page = Man::new(command.clone()).source(SOURCE).manual("pricebook");
    page.render(&mut File::create(out.join(page.get_filename()))?)
}
