//! The `pricebook` binary.

fn main() {}
