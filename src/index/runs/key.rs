//! The key of a listing, and the hash by which runs and shards are ordered.

use std::cmp::Ordering;

use xxhash_rust::xxh3::xxh3_64;

use crate::types::Country;

/// Bytes of a key that are hashed without a place of their own on the heap.
const SHORT_BYTES: usize = 256;

/// Key of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    /// Country of the offer.
    pub country: Country,
    /// The retailer's key.
    pub platform: &'a str,
    /// The retailer's own id.
    pub product_id: &'a str,
}

impl Key<'_> {
    /// XXH3-64 of the country's word, the platform, 0 and the product id.
    pub fn hash(&self) -> u64 {
        let parts =
            [self.country.as_str().as_bytes(), self.platform.as_bytes(), &[0], self.product_id.as_bytes()];
        let length = parts.iter().map(|part| part.len()).sum();
        let mut short = [0; SHORT_BYTES];
        let Some(bytes) = short.get_mut(..length) else { return xxh3_64(&parts.concat()) };
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        xxh3_64(bytes)
    }
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = self.country.as_u8().cmp(&other.country.as_u8());
        order
            .then_with(|| self.platform.cmp(other.platform))
            .then_with(|| self.product_id.cmp(other.product_id))
    }
}

impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_hash_however_long_it_is() {
        for length in [0, 1, 240, 241, 242, 243, 244, 245, 1_024] {
            let product_id = "x".repeat(length);
            let key = Key { country: Country::Ca, platform: "acme-foods", product_id: &product_id };
            assert_eq!(key.hash(), xxh3_64(format!("caacme-foods\0{product_id}").as_bytes()), "{length}");
        }
    }

    #[test]
    fn platform_and_id_do_not_run_into_each_other() {
        let key = |platform, product_id| Key { country: Country::Us, platform, product_id };
        assert_ne!(key("a", "bc").hash(), key("ab", "c").hash());
        assert!(key("a", "z") < key("b", "a") && key("a", "a") < key("a", "b"));
    }
}
