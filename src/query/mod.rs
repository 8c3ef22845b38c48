//! What endpoints share.

pub mod endpoint;
pub mod params;
pub mod refusal;
