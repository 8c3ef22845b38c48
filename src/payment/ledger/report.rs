//! Reports: every settlement as it stands, and the revenue by day, rail and endpoint.
//!
//! A report reads one consistent view of the ledger, beside the server that writes it. Revenue counts what is settled
//! now; a settlement that the chain did not bear out is listed by the export with its state and counts for nothing.
//! `format` writes what is read here.

use std::io::{self, Write};
use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, params};
use serde::{Serialize, Serializer};

use super::channels;
use super::format::{csv_line, json_end, json_item, table};
use super::rows::number;
use super::schema::{self, CHANNELS_SINCE};
use crate::domain::Day;
use crate::payment::core::channel::row::ChannelRow;
use crate::payment::core::claim::{PaymentProtocol, StoreError};
use crate::payment::core::prices::usd;
use crate::payment::protocols::channel::ChannelId;

const DAY_MILLIS: i64 = 86_400_000;

/// Every claim that was ever settled.
pub(super) const EXPORT: &str =
    "SELECT settled_at, rail, protocol, endpoint, payer, amount, asset, tx, key, state FROM claims
     WHERE settled_at IS NOT NULL AND rail <> 'channels' ORDER BY settled_at, key";
/// Revenue between two moments.
pub(super) const SUMMARY: &str =
    "SELECT settled_at / 86400000 AS day, rail, endpoint, count(*), sum(amount), sum(confirmed = 0) FROM claims
     WHERE state = 'settled' AND rail <> 'channels' AND settled_at >= ?1 AND settled_at < ?2
     GROUP BY day, rail, endpoint ORDER BY day, rail, endpoint";

/// Revenue of payment channels between two days, when it was charged.
const CHANNEL_REVENUE: &str = "SELECT day, 'channels', endpoint, payments, amount, 0 FROM channel_revenue
     WHERE day >= ?1 AND day < ?2 ORDER BY day, endpoint";

/// A report that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] StoreError),
    /// The report cannot be written.
    #[error("the report cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl From<rusqlite::Error> for ReportError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Ledger(error.into())
    }
}

impl From<serde_json::Error> for ReportError {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}

/// How settlements are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// Comma-separated values with a header line.
    Csv,
    /// An array of objects.
    Json,
}

/// How revenue is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SummaryFormat {
    /// Aligned columns to read.
    Table,
    /// Comma-separated values with a header line, the total last.
    Csv,
    /// An object with rows and their total.
    Json,
}

/// UTC days, both ends included; without an end, all on that side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReportDays {
    /// The first.
    pub from: Option<Day>,
    /// The last.
    pub to: Option<Day>,
}

/// One settlement.
#[derive(Debug, Serialize)]
struct Settlement {
    settled_at: String,
    rail: String,
    protocol: String,
    endpoint: String,
    payer: String,
    amount_atomic: u64,
    asset: String,
    transaction: Option<String>,
    key: String,
    state: String,
}

/// Revenue of one rail and endpoint on one day.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Revenue {
    day: Day,
    rail: String,
    endpoint: String,
    #[serde(flatten)]
    sums: Sums,
}

/// What was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
struct Sums {
    payments: u64,
    #[serde(rename = "amount_usd", serialize_with = "as_usd")]
    amount_atomic: u64,
    unconfirmed: u64,
}

/// The revenue of some days.
#[derive(Debug, Serialize)]
pub struct RevenueSummary {
    rows: Vec<Revenue>,
    total: Sums,
}

/// A payment channel, as it is listed; amounts are US dollars.
#[derive(Debug, Serialize)]
struct ListedChannel {
    id: String,
    payer: String,
    balance: String,
    charged: String,
    claimed: String,
    at_risk: String,
    /// When a withdrawal by force was begun.
    withdrawal: Option<String>,
    used_at: String,
    #[serde(skip)]
    sums: [u64; 4],
}

/// The payment channels of a ledger.
#[derive(Debug)]
pub struct ChannelList {
    channels: Vec<ListedChannel>,
    /// Balance, charged, claimed, at risk.
    total: [u64; 4],
}

