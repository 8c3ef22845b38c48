//! An Arrow stream: the schema, then one batch of rows.

use std::sync::Arc;

use polars::prelude::PolarsResult;
use polars_arrow::io::ipc::write::{StreamWriter, WriteOptions};

use super::arrays::{HEAD_KEY, batch, schema};
use super::table::AnswerTable;
use super::{Answered, EncodeError, Representation};

/// `application/vnd.apache.arrow.stream`. Texts have 32-bit offsets and are not string views, because every Arrow
/// reader supports offsets.
pub struct Arrow;

impl Representation for Arrow {
    fn media_type(&self) -> &'static str {
        "application/vnd.apache.arrow.stream"
    }

    fn about(&self) -> &'static str {
        "The rows as a stream of Arrow. The metadata of the schema contains the answer without its rows, as JSON under \
         the key pricebook."
    }

    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
        let table = AnswerTable::of(answer).map_err(|error| EncodeError::of(self, &error))?;
        stream(&table).map_err(|error| EncodeError::of(self, &error))
    }
}

fn stream(table: &AnswerTable) -> PolarsResult<Vec<u8>> {
    let schema = schema::<i32>(table);
    let mut writer = StreamWriter::new(Vec::new(), WriteOptions { compression: None });
    writer.set_custom_schema_metadata(Arc::new([(HEAD_KEY.into(), table.head().into())].into()));
    writer.start(&schema, None)?;
    writer.write(&batch::<i32>(table, schema)?, None)?;
    writer.finish()?;
    Ok(writer.into_inner())
}
