//! The endpoint trait, and its type-erased form that the pipeline calls.
//!
//! An endpoint reads parameters, resolves them against a catalog and computes an answer. It has no access to a
//! request, a header, a socket or a clock: the times in an answer are passed in as a [`Stamp`].
//!
//! [`Route`] erases the types of an endpoint. The pipeline calls three steps in order: [`Route::parse`] (400) →
//! [`ParsedRequest::resolve`] (404, cheap, before any payment) → [`ResolvedRequest::run`] (the answer's bytes), or
//! [`ResolvedRequest::subject`] if only a quote is requested. The parameter `quote` is read on every paid route, and
//! not on free routes. Endpoints do not declare it and tables of parameters do not list it, because quotes have a
//! path of their own.

use std::any::TypeId;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::descriptor::{Descriptor, PriceClass};
use super::params::{BadParameter, Reader};
use super::refusal::Refusal;
use super::representation::{Answered, Columns, EncodeError, FillError, Filling, Representation};
use super::subject::{QUOTE, Subject};
use super::suggest;
use crate::catalog::Catalog;
use crate::types::{Day, Instant};

/// The parts of an answer that depend on the wall clock.
#[derive(Debug, Clone, Copy)]
pub struct Stamp {
    /// Instant at which the answer was computed.
    pub computed_at: Instant,
    /// Seconds from the snapshot's newest observation to `computed_at`, never negative.
    pub freshness_seconds: u64,
}

/// An endpoint.
pub trait Endpoint: Send + Sync + 'static {
    /// Parsed parameters.
    type Params: Send + 'static;
    /// Parameters resolved against a catalog: everything that `run` needs.
    type Plan: Send + 'static;
    /// The body of a 200 response. It may borrow from the catalog.
    type Answer<'a>: Serialize + JsonSchema;

    /// Description of the endpoint.
    const DESCRIPTOR: &'static Descriptor;

    /// Reads the parameters. Faults are recorded in the reader.
    fn read(reader: &mut Reader<'_>) -> Self::Params;

    /// Price class, which depends on the parameters alone. For a batch it is the lowest one.
    fn price(_params: &Self::Params) -> PriceClass {
        Self::DESCRIPTOR.usual_price()
    }

    /// Decides whether the request can be served. It must be cheap, because it runs before any payment.
    ///
    /// # Errors
    /// Returns the refusal that the client receives instead of an answer.
    fn resolve(catalog: &Catalog, params: Self::Params) -> Result<Self::Plan, Refusal>;

    /// Number of answered items of a batch, which determines its price.
    fn answered(_plan: &Self::Plan) -> u32 {
        0
    }

    /// The subject of a quote, for example the product that the request resolved to. Every paid endpoint implements
    /// it.
    fn subject(_catalog: &Catalog, _plan: &Self::Plan) -> Subject {
        Subject::Nothing
    }

    /// Computes the answer. It is a pure function of catalog, plan and stamp.
    fn run(catalog: &Catalog, plan: Self::Plan, stamp: Stamp) -> Self::Answer<'_>;
}

/// An entry of the route table: the [`Descriptor`] of an endpoint, and its functions with erased types.
pub struct Route {
    /// Description of the endpoint.
    pub descriptor: &'static Descriptor,
    /// JSON schema of the answer.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    columns: fn() -> &'static Columns,
    parse: ParseFn,
    normal_form: fn(&str, Day) -> Option<String>,
}

impl Deref for Route {
    type Target = Descriptor;

    fn deref(&self) -> &Descriptor {
        self.descriptor
    }
}

type ParseFn = fn(&str, Day) -> Result<ParsedRequest, Vec<BadParameter>>;

/// A request whose parameters are valid.
pub struct ParsedRequest {
    /// Parameters in fixed order and normal form. Together with the path they identify an answer of a snapshot.
    pub canonical_query: String,
    /// Price class. For a batch it is the lowest possible one.
    pub price: PriceClass,
    /// Whether a quote is requested instead of the answer.
    pub quote: bool,
    call: Box<dyn Call>,
}

