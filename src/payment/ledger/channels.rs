//! Payment channels as rows: what is kept of each, and how a sale becomes durable.
//!
//! A row carries a checksum over everything but its answer, made when it is written and held against it whenever it is
//! read, as the rows of claims do (`row_checksum`). A sale reads its row, takes the step that memory takes too
//! ([`ChannelRow::sold`]) and writes it where it is still charged as expected: charge, answer and revenue are one step.
//! What is charged adds up: the sum of all channels is the revenue of channels and what was adopted from the chain.

use alloy_primitives::hex;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use xxhash_rust::xxh3::Xxh3;

use super::replies::ReplyStore;
use super::row_checksum::{self, BROKEN_LOGGED_MAX};
use super::rows::{integer, number};
use crate::payment::core::channel::row::{
    ChannelChange, ChannelCharge, ChannelEvent, ChannelEventKind, ChannelRow, ChannelWrite, LastCharge,
    OnChain, Voucher,
};
use crate::payment::core::claim::{RailName, StoreError};
use crate::payment::protocols::channel::ChannelId;
use crate::payment::protocols::x402::batch::{config_of, config_text};

/// The columns of a row but for its answer, in their order.
macro_rules! columns {
    () => {
        "id, rail, config, payer, signer, balance, claimed, charged, signed, signature, prior_signed, prior_signature, \
         published, refund_nonce, intent, withdraw_at, chain_synced_at, unclaimed_since, last_request_hash, last_media, \
         last_receipt, last_snapshot, last_freshness_seconds, opened_at, used_at, checksum"
    };
}

const FIND: &str = concat!("SELECT ", columns!(), " FROM channel WHERE id = ?1");
const FIND_WITH_BYTES: &str = concat!("SELECT ", columns!(), ", last_bytes FROM channel WHERE id = ?1");
/// Place of the answer's length behind the columns.
const BYTES: usize = 26;
/// The channels of a rail, those first that hold unclaimed money, then the last used.
const LIST: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM channel WHERE rail = ?1 ORDER BY charged <= claimed, \
     CASE WHEN charged > claimed THEN unclaimed_since END, used_at DESC, id LIMIT ?2"
);
pub(super) const ALL: &str = concat!("SELECT ", columns!(), " FROM channel ORDER BY used_at, id");

/// Milliseconds of a day.
const DAY_MILLIS: u64 = 86_400_000;

/// A row that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the row of channel {0} is damaged: it does not match its checksum; `pricebook ledger verify` lists all damaged \
     rows, and a backup contains the original rows"
)]
struct Broken(String);

/// A channel.
pub(super) fn find(connection: &Connection, id: ChannelId) -> Result<Option<ChannelRow>, StoreError> {
    Ok(connection.prepare_cached(FIND)?.query_row([id.as_slice()], read).optional()?)
}

/// The channels of a rail. One that is not as it was written is left out, and not for silence.
pub(super) fn list(
    connection: &Connection,
    rail: RailName,
    count_max: usize,
) -> Result<Vec<ChannelRow>, StoreError> {
    let mut statement = connection.prepare(LIST)?;
    let rows = statement.query_map(params![rail, i64::try_from(count_max).unwrap_or(i64::MAX)], read)?;
    let log = |error: &rusqlite::Error| {
        tracing::error!(
            %error,
            "a channel cannot be read from the ledger; payments on this channel are not accepted, and its unclaimed \
             amount is not claimed"
        );
    };
    let mut broken = 0;
    let channels = row_checksum::sound(rows, &mut broken, log);
    if broken > BROKEN_LOGGED_MAX {
        tracing::error!(
            channels = broken,
            "channels cannot be read from the ledger; pricebook ledger verify lists all damaged rows"
        );
    }
    Ok(channels)
}

/// Begins a channel, unless it is there.
pub(super) fn open(connection: &Connection, row: &ChannelRow) -> Result<ChannelWrite, StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO channel (id, rail, config, payer, signer, balance, claimed, charged, published, refund_nonce,
             chain_synced_at, opened_at, used_at, checksum)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0, 0, 0, ?6, ?6, 0) ON CONFLICT DO NOTHING",
    )?;
    let inserted = statement.execute(params![
        row.id.as_slice(),
        row.rail,
        config_text(&row.config),
        format!("{:#x}", row.config.payer),
        format!("{:#x}", row.config.payer_authorizer),
        integer(row.opened_at)?,
    ])?;
    if inserted == 0 {
        return Ok(ChannelWrite::Elsewhere);
    }
    adopted(connection, row.id, row.charged, row.opened_at)?;
    write(connection, row, row.charged, None)?;
    Ok(ChannelWrite::Done)
}