impl ChannelList {
    const COLUMNS: [&str; 8] =
        ["id", "payer", "balance", "charged", "claimed", "at_risk", "withdrawal", "used_at"];

    /// Writes the channels and, last, their total.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write(&self, format: SummaryFormat, out: &mut impl Write) -> Result<(), ReportError> {
        let cells = |row: &ListedChannel| {
            let withdrawal = row.withdrawal.clone().unwrap_or_default();
            let [id, payer, balance, charged, claimed, at_risk, used_at] =
                [&row.id, &row.payer, &row.balance, &row.charged, &row.claimed, &row.at_risk, &row.used_at]
                    .map(String::clone);
            [id, payer, balance, charged, claimed, at_risk, withdrawal, used_at]
        };
        let [balance, charged, claimed, at_risk] = self.total.map(usd);
        let empty = String::new;
        let total = ["total".to_owned(), empty(), balance, charged, claimed, at_risk, empty(), empty()];
        let rows: Vec<_> = self.channels.iter().map(cells).chain([total]).collect();
        match format {
            SummaryFormat::Table => table(out, &Self::COLUMNS, &rows, &Self::COLUMNS[2..6])?,
            SummaryFormat::Csv => {
                csv_line(out, &Self::COLUMNS)?;
                for row in &rows {
                    csv_line(out, row)?;
                }
            }
            SummaryFormat::Json => {
                #[derive(Serialize)]
                struct Total {
                    channels: usize,
                    balance: String,
                    charged: String,
                    claimed: String,
                    at_risk: String,
                }
                #[derive(Serialize)]
                struct All<'a> {
                    channels: &'a [ListedChannel],
                    total: Total,
                }
                let [balance, charged, claimed, at_risk] = self.total.map(usd);
                let channels = self.channels.len();
                let total = Total { channels, balance, charged, claimed, at_risk };
                serde_json::to_writer(&mut *out, &All { channels: &self.channels, total })?;
                writeln!(out)?;
            }
        }
        Ok(out.flush()?)
    }
}

/// A ledger that is read for reports.
pub struct LedgerReport(Connection);

