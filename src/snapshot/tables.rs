//! The columns of listings and observations, each defined once: the columns of an input file, and the columns that a
//! snapshot keeps.
//!
//! Reading, cleaning, ordering, packing, loading, export and `docs/input.md` are all derived from these definitions;
//! `CONTRIBUTING.md` explains how to add a column. Input columns and kept columns are two lists, because they differ:
//! a category path becomes a number, two flags share a byte, a currency is only compared. The type of a kept column
//! defines its representation and how a missing value is represented (`values`).

use std::io;
use std::ops::Range;
use std::path::Path;

use super::columns::{ColumnFile, ColumnWriter, Written};
use super::layout::Offer;
use super::values::{AnyColumn, BuiltColumn, ColumnParts, OpenedColumn, Plain, Value, write_parts};
use crate::types::{Condition, Country};

/// A column of an input file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// Name of the column in the header of the file.
    pub name: &'static str,
    /// Whether a file without the column is rejected.
    pub required: bool,
    /// Notation of the values, in a few words.
    pub form: &'static str,
    /// An example value.
    pub example: &'static str,
    /// Meaning of the column, and treatment of a missing or unreadable value, in Markdown.
    pub about: &'static str,
}

const fn required(
    name: &'static str,
    form: &'static str,
    example: &'static str,
    about: &'static str,
) -> Input {
    Input { name, required: true, form, example, about }
}

const fn optional(
    name: &'static str,
    form: &'static str,
    example: &'static str,
    about: &'static str,
) -> Input {
    Input { name, required: false, form, example, about }
}

