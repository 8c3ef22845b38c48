//! Ledgers of every version that ever was kept: each opens, and its payments are answered as they were.
//!
//! `tests/golden/ledger` holds one file per version, written by the program of its time. `UPDATE_GOLDEN=1` writes the
//! file of the current version where there is none yet; a file that is there stays.

use std::fs;
use std::path::{Path, PathBuf};

use alloy_primitives::{Address, B256};
use rusqlite::Connection;

use super::for_tests::wait;
use super::report::{ExportFormat, LedgerReport};
use super::schema::{CHANNELS_SINCE, SCHEMA_VERSION};
use super::{Ledger, ReplyLimits};
use crate::payment::core::channel::row::{
    ChannelCharge, ChannelRow, ChannelStore as _, ChannelWrite, LastCharge, OnChain, Voucher,
};
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimKind, ClaimState, ClaimStore, Claiming, PaymentProtocol, Proof,
    RailName, StoredAnswer,
};
use crate::payment::protocols::channel::ChannelConfig;
use crate::payment::rails::{base, channels, solana, tempo};

/// Answers are kept for a year.
const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 31_536_000, replies_bytes_max: 1 << 20 };
/// When the ledgers were written, in milliseconds since 1970.
const WRITTEN: u64 = 1_795_233_600_000;
const FIRST_BLOCK: u64 = 9;

/// What becomes of a claim.
#[derive(Clone, Copy)]
enum Fate {
    /// Settled, with its answer and the chain's word.
    Sold,
    /// Settled by a facilitator's word.
    Unconfirmed,
    Open,
    Failed,
    Unknown,
    Expired,
    /// The server stopped before it asked for the settlement.
    StoppedAtWork,
    /// The server stopped while it was settling.
    StoppedSettling,
}

/// Every claim of a fixture: name, rail, protocol, fate.
const CLAIMS: [(&str, RailName, PaymentProtocol, Fate); 9] = [
    ("sold-x402", base::NAME, PaymentProtocol::X402, Fate::Sold),
    ("sold-evm", base::NAME, PaymentProtocol::Mpp, Fate::Sold),
    ("sold-tempo", tempo::NAME, PaymentProtocol::Mpp, Fate::Sold),
    ("unconfirmed", solana::NAME, PaymentProtocol::X402, Fate::Unconfirmed),
    ("open", solana::NAME, PaymentProtocol::X402, Fate::Open),
    ("failed", base::NAME, PaymentProtocol::X402, Fate::Failed),
    ("unknown", tempo::NAME, PaymentProtocol::Mpp, Fate::Unknown),
    ("expired", base::NAME, PaymentProtocol::Mpp, Fate::Expired),
    ("claimed", base::NAME, PaymentProtocol::X402, Fate::StoppedAtWork),
];
const SETTLING: (&str, RailName, PaymentProtocol, Fate) =
    ("settling", solana::NAME, PaymentProtocol::X402, Fate::StoppedSettling);

fn golden(version: i32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/ledger/v{version}.sqlite"))
}

fn claim(name: &str, rail: RailName, protocol: PaymentProtocol) -> Claim {
    Claim {
        key: ClaimKey(name.into()),
        kind: ClaimKind::Sale,
        rail,
        protocol,
        network: format!("{rail}:1"),
        asset: "asset".into(),
        payer: format!("payer of {name}"),
        pay_to: "us".into(),
        amount: 10_000,
        endpoint: "/v1/shopper/best-price".into(),
        request: format!("/v1/shopper/best-price?q={name}"),
        media_type: "application/json".into(),
        reference: "pb1.reference".into(),
        trace: format!("trace of {name}"),
        valid_before: WRITTEN / 1_000 + 60,
        from_block: FIRST_BLOCK,
        claimed_at: WRITTEN,
    }
}

fn answer(name: &str) -> StoredAnswer {
    StoredAnswer {
        body: format!("{{\"bought\":\"{name}\"}}").into_bytes(),
        media_type: "application/json".into(),
        snapshot_id: "2026-11-21-00c0ffee".into(),
        freshness_seconds: 5,
    }
}

