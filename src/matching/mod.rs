//! Likely links: listings of two platforms that are the same product although no barcode says so.
//!
//! The module is pure: listings in, links out. [`LinkerReader`] reads the listings of a country once, a few thousand
//! texts at a time, and makes a [`Linker`] of them. Then
//!
//! - `blocking` chooses candidate pairs, which share rare terms or part numbers;
//! - `veto` rejects pairs that no score outweighs, or that lack the evidence without which no score counts;
//! - `comparison` and `match_weight` make one number of a pair, by coefficients in the source;
//! - `assignment` makes links one to one within two platforms, highest score first, and says how sure each is.
//!
//! Every step is a function of the listings alone and every tie is broken by uid, so the same listings give the same
//! links on any number of threads. A build fits no parameters: coefficients, calibration and threshold come from
//! `benches/quality/train_links.py`.
//!
//! Three layouts keep the cost of a candidate low. A listing has a hundred candidates or more, and most of them name
//! another colour, taste or form: the values that tell these apart lie side by side (`blocking::Columns`), since a
//! profile takes more than five cache lines and fetching it took longer than comparing. Trees are evaluated without a
//! branch (`forest`), because branches on pairs are not predictable. A part number knows which others begin with it
//! (`part_index`).

mod assignment;
mod blocking;
mod comparison;
mod describe;
mod dictionary;
mod forest;
mod match_weight;
mod model;
mod part_index;
mod profile;
mod self_check;
mod veto;

#[cfg(test)]
mod profile_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod veto_tests;

use rayon::prelude::*;

use crate::lang::lexicon::Lexicon;
use crate::lang::synonyms::Groups;
use crate::lang::variants::Bits;
use crate::types::{Condition, Day};
use dictionary::Dictionary;
use profile::{Brand, Names, Profile};

pub use assignment::{Link, reason};
pub use comparison::FEATURES;
pub use describe::Described;
pub use match_weight::{Confidence, Score};
pub use self_check::SelfCheck;
pub use veto::Veto;

/// "No brand".
pub const NONE: u32 = u32::MAX;
/// Listings whose names are read at a time: enough for all threads, and a few megabytes of terms.
const LISTINGS_AT_A_TIME: usize = 1 << 15;
/// Bytes of a name that are read: what a longer one goes on to say is a description, and every pair is held against all
/// of it.
const NAME_BYTES_MAX: usize = 4_096;

/// A listing, as far as linking looks at it.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    /// The caller's number of it.
    pub row: u32,
    /// Uid bits.
    pub uid: u64,
    /// Index of its platform.
    pub platform: u16,
    /// Name.
    pub name: &'a str,
    /// Index of its brand, or [`NONE`].
    pub brand: u32,
    /// Usable barcode; 0 for none.
    pub gtin: u64,
    /// Condition.
    pub condition: Condition,
    /// Latest price in cents; 0 for none.
    pub price: u32,
    /// Day of its latest observation; the first of 1970 for none.
    pub seen: Day,
    /// Part number, as [`mpn`](crate::lang::mpn) leaves it; empty for none.
    pub mpn: &'a str,
}

/// A canonical brand.
#[derive(Debug, Clone, Copy)]
pub struct BrandName<'a> {
    /// Folded key that spelling variants share.
    pub key: &'a str,
    /// Display label.
    pub label: &'a str,
}

/// A country's listings, ready to be compared.
pub struct Linker<'a> {
    lexicon: &'a Lexicon,
    groups: Groups,
    bits: Bits,
    /// By platform, then uid.
    profiles: Vec<Profile>,
    /// The caller's number of each.
    rows: Vec<u32>,
    brands: Vec<Brand>,
    dictionary: Dictionary,
    parts: part_index::Parts,
    columns: blocking::Columns,
    /// Listings of platform `p` end at `platform_ends[p]`.
    platform_ends: Vec<u32>,
    /// Day of the latest observation of all.
    newest: Day,
    /// Whether platform `p` sells private label `l`, at `p * labels + l`.
    sells: Vec<bool>,
}

/// Reads the listings of a country, a few at a time: their texts are not kept.
pub struct LinkerReader<'a> {
    names: Names<'a>,
    brands: Vec<Brand>,
    dictionary: Dictionary,
    profiles: Vec<Profile>,
    rows: Vec<u32>,
}

