//! Pages for people, over a socket and without a browser: every link, every form, every field, and what is escaped. What
//! only a browser sees is tested by `tests/web/run`.

mod category;
mod coverage;
mod explorer;
mod front;
mod html;
mod links;
mod product;
mod texts;

use std::sync::Arc;

use pricebook::catalog::Catalog;
use pricebook::server::ServerOptions;

use crate::support::asking;
use crate::support::client::Answer;
use crate::support::server::TestServer;
use html::Html;

/// A server for which nobody has to pay.
fn demo() -> TestServer {
    of(asking::fixture())
}

fn of(catalog: Arc<Catalog>) -> TestServer {
    TestServer::real(catalog, &ServerOptions::default())
}

/// The page at a target, with its status.
fn page(server: &TestServer, target: &str) -> (u16, Html) {
    read(target, &server.get(target))
}

fn read(target: &str, answer: &Answer) -> (u16, Html) {
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8"),
        "{target}: {}",
        answer.text()
    );
    (answer.status, Html::read(&answer.text()).unwrap_or_else(|fault| panic!("{target}: {fault}")))
}