fn proof(name: &str) -> Proof {
    Proof { transaction: format!("0x{name}"), index: 7 }
}

/// The steps that lead to a fate.
fn steps(name: &str, fate: Fate) -> Vec<Change> {
    let settling = Change::Settling(answer(name));
    let reason = || "for a reason".to_owned();
    let unknown = || Change::Unknown { transaction: Some(format!("0x{name}")), reason: reason() };
    match fate {
        Fate::Sold => {
            vec![settling, Change::Settled { proof: Some(proof(name)), transaction: None, answer: None }]
        }
        Fate::Unconfirmed => {
            let transaction = Some(format!("0x{name}"));
            vec![settling, Change::Settled { proof: None, transaction, answer: None }]
        }
        Fate::Open => vec![Change::Open { reason: reason() }],
        Fate::Failed => vec![settling, Change::Failed { reason: reason() }],
        Fate::Unknown => vec![settling, unknown()],
        Fate::Expired => vec![settling, unknown(), Change::Closed],
        Fate::StoppedAtWork => vec![],
        Fate::StoppedSettling => vec![settling],
    }
}

fn write(path: &Path) {
    let ledger = Ledger::open(path, LIMITS, WRITTEN).expect("a ledger");
    wait(async {
        assert_eq!(ledger.first_block("base:1".into(), FIRST_BLOCK).await, Ok(FIRST_BLOCK));
        for (name, rail, protocol, fate) in CLAIMS.into_iter().chain([SETTLING]) {
            assert_eq!(ledger.claim(claim(name, rail, protocol)).await, Ok(Claiming::Ours));
            for (change, at) in steps(name, fate).into_iter().zip(WRITTEN + 1..) {
                let done = ledger.advance(ClaimKey(name.into()), change, at).await;
                assert_eq!(done, Ok(Advance::Done), "{name}");
            }
        }
        assert_eq!(ledger.open_channel(channel()).await, Ok(ChannelWrite::Done));
        assert_eq!(ledger.commit_charge(channel().id, charge()).await, Ok(ChannelWrite::Done));
    });
}

/// A channel with money in it.
fn channel() -> ChannelRow {
    let party = |byte| Address::repeat_byte(byte);
    let config = ChannelConfig {
        payer: party(1),
        payer_authorizer: party(2),
        receiver: party(3),
        receiver_authorizer: party(4),
        token: party(5),
        withdraw_delay: 900,
        salt: B256::ZERO,
    };
    let chain = OnChain { balance: 1_000_000, ..OnChain::default() };
    ChannelRow::new(B256::repeat_byte(7), channels::NAME, config, chain, WRITTEN)
}

/// What was sold on it.
fn charge() -> ChannelCharge {
    ChannelCharge {
        expected: 0,
        voucher: Voucher { max: 10_000, signature: [9; 65] },
        last: LastCharge {
            request_hash: [8; 32],
            media_type: "application/json".into(),
            receipt: "a receipt".into(),
            snapshot_id: "2026-11-21-00c0ffee".into(),
            freshness_seconds: 5,
        },
        body: b"bought".to_vec(),
        endpoint: "/v1/shopper/best-price".into(),
        at: WRITTEN + 1,
    }
}

