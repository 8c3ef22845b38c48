//! Which form of an answer a client gets, over a socket; also one that the server does not bring along: one type, and it is
//! negotiated, encoded and tagged.

use pricebook::query::representation::{Answered, EncodeError, Representation};
use pricebook::server::ServerOptions;
use serde_json::{Value, json};

use crate::payment::statuses::Shop;
use crate::support::asking;
use crate::support::client::{Answer, Client};
use crate::support::server::TestServer;

const TARGET: &str = "/v1/marketing/competitive-landscape?category=memory&limit=3";
const FREE: &str = "/v1/public/retailers?country=ca";
const CSV: &str = "text/csv";
const PARQUET: &str = "application/vnd.apache.parquet";
const FORMS: [&str; 5] =
    ["application/json", CSV, "application/x-ndjson", "application/vnd.apache.arrow.stream", PARQUET];

fn real() -> TestServer {
    TestServer::real(asking::fixture(), &ServerOptions::default())
}

fn tag(answer: &Answer) -> String {
    answer.header("etag").unwrap().to_owned()
}

fn as_form(client: &mut Client, target: &str, form: &str) -> Answer {
    client.send("GET", target, &[("accept", form)])
}

#[test]
fn a_client_gets_the_form_that_it_asks_for() {
    let server = real();
    let mut client = server.connect();
    for target in [TARGET, FREE] {
        let mut tags = Vec::new();
        for form in FORMS {
            let answer = as_form(&mut client, target, form);
            let content_type = if form == CSV { "text/csv; charset=utf-8" } else { form };
            assert_eq!((answer.status, answer.header("content-type")), (200, Some(content_type)));
            assert_eq!(answer.header("vary"), Some("accept, accept-encoding"));
            let head = client.send("HEAD", target, &[("accept", form)]);
            let about = |answer: &Answer, name: &str| answer.header(name).map(str::to_owned);
            assert_eq!(about(&head, "content-type"), about(&answer, "content-type"));
            tags.extend(answer.header("etag").map(|_| tag(&answer)));
        }
        // Two forms of a free answer have two tags.
        let count = tags.len();
        tags.sort_unstable();
        tags.dedup();
        assert_eq!((tags.len(), count), if target == FREE { (5, 5) } else { (0, 0) });
    }
    let csv = as_form(&mut client, FREE, CSV);
    let again = [("accept", CSV), ("if-none-match", &*tag(&csv))];
    assert_eq!(client.send("GET", FREE, &again).status, 304);
    assert_eq!(client.send("GET", FREE, &[("if-none-match", &*tag(&csv))]).status, 200);
    for browser in ["*/*", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"] {
        assert_eq!(as_form(&mut client, FREE, browser).header("content-type"), Some("application/json"));
    }
}

#[test]
fn tables_are_compressed_like_any_answer() {
    let server = real();
    let mut client = server.connect();
    let target = TARGET.replace("limit=3", "limit=50");
    for form in FORMS {
        let plain = as_form(&mut client, &target, form);
        let packed = client.send("GET", &target, &[("accept", form), ("accept-encoding", "zstd")]);
        assert_eq!(packed.header("content-encoding"), Some("zstd"));
        assert!(2 * packed.body.len() < plain.body.len(), "{form}");
        // Both say when they were computed, which may take a digit more or less.
        let unpacked = zstd::bulk::decompress(&packed.body, plain.body.len() + 64).unwrap();
        assert!(unpacked.len().abs_diff(plain.body.len()) < 64, "{form}");
        assert_eq!(unpacked[..4], plain.body[..4], "{form}");
    }
}

