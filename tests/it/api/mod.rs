//! What endpoints answer.

mod answers;
mod classification;
mod elsewhere;
mod examples;
mod first;
mod formats;
mod laws;
mod leaders;
mod lists;
mod methodology;
mod openapi;
mod oracle_self;
mod quote;
mod quoting;
mod readme;
mod recipe;
