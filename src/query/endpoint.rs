//! The endpoint trait, and its type-erased form that the pipeline drives.
//!
//! An endpoint reads parameters, resolves them against a catalog and computes an answer. It never sees a request,
//! a header, a socket or a clock: what an answer says of the time comes in as a [`Stamp`].
//!
//! [`Route`] erases the types in three steps that the pipeline walks through in order:
//! [`Route::parse`] (400) → [`ParsedRequest::resolve`] (404, cheap, before any payment) → [`ResolvedRequest::run`] (the answer's bytes), or
//! [`ResolvedRequest::subject`] where only a quote is asked for. `quote` is read of every paid route and of no free one; no endpoint
//! knows of it, and it is in no table: quotes have a path of their own.

use std::any::TypeId;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::params::{BadParameter, Param, Reader};
use super::refusal::{Refusal, RefusalKind};
use super::representation::{Answered, Columns, EncodeError, FillError, Filling, Representation};
use super::subject::{QUOTE, Subject};
use super::suggest;
use crate::catalog::Catalog;
use crate::types::{Day, Instant};

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

/// What a request costs, by class; the amounts live in the configuration.
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

    /// What a request of the group costs, unless its endpoint says otherwise.
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

/// What the wall clock adds to an answer.
#[derive(Debug, Clone, Copy)]
pub struct Stamp {
    /// When the answer was computed.
    pub computed_at: Instant,
    /// Seconds from the snapshot's newest observation to `computed_at`, never negative.
    pub freshness_seconds: u64,
}

/// Most characters of [`Endpoint::ABOUT`]: a program reads all of them before it chooses.
pub const ABOUT_CHARS_MAX: usize = 600;

/// One endpoint.
pub trait Endpoint: Send + Sync + 'static {
    /// Parsed parameters.
    type Params: Send + 'static;
    /// Parameters resolved against a catalog: everything `run` needs to know.
    type Plan: Send + 'static;
    /// The body of a 200. It may borrow from the catalog.
    type Answer<'a>: Serialize + JsonSchema;

    /// Path, with the version prefix.
    const PATH: &'static str;
    /// Group, which decides the price.
    const GROUP: Group;
    /// One sentence.
    const SUMMARY: &'static str;
    /// When to use it, what to look at and what null means there, for a developer and for a program that chooses among
    /// endpoints: at most [`ABOUT_CHARS_MAX`] characters. The price is not in it.
    const ABOUT: &'static str;
    /// Parameters, in the order of the documentation.
    const PARAMS: &'static [&'static Param];
    /// Query strings that answer 200 on the demo snapshot.
    const EXAMPLES: &'static [&'static str];
    /// The 404s of `resolve`. What names a retailer that is not served is among them only where a parameter
    /// `retailer` is.
    const REFUSALS: &'static [RefusalKind] = match Self::GROUP {
        Group::Shopper | Group::Marketing | Group::Analyst => {
            &[RefusalKind::RetailerNotServing, RefusalKind::NoResults]
        }
        Group::Reference => &[RefusalKind::NoResults, RefusalKind::NotPublished],
        Group::Social => &[RefusalKind::NotPublished],
        Group::Public => &[],
    };
    /// Fields of the answer that hold its rows, one after the other: a list of them, or an object that is one; what is null
    /// or not there holds none. No field where the answer is one row.
    const ROWS: &'static [&'static str] = &[];
    /// Which of its requests are deep reads, after `for`; `None` where [`Endpoint::price`] makes none.
    const DEEP: Option<&'static str> = None;
    /// Whether it answers lists of items and its price hangs on how many it answers: then [`Endpoint::answered`] counts
    /// them.
    const BATCH: bool = false;
    /// Whether errors are the bare object instead of a problem document.
    const BARE_ERRORS: bool = false;
    /// Whether `run` may take longer than a few hundred microseconds: it then runs on a compute thread, behind
    /// admission, instead of inline (the hop costs about 20 µs).
    const HEAVY: bool = false;

    /// Reads the parameters; faults go to the reader.
    fn read(reader: &mut Reader<'_>) -> Self::Params;

    /// What these parameters cost, decided by them alone: of a batch the least.
    fn price(_params: &Self::Params) -> PriceClass {
        usual_class(Self::GROUP, Self::BATCH)
    }

    /// Decides whether the request can be served. Cheap: it runs before any payment.
    ///
    /// # Errors
    /// The refusal that the client gets instead of an answer.
    fn resolve(catalog: &Catalog, params: Self::Params) -> Result<Self::Plan, Refusal>;

    /// How many items of a batch are answered, which decides its price.
    fn answered(_plan: &Self::Plan) -> u32 {
        0
    }

    /// What the plan resolved to, for a quote. Every paid endpoint says it.
    fn subject(_catalog: &Catalog, _plan: &Self::Plan) -> Subject {
        Subject::Nothing
    }

    /// Computes the answer: a pure function of catalog, plan and stamp.
    fn run(catalog: &Catalog, plan: Self::Plan, stamp: Stamp) -> Self::Answer<'_>;
}

