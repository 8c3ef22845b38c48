//! Output that is derived from the command line itself: shell completions and the manual.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

/// Footer of every page of the manual.
const SOURCE: &str = concat!("pricebook ", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// Shell to print completions for.
    ///
    /// The file to write the completions to depends on the shell; for bash it is
    /// ~/.local/share/bash-completion/completions/pricebook.
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Folder for the pages, created if it is missing.
    ///
    /// `man -l DIR/pricebook-query-best-price.1` shows a page.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Prints the completions for a shell.
pub(super) fn complete(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<()> {
    // The generator panics if it cannot write, so it writes to memory.
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

/// Writes the pages of a command and of all its subcommands.
fn write_pages(command: &Command, out: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below, out)?;
    }
    // A date is left out, so that the same program writes the same pages.
    let page = Man::new(command.clone()).source(SOURCE).manual("pricebook");
    page.render(&mut File::create(out.join(page.get_filename()))?)
}