#[test]
fn refuses_unsupported_media_types() {
    let server = real();
    let mut client = server.connect();
    let refused = |answer: &Answer, forms: &[&str]| {
        assert_eq!((answer.status, answer.header("content-type")), (406, Some("application/problem+json")));
        let body = answer.json();
        assert_eq!(body["error"]["code"], "NOT_ACCEPTABLE");
        assert_eq!(body["error"]["details"], json!({ "media_types": forms }));
        assert!(body["detail"].as_str().unwrap().contains(forms[forms.len() - 1]));
    };
    for accepted in ["image/png", "text/csv;q=0", "application/problem+json", "text/html, */*;q=0"] {
        refused(&as_form(&mut client, TARGET, accepted), &FORMS);
        assert_eq!(client.send("HEAD", TARGET, &[("accept", accepted)]).status, 406);
    }
    // A route without an answer has no table.
    refused(&as_form(&mut client, "/v1/social/topic-trends", CSV), &FORMS[..1]);
    // The error object alone, where the route says so.
    let bare = as_form(&mut client, "/v1/public/coverage", "image/png").json();
    assert_eq!(bare["code"], "NOT_ACCEPTABLE");
    // Paths and methods come first, parameters after it; pages and preflights are the same for everybody.
    assert_eq!(as_form(&mut client, "/v1/nothing", "image/png").status, 404);
    assert_eq!(as_form(&mut client, "/v1/public/coverage?a=b", "image/png").status, 406);
    assert_eq!(as_form(&mut client, "/openapi.json", "image/png").status, 200);
    assert_eq!(client.send("OPTIONS", FREE, &[("accept", "image/png")]).status, 204);
    // Errors are problem documents whatever was asked for.
    let missing = as_form(&mut client, "/v1/shopper/best-price?q=qqzzx", CSV);
    assert_eq!((missing.status, missing.header("content-type")), (404, Some("application/problem+json")));
}

#[test]
fn an_answer_without_rows_is_one_row() {
    let server = TestServer::start();
    let target = "/v1/public/echo?word=a,b";
    let json = server.get(target).json();
    let csv = as_form(&mut server.connect(), target, CSV).text();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("word,snapshot_id,price,freshness_seconds"));
    let (id, price) = (json["snapshot_id"].as_str().unwrap(), &json["price"]);
    assert!(lines.next().unwrap().starts_with(&format!("\"a,b\",{id},{price},")), "{csv}");
    assert_eq!(lines.next(), None);
}

#[test]
fn a_payment_buys_a_form_and_keeps_it() {
    let shop = Shop::open();
    let target = crate::payment::statuses::PATH;
    // Nobody is asked to pay for what cannot be answered, and no payment is taken for it.
    let payment = shop.x402(target, "formats");
    let sent = ("payment-signature", payment.as_str());
    assert_eq!(shop.get(target, &[("accept", "image/png")]).status, 406);
    assert_eq!(shop.get(target, &[("accept", "image/png"), sent]).status, 406);
    let bought = shop.get(target, &[("accept", CSV), sent]);
    assert_eq!((bought.status, bought.header("content-type")), (200, Some("text/csv; charset=utf-8")));
    // The same payment gives the same bytes, whatever is accepted now.
    for accepted in [CSV, "application/json", "image/png"] {
        let again = shop.get(target, &[("accept", accepted), sent]);
        assert_eq!((again.status, &again.body), (200, &bought.body), "{accepted}");
        assert_eq!(again.header("content-type"), bought.header("content-type"));
        assert_eq!(tag(&again), tag(&bought));
        assert!(again.header("payment-response").is_some());
    }
    // An answer that nobody waited for is computed in the form in which it was sold.
    let request = target.replace('+', "%20");
    for form in FORMS {
        let answer = shop.server.shared.answer_again(&request, form).unwrap();
        assert_eq!(answer.media_type, form);
    }
}

/// The names of the rows' columns.
struct Names;

impl Representation for Names {
    fn media_type(&self) -> &'static str {
        "text/x-names"
    }

    fn about(&self) -> &'static str {
        "Names."
    }

    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
        let fields = serde_json::to_value(answer.fields()).unwrap();
        let rows = fields["items"].as_array();
        let reason = || EncodeError { media_type: self.media_type(), reason: "no rows".to_owned() };
        let name = |row: &Value| format!("{}\n", row["product_name"].as_str().unwrap()).into_bytes();
        Ok(rows.ok_or_else(reason)?.iter().flat_map(name).collect())
    }
}

#[test]
fn a_form_of_ones_own_is_one_type() {
    let server = TestServer::writing(asking::fixture(), &Names);
    let mut client = server.connect();
    let names = as_form(&mut client, TARGET, "text/x-names, */*;q=0.1");
    assert_eq!((names.status, names.header("content-type")), (200, Some("text/x-names")));
    let json = client.get(TARGET).json();
    let expected: Vec<&str> =
        json["items"].as_array().unwrap().iter().map(|row| row["product_name"].as_str().unwrap()).collect();
    assert_eq!(names.text().lines().collect::<Vec<_>>(), expected);
}
