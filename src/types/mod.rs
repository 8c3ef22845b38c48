//! Value types of the domain, each with its invariant: money, days, windows, identifiers.
//!
//! A value of these types is always valid, because it was checked when it was created. The module does not perform
//! I/O or read the clock.
//!
//! In reading order:
//!
//! - [`country`]: the two markets and their currencies
//! - [`money`]: a price as integer cents, read exactly from text or floats
//! - [`rounded`]: numbers for output, rounded once
//! - [`day`]: UTC days and instants
//! - [`window`]: the days that a request covers, and the days with which they are compared
//! - [`period`]: daily, weekly and monthly buckets
//! - [`barcode`]: usable GTINs, and source codes that may be GTINs
//! - [`uid`]: stable identifiers of listings and entities
//! - [`condition`]: new, refurbished, used or unknown
//! - [`platform`]: retailer platform keys

pub mod barcode;
pub mod condition;
pub mod country;
pub mod day;
pub mod money;
pub mod period;
pub mod platform;
pub mod rounded;
pub mod uid;
pub mod window;

pub use barcode::{CodeForm, CodeVote, Gtin, SourceCode};
pub use condition::Condition;
pub use country::Country;
pub use day::{DateError, Day, Instant};
pub use money::{Cents, PriceError};
pub use period::Granularity;
pub use rounded::{Hundredth, Money, Money4, Percent, Percent4, Ratio4, Tenth};
pub use uid::{EntityUid, ProductUid};
pub use window::{Preset, Window, WindowArgs, WindowError};

/// Version of the interface (requests, answers and errors). It is in the interface description, in answers and in
/// manifests.
pub const INTERFACE_VERSION: &str = "1.0.0";

/// Implements `JsonSchema` for a newtype that serializes as a plain JSON value. The schema is inline in the `OpenAPI`
/// document.
macro_rules! inline_schema {
    ($type:ty, $name:expr, $schema:tt) => {
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}
pub(crate) use inline_schema;