impl ParsedRequest {
    /// Decides whether the request can be served from this catalog.
    ///
    /// # Errors
    /// Returns the refusal that the client receives instead of an answer.
    pub fn resolve(self, catalog: &Arc<Catalog>) -> Result<Box<dyn ResolvedRequest>, Refusal> {
        self.resolve_promptly(catalog).map_err(|refusal| suggest::complete(refusal, catalog))
    }

    /// Like [`ParsedRequest::resolve`], but without the suggestions of a refusal, which [`suggest::complete`] looks
    /// up later.
    ///
    /// # Errors
    /// Returns the refusal, possibly without its suggestions.
    pub fn resolve_promptly(self, catalog: &Arc<Catalog>) -> Result<Box<dyn ResolvedRequest>, Refusal> {
        self.call.resolve(catalog)
    }
}

/// A parsed request with its endpoint type erased.
trait Call: Send {
    /// Decides whether the request can be served from this catalog.
    fn resolve(self: Box<Self>, catalog: &Arc<Catalog>) -> Result<Box<dyn ResolvedRequest>, Refusal>;
}

/// A resolved request with its endpoint type erased. It can be answered.
pub trait ResolvedRequest: Send {
    /// Computes and encodes the answer.
    ///
    /// # Errors
    /// Returns an error if the representation cannot encode the answer.
    fn run(
        self: Box<Self>,
        stamp: Stamp,
        representation: &dyn Representation,
    ) -> Result<Vec<u8>, EncodeError>;

    /// The subject of the quote.
    fn subject(&self) -> Subject;

    /// Price class of a batch; `None` if the parameters alone determine it.
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
        E::DESCRIPTOR.batch.then(|| PriceClass::Batch(E::answered(&self.1)))
    }
}

impl Route {
    /// Creates the table entry of an endpoint.
    pub fn of<E: Endpoint>() -> Self {
        Self {
            descriptor: E::DESCRIPTOR,
            schema: SchemaGenerator::subschema_for::<E::Answer<'static>>,
            columns: columns::<E>,
            parse: parse::<E>,
            normal_form: normal_form::<E>,
        }
    }

    /// Columns of the answers as tables; empty if the answer has no field.
    pub fn columns(&self) -> &'static Columns {
        (self.columns)()
    }

    /// Whether answers can be encoded in a representation.
    pub fn offers(&self, representation: &dyn Representation) -> bool {
        !representation.is_tabular() || !self.columns().all().is_empty()
    }

    /// Parses the raw query string. `as_of` is the catalog's now, from which windows are counted back.
    ///
    /// # Errors
    /// Returns an error for every bad parameter.
    pub fn parse(&self, query: &str, as_of: Day) -> Result<ParsedRequest, Vec<BadParameter>> {
        (self.parse)(query, as_of)
    }

    /// Returns the canonical query of a request. The query does not depend on the snapshot, so a request that was
    /// accepted yesterday is recognised even if it is refused today. `None` if a parameter cannot be read, and for a
    /// quote, which does not request an answer.
    pub fn normal_form(&self, query: &str, as_of: Day) -> Option<String> {
        (self.normal_form)(query, as_of)
    }
}

/// Returns the columns of an endpoint's answers. They are built on first use.
fn columns<E: Endpoint>() -> &'static Columns {
    Columns::once(TypeId::of::<E>(), || {
        Columns::read(SchemaGenerator::subschema_for::<E::Answer<'static>>, E::DESCRIPTOR.rows)
    })
}

fn parse<E: Endpoint>(query: &str, as_of: Day) -> Result<ParsedRequest, Vec<BadParameter>> {
    let mut reader = Reader::new(query, as_of);
    let params = E::read(&mut reader);
    let quote = !E::DESCRIPTOR.is_free() && reader.aside(&QUOTE);
    let canonical_query = reader.finish()?;
    let price = E::price(&params);
    Ok(ParsedRequest { canonical_query, price, quote, call: Box::new(CallOf::<E>(params)) })
}

fn normal_form<E: Endpoint>(query: &str, as_of: Day) -> Option<String> {
    let mut reader = Reader::new(query, as_of);
    let _ = E::read(&mut reader);
    let quote = !E::DESCRIPTOR.is_free() && reader.aside(&QUOTE);
    reader.normal_form().filter(|_| !quote)
}
