//! `pricebook ledger`: what the command line says of a ledger, while a server has it open.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use pricebook::payment::core::claim::RailName;
use pricebook::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimKind, ClaimStore, Claiming, PaymentProtocol, Proof,
};
use pricebook::payment::ledger::{Ledger, ReplyLimits};
use pricebook::payment::rails::{base, solana, tempo};
use serde_json::{Value, json};

const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 60, replies_bytes_max: 1 << 20 };
/// 2026-11-21T00:00:00Z.
const MIDNIGHT: u64 = 1_795_219_200_000;
const HOUR: u64 = 3_600_000;

fn claim(key: &str, rail: RailName, endpoint: &str, amount: u64) -> Claim {
    Claim {
        key: ClaimKey(key.into()),
        kind: ClaimKind::Sale,
        rail,
        protocol: if rail == tempo::NAME { PaymentProtocol::Mpp } else { PaymentProtocol::X402 },
        network: "eip155:8453".into(),
        asset: "0xasset".into(),
        payer: format!("0xpayer of {key}"),
        pay_to: "0xus".into(),
        amount,
        endpoint: endpoint.into(),
        request: endpoint.into(),
        media_type: "application/json".into(),
        reference: "pb1.secret-reference".into(),
        trace: String::new(),
        valid_before: 0,
        from_block: 0,
        claimed_at: MIDNIGHT,
    }
}

fn proven(transaction: &str) -> Change {
    let proof = Some(Proof { transaction: transaction.into(), index: 0 });
    Change::Settled { proof, transaction: None, answer: None }
}

fn said(transaction: Option<&str>) -> Change {
    Change::Settled { proof: None, transaction: transaction.map(Into::into), answer: None }
}

/// Six payments: proven ones on two days, one that is not confirmed, one that the chain did not bear out, one that
/// was never settled.
async fn fill(ledger: &Ledger) {
    let (best, bands) = ("/v1/shopper/best-price", "/v1/analyst/price-bands, \"quoted\"");
    for (claim, steps) in [
        (claim("k2", base::NAME, best, 10_000), vec![(proven("0xb"), MIDNIGHT + HOUR)]),
        (claim("k1", base::NAME, best, 10_500), vec![(proven("0xa"), MIDNIGHT + HOUR)]),
        (claim("k3", tempo::NAME, bands, 20_000), vec![(proven("0xc"), MIDNIGHT - 1)]),
        (claim("k4", base::NAME, best, 50_000), vec![(said(None), MIDNIGHT + 24 * HOUR)]),
        (
            claim("k5", solana::NAME, best, 7),
            vec![(said(Some("5lie")), MIDNIGHT + 2 * HOUR), (Change::Closed, MIDNIGHT + 3 * HOUR)],
        ),
        (claim("k6", base::NAME, best, 1), vec![(Change::Open { reason: "no".into() }, MIDNIGHT)]),
    ] {
        let key = claim.key.clone();
        assert_eq!(ledger.claim(claim).await, Ok(Claiming::Ours));
        for (change, at) in steps {
            assert_eq!(ledger.advance(key.clone(), change, at).await, Ok(Advance::Done));
        }
    }
}

fn with_ledger(test: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    let ledger = Ledger::open(&path, LIMITS, MIDNIGHT).unwrap();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(fill(&ledger));
    test(&path);
}

fn command(path: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.arg("ledger").args(words.split(' ')).arg("--ledger").arg(path);
    command
}