/// An endpoint in the route table.
pub struct Route {
    /// Path, with the version prefix.
    pub path: &'static str,
    /// Group, which decides the price.
    pub group: Group,
    /// One sentence.
    pub summary: &'static str,
    /// When to use it, what to look at and what null means there.
    pub about: &'static str,
    /// Parameters, in the order of the documentation.
    pub params: Vec<&'static Param>,
    /// Query strings that answer 200 on the demo snapshot.
    pub examples: &'static [&'static str],
    /// The 404s that a well-formed request may get.
    pub refusals: &'static [RefusalKind],
    /// Which requests are deep reads, if any.
    pub deep: Option<&'static str>,
    /// Whether its price hangs on how many items it answers.
    pub batch: bool,
    /// Whether errors are the bare object instead of a problem document.
    pub bare_errors: bool,
    /// Whether its answers are computed on a compute thread, behind admission.
    pub heavy: bool,
    /// Fields of the answer that hold its rows.
    pub rows: &'static [&'static str],
    /// JSON schema of the answer.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    columns: fn() -> &'static Columns,
    parse: ParseFn,
    normal_form: fn(&str, Day) -> Option<String>,
}

type ParseFn = fn(&str, Day) -> Result<ParsedRequest, Vec<BadParameter>>;

/// A request whose parameters are in order.
pub struct ParsedRequest {
    /// Parameters in fixed order and normal form: with the path it names an answer of a snapshot.
    pub canonical_query: String,
    /// What it costs; of a batch the least that it may.
    pub price: PriceClass,
    /// Whether a quote is asked for instead of the answer.
    pub quote: bool,
    call: Box<dyn Call>,
}

impl ParsedRequest {
    /// Decides whether the request can be served from this catalog.
    ///
    /// # Errors
    /// The refusal that the client gets instead of an answer.
    pub fn resolve(self, catalog: &Arc<Catalog>) -> Result<Box<dyn ResolvedRequest>, Refusal> {
        self.resolve_promptly(catalog).map_err(|refusal| suggest::complete(refusal, catalog))
    }

    /// [`ParsedRequest::resolve`], but for the suggestions of a refusal: [`suggest::complete`] looks them up.
    ///
    /// # Errors
    /// The refusal, perhaps without its suggestions.
    pub fn resolve_promptly(self, catalog: &Arc<Catalog>) -> Result<Box<dyn ResolvedRequest>, Refusal> {
        self.call.resolve(catalog)
    }
}

/// A parsed request of some endpoint.
trait Call: Send {
    /// Decides whether the request can be served from this catalog.
    fn resolve(self: Box<Self>, catalog: &Arc<Catalog>) -> Result<Box<dyn ResolvedRequest>, Refusal>;
}

/// A resolved request of some endpoint: it can be answered.
pub trait ResolvedRequest: Send {
    /// Computes and encodes the answer.
    ///
    /// # Errors
    /// When the answer cannot be written so.
    fn run(
        self: Box<Self>,
        stamp: Stamp,
        representation: &dyn Representation,
    ) -> Result<Vec<u8>, EncodeError>;

    /// What the request resolved to.
    fn subject(&self) -> Subject;

    /// What a batch costs; `None` where the parameters have decided.
    fn batch_price(&self) -> Option<PriceClass>;
}

struct CallOf<E: Endpoint>(E::Params);

struct WorkOf<E: Endpoint>(Arc<Catalog>, E::Plan);

struct AnswerOf<'a, E: Endpoint>(E::Answer<'a>);

impl<E: Endpoint> Answered for AnswerOf<'_, E> {
    fn fields(&self) -> &dyn erased_serde::Serialize {
        &self.0
    }

    fn columns(&self) -> &'static Columns {
        columns::<E>()
    }

    fn fill(&self, filling: &mut Filling) -> Result<(), FillError> {
        filling.fill(&self.0)
    }

    fn write_json(&self, body: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(body, &self.0)
    }
}

