//! Command lines of endpoints: a subcommand for each endpoint and an option for each parameter, made from the
//! definitions with which the server parses requests.
//!
//! Values are not checked here. They are written into the query string unchanged, and the endpoint reports their
//! faults.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgMatches, Command};
use percent_encoding::{percent_decode_str, utf8_percent_encode};

use crate::query::endpoint::Route;
use crate::query::params::{KEPT, Kind, Param};
use crate::query::subject::QUOTE;

/// The name of a parameter on the command line, without the dashes before it.
pub(super) fn option(param: &str) -> String {
    param.replace('_', "-")
}

/// The parameters of a route, except the parameter `quote`: queries on the command line are not paid.
pub(super) fn params(route: &Route) -> impl Iterator<Item = &'static Param> {
    route.params.iter().copied().filter(|param| param.name != QUOTE.name)
}

/// The subcommand of an endpoint.
pub(super) fn subcommand(route: &Route) -> Command {
    let command = Command::new(route.name()).about(route.summary).long_about(route.about);
    let command = command.args(params(route).map(argument));
    match example(route) {
        Some(example) => command.after_help(format!("Example:\n  {example}")),
        None => command,
    }
}

/// Makes the query string of a request from the options of an endpoint.
pub(super) fn query_string(route: &Route, matches: &ArgMatches) -> String {
    let mut query = String::new();
    for param in params(route) {
        let Some(value) = matches.get_one::<String>(param.name) else { continue };
        let mark = if query.is_empty() { "" } else { "&" };
        // Writing into a String cannot fail.
        let _ = write!(query, "{mark}{}={}", param.name, utf8_percent_encode(value, KEPT));
    }
    query
}

/// The first example of an endpoint, as a command line; `None` if the endpoint has no example.
pub(super) fn example(route: &Route) -> Option<String> {
    let mut line = format!("pricebook query {}", route.name());
    for pair in route.examples.first()?.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = value.replace('+', " ");
        let value = percent_decode_str(&value).decode_utf8_lossy();
        let _ = match &*value {
            "true" => write!(line, " --{}", option(name)),
            value => write!(line, " --{} {}", option(name), quoted(value)),
        };
    }
    Some(line)
}

/// A value quoted for a shell, if it needs quotes.
fn quoted(value: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.,/:".contains(letter);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

/// The option of a parameter.
fn argument(param: &'static Param) -> Arg {
    let argument = Arg::new(param.name).long(lasting(option(param.name))).help(help(param));
    match &param.kind {
        Kind::Flag => argument
            .value_name("BOOL")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(words(vec!["true".to_owned(), "false".to_owned()]))
            .hide_possible_values(true),
        Kind::Word(allowed, _) => {
            argument.value_name("WORD").value_parser(words(allowed.iter().map(ToString::to_string).collect()))
        }
        Kind::OneOf(allowed, _) => argument
            .value_name("NUMBER")
            .value_parser(words(allowed.iter().map(ToString::to_string).collect())),
        kind => argument.value_name(value_name(kind)),
    }
}

/// Placeholder for a value in the help, as in `--limit <NUMBER>`.
fn value_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Word(..) => "TEXT",
        Kind::PlatformKey => "KEY",
        Kind::Integer { .. } | Kind::Position | Kind::OneOf(..) => "NUMBER",
        Kind::Flag => "BOOL",
        Kind::Date => "DATE",
        Kind::Price => "AMOUNT",
        Kind::Fraction(_) => "FRACTION",
    }
}

/// Help of a parameter: its meaning, its bounds and its default.
fn help(param: &Param) -> String {
    let about = param.about;
    match &param.kind {
        Kind::Integer { min, max, default } => {
            let bounds = format!("{min} to {max}");
            match default {
                Some(default) => format!("{about} [{bounds}; default: {default}]"),
                None => format!("{about} [{bounds}]"),
            }
        }
        Kind::Position => format!("{about} [from 0; default: 0]"),
        Kind::OneOf(_, Some(default)) => format!("{about} [default: {default}]"),
        Kind::Word(_, Some(default)) => format!("{about} [default: {default}]"),
        _ => about.to_owned(),
    }
}

/// Parser that accepts every value. The help and shell completions list the allowed values, and the endpoint refuses
/// others.
#[derive(Clone)]
struct Proposed(Vec<&'static str>);

fn words(words: Vec<String>) -> ValueParser {
    Proposed(words.into_iter().map(lasting).collect()).into()
}

impl TypedValueParser for Proposed {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|word| PossibleValue::new(*word))))
    }
}

/// Returns the text with a static lifetime, which clap requires of names. Texts are interned, so the leaked memory is
/// bounded by the number of names.
fn lasting(text: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(text.as_str()) {
        return known;
    }
    let name: &'static str = text.leak();
    names.insert(name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::routes;

    fn route(name: &str) -> Route {
        routes().into_iter().find(|route| route.name() == name).expect(name)
    }

    fn query(name: &str, args: &[&str]) -> Result<String, String> {
        let route = route(name);
        let words = [name].iter().chain(args).map(ToString::to_string).collect::<Vec<_>>();
        let matches = subcommand(&route).try_get_matches_from(words).map_err(|error| error.to_string())?;
        Ok(query_string(&route, &matches))
    }

    #[test]
    fn endpoints_have_names_of_their_own() {
        let routes = routes();
        let names: BTreeSet<&str> = routes.iter().map(|route| route.name()).collect();
        assert_eq!(names.len(), routes.len());
        for route in &routes {
            subcommand(route).debug_assert();
        }
    }

    #[test]
    fn options_become_a_query_string() {
        assert_eq!(
            query("best-price", &["--q", "a b&c=d+é", "--country=ca", "--strict", "--limit", "0"]).as_deref(),
            Ok("q=a%20b%26c%3Dd%2B%C3%A9&country=ca&limit=0&strict=true"),
        );
        assert_eq!(query("best-price", &["--strict=false"]).as_deref(), Ok("strict=false"));
        assert_eq!(query("best-price", &["--entity-uid", "e_1"]).as_deref(), Ok("entity_uid=e_1"));
        assert_eq!(
            query("best-price", &["--country", "fr"]).as_deref(),
            Ok("country=fr"),
            "the reader refuses"
        );
        assert_eq!(query("coverage", &[]).as_deref(), Ok(""));
        assert!(query("best-price", &["--quote"]).is_err(), "nobody is paid here");
        assert!(query("best-price", &["--q", "a", "--q", "b"]).is_err());
    }

    /// Every parameter of every endpoint is an option of its subcommand.
    #[test]
    fn every_parameter_is_an_option() {
        for route in routes() {
            let name = route.name();
            for param in params(&route) {
                let given = format!("--{}=x", option(param.name));
                assert_eq!(query(name, &[&given]).as_deref(), Ok(&*format!("{}=x", param.name)), "{name}");
            }
        }
    }

    #[test]
    fn examples_are_command_lines() {
        assert_eq!(
            example(&route("best-price")).as_deref(),
            Some("pricebook query best-price --q 'sweet baby rays barbecue sauce' --country ca")
        );
        assert_eq!(example(&route("coverage")).as_deref(), Some("pricebook query coverage"));
        assert_eq!((quoted("it's"), quoted("")), (r"'it'\''s'".to_owned(), "''".to_owned()));
    }

    #[test]
    fn help_has_the_bounds_of_the_reader() {
        let text = subcommand(&route("best-price")).render_help().to_string();
        for part in
            ["[1 to 50; default: 10]", "[possible values: us, ca]", "[default: us]", "--product-uid <TEXT>"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