/// Makes a sale durable: the row, its answer, the revenue of the day.
pub(super) fn commit_charge(
    connection: &Connection,
    replies: &mut ReplyStore,
    id: ChannelId,
    charge: &ChannelCharge,
) -> Result<ChannelWrite, StoreError> {
    let mut found = connection.prepare_cached(FIND_WITH_BYTES)?;
    let found = found.query_row([id.as_slice()], |row| Ok((read(row)?, maybe(row, BYTES)?))).optional()?;
    let Some((mut row, bytes)) = found.filter(|(row, _)| row.charged == charge.expected) else {
        return Ok(ChannelWrite::Elsewhere);
    };
    let amount = charge.voucher.max.checked_sub(row.charged);
    let amount =
        amount.ok_or_else(|| StoreError("a sale on a channel would reduce the charged amount".into()))?;
    row.sold(charge);
    write(connection, &row, charge.expected, Some(&charge.body))?;
    replies.replaced_on_channel(bytes.unwrap_or_default(), charge.body.len() as u64);
    connection
        .prepare_cached(
            "INSERT INTO channel_revenue (day, endpoint, payments, amount) VALUES (?1, ?2, 1, ?3)
             ON CONFLICT (day, endpoint) DO UPDATE SET payments = payments + 1, amount = amount + excluded.amount",
        )?
        .execute(params![integer(charge.at / DAY_MILLIS)?, charge.endpoint, integer(amount)?])?;
    replies.trim(connection, charge.at)?;
    Ok(ChannelWrite::Done)
}

/// Changes a channel.
pub(super) fn change(
    connection: &Connection,
    id: ChannelId,
    change: &ChannelChange,
) -> Result<ChannelWrite, StoreError> {
    let Some(before) = find(connection, id)? else { return Ok(ChannelWrite::Elsewhere) };
    let mut row = before.clone();
    row.changed(change);
    if let ChannelChange::Chain { at, transaction, .. } = change {
        let claimed = row.chain.claimed - before.chain.claimed;
        if claimed > 0 {
            let (kind, transaction) = (ChannelEventKind::Claim, transaction.clone());
            note(
                connection,
                &ChannelEvent { channel: Some(id), kind, amount: claimed, transaction, at: *at },
            )?;
        }
        adopted(connection, id, row.charged - before.charged, *at)?;
    }
    write(connection, &row, before.charged, None)?;
    Ok(ChannelWrite::Done)
}

/// Notes what was claimed of a channel and never sold by this ledger.
fn adopted(connection: &Connection, id: ChannelId, amount: u64, at: u64) -> Result<(), StoreError> {
    if amount == 0 {
        return Ok(());
    }
    let kind = ChannelEventKind::Adoption;
    note(connection, &ChannelEvent { channel: Some(id), kind, amount, transaction: None, at })
}

/// Notes an event.
pub(super) fn note(connection: &Connection, event: &ChannelEvent) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO channel_event (channel, kind, amount, tx, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            event.channel.as_ref().map(ChannelId::as_slice),
            event.kind,
            integer(event.amount)?,
            event.transaction,
            integer(event.at)?,
        ])?;
    Ok(())
}

/// The claims of a channel, the earliest first: amount, transaction, moment in Unix milliseconds.
pub(super) fn claims(
    connection: &Connection,
    id: ChannelId,
) -> Result<Vec<(u64, Option<String>, u64)>, StoreError> {
    let sql = "SELECT amount, tx, at FROM channel_event WHERE kind = 'claim' AND channel = ?1 ORDER BY seq";
    let mut statement = connection.prepare_cached(sql)?;
    let claims =
        statement.query_map([id.as_slice()], |row| Ok((number(row, 0)?, row.get(1)?, number(row, 2)?)))?;
    Ok(claims.collect::<Result<_, _>>()?)
}

/// When the oldest claim was seen that was not swept since.
pub(super) fn unswept_since(connection: &Connection) -> Result<Option<u64>, StoreError> {
    let sql = "SELECT min(at) FROM channel_event WHERE kind = 'claim' AND at >
         coalesce((SELECT max(at) FROM channel_event WHERE kind = 'sweep'), -1)";
    let at: Option<i64> = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(at.and_then(|at| u64::try_from(at).ok()))
}

