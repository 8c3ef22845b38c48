//! Pages for people: a front page and forms that ask every route, what the catalog covers, the reference of the
//! interface, a page for each error, and the documents of the repository.
//!
//! The pages stand in front of the pipeline ([`crate::server::pages`]). They do no computation of their own:
//! `front`, `product`, `category`, `explorer` and `coverage` are made for each visitor, from the answers of the pipeline
//! to the visitor's own requests. A paid request is shown as its quote; in a sandbox, `product` and `category` pay with
//! test money and `paying` says so. Forms are made from the parameters of the route table.
//!
//! `texts` are written as Markdown: by hand (`docs/`), or at the start from the OpenAPI document (the reference and
//! the errors), so a page cannot name a field that answers do not have. Markdown becomes HTML when a page is first
//! read, and each page has a twin at `.md`, whose links lead to other twins.
//!
//! `layout` is what all pages have around them, `assets` the files that browsers load besides, under names that follow
//! from their content. Everything works without JavaScript; scripts draw pictures from the JSON that a page already
//! holds, and suggest. Pages load no file from another host, and the content security policy of each page says so.

mod assets;
mod category;
mod coverage;
mod explorer;
mod front;
mod layout;
mod paying;
mod product;
mod texts;
mod wording;

use maud::html;

use crate::catalog::Catalog;
use crate::payment::protocols::x402::wallet::Wallet;
use crate::query::endpoint::Route;
use crate::server::pages::{PageSource, Showing, Visitor};
use crate::types::Country;
use explorer::{Explorer, QueryString};
use layout::{Frame, Section};
use texts::Texts;

/// The page that defines the figures of answers.
const METHODOLOGY: &str = "/docs/methodology";

/// Names under which requests of pages are counted.
const NAMES: &[&str] = &[
    front::PATH,
    product::PATH,
    category::PATH,
    explorer::PATH,
    coverage::PATH,
    assets::COUNTED_AS,
    texts::ROOTS[0],
    texts::ROOTS[1],
    texts::ROOTS[2],
];

/// The pages.
pub struct Website {
    explorer: Explorer,
    texts: Texts,
    /// The wallet of a sandbox.
    wallet: Option<Wallet>,
}

impl Website {
    /// The pages of a server with these routes, which this OpenAPI document describes; `base` is how clients know it, empty
    /// where that is not known. Pages pay with `wallet`, which only a sandbox has.
    ///
    /// # Errors
    /// When the document is no JSON.
    pub fn new(
        routes: &[Route],
        openapi: &[u8],
        base: &str,
        wallet: Option<Wallet>,
    ) -> serde_json::Result<Self> {
        Ok(Self { explorer: Explorer::new(routes, base), texts: Texts::new(routes, openapi, base)?, wallet })
    }
}

impl PageSource for Website {
    fn counted_as(&self, path: &str) -> Option<&'static str> {
        match path {
            front::PATH => Some(front::PATH),
            product::PATH => Some(product::PATH),
            category::PATH => Some(category::PATH),
            coverage::PATH => Some(coverage::PATH),
            path if self.explorer.has(path) => Some(explorer::PATH),
            path if assets::find(path).is_some() => Some(assets::COUNTED_AS),
            path => self.texts.page(path).and_then(|_| texts::root(path)),
        }
    }

    fn names(&self) -> &'static [&'static str] {
        NAMES
    }

    fn show<'a>(&'a self, visitor: &'a Visitor<'a>) -> Showing<'a> {
        Box::pin(async move {
            if let Some(asset) = assets::find(visitor.path) {
                return asset.shown(visitor.headers);
            }
            if let Some(page) = self.texts.page(visitor.path) {
                return page.shown();
            }
            match visitor.path {
                front::PATH => front::show(visitor, &self.explorer).await,
                product::PATH => product::show(visitor, self.wallet.as_ref()).await,
                category::PATH => category::show(visitor, self.wallet.as_ref()).await,
                coverage::PATH => coverage::show(visitor).await,
                _ => self.explorer.show(visitor).await,
            }
        })
    }

    fn missing(&self, path: &str) -> Vec<u8> {
        let frame = Frame {
            title: "No such page",
            section: Section::None,
            about: "The server has no page at this address.",
            twin: None,
            scripts: &[],
        };
        layout::page(
            &frame,
            &html! {
                h1 { "No such page" }
                p { "The server has no page at " code { (path) } "." }
                p { a href=(front::PATH) { "Search for a product" } ", or look into the " a href="/reference" { "reference" } "." }
            },
        )
    }
}

/// The country that a visitor asks about. An unknown one is passed on, so that the route refuses it.
fn asked_country(visitor: &Visitor<'_>, asked: &QueryString) -> String {
    let busiest = || busiest(&visitor.shared.catalog()).as_str().to_owned();
    asked.value("country").map_or_else(busiest, str::to_owned)
}

/// The country with most retailers to compare, then with most listings.
fn busiest(catalog: &Catalog) -> Country {
    let size =
        |country: Country| (catalog.coverage.serving(country).count(), catalog.country_rows(country).len());
    let most = Country::ALL.into_iter().max_by_key(|&country| size(country));
    most.unwrap_or(Country::Us)
}
