//! pricebook: an in-memory columnar server for retail price intelligence.
