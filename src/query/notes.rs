//! Why figures of an answer are null: a note for each that is withheld.

use schemars::JsonSchema;
use serde::Serialize;

use crate::types::Ratio4;

/// Why a figure is null. Figures that are withheld together have one note, on the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WithheldNote")]
pub struct Note {
    /// The field that is null, by its path in the answer.
    pub field: &'static str,
    /// Why it is null.
    pub reason: NoteReason,
    /// What there is of what it needs; null where the reason is no number.
    pub have: Option<Amount>,
    /// How much of it there would have to be; null where the reason is no number.
    pub need: Option<Amount>,
}

/// Why a figure is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteReason {
    /// Fewer products, entities or groups than it needs.
    TooFew,
    /// Too small a share of the products says anything.
    LowCoverage,
    /// No product has a list price above its price.
    NoListPrice,
    /// Nobody else to compare with.
    NoPeer,
    /// It is about a retailer, and none was asked for.
    NeedsRetailer,
    /// The category has no price tiers.
    NoLadder,
    /// Nothing was observed in the window before.
    NotObservedBefore,
}

/// A number of a note.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "NoteAmount")]
pub enum Amount {
    /// A number of things.
    Count(u32),
    /// A share.
    Share(Ratio4),
}

impl Note {
    /// A figure whose reason is no number.
    pub const fn because(field: &'static str, reason: NoteReason) -> Self {
        Self { field, reason, have: None, need: None }
    }

    /// A figure that needs more than there are.
    pub const fn too_few(field: &'static str, have: usize, need: usize) -> Self {
        let (have, need) = (Amount::Count(have as u32), Amount::Count(need as u32));
        Self { field, reason: NoteReason::TooFew, have: Some(have), need: Some(need) }
    }

    /// A figure whose share is too small.
    pub const fn low_coverage(field: &'static str, have: Ratio4, need: Ratio4) -> Self {
        let (have, need) = (Amount::Share(have), Amount::Share(need));
        Self { field, reason: NoteReason::LowCoverage, have: Some(have), need: Some(need) }
    }
}
