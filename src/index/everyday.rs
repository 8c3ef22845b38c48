//! Which everyday names find no category, so that an operator can tell theirs in `aliases.csv`.

use std::collections::{BTreeMap, HashSet};

use super::normalized::{NONE, Names};
use crate::lang::everyday::segments::Segments;
use crate::lang::everyday::table;
use crate::lang::text::{slug, twins};
use crate::types::Country;

/// Phrases of the everyday table that name nothing, for each country that has listings, in the order of the table.
/// `stocked` says which categories have some, by country.
///
/// A phrase names a category by its segment, singular or plural, by an alias, or by the table.
pub(super) fn unresolved(
    names: &Names,
    stocked: &[Vec<bool>; Country::ALL.len()],
) -> BTreeMap<&'static str, Vec<&'static str>> {
    let parent = |parent: u32| (parent != NONE).then_some(parent);
    let nodes = names.categories.iter().map(|node| (node.label.as_str(), parent(node.parent)));
    let segments = Segments::of(table(), nodes);
    let aliases: HashSet<String> = names.aliases.iter().map(|alias| slug(&alias.name)).collect();
    let mut unresolved = BTreeMap::new();
    for country in Country::ALL {
        let exists = &stocked[country.as_u8() as usize];
        if !exists.contains(&true) {
            continue;
        }
        let last_segments = last_segments(names, exists);
        let is_named = |phrase: &str| {
            let slug = slug(phrase);
            aliases.contains(&slug)
                || last_segments.contains(slug.as_str())
                || twins(&slug).iter().any(|twin| last_segments.contains(twin.as_str()))
        };
        let rows = table()
            .rows()
            .iter()
            .filter(|row| !segments.meetings(&row.patterns).iter().any(|met| exists[met.node as usize]));
        let phrases = rows.flat_map(|row| &row.phrases).copied().filter(|phrase| !is_named(phrase));
        unresolved.insert(country.as_str(), phrases.collect());
    }
    unresolved
}

/// Slugs of the last segments of a country's categories.
fn last_segments<'a>(names: &'a Names, exists: &[bool]) -> HashSet<&'a str> {
    let here = names.categories.iter().zip(exists).filter(|&(_, &exists)| exists);
    here.map(|(node, _)| node.slug.rsplit('/').next().unwrap_or_default()).collect()
}
