//! The description of an endpoint. The router, prices, the OpenAPI document, MCP tools, pages and discovery are
//! derived from it, so an endpoint is described in its own file only.

use super::json_text::JsonText;
use super::next_step::NextStep;
use super::params::Param;
use super::refusal::RefusalKind;

/// Maximum length of [`Descriptor::about`], in characters. A program reads the texts of all endpoints before it
/// chooses one.
pub const ABOUT_CHARS_MAX: usize = 600;

/// Path of a free route that lists the values of a parameter, as a string literal for texts that mention the path.
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

/// Price class of a request. The amounts are in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceClass {
    /// Costs nothing.
    Free,
    /// Requests of the shopper group.
    Shopper,
    /// Requests of the marketing group.
    Marketing,
    /// Requests of the reference group.
    Reference,
    /// Requests of the analyst group.
    Analyst,
    /// Deep reads, which are requests for long windows or far pages.
    Deep,
    /// Requests for a batch, by the number of answered items.
    Batch(u32),
}

impl Group {
    /// Display name.
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

    /// Price class of the group's requests, unless the endpoint decides otherwise.
    pub const fn price(self) -> PriceClass {
        match self {
            Self::Shopper => PriceClass::Shopper,
            Self::Marketing => PriceClass::Marketing,
            Self::Analyst => PriceClass::Analyst,
            Self::Reference => PriceClass::Reference,
            Self::Public | Self::Social => PriceClass::Free,
        }
    }

    /// Whether the group's requests are paid.
    pub const fn is_paid(self) -> bool {
        !matches!(self, Self::Public | Self::Social)
    }
}

/// The description of an endpoint, written as `Descriptor { title: …, ..Descriptor::of(path, group) }`.
#[derive(Debug)]
pub struct Descriptor {
    /// Path, with the version prefix. Its last segment is the name of the endpoint on the command line and as a tool.
    pub path: &'static str,
    /// Group, which determines the price.
    pub group: Group,
    /// Display title.
    pub title: &'static str,
    /// Purpose, in one sentence.
    pub summary: &'static str,
    /// When to use the endpoint, which fields to read and what null means there, for developers and for programs that
    /// choose among endpoints. At most [`ABOUT_CHARS_MAX`] characters, without the price.
    pub about: &'static str,
    /// Anchors in `docs/methodology.md` that define the endpoint's figures, its own section first.
    pub methodology: &'static [&'static str],
    /// Parameters, in the order of the documentation.
    pub params: &'static [&'static Param],
    /// Query strings that the server answers with 200 on the demo snapshot. An endpoint without an example does not
    /// have data in the demo, so it does not become a tool or a page.
    pub examples: &'static [&'static str],
    /// 404 errors that `resolve` may return. [`RefusalKind::RetailerNotServing`] applies only to endpoints with a
    /// parameter `retailer`.
    pub refusals: &'static [RefusalKind],
    /// Fields of the answer that contain its rows, in order. Each field is a list of rows, or an object that is one
    /// row. A field that is null or absent does not contain rows. Empty if the answer itself is one row.
    pub rows: &'static [&'static str],
    /// Pictures of the rows. A page draws the first picture for which the answer has rows.
    pub pictures: &'static [Picture],
    /// Paths of the fields that a page shows first. A path outside the rows is a headline figure. Paths within the
    /// rows are columns of the table: first the name, then the column by which the rows are sorted, then the others.
    /// Columns that are not listed are collapsed.
    pub highlights: &'static [&'static str],
    /// The next request that an answer suggests.
    pub next: fn(&JsonText) -> Option<NextStep>,
    /// Condition under which a request is a deep read, worded to complete "0.05 USD for …"; `None` if
    /// [`price`](super::endpoint::Endpoint::price) never returns a deep read.
    pub deep: Option<&'static str>,
    /// Whether the endpoint answers lists of items and is priced by the number of answered items, which
    /// [`answered`](super::endpoint::Endpoint::answered) counts.
    pub batch: bool,
    /// Whether errors are the bare error object instead of a problem document.
    pub bare_errors: bool,
    /// Whether `run` may take longer than a few hundred microseconds. It then waits for admission and runs on a
    /// compute thread instead of inline. The change of threads costs about 20 µs.
    pub heavy: bool,
}

/// A picture drawn from rows of an answer.
#[derive(Debug)]
pub struct Picture {
    /// Field of the answer whose rows are drawn.
    pub rows: &'static str,
    /// Name of the drawing in the script of the pages.
    pub kind: &'static str,
    /// Caption.
    pub title: &'static str,
}

impl Descriptor {
    /// Returns a description with every optional part absent, and with the refusals of its group.
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

    /// Last segment of the path, such as `best-price`, which names the endpoint on the command line and in a load
    /// mix.
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

    /// Example requests, which the server answers with 200 on the demo snapshot.
    pub fn example_requests(&self) -> impl Iterator<Item = String> {
        self.examples.iter().map(|query| self.request(query))
    }

    /// Usual price class. For a batch it is the lowest one.
    pub const fn usual_price(&self) -> PriceClass {
        if self.batch { PriceClass::Batch(1) } else { self.group.price() }
    }

    /// Price class of the most expensive requests, if they cost more than the usual ones.
    pub fn dearest_price(&self) -> Option<PriceClass> {
        let deep = self.deep.map(|_| PriceClass::Deep);
        deep.or_else(|| self.batch.then_some(PriceClass::Batch(u32::MAX)))
    }

    /// Whether every answer is free.
    pub const fn is_free(&self) -> bool {
        !self.group.is_paid()
    }
}
