//! Links stand at both of their listings, and join listings that can be joined.

use crate::catalog::Catalog;
use crate::matching::{Confidence, reason};
use crate::snapshot::rows::first_bad;

pub(super) fn links(catalog: &Catalog) -> Option<String> {
    let (links, listings) = (&catalog.links, &catalog.listings);
    if links.looked_for != catalog.manifest.linking.is_some() {
        return Some("links: they are not those of the manifest".into());
    }
    let counted = catalog.manifest.linking.map_or(0, |linking| linking.links);
    if links.rows.len() as u64 != 2 * counted {
        return Some(format!(
            "links: {} entries instead of two for each of {counted} links",
            links.rows.len()
        ));
    }
    let bad = first_bad(links.ends.len(), |row| {
        let own: Vec<_> = links.of(row as u32).collect();
        own.is_sorted_by(|a, b| a.row < b.row)
            && own.iter().all(|link| {
                let other = link.row as usize;
                other < listings.country.len()
                    && listings.country[other] == listings.country[row]
                    && listings.platform[other] != listings.platform[row]
                    && (listings.gtin[other] == 0 || listings.gtin[row] == 0)
                    && (Confidence::THRESHOLD.0..=Confidence::ONE).contains(&link.confidence.0)
                    && link.reasons & !reason::ALL == 0
                    && links.of(link.row).any(|back| {
                        back.row as usize == row
                            && (back.confidence, back.reasons) == (link.confidence, link.reasons)
                    })
            })
    })?;
    Some(format!("links: those of listing {bad} are none"))
}
