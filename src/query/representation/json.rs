//! One JSON object.

use super::{Answered, EncodeError, Representation};

/// Initial capacity of an answer, in bytes: enough for most answers about one product.
const BODY_BYTES: usize = 8 * 1_024;

/// `application/json`: the answer as its schema describes it.
pub struct Json;

impl Representation for Json {
    fn media_type(&self) -> &'static str {
        "application/json"
    }

    fn about(&self) -> &'static str {
        "The whole answer as one object."
    }

    fn is_tabular(&self) -> bool {
        false
    }

    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
        let mut body = Vec::with_capacity(BODY_BYTES);
        let written = answer.write_json(&mut body);
        written.map_err(|error| EncodeError::of(self, &error))?;
        Ok(body)
    }
}
