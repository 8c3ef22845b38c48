//! A Parquet file of one row group.

use polars::prelude::PolarsResult;
use polars_parquet::write::{
    CompressionOptions, Encoding, FileWriter, KeyValue, StatisticsOptions, Version, WriteOptions,
    row_group_iter,
};

use super::arrays::{HEAD_KEY, batch, schema};
use super::table::AnswerTable;
use super::{Answered, EncodeError, Representation};

/// An answer has few rows, and clients read all of them. Pages are therefore plain and have no statistics. Pages are
/// not compressed, because the response as a whole can be compressed.
const OPTIONS: WriteOptions = WriteOptions {
    statistics: StatisticsOptions {
        min_value: false,
        max_value: false,
        distinct_count: false,
        null_count: false,
        binary_statistics_truncate_length: None,
    },
    version: Version::V1,
    compression: CompressionOptions::Uncompressed,
    data_page_size: None,
};

/// `application/vnd.apache.parquet`.
pub struct Parquet;

impl Representation for Parquet {
    fn media_type(&self) -> &'static str {
        "application/vnd.apache.parquet"
    }

    fn about(&self) -> &'static str {
        "The rows as a Parquet file. The metadata of the file contains the answer without its rows, as JSON under the \
         key pricebook."
    }

    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
        let table = AnswerTable::of(answer).map_err(|error| EncodeError::of(self, &error))?;
        file(&table).map_err(|error| EncodeError::of(self, &error))
    }
}

fn file(table: &AnswerTable) -> PolarsResult<Vec<u8>> {
    let schema = schema::<i64>(table);
    let mut writer = FileWriter::try_new(Vec::new(), schema.clone(), OPTIONS)?;
    // A file without rows has a schema and no row group.
    if table.rows() > 0 {
        let encodings = table.columns().iter().map(|_| vec![Encoding::Plain]).collect();
        let types = writer.parquet_schema().fields().to_vec();
        let rows = row_group_iter(batch::<i64>(table, schema)?, encodings, types, OPTIONS);
        writer.write(table.rows() as u64, rows)?;
    }
    let head = KeyValue { key: HEAD_KEY.to_owned(), value: Some(table.head().to_owned()) };
    writer.end(Some(vec![head]))?;
    Ok(writer.into_inner())
}
