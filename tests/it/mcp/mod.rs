//! The tools of agents, over a socket and over standard input and output.

mod calls;
mod door;
mod pages;
mod paying;
mod stdio;

use std::io::Write as _;

use crate::support::asking;
use crate::support::client::{Answer, Client};
use crate::support::server::TestServer;
use pricebook::server::ServerOptions;
use serde_json::{Value, json};

/// Header fields of every message.
const FIELDS: [(&str, &str); 3] = [
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
    ("mcp-protocol-version", "2025-06-18"),
];

fn server() -> TestServer {
    TestServer::real(asking::fixture(), &ServerOptions::default())
}

/// Sends bytes to `/mcp` with these header fields.
fn post(client: &mut Client, fields: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut head = format!("POST /mcp HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
    if fields.iter().all(|(name, _)| *name != "host") {
        head += "host: localhost\r\n";
    }
    for (name, value) in fields {
        head.extend([name, ": ", value, "\r\n"]);
    }
    let stream = client.0.get_mut();
    stream.write_all((head + "\r\n").as_bytes()).unwrap();
    // A body that is refused by its length is not read to its end.
    let _ = stream.write_all(body);
    client.read("POST")
}

/// A message and its answer.
pub fn message(server: &TestServer, method: &str, params: &Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let answer = post(&mut server.connect(), &FIELDS, &serde_json::to_vec(&body).unwrap());
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("application/json")),
        "{}",
        answer.text()
    );
    let answer = answer.json();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
    answer
}

/// The result of a call of a tool.
fn call(server: &TestServer, tool: &str, arguments: &Value) -> Value {
    call_with(server, tool, arguments, &json!({}))
}

/// The result of a call of a tool with metadata.
fn call_with(server: &TestServer, tool: &str, arguments: &Value, meta: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    message(server, "tools/call", &params)["result"].clone()
}

/// A text of a result, read as JSON.
fn text(result: &Value, at: usize) -> Value {
    serde_json::from_str(result["content"][at]["text"].as_str().unwrap_or("null")).unwrap()
}

fn tools(server: &TestServer) -> Vec<Value> {
    message(server, "tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone()
}
