//! What an `.xls` would take in memory.
//!
//! calamine makes all of its sheets at once: a rectangle from the first to the last cell of each, with a copy of a
//! shared text for every cell that shows it. It believes the sizes that a workbook gives, and follows its chains of
//! sectors for as long as they go. So these are looked at first.
//!
//! The form: [MS-CFB], a file system of sectors chained by a table, with the stream `Workbook` in it; [MS-XLS], a list
//! of records of at most 8 kB in that stream, the globals first, then each sheet at its offset.

use anyhow::{Context, Result, bail, ensure};

/// How a compound file begins.
pub(super) const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Cells of the rectangles of all sheets: one sheet of the format's own bounds, 65,536 rows of 256. A cell takes about
/// 100 bytes while it is read.
const CELLS_MAX: u64 = 65_536 * 256;
/// Bytes of the texts of all cells, three for a letter.
const TEXTS_BYTES_MAX: u64 = 1 << 30;
/// Most sheets of a workbook.
const SHEETS_MAX: usize = 1_024;

/// Streams shorter than this lie in sectors of their own, of 64 bytes.
const SHORT_BYTES: usize = 4_096;
/// Larger numbers of sectors mean something else.
const SECTORS_MAX: u32 = 0xffff_fffa;
const CHAIN_END: u32 = 0xffff_fffe;

/// Fails when reading the workbook would take more than it may, or never end.
pub(super) fn check(bytes: &[u8]) -> Result<()> {
    let file = Compound::open(bytes).context("the workbook is damaged; save it again")?;
    if file.entry("EncryptedPackage").is_some() {
        bail!("the workbook is protected by a password; save it without a password");
    }
    let stream = file.entry("Workbook").or_else(|| file.entry("Book"));
    let stream = stream.context("the file does not contain a workbook; save it as .xlsx or .csv")?;
    check_workbook(&file.stream(stream).context("the workbook is damaged; save it again")?)
}

fn number16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|number| u32::from_le_bytes(*number.first_chunk().expect("four bytes")))
}

/// A name of a compound file.
#[derive(Debug, Clone)]
struct Entry {
    name: String,
    start: u32,
    len: usize,
}

/// A file of chained sectors.
struct Compound<'a> {
    bytes: &'a [u8],
    sector_bytes: usize,
    next: Vec<u32>,
    entries: Vec<Entry>,
    short: Vec<u8>,
    short_next: Vec<u32>,
}

impl<'a> Compound<'a> {
    fn open(bytes: &'a [u8]) -> Option<Self> {
        let sector_bytes = match number16(bytes, 30)? {
            9 => 512,
            12 => 4_096,
            _ => return None,
        };
        let (next, entries, short, short_next) = (vec![], vec![], vec![], vec![]);
        let mut file = Self { bytes, sector_bytes, next, entries, short, short_next };
        file.next = file.table()?;
        let folder = file.chain(number32(bytes, 48)?)?;
        file.entries = folder.chunks_exact(128).map(|entry| file.named(entry)).collect::<Option<_>>()?;
        if number32(bytes, 64)? > 0 {
            file.short = file.chain(file.entries.first()?.start)?;
            file.short_next = numbers(&file.chain(number32(bytes, 60)?)?).collect();
        }
        Some(file)
    }

    fn sectors(&self) -> usize {
        self.bytes.len() / self.sector_bytes
    }

