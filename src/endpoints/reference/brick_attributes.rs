//! `GET /v1/reference/brick-attributes`: the attribute schema of classification codes.

use schemars::JsonSchema;
use serde::Serialize;

use super::{GpcNode, code_of, published, read_list, release};
use crate::catalog::{Catalog, Classification};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::{Kind, Param, Reader};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::subject::{QuotedCode, Subject};
use crate::types::INTERFACE_VERSION;

static GPC_CODE: Param = Param {
    name: "gpc_code",
    kind: Kind::Text,
    about: "Classification codes of 8 digits and of any level, up to 100, separated by commas.",
};

/// The endpoint.
pub(super) struct BrickAttributes;

/// A resolved request.
pub(super) struct Plan {
    nodes: Vec<u32>,
    unresolved: Vec<String>,
}

/// Answer of brick-attributes.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// Codes that are in the publication, in the order of the request, without duplicates.
    results: Vec<Schema>,
    /// Codes that are not in the publication, in the order of the request, without duplicates.
    unresolved: Vec<String>,
    /// Release of the classification, the year and month of its publication.
    gpc_release: String,
    /// Version of the response schema.
    schema_version: &'static str,
}

/// Attribute schema of a code.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrickSchema")]
struct Schema {
    /// Code in the classification, 8 digits.
    gpc_code: String,
    /// Classification of the code.
    gpc: GpcNode,
    /// Attributes of the brick, in the order of the publication. If the list is empty, `gpc.attributes_defined` gives
    /// the reason: false means that the brick has no attributes, and null means that the attributes are not known.
    attributes: Vec<Attribute>,
}

/// An attribute of a brick.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrickAttribute")]
struct Attribute {
    /// Name of the attribute.
    name: String,
    /// Values that the attribute may have, in the order of the publication.
    allowed_values: Vec<String>,
    /// Number of allowed values.
    value_count: u32,
}

impl Endpoint for BrickAttributes {
    type Params = Vec<String>;
    type Plan = Plan;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Brick attributes",
        summary: "The attributes of product types and the values that they may have.",
        about: "Use it to learn which attributes the product classification (GPC) defines for a product type, and the \
                values that each may have, for up to 100 codes at once; classify finds codes. Codes that are not in \
                the publication are in unresolved. An empty list of attributes means none only if attributes_defined \
                is false. attributes_defined is null for codes that are not bricks. In a publication without \
                attributes it is null for every code: attributes then exist but are not served.",
        methodology: &["attributes-of-a-brick"],
        params: &[&GPC_CODE],
        examples: &["gpc_code=10000276,50202200"],
        rows: &["results"],
        ..Descriptor::of("/v1/reference/brick-attributes", Group::Reference)
    };

    fn read(reader: &mut Reader<'_>) -> Vec<String> {
        read_list(reader, &GPC_CODE)
    }

    fn resolve(catalog: &Catalog, codes: Vec<String>) -> Result<Plan, Refusal> {
        let gpc = published(catalog)?;
        let mut plan = Plan { nodes: Vec::new(), unresolved: Vec::new() };
        for code in codes {
            match node_of(gpc, &code) {
                Some(node) if !plan.nodes.contains(&node) => plan.nodes.push(node),
                None if !plan.unresolved.contains(&code) => plan.unresolved.push(code),
                _ => {}
            }
        }
        if plan.nodes.is_empty() {
            let message = format!(
                "release {} of the classification does not contain any of these codes",
                gpc.release()
            );
            return Err(Refusal::no_results(NoResultsReason::UnknownCategory, message));
        }
        Ok(plan)
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        let gpc = catalog.classification.as_ref();
        let code = |gpc| move |&node: &u32| quoted(gpc, node);
        Subject::Codes {
            codes: gpc.map(|gpc| plan.nodes.iter().map(code(gpc)).collect()).unwrap_or_default(),
            unresolved: plan.unresolved.clone(),
            gpc_release: release(catalog),
        }
    }

    fn run(catalog: &Catalog, plan: Plan, _: Stamp) -> Answer {
        let gpc = catalog.classification.as_ref();
        let schema = |gpc| move |&node: &u32| Schema::of(gpc, node);
        Answer {
            results: gpc.map(|gpc| plan.nodes.iter().map(schema(gpc)).collect()).unwrap_or_default(),
            unresolved: plan.unresolved,
            gpc_release: release(catalog),
            schema_version: INTERFACE_VERSION,
        }
    }
}

/// Returns the node of a code; `None` if the text is not eight digits or the code is not in the publication.
fn node_of(gpc: &Classification, code: &str) -> Option<u32> {
    let digits = code.len() == 8 && code.bytes().all(|byte| byte.is_ascii_digit());
    gpc.by_code(digits.then(|| code.parse().ok()).flatten()?)
}

fn quoted(gpc: &Classification, node: u32) -> QuotedCode {
    QuotedCode { code: code_of(gpc, node), title: gpc.title(node).to_owned(), level: gpc.level(node) }
}

impl Schema {
    fn of(gpc: &Classification, node: u32) -> Self {
        let attribute = |(name, values): (&str, Vec<&str>)| Attribute {
            name: name.to_owned(),
            value_count: values.len() as u32,
            allowed_values: values.into_iter().map(str::to_owned).collect(),
        };
        Self {
            gpc_code: code_of(gpc, node),
            gpc: GpcNode::of(gpc, node),
            attributes: gpc.attributes(node).map(attribute).collect(),
        }
    }
}
