//! `pricebook ledger`: what the ledger of payments holds, whether it is sound, and a copy of it.

use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::claims::{self, ClaimArgs, SweepArgs};
use crate::payment::ledger::audit::{audit, back_up};
use crate::payment::ledger::report::{ExportFormat, LedgerReport, ReportDays, ReportError, SummaryFormat};
use crate::types::Day;

#[derive(Debug, Subcommand)]
pub(super) enum LedgerCommand {
    /// Lists every payment that was ever settled, the earliest first. Rows that do not fit their checksums have the state
    /// `damaged`. Ends with 1 when there is one.
    Export {
        #[command(flatten)]
        source: Source,
        /// How rows are written.
        #[arg(long, value_enum, default_value = "csv")]
        format: ExportFormat,
    },
    /// Sums the revenue by UTC day, rail and endpoint. Rows that do not fit their checksums are left out. Ends with 1 when
    /// there is one, of whatever day.
    Summary {
        #[command(flatten)]
        source: Source,
        /// How rows are written.
        #[arg(long, value_enum, default_value = "table")]
        format: SummaryFormat,
        /// First UTC day, as 2026-11-21.
        #[arg(long, value_name = "DAY", value_parser = day)]
        from: Option<Day>,
        /// Last UTC day.
        #[arg(long, value_name = "DAY", value_parser = day)]
        to: Option<Day>,
    },
    /// Lists payment channels: what lies in each, what was sold on it and what of that is not claimed yet.
    /// Channels that do not fit their checksums are listed by their ids as damaged. Ends with 1 when there is one.
    Channels {
        #[command(flatten)]
        source: Source,
        /// How rows are written.
        #[arg(long, value_enum, default_value = "table")]
        format: SummaryFormat,
    },
    /// Claims what was sold on payment channels and is not claimed yet, beside a running server or without one. Ends with
    /// 1 unless all of it was claimed.
    Claim(ClaimArgs),
    /// Moves what was claimed of payment channels to the receiver.
    Sweep(SweepArgs),
    /// Looks through the whole ledger: its structure, the checksum of every row, the counts. Ends with 1 when anything is
    /// not as it was written.
    Verify {
        #[command(flatten)]
        source: Source,
    },
    /// Copies the ledger as it is at one moment into a new file, and looks through the copy.
    Backup {
        #[command(flatten)]
        source: Source,
        /// The copy; nothing may be there yet.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(super) struct Source {
    /// Ledger of payments; a server may have it open.
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
            anyhow::bail!("--from lies after --to; swap them")
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
                _ => anyhow::bail!("{} is not sound: put a backup in its place", source.ledger.display()),
            }
        }
        LedgerCommand::Backup { source, out: copy } => {
            let found = back_up(&source.ledger, &copy)?;
            let written = write!(out, "{}: {found}", copy.display()).and_then(|()| out.flush());
            written.map(|()| (source, 0)).map_err(ReportError::from)
        }
    };
    match result {
        // Who read it has had enough, as `head` has.
        Err(ReportError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error.into()),
        Ok((_, 0)) => Ok(()),
        Ok((Source { ledger }, damaged)) => anyhow::bail!(
            "{}: {damaged} rows do not fit their checksums: they are marked as damaged and left out of the sums of payments; \
             `pricebook ledger verify` names them, and a backup has them as they were",
            ledger.display()
        ),
    }
}
