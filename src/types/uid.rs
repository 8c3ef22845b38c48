//! Stable identifiers: a listing or a product has the same uid in every snapshot.
//!
//! Invariant: a uid is the first 64 bits of a BLAKE3 hash, and its text form is those bits in lower-case Crockford
//! base32. The alphabet is in ASCII order, so numbers and texts have the same order, and ties can be broken by
//! number.

use std::fmt;

use serde::{Serialize, Serializer};

use super::barcode::Gtin;
use super::country::Country;
use super::inline_schema;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Length of the text form: a prefix of two bytes, and 13 characters of 5 bits each for the 64 bits and one zero bit.
const TEXT_BYTES: usize = 15;

fn first_64_bits(hash: &blake3::Hash) -> u64 {
    hash.as_bytes()[..8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

fn encode(prefix: u8, value: u64) -> [u8; TEXT_BYTES] {
    let mut text = [b'_'; TEXT_BYTES];
    text[0] = prefix;
    let padded = u128::from(value) << 1;
    for (place, byte) in text[2..].iter_mut().enumerate() {
        *byte = ALPHABET[(padded >> (60 - 5 * place)) as usize & 31];
    }
    text
}

fn decode(prefix: u8, text: &str) -> Option<u64> {
    let bytes: &[u8; TEXT_BYTES] = text.as_bytes().try_into().ok()?;
    if bytes[0] != prefix || bytes[1] != b'_' {
        return None;
    }
    let padded = bytes[2..].iter().try_fold(0_u128, |sum, byte| {
        ALPHABET.binary_search(byte).ok().map(|digit| sum << 5 | digit as u128)
    })?;
    (padded & 1 == 0).then_some((padded >> 1) as u64)
}

macro_rules! uid {
    ($(#[$doc:meta])* $type:ident, $prefix:literal, $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(u64);

        impl $type {
            /// Wraps the bits, such as those read from a snapshot.
            pub const fn from_u64(bits: u64) -> Self {
                Self(bits)
            }

            /// The bits.
            pub const fn get(self) -> u64 {
                self.0
            }

            /// Reads the text form, exactly as it is printed.
            pub fn parse(text: &str) -> Option<Self> {
                decode($prefix, text).map(Self)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(std::str::from_utf8(&encode($prefix, self.0)).unwrap_or_default())
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(std::str::from_utf8(&encode($prefix, self.0)).unwrap_or_default())
            }
        }

        inline_schema!($type, stringify!($type), $schema);
    };
}

uid!(
    /// The uid of a listing, which is one product at one retailer platform in one country.
    ProductUid, b'p',
    { "type": "string", "pattern": "^p_[0-9a-hjkmnp-tv-z]{13}$" }
);

uid!(
    /// The uid of an entity, which is one physical product across platforms and countries.
    EntityUid, b'e',
    { "type": "string", "pattern": "^e_[0-9a-hjkmnp-tv-z]{13}$" }
);

impl ProductUid {
    /// The uid of the listing with this key. `platform` must be in normal form.
    pub fn of(country: Country, platform: &str, product_id: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [country.as_str(), "|", platform, "|", product_id] {
            hasher.update(part.as_bytes());
        }
        Self(first_64_bits(&hasher.finalize()))
    }
}

impl EntityUid {
    /// The uid of the entity that contains every listing with this barcode.
    pub fn of_gtin(gtin: Gtin) -> Self {
        Self(first_64_bits(&blake3::hash(format!("gtin:{gtin}").as_bytes())))
    }

    /// The uid of the entity that contains only this listing, which does not have a usable barcode.
    pub fn of_listing(listing: ProductUid) -> Self {
        Self(first_64_bits(&blake3::hash(format!("listing:{listing}").as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn listings_as_published() {
        for (platform, product_id, product, entity) in [
            ("metro", "13374c585b126c85", "p_qwq51h7bq293e", "e_xekj0smz7fnd4"),
            ("metro", "13f61156cf69bad1", "p_zd3ky4cqar05y", "e_03gv3pb0j7b80"),
            ("metro", "6caef4db51073b86", "p_rvhptqtdxakee", "e_4y0r936cznaw4"),
            ("loblaws", "e8ea373df43a0df2", "p_xhq46yb0z4g48", "e_8dmqtkxtkm1m6"),
        ] {
            let uid = ProductUid::of(Country::Ca, platform, product_id);
            assert_eq!(uid.to_string(), product);
            assert_eq!(EntityUid::of_listing(uid).to_string(), entity);
        }
    }

    #[test]
    fn barcodes_as_published() {
        assert_eq!(ProductUid::of(Country::Ca, "metro", "a29c5728b2a7f543").to_string(), "p_k3b94f05wn8cc");
        for (gtin, entity) in [
            ("00013409918104", "e_25jf5m3673dmj"),
            ("00014100081333", "e_6nxr8tkqzwyke"),
            ("00011863118481", "e_ek9kknsba2psm"),
        ] {
            assert_eq!(EntityUid::of_gtin(Gtin::parse(gtin).unwrap()).to_string(), entity);
        }
    }

    #[test]
    fn rejects_malformed_uids() {
        for text in [
            "",
            "p_",
            "p_k3b94f05wn8c",
            "p_k3b94f05wn8ccc",
            "e_k3b94f05wn8cc",
            "P_k3b94f05wn8cc",
            "p_K3B94F05WN8CC",
            "p-k3b94f05wn8cc",
            "p_k3b94f05wn8ci",
            "p_k3b94f05wn8cd",
            "p_k3b94f05wn8é",
        ] {
            assert_eq!(ProductUid::parse(text), None, "{text:?}");
        }
        assert_eq!(EntityUid::parse("e_0000000000000").map(EntityUid::get), Some(0));
    }

    proptest! {
        #[test]
        fn texts_round_trip_and_sort_like_numbers(a: u64, b: u64) {
            let (x, y) = (ProductUid::from_u64(a), ProductUid::from_u64(b));
            prop_assert_eq!(ProductUid::parse(&x.to_string()), Some(x));
            prop_assert_eq!(a.cmp(&b), x.to_string().cmp(&y.to_string()));
            prop_assert_eq!(serde_json::to_string(&x).unwrap(), format!("\"{x}\""));
        }
    }
}
