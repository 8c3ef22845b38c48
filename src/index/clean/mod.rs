//! What many rows decide together: the spelling that stands for several, brands, the category tree, days far ahead, codes
//! that are barcodes or not.

pub(super) mod categories;
pub(in crate::index) mod codes;
pub(super) mod far_days;
pub(super) mod labels;