    fn sector(&self, id: u32) -> Option<&'a [u8]> {
        let from = (id as usize + 1).checked_mul(self.sector_bytes)?;
        let rest = self.bytes.get(from..).filter(|rest| !rest.is_empty())?;
        Some(&rest[..rest.len().min(self.sector_bytes)])
    }

    /// Which sector follows which.
    fn table(&self) -> Option<Vec<u32>> {
        let mut places: Vec<u32> = numbers(self.bytes.get(76..512)?).collect();
        let mut at = number32(self.bytes, 68)?;
        while at < SECTORS_MAX {
            places.extend(numbers(self.sector(at)?));
            at = places.pop()?;
            if places.len() > 2 * self.sectors() + 109 + self.sector_bytes {
                return None;
            }
        }
        places.retain(|&place| place < SECTORS_MAX);
        if places.len() > self.sectors() {
            return None;
        }
        let mut next = Vec::new();
        for place in places {
            next.extend(numbers(self.sector(place)?));
        }
        Some(next)
    }

    /// The bytes of a chain of sectors, which must come to an end.
    fn chain(&self, start: u32) -> Option<Vec<u8>> {
        let (mut bytes, mut at) = (Vec::new(), start);
        while at != CHAIN_END {
            bytes.extend_from_slice(self.sector(at)?);
            at = *self.next.get(at as usize)?;
            if bytes.len() > self.bytes.len() {
                return None;
            }
        }
        Some(bytes)
    }

    fn named(&self, entry: &[u8]) -> Option<Entry> {
        let letters = entry[..64].chunks_exact(2).map(|letter| u16::from_le_bytes([letter[0], letter[1]]));
        let letters: Vec<u16> = letters.take_while(|&letter| letter != 0).collect();
        let wide = if self.sector_bytes == 512 { 0 } else { u64::from(number32(entry, 124)?) << 32 };
        let len = usize::try_from(wide | u64::from(number32(entry, 120)?)).ok()?;
        Some(Entry { name: String::from_utf16_lossy(&letters), start: number32(entry, 116)?, len })
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    fn stream(&self, entry: &Entry) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        if entry.len >= SHORT_BYTES {
            bytes = self.chain(entry.start)?;
        } else {
            let mut at = entry.start;
            while bytes.len() < entry.len && at != CHAIN_END {
                let from = at as usize * 64;
                bytes.extend_from_slice(self.short.get(from..(from + 64).min(self.short.len()))?);
                at = *self.short_next.get(at as usize)?;
            }
        }
        bytes.truncate(entry.len);
        Some(bytes)
    }
}

/// A record with those that continue it.
struct Record<'a> {
    kind: u16,
    parts: Vec<&'a [u8]>,
}

/// The records of a stream, to its end or to where none begins.
fn records(mut stream: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut one = move |continued: bool| {
        let (kind, len) = (number16(stream, 0)?, number16(stream, 2)?);
        if continued && kind != 0x3c {
            return None;
        }
        let data = stream.get(4..4 + usize::from(len))?;
        stream = &stream[4 + usize::from(len)..];
        Some((kind, data))
    };
    std::iter::from_fn(move || {
        let (kind, data) = one(false)?;
        let mut parts = vec![data];
        parts.extend(std::iter::from_fn(|| one(true)).map(|(_, data)| data));
        Some(Record { kind, parts })
    })
}

fn check_workbook(stream: &[u8]) -> Result<()> {
    let (mut sheets, mut texts) = (Vec::new(), Vec::new());
    for record in records(stream) {
        match record.kind {
            0x85 => {
                let position = number32(record.parts[0], 0).context("the position of a sheet is missing")?;
                sheets.push(position as usize);
            }
            0xfc => texts = text_bytes(&record.parts),
            0x0a => break,
            _ => {}
        }
    }
    ensure!(sheets.len() <= SHEETS_MAX, "the workbook has more than {SHEETS_MAX} sheets");
    let (mut cells, mut bytes, mut walked) = (0_u64, 0_u64, 0_usize);
    for sheet in sheets {
        let records = records(stream.get(sheet..).context("the workbook is damaged; save it again")?);
        let mut area = Area::default();
        for record in records.take_while(|record| record.kind != 0x0a) {
            walked += 4 + record.parts.iter().map(|part| part.len()).sum::<usize>();
            ensure!(walked <= stream.len(), "the workbook is damaged: its sheets overlap; save it again");
            bytes += area.add(&record, &texts).context("the workbook is damaged; save it again")?;
        }
        cells += area.cells();
    }
    ensure!(
        cells <= CELLS_MAX,
        "the sheets span {cells} cells, and at most {CELLS_MAX} are supported; save as .xlsx or .csv"
    );
    ensure!(
        bytes <= TEXTS_BYTES_MAX,
        "the cells contain up to {bytes} bytes of text, and at most {TEXTS_BYTES_MAX} are supported; save as .xlsx or \
         .csv"
    );
    Ok(())
}