fn printed(path: &Path, words: &str) -> String {
    let Output { status, stdout, stderr } = command(path, words).output().unwrap();
    assert!(status.success(), "{words}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

const EXPORT: &str = r#"settled_at,rail,protocol,endpoint,payer,amount_atomic,asset,transaction,key,state
2026-11-20T23:59:59.999Z,tempo,mpp,"/v1/analyst/price-bands, ""quoted""",0xpayer of k3,20000,0xasset,0xc,k3,settled
2026-11-21T01:00:00.000Z,base,x402,/v1/shopper/best-price,0xpayer of k1,10500,0xasset,0xa,k1,settled
2026-11-21T01:00:00.000Z,base,x402,/v1/shopper/best-price,0xpayer of k2,10000,0xasset,0xb,k2,settled
2026-11-21T02:00:00.000Z,solana,x402,/v1/shopper/best-price,0xpayer of k5,7,0xasset,5lie,k5,expired
2026-11-22T00:00:00.000Z,base,x402,/v1/shopper/best-price,0xpayer of k4,50000,0xasset,,k4,settled
"#;

#[test]
fn the_export_lists_what_was_ever_settled() {
    with_ledger(|path| {
        assert_eq!(printed(path, "export"), EXPORT);
        assert_eq!(printed(path, "export --format csv"), EXPORT);
        let rows: Vec<Value> = serde_json::from_str(&printed(path, "export --format json")).unwrap();
        let keys: Vec<_> = rows.iter().map(|row| row["key"].as_str().unwrap()).collect();
        assert_eq!(keys, ["k3", "k1", "k2", "k5", "k4"]);
        let names: Vec<_> = rows[4].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names.join(","), EXPORT.lines().next().unwrap());
        assert_eq!((&rows[4]["transaction"], &rows[4]["amount_atomic"]), (&Value::Null, &json!(50_000)));
    });
}

#[test]
fn the_summary_counts_what_is_settled() {
    with_ledger(|path| {
        let table = "\
day         rail   endpoint                           payments  amount_usd  unconfirmed
2026-11-20  tempo  /v1/analyst/price-bands, \"quoted\"         1        0.02            0
2026-11-21  base   /v1/shopper/best-price                    2      0.0205            0
2026-11-22  base   /v1/shopper/best-price                    1        0.05            1
total                                                        4      0.0905            1
";
        assert_eq!(printed(path, "summary"), table);
        let csv = printed(path, "summary --format csv --from 2026-11-21 --to 2026-11-21");
        assert_eq!(
            csv,
            "day,rail,endpoint,payments,amount_usd,unconfirmed\n\
             2026-11-21,base,/v1/shopper/best-price,2,0.0205,0\ntotal,,,2,0.0205,0\n"
        );
        let summary: Value =
            serde_json::from_str(&printed(path, "summary --format json --from 2026-11-22")).unwrap();
        let expected = json!({
            "rows": [{
                "day": "2026-11-22", "rail": "base", "endpoint": "/v1/shopper/best-price",
                "payments": 1, "amount_usd": "0.05", "unconfirmed": 1,
            }],
            "total": { "payments": 1, "amount_usd": "0.05", "unconfirmed": 1 },
        });
        assert_eq!(summary, expected);
        let none = printed(path, "summary --format csv --to 2026-01-01");
        assert_eq!(none.lines().last().unwrap(), "total,,,0,0.00,0");
    });
}

#[test]
fn reports_unreadable_ledgers_and_arguments() {
    with_ledger(|path| {
        let absent = path.with_file_name("absent.sqlite");
        let inverted = "summary --from 2026-11-22 --to 2026-11-21";
        for (path, words, code, expected) in [
            (absent.as_path(), "export", 1, "check that the file exists"),
            (Path::new(env!("CARGO_BIN_EXE_pricebook")), "summary", 1, "is not a ledger of pricebook"),
            (path, inverted, 1, "swap them"),
            (path, "summary --from yesterday", 2, "write it as 2026-11-21"),
            (path, "export --format table", 2, "csv"),
        ] {
            let Output { status, stdout, stderr } = command(path, words).output().unwrap();
            let log = String::from_utf8(stderr).unwrap();
            assert_eq!(status.code(), Some(code), "{words}: {log}");
            assert!(log.contains(expected) && stdout.is_empty(), "{words}: {log}");
        }
        assert!(!absent.exists(), "a report makes no file");
    });
}

#[test]
fn a_ledger_is_verified_and_backed_up_while_a_server_has_it() {
    with_ledger(|path| {
        let sound = printed(path, "verify");
        assert!(sound.contains("version 4 of the tables\n6 claims\n"), "{sound}");
        assert!(sound.ends_with("sound\n"), "{sound}");
        let copy = path.with_file_name("backup.sqlite");
        let words = format!("backup --out {}", copy.display());
        assert!(printed(path, &words).starts_with(&format!("{}: version 4", copy.display())));
        assert_eq!(printed(&copy, "export"), EXPORT);
        assert_eq!(printed(&copy, "verify").replace(copy.to_str().unwrap(), path.to_str().unwrap()), sound);
        let again = command(path, &words).output().unwrap();
        let log = String::from_utf8(again.stderr).unwrap();
        assert!(again.status.code() == Some(1) && log.contains("already exists; name another file"), "{log}");
        // A hand changes an amount.
        let database = rusqlite::Connection::open(&copy).unwrap();
        database.execute("UPDATE claims SET amount = 1 WHERE key = 'k1'", []).unwrap();
        drop(database);
        let Output { status, stdout, stderr } = command(&copy, "verify").output().unwrap();
        let (found, log) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        assert_eq!(status.code(), Some(1), "{log}");
        assert!(
            found.contains("fault: the row of payment k1 does not match its checksum\nfaults: 1\n"),
            "{found}"
        );
        assert!(log.contains("is damaged: replace the file with a backup"), "{log}");
    });
}

/// A copy of the ledger in which a hand changed something, as each report shows it: the rows of the export and what is
/// printed of the sums. Every report ends with 1.
fn changed(path: &Path, change: &str) -> (String, String) {
    let copy = path.with_file_name("changed.sqlite");
    printed(path, &format!("backup --out {}", copy.display()));
    rusqlite::Connection::open(&copy).unwrap().execute_batch(change).unwrap();
    let report = |words: &str| {
        let Output { status, stdout, stderr } = command(&copy, words).output().unwrap();
        let log = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(1), "{change}: {words}: {log}");
        assert!(
            log.contains("do not match their checksums") && log.contains("pricebook ledger verify"),
            "{log}"
        );
        String::from_utf8(stdout).unwrap()
    };
    let export = report("export");
    let rows: Vec<Value> = serde_json::from_str(&report("export --format json")).unwrap();
    assert_eq!(rows.len() + 1, export.lines().count(), "{change}");
    let summary = report("summary --format csv");
    std::fs::remove_file(&copy).unwrap();
    (export, summary.lines().last().unwrap().to_owned())
}

