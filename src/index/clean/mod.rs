//! What many rows decide together: the spelling that stands for several, brands, the category tree, days far ahead.

pub(super) mod categories;
pub(super) mod far_days;
pub(super) mod labels;
