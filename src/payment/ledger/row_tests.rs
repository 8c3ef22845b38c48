//! Rows that hold anything a database can hold, under a seal that fits: read, or refused by name, and never a panic.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::sample::select;
use rusqlite::Connection;
use rusqlite::types::Value;

use super::Ledger;
use super::ReplyLimits;
use super::audit::audit;
use super::for_tests::{NOW, claim, key, wait};
use super::row_checksum;
use crate::payment::core::claim::{Change, ClaimStore, StoredAnswer};
use crate::payment::mutate::{almost_text, cases};
use crate::payment::rails::base;

const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 60, replies_bytes_max: 400 };

const COLUMNS: [&str; 25] = [
    "rail",
    "protocol",
    "network",
    "asset",
    "payer",
    "pay_to",
    "amount",
    "endpoint",
    "request",
    "reference",
    "trace",
    "valid_before",
    "from_block",
    "claimed_at",
    "state",
    "since",
    "tx",
    "settled_at",
    "confirmed",
    "watched",
    "reason",
    "snapshot_id",
    "log_index",
    "media_type",
    "next_look",
];

fn values() -> impl Strategy<Value = Value> {
    let words = ["base", "x402", "settled", "claimed", "unknown", "0xab", "2026-10-31-0123abcd", "because"];
    prop_oneof![
        1 => Just(Value::Null),
        2 => select(vec![i64::MIN, -1, 0, 1, 2, i64::MAX]).prop_map(Value::Integer),
        1 => any::<i64>().prop_map(Value::Integer),
        1 => any::<f64>().prop_map(Value::Real),
        3 => almost_text(&words).prop_map(Value::Text),
        1 => prop::collection::vec(any::<u8>(), 0..20).prop_map(Value::Blob),
    ]
}

#[test]
fn a_row_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.sqlite");
    let ledger = Ledger::open(&file, LIMITS, NOW).unwrap();
    wait(ledger.claim(claim(1))).unwrap();
    let body = StoredAnswer {
        body: b"{}".to_vec(),
        media_type: "application/json".into(),
        snapshot_id: "s".into(),
        freshness_seconds: 1,
    };
    wait(ledger.advance(key(1), Change::Settling(body), NOW)).unwrap();
    let beside = Connection::open(&file).unwrap();
    let (mut taken, mut refused) = (0, 0);
    let changes = prop::collection::vec((select(&COLUMNS[..]), values(), any::<bool>()), 1..4);
    let mut runner = proptest::test_runner::TestRunner::new(cases(400));
    beside.execute_batch("CREATE TEMP TABLE kept AS SELECT * FROM claims").unwrap();
    let same = COLUMNS.map(|column| format!("{column} = (SELECT {column} FROM kept)")).join(", ");
    let restore = format!("UPDATE claims SET {same}");
    let outcome = runner.run(&changes, |changes| {
        beside.execute_batch(&restore).map_err(|fault| TestCaseError::fail(fault.to_string()))?;
        for (column, value, as_text) in changes {
            let cast = if as_text { "CAST(?1 AS TEXT)" } else { "?1" };
            // What the table itself does not take is nobody's to read.
            let _ = beside.execute(&format!("UPDATE claims SET {column} = {cast}"), [value]);
        }
        row_checksum::checksum_all(&beside).ok();
        match ledger.lookup(&key(1)) {
            Ok(row) => prop_assert!(row.is_some()),
            Err(fault) => prop_assert!(!fault.0.is_empty()),
        }
        let _ = (ledger.answer(&key(1), NOW), ledger.figures(), ledger.watched(base::NAME, NOW, 9).unwrap());
        let audited = audit(&file).map(|found| found.faults);
        prop_assert!(audited.is_ok(), "{audited:?}");
        Ok(())
    });
    outcome.unwrap();
    beside.execute_batch(&restore).unwrap();
    for bad in [Value::Text("nobody".into()), Value::Text("base".into())] {
        beside.execute("UPDATE claims SET rail = ?1", [bad]).unwrap();
        row_checksum::checksum_all(&beside).unwrap();
        *(if ledger.lookup(&key(1)).is_ok() { &mut taken } else { &mut refused }) += 1;
    }
    assert_eq!((taken, refused), (1, 1), "a row that means something is read, one that does not is refused");
}
