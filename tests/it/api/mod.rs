//! What endpoints answer.

mod answers;
mod classification;
mod laws;
mod methodology;
mod openapi;
mod oracle_self;
mod quote;
mod readme;
