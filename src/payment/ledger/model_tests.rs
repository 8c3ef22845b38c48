//! The ledger against a model: a map, and the rules of the state machine written down a second time.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::Poll;

use proptest::prelude::*;
use proptest::sample::select;

use super::{Ledger, ReplyLimits};
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimKind, ClaimRow, ClaimState, ClaimStore, Claiming, PaymentProtocol,
    Proof, StoredAnswer,
};
use crate::payment::mutate::cases;
use crate::payment::rails::KINDS;

const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 2, replies_bytes_max: 40 };
const KEYS: usize = 4;
const NETWORKS: [&str; 2] = ["eip155:8453", "eip155:4217"];
const START: u64 = 1_795_233_600_000;

/// An operation of the store.
#[derive(Debug, Clone)]
enum Op {
    Claim(Claim),
    Advance(ClaimKey, Change),
    FirstBlock(&'static str, u64),
}

/// What it reported.
#[derive(Debug, PartialEq)]
enum LedgerReport {
    Claimed(Claiming),
    Advanced(Advance),
    Block(u64),
}

/// A round: operations that are sent at once, each some milliseconds later than the one before, or an opening.
#[derive(Debug, Clone)]
enum Round {
    At(Vec<(u64, Op)>),
    Reopen(u64),
}

#[derive(Debug, Clone)]
struct Known {
    row: ClaimRow,
    paid_by: Option<Proof>,
    reply: Option<StoredAnswer>,
    /// When its answer was stored, in the order of all.
    stored: u64,
}

#[derive(Debug, Default)]
struct Model {
    answers: u64,
    rows: BTreeMap<ClaimKey, Known>,
    blocks: BTreeMap<&'static str, u64>,
}

impl Model {
    fn apply(&mut self, op: Op, at: u64) -> LedgerReport {
        match op {
            Op::Claim(claim) => LedgerReport::Claimed(self.claim(claim)),
            Op::Advance(key, change) => {
                let advance = self.advance(&key, change, at);
                if advance == Advance::Done {
                    self.forget(at);
                }
                LedgerReport::Advanced(advance)
            }
            Op::FirstBlock(network, head) => LedgerReport::Block(*self.blocks.entry(network).or_insert(head)),
        }
    }

    fn claim(&mut self, mut claim: Claim) -> Claiming {
        let (mut snapshot_id, mut reply, mut stored) = (None, None, 0);
        if let Some(known) = self.rows.get(&claim.key) {
            let of_row = &known.row.claim;
            let same = (&of_row.request, &of_row.reference) == (&claim.request, &claim.reference);
            if known.row.state != ClaimState::Open || !same {
                return Claiming::Known(Box::new(known.row.clone()));
            }
            claim.from_block = claim.from_block.min(of_row.from_block);
            claim.valid_before = claim.valid_before.max(of_row.valid_before);
            (snapshot_id, reply) = (known.row.snapshot_id.clone(), known.reply.clone());
            stored = known.stored;
        }
        let row = ClaimRow {
            state: ClaimState::Claimed,
            since: claim.claimed_at,
            transaction: None,
            settled_at: None,
            confirmed: false,
            watched: false,
            reason: None,
            snapshot_id,
            claim: claim.clone(),
        };
        self.rows.insert(claim.key, Known { row, paid_by: None, reply, stored });
        Claiming::Ours
    }

