//! How a file is written and compressed, by its name or its first bytes.

use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use crate::snapshot::safe_open;

/// Bytes of a file that its form is told by.
const MAGIC_BYTES: u64 = 8;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Separated values with a header.
    Csv,
    /// One JSON object per line.
    Ndjson,
    /// Apache Parquet.
    Parquet,
    /// A stream of Apache Arrow.
    Arrow,
    /// A spreadsheet.
    Sheet,
}

/// How a file is compressed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compression {
    /// Not at all, or in a way of its format.
    None,
    /// Gzip, of one or more members.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// What the last ending of a name says.
    pub(crate) fn of_name(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(gz) if gz.eq_ignore_ascii_case("gz") => Self::Gzip,
            Some(zst) if zst.eq_ignore_ascii_case("zst") => Self::Zstd,
            _ => Self::None,
        }
    }
}

impl Format {
    /// The word of reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow stream",
            Self::Sheet => "spreadsheet",
        }
    }

    /// What the endings of a name say, in any case; nothing where no reader knows them.
    pub(super) fn of_name(name: &str) -> Option<(Self, Compression)> {
        let name = name.to_ascii_lowercase();
        let compression = Compression::of_name(Path::new(&name));
        let rest = match compression {
            Compression::None => &name,
            Compression::Gzip => name.trim_end_matches(".gz"),
            Compression::Zstd => name.trim_end_matches(".zst"),
        };
        let format = match rest.rsplit_once('.')?.1 {
            "csv" | "tsv" | "txt" => Self::Csv,
            "ndjson" | "jsonl" => Self::Ndjson,
            "parquet" => Self::Parquet,
            "arrows" => Self::Arrow,
            "xlsx" | "xls" | "ods" => Self::Sheet,
            _ => return None,
        };
        let of_text = matches!(format, Self::Csv | Self::Ndjson);
        (of_text || compression == Compression::None).then_some((format, compression))
    }

    /// What the first bytes of a file of any name say.
    pub(super) fn sniff(path: &Path) -> Result<(Self, Compression)> {
        let head = |compression| -> Result<Vec<u8>> {
            let mut head = Vec::new();
            open(path, compression)?.take(MAGIC_BYTES).read_to_end(&mut head)?;
            Ok(head)
        };
        let read = || -> Result<(Self, Compression)> {
            let raw = head(Compression::None)?;
            let compression = match raw[..] {
                [0x1f, 0x8b, ..] => Compression::Gzip,
                [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
                _ => Compression::None,
            };
            let head = head(compression)?;
            let format = match head[..] {
                [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
                [0xff, 0xff, 0xff, 0xff, ..] | [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::Arrow,
                [b'P', b'K', 3, 4, ..] | [0xd0, 0xcf, 0x11, 0xe0, ..] => Self::Sheet,
                _ if head.trim_ascii_start().starts_with(b"{") => Self::Ndjson,
                _ => Self::Csv,
            };
            let of_text = matches!(format, Self::Csv | Self::Ndjson);
            ensure!(
                of_text || compression == Compression::None,
                "only text files may be compressed: unpack the file first"
            );
            Ok((format, compression))
        };
        read().with_context(|| format!("{}: cannot be read", path.display()))
    }
}

/// Why a file of this name is not read, and what would be.
pub(super) fn why_not(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    match &*ending {
        "zip" | "7z" | "rar" | "tar" | "tgz" => "archives are not supported: unpack the archive first",
        "gz" | "zst" => "only text files may be compressed: unpack the file first",
        "bz2" | "xz" | "lz4" | "br" | "z" => {
            "this compression is not supported: unpack the file, or use gzip or zstd"
        }
        "json" => "JSON must have one object per line: convert the file and rename it to .ndjson",
        "arrow" | "feather" | "ipc" => {
            "this format is not supported: write Parquet, or an Arrow stream (.arrows)"
        }
        "xlsm" | "xlsb" | "numbers" => "this workbook format is not supported: save it as .xlsx or .csv",
        "pdf" | "doc" | "docx" | "html" | "htm" | "xml" | "rtf" | "odt" => {
            "this format is not supported: export the table as .csv or .xlsx"
        }
        _ => "this format is not supported",
    }
}

/// What the first bytes of a file say that is called text and is none, and what to do.
pub(super) fn no_text(head: &[u8]) -> Option<&'static str> {
    let begins =
        |with: &str| head.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with.as_bytes()));
    Some(match head {
        [b'P', b'K', 3, 4, ..] => {
            "the file is a zip archive or a workbook, not text: unpack the file, or rename it to .xlsx"
        }
        [0xd0, 0xcf, 0x11, 0xe0, ..] => "the file is a workbook, not text: rename it to .xls",
        [0x1f, 0x8b, ..] => "the file is compressed with gzip: add .gz to its name",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "the file is compressed with zstd: add .zst to its name",
        [b'P', b'A', b'R', b'1', ..] => "the file is Parquet, not text: rename it to .parquet",
        [b'%', b'P', b'D', b'F', ..] => "the file is a PDF, not text: export its table as .csv or .xlsx",
        _ if ["<html", "<!doctype", "<?xml"].into_iter().any(begins) => {
            "the file is a page (HTML or XML), not a table: export its table as .csv or .xlsx"
        }
        _ => return None,
    })
}

/// The bytes of `path`, decompressed on the way.
pub(crate) fn open(path: &Path, compression: Compression) -> Result<Box<dyn Read + Send>> {
    let file = BufReader::with_capacity(1 << 18, safe_open::open(path)?.0);
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(MultiGzDecoder::new(file)),
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(file)?),
    })
}