impl LedgerReport {
    /// Opens a ledger to read, whether or not a server has it open.
    ///
    /// # Errors
    /// When there is none, or it is none of ours or of a newer version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        schema::open_reader(path).map(Self)
    }

    /// Writes every claim that was ever settled, the earliest settlement first.
    ///
    /// # Errors
    /// When the ledger cannot be read or the output not be written.
    pub fn export(&self, format: ExportFormat, out: &mut impl Write) -> Result<(), ReportError> {
        let mut statement = self.0.prepare(EXPORT)?;
        let settlements = statement.query_map([], read_settlement)?.map(|row| Ok(row?));
        let settlements = settlements.chain(self.channel_settlements()?.into_iter().map(Ok::<_, StoreError>));
        match format {
            ExportFormat::Csv => {
                csv_line(out, &Settlement::COLUMNS)?;
                for settlement in settlements {
                    csv_line(out, &settlement?.cells())?;
                }
            }
            ExportFormat::Json => {
                let mut first = true;
                for settlement in settlements {
                    json_item(out, &mut first, &settlement?)?;
                }
                json_end(out, first)?;
            }
        }
        Ok(out.flush()?)
    }

    /// What was sold on payment channels, as settlements: each claim, and then what is charged and not claimed yet.
    fn channel_settlements(&self) -> Result<Vec<Settlement>, StoreError> {
        if !self.has_channels()? {
            return Ok(Vec::new());
        }
        let mut settlements = Vec::new();
        channels::all(&self.0, |row| {
            let settlement = |at: u64, amount: u64, cumulative: u64, transaction, state: &str| {
                Ok::<_, StoreError>(Settlement {
                    settled_at: moment(at)?,
                    rail: row.rail.to_string(),
                    protocol: PaymentProtocol::X402.to_string(),
                    endpoint: String::new(),
                    payer: format!("{:#x}", row.config.payer),
                    amount_atomic: amount,
                    asset: format!("{:#x}", row.config.token),
                    transaction,
                    key: format!("{}:{cumulative}", row.id),
                    state: state.to_owned(),
                })
            };
            let mut cumulative = 0_u64;
            for (amount, transaction, at) in channels::claims(&self.0, row.id)? {
                cumulative = cumulative.saturating_add(amount);
                settlements.push(settlement(at, amount, cumulative, transaction, "claimed")?);
            }
            if row.at_risk() > 0 {
                settlements.push(settlement(row.used_at, row.at_risk(), row.charged, None, "charged")?);
            }
            Ok(())
        })?;
        settlements.sort_by(|one, other| (&one.settled_at, &one.key).cmp(&(&other.settled_at, &other.key)));
        Ok(settlements)
    }

    fn has_channels(&self) -> Result<bool, StoreError> {
        Ok(schema::version(&self.0)? >= CHANNELS_SINCE)
    }

    /// Every payment channel as it stands.
    ///
    /// # Errors
    /// When the ledger cannot be read, or a channel in it is not as it was written.
    pub fn channel_rows(&self) -> Result<Vec<ChannelRow>, StoreError> {
        let mut rows = Vec::new();
        if self.has_channels()? {
            channels::all(&self.0, |row| {
                rows.push(row);
                Ok(())
            })?;
        }
        Ok(rows)
    }

    /// What was sold on a channel, in atomic USDC; 0 when there is none.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn charged(&self, id: ChannelId) -> Result<u64, StoreError> {
        Ok(channels::find(&self.0, id)?.map_or(0, |row| row.charged))
    }

    /// Every payment channel and what lies in it, the longest unused first.
    ///
    /// # Errors
    /// When the ledger cannot be read, or a channel in it is not as it was written.
    pub fn channels(&self) -> Result<ChannelList, StoreError> {
        let listed = |row: ChannelRow| {
            Ok(ListedChannel {
                id: row.id.to_string(),
                payer: format!("{:#x}", row.config.payer),
                balance: usd(row.chain.balance),
                charged: usd(row.charged),
                claimed: usd(row.chain.claimed),
                at_risk: usd(row.at_risk()),
                withdrawal: row.chain.withdraw_at.map(|at| moment(at.saturating_mul(1_000))).transpose()?,
                used_at: moment(row.used_at)?,
                sums: [row.chain.balance, row.charged, row.chain.claimed, row.at_risk()],
            })
        };
        let rows: Vec<ListedChannel> =
            self.channel_rows()?.into_iter().map(listed).collect::<Result<_, StoreError>>()?;
        let mut total = [0_u64; 4];
        for row in &rows {
            for (sum, part) in total.iter_mut().zip(row.sums) {
                *sum = sum.saturating_add(part);
            }
        }
        Ok(ChannelList { channels: rows, total })
    }

    /// Sums the revenue of some days.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn summary(&self, days: ReportDays) -> Result<RevenueSummary, StoreError> {
        let from = days.from.map_or(0, |day| i64::from(day.days()) * DAY_MILLIS);
        let end = days.to.map_or(i64::MAX, |day| (i64::from(day.days()) + 1) * DAY_MILLIS);
        let mut statement = self.0.prepare(SUMMARY)?;
        let mut rows: Vec<Revenue> =
            statement.query_map(params![from, end], read_revenue)?.collect::<Result<_, _>>()?;
        if self.has_channels()? {
            let mut statement = self.0.prepare(CHANNEL_REVENUE)?;
            let sold = statement.query_map(params![from / DAY_MILLIS, end / DAY_MILLIS], read_revenue)?;
            rows.extend(sold.collect::<Result<Vec<_>, _>>()?);
            rows.sort_by(|one, other| {
                (one.day, &one.rail, &one.endpoint).cmp(&(other.day, &other.rail, &other.endpoint))
            });
        }
        let total = rows.iter().fold(Sums::default(), |total, Revenue { sums, .. }| Sums {
            payments: total.payments + sums.payments,
            amount_atomic: total.amount_atomic.saturating_add(sums.amount_atomic),
            unconfirmed: total.unconfirmed + sums.unconfirmed,
        });
        Ok(RevenueSummary { rows, total })
    }
}

