//! Words of the trade.

mod everyday;