#[test]
fn marks_and_excludes_rows_with_wrong_checksums() {
    with_ledger(|path| {
        let k1 = "2026-11-21T01:00:00.000Z,base,x402,/v1/shopper/best-price,0xpayer of k1,10500,0xasset,0xa,k1,settled\n";
        let k6 = ",base,x402,/v1/shopper/best-price,0xpayer of k6,1,0xasset,,k6,damaged\n";
        let settled = |amount: &str, at: &str| {
            format!("{at},base,x402,/v1/shopper/best-price,0xpayer of k1,{amount},0xasset,0xa,k1,damaged\n")
        };
        let at = "2026-11-21T01:00:00.000Z";
        let without = "total,,,3,0.08,1";
        for (change, row, total) in [
            ("amount = 99 WHERE key = 'k1'", settled("99", at), without),
            ("amount = -1 WHERE key = 'k1'", settled("", at), without),
            ("confirmed = 0 WHERE key = 'k1'", settled("10500", at), without),
            ("state = 'expired' WHERE key = 'k1'", settled("10500", at), without),
            (
                "rail = 'channels' WHERE key = 'k1'",
                settled("10500", at).replace(",base,", ",channels,"),
                without,
            ),
            ("settled_at = NULL WHERE key = 'k1'", settled("10500", ""), without),
            ("settled_at = 9223372036854775807 WHERE key = 'k1'", settled("10500", ""), without),
            (
                "tx = CAST(x'ff61' AS TEXT) WHERE key = 'k1'",
                settled("10500", at).replace("0xa,", "\u{fffd}a,"),
                without,
            ),
            // A payment that was never settled.
            ("reason = 'another' WHERE key = 'k6'", k6.to_owned(), "total,,,4,0.0905,1"),
        ] {
            let (export, sum) = changed(path, &format!("UPDATE claims SET {change}"));
            assert!(export.contains(&row), "{change}: {export}");
            assert!(change.contains("k6") || !export.contains(k1), "{change}: {export}");
            assert_eq!(export.matches("damaged").count(), 1, "{change}: {export}");
            assert_eq!(sum, total, "{change}");
        }
    });
}

#[test]
fn channels_that_do_not_fit_their_checksums_are_listed_by_their_ids_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ledger/v4.sqlite");
    std::fs::copy(golden, &path).unwrap();
    let sound: Vec<String> = printed(&path, "channels --format csv").lines().map(str::to_owned).collect();
    let id = sound[1].split(',').next().unwrap().to_owned();
    let rest = |export: &str| -> Vec<String> {
        export.lines().filter(|line| !line.contains(&id)).map(str::to_owned).collect()
    };
    let settled = rest(&printed(&path, "export"));
    for change in ["charged = charged + 1", "payer = '0x'", "balance = -1", "config = '{'", "rail = 'none'"] {
        let hand = rusqlite::Connection::open(&path).unwrap();
        hand.execute_batch(&format!("UPDATE channel SET {change}")).unwrap();
        drop(hand);
        let report = |words: &str| {
            let Output { status, stdout, stderr } = command(&path, words).output().unwrap();
            let log = String::from_utf8(stderr).unwrap();
            assert_eq!(status.code(), Some(1), "{change}: {words}: {log}");
            assert!(log.contains("1 rows do not match their checksums"), "{log}");
            String::from_utf8(stdout).unwrap()
        };
        let channels = report("channels --format csv");
        assert_eq!(channels.lines().nth(1).unwrap(), format!("{id},damaged,,,,,,"), "{change}");
        assert_eq!(channels.lines().last().unwrap(), "total,,0.00,0.00,0.00,0.00,,", "{change}");
        let export = report("export");
        assert_eq!(rest(&export), settled, "{change}");
        let rail = if change.contains("rail") { "none" } else { "channels" };
        assert!(export.ends_with(&format!(",{rail},x402,,,,,,{id},damaged\n")), "{change}: {export}");
        report("summary");
    }
}

#[test]
fn succeeds_when_the_reader_closes_the_pipe_early() {
    with_ledger(|path| {
        let mut child =
            command(path, "export").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let Output { status, stderr, .. } = child.wait_with_output().unwrap();
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    });
}

#[test]
fn the_environment_names_the_ledger() {
    with_ledger(|path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
        let output = command.args(["ledger", "export"]).env("PRICEBOOK_LEDGER", path).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), EXPORT);
    });
}
