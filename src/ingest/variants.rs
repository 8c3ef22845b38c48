//! Values that a file states once for all variants of a product, as exports of shop systems do.
//!
//! Such a file has a row for each variant and each further image of a product. A handle identifies the product, and
//! only its first row has a name. Where the mapping names the column of handles, a row without a name takes the values
//! of its product, and every row of a variant adds its options to the name.

use std::collections::HashMap;

use anyhow::{Result, ensure};
use polars::prelude::StringChunked;

use super::chunk::Chunk;
use super::limits::PRODUCTS_BYTES_MAX;
use super::plan::ColumnPlan;
use crate::ingest::rejects::Reason;
use crate::snapshot::tables::{ListingInput, ObservationInput, VariantInput};

/// Columns with a value for the whole product; a row without the first takes them from its product.
const OF_PRODUCT: [ListingInput; 3] =
    [ListingInput::ProductName, ListingInput::Brand, ListingInput::CategoryPath];
/// Columns with the options of a variant.
const OPTIONS: [VariantInput; 3] =
    [VariantInput::FirstOption, VariantInput::SecondOption, VariantInput::ThirdOption];
/// Shopify's option of a product without variants.
const NO_OPTION: &str = "Default Title";

/// The values of the products of a file by handle, in the order of [`OF_PRODUCT`].
pub(super) struct Products {
    handle: usize,
    options: [Option<usize>; 3],
    of_product: [Option<usize>; 3],
    /// Columns with a value in every row of an offer.
    of_offer: [Option<usize>; 2],
    values: HashMap<String, [String; 3]>,
    bytes: usize,
}

impl Products {
    /// No products yet; `None` where the mapping does not name the column of handles.
    pub(super) fn new(plan: &ColumnPlan) -> Option<Self> {
        let place = |name| plan.place(name);
        Some(Self {
            handle: place(VariantInput::Handle.name())?,
            options: OPTIONS.map(|column| place(column.name())),
            of_product: OF_PRODUCT.map(|column| place(column.name())),
            of_offer: [place(ListingInput::ProductId.name()), place(ObservationInput::Price.name())],
            values: HashMap::new(),
            bytes: 0,
        })
    }

    /// Whether the table has a column that is completed.
    pub(super) fn completes(&self) -> bool {
        self.of_product.iter().any(Option::is_some)
    }

    /// Adds the products that have a name in a chunk; of several rows of a product the first counts.
    ///
    /// # Errors
    /// When their values take more than [`PRODUCTS_BYTES_MAX`].
    pub(super) fn add(&mut self, chunk: &Chunk) -> Result<()> {
        for row in (0..chunk.rows()).filter(|&row| chunk.fault(row).is_none()) {
            let handle = chunk.own(self.handle, row);
            let values = self.of_product.map(|column| own(chunk, column, row));
            if handle.is_empty() || values[0].is_empty() || self.values.contains_key(handle) {
                continue;
            }
            self.bytes += handle.len() + values.iter().map(|value| value.len()).sum::<usize>();
            ensure!(
                self.bytes <= PRODUCTS_BYTES_MAX,
                "line {}: the names, brands and categories of the products take more than {PRODUCTS_BYTES_MAX} \
                 bytes: split the file between two products",
                chunk.line(row)
            );
            self.values.insert(handle.to_owned(), values.map(str::to_owned));
        }
        Ok(())
    }

    /// Completes the rows of variants, and marks those of images.
    pub(super) fn complete(&self, chunk: &mut Chunk) {
        let rows = 0..chunk.rows();
        let images = rows.clone().filter(|&row| chunk.fault(row).is_none() && self.is_image(chunk, row));
        let images: Vec<_> =
            images.map(|row| (row, Reason::ImageRow, chunk.own(self.handle, row).to_owned())).collect();
        chunk.broken.extend(images);
        chunk.broken.sort_unstable_by_key(|(row, ..)| *row);
        let completed = |at: usize| rows.clone().map(|row| self.completed(chunk, row, at)).collect();
        let completed: [StringChunked; 3] = [0, 1, 2].map(completed);
        for (column, texts) in self.of_product.iter().zip(completed) {
            if let Some(column) = column.filter(|&column| chunk.columns[column].is_some()) {
                chunk.replace(column, texts, None);
            }
        }
    }

    /// Whether a row has a handle, and neither a name nor a variant.
    fn is_image(&self, chunk: &Chunk, row: usize) -> bool {
        let mut others = [self.of_product[0]].into_iter().chain(self.options).chain(self.of_offer);
        !chunk.own(self.handle, row).is_empty() && others.all(|column| own(chunk, column, row).is_empty())
    }

    /// The value at `row` of the column at `at` of [`OF_PRODUCT`].
    fn completed(&self, chunk: &Chunk, row: usize, at: usize) -> Option<String> {
        let value = own(chunk, self.of_product[at], row);
        let product = if own(chunk, self.of_product[0], row).is_empty() {
            self.values.get(chunk.own(self.handle, row))
        } else {
            None
        };
        let value = if value.is_empty() { product.map_or("", |values| &values[at]) } else { value };
        if value.is_empty() {
            return None;
        }
        let mut value = value.to_owned();
        if at == 0 && !chunk.own(self.handle, row).is_empty() {
            for option in self.options.map(|column| own(chunk, column, row)) {
                if !option.is_empty() && option != NO_OPTION && !has_words(&value, option) {
                    value.push(' ');
                    value.push_str(option);
                }
            }
        }
        Some(value)
    }
}

/// Whether a text holds others words, whole.
fn has_words(text: &str, words: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

/// The file's value of a column; empty where it has none.
fn own(chunk: &Chunk, column: Option<usize>, row: usize) -> &str {
    column.map_or("", |column| chunk.own(column, row))
}