impl<E: Endpoint> Call for CallOf<E> {
    fn resolve(self: Box<Self>, catalog: &Arc<Catalog>) -> Result<Box<dyn ResolvedRequest>, Refusal> {
        let plan = E::resolve(catalog, self.0)?;
        Ok(Box::new(WorkOf::<E>(Arc::clone(catalog), plan)))
    }
}

impl<E: Endpoint> ResolvedRequest for WorkOf<E> {
    fn run(
        self: Box<Self>,
        stamp: Stamp,
        representation: &dyn Representation,
    ) -> Result<Vec<u8>, EncodeError> {
        representation.encode(&AnswerOf::<E>(E::run(&self.0, self.1, stamp)))
    }

    fn subject(&self) -> Subject {
        E::subject(&self.0, &self.1)
    }

    fn batch_price(&self) -> Option<PriceClass> {
        E::BATCH.then(|| PriceClass::Batch(E::answered(&self.1)))
    }
}

/// What a request of a group costs, unless its endpoint says otherwise.
const fn usual_class(group: Group, is_batch: bool) -> PriceClass {
    if is_batch { PriceClass::Batch(1) } else { group.price() }
}

impl Route {
    /// The table entry of an endpoint.
    pub fn of<E: Endpoint>() -> Self {
        Self {
            path: E::PATH,
            group: E::GROUP,
            summary: E::SUMMARY,
            about: E::ABOUT,
            params: E::PARAMS.to_vec(),
            examples: E::EXAMPLES,
            refusals: E::REFUSALS,
            deep: E::DEEP,
            batch: E::BATCH,
            bare_errors: E::BARE_ERRORS,
            heavy: E::HEAVY,
            rows: E::ROWS,
            schema: SchemaGenerator::subschema_for::<E::Answer<'static>>,
            columns: columns::<E>,
            parse: parse::<E>,
            normal_form: normal_form::<E>,
        }
    }

    /// Last segment of the path, by which a route is known on the command line and in a mix: `best-price`.
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

    /// What its requests usually cost; of a batch the least.
    pub fn usual_price(&self) -> PriceClass {
        usual_class(self.group, self.batch)
    }

    /// What its dearest requests cost, where they cost more.
    pub fn dearest_price(&self) -> Option<PriceClass> {
        let deep = self.deep.map(|_| PriceClass::Deep);
        deep.or_else(|| self.batch.then_some(PriceClass::Batch(u32::MAX)))
    }

    /// Whether every answer of this route is free.
    pub fn is_free(&self) -> bool {
        !self.group.is_paid()
    }

    /// The columns of its answers as tables; none where its answer has no field.
    pub fn columns(&self) -> &'static Columns {
        (self.columns)()
    }

    /// Whether its answers can be written so.
    pub fn offers(&self, representation: &dyn Representation) -> bool {
        !representation.is_tabular() || !self.columns().all().is_empty()
    }

    /// Reads the raw query string. `as_of` is the catalog's now.
    ///
    /// # Errors
    /// Every bad parameter.
    pub fn parse(&self, query: &str, as_of: Day) -> Result<ParsedRequest, Vec<BadParameter>> {
        (self.parse)(query, as_of)
    }

    /// The canonical query that a request has, or had when it was accepted: it hangs on no snapshot, so what was asked
    /// for yesterday is recognised where today it is refused. `None` where a parameter cannot be read, and for a quote,
    /// which is no request for an answer.
    pub fn normal_form(&self, query: &str, as_of: Day) -> Option<String> {
        (self.normal_form)(query, as_of)
    }
}

/// The columns of an endpoint's answers, which are made once.
fn columns<E: Endpoint>() -> &'static Columns {
    Columns::once(TypeId::of::<E>(), || {
        Columns::read(SchemaGenerator::subschema_for::<E::Answer<'static>>, E::ROWS)
    })
}

fn parse<E: Endpoint>(query: &str, as_of: Day) -> Result<ParsedRequest, Vec<BadParameter>> {
    let mut reader = Reader::new(query, as_of);
    let params = E::read(&mut reader);
    let quote = E::GROUP.is_paid() && reader.aside(&QUOTE);
    let canonical_query = reader.finish()?;
    let price = E::price(&params);
    Ok(ParsedRequest { canonical_query, price, quote, call: Box::new(CallOf::<E>(params)) })
}

fn normal_form<E: Endpoint>(query: &str, as_of: Day) -> Option<String> {
    let mut reader = Reader::new(query, as_of);
    let _ = E::read(&mut reader);
    let quote = E::GROUP.is_paid() && reader.aside(&QUOTE);
    reader.normal_form().filter(|_| !quote)
}
