//! A server that is killed under load has kept everything that it said it had.
//!
//! The test runs itself as a child: the child claims and advances payments as fast as it can and says so line by line;
//! it is killed at some moment, and the ledger must hold at least what was said.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use pricebook::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimKind, ClaimRow, ClaimState, ClaimStore, Claiming, PaymentProtocol,
    Proof, StoredAnswer,
};
use pricebook::payment::ledger::{Ledger, ReplyLimits};
use pricebook::payment::rails::base;
use rusqlite::Connection;

/// Steps that a child has said when it is killed.
const KILLED_AFTER_STEPS: [usize; 8] = [1, 9, 25, 60, 110, 190, 300, 450];
const WORKERS: usize = 8;
/// Payments of a worker, more than it ever gets through.
const PAYMENTS: usize = 1_000_000;
/// All of it happens at one instant, in milliseconds since 1970: 2026-11-21T04:00:01Z.
pub(super) const NOW: u64 = 1_795_233_601_000;
pub(super) const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 86_400, replies_bytes_max: 1 << 30 };
const FILE: &str = "PRICEBOOK_TEST_LEDGER";
const ROUND: &str = "PRICEBOOK_TEST_ROUND";
const NETWORK: &str = "eip155:8453";
/// Longest wait for a child's next word.
const PATIENCE: Duration = Duration::from_mins(1);

/// One payment of the load; its name says all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Payment {
    pub(super) round: usize,
    pub(super) worker: usize,
    pub(super) number: usize,
}

/// How a payment stands after a step: its state, whether it is confirmed, whether it has an answer.
pub(super) type Stand = (ClaimState, bool, bool);

impl Payment {
    pub(super) const PLANS: usize = 6;

    pub(super) fn key(self) -> ClaimKey {
        ClaimKey(format!("{}-{}-{}", self.round, self.worker, self.number))
    }

    fn from_key(key: &str) -> Self {
        let parts: Vec<usize> = key.split('-').map(|part| part.parse().unwrap()).collect();
        Self { round: parts[0], worker: parts[1], number: parts[2] }
    }

    fn plan(self) -> usize {
        self.number % Self::PLANS
    }

    /// Where it stands after each step of its plan.
    pub(super) fn stands(self) -> &'static [Stand] {
        use ClaimState::{Claimed, Failed, Open, Settled, Settling, Unknown};
        match self.plan() {
            0 => &[(Claimed, false, false)],
            1 | 5 => &[(Claimed, false, false), (Settling, false, true), (Settled, true, true)],
            2 => &[
                (Claimed, false, false),
                (Settling, false, true),
                (Settled, false, true),
                (Settled, true, true),
            ],
            3 => &[
                (Claimed, false, false),
                (Settling, false, true),
                (Unknown, false, true),
                (Settled, true, true),
            ],
            _ => &[
                (Claimed, false, false),
                (Open, false, false),
                (Claimed, false, false),
                (Settling, false, true),
                (Failed, false, true),
                (Failed, false, false),
            ],
        }
    }

    /// The transfer that pays it; in the last plan, workers fight over one.
    fn proof(self) -> Proof {
        let payer = if self.plan() == 5 { "all".to_owned() } else { self.worker.to_string() };
        Proof { transaction: format!("0x{}-{}-{payer}", self.round, self.number), index: 3 }
    }

    fn answer(self) -> StoredAnswer {
        let body = self.key().0.into_bytes().repeat(200);
        StoredAnswer {
            body,
            media_type: "application/json".into(),
            snapshot_id: format!("snapshot-{}", self.round),
            freshness_seconds: 1,
        }
    }

    pub(super) fn claim(self) -> Claim {
        Claim {
            key: self.key(),
            kind: ClaimKind::Sale,
            rail: base::NAME,
            protocol: PaymentProtocol::X402,
            network: NETWORK.into(),
            asset: "0xasset".into(),
            payer: "0xpayer".into(),
            pay_to: "0xus".into(),
            amount: 10_000,
            endpoint: "/v1/shopper/best-price".into(),
            request: "request".into(),
            media_type: "application/json".into(),
            reference: "pb1.reference".into(),
            trace: String::new(),
            valid_before: 1_795_233_660,
            from_block: 1,
            claimed_at: NOW - 1_000,
        }
    }

    pub(super) fn change(self, step: usize) -> Change {
        let reason = || "because".to_owned();
        let settled = |proof| Change::Settled { proof, transaction: Some("0xsaid".into()), answer: None };
        match (self.plan(), step) {
            (1 | 2 | 3 | 5, 1) | (4, 3) => Change::Settling(self.answer()),
            (2, 2) => settled(None),
            (2, 3) => Change::Confirmed(self.proof()),
            (1 | 5, 2) | (3, 3) => settled(Some(self.proof())),
            (3, 2) => Change::Unknown { transaction: None, reason: reason() },
            (4, 1) => Change::Open { reason: reason() },
            (4, 4) => Change::Failed { reason: reason() },
            (4, 5) => Change::Closed,
            other => panic!("no step {other:?}"),
        }
    }
}