impl RevenueSummary {
    const COLUMNS: [&str; 6] = ["day", "rail", "endpoint", "payments", "amount_usd", "unconfirmed"];

    /// Payments, and their sum in atomic USDC.
    pub fn totals(&self) -> (u64, u64) {
        (self.total.payments, self.total.amount_atomic)
    }

    /// Writes the rows and, last, their total.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write(&self, format: SummaryFormat, out: &mut impl Write) -> Result<(), ReportError> {
        let rows = self
            .rows
            .iter()
            .map(|Revenue { day, rail, endpoint, sums }| cells(&day.to_string(), rail, endpoint, *sums));
        let rows: Vec<_> = rows.chain([cells("total", "", "", self.total)]).collect();
        match format {
            SummaryFormat::Table => table(out, &Self::COLUMNS, &rows, &Self::COLUMNS[3..])?,
            SummaryFormat::Csv => {
                csv_line(out, &Self::COLUMNS)?;
                for row in &rows {
                    csv_line(out, row)?;
                }
            }
            SummaryFormat::Json => {
                serde_json::to_writer(&mut *out, self)?;
                writeln!(out)?;
            }
        }
        Ok(out.flush()?)
    }
}

impl Settlement {
    const COLUMNS: [&str; 10] = [
        "settled_at",
        "rail",
        "protocol",
        "endpoint",
        "payer",
        "amount_atomic",
        "asset",
        "transaction",
        "key",
        "state",
    ];

    fn cells(self) -> [String; 10] {
        [
            self.settled_at,
            self.rail,
            self.protocol,
            self.endpoint,
            self.payer,
            self.amount_atomic.to_string(),
            self.asset,
            self.transaction.unwrap_or_default(),
            self.key,
            self.state,
        ]
    }
}

fn cells(day: &str, rail: &str, endpoint: &str, sums: Sums) -> [String; 6] {
    let Sums { payments, amount_atomic, unconfirmed } = sums;
    [
        day.to_owned(),
        rail.to_owned(),
        endpoint.to_owned(),
        payments.to_string(),
        usd(amount_atomic),
        unconfirmed.to_string(),
    ]
}

fn read_settlement(row: &rusqlite::Row<'_>) -> rusqlite::Result<Settlement> {
    Ok(Settlement {
        settled_at: instant(row)?,
        rail: row.get(1)?,
        protocol: row.get(2)?,
        endpoint: row.get(3)?,
        payer: row.get(4)?,
        amount_atomic: number(row, 5)?,
        asset: row.get(6)?,
        transaction: row.get(7)?,
        key: row.get(8)?,
        state: row.get(9)?,
    })
}

/// Unix milliseconds as RFC 3339 in UTC.
fn moment(millis: u64) -> Result<String, StoreError> {
    let instant = i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
    let instant = instant.ok_or_else(|| StoreError(format!("{millis} is no moment")))?;
    Ok(format!("{instant:.3}"))
}

/// Unix milliseconds as RFC 3339 in UTC.
fn instant(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    let millis: i64 = row.get(0)?;
    let instant = Timestamp::from_millisecond(millis)
        .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, millis))?;
    Ok(format!("{instant:.3}"))
}

fn read_revenue(row: &rusqlite::Row<'_>) -> rusqlite::Result<Revenue> {
    let day: i64 = row.get(0)?;
    let day = i32::try_from(day).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, day))?;
    let sums =
        Sums { payments: number(row, 3)?, amount_atomic: number(row, 4)?, unconfirmed: number(row, 5)? };
    Ok(Revenue { day: Day::from_days(day), rail: row.get(1)?, endpoint: row.get(2)?, sums })
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn as_usd<S: Serializer>(atomic: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&usd(*atomic))
}
