//! Reports: every settlement as it stands, and the revenue by day, rail and endpoint.
//!
//! A report reads one consistent view of the ledger, beside the server that writes it. Revenue counts what is settled
//! now; a settlement that the chain did not bear out is listed by the export with its state and counts for nothing.
//! A row that does not fit its checksum is listed with the state `DAMAGED`, counts for nothing either, and is counted
//! beside the report. `format` writes what is read here.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use serde::{Serialize, Serializer};

pub use super::channel_list::{ChannelList, ChannelRows};
use super::channels::{self, BrokenChannel};
use super::format::{self, DAMAGED, csv_line, json_end, json_item, moment};
pub use super::format::{ExportFormat, ReportError, SummaryFormat};
use super::row_checksum::{self, BrokenRow};
use super::rows::number;
use super::schema::{self, CHANNELS_SINCE, CHECKSUMMED_SINCE};
use crate::payment::core::claim::{PaymentProtocol, StoreError};
use crate::payment::core::prices::usd;
use crate::payment::protocols::channel::ChannelId;
use crate::types::Day;

const DAY_MILLIS: i64 = 86_400_000;

/// The columns of a settlement.
macro_rules! settlement_columns {
    () => {
        "SELECT settled_at, rail, protocol, endpoint, payer, amount, asset, tx, key, state, rowid FROM claims "
    };
}

/// Every claim that was ever settled.
pub(super) const EXPORT: &str = concat!(
    settlement_columns!(),
    "WHERE settled_at IS NOT NULL AND rail <> 'channels' ORDER BY settled_at, key"
);
/// One claim, whatever it says of itself.
const EXPORT_ONE: &str = concat!(settlement_columns!(), "WHERE rowid = ?1");
/// Place of the row's number behind the columns.
const ROWID: usize = 10;
/// Revenue between two moments, but for some rows.
pub(super) const SUMMARY: &str =
    "SELECT settled_at / 86400000 AS day, rail, endpoint, count(*), sum(amount), sum(confirmed = 0) FROM claims
     WHERE state = 'settled' AND rail <> 'channels' AND settled_at >= ?1 AND settled_at < ?2
         AND claims.rowid NOT IN (SELECT value FROM json_each(?3))
     GROUP BY day, rail, endpoint ORDER BY day, rail, endpoint";

/// Revenue of payment channels between two days, when it was charged.
const CHANNEL_REVENUE: &str = "SELECT day, 'channels', endpoint, payments, amount, 0 FROM channel_revenue
     WHERE day >= ?1 AND day < ?2 ORDER BY day, endpoint";

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
    /// `None` where a damaged row holds no moment; likewise the amount.
    settled_at: Option<String>,
    rail: String,
    protocol: String,
    endpoint: String,
    payer: String,
    amount_atomic: Option<u64>,
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
    #[serde(skip)]
    damaged: usize,
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

    /// Writes every claim that was ever settled, the earliest settlement first. Rows that do not fit their checksums have
    /// the state `DAMAGED`; those that say that they were never settled come last. Returns their number.
    ///
    /// # Errors
    /// When the ledger cannot be read or the output not be written.
    pub fn export(&self, format: ExportFormat, out: &mut impl Write) -> Result<usize, ReportError> {
        let _view = self.0.unchecked_transaction()?;
        let broken = self.broken_rows()?;
        let mut damaged: HashSet<i64> = broken.iter().map(|row| row.rowid).collect();
        let (channels, broken_channels) = self.channel_settlements()?;
        if format == ExportFormat::Csv {
            csv_line(out, &Settlement::COLUMNS)?;
        }
        let mut first = true;
        let mut write = |settlement: Settlement| -> Result<(), ReportError> {
            match format {
                ExportFormat::Csv => csv_line(out, &settlement.cells())?,
                ExportFormat::Json => json_item(out, &mut first, &settlement)?,
            }
            Ok(())
        };
        let mut statement = self.0.prepare(EXPORT)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let is_damaged = damaged.remove(&row.get(ROWID)?);
            write(if is_damaged { damaged_settlement(row)? } else { read_settlement(row)? })?;
        }
        channels.into_iter().try_for_each(&mut write)?;
        for row in broken.iter().filter(|row| damaged.contains(&row.rowid)) {
            write(self.0.query_row(EXPORT_ONE, [row.rowid], damaged_settlement)?)?;
        }
        broken_channels.iter().map(Settlement::of_broken).try_for_each(&mut write)?;
        if format == ExportFormat::Json {
            json_end(out, first)?;
        }
        out.flush()?;
        Ok(broken.len() + broken_channels.len())
    }

    /// The claims that do not fit their checksums. Ledgers of the first versions have none.
    fn broken_rows(&self) -> Result<Vec<BrokenRow>, StoreError> {
        if schema::version(&self.0)? < CHECKSUMMED_SINCE {
            return Ok(Vec::new());
        }
        Ok(row_checksum::broken(&self.0)?.0)
    }

    /// How many rows do not fit their checksums.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn damaged(&self) -> Result<usize, StoreError> {
        Ok(self.broken_rows()?.len() + self.channel_rows()?.broken.len())
    }

    /// Sales on payment channels as settlements: each claim, and then what is charged and not claimed yet.
    fn channel_settlements(&self) -> Result<(Vec<Settlement>, Vec<BrokenChannel>), StoreError> {
        let mut settlements = Vec::new();
        if !self.has_channels()? {
            return Ok((settlements, Vec::new()));
        }
        let broken = channels::all(&self.0, |row| {
            let settlement = |at: u64, amount: u64, cumulative: u64, transaction, state: &str| {
                Ok::<_, StoreError>(Settlement {
                    settled_at: Some(moment(at)?),
                    rail: row.rail.to_string(),
                    protocol: PaymentProtocol::X402.to_string(),
                    endpoint: String::new(),
                    payer: format!("{:#x}", row.config.payer),
                    amount_atomic: Some(amount),
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
        Ok((settlements, broken))
    }

    fn has_channels(&self) -> Result<bool, StoreError> {
        Ok(schema::version(&self.0)? >= CHANNELS_SINCE)
    }

    /// Every payment channel as it stands.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn channel_rows(&self) -> Result<ChannelRows, StoreError> {
        let (mut sound, mut broken) = (Vec::new(), Vec::new());
        if self.has_channels()? {
            broken = channels::all(&self.0, |row| {
                sound.push(row);
                Ok(())
            })?;
        }
        Ok(ChannelRows { sound, broken })
    }

    /// What was sold on a channel, in atomic USDC; 0 when there is none.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn charged(&self, id: ChannelId) -> Result<u64, StoreError> {
        Ok(channels::find(&self.0, id)?.map_or(0, |row| row.charged))
    }

    /// Every payment channel and what lies in it, the longest unused first; then the damaged ones, by their ids.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn channels(&self) -> Result<ChannelList, StoreError> {
        ChannelList::new(self.channel_rows()?)
    }

    /// Sums the revenue of some days.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn summary(&self, days: ReportDays) -> Result<RevenueSummary, StoreError> {
        let _view = self.0.unchecked_transaction()?;
        let from = days.from.map_or(0, |day| i64::from(day.days()) * DAY_MILLIS);
        let end = days.to.map_or(i64::MAX, |day| (i64::from(day.days()) + 1) * DAY_MILLIS);
        let broken: Vec<i64> = self.broken_rows()?.into_iter().map(|row| row.rowid).collect();
        let damaged = broken.len() + self.channel_rows()?.broken.len();
        let broken: Vec<String> = broken.iter().map(i64::to_string).collect();
        let broken = format!("[{}]", broken.join(","));
        let mut statement = self.0.prepare(SUMMARY)?;
        let mut rows: Vec<Revenue> =
            statement.query_map(params![from, end, broken], read_revenue)?.collect::<Result<_, _>>()?;
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
        Ok(RevenueSummary { rows, total, damaged })
    }
}

