//! What the writer does to the database for each operation, inside a transaction that it holds.
//!
//! Invariant: an operation that reports anything but success has changed nothing. States are decided in `step`, answers
//! are kept on the `replies`.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::channels;
use super::replies::ReplyStore;
use super::row_checksum::write_checksum;
use super::rows::{find, integer, number};
use super::transition::{Next, ReplyStep, step};
use crate::payment::core::channel::row::{ChannelEvent, ChannelEventKind};
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimKind, ClaimRow, ClaimState, Claiming, Proof, StoreError,
};

/// Why a claim is open that a stopped server was at work on.
pub(super) const STOPPED_BEFORE_SETTLING: &str = "the server stopped before it requested the settlement";
/// Why nobody knows of a claim that a stopped server was settling.
pub(super) const STOPPED_WHILE_SETTLING: &str =
    "the server stopped during the settlement, so the payment may be settled";

/// States of the claims that a stopped server was at work on.
pub(super) const AT_WORK: &str =
    "SELECT state, count(*) FROM claims WHERE state IN ('claimed', 'settling') GROUP BY state";
/// Hands them to the reconciler.
pub(super) const RECOVER: &str = "
    UPDATE claims SET
        reason = CASE state WHEN 'claimed' THEN ?2 ELSE ?3 END,
        state = CASE state WHEN 'claimed' THEN 'open' ELSE 'unknown' END,
        since = ?1, watched = 1, next_look = 0
    WHERE state IN ('claimed', 'settling') RETURNING key";
/// The claim that a transfer pays.
pub(super) const PAID_BY: &str =
    "SELECT key FROM claims WHERE network = ?1 AND tx = ?2 AND log_index = ?3 AND log_index IS NOT NULL";

/// Deposits of a channel that may still be settled.
pub(super) const IN_DOUBT: &str = "SELECT key FROM claims
     WHERE kind = 'deposit' AND reference = ?1 AND state IN ('claimed', 'settling', 'unknown') ORDER BY claimed_at LIMIT 1";

/// How many claims a stopped server was at work on.
pub(super) struct Stopped {
    /// Those that are open now.
    pub(super) open: u64,
    /// Those that are unknown now.
    pub(super) unknown: u64,
}

/// Takes up what a stopped server left behind.
pub(super) fn recover(connection: &mut Connection, now: u64) -> Result<Stopped, StoreError> {
    let transaction = connection.transaction()?;
    let mut stopped = Stopped { open: 0, unknown: 0 };
    {
        let mut statement = transaction.prepare(AT_WORK)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            match row.get(0)? {
                ClaimState::Claimed => stopped.open = number(row, 1)?,
                ClaimState::Settling => stopped.unknown = number(row, 1)?,
                other => {
                    return Err(StoreError(format!(
                        "a claim is listed as in progress and its state is {other}"
                    )));
                }
            }
        }
    }
    if stopped.open + stopped.unknown > 0 {
        let mut statement = transaction.prepare(RECOVER)?;
        let stopped_as = params![integer(now)?, STOPPED_BEFORE_SETTLING, STOPPED_WHILE_SETTLING];
        let keys: Vec<String> =
            statement.query_map(stopped_as, |row| row.get(0))?.collect::<Result<_, _>>()?;
        for key in keys {
            write_checksum(&transaction, &ClaimKey(key))?;
        }
    }
    transaction.commit()?;
    Ok(stopped)
}

/// Claims a payment that is new, or open to the same request and reference.
pub(super) fn claim(connection: &Connection, claim: &Claim) -> Result<Claiming, StoreError> {
    match find(connection, &claim.key)? {
        None => insert(connection, claim)?,
        Some(row) if may_try_again(&row, claim) => claim_again(connection, &row.claim, claim)?,
        Some(row) => return Ok(Claiming::Known(Box::new(row))),
    }
    Ok(Claiming::Ours)
}

fn may_try_again(row: &ClaimRow, claim: &Claim) -> bool {
    row.state == ClaimState::Open
        && row.claim.request == claim.request
        && row.claim.reference == claim.reference
}

fn insert(connection: &Connection, claim: &Claim) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO claims (key, rail, protocol, network, asset, payer, pay_to, amount, endpoint, request, reference,
             trace, valid_before, from_block, claimed_at, state, since, confirmed, watched, media_type, kind)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?15, 0, 0, ?17, ?18)",
    )?;
    statement.execute(params![
        claim.key.0,
        claim.rail,
        claim.protocol,
        claim.network,
        claim.asset,
        claim.payer,
        claim.pay_to,
        integer(claim.amount)?,
        claim.endpoint,
        claim.request,
        claim.reference,
        claim.trace,
        integer(claim.valid_before)?,
        integer(claim.from_block)?,
        integer(claim.claimed_at)?,
        ClaimState::Claimed,
        claim.media_type,
        claim.kind,
    ])?;
    write_checksum(connection, &claim.key)
}

