//! Ground floor: the words of the trade, each a type that cannot hold a wrong value.
//!
//! Nothing here reads a file, a clock or a socket, and nothing imports from a higher room. A value that
//! exists has passed its checks; everything above can rely on that and does not check again.
//!
//! In reading order:
//!
//! - [`country`]: the two markets and their currencies
//! - [`money`]: a price as integer cents, read exactly from text or floats
//! - [`rounded`]: numbers on their way out, rounded once
//! - [`day`]: UTC days and instants
//! - [`window`]: the span of days a question is about, and the one it is compared with
//! - [`period`]: daily, weekly and monthly buckets
//! - [`barcode`]: usable GTINs
//! - [`uid`]: stable identifiers of listings and entities
//! - [`brand`]: one key for all spellings of a brand
//! - [`condition`]: new, refurbished, used or unknown
//! - [`pack`]: how much of it one buys, and the price per unit
//! - [`text`]: slugs, search terms and folded text
//! - [`everyday`]: what people call shelves, and the words by which shops do
//! - [`platform`]: retailer platform keys

pub mod barcode;
pub mod brand;
pub mod condition;
pub mod country;
pub mod day;
pub mod everyday;
pub mod money;
pub mod pack;
pub mod period;
pub mod platform;
pub mod rounded;
pub mod text;
pub mod uid;
pub mod window;

pub use barcode::Gtin;
pub use condition::Condition;
pub use country::Country;
pub use day::{DateError, Day, Instant};
pub use money::{Cents, PriceError};
pub use pack::{Pack, Unit, UnitPrice};
pub use period::Granularity;
pub use rounded::{Hundredth, Money, Money4, Percent, Percent4, Ratio4, Tenth};
pub use uid::{EntityUid, ProductUid};
pub use window::{Preset, Window, WindowArgs, WindowError};

/// Version of the interface, of requests, answers and errors: in its description, in answers and in manifests.
pub const INTERFACE_VERSION: &str = "1.0.0";

/// Gives a newtype that serializes as a bare JSON value an inline `OpenAPI` schema.
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
