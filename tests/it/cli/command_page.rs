//! The page about the command line has every command and option, as the program has them.
//!
//! `UPDATE_GOLDEN=1 cargo test --test it command_page` writes the derived tables anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, Str};
use clap::{Arg, Command};
use pricebook::cli;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/command-line.md")
}

/// The program's command line, built.
fn command() -> Command {
    let mut command = cli::command_line().disable_help_subcommand(true);
    command.build();
    command
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set())
}

/// Options of its own: not help, and not what every command takes.
fn options<'a>(command: &'a Command, above: &'a [&'a Command]) -> impl Iterator<Item = &'a Arg> {
    let is_inherited = |arg: &Arg| {
        above.iter().any(|above| above.get_arguments().any(|known| known.get_id() == arg.get_id()))
    };
    let is_told = move |arg: &&Arg| {
        let is_common = ["help", "version"].contains(&arg.get_id().as_str());
        !(is_common || arg.is_hide_set() || arg.is_global_set() && is_inherited(arg))
    };
    command.get_arguments().filter(is_told)
}

/// How an argument is written.
fn written(arg: &Arg) -> String {
    let values: Vec<&str> = arg.get_value_names().unwrap_or_default().iter().map(Str::as_str).collect();
    let takes_value = arg.get_action().takes_values();
    match arg.get_long() {
        Some(long) if takes_value => format!("--{long} {}", values.join(" ")),
        Some(long) => format!("--{long}"),
        None => values.join(" "),
    }
}

/// What an argument means, with its values, its variable and what holds without it.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = help.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.ends_with(['.', ']']) {
        text.push('.');
    }
    let values = arg.get_possible_values();
    let values: Vec<&str> =
        values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name).collect();
    if arg.get_action().takes_values() && !values.is_empty() && !arg.is_hide_possible_values_set() {
        write!(text, " One of {}.", values.join(", ")).unwrap();
    }
    if let [default] = arg.get_default_values()
        && arg.get_action().takes_values()
    {
        write!(text, " Default: {}.", default.to_str().unwrap()).unwrap();
    }
    if let Some(variable) = arg.get_env() {
        write!(text, " Variable: `{}`.", variable.to_str().unwrap()).unwrap();
    }
    text.replace('|', "\\|")
}

/// The chapter of a command, and of those below it.
fn chapter(command: &Command, above: &[&Command], text: &mut String) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    writeln!(text, "### {name}\n\n{}{}\n", about, if about.ends_with('.') { "" } else { "." }).unwrap();
    // What it takes of another command is told there.
    let serve = above[0].find_subcommand("serve").filter(|_| command.get_name() == "doctor");
    let is_of_serve = |arg: &&Arg| {
        serve.is_some_and(|serve| serve.get_arguments().any(|known| known.get_id() == arg.get_id()))
    };
    let rows: Vec<&Arg> = options(command, above).filter(|arg| !is_of_serve(arg)).collect();
    if !rows.is_empty() {
        writeln!(text, "| | |\n|---|---|").unwrap();
        for arg in rows {
            writeln!(text, "| `{}` | {} |", written(arg), meaning(arg)).unwrap();
        }
        writeln!(text).unwrap();
    }
    // Endpoints have a table of their own.
    if command.get_name() != "query" {
        let above = [above, &[command]].concat();
        shown(command).for_each(|below| chapter(below, &above, text));
    }
}

fn commands() -> String {
    let (command, mut text) = (command(), String::new());
    for below in shown(&command) {
        chapter(below, &[&command], &mut text);
    }
    text
}

/// A row for each endpoint: what it answers, and its options.
fn endpoints() -> String {
    let (command, mut text) = (command(), "| endpoint | answers | options |\n|---|---|---|\n".to_owned());
    let query = command.find_subcommand("query").unwrap();
    for endpoint in shown(query) {
        let options: Vec<String> = options(endpoint, &[&command, query])
            .map(|arg| format!("`--{}`", arg.get_long().unwrap()))
            .collect();
        let about = endpoint.get_about().unwrap();
        writeln!(text, "| `{}` | {about} | {} |", endpoint.get_name(), options.join(" ")).unwrap();
    }
    text
}

#[test]
fn the_command_line_page_is_that_of_the_program() {
    let written = std::fs::read_to_string(page()).unwrap();
    let mut now = written.clone();
    for (name, table) in [("endpoints", endpoints()), ("commands", commands())] {
        let opening = format!("<!-- derived: {name} -->\n");
        let from = now.find(&opening).unwrap_or_else(|| panic!("no place for {name}")) + opening.len();
        let to = from + now[from..].find("<!-- end -->").unwrap();
        now.replace_range(from..to, &table);
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(page(), &now).unwrap();
        return;
    }
    assert_eq!(written, now, "docs/command-line.md is out of date: see {}", file!());
}

#[test]
fn every_option_says_what_it_means() {
    fn look(command: &Command, faults: &mut Vec<String>) {
        let name = command.get_bin_name().unwrap_or_default().to_owned();
        if command.get_about().is_none() {
            faults.push(name.clone());
        }
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            if arg.get_help().is_none() {
                faults.push(format!("{name} {}", arg.get_id()));
            }
        }
        shown(command).for_each(|below| look(below, faults));
    }
    let mut faults = Vec::new();
    shown(&command()).for_each(|below| look(below, &mut faults));
    assert!(faults.is_empty(), "without a word: {faults:#?}");
}
