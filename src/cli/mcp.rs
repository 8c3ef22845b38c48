//! `pricebook mcp`: the tools of agents, for a program on this machine.

use std::path::PathBuf;

use clap::Args;

use crate::payment::Mode;
use crate::server::config::{ServeConfig, ServeFlags};
use crate::server::serve;

/// What the command is told.
#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// Configuration file, for prices and rails; what is named here comes before it.
    #[arg(long, env = "PRICEBOOK_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory of snapshots; its file CURRENT names the one to answer from [default: snapshots].
    #[arg(long, env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR")]
    snapshots: Option<PathBuf>,
    /// How paid tools are paid: off, sandbox or live. The client is on this machine, so it is off unless named here,
    /// whatever the file says.
    #[arg(long, value_name = "MODE", default_value = "off")]
    payments: Mode,
    /// Starts without reading the snapshot through: for files that were verified before and not touched since.
    #[arg(long)]
    skip_verification: bool,
}

/// Answers until standard input ends.
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