    #[expect(clippy::too_many_lines, reason = "a table of states, read as a whole")]
    fn advance(&mut self, key: &ClaimKey, change: Change, at: u64) -> Advance {
        let Some(mut known) = self.rows.get(key).cloned() else { return Advance::NotThere };
        let row = &mut known.row;
        let from = row.state;
        let busy = from == ClaimState::Claimed || from == ClaimState::Settling;
        let unconfirmed = from == ClaimState::Settled && !row.confirmed;
        let mut to = from;
        match change {
            Change::Settling(answer) if from == ClaimState::Claimed => {
                to = ClaimState::Settling;
                row.snapshot_id = Some(answer.snapshot_id.clone());
                known.reply = Some(answer);
                known.stored = self.answers;
            }
            Change::Settled { proof, transaction, answer } if from != ClaimState::Settled => {
                to = ClaimState::Settled;
                row.settled_at = Some(at);
                row.reason = None;
                row.confirmed = proof.is_some();
                row.watched = proof.is_none();
                if let Some(transaction) = proof.clone().map(|proof| proof.transaction).or(transaction) {
                    row.transaction = Some(transaction);
                }
                known.paid_by = proof;
                if known.reply.is_none()
                    && let Some(answer) = answer
                {
                    row.snapshot_id = Some(answer.snapshot_id.clone());
                    known.reply = Some(answer);
                }
            }
            Change::Open { reason } if busy => {
                to = ClaimState::Open;
                row.watched = true;
                row.reason = Some(reason);
            }
            Change::Failed { reason } if from == ClaimState::Settling => {
                to = ClaimState::Failed;
                row.watched = true;
                row.reason = Some(reason);
            }
            Change::Unknown { transaction, reason } if busy => {
                to = ClaimState::Unknown;
                row.watched = true;
                row.reason = Some(reason);
                row.transaction = transaction;
            }
            Change::Confirmed(proof) if unconfirmed => {
                row.confirmed = true;
                row.watched = false;
                row.transaction = Some(proof.transaction.clone());
                known.paid_by = Some(proof);
            }
            Change::Closed
                if unconfirmed
                    || matches!(from, ClaimState::Unknown | ClaimState::Open | ClaimState::Failed) =>
            {
                if unconfirmed || from == ClaimState::Unknown {
                    to = ClaimState::Expired;
                }
                row.watched = false;
                known.reply = None;
            }
            _ => return Advance::NotThere,
        }
        if to != from {
            row.state = to;
            row.since = at;
        }
        if known.paid_by.is_some() && self.pays_another(&known) {
            return Advance::Spent;
        }
        self.answers += 1;
        self.rows.insert(key.clone(), known);
        Advance::Done
    }

    fn pays_another(&self, paid: &Known) -> bool {
        let mut others = self.rows.values().filter(|other| other.row.claim.key != paid.row.claim.key);
        others.any(|other| {
            (&other.row.claim.network, &other.paid_by) == (&paid.row.claim.network, &paid.paid_by)
        })
    }

    /// Bodies that were sold leave when they are old, or the longest sold first while there are too many bytes of them;
    /// others the oldest first while there are too many bytes of those, but for what is being settled.
    fn forget(&mut self, now: u64) {
        while let Some(sold) = self.oldest(true, |known| (known.row.settled_at, known.row.claim.key.clone()))
        {
            let age = now.saturating_sub(self.rows[&sold].row.settled_at.expect("it is settled"));
            if self.bytes(true) <= LIMITS.replies_bytes_max && age <= LIMITS.reply_ttl_s * 1000 {
                break;
            }
            self.rows.get_mut(&sold).expect("it is there").reply = None;
        }
        while self.bytes(false) > LIMITS.replies_bytes_max / 4
            && let Some(unsold) = self.oldest(false, |known| known.stored)
        {
            self.rows.get_mut(&unsold).expect("it is there").reply = None;
        }
    }

    /// Bytes of the answers that were sold, or of all others.
    fn bytes(&self, sold: bool) -> u64 {
        let kept = self.rows.values().filter(|known| (known.row.state == ClaimState::Settled) == sold);
        kept.filter_map(|known| known.reply.as_ref()).map(|reply| reply.body.len() as u64).sum()
    }

    fn oldest<T: Ord>(&self, sold: bool, age: impl Fn(&Known) -> T) -> Option<ClaimKey> {
        let kept = self.rows.values().filter(|known| {
            known.reply.is_some()
                && (known.row.state == ClaimState::Settled) == sold
                && known.row.state != ClaimState::Settling
        });
        kept.min_by_key(|known| age(known)).map(|known| known.row.claim.key.clone())
    }

