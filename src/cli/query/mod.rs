//! `pricebook query`: answers a request from a snapshot as a server would, without a server.
//!
//! `options` makes the subcommands and their options from the route table when the program starts. Values are written
//! unchecked into a query string. The endpoint parses this string as in a server, so bounds and refusals are the same.
//! [`QueryCommand::answer`] does everything except opening the snapshot and writing the output. The answer is encoded
//! by one of the server's representations, or as a table for people (`tables`), which is made from the JSON.

mod error_text;
mod options;
mod output;
mod source;
mod tables;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use self::output::{AnswerFormat, Misuse, OutputArgs};
use self::source::SourceArgs;
use self::tables::ShownTable;
use crate::catalog::Catalog;
use crate::endpoints;
use crate::query::endpoint::{Route, Stamp};
use crate::query::refusal::Refusal;
use crate::query::representation::Representation;
use crate::server::problem::Problem;
use crate::server::stamp_of;

/// Outcome of a query. Its value is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryEnd {
    /// The request was answered.
    Answered = 0,
    /// There is no snapshot, or the answer cannot be written.
    Failed = 1,
    /// The command line or a parameter cannot be accepted.
    BadParameter = 2,
    /// The snapshot has no data for the request.
    Refused = 3,
}

/// Exit codes, as the long help lists them.
const EXIT_CODES: &str = "\
Exit codes:
  0  answered
  1  no snapshot opens, or the answer cannot be written
  2  the command line or a parameter cannot be accepted
  3  refused: the snapshot contains no data for the request";

/// Result of a query.
#[derive(Debug, PartialEq, Eq)]
pub struct QueryReply {
    /// The answer, or with `--format json` the problem document of a refusal; else empty.
    pub body: Vec<u8>,
    /// Text of a refusal for a person; empty if there is an answer.
    pub said: String,
    /// Outcome of the query.
    pub end: QueryEnd,
}

/// A parsed command line. Without a request, the list of endpoints is printed.
#[derive(Debug)]
pub struct QueryCommand {
    source: SourceArgs,
    output: OutputArgs,
    request: Option<Request>,
}

/// A request to an endpoint.
#[derive(Debug)]
struct Request {
    path: &'static str,
    query: String,
}

