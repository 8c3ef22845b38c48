//! Entities and look-up by uid.

use polars_buffer::Buffer;

use crate::domain::{Country, EntityUid, ProductUid};
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::suspect;

/// Entities in uid order, and listings in uid order.
pub struct Entities {
    uid_order: Buffer<u32>,
    uid: Buffer<u64>,
    ends: Buffer<u32>,
    rows: Buffer<u32>,
    suspect: Buffer<u8>,
}

impl Entities {
    /// Loads the entities of `rows` listings.
    ///
    /// # Errors
    /// When a column is missing or has another length.
    pub fn load(file: &ColumnFile, rows: usize, entities: usize) -> Result<Self, String> {
        Ok(Self {
            uid_order: file.column_of("uid_order", rows)?,
            uid: file.column_of("entity_uid", entities)?,
            ends: file.column_of("entity_ends", entities)?,
            rows: file.column_of("entity_rows", rows)?,
            suspect: file.column_of("entity_suspect", entities * Country::ALL.len())?,
        })
    }

    /// Number of entities.
    pub fn len(&self) -> usize {
        self.uid.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.uid.is_empty()
    }

    /// The row of a listing, given the uid column it was ordered by.
    pub fn row_of(&self, uid: ProductUid, product_uid: &[u64]) -> Option<u32> {
        let bits = uid.get();
        let at = self.uid_order.partition_point(|&row| product_uid[row as usize] < bits);
        self.uid_order.get(at).copied().filter(|&row| product_uid[row as usize] == bits)
    }

    /// The entity of a uid.
    pub fn by_uid(&self, uid: EntityUid) -> Option<u32> {
        self.uid.binary_search(&uid.get()).ok().map(|at| at as u32)
    }

    /// Uid of an entity.
    pub fn uid(&self, entity: u32) -> EntityUid {
        EntityUid::from_u64(self.uid[entity as usize])
    }

    /// Member rows in both countries, ascending.
    pub fn all_members(&self, entity: u32) -> &[u32] {
        let entity = entity as usize;
        let from = if entity == 0 { 0 } else { self.ends[entity - 1] };
        &self.rows[from as usize..self.ends[entity] as usize]
    }

    /// Member rows within a country's rows, ascending.
    pub fn members(&self, entity: u32, country: &std::ops::Range<u32>) -> &[u32] {
        let all = self.all_members(entity);
        let from = all.partition_point(|&row| row < country.start);
        let to = all.partition_point(|&row| row < country.end);
        &all[from..to]
    }

    /// Why an entity is suspect in a country; empty when it is not.
    pub fn suspect_reasons(&self, entity: u32, country: Country) -> Vec<SuspectReason> {
        let bits = self.suspect[country.as_u8() as usize * self.len() + entity as usize];
        SuspectReason::ALL.into_iter().filter(|reason| bits & reason.bit() != 0).collect()
    }

    pub(super) fn columns(&self) -> (&[u32], &[u64], &[u32], &[u32]) {
        (&self.uid_order, &self.uid, &self.ends, &self.rows)
    }
}

/// Why an entity may combine different products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuspectReason {
    /// Current prices of new members are more than a factor of three apart.
    PriceRatio,
    /// Names speak of different pack sizes.
    PackConflict,
    /// Different brands, and names without a common word.
    BrandConflict,
}

impl SuspectReason {
    const ALL: [Self; 3] = [Self::PriceRatio, Self::PackConflict, Self::BrandConflict];

    /// The word in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PriceRatio => "price_ratio",
            Self::PackConflict => "pack_conflict",
            Self::BrandConflict => "brand_conflict",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Self::PriceRatio => suspect::PRICE_RATIO,
            Self::PackConflict => suspect::PACK_CONFLICT,
            Self::BrandConflict => suspect::BRAND_CONFLICT,
        }
    }
}