impl RevenueSummary {
    const COLUMNS: [&str; 6] = ["day", "rail", "endpoint", "payments", "amount_usd", "unconfirmed"];

    /// How many rows of the ledger are damaged, of whatever day: they are left out.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

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
        format::summary(out, format, &Self::COLUMNS, &Self::COLUMNS[3..], &rows, self)
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

    /// A channel of which only the id is told.
    fn of_broken(channel: &BrokenChannel) -> Self {
        Self {
            settled_at: None,
            rail: channel.rail.clone(),
            protocol: PaymentProtocol::X402.to_string(),
            endpoint: String::new(),
            payer: String::new(),
            amount_atomic: None,
            asset: String::new(),
            transaction: None,
            key: channel.id.clone(),
            state: DAMAGED.to_owned(),
        }
    }

    fn cells(self) -> [String; 10] {
        [
            self.settled_at.unwrap_or_default(),
            self.rail,
            self.protocol,
            self.endpoint,
            self.payer,
            self.amount_atomic.map(|amount| amount.to_string()).unwrap_or_default(),
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

fn read_settlement(row: &rusqlite::Row<'_>) -> Result<Settlement, StoreError> {
    Ok(Settlement {
        settled_at: Some(moment(number(row, 0)?)?),
        rail: row.get(1)?,
        protocol: row.get(2)?,
        endpoint: row.get(3)?,
        payer: row.get(4)?,
        amount_atomic: Some(number(row, 5)?),
        asset: row.get(6)?,
        transaction: row.get(7)?,
        key: row.get(8)?,
        state: row.get(9)?,
    })
}

/// As much of a damaged row as can be read.
fn damaged_settlement(row: &rusqlite::Row<'_>) -> rusqlite::Result<Settlement> {
    let text = |column: usize| -> rusqlite::Result<Option<String>> {
        Ok(match row.get_ref(column)? {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string()),
            ValueRef::Real(number) => Some(number.to_string()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                Some(String::from_utf8_lossy(bytes).into_owned())
            }
        })
    };
    let word = |column| text(column).map(Option::unwrap_or_default);
    Ok(Settlement {
        settled_at: number(row, 0).ok().and_then(|millis| moment(millis).ok()),
        rail: word(1)?,
        protocol: word(2)?,
        endpoint: word(3)?,
        payer: word(4)?,
        amount_atomic: number(row, 5).ok(),
        asset: word(6)?,
        transaction: text(7)?,
        key: word(8)?,
        state: DAMAGED.to_owned(),
    })
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