    fn reopen(&mut self, now: u64) {
        for Known { row, .. } in self.rows.values_mut() {
            let to = match row.state {
                ClaimState::Claimed => ClaimState::Open,
                ClaimState::Settling => ClaimState::Unknown,
                _ => continue,
            };
            (row.state, row.since, row.watched) = (to, now, true);
            row.reason = Some(match to {
                ClaimState::Open => super::operations::STOPPED_BEFORE_SETTLING.to_owned(),
                _ => super::operations::STOPPED_WHILE_SETTLING.to_owned(),
            });
        }
        self.forget(now);
    }

    /// Every read of the store gives what the model holds.
    fn check(&self, ledger: &Ledger) {
        for key in (0..KEYS).map(key) {
            let known = self.rows.get(&key);
            assert_eq!(ledger.lookup(&key).expect("a row").as_ref(), known.map(|known| &known.row));
            let reply = ledger.answer(&key, 0).expect("an answer");
            assert_eq!(reply.as_ref(), known.and_then(|known| known.reply.as_ref()));
        }
        for kind in KINDS {
            let mut watched: Vec<&ClaimRow> = self
                .rows
                .values()
                .map(|known| &known.row)
                .filter(|row| row.watched && row.claim.rail == kind.name)
                .collect();
            watched.sort_by_key(|row| (row.claim.claimed_at, &row.claim.key));
            let (open, others): (Vec<&ClaimRow>, Vec<_>) =
                watched.into_iter().partition(|row| row.state == ClaimState::Open);
            for count in [0, 1, KEYS] {
                let found = ledger.watched(kind.name, 0, count).expect("rows");
                let expected = others.iter().take(count).chain(open.iter().take(count)).copied();
                assert!(found.iter().eq(expected), "{count}: {found:?}");
            }
        }
        let mut states: BTreeMap<&str, u64> = BTreeMap::new();
        for known in self.rows.values() {
            *states.entry(known.row.state.as_str()).or_default() += 1;
        }
        let figures = ledger.figures().expect("figures");
        let counted = figures.claims.iter().map(|(state, count)| (state.as_str(), *count));
        assert!(counted.eq(states), "{figures:?}");
        assert_eq!((figures.sold_bytes, figures.unsold_bytes), (self.bytes(true), self.bytes(false)));
    }
}

fn key(number: usize) -> ClaimKey {
    ClaimKey(format!("payment-{number}"))
}

fn claims() -> impl Strategy<Value = Claim> {
    (0..KEYS, 0..5_u8, select(PaymentProtocol::ALL), 0..3_u64, 0..3_u64).prop_map(
        |(number, other, protocol, valid_before, from_block)| Claim {
            key: key(number),
            kind: ClaimKind::Sale,
            rail: KINDS[number % KINDS.len()].name,
            protocol,
            network: NETWORKS[number / (KEYS - 1)].into(),
            asset: "0xasset".into(),
            payer: format!("payer-{number}"),
            pay_to: "0xus".into(),
            amount: 10_000 + number as u64,
            endpoint: "/v1/shopper/best-price".into(),
            request: if other == 3 { "another?q=1" } else { "request?q=1" }.into(),
            media_type: "application/json".into(),
            reference: if other == 4 { "another" } else { "pb1.reference" }.into(),
            trace: "trace".into(),
            valid_before,
            from_block,
            claimed_at: START,
        },
    )
}

fn answers() -> impl Strategy<Value = StoredAnswer> {
    let media_types = select(vec!["application/json", "text/csv"]);
    (prop::collection::vec(any::<u8>(), 0..30), media_types, 0..3_u8, 0..9_u64).prop_map(
        |(body, media_type, snapshot, freshness_seconds)| StoredAnswer {
            body,
            media_type: media_type.to_owned(),
            snapshot_id: format!("snapshot-{snapshot}"),
            freshness_seconds,
        },
    )
}

fn transactions() -> impl Strategy<Value = String> {
    select(vec!["0xone".to_owned(), "0xtwo".to_owned()])
}

fn proofs() -> impl Strategy<Value = Proof> {
    (transactions(), 0..2_u64).prop_map(|(transaction, index)| Proof { transaction, index })
}

fn changes() -> impl Strategy<Value = Change> {
    let reason = || select(vec!["because".to_owned(), "for all that".to_owned()]);
    prop_oneof![
        4 => answers().prop_map(Change::Settling),
        4 => (prop::option::of(proofs()), prop::option::of(transactions()), prop::option::of(answers()))
            .prop_map(|(proof, transaction, answer)| Change::Settled { proof, transaction, answer }),
        2 => reason().prop_map(|reason| Change::Open { reason }),
        1 => reason().prop_map(|reason| Change::Failed { reason }),
        1 => (prop::option::of(transactions()), reason())
            .prop_map(|(transaction, reason)| Change::Unknown { transaction, reason }),
        1 => proofs().prop_map(Change::Confirmed),
        1 => Just(Change::Closed),
    ]
}

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let op = prop_oneof![
        5 => claims().prop_map(Op::Claim),
        10 => (0..KEYS, changes()).prop_map(|(number, change)| Op::Advance(key(number), change)),
        1 => (select(&NETWORKS[..]), 0..9_u64).prop_map(|(network, head)| Op::FirstBlock(network, head)),
    ];
    let round = prop_oneof![
        9 => prop::collection::vec((0..900_u64, op), 1..6).prop_map(Round::At),
        1 => (0..2_000_u64).prop_map(Round::Reopen),
    ];
    prop::collection::vec(round, 1..25)
}

