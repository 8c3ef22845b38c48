//! Reference endpoints: the product classification itself, which does not depend on a country.

mod brick_attributes;
mod classify;

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::{Catalog, Classification, GpcLevel};
use crate::query::endpoint::Route;
use crate::query::params::{BadParameter, Param, Reader};
use crate::query::refusal::Refusal;

/// Maximum number of comma-separated entries of a parameter.
const ENTRIES_MAX: usize = 100;

/// Returns the route table of the group.
pub(super) fn routes() -> Vec<Route> {
    vec![Route::of::<brick_attributes::BrickAttributes>(), Route::of::<classify::Classify>()]
}

/// A node of the classification.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GpcNode {
    /// Code in the classification, 8 digits.
    code: String,
    /// Title of the code.
    title: String,
    /// Level of the code: segment, family, class or brick.
    level: GpcLevel,
    /// Title of the code's segment (the coarsest level); null if the publication does not state it.
    segment: Option<String>,
    /// Title of the code's family; null if the code is a segment.
    family: Option<String>,
    /// Title of the code's class; null if the code is a segment or a family.
    class: Option<String>,
    /// Title of the code's brick; null if the code is a segment, a family or a class.
    brick: Option<String>,
    /// Whether the code is a catch-all brick, for products that do not belong to any other brick of the publication.
    is_catchall: bool,
    /// Whether the brick has attributes. Null if the code is not a brick. Null for every brick if the snapshot does not
    /// contain attributes. In this case, the attributes exist but are not served yet.
    attributes_defined: Option<bool>,
}

impl GpcNode {
    fn of(gpc: &Classification, node: u32) -> Self {
        let title_at = |level| gpc.title_at(node, level).map(str::to_owned);
        let level = gpc.level(node);
        Self {
            code: code_of(gpc, node),
            title: gpc.title(node).to_owned(),
            level,
            segment: title_at(GpcLevel::Segment),
            family: title_at(GpcLevel::Family),
            class: title_at(GpcLevel::Class),
            brick: title_at(GpcLevel::Brick),
            is_catchall: gpc.is_catchall(node),
            attributes_defined: (level == GpcLevel::Brick && gpc.has_attributes())
                .then(|| gpc.attributes(node).next().is_some()),
        }
    }
}

/// Returns the code of a node, 8 digits.
fn code_of(gpc: &Classification, node: u32) -> String {
    format!("{:08}", gpc.code(node))
}

/// Returns the release of the classification; empty if the snapshot has no classification.
fn release(catalog: &Catalog) -> String {
    catalog.classification.as_ref().map(|gpc| gpc.release().to_owned()).unwrap_or_default()
}

/// Reads a required list of comma-separated entries and trims the blanks around them.
fn read_list(reader: &mut Reader<'_>, param: &'static Param) -> Vec<String> {
    let text = reader.required_text(param);
    let entries: Vec<String> = text.split(',').map(|entry| entry.trim().to_owned()).collect();
    if entries.len() > ENTRIES_MAX {
        let reason =
            format!("contains {} entries; at most {ENTRIES_MAX} are answered per request", entries.len());
        reader.reject(BadParameter::new(param.name, reason));
    }
    entries
}

/// Returns the classification of a snapshot.
///
/// # Errors
/// Returns an error with the code `NOT_PUBLISHED` if the snapshot has no classification.
fn published(catalog: &Catalog) -> Result<&Classification, Refusal> {
    catalog.classification.as_ref().ok_or_else(|| {
        Refusal::NotPublished(format!("snapshot {} was built without a classification", catalog.id()))
    })
}