/// The window in which the chain is searched only grows: a first try's authorization may be out there still, and one
/// nonce can be signed with several deadlines.
fn claim_again(connection: &Connection, first: &Claim, again: &Claim) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE claims SET protocol = ?2, valid_before = ?3, from_block = ?4, claimed_at = ?5, state = ?6, since = ?5,
             watched = 0, reason = NULL, media_type = ?7
         WHERE key = ?1",
    )?;
    statement.execute(params![
        again.key.0,
        again.protocol,
        integer(again.valid_before.max(first.valid_before))?,
        integer(again.from_block.min(first.from_block))?,
        integer(again.claimed_at)?,
        ClaimState::Claimed,
        again.media_type,
    ])?;
    write_checksum(connection, &again.key)
}

/// Takes a step of a claim.
pub(super) fn advance(
    connection: &Connection,
    replies: &mut ReplyStore,
    key: &ClaimKey,
    change: Change,
    at: u64,
) -> Result<Advance, StoreError> {
    let Some(row) = find(connection, key)? else { return Ok(Advance::NotThere) };
    let was_settled = row.state == ClaimState::Settled;
    let Some(Next { mut row, proof, reply }) = step(row, change, at) else { return Ok(Advance::NotThere) };
    if let Some(proof) = &proof
        && pays_another(connection, &row.claim, proof)?
    {
        return Ok(Advance::Spent);
    }
    match reply {
        ReplyStep::Leave => {}
        ReplyStep::Drop => replies.remove(connection, key)?,
        ReplyStep::Store(answer) => {
            replies.store(connection, key, &answer)?;
            row.snapshot_id = Some(answer.snapshot_id);
        }
        ReplyStep::Sell(supplied) => {
            if !replies.sell(connection, key, at)?
                && let Some(answer) = supplied
            {
                replies.store(connection, key, &answer)?;
                replies.sell(connection, key, at)?;
                row.snapshot_id = Some(answer.snapshot_id);
            }
        }
    }
    update(connection, &row, proof.as_ref())?;
    if row.claim.kind == ClaimKind::Deposit && row.state == ClaimState::Settled && !was_settled {
        deposited(connection, &row, at)?;
    }
    replies.trim(connection, at)?;
    Ok(Advance::Done)
}

/// Notes that money came into a channel.
fn deposited(connection: &Connection, row: &ClaimRow, at: u64) -> Result<(), StoreError> {
    let channel = row.claim.reference.parse();
    let channel = channel.map_err(|_| StoreError("a deposit does not name a channel".into()))?;
    channels::note(
        connection,
        &ChannelEvent {
            channel: Some(channel),
            kind: ChannelEventKind::Deposit,
            amount: row.claim.amount,
            transaction: row.transaction.clone(),
            at,
        },
    )
}

/// A deposit of which nobody can say yet whether it is settled.
pub(super) fn deposit_in_doubt(
    connection: &Connection,
    reference: &str,
) -> Result<Option<ClaimKey>, StoreError> {
    let mut statement = connection.prepare_cached(IN_DOUBT)?;
    Ok(statement.query_row([reference], |row| row.get(0).map(ClaimKey)).optional()?)
}

fn pays_another(connection: &Connection, claim: &Claim, proof: &Proof) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(PAID_BY)?;
    let found = statement
        .query_row(params![claim.network, proof.transaction, integer(proof.index)?], |row| row.get(0))
        .optional()?;
    Ok(found.is_some_and(|key: String| key != claim.key.0))
}

fn update(connection: &Connection, row: &ClaimRow, proof: Option<&Proof>) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE claims SET state = ?2, since = ?3, tx = ?4, log_index = coalesce(?5, log_index), settled_at = ?6,
             confirmed = ?7, watched = ?8, reason = ?9, snapshot_id = ?10, next_look = 0
         WHERE key = ?1",
    )?;
    statement.execute(params![
        row.claim.key.0,
        row.state,
        integer(row.since)?,
        row.transaction,
        proof.map(|proof| integer(proof.index)).transpose()?,
        row.settled_at.map(integer).transpose()?,
        row.confirmed,
        row.watched,
        row.reason,
        row.snapshot_id,
    ])?;
    write_checksum(connection, &row.claim.key)
}

/// Notes when claims are looked at next.
pub(super) fn query_again(connection: &Connection, due: &[(ClaimKey, u64)]) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached("UPDATE claims SET next_look = ?2 WHERE key = ?1")?;
    for (key, at) in due {
        statement.execute(params![key.0, integer(*at)?])?;
    }
    Ok(())
}

/// Writes a body of so many bytes in the place of the one before.
pub(super) fn probe(connection: &Connection, bytes: usize) -> rusqlite::Result<()> {
    let body = vec![0_u8; bytes];
    connection
        .prepare_cached("INSERT OR REPLACE INTO probes (id, body) VALUES (1, ?1)")?
        .execute([body])
        .map(drop)
}

/// The first block of a network that is known here, set on the first call.
pub(super) fn first_block(connection: &Connection, network: &str, head: u64) -> Result<u64, StoreError> {
    connection
        .prepare_cached("INSERT INTO networks (network, first_block) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![network, integer(head)?])?;
    let mut statement = connection.prepare_cached("SELECT first_block FROM networks WHERE network = ?1")?;
    Ok(statement.query_row([network], |row| number(row, 0))?)
}
