//! The description of an endpoint. Router, prices, OpenAPI document, tools, pages and discovery read it, so an endpoint is
//! described in its own file and nowhere else.

use super::json_text::JsonText;
use super::next_step::NextStep;
use super::params::Param;
use super::refusal::RefusalKind;

/// Most characters of [`Descriptor::about`]: a program reads all of them before it chooses.
pub const ABOUT_CHARS_MAX: usize = 600;

/// Path of a free list of what can be asked for, as a literal, for the texts that name it.
macro_rules! free_list {
    (categories) => {
        "/v1/public/categories"
    };
    (brands) => {
        "/v1/public/brands"
    };
    (retailers) => {
        "/v1/public/retailers"
    };
}
pub(crate) use free_list;

/// Endpoint groups, as they appear in paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// `/v1/shopper`
    Shopper,
    /// `/v1/marketing`
    Marketing,
    /// `/v1/analyst`
    Analyst,
    /// `/v1/public`, free
    Public,
    /// `/v1/reference`
    Reference,
    /// `/v1/social`, free
    Social,
}

/// Price class of a request; the amounts are in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceClass {
    /// Costs nothing.
    Free,
    /// Shopper reads.
    Shopper,
    /// Marketing reads.
    Marketing,
    /// Reference reads.
    Reference,
    /// Analyst reads.
    Analyst,
    /// The deepest reads: long windows and far pages.
    Deep,
    /// A batch that answers so many items.
    Batch(u32),
}

impl Group {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shopper => "Shopper",
            Self::Marketing => "Marketing",
            Self::Analyst => "Analyst",
            Self::Public => "Public",
            Self::Reference => "Reference",
            Self::Social => "Social",
        }
    }

    /// Price class of its requests, unless the endpoint decides otherwise.
    pub const fn price(self) -> PriceClass {
        match self {
            Self::Shopper => PriceClass::Shopper,
            Self::Marketing => PriceClass::Marketing,
            Self::Analyst => PriceClass::Analyst,
            Self::Reference => PriceClass::Reference,
            Self::Public | Self::Social => PriceClass::Free,
        }
    }

    /// Whether its requests cost anything.
    pub const fn is_paid(self) -> bool {
        !matches!(self, Self::Public | Self::Social)
    }
}

/// The description of an endpoint: written as `Descriptor { title: …, ..Descriptor::of(path, group) }`.
#[derive(Debug)]
pub struct Descriptor {
    /// Path, with the version prefix. Its last segment is the name of the endpoint on the command line and as a tool.
    pub path: &'static str,
    /// Group, which decides the price.
    pub group: Group,
    /// Name for people.
    pub title: &'static str,
    /// Purpose, in one sentence.
    pub summary: &'static str,
    /// When to use it, what to look at and what null means there, for a developer and for a program that chooses among
    /// endpoints: at most [`ABOUT_CHARS_MAX`] characters. The price is not in it.
    pub about: &'static str,
    /// Anchors in `docs/methodology.md` where its figures are defined, its own first.
    pub methodology: &'static [&'static str],
    /// Parameters, in the order of the documentation.
    pub params: &'static [&'static Param],
    /// Query strings that answer 200 on the demo snapshot. An endpoint without one has no data: no tool and no page.
    pub examples: &'static [&'static str],
    /// The 404s of `resolve`. [`RefusalKind::RetailerNotServing`] applies only to endpoints with a parameter `retailer`.
    pub refusals: &'static [RefusalKind],
    /// Fields of the answer that hold its rows, one after the other: a list of them, or an object that is one; a field that
    /// is null or absent holds none. Empty where the answer is one row.
    pub rows: &'static [&'static str],
    /// Pictures of its rows, the first whose rows an answer has.
    pub pictures: &'static [Picture],
    /// Paths of the fields that a page shows first. A path without rows is a headline figure. Paths below rows are the
    /// columns of their table: the name, the column that the rows are sorted by, then the rest. Other columns are folded.
    pub highlights: &'static [&'static str],
    /// The request that an answer leads to.
    pub next: fn(&JsonText) -> Option<NextStep>,
    /// Condition under which a request is a deep read, as it completes "0.05 USD for …"; `None` where
    /// [`price`](super::endpoint::Endpoint::price) never says so.
    pub deep: Option<&'static str>,
    /// Whether it answers lists of items and is priced by how many it answers, which
    /// [`answered`](super::endpoint::Endpoint::answered) counts.
    pub batch: bool,
    /// Whether errors are the bare object instead of a problem document.
    pub bare_errors: bool,
    /// Whether `run` may take longer than a few hundred microseconds: it then runs on a compute thread, behind
    /// admission, instead of inline (the hop costs about 20 µs).
    pub heavy: bool,
}

/// A picture of some rows of an answer.
#[derive(Debug)]
pub struct Picture {
    /// Field of the answer whose rows are drawn.
    pub rows: &'static str,
    /// Word by which the script of the pages knows how to draw it.
    pub kind: &'static str,
    /// Caption.
    pub title: &'static str,
}

impl Descriptor {
    /// The description with every optional part absent, and the refusals of its group.
    pub const fn of(path: &'static str, group: Group) -> Self {
        Self {
            path,
            group,
            title: "",
            summary: "",
            about: "",
            methodology: &[],
            params: &[],
            examples: &[],
            refusals: match group {
                Group::Shopper | Group::Marketing | Group::Analyst => {
                    &[RefusalKind::RetailerNotServing, RefusalKind::NoResults]
                }
                Group::Reference => &[RefusalKind::NoResults, RefusalKind::NotPublished],
                Group::Social => &[RefusalKind::NotPublished],
                Group::Public => &[],
            },
            rows: &[],
            pictures: &[],
            highlights: &[],
            next: |_| None,
            deep: None,
            batch: false,
            bare_errors: false,
            heavy: false,
        }
    }

    /// Last segment of the path, by which the endpoint is known on the command line and in a mix: `best-price`.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    /// Path and query of a request.
    pub fn request(&self, query: &str) -> String {
        match query {
            "" => self.path.to_owned(),
            query => format!("{}?{query}", self.path),
        }
    }

    /// Requests that are answered 200 over the demo.
    pub fn example_requests(&self) -> impl Iterator<Item = String> {
        self.examples.iter().map(|query| self.request(query))
    }

    /// Usual price class; of a batch the least.
    pub const fn usual_price(&self) -> PriceClass {
        if self.batch { PriceClass::Batch(1) } else { self.group.price() }
    }

    /// Price class of its dearest requests, where they cost more.
    pub fn dearest_price(&self) -> Option<PriceClass> {
        let deep = self.deep.map(|_| PriceClass::Deep);
        deep.or_else(|| self.batch.then_some(PriceClass::Batch(u32::MAX)))
    }

    /// Whether every answer is free.
    pub const fn is_free(&self) -> bool {
        !self.group.is_paid()
    }
}
