//! Payment channels as a list: what lies in each, what was sold on it, and what of that is not claimed yet.

use std::io::Write;

use serde::Serialize;

use super::channels::BrokenChannel;
use super::format::{self, DAMAGED, ReportError, SummaryFormat, moment};
use crate::payment::core::channel::row::ChannelRow;
use crate::payment::core::claim::StoreError;
use crate::payment::core::prices::usd;

/// The payment channels of a ledger.
#[derive(Debug)]
pub struct ChannelRows {
    /// Those that are as they were written, the longest unused first.
    pub sound: Vec<ChannelRow>,
    /// The others.
    pub broken: Vec<BrokenChannel>,
}

/// A payment channel, as it is listed; amounts are US dollars.
#[derive(Debug, Default, Serialize)]
struct ListedChannel {
    id: String,
    /// Its address; [`DAMAGED`] where the row does not fit its checksum.
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

/// The payment channels of a ledger, as they are listed.
#[derive(Debug)]
pub struct ChannelList {
    channels: Vec<ListedChannel>,
    /// Balance, charged, claimed, at risk.
    total: [u64; 4],
    damaged: usize,
}

/// The list as JSON has it.
#[derive(Serialize)]
struct Listed<'a> {
    channels: &'a [ListedChannel],
    total: Total,
}

#[derive(Serialize)]
struct Total {
    channels: usize,
    balance: String,
    charged: String,
    claimed: String,
    at_risk: String,
}

impl ListedChannel {
    fn new(row: &ChannelRow) -> Result<Self, StoreError> {
        Ok(Self {
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
    }

    /// A channel of which only the id is told: none of its amounts can be believed.
    fn of_broken(channel: BrokenChannel) -> Self {
        Self { id: channel.id, payer: DAMAGED.to_owned(), ..Self::default() }
    }
}

impl ChannelList {
    const COLUMNS: [&str; 8] =
        ["id", "payer", "balance", "charged", "claimed", "at_risk", "withdrawal", "used_at"];

    pub(super) fn new(rows: ChannelRows) -> Result<Self, StoreError> {
        let damaged = rows.broken.len();
        let mut channels: Vec<ListedChannel> =
            rows.sound.iter().map(ListedChannel::new).collect::<Result<_, StoreError>>()?;
        channels.extend(rows.broken.into_iter().map(ListedChannel::of_broken));
        let mut total = [0_u64; 4];
        for row in &channels {
            for (sum, part) in total.iter_mut().zip(row.sums) {
                *sum = sum.saturating_add(part);
            }
        }
        Ok(Self { channels, total, damaged })
    }

    /// How many of them are damaged: their amounts are left out.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

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
        let [balance, charged, claimed, at_risk] = self.total.map(usd);
        let total = Total { channels: self.channels.len(), balance, charged, claimed, at_risk };
        let json = Listed { channels: &self.channels, total };
        format::summary(out, format, &Self::COLUMNS, &Self::COLUMNS[2..6], &rows, &json)
    }
}
