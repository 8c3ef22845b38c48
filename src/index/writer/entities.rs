//! Entities: the listings of one physical product.
//!
//! Listings are sorted by the uid of their entity, so that the members of each come together; what each listing has to
//! know of its entity is kept, the rest goes to files.

use std::collections::BTreeMap;
use std::io;

use rayon::prelude::*;

use super::super::normalized::NONE;
use super::super::scratch::{Scratch, TempColumns};
use super::listing_key::{ListingKeys, Member};
use super::listings::Listings;
use super::suspects::suspicion;
use crate::lang::Lexicon;
use crate::snapshot::columns::ColumnWriter;
use crate::snapshot::layout::suspect;
use crate::types::Country;

/// Members that are looked through at a time: enough for all threads.
const MEMBERS_AT_A_TIME: usize = 1 << 16;
/// Reasons for suspicion and their bits, as reports name them.
const REASONS: [(&str, u8); 3] = [
    ("price_ratio", suspect::PRICE_RATIO),
    ("pack_conflict", suspect::PACK_CONFLICT),
    ("brand_conflict", suspect::BRAND_CONFLICT),
];

/// Entities by number of members, and suspect ones by reason over all countries: for the report.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct EntityAggregates {
    /// How many entities have so many listings.
    pub by_size: BTreeMap<usize, u64>,
    /// How many are suspect for each reason.
    pub suspects: BTreeMap<&'static str, u64>,
}

/// What is known of entities. They are numbered in the order of their uids.
pub(super) struct Entities {
    /// Number of entities.
    pub count: usize,
    /// Row of the cheapest priced listing of each listing's entity in its country, the smaller uid of two; [`NONE`] where
    /// none is priced.
    pub cheapest: Vec<u32>,
    /// For the report.
    pub aggregates: EntityAggregates,
    /// Suspicion bits by country.
    suspect: [Vec<u8>; Country::ALL.len()],
    /// Uids, ends and rows of members.
    columns: TempColumns,
}

/// Members of whole entities that are looked through together.
#[derive(Default)]
struct Group {
    members: Vec<Member>,
    ends: Vec<usize>,
}

impl Entities {
    /// Numbers entities, tells what is kept of listings of them, and finds the suspect ones.
    pub(super) fn of(lexicon: &Lexicon, read: &mut Listings, scratch: &Scratch) -> io::Result<Self> {
        let Listings { keys, columns: listings, members, .. } = read;
        let rows = keys.len();
        (keys.entity, keys.members) = (vec![0; rows], vec![0; rows]);
        let mut entities = Self {
            count: 0,
            cheapest: vec![NONE; rows],
            aggregates: EntityAggregates::default(),
            suspect: [const { Vec::new() }; Country::ALL.len()],
            columns: TempColumns::new(scratch),
        };
        let mut group = Group::default();
        for member in members {
            let member = member?;
            if group.members.last().is_some_and(|last| last.entity_uid != member.entity_uid) {
                group.ends.push(group.members.len());
                if group.members.len() >= MEMBERS_AT_A_TIME {
                    entities.add_group(lexicon, &std::mem::take(&mut group), keys, listings)?;
                }
            }
            group.members.push(member);
        }
        group.ends.extend(Some(group.members.len()).filter(|&members| members > 0));
        entities.add_group(lexicon, &group, keys, listings)?;
        entities.count_suspects();
        Ok(entities)
    }

    /// Takes more entities.
    fn add_group(
        &mut self,
        lexicon: &Lexicon,
        group: &Group,
        keys: &mut ListingKeys,
        listings: &TempColumns,
    ) -> io::Result<()> {
        let mut ends = Vec::with_capacity(group.ends.len());
        let before = self.rows();
        for (number, members) in (self.count as u32..).zip(group.entities()) {
            for member in members {
                keys.entity[member.row as usize] = number;
            }
            for country in Country::ALL {
                self.record_country_members(in_country(members, country, keys), keys);
            }
            *self.aggregates.by_size.entry(members.len()).or_default() += 1;
        }
        ends.extend(group.ends.iter().map(|end| before + *end as u64));
        let entities: Vec<&[Member]> = group.entities().collect();
        for country in Country::ALL {
            let suspicion =
                |members: &&[Member]| suspicion(lexicon, keys, listings, in_country(members, country, keys));
            let bits: Vec<u8> = entities.par_iter().map(suspicion).collect::<io::Result<_>>()?;
            self.suspect[country.as_u8() as usize].extend(bits);
        }
        let uids: Vec<u64> = entities.iter().map(|members| members[0].entity_uid).collect();
        let rows: Vec<u32> = group.members.iter().map(|member| member.row).collect();
        self.count += uids.len();
        self.columns.column("entity_uid", &uids)?;
        self.columns.column("entity_ends", &ends)?;
        self.columns.column("entity_rows", &rows)
    }

    /// Members so far.
    fn rows(&self) -> u64 {
        self.aggregates.by_size.iter().map(|(&size, &count)| size as u64 * count).sum()
    }

    /// Tells the listings of an entity in a country of each other.
    fn record_country_members(&mut self, members: &[Member], keys: &mut ListingKeys) {
        let priced = members.iter().map(|member| member.row).filter(|&row| keys.is_priced(row as usize));
        let cheapest = priced.min_by_key(|&row| (keys.price[row as usize], keys.uid[row as usize]));
        for member in members {
            keys.members[member.row as usize] = members.len() as u32;
            self.cheapest[member.row as usize] = cheapest.unwrap_or(NONE);
        }
    }

    fn count_suspects(&mut self) {
        let bits = || self.suspect.iter().flatten();
        let with = |bit: u8| bits().filter(|&&bits| bits & bit != 0).count() as u64;
        self.aggregates.suspects = REASONS.into_iter().map(|(name, bit)| (name, with(bit))).collect();
    }

    /// Writes what indices hold of entities.
    pub(super) fn write(&self, file: &mut ColumnWriter) -> io::Result<()> {
        for name in ["entity_uid", "entity_ends", "entity_rows"] {
            self.columns.copy(name, file)?;
        }
        for bits in &self.suspect {
            file.column("entity_suspect", bits)?;
        }
        Ok(())
    }
}

/// The members of a country: rows are ordered by country.
fn in_country<'m>(members: &'m [Member], country: Country, keys: &ListingKeys) -> &'m [Member] {
    let of = |member: &Member| keys.country(member.row as usize);
    let from = members.partition_point(|member| of(member) < country);
    let to = members.partition_point(|member| of(member) <= country);
    &members[from..to]
}

impl Group {
    fn entities(&self) -> impl Iterator<Item = &[Member]> {
        let from = std::iter::once(0).chain(self.ends.iter().copied());
        from.zip(&self.ends).map(|(from, &to)| &self.members[from..to])
    }
}