/// Writes a row that is charged as expected, under its checksum, and with it the answer that was just sold.
fn write(
    connection: &Connection,
    row: &ChannelRow,
    expected: u64,
    body: Option<&[u8]>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE channel SET balance = ?3, claimed = ?4, charged = ?5, signed = ?6, signature = ?7, prior_signed = ?8,
             prior_signature = ?9, published = ?10, refund_nonce = ?11, intent = ?12, withdraw_at = ?13,
             chain_synced_at = ?14, unclaimed_since = ?15, last_request_hash = ?16, last_media = ?17,
             last_receipt = ?18, last_snapshot = ?19, last_freshness_seconds = ?20, used_at = ?21, checksum = ?22,
             last_bytes = coalesce(?23, last_bytes), last_body = coalesce(?24, last_body)
         WHERE id = ?1 AND (charged = ?2 OR charged = 0)",
    )?;
    let optional = |value: Option<u64>| value.map(integer).transpose();
    let last = row.last.as_ref();
    let intent = row.intent.as_ref().map(serde_json::to_string).transpose();
    let written = statement.execute(params![
        row.id.as_slice(),
        integer(expected)?,
        integer(row.chain.balance)?,
        integer(row.chain.claimed)?,
        integer(row.charged)?,
        optional(row.voucher.as_ref().map(|voucher| voucher.max))?,
        row.voucher.as_ref().map(|voucher| voucher.signature.as_slice()),
        optional(row.prior.as_ref().map(|voucher| voucher.max))?,
        row.prior.as_ref().map(|voucher| voucher.signature.as_slice()),
        integer(row.published)?,
        integer(row.chain.refund_nonce)?,
        intent.map_err(|error| StoreError(format!("a refund cannot be written: {error}")))?,
        optional(row.chain.withdraw_at)?,
        integer(row.chain_synced_at)?,
        optional(row.unclaimed_since)?,
        last.map(|last| last.request_hash.as_slice()),
        last.map(|last| last.media_type.as_str()),
        last.map(|last| last.receipt.as_str()),
        last.map(|last| last.snapshot_id.as_str()),
        optional(last.map(|last| last.freshness_seconds))?,
        integer(row.used_at)?,
        checksum(row),
        optional(body.map(|body| body.len() as u64))?,
        body,
    ])?;
    if written == 1 { Ok(()) } else { Err(StoreError(format!("channel {} was not written", row.id))) }
}

fn read(row: &Row<'_>) -> rusqlite::Result<ChannelRow> {
    let config = row.get_ref(2)?.as_str()?;
    let config = config_of(config).ok_or_else(|| unreadable(2, "configuration"))?;
    let intent: Option<String> = row.get(14)?;
    let intent = intent.map(|text| serde_json::from_str(&text)).transpose();
    let last = match row.get::<_, Option<[u8; 32]>>(18)? {
        None => None,
        Some(request_hash) => Some(LastCharge {
            request_hash,
            media_type: row.get(19)?,
            receipt: row.get(20)?,
            snapshot_id: row.get(21)?,
            freshness_seconds: number(row, 22)?,
        }),
    };
    let found = ChannelRow {
        id: ChannelId::from(row.get::<_, [u8; 32]>(0)?),
        rail: row.get(1)?,
        config,
        chain: OnChain {
            balance: number(row, 5)?,
            claimed: number(row, 6)?,
            withdraw_at: maybe(row, 15)?,
            refund_nonce: number(row, 13)?,
        },
        chain_synced_at: number(row, 16)?,
        charged: number(row, 7)?,
        voucher: voucher(row, 8)?,
        prior: voucher(row, 10)?,
        published: number(row, 12)?,
        intent: intent.map_err(|_| unreadable(14, "refund"))?,
        unclaimed_since: maybe(row, 17)?,
        last,
        opened_at: number(row, 23)?,
        used_at: number(row, 24)?,
    };
    let (payer, signer): (String, String) = (row.get(3)?, row.get(4)?);
    let parties = [format!("{:#x}", found.config.payer), format!("{:#x}", found.config.payer_authorizer)]
        == [payer, signer];
    if parties && checksum(&found) == row.get::<_, i64>(25)? {
        return Ok(found);
    }
    let kind = rusqlite::types::Type::Integer;
    let broken = Broken(found.id.to_string());
    Err(rusqlite::Error::FromSqlConversionFailure(25, kind, Box::new(broken)))
}

fn unreadable(column: usize, what: &str) -> rusqlite::Error {
    let why = StoreError(format!("the row of a channel does not contain a valid {what}"));
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(why))
}

fn maybe(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        _ => number(row, column).map(Some),
    }
}