/// From the first to the last row and column that hold a cell.
#[derive(Default)]
struct Area(Option<[u64; 4]>);

impl Area {
    /// Takes the cell of a record in, and gives the bytes of its shared text; nothing for a record that is too short.
    fn add(&mut self, record: &Record<'_>, texts: &[u64]) -> Option<u64> {
        let data = record.parts[0];
        let last = match record.kind {
            0x06 | 0xd6 | 0xfd | 0x203 | 0x204 | 0x205 | 0x27e => number16(data, 2)?,
            0xbd => number16(data, data.len().checked_sub(2)?)?,
            0x200 => return dimensions(data).map(|()| 0),
            _ => return Some(0),
        };
        let (row, first, last) = (number16(data, 0)?.into(), number16(data, 2)?.into(), last.into());
        let [top, bottom, left, right] = self.0.unwrap_or([row, row, first, last]);
        self.0 = Some([top.min(row), bottom.max(row), left.min(first), right.max(last)]);
        if record.kind != 0xfd {
            return Some(0);
        }
        Some(texts.get(number32(data, 6)? as usize).copied().unwrap_or(0))
    }

    fn cells(&self) -> u64 {
        self.0.map_or(0, |[top, bottom, left, right]| (bottom - top + 1) * (right.max(left) - left + 1))
    }
}

/// Room is made for as many cells as a sheet says it has.
fn dimensions(data: &[u8]) -> Option<()> {
    let (top, bottom, at) = if data.len() < 14 {
        (number16(data, 0)?.into(), number16(data, 2)?.into(), 4)
    } else {
        (number32(data, 0)?, number32(data, 4)?, 8)
    };
    let right = number16(data, at + 2)?;
    let sound = bottom == 0 || right == 0 || (top < bottom && bottom <= 65_536 && right <= 256);
    sound.then_some(())
}

/// Bytes of each shared text, three for a letter; those behind a damaged one are left out, as nobody can read them.
fn text_bytes(parts: &[&[u8]]) -> Vec<u64> {
    let mut texts = Texts { parts, at: 8 };
    std::iter::from_fn(|| texts.next_letters()).map(|letters| 3 * u64::from(letters)).collect()
}

/// Shared texts, one after the other, over the records that they are cut into.
struct Texts<'a> {
    parts: &'a [&'a [u8]],
    at: usize,
}

