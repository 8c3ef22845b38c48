//! `pricebook ledger`: reports, verification and backup of the payment ledger, and claims of payment channels.

use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::claims::{self, ClaimArgs, SweepArgs};
use crate::payment::ledger::audit::{audit, back_up};
use crate::payment::ledger::report::{ExportFormat, LedgerReport, ReportDays, ReportError, SummaryFormat};
use crate::types::Day;

#[derive(Debug, Subcommand)]
pub(super) enum LedgerCommand {
    /// Lists every payment that was ever settled, the earliest first.
    ///
    /// Rows whose checksum does not match have the state `damaged`. The exit code is 1 if there is such a row.
    Export {
        #[command(flatten)]
        source: Source,
        /// Format of the rows.
        #[arg(long, value_enum, default_value = "csv")]
        format: ExportFormat,
    },
    /// Sums the revenue by UTC day, rail and endpoint.
    ///
    /// Rows whose checksum does not match are left out. The exit code is 1 if the ledger contains such a row, even
    /// outside the requested days.
    Summary {
        #[command(flatten)]
        source: Source,
        /// Format of the rows.
        #[arg(long, value_enum, default_value = "table")]
        format: SummaryFormat,
        /// First UTC day, as in 2026-11-21.
        #[arg(long, value_name = "DAY", value_parser = day)]
        from: Option<Day>,
        /// Last UTC day.
        #[arg(long, value_name = "DAY", value_parser = day)]
        to: Option<Day>,
    },
    /// Lists payment channels with their balances, sold amounts and unclaimed amounts.
    ///
    /// Channels whose checksum does not match are listed by id as damaged. The exit code is 1 if there is such a
    /// channel.
    Channels {
        #[command(flatten)]
        source: Source,
        /// Format of the rows.
        #[arg(long, value_enum, default_value = "table")]
        format: SummaryFormat,
    },
    /// Claims amounts that were sold on payment channels and are not claimed yet.
    ///
    /// The command works with or without a running server. The exit code is 1 unless all these amounts were claimed.
    Claim(ClaimArgs),
    /// Transfers the claimed amounts of payment channels to the receiver.
    Sweep(SweepArgs),
    /// Verifies the whole ledger: its structure, the checksum of every row, and the recorded counts and sizes.
    ///
    /// The exit code is 1 if there is a fault.
    Verify {
        #[command(flatten)]
        source: Source,
    },
    /// Copies the ledger as of one moment into a new file, and verifies the copy.
    Backup {
        #[command(flatten)]
        source: Source,
        /// Path of the copy, which must not exist yet.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(super) struct Source {
    /// Payment ledger; a server may have it open.
    #[arg(long, default_value = "ledger.sqlite", env = "PRICEBOOK_LEDGER", value_name = "FILE")]
    ledger: PathBuf,
}

fn day(text: &str) -> Result<Day, String> {
    Day::parse(text).ok_or_else(|| "not a day; write it as 2026-11-21".to_owned())
}

pub(super) fn run(command: LedgerCommand) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let result = match command {
        LedgerCommand::Export { source, format } => {
            LedgerReport::open(&source.ledger)?.export(format, &mut out).map(|damaged| (source, damaged))
        }
        LedgerCommand::Summary { from: Some(from), to: Some(to), .. } if from > to => {
            anyhow::bail!("--from is after --to; swap them")
        }
        LedgerCommand::Summary { source, format, from, to } => {
            let summary = LedgerReport::open(&source.ledger)?.summary(ReportDays { from, to })?;
            summary.write(format, &mut out).map(|()| (source, summary.damaged()))
        }
        LedgerCommand::Channels { source, format } => {
            let channels = LedgerReport::open(&source.ledger)?.channels()?;
            channels.write(format, &mut out).map(|()| (source, channels.damaged()))
        }
        LedgerCommand::Claim(args) => return claims::claim(args),
        LedgerCommand::Sweep(args) => return claims::sweep(args),
        LedgerCommand::Verify { source } => {
            let found = audit(&source.ledger)?;
            let written = write!(out, "{}: {found}", source.ledger.display()).and_then(|()| out.flush());
            match found.faults.len() {
                0 => written.map(|()| (source, 0)).map_err(ReportError::from),
                _ => anyhow::bail!("{} is damaged: replace the file with a backup", source.ledger.display()),
            }
        }
        LedgerCommand::Backup { source, out: copy } => {
            let found = back_up(&source.ledger, &copy)?;
            let written = write!(out, "{}: {found}", copy.display()).and_then(|()| out.flush());
            written.map(|()| (source, 0)).map_err(ReportError::from)
        }
    };
    match result {
        // The reader closed the pipe, as `head` does.
        Err(ReportError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error.into()),
        Ok((_, 0)) => Ok(()),
        Ok((Source { ledger }, damaged)) => anyhow::bail!(
            "{}: {damaged} rows do not match their checksums: they are marked as damaged and excluded from the sums of \
             payments; `pricebook ledger verify` lists the rows, and a backup contains the original rows",
            ledger.display()
        ),
    }
}
