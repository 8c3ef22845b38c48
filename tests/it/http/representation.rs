//! A representation that the server does not bring along: one type, and it is negotiated, encoded and tagged.

use std::sync::Arc;

use pricebook::query::representation::{Answered, EncodeError, Representation};
use serde_json::Value;

use crate::support::asking;
use crate::support::client::{Answer, Client};
use crate::support::server::TestServer;

/// A line of JSON for each row.
struct Lines;

impl Representation for Lines {
    fn media_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
        let fields = serde_json::to_value(answer.fields()).unwrap();
        let rows = answer.rows().iter().find_map(|field| fields[*field].as_array());
        let reason = || EncodeError { media_type: self.media_type(), reason: "no rows".to_owned() };
        Ok(rows.ok_or_else(reason)?.iter().flat_map(|row| format!("{row}\n").into_bytes()).collect())
    }
}

#[test]
fn a_client_gets_the_form_that_it_asks_for() {
    let out = tempfile::tempdir().unwrap();
    let catalog = Arc::new(asking::build(&[asking::demo_input()], out.path()));
    let server = TestServer::writing(catalog, &Lines);
    let mut client = Client::connect(server.address);
    let target = "/v1/marketing/competitive-landscape?category=memory&limit=3";
    let json = client.get(target);
    assert_eq!(json.header("content-type"), Some("application/json"));
    assert_eq!(json.header("vary"), Some("accept, accept-encoding"));
    let lines = client.send("GET", target, &[("accept", "application/x-ndjson, */*;q=0.1")]);
    assert_eq!((lines.status, lines.header("content-type")), (200, Some("application/x-ndjson")));
    let text = String::from_utf8(lines.body.clone()).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(Value::from(rows), json.json()["items"]);

    // Two forms of an answer have two tags.
    let free = "/v1/public/retailers";
    let tag = |answer: &Answer| answer.header("etag").unwrap().to_owned();
    let json = client.get(free);
    let lines = client.send("GET", free, &[("accept", "application/x-ndjson")]);
    assert_ne!(tag(&json), tag(&lines));
    let again = [("accept", "application/x-ndjson"), ("if-none-match", &*tag(&lines))];
    assert_eq!(client.send("GET", free, &again).status, 304);
    assert_eq!(client.send("GET", free, &[("if-none-match", &*tag(&lines))]).status, 200);
}