/// The child: works until it is killed.
#[test]
fn child() {
    let (Some(file), Ok(round)) = (std::env::var_os(FILE), std::env::var(ROUND)) else { return };
    let round = round.parse().unwrap();
    let ledger = Arc::new(Ledger::open(Path::new(&file), LIMITS, NOW).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let work = |worker| {
        let ledger = Arc::clone(&ledger);
        runtime.spawn(async move {
            for number in 0..PAYMENTS {
                pay(&ledger, Payment { round, worker, number }).await;
            }
        })
    };
    for worker in (0..WORKERS).map(work).collect::<Vec<_>>() {
        runtime.block_on(worker).unwrap();
    }
}

async fn pay(ledger: &Ledger, payment: Payment) {
    for step in 0..payment.stands().len() {
        let said = if payment.stands()[step].0 == ClaimState::Claimed {
            assert_eq!(ledger.claim(payment.claim()).await.unwrap(), Claiming::Ours);
            Advance::Done
        } else {
            ledger.advance(payment.key(), payment.change(step), NOW).await.unwrap()
        };
        assert!(said == Advance::Done || (said == Advance::Spent && payment.plan() == 5), "{said:?}");
        println!("said {} {step} {said:?}", payment.key());
    }
}

/// What a child said before it was killed: of each payment, its steps that were done; and those whose transfer was
/// spent already.
#[derive(Default)]
pub(super) struct Said {
    pub(super) done: BTreeMap<Payment, usize>,
    pub(super) spent: BTreeSet<Payment>,
}

/// Runs a child and kills it. Its last line may be half a line and then was not said.
fn run_and_kill(file: &Path, round: usize, after_steps: usize, said: &mut Said) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["ledger::child", "--exact", "--nocapture"])
        .env(FILE, file)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut line = String::new();
        while out.read_line(&mut line).unwrap() > 0 {
            if line.starts_with("said ") && line.ends_with('\n') {
                sender.send(line.clone()).unwrap();
            }
            line.clear();
        }
    });
    let heard: Vec<String> =
        (0..after_steps).map(|_| lines.recv_timeout(PATIENCE).expect("the child works")).collect();
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it was killed and did not end by itself");
    reader.join().unwrap();
    for line in heard.into_iter().chain(lines) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let payment = Payment::from_key(words[1]);
        if words[3] == "Spent" {
            said.spent.insert(payment);
        } else {
            said.done.insert(payment, words[2].parse::<usize>().unwrap() + 1);
        }
    }
}

/// Where the next server finds what stood so.
fn recovered((state, confirmed, answered): Stand) -> Stand {
    let state = match state {
        ClaimState::Claimed => ClaimState::Open,
        ClaimState::Settling => ClaimState::Unknown,
        other => other,
    };
    (state, confirmed, answered)
}

fn stand(ledger: &Ledger, payment: Payment, row: &ClaimRow) -> Stand {
    let answer = ledger.answer(&payment.key(), NOW).unwrap();
    assert!(answer.iter().all(|answer| *answer == payment.answer()), "{payment:?}");
    (row.state, row.confirmed, answer.is_some())
}

/// Everything that was said is there, and nothing but the one step that a payment may have been in.
pub(super) fn check(ledger: &Ledger, said: &Said) -> usize {
    let mut at_work = 0;
    for (&payment, &done) in &said.done {
        let row = ledger.lookup(&payment.key()).unwrap();
        let row = row.unwrap_or_else(|| panic!("{payment:?} was claimed and is lost"));
        let stands = payment.stands();
        let last = if said.spent.contains(&payment) { done } else { (done + 1).min(stands.len()) };
        let may_be: Vec<Stand> = stands[done - 1..last].iter().copied().map(recovered).collect();
        let is = stand(ledger, payment, &row);
        assert!(may_be.contains(&is), "{payment:?} is {is:?} after {done} steps, not one of {may_be:?}");
        at_work += usize::from(row.reason.is_some_and(|reason| reason.contains("the server stopped")));
    }
    for loser in &said.spent {
        let rivals = (0..WORKERS).map(|worker| Payment { worker, ..*loser });
        let paid = rivals.filter(|rival| {
            ledger.lookup(&rival.key()).unwrap().is_some_and(|row| row.state == ClaimState::Settled)
        });
        assert_eq!(paid.count(), 1, "{loser:?} was told that its transfer pays another");
    }
    at_work
}

pub(super) fn check_file(file: &Path) {
    let connection = Connection::open(file).unwrap();
    let one =
        |sql: &str| connection.query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
    assert_eq!(one("PRAGMA integrity_check"), "ok".to_owned().into());
    for (what, sql) in [
        (
            "transfers that pay twice",
            "SELECT count(*) - count(DISTINCT tx || '/' || log_index) FROM claims WHERE log_index IS NOT NULL",
        ),
        ("claims at work", "SELECT count(*) FROM claims WHERE state IN ('claimed', 'settling')"),
        ("dangling answers", "SELECT count(*) FROM replies LEFT JOIN claims USING (key) WHERE state IS NULL"),
        (
            "settled without an answer",
            "SELECT count(*) FROM claims LEFT JOIN replies USING (key) WHERE state = 'settled' AND body IS NULL",
        ),
    ] {
        assert_eq!(one(sql), 0.into(), "{what}");
    }
}

#[test]
fn a_killed_server_has_kept_what_it_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.sqlite");
    let mut said = Said::default();
    let mut at_work = 0;
    for (round, after_steps) in KILLED_AFTER_STEPS.into_iter().enumerate() {
        run_and_kill(&file, round, after_steps, &mut said);
        let ledger = Ledger::open(&file, LIMITS, NOW).expect("the killed server's lock is gone with it");
        at_work = check(&ledger, &said);
        drop(ledger);
        check_file(&file);
    }
    assert!(at_work > 0, "no kill met a payment at work");
}
