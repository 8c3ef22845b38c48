//! What endpoints answer.

mod answers;
mod classification;
mod formats;
mod laws;
mod methodology;
mod openapi;
mod oracle_self;
mod quote;
mod readme;