fn voucher(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Voucher>> {
    let Some(max) = maybe(row, column)? else { return Ok(None) };
    Ok(Some(Voucher { max, signature: row.get(column + 1)? }))
}

/// The checksum of a row: XXH3-64 over its fields in the order of the table, each number as eight little-endian bytes,
/// each text and signature after its length, what is not there as the greatest number. It stands in ledgers for good.
fn checksum(row: &ChannelRow) -> i64 {
    const ABSENT: u64 = u64::MAX;
    let mut hash = Xxh3::new();
    let bytes = |hash: &mut Xxh3, bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    bytes(&mut hash, row.id.as_slice());
    bytes(&mut hash, row.rail.as_str().as_bytes());
    row.config.words().iter().for_each(|word| hash.update(word.as_slice()));
    for number in [row.chain.balance, row.chain.claimed, row.charged] {
        hash.update(&number.to_le_bytes());
    }
    for voucher in [&row.voucher, &row.prior] {
        hash.update(&voucher.as_ref().map_or(ABSENT, |voucher| voucher.max).to_le_bytes());
        bytes(&mut hash, voucher.as_ref().map_or(&[], |voucher| &voucher.signature));
    }
    for number in [row.published, row.chain.refund_nonce] {
        hash.update(&number.to_le_bytes());
    }
    if let Some(intent) = &row.intent {
        for number in [intent.nonce, intent.amount, intent.asked.unwrap_or(ABSENT), intent.max, intent.at] {
            hash.update(&number.to_le_bytes());
        }
        hash.update(&[u8::from(intent.done)]);
        bytes(&mut hash, intent.transaction.as_deref().unwrap_or_default().as_bytes());
    }
    for number in [row.chain.withdraw_at, Some(row.chain_synced_at), row.unclaimed_since] {
        hash.update(&number.unwrap_or(ABSENT).to_le_bytes());
    }
    if let Some(last) = &row.last {
        bytes(&mut hash, &last.request_hash);
        for text in [&last.media_type, &last.receipt, &last.snapshot_id] {
            bytes(&mut hash, text.as_bytes());
        }
        hash.update(&last.freshness_seconds.to_le_bytes());
    }
    for number in [row.opened_at, row.used_at] {
        hash.update(&number.to_le_bytes());
    }
    hash.digest().cast_signed()
}

/// Everything that is wrong with the channels of a ledger, in words, and how many there are.
pub(super) fn faults(connection: &Connection) -> Result<(Vec<String>, u64), StoreError> {
    let (mut faults, mut count, mut charged) = (Vec::new(), 0, 0_u64);
    let mut statement = connection.prepare(ALL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        count += 1;
        match read(row) {
            Ok(row) => charged = charged.saturating_add(row.charged),
            Err(error) => faults.push(error.to_string()),
        }
    }
    let sum = |sql: &str| connection.query_row(sql, [], |row| number(row, 0));
    let revenue = sum("SELECT coalesce(sum(amount), 0) FROM channel_revenue")?;
    let adopted = sum("SELECT coalesce(sum(amount), 0) FROM channel_event WHERE kind = 'adoption'")?;
    if faults.is_empty() && revenue.saturating_add(adopted) != charged {
        faults.push(format!(
            "channels were charged {charged}, but their revenue is {revenue} and their adopted amount is {adopted}"
        ));
    }
    Ok((faults, count))
}

/// A channel whose row is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenChannel {
    /// As much of its id as can be read.
    pub id: String,
    /// As much of its rail as can be read.
    pub rail: String,
}

/// Reads every channel for a report, the longest unused first; beside them those that are not as they were written.
pub(super) fn all(
    connection: &Connection,
    mut take: impl FnMut(ChannelRow) -> Result<(), StoreError>,
) -> Result<Vec<BrokenChannel>, StoreError> {
    let mut statement = connection.prepare(ALL)?;
    let mut rows = statement.query([])?;
    let mut broken = Vec::new();
    while let Some(row) = rows.next()? {
        if let Ok(row) = read(row) {
            take(row)?;
            continue;
        }
        let id = match row.get_ref(0)? {
            ValueRef::Blob(bytes) => hex::encode_prefixed(bytes),
            _ => "(unreadable id)".to_owned(),
        };
        let rail = String::from_utf8_lossy(row.get_ref(1)?.as_bytes().unwrap_or_default());
        broken.push(BrokenChannel { id, rail: rail.into_owned() });
    }
    Ok(broken)
}

impl ToSql for ChannelEventKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for ChannelEventKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let word = value.as_str()?;
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == word);
        known.ok_or_else(|| {
            FromSqlError::Other(Box::new(StoreError(format!("{word:?} is not an event of a channel"))))
        })
    }
}
