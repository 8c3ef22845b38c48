//! How large the parts of an input may be. Nothing real comes near; what lies beyond is a mistake or an attack, and is
//! told apart before it costs time or memory.
//!
//! A row beyond a limit is rejected with its own reason; a file beyond one ends the build with a sentence.
//!
//! `Limited` bounds a stream: a compressed file may be a thousandth of its contents.

use std::io::{self, Read};

use crate::snapshot::layout::NAME_BYTES_END;

/// Longest name of a listing, in bytes.
pub const NAME_BYTES_MAX: usize = (1 << 20) - 1;
const _: () = assert!((NAME_BYTES_MAX as u64) < NAME_BYTES_END, "an offer holds the length of its name");
/// Longest id of a retailer's product, in bytes.
pub const PRODUCT_ID_BYTES_MAX: usize = 1_024;
/// Longest brand, in bytes.
pub const BRAND_BYTES_MAX: usize = 1_024;
/// Longest address of an offer, in bytes.
pub const URL_BYTES_MAX: usize = 8_192;
/// Longest category path, in bytes.
pub const CATEGORY_PATH_BYTES_MAX: usize = 8_192;
/// Most segments of a category path.
pub const CATEGORY_DEPTH_MAX: usize = 32;
/// Most nodes of the category tree, over both countries.
pub const CATEGORY_NODES_MAX: usize = 1_000_000;
/// Most columns of a CSV file.
pub const COLUMNS_MAX: usize = 1_024;
/// Longest header of a CSV file, in bytes.
pub const HEADER_BYTES_MAX: usize = 1 << 20;
/// Longest value in quotes, in bytes: a quote that does not close within it ends the build.
pub const QUOTED_BYTES_MAX: usize = 1 << 20;
/// Most rows of a side table.
pub const TABLE_ROWS_MAX: u64 = 1_000_000;
/// Bytes of the largest side table, decompressed.
pub const TABLE_BYTES_MAX: u64 = 256 << 20;
/// Bytes of handles, names, brands and category paths of the products of a file with variants.
pub const PRODUCTS_BYTES_MAX: usize = 1 << 30;
/// Deepest nesting of JSON.
pub const JSON_DEPTH_MAX: usize = 64;
/// Most nodes of a classification: segments, families, classes, bricks, attributes and their values.
pub const CLASSIFICATION_NODES_MAX: usize = 1_000_000;
/// Bytes of the different titles of a classification.
pub const CLASSIFICATION_TITLE_BYTES_MAX: usize = 16 << 20;
/// Longest release of a classification, in bytes.
pub const RELEASE_BYTES_MAX: usize = 100;
/// Most days from one observed day to the next, behind which every day is believed.
pub const GAP_DAYS_MAX: u16 = 366;
/// From which share of all observations on, in percent, those behind a longer gap are believed too.
pub const BEHIND_PCT_MIN: u64 = 1;

/// A reader that fails once more than so many bytes were read.
pub(crate) struct Limited<R> {
    reader: R,
    most: u64,
    left: u64,
}

impl<R: Read> Limited<R> {
    pub(crate) fn new(reader: R, most: u64) -> Self {
        Self { reader, most, left: most }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other(format!("larger than {} bytes", self.most)))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_up_to_the_limit_and_not_behind_it() {
        let mut bytes = Vec::new();
        assert_eq!(Limited::new(&b"12345"[..], 5).read_to_end(&mut bytes).unwrap(), 5);
        let mut endless = Limited::new(io::repeat(b'x'), 1 << 20);
        let fault = io::copy(&mut endless, &mut io::sink()).unwrap_err();
        assert_eq!(fault.to_string(), "larger than 1048576 bytes");
    }
}
