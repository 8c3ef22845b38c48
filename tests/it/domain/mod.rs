//! Words of the trade.

mod everyday;
mod packs;
