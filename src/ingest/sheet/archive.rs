//! How large the parts of a zipped workbook are once they are unpacked.
//!
//! A sheet is read as a stream, but calamine keeps shared texts and styles of a workbook in memory before the first row
//! comes, and an XML reader keeps one tag or text. Sizes that an archive gives of itself need not be true, so it is
//! unpacked once before anybody else opens it, and what comes out is counted and not kept.

use std::io::{Cursor, Read, copy, sink};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use zip::ZipArchive;

/// The bytes of a workbook, shared by whoever reads them.
pub(super) type Bytes = Cursor<Arc<[u8]>>;

/// Bytes of all parts together, unpacked. One tag or text may fill them.
const PARTS_BYTES_MAX: u64 = 1 << 30;
/// Bytes of the texts that cells share, unpacked. In memory each text takes at most 24 bytes more than its own, and
/// at least 5 in the part: so no more than ten times this.
const TEXTS_BYTES_MAX: u64 = 256 << 20;
/// Bytes of any part that lists styles, sheets or other parts, unpacked: each is kept at up to a hundred times its size.
const LISTS_BYTES_MAX: u64 = 16 << 20;

/// Opens an archive whose parts are not larger than they may be.
///
/// # Errors
/// When it is damaged, encrypted or too large.
pub(super) fn open(bytes: &Bytes) -> Result<ZipArchive<Bytes>> {
    let mut archive = ZipArchive::new(bytes.clone()).context("the workbook is damaged; save it again")?;
    let mut total = 0;
    for at in 0..archive.len() {
        let part = archive.by_index_raw(at)?;
        ensure!(!part.encrypted(), "the workbook is protected by a password; save it without a password");
        let name = part.name()?.to_lowercase();
        drop(part);
        let most = most(&name).min(PARTS_BYTES_MAX - total);
        let size = (|| anyhow::Ok(copy(&mut archive.by_index(at)?.take(most + 1), &mut sink())?))()
            .with_context(|| format!("part {name} of the workbook is damaged; save the workbook again"))?;
        ensure!(
            size <= most,
            "part {name} of the workbook is longer than {most} bytes when unpacked; split the workbook"
        );
        if name.ends_with("sharedstrings.xml") {
            check_count(archive.by_index(at)?, size)?;
        }
        total += size;
    }
    Ok(archive)
}

fn most(name: &str) -> u64 {
    let lists = ["styles.xml", "workbook.xml", ".rels", "manifest.xml", "[content_types].xml"];
    if name.ends_with("sharedstrings.xml") {
        TEXTS_BYTES_MAX
    } else if lists.iter().any(|list| name.ends_with(list)) {
        LISTS_BYTES_MAX
    } else {
        PARTS_BYTES_MAX
    }
}

/// Room is made for as many shared texts as their part announces, so it must not announce more than fit into it.
fn check_count(part: impl Read, size: u64) -> Result<()> {
    let mut head = Vec::new();
    part.take(1 << 12).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    let Some((_, count)) = head.split_once("uniqueCount") else { return Ok(()) };
    let digits = count.trim_start_matches([' ', '=', '"', '\'', '\t', '\r', '\n']);
    let digits = &digits[..digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len())];
    if !digits.is_empty() && digits.parse::<u64>().map_or(true, |count| count > size) {
        bail!("{digits} shared texts are declared in a part of {size} bytes; save the workbook again")
    }
    Ok(())
}

/// The bytes of a part, or nothing where there is none.
pub(super) fn part(archive: &mut ZipArchive<Bytes>, name: &str) -> Result<Option<Vec<u8>>> {
    if archive.index_for_name(name).is_none() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    archive.by_name(name)?.take(LISTS_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(name: &str, text: &[u8], times: usize) -> Bytes {
        let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
        out.start_file(name, SimpleFileOptions::default()).unwrap();
        for _ in 0..times {
            out.write_all(text).unwrap();
        }
        Cursor::new(out.finish().unwrap().into_inner().into())
    }

    #[test]
    fn parts_are_measured_before_they_are_read() {
        let bomb = archive("xl/styles.xml", &vec![b' '; 1 << 20], 17);
        assert!(bomb.get_ref().len() < 1 << 20);
        let error = open(&bomb).unwrap_err().to_string();
        assert_eq!(
            error,
            "part xl/styles.xml of the workbook is longer than 16777216 bytes when unpacked; split the workbook"
        );
        assert!(open(&archive("xl/worksheets/sheet1.xml", &vec![b' '; 1 << 20], 17)).is_ok());
        let cut = archive("a.xml", b"some text", 1).into_inner();
        assert!(open(&Cursor::new(cut[..cut.len() / 2].into())).is_err());
    }

    #[test]
    fn shared_texts_are_not_more_than_fit() {
        let counted = |count: &str| {
            let text = format!("<?xml version=\"1.0\"?><sst count=\"9\" uniqueCount=\"{count}\"><si/></sst>");
            open(&archive("xl/sharedStrings.xml", text.as_bytes(), 1))
        };
        assert!(counted("1").is_ok());
        assert!(counted("").is_ok());
        for many in ["100000", "99999999999999999999999"] {
            let error = counted(many).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{many} shared texts are declared")), "{error}");
        }
    }
}