/// Defines the columns of a kind of input file. A line contains the name of the column in the code, `required` or
/// `optional`, the name in the file, the notation of the values, and an example value.
macro_rules! inputs {
    ($(#[$about:meta])* $Input:ident {
        $($(#[doc = $says:literal])+ $column:ident = $need:ident($name:literal, $form:literal, $example:literal),)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Input {
            $($(#[doc = $says])+ $column,)*
        }

        impl $Input {
            /// All columns, in the order of the variants.
            pub const ALL: &'static [Input] =
                &[$($need($name, $form, $example, concat!($($says),+)),)*];

            /// Name of the column in the header of the file.
            pub const fn name(self) -> &'static str {
                Self::ALL[self as usize].name
            }
        }
    };
}

inputs! {
    /// Columns of a file of listings.
    ListingInput {
        /// The country of the offer.
        Country = required("country", "`us` or `ca`", "us"),
        /// The retailer: a key (at most 128 letters, digits, `-` and `_`, beginning with a letter or digit), or a name
        /// from which a key is derived.
        Platform = required("platform", "key", "acme-foods"),
        /// The retailer's own id of the offer, any text. Country, platform and id together are the key of the listing.
        ProductId = required("product_id", "text", "4711"),
        /// The name as the retailer writes it. Pack sizes (`6 x 330 ml`) are read from it.
        ProductName = required("product_name", "text", "Acme Corn Flakes 500 g"),
        /// The brand. Spellings that differ in case, marks or legal form are the same brand. Placeholders such as
        /// `N/A` count as missing.
        Brand = optional("brand", "text", "Acme"),
        /// The GTIN that is printed on the product (8, 12, 13 or 14 digits). Listings with the same barcode are the
        /// same product. Unusable barcodes count as missing and are counted in the report.
        Gtin = optional("gtin", "digits", "036000291452"),
        /// The category path of the offer, from the root down, with segments separated by `>`. Listings without a path
        /// are in the category `uncategorized`.
        CategoryPath = optional("category_path", "path", "Food > Breakfast > Cereal"),
        /// Code of the GS1 brick (product type) of the product, eight digits. If the classification does not contain
        /// the code, the brick of the category is used.
        GpcCode = optional("gpc_code", "digits", "10000285"),
        /// The condition in which the product is sold. An unknown text counts as missing, and the condition is then
        /// derived from name and address.
        Condition = optional("condition", "words", "refurbished"),
        /// Stars, on the source's own scale. A value that is not a finite number counts as missing.
        Rating = optional("rating", "decimal number", "4.5"),
        /// The number of reviews. A value that is not a whole number counts as missing.
        ReviewCount = optional("review_count", "whole number", "128"),
        /// Address of the offer. Answers contain it unchanged.
        Url = optional("url", "text", "https://acme.example/p/4711"),
        /// The manufacturer's part number. It helps to find the same product at another retailer if there is no
        /// barcode.
        Mpn = optional("mpn", "text", "WH-1000XM5"),
        /// The time at which the row was written. The column is read only with `--listings-order newest`.
        Date = optional("date", "day or instant", "2026-10-31"),
    }
}

impl ListingInput {
    /// All columns except the date.
    pub const UNDATED: &'static [Input] = match Self::ALL.split_last() {
        Some((_, undated)) => undated,
        None => &[],
    };
}

inputs! {
    /// Columns of a file of observations.
    ObservationInput {
        /// As in the listing.
        Country = required("country", "`us` or `ca`", "us"),
        /// As in the listing.
        Platform = required("platform", "key", "acme-foods"),
        /// As in the listing.
        ProductId = required("product_id", "text", "4711"),
        /// The time at which the price was seen: a day, or an instant with its offset, of which the UTC day is used.
        /// Years 2000 to 2100.
        Date = required("date", "day or instant", "2026-10-31"),
        /// The price of the offer, in the currency of the country, above 0 and at most 10,000,000. It is rounded half
        /// up to cents.
        Price = required("price", "decimal number", "4.99"),
        /// The higher price with which the retailer compares the price. A value that is not a price counts as missing
        /// and is counted in the report.
        ListPrice = optional("list_price", "decimal number", "5.99"),
        /// Availability: whether the offer was in stock. Any other value counts as unknown.
        InStock = optional("in_stock", "`true`, `false`, `1`, `0`", "true"),
        /// Promotion: whether the retailer calls the price a promotion. A price below a plausible list price (at most
        /// five times the price) is always a promotion.
        Promo = optional("promo", "`true`, `false`, `1`, `0`", "false"),
        /// Currency of the price. If it is not the currency of the country (`USD`, `CAD`, in any case), the row is
        /// rejected. If it is missing, the currency of the country is assumed.
        Currency = optional("currency", "ISO 4217 code", "USD"),
    }
}

inputs! {
    /// Columns of a file with variants of products, which is read if a mapping names the first column.
    VariantInput {
        /// The product of a variant. Rows of the same product have the same handle.
        Handle = optional("handle", "text", "green-tea"),
        /// An option of the variant, added to the name. `Default Title` is not an option.
        FirstOption = optional("option1_value", "text", "500 g"),
        /// Another option.
        SecondOption = optional("option2_value", "text", "Tin"),
        /// Another option.
        ThirdOption = optional("option3_value", "text", "Red"),
    }
}

/// Defines a table while a snapshot is built: a struct of columns, and a struct with the result of cleaning one row.
/// A column is one of these kinds:
///
/// - `plain`: kept unchanged. The type parses the value of the input column that is named after `=`;
/// - `kept`: derived from a row by the rules of cleaning;
/// - `used`: derived in the same way, but not stored in the snapshot. Other columns are derived from it.
macro_rules! built {
    (
        $(#[$built_about:meta])* built $Built:ident;
        $(#[$row_about:meta])* row $Row:ident;
        plain from $Input:ident { $($(#[$plain_about:meta])* $plain:ident: $Plain:ty = $column:ident,)* }
        kept { $($(#[$kept_about:meta])* $kept:ident: $Kept:ty,)* }
        used { $($(#[$used_about:meta])* $used:ident: $Used:ty,)* }
    ) => {
        $(#[$built_about])*
        #[derive(Debug, Default, Clone, PartialEq)]
        pub struct $Built {
            $($(#[$plain_about])* pub $plain: <$Plain as Value>::Built,)*
            $($(#[$kept_about])* pub $kept: <$Kept as Value>::Built,)*
            $($(#[$used_about])* pub $used: <$Used as Value>::Built,)*
        }

        impl $Built {
            /// Appends a row. `text` returns the text of an input column, for the plain columns.
            pub fn push<'t>(&mut self, row: $Row, text: impl Fn($Input) -> &'t str) {
                // A table may have no plain column.
                let _ = &text;
                $(<$Plain as Plain>::push_text(text($Input::$column), &mut self.$plain);)*
                $(row.$kept.push(&mut self.$kept);)*
                $(row.$used.push(&mut self.$used);)*
            }

            /// Appends the rows of another table.
            pub fn append(&mut self, more: Self) {
                $(BuiltColumn::append(&mut self.$plain, more.$plain);)*
                $(BuiltColumn::append(&mut self.$kept, more.$kept);)*
                $(BuiltColumn::append(&mut self.$used, more.$used);)*
            }

            /// The given rows, in this order.
            #[must_use]
            pub fn take(self, rows: &[u32]) -> Self {
                Self {
                    $($plain: BuiltColumn::take(self.$plain, rows),)*
                    $($kept: BuiltColumn::take(self.$kept, rows),)*
                    $($used: BuiltColumn::take(self.$used, rows),)*
                }
            }

            /// Appends a row of another table.
            pub fn push_from(&mut self, other: &Self, row: usize) {
                $(BuiltColumn::push_from(&mut self.$plain, &other.$plain, row);)*
                $(BuiltColumn::push_from(&mut self.$kept, &other.$kept, row);)*
                $(BuiltColumn::push_from(&mut self.$used, &other.$used, row);)*
            }

            /// All columns, by name.
            pub fn all(&self) -> Vec<NamedColumn<'_>> {
                let used: Vec<NamedColumn<'_>> =
                    vec![$((stringify!($used), &self.$used as &dyn BuiltColumn),)*];
                [self.kept(), used].concat()
            }

            /// Reads a range of rows from a file that contains all columns of a table ([`Self::all`]). `length` is
            /// the number of rows of the table.
            ///
            /// # Errors
            /// Returns an error if a column is missing or damaged, or has another type or length.
            pub fn read(file: &ColumnFile, length: usize, rows: Range<usize>) -> Result<Self, String> {
                Ok(Self {
                    $($plain: BuiltColumn::read(file, stringify!($plain), length, rows.clone())?,)*
                    $($kept: BuiltColumn::read(file, stringify!($kept), length, rows.clone())?,)*
                    $($used: BuiltColumn::read(file, stringify!($used), length, rows.clone())?,)*
                })
            }

            /// A range of rows.
            #[must_use]
            pub fn slice(&self, rows: &Range<usize>) -> Self {
                Self {
                    $($plain: BuiltColumn::slice(&self.$plain, rows.clone()),)*
                    $($kept: BuiltColumn::slice(&self.$kept, rows.clone()),)*
                    $($used: BuiltColumn::slice(&self.$used, rows.clone()),)*
                }
            }

            /// The length of each column. In a consistent table all lengths are equal.
            pub fn lengths(&self) -> Vec<usize> {
                vec![$(self.$plain.rows(),)* $(self.$kept.rows(),)* $(self.$used.rows(),)*]
            }

            /// Names of the columns that a snapshot keeps.
            pub const KEPT: &'static [&'static str] = &[$(stringify!($plain),)* $(stringify!($kept),)*];

            /// The input columns that are kept with their value.
            pub const PLAIN: &'static [$Input] = &[$($Input::$column,)*];

            /// The columns that a snapshot keeps, by name.
            pub fn kept(&self) -> Vec<NamedColumn<'_>> {
                vec![
                    $((stringify!($plain), &self.$plain as &dyn BuiltColumn),)*
                    $((stringify!($kept), &self.$kept as &dyn BuiltColumn),)*
                ]
            }
        }

        $(#[$row_about])*
        #[derive(Debug, Clone)]
        pub struct $Row {
            $($(#[$kept_about])* pub $kept: $Kept,)*
            $($(#[$used_about])* pub $used: $Used,)*
        }
    };
}

/// Defines a table that is built and opened. In addition to the structs of [`built`], it has a struct of opened
/// columns, and a struct of the columns that are `packed`: derived from all others when the snapshot is written.
macro_rules! table {
    (
        $(#[$built_about:meta])* built $Built:ident;
        $(#[$row_about:meta])* row $Row:ident;
        $(#[$opened_about:meta])* opened $Opened:ident;
        plain from $Input:ident { $($(#[$plain_about:meta])* $plain:ident: $Plain:ty = $column:ident,)* }
        kept { $($(#[$kept_about:meta])* $kept:ident: $Kept:ty,)* }
        used { $($(#[$used_about:meta])* $used:ident: $Used:ty,)* }
        $(
            $(#[$packed_struct_about:meta])* packed $WrittenSnapshot:ident
            { $($(#[$packed_about:meta])* $packed:ident: $PackedValue:ty,)* }
        )?
    ) => {
        built! {
            $(#[$built_about])* built $Built;
            $(#[$row_about])* row $Row;
            plain from $Input { $($(#[$plain_about])* $plain: $Plain = $column,)* }
            kept { $($(#[$kept_about])* $kept: $Kept,)* }
            used { $($(#[$used_about])* $used: $Used,)* }
        }

        $(#[$opened_about])*
        pub struct $Opened {
            $($(#[$plain_about])* pub $plain: <$Plain as Value>::Opened,)*
            $($(#[$kept_about])* pub $kept: <$Kept as Value>::Opened,)*
            $($($(#[$packed_about])* pub $packed: <$PackedValue as Value>::Opened,)*)?
        }

        impl $Opened {
            /// Loads the columns from a mapped file. All of them must have `rows` rows.
            ///
            /// # Errors
            /// Returns an error if a column is missing or has another type or length.
            pub fn load(file: &ColumnFile, rows: usize) -> Result<Self, String> {
                Ok(Self {
                    $($plain: OpenedColumn::open(file, stringify!($plain), rows)?,)*
                    $($kept: OpenedColumn::open(file, stringify!($kept), rows)?,)*
                    $($($packed: OpenedColumn::open(file, stringify!($packed), rows)?,)*)?
                })
            }

            /// All columns, by name.
            pub fn columns(&self) -> Vec<(&'static str, AnyColumn<'_>)> {
                vec![
                    $((stringify!($plain), self.$plain.any()),)*
                    $((stringify!($kept), self.$kept.any()),)*
                    $($((stringify!($packed), self.$packed.any()),)*)?
                ]
            }
        }

        $(
            $(#[$packed_struct_about])*
            pub struct $WrittenSnapshot<'a> {
                $($(#[$packed_about])* pub $packed: &'a dyn ColumnParts<$PackedValue>,)*
            }

            impl $WrittenSnapshot<'_> {
                /// Names of the columns.
                pub const NAMES: &'static [&'static str] = &[$(stringify!($packed),)*];

                /// Appends the column `name` to a file. Returns false if it is not one of these columns.
                ///
                /// # Errors
                /// Returns an error if the column cannot be computed or written.
                pub fn write(&self, name: &str, file: &mut ColumnWriter) -> io::Result<bool> {
                    $(if name == stringify!($packed) {
                        write_parts(self.$packed, name, file)?;
                        return Ok(true);
                    })*
                    Ok(false)
                }
            }
        )?
    };
}

/// A column to be written, with its name.
pub type NamedColumn<'a> = (&'static str, &'a dyn BuiltColumn);

table! {
    /// Listings while a snapshot is built, one row each. All columns have the same length.
    built ListingColumns;
    /// The result of cleaning one row of listings.
    row ListingRow;
    /// Listings of an opened snapshot, one row each, ordered by (country, category in preorder, platform, product
    /// id).
    opened Listings;
    plain from ListingInput {
        /// The retailer's own id.
        product_id: String = ProductId,
        /// Name of the product as the source writes it.
        name: String = ProductName,
        /// Rating in stars, as the source states it.
        rating: Option<f64> = Rating,
        /// Number of reviews.
        review_count: Option<u32> = ReviewCount,
        /// Address of the offer.
        url: String = Url,
    }
    kept {
        /// Country of the offer.
        country: Country,
        /// Platform: a number in order of appearance while files are read, later its index among the sorted keys.
        platform: u16,
        /// Category: the number of its path while files are read, later the index of its node in the tree.
        category: u32,
        /// Brand: the number of its spelling while files are read, later its index among the labels; `layout::NONE`
        /// without a brand.
        brand: u32,
        /// Condition of the product, from the input or derived from name and address.
        condition: Condition,
        /// Bits of the listing's [`ProductUid`](crate::types::ProductUid).
        product_uid: u64,
        /// Usable GTIN-14 as a number; 0 without a usable GTIN.
        gtin: u64,
        /// Instant of the latest observation, microseconds since 1970 UTC; 0 without an observation.
        latest_instant: i64,
    }
    used {
        /// Classification code that the source states (8 digits as a number); 0 without a code.
        gpc_code: u32,
        /// Part number, as normalized by [`mpn`](crate::lang::mpn).
        mpn: String,
        /// Bits of the [`EntityUid`](crate::types::EntityUid).
        entity_uid: u64,
    }
    /// Columns of listings that are derived from all others.
    packed ListingsPacked {
        /// Index of the entity among the uids of entities.
        entity: u32,
        /// Classification node; `layout::NONE` without a node.
        brick: u32,
        /// The origin of the node, see `layout::mapping`.
        brick_mapping: u8,
        /// 1 if the latest observation is within the 90 days before the as-of date of the snapshot, else 0.
        priced: u8,
        /// Day of the latest observation, counted from the snapshot's first day; `layout::NO_DAY` without an
        /// observation.
        current_day: u16,
        /// Price in cents of the latest observation; 0 without an observation.
        current_price: u32,
        /// List price in cents of the latest observation; 0 without a list price.
        current_list_price: u32,
        /// Stock and promotion bits of the latest observation.
        current_flags: u8,
        /// The record with the fields of the listing that answers show.
        offer: Offer,
    }
}

built! {
    /// Observations while a snapshot is built, which stores them as price spells. All columns have the same length.
    built ObservationColumns;
    /// The result of cleaning one row of observations.
    row ObservationRow;
    plain from ObservationInput {}
    kept {
        /// Day, counted from the first accepted day.
        day: u16,
        /// Price in cents.
        price: u32,
        /// List price in cents as the source states it; 0 without a list price.
        list_price: u32,
        /// Stock and promotion bits.
        flags: u8,
    }
    used {}
}

/// The first columns in the file of listings, in this order; the others follow. The position of a column affects the
/// bytes, and therefore a snapshot's id.
const LISTINGS_BEGIN: [&str; 22] = [
    "country",
    "platform",
    "category",
    "brand",
    "condition",
    "product_uid",
    "entity",
    "gtin",
    "brick",
    "brick_mapping",
    "rating",
    "review_count",
    "priced",
    "current_day",
    "current_price",
    "current_list_price",
    "current_flags",
    "latest_instant",
    "offer",
    "name",
    "product_id",
    "url",
];

/// Writes the listings of a snapshot to `path`: the columns of [`ListingColumns::KEPT`], which `kept` appends, and
/// the packed columns.
///
/// # Errors
/// Returns an error if a column cannot be computed or written.
pub fn write_listings(
    packed: &ListingsPacked<'_>,
    mut kept: impl FnMut(&str, &mut ColumnWriter) -> io::Result<()>,
    path: &Path,
) -> io::Result<Written> {
    let mut names = [ListingColumns::KEPT, ListingsPacked::NAMES].concat();
    let place = |name: &str| LISTINGS_BEGIN.iter().position(|known| *known == name);
    names.sort_by_key(|name| place(name).unwrap_or(LISTINGS_BEGIN.len()));
    let mut file = ColumnWriter::create(path)?;
    for name in names {
        if !packed.write(name, &mut file)? {
            kept(name, &mut file)?;
        }
    }
    file.finish()
}

#[cfg(test)]
mod tests {
    // The table of this test has the same visibility as the real ones.
    #![allow(unreachable_pub)]

    use super::*;
    use crate::snapshot::mapped::{Mapping, Residence};

    inputs! {
        /// Columns of a file of things.
        ThingInput {
            /// Weight.
            WeightGrams = optional("weight_grams", "whole number", "350"),
            /// Seller.
            Seller = optional("seller", "text", "Bob"),
            /// Stars.
            Stars = optional("stars", "decimal number", "4.5"),
        }
    }

    table! {
        /// Things.
        built ProductTypes;
        /// A thing.
        row ProductType;
        /// Things of a file.
        opened OpenedThings;
        plain from ThingInput {
            /// Weight.
            weight_grams: Option<u32> = WeightGrams,
            /// Seller.
            seller: String = Seller,
            /// Stars.
            stars: Option<f64> = Stars,
        }
        kept {
            /// Country.
            country: Country,
        }
        used {
            /// Not written.
            note: String,
        }
    }

    fn push(things: &mut ProductTypes, texts: [&str; 3]) {
        let thing = ProductType { country: Country::Us, note: "unwritten".to_owned() };
        things.push(thing, |column| texts[column as usize]);
    }

    #[test]
    fn rows_become_columns_and_are_found_in_the_file() {
        let (mut things, mut more) = (ProductTypes::default(), ProductTypes::default());
        push(&mut things, ["350.0", "b", "4.5"]);
        push(&mut more, ["-1", "", "inf"]);
        push(&mut more, ["0", "c", "few"]);
        things.append(more);
        let things = things.take(&[2, 1, 0]);
        assert_eq!(things.lengths(), [3; 5]);

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("things.cols");
        let mut file = ColumnWriter::create(&path).unwrap();
        for (name, column) in things.all() {
            column.write(name, &mut file).unwrap();
        }
        file.finish().unwrap();
        let bytes = std::fs::metadata(&path).unwrap().len();
        let mapping = Mapping::open(&path, bytes, Residence::Mapped).unwrap();
        let file = ColumnFile::new("things.cols", mapping).unwrap();
        let opened = OpenedThings::load(&file, 3).unwrap();
        assert_eq!([0, 1, 2].map(|row| opened.weight_grams.get(row)), [Some(0), None, Some(350)]);
        assert_eq!([0, 1, 2].map(|row| opened.seller.get(row)), ["c", "", "b"]);
        assert_eq!([0, 1, 2].map(|row| opened.stars.get(row)), [None, None, Some(4.5)]);
        assert_eq!(opened.country.as_slice(), [Country::Us.as_u8(); 3]);
        assert!(
            ThingInput::ALL.iter().all(|column| !column.required) && ThingInput::Seller.name() == "seller"
        );
        let names: Vec<&str> = opened.columns().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["weight_grams", "seller", "stars", "country"]);
        assert_eq!(names, ProductTypes::KEPT);
        assert_eq!(ProductTypes::PLAIN, [ThingInput::WeightGrams, ThingInput::Seller, ThingInput::Stars]);
        let some = things.slice(&(1..3));
        assert_eq!((some.lengths(), &some.weight_grams[..]), (vec![2; 5], &things.weight_grams[1..]));
        assert_eq!(some.seller.iter().collect::<Vec<_>>(), ["", "b"]);
        let mut back = ProductTypes::default();
        back.push_from(&ProductTypes::read(&file, 3, 1..3).unwrap(), 1);
        assert_eq!(back.seller.iter().collect::<Vec<_>>(), ["b"]);
        assert!(ProductTypes::read(&file, 2, 0..1).is_err());
        assert!(OpenedThings::load(&file, 2).is_err_and(|fault| fault.contains("weight_grams")));
    }

    #[test]
    fn columns_of_an_input_have_one_name_each() {
        for columns in [ListingInput::ALL, ObservationInput::ALL] {
            let names: std::collections::HashSet<_> = columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), columns.len());
            assert!(columns.len() <= 64, "a bit of a chunk says whether a column was there");
            assert!(columns.iter().all(|column| !column.about.trim().is_empty()));
        }
        assert_eq!(ListingInput::Date as usize, ListingInput::UNDATED.len());
        assert_eq!(ListingInput::ReviewCount.name(), "review_count");
        assert_eq!(ObservationInput::Currency.name(), "currency");
    }
}
