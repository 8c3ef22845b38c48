//! The text index: one segment, one document per listing in row order, terms of name and brand.
//!
//! Equal input gives equal files but for the segment's random id, which is part of file names and of the two
//! directory files. Renaming both to a fixed id makes the index reproducible; its own checksums cover contents
//! only, so they stay valid.

use std::fs;
use std::io;
use std::path::Path;

use tantivy::directory::MmapDirectory;
use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{Index, IndexSettings, TantivyDocument};

use super::super::canonical::{Canonical, NONE};
use crate::domain::text::search_terms;
use crate::snapshot::columns::HashedFile;
use crate::snapshot::layout::{TEXT_DIR, TEXT_FIELD};
use crate::snapshot::manifest::FileEntry;

/// Memory of the index writer: enough that a million listings stay one segment.
const WRITER_BYTES: usize = 1 << 30;
/// The fixed segment id.
const SEGMENT: &str = "00000000000000000000000000000000";

/// Writes the index below `dir` and returns its files.
pub(super) fn write(tables: &Canonical, dir: &Path) -> io::Result<Vec<FileEntry>> {
    let scratch = dir.join("text.scratch");
    fs::create_dir(&scratch)?;
    index(tables, &scratch).map_err(io::Error::other)?;
    let target = dir.join(TEXT_DIR);
    fs::create_dir(&target)?;
    let files = rename_segment(&scratch, &target)?;
    fs::remove_dir_all(&scratch)?;
    Ok(files)
}

fn index(tables: &Canonical, dir: &Path) -> tantivy::Result<()> {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let field = schema.add_text_field(TEXT_FIELD, TextOptions::default().set_indexing_options(indexing));
    let settings = IndexSettings::default();
    let index = Index::builder().schema(schema.build()).settings(settings);
    let mut writer = index.single_segment_index_writer(MmapDirectory::open(dir)?, WRITER_BYTES)?;
    for row in 0..tables.listings.name.len() {
        let brand = match tables.listings.brand[row] {
            NONE => "",
            brand => &tables.brands[brand as usize].label,
        };
        let mut document = TantivyDocument::new();
        document.add_pre_tokenized_text(field, tokens(tables.listings.name.get(row), brand));
        writer.add_document(document)?;
    }
    writer.finalize()?;
    Ok(())
}

fn tokens(name: &str, brand: &str) -> PreTokenizedString {
    let terms = search_terms(name).into_iter().chain(search_terms(brand));
    let tokens = terms.enumerate().map(|(position, text)| Token { position, text, ..Token::default() });
    PreTokenizedString { text: String::new(), tokens: tokens.collect() }
}

/// Moves the index files, with the fixed segment id in names and directory files.
fn rename_segment(from: &Path, to: &Path) -> io::Result<Vec<FileEntry>> {
    let meta = fs::read_to_string(from.join("meta.json"))?;
    let ids = segment_ids(from)?;
    let [id] = ids.as_slice() else {
        return Err(io::Error::other(format!("the text index has {} segments instead of one", ids.len())));
    };
    let dashed =
        |id: &str| format!("{}-{}-{}-{}-{}", &id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..]);
    let mut names: Vec<String> = fs::read_dir(from)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()?;
    names.retain(|name| name == "meta.json" || name.starts_with(id.as_str()));
    names.sort();
    let mut files = Vec::new();
    for name in names {
        let bytes = match name.as_str() {
            "meta.json" => meta.replace(&dashed(id), &dashed(SEGMENT)).replace(id, SEGMENT).into_bytes(),
            _ => fs::read(from.join(&name))?,
        };
        let name = name.replace(id, SEGMENT);
        let mut file = HashedFile::create(&to.join(&name))?;
        file.write(&bytes)?;
        files.push(FileEntry::new(&format!("{TEXT_DIR}/{name}"), file.finish()?));
    }
    Ok(files)
}

/// The distinct segment ids among the names of the index files.
fn segment_ids(dir: &Path) -> io::Result<Vec<String>> {
    let mut ids: Vec<String> = Vec::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let id = name.split('.').next().unwrap_or_default();
        if id.len() == SEGMENT.len() && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            ids.push(id.to_owned());
        }
    }
    ids.sort();
    ids.dedup();
    Ok(ids)
}
