//! `pricebook mcp`: serves the MCP tools over standard input and output to an agent on this machine.

use std::path::PathBuf;

use clap::Args;

use crate::payment::Mode;
use crate::server::config::{ServeConfig, ServeFlags};
use crate::server::serve;

/// Arguments of the command.
#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// Configuration file with prices and rails; options and environment variables take precedence over the file.
    #[arg(long, env = "PRICEBOOK_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory of snapshots; its file CURRENT names the snapshot to query [default: snapshots].
    #[arg(long, env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR")]
    snapshots: Option<PathBuf>,
    /// Payment mode of paid tools: off, sandbox or live.
    ///
    /// The client is on this machine, so the mode in the configuration file is ignored.
    #[arg(long, value_name = "MODE", default_value = "off")]
    payments: Mode,
    /// Starts without verifying the snapshot, for files that were verified before and have not changed since.
    #[arg(long)]
    skip_verification: bool,
}

/// Answers MCP messages until standard input ends.
pub(super) fn run(args: McpArgs) -> anyhow::Result<()> {
    let McpArgs { config, snapshots, payments, skip_verification } = args;
    let flags = ServeFlags {
        config,
        snapshots,
        payments: Some(payments),
        skip_verification,
        ..ServeFlags::default()
    };
    serve::run_stdio(&ServeConfig::load(flags)?)
}
