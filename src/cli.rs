//! The command line: one subcommand per thing that pricebook does.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config::{ServeConfig, ServeWish};
use crate::http;
use crate::http::rate::REQUESTS_PER_MINUTE;
use crate::payment::Mode;
use crate::telemetry::{LogFormat, start_log};

/// An in-memory columnar server for retail price intelligence.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// How the log on standard error is written; `PRICEBOOK_LOG` filters it.
    #[arg(long, global = true, value_enum, default_value = "text", env = "PRICEBOOK_LOG_FORMAT")]
    log_format: LogFormat,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answers requests from the current snapshot; builds the demo's if there is none.
    Serve(ServeArgs),
}

#[derive(Debug, Args)]
struct ServeArgs {
    /// Directory of snapshots; its file CURRENT names the one to serve.
    #[arg(long, default_value = "snapshots", env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR")]
    snapshots: PathBuf,
    /// Address for clients.
    #[arg(long, default_value = "127.0.0.1:8080", env = "PRICEBOOK_LISTEN", value_name = "ADDR")]
    listen: SocketAddr,
    /// Address for /healthz, /readyz and /metrics; none without it.
    #[arg(long, env = "PRICEBOOK_ADMIN", value_name = "ADDR")]
    admin: Option<SocketAddr>,
    /// How paid routes are paid: off. It must be named unless --listen is a loopback address.
    #[arg(long, env = "PRICEBOOK_PAYMENTS", value_name = "MODE")]
    payments: Option<Mode>,
    /// Requests per minute that one client may send; 0 counts nobody.
    #[arg(long, default_value_t = REQUESTS_PER_MINUTE.get(), env = "PRICEBOOK_RATE", value_name = "COUNT")]
    rate: u32,
    /// Counts clients on loopback addresses too.
    #[arg(long, env = "PRICEBOOK_RATE_LOOPBACK")]
    rate_loopback: bool,
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let Cli { log_format, command } = Cli::parse();
    start_log(log_format);
    let result = match command {
        Command::Serve(args) => serve(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(args: ServeArgs) -> anyhow::Result<()> {
    let ServeArgs { snapshots, listen, admin, payments, rate, rate_loopback } = args;
    let wish = ServeWish { snapshots, listen, admin, payments, requests_per_minute: rate, rate_loopback };
    http::start::run(&ServeConfig::new(wish)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
