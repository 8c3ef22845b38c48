//! Steps: what a change makes of a row. Pure; `operations` stores the outcome.
//!
//! Invariant: a step starts only from the states that [`Change`] names for it, and from any other nothing follows.

use crate::payment::core::claim::{Change, ClaimRow, ClaimState, Proof, StoredAnswer};

/// What follows from a step.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Next {
    /// The row as it is then.
    pub(super) row: ClaimRow,
    /// The transfer that pays it, when the step brought a proof.
    pub(super) proof: Option<Proof>,
    /// What happens to its answer.
    pub(super) reply: ReplyStep,
}

/// What a step does to the stored answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReplyStep {
    /// Nothing.
    Leave,
    /// This one is stored instead of any other.
    Store(StoredAnswer),
    /// It is sold: one is stored unless there is one, and from now on it ages.
    Sell(Option<StoredAnswer>),
    /// It goes.
    Drop,
}

/// Takes a step at a time in Unix milliseconds; `None` where it does not start from the row's state.
pub(super) fn step(row: ClaimRow, change: Change, at: u64) -> Option<Next> {
    use ClaimState::{Claimed, Expired, Failed, Open, Settled, Settling, Unknown};
    let unconfirmed = row.state == Settled && !row.confirmed;
    match (change, row.state) {
        (Change::Settling(answer), Claimed) => Some(Next {
            reply: ReplyStep::Store(answer),
            ..to(ClaimRow { watched: false, reason: None, ..row }, Settling, at)
        }),
        (Change::Settled { proof, transaction, answer }, state) if state != Settled => {
            Some(settled(row, proof, transaction, answer, at))
        }
        (Change::Open { reason }, Claimed | Settling) => Some(to(watched(row, reason), Open, at)),
        (Change::Failed { reason }, Settling) => Some(to(watched(row, reason), Failed, at)),
        (Change::Unknown { transaction, reason }, Claimed | Settling) => {
            let transaction = transaction.or_else(|| row.transaction.clone());
            Some(to(ClaimRow { transaction, ..watched(row, reason) }, Unknown, at))
        }
        (Change::Confirmed(proof), Settled) if unconfirmed => Some(Next {
            row: ClaimRow {
                transaction: Some(proof.transaction.clone()),
                confirmed: true,
                watched: false,
                ..row
            },
            proof: Some(proof),
            reply: ReplyStep::Leave,
        }),
        (Change::Closed, Open | Failed) => Some(closed(row)),
        (Change::Closed, state) if state == Unknown || unconfirmed => {
            Some(closed(ClaimRow { state: Expired, since: at, ..row }))
        }
        _ => None,
    }
}

fn to(row: ClaimRow, state: ClaimState, at: u64) -> Next {
    Next { row: ClaimRow { state, since: at, ..row }, proof: None, reply: ReplyStep::Leave }
}

fn watched(row: ClaimRow, reason: String) -> ClaimRow {
    ClaimRow { watched: true, reason: Some(reason), ..row }
}

fn closed(row: ClaimRow) -> Next {
    Next { row: ClaimRow { watched: false, ..row }, proof: None, reply: ReplyStep::Drop }
}

fn settled(
    row: ClaimRow,
    proof: Option<Proof>,
    transaction: Option<String>,
    answer: Option<StoredAnswer>,
    at: u64,
) -> Next {
    let proven = proof.as_ref().map(|proof| proof.transaction.clone());
    let row = ClaimRow {
        transaction: proven.or(transaction).or_else(|| row.transaction.clone()),
        settled_at: Some(at),
        confirmed: proof.is_some(),
        watched: proof.is_none(),
        reason: None,
        ..row
    };
    Next { proof, reply: ReplyStep::Sell(answer), ..to(row, ClaimState::Settled, at) }
}