/// Sends operations in order without waiting for one before the next, so that they can share a transaction.
fn send(ledger: &Ledger, ops: Vec<(u64, Op)>) -> Vec<LedgerReport> {
    type Sent<'a> = Pin<Box<dyn Future<Output = LedgerReport> + 'a>>;
    let sent = |(at, op)| -> Sent<'_> {
        Box::pin(async move {
            match op {
                Op::Claim(claim) => LedgerReport::Claimed(ledger.claim(claim).await.expect("claimed")),
                Op::Advance(key, change) => {
                    LedgerReport::Advanced(ledger.advance(key, change, at).await.expect("advanced"))
                }
                Op::FirstBlock(network, head) => {
                    LedgerReport::Block(ledger.first_block(network.to_owned(), head).await.expect("a block"))
                }
            }
        })
    };
    let mut waiting: Vec<(Sent<'_>, Option<LedgerReport>)> =
        ops.into_iter().map(|op| (sent(op), None)).collect();
    let all = std::future::poll_fn(|context| {
        for (future, report) in waiting.iter_mut().filter(|(_, report)| report.is_none()) {
            if let Poll::Ready(ready) = future.as_mut().poll(context) {
                *report = Some(ready);
            }
        }
        if waiting.iter().all(|(_, report)| report.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    });
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(all);
    waiting.into_iter().filter_map(|(_, report)| report).collect()
}

fn run(rounds: Vec<Round>, mut ledger: Ledger, reopen: impl Fn(u64) -> Ledger) {
    let mut model = Model::default();
    let mut now = START;
    for round in rounds {
        match round {
            Round::At(mut ops) => {
                for (at, op) in &mut ops {
                    now += *at;
                    *at = now;
                    if let Op::Claim(claim) = op {
                        claim.claimed_at = now;
                        claim.valid_before += now / 1000;
                    }
                }
                let expected: Vec<_> = ops.iter().map(|(at, op)| model.apply(op.clone(), *at)).collect();
                assert_eq!(send(&ledger, ops), expected);
            }
            Round::Reopen(after) => {
                now += after;
                drop(ledger);
                ledger = reopen(now);
                model.reopen(now);
            }
        }
        model.check(&ledger);
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn in_memory_it_is_the_model(mut rounds in rounds()) {
        rounds.retain(|round| matches!(round, Round::At(_)));
        let open = || Ledger::in_memory(LIMITS).expect("a ledger");
        run(rounds, open(), |_| open());
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn in_a_file_it_is_the_model(rounds in rounds()) {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |now| Ledger::open(&folder.path().join("ledger.sqlite"), LIMITS, now).expect("a ledger");
        run(rounds, open(START), open);
    }
}