impl<'a> LinkerReader<'a> {
    /// None yet, with room for so many listings.
    pub fn new(lexicon: &'a Lexicon, brands: &[BrandName<'_>], listings: usize) -> Self {
        let (names, mut dictionary) = (Names::new(lexicon), Dictionary::default());
        let brands = brands.iter().map(|brand| Self::brand(&names, &mut dictionary, brand)).collect();
        let (profiles, rows) = (Vec::with_capacity(listings), Vec::with_capacity(listings));
        Self { names, brands, dictionary, profiles, rows }
    }

    /// Reads more listings. All of them have to come by platform, then uid.
    pub fn take(&mut self, items: &[Item<'_>]) {
        let read = |item: &Item<'_>| {
            let name = &item.name[..item.name.floor_char_boundary(NAME_BYTES_MAX)];
            self.names.read(&Item { name, ..*item })
        };
        let readings: Vec<_> = items.par_iter().map(read).collect();
        for (item, reading) in items.iter().zip(readings) {
            self.profiles.push(profile(item, reading, &self.brands, &mut self.dictionary));
            self.rows.push(item.row);
        }
    }

    fn brand(names: &Names<'_>, dictionary: &mut Dictionary, brand: &BrandName<'_>) -> Brand {
        let said = crate::lang::part_numbers::said(names.lexicon, brand.label);
        Brand {
            key: brand.key.to_owned(),
            name: crate::lang::variants::brand_name(names.lexicon, brand.key).to_owned(),
            terms: said.folded.iter().map(|term| dictionary.intern(term)).collect(),
            joined: None,
            variants: names.variants(&said.folded),
            labels: names.labels(&said.written),
        }
    }

    /// The listings, ready to be compared.
    pub fn finish(self, platforms: &[String]) -> Linker<'a> {
        let Self { names, mut brands, mut dictionary, mut profiles, rows } = self;
        dictionary.weigh(profiles.len(), |at| &profiles[at].terms);
        let openings = profiles.iter().filter_map(|profile| profile.name.first_chunk().copied()).collect();
        profile::each_meaning(names.lexicon, |form, meaning| dictionary.note(form, meaning));
        dictionary.find_brands(openings, |word| names.tells_apart(&[word.to_owned()]));
        let weight = |term: &u32| dictionary.idf[*term as usize];
        profiles.par_iter_mut().for_each(|profile| {
            profile.weight = profile.terms.iter().map(weight).sum();
            profile.length = profile.terms.iter().map(|term| weight(term).powi(2)).sum::<f64>().sqrt();
        });
        for brand in &mut brands {
            brand.joined =
                dictionary.find(&crate::lang::part_numbers::said(names.lexicon, &brand.key).folded.concat());
        }
        let part_numbers = profiles
            .iter()
            .zip(0..)
            .flat_map(|(profile, at)| profile.part_numbers().map(move |part| (part, at)));
        let end = |platform| {
            profiles.partition_point(|profile: &Profile| usize::from(profile.platform) <= platform) as u32
        };
        Linker {
            lexicon: names.lexicon,
            bits: Bits::of(names.lexicon),
            groups: names.groups,
            platform_ends: (0..platforms.len()).map(end).collect(),
            parts: part_index::Parts::of(part_numbers),
            columns: blocking::Columns::of(&profiles, &brands),
            rows,
            newest: profiles.iter().map(|profile| profile.seen).max().unwrap_or(Day::MIN),
            sells: veto::sells(names.lexicon, platforms),
            profiles,
            brands,
            dictionary,
        }
    }
}

impl<'a> Linker<'a> {
    /// Reads the listings of one country.
    pub fn new(
        lexicon: &'a Lexicon,
        platforms: &[String],
        brands: &[BrandName<'_>],
        mut items: Vec<Item<'_>>,
    ) -> Self {
        items.sort_unstable_by_key(|item| (item.platform, item.uid));
        let mut reader = LinkerReader::new(lexicon, brands, items.len());
        items.chunks(LISTINGS_AT_A_TIME).for_each(|items| reader.take(items));
        reader.finish(platforms)
    }

    /// The listings of a platform.
    fn listings_of(&self, platform: u16) -> std::ops::Range<u32> {
        let platform = usize::from(platform);
        let from = if platform == 0 { 0 } else { self.platform_ends[platform - 1] };
        from..self.platform_ends[platform]
    }

    fn brand_of(&self, profile: &Profile) -> Option<&Brand> {
        self.brands.get(profile.brand as usize)
    }

    /// The place of a caller's listing.
    fn places(&self) -> std::collections::HashMap<u32, u32> {
        self.rows.iter().copied().zip(0..).collect()
    }
}

/// A listing with its terms as numbers.
fn profile(
    item: &Item<'_>,
    reading: profile::Reading,
    brands: &[Brand],
    dictionary: &mut Dictionary,
) -> Profile {
    let numbers: Vec<u32> = reading.terms.iter().map(|term| dictionary.intern(term)).collect();
    let name = numbers[..reading.own].into();
    let brand = brands.get(item.brand as usize);
    let mut terms = numbers;
    terms.extend(brand.iter().flat_map(|brand| brand.terms.iter().copied()));
    terms.sort_unstable();
    terms.dedup();
    let own = brand.map_or(&[][..], |brand| &brand.labels);
    Profile {
        uid: item.uid,
        platform: item.platform,
        brand: item.brand,
        gtin: item.gtin,
        condition: item.condition,
        price: item.price,
        seen: item.seen,
        terms: terms.into(),
        name,
        parts: reading.parts.into(),
        mpn: Some(item.mpn).filter(|mpn| !mpn.is_empty()).map(Into::into),
        numbers: reading.numbers,
        amounts: reading.amounts,
        members: reading.members,
        variants: reading.variants & !brand.map_or(0, |brand| brand.variants),
        head_variant: reading.head_variant,
        product_types: reading.product_types,
        forms: reading.forms,
        labels: reading.labels.iter().chain(own).copied().collect(),
        pack: reading.pack,
        length: 0.0,
        weight: 0.0,
    }
}