impl Texts<'_> {
    /// Goes behind the next text and gives its number of letters.
    fn next_letters(&mut self) -> Option<u16> {
        while self.at >= self.parts.first()?.len() {
            self.at -= self.parts[0].len();
            self.parts = &self.parts[1..];
        }
        let head = self.parts[0];
        let (letters, flags) = (number16(head, self.at)?, *head.get(self.at + 2)?);
        self.at += 3;
        let mut behind = 0_usize;
        if flags & 8 != 0 {
            behind += 4 * usize::from(number16(head, self.at)?);
            self.at += 2;
        }
        if flags & 4 != 0 {
            behind += number32(head, self.at)? as usize;
            self.at += 4;
        }
        self.skip_letters(letters.into(), flags)?;
        self.at = self.at.checked_add(behind)?;
        Some(letters)
    }

    /// Goes behind letters of one or two bytes; where they go on in another record, it says of how many.
    fn skip_letters(&mut self, mut left: usize, mut flags: u8) -> Option<()> {
        loop {
            let letter_bytes = 1 + usize::from(flags & 1);
            let here = self.parts[0].len().saturating_sub(self.at) / letter_bytes;
            if left <= here {
                self.at += left * letter_bytes;
                return Some(());
            }
            left -= here;
            self.parts = &self.parts[1..];
            flags = *self.parts.first()?.first()?;
            self.at = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes(), &(data.len() as u16).to_le_bytes(), data].concat()
    }

    fn number(row: u16, column: u16) -> Vec<u8> {
        record(0x203, &[&row.to_le_bytes()[..], &column.to_le_bytes(), &[0; 10]].concat())
    }

    /// A workbook of one sheet.
    fn workbook(globals: &[u8], cells: &[u8]) -> Vec<u8> {
        let place = (globals.len() + 4 + 8 + 4) as u32;
        let sheet = record(0x85, &[&place.to_le_bytes()[..], &[0; 4]].concat());
        [globals, &sheet, &record(0x0a, &[]), cells, &record(0x0a, &[])].concat()
    }

    #[test]
    fn shared_texts_go_over_records() {
        let head = [0; 8];
        let first = [&head[..], &[3, 0, 0], b"abc", &[4, 0, 1], b"d\0e\0"].concat();
        // Two letters went before; the others are of one byte here. Then a text with one run and two bytes behind it.
        let second = [&[0][..], b"fg", &[1, 0, 12, 1, 0, 2, 0, 0, 0], b"h", &[0; 3]].concat();
        let third = [&[0; 3][..], &[2, 0, 0], b"ij"].concat();
        assert_eq!(text_bytes(&[&first, &second, &third]), [9, 12, 3, 6]);
        assert_eq!(text_bytes(&[&first, &second[..1]]), [9]);
        assert_eq!(text_bytes(&[&first[..4]]), [0; 0]);
    }

    #[test]
    fn areas_and_texts_have_bounds() {
        let far = [number(0, 0), number(65_535, 255)].concat();
        check_workbook(&workbook(&[], &far)).unwrap();
        let error = check_workbook(&workbook(&[], &[far, number(0, 256)].concat())).unwrap_err().to_string();
        assert!(error.starts_with("the sheets span 16842752 cells"), "{error}");

        let text = [&[0; 8][..], &[0xff, 0xff, 0], &[b'x'; 8_000]].concat();
        let rest = [vec![0], vec![b'x'; 57_535]].concat();
        let globals = [record(0xfc, &text), record(0x3c, &rest)].concat();
        let label = record(0xfd, &[0; 10]);
        check_workbook(&workbook(&globals, &label.repeat(100))).unwrap();
        let error = check_workbook(&workbook(&globals, &label.repeat(6_000))).unwrap_err().to_string();
        assert!(error.starts_with("the cells contain up to 1179630000 bytes of text"), "{error}");
    }

    #[test]
    fn dimensions_are_those_of_the_format() {
        let said = |top: u32, bottom: u32, right: u16| {
            let data =
                [&top.to_le_bytes()[..], &bottom.to_le_bytes(), &[0, 0], &right.to_le_bytes(), &[0, 0]];
            check_workbook(&workbook(&[], &record(0x200, &data.concat()))).is_ok()
        };
        assert!(said(0, 65_536, 256) && said(0, 0, 0) && said(7, 0, 0));
        assert!(!said(0, 65_537, 1) && !said(0, 1, 257) && !said(2, 1, 1) && !said(u32::MAX, u32::MAX, 1));
    }

    #[test]
    fn sheets_that_lie_in_each_other_are_refused() {
        let sheet = record(0x85, &[&36_u32.to_le_bytes()[..], &[0; 4]].concat());
        let twice = [&sheet.repeat(2)[..], &[0; 8], &record(0x0a, &[]), &number(0, 0).repeat(9)].concat();
        assert_eq!(number32(&twice, 36), Some(0x0e_0203));
        let error = check_workbook(&twice).unwrap_err().to_string();
        assert!(error.contains("its sheets overlap"), "{error}");
    }
}