impl Args for QueryCommand {
    fn augment_args(command: Command) -> Command {
        let command = OutputArgs::augment_args(SourceArgs::augment_args(command));
        let command = command.subcommand_value_name("ENDPOINT").subcommand_help_heading("Endpoints");
        command.subcommands(endpoints::routes().iter().map(options::subcommand)).after_long_help(EXIT_CODES)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for QueryCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let request = matches.subcommand().and_then(|(name, matches)| {
            let route = endpoints::routes().into_iter().find(|route| route.name() == name)?;
            Some(Request { path: route.path, query: options::query_string(&route, matches) })
        });
        Ok(Self {
            source: SourceArgs::from_arg_matches(matches)?,
            output: OutputArgs::from_arg_matches(matches)?,
            request,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl QueryCommand {
    /// Parses the words after `pricebook query`.
    ///
    /// # Errors
    /// Returns clap's error if the words are not a valid command line.
    pub fn parse(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Self, clap::Error> {
        let words = std::iter::once("query".into()).chain(words.into_iter().map(Into::into));
        let matches = Self::augment_args(Command::new("query")).try_get_matches_from(words)?;
        Self::from_arg_matches(&matches)
    }

    /// Returns the result of the request in the requested format, or `None` if the command line does not name an
    /// endpoint. `width` is the width of the terminal, in characters.
    ///
    /// # Errors
    /// Returns an error if the answer cannot be encoded, or the endpoint does not offer the requested format.
    pub fn answer(
        &self,
        catalog: &Arc<Catalog>,
        stamp: Stamp,
        width: Option<usize>,
    ) -> anyhow::Result<Option<QueryReply>> {
        let Some(Request { path, query }) = &self.request else { return Ok(None) };
        let format = self.output.format()?;
        let routes = endpoints::routes();
        let route = routes.iter().find(|route| route.path == *path);
        let route = route.ok_or_else(|| anyhow::anyhow!("{path} is not an endpoint"))?;
        let shown = ShownTable { width };
        let representation = match format.representation()? {
            Some(known) => known,
            None => &shown,
        };
        if !route.offers(representation) {
            let advice = "omit --format, or use --format json";
            anyhow::bail!(Misuse(format!("the answer of {} has no rows: {advice}", route.name())));
        }
        match ask(route, query, catalog, stamp, representation)? {
            Ok(body) => Ok(Some(QueryReply { body, said: String::new(), end: QueryEnd::Answered })),
            Err(refusal) => Ok(Some(refused(route, refusal, format)?)),
        }
    }
}

/// Returns the encoded answer of an endpoint, or its refusal.
fn ask(
    route: &Route,
    query: &str,
    catalog: &Arc<Catalog>,
    stamp: Stamp,
    representation: &dyn Representation,
) -> anyhow::Result<Result<Vec<u8>, Refusal>> {
    let resolved = route
        .parse(query, catalog.as_of())
        .map_err(Refusal::BadParameters)
        .and_then(|parsed| parsed.resolve(catalog));
    Ok(match resolved {
        Ok(work) => Ok(work.run(stamp, representation)?),
        Err(refusal) => Err(refusal),
    })
}

/// Makes the reply for a refusal: text for a person and, with `--format json`, the problem document that a server
/// sends.
fn refused(route: &Route, refusal: Refusal, format: AnswerFormat) -> anyhow::Result<QueryReply> {
    let end = match refusal {
        Refusal::BadParameters(_) => QueryEnd::BadParameter,
        _ => QueryEnd::Refused,
    };
    let said = error_text::sentences(route, &refusal);
    let body = match format {
        AnswerFormat::Json => Problem::from(refusal).body(route.path, route.bare_errors)?,
        _ => Vec::new(),
    };
    Ok(QueryReply { body, said, end })
}

/// Answers the request, or lists the endpoints.
pub(super) fn run(command: &QueryCommand) -> anyhow::Result<ExitCode> {
    let end = match command.request {
        None => {
            super::say(endpoints())?;
            QueryEnd::Answered
        }
        Some(_) => match answer_here(command) {
            Ok(end) => end,
            Err(error) if super::is_broken_pipe(&error) => return Err(error),
            Err(error) => {
                writeln!(io::stderr(), "pricebook: {error:#}")?;
                match error.downcast_ref() {
                    Some(Misuse(_)) => QueryEnd::BadParameter,
                    None => QueryEnd::Failed,
                }
            }
        },
    };
    Ok(ExitCode::from(end as u8))
}

/// Opens the snapshot, answers the request and writes the answer.
fn answer_here(command: &QueryCommand) -> anyhow::Result<QueryEnd> {
    let (source, output) = (&command.source, &command.output);
    // The output is checked first, so that an answer that cannot be written is not computed.
    output.check(io::stdout().is_terminal())?;
    let catalog = Arc::new(source.open()?);
    let Some(reply) = command.answer(&catalog, stamp_of(&catalog), output::width())? else {
        return Ok(QueryEnd::Answered);
    };
    if !reply.said.is_empty() {
        writeln!(io::stderr(), "{}", reply.said)?;
    }
    if reply.end == QueryEnd::Answered || output.out().is_none() {
        output.write(&reply.body)?;
    }
    Ok(reply.end)
}

/// The list of endpoints, with a line for each: its name and its summary.
fn endpoints() -> String {
    let routes = endpoints::routes();
    let names: Vec<&str> = routes.iter().map(|route| route.name()).collect();
    let width = names.iter().map(|name| name.len()).max().unwrap_or_default();
    let lines =
        names.iter().zip(&routes).map(|(name, route)| format!("  {name:<width$}  {}\n", route.summary));
    let example = routes.iter().find_map(options::example).unwrap_or_default();
    format!(
        "Endpoints:\n{}\npricebook query ENDPOINT --help lists the options of an endpoint. Example:\n  {example}\n",
        lines.collect::<String>()
    )
}
