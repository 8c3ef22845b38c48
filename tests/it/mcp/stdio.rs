//! `pricebook mcp`: the program on standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::asking;
use pricebook::index::run::{Options, run};
use pricebook::ingest::{Arguments, Silent};
use serde_json::{Value, json};

/// The program, with the test catalog's snapshot below `folder`.
fn start(folder: &Path) -> Child {
    let options = Options {
        arguments: Arguments::folders(&[asking::fixture_input()]),
        out: folder.to_owned(),
        max_rejects_pct: 100.0,
        ..Options::default()
    };
    run(&options, &Silent).unwrap().published.activate().unwrap();
    Command::new(env!("CARGO_BIN_EXE_pricebook"))
        .args(["mcp", "--snapshots"])
        .arg(folder)
        .env_remove("PRICEBOOK_CONFIG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn an_agent_on_this_machine_is_answered_and_heard_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = start(folder.path());
    let (mut input, output) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines();
    let mut ask = |message: Value| {
        writeln!(input, "{message}").unwrap();
        match message.get("id") {
            None => Value::Null,
            Some(id) => {
                let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
                assert_eq!(answer["id"], *id, "{answer}");
                answer["result"].clone()
            }
        }
    };
    let client = json!({ "name": "test", "version": "1" });
    let begin = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let begun = ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin }));
    assert_eq!(begun["serverInfo"]["name"], "pricebook");
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let listed = ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
    assert!(listed["tools"].as_array().unwrap().len() >= 17);
    let params = json!({ "name": "best_price", "arguments": { "q": "tofu", "country": "ca" } });
    let result = ask(json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params }));
    assert_eq!(result["isError"], false, "{result}");
    drop(input);
    assert!(lines.next().is_none(), "nothing else is said");
    let ended = program.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}