/// What the payments of a ledger are answered with.
fn check(ledger: &Ledger, version: i32) {
    for (name, rail, protocol, fate) in CLAIMS.into_iter().chain([SETTLING]) {
        let key = ClaimKey(name.into());
        let row = ledger.lookup(&key).expect("a ledger").unwrap_or_else(|| panic!("{version}: no {name}"));
        assert_eq!(row.claim, claim(name, rail, protocol), "{version}");
        let (state, kept, watched) = match fate {
            Fate::Sold => (ClaimState::Settled, true, false),
            Fate::Unconfirmed => (ClaimState::Settled, true, true),
            Fate::Open | Fate::StoppedAtWork => (ClaimState::Open, false, true),
            Fate::Failed => (ClaimState::Failed, true, true),
            Fate::Unknown | Fate::StoppedSettling => (ClaimState::Unknown, true, true),
            Fate::Expired => (ClaimState::Expired, false, false),
        };
        assert_eq!((row.state, row.watched), (state, watched), "{version}: {name}");
        let stored = ledger.answer(&key, WRITTEN + 10).expect("a ledger");
        assert_eq!(stored, kept.then(|| answer(name)), "{version}: {name}");
    }
    if version >= CHANNELS_SINCE {
        let mut sold = channel();
        sold.sold(&charge());
        assert_eq!(ledger.channel(sold.id), Ok(Some(sold.clone())), "{version}");
        assert_eq!(ledger.last_body(sold.id, WRITTEN + 10), Ok(Some(b"bought".to_vec())), "{version}");
    }
    let spent = Change::Settled { proof: Some(proof("sold-x402")), transaction: None, answer: None };
    wait(async {
        assert_eq!(ledger.first_block("base:1".into(), 99).await, Ok(FIRST_BLOCK));
        let other = ledger.advance(ClaimKey("failed".into()), spent, WRITTEN + 20).await;
        assert_eq!(other, Ok(Advance::Spent), "{version}: a transfer pays one claim");
        let again = ledger.claim(claim("open", solana::NAME, PaymentProtocol::X402)).await;
        assert_eq!(again, Ok(Claiming::Ours), "{version}: an open claim may be tried again");
    });
}

#[test]
fn every_version_opens_and_its_payments_are_answered_as_before() {
    let current = golden(SCHEMA_VERSION);
    if std::env::var_os("UPDATE_GOLDEN").is_some() && !current.exists() {
        write(&current);
        fs::remove_file(current.with_extension("sqlite.lock")).expect("its lock");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for version in 1..=SCHEMA_VERSION {
        let path = folder.path().join(format!("v{version}.sqlite"));
        fs::copy(golden(version), &path)
            .expect("a ledger of every version: UPDATE_GOLDEN=1 writes a new one");
        for opening in 1..=2 {
            let ledger = Ledger::open(&path, LIMITS, WRITTEN + opening).expect("a ledger");
            if opening == 2 {
                check(&ledger, version);
            }
        }
    }
}

/// A ledger that cannot be brought to a newer version stays what it was, and is opened again when the cause is gone.
#[test]
fn a_step_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger.sqlite");
    fs::copy(golden(1), &path).expect("a ledger of version 1");
    let run = |sql: &str| Connection::open(&path).expect("a database").execute_batch(sql).expect(sql);
    run("ALTER TABLE replies ADD COLUMN media_type TEXT");
    let refused = Ledger::open(&path, LIMITS, WRITTEN).err().expect("a refusal").to_string();
    assert!(refused.contains("cannot be created or migrated to a newer version"), "{refused}");
    let version: i32 = Connection::open(&path)
        .and_then(|database| database.query_row("PRAGMA user_version", [], |row| row.get(0)))
        .expect("a version");
    assert_eq!(version, 1);
    run("ALTER TABLE replies DROP COLUMN media_type");
    let opened = |now| Ledger::open(&path, LIMITS, now).expect("a ledger");
    drop(opened(WRITTEN + 1));
    check(&opened(WRITTEN + 2), 1);
}

/// Reports read a ledger that no server has brought to the newest version yet, and leave it alone.
#[test]
fn reports_read_every_version_as_it_is() {
    for version in 1..=SCHEMA_VERSION {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledger.sqlite");
        fs::copy(golden(version), &path).expect("a ledger");
        let mut export = Vec::new();
        let report = LedgerReport::open(&path).expect("a ledger");
        report.export(ExportFormat::Csv, &mut export).expect("written");
        drop(report);
        let export = String::from_utf8(export).expect("text");
        let charged = usize::from(version >= CHANNELS_SINCE);
        assert_eq!(
            export.lines().count(),
            1 + 4 + charged,
            "a line of names, and the settled ones: {export}"
        );
        let now: i32 = Connection::open(&path)
            .and_then(|database| database.query_row("PRAGMA user_version", [], |row| row.get(0)))
            .expect("a version");
        assert_eq!(now, version);
    }
}
