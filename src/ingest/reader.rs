//! An opened file: the names of its columns, and its rows as chunks of a table.

use std::cell::RefCell;

use anyhow::{Context as _, Result, anyhow, bail};
use polars::prelude::StringChunked;

use super::blocks::{BLOCK_BYTES, Block, Blocks, Layout, SEPARATORS, TextBlocks, TextBytes, excerpt};
use super::chunk::{Chunk, Damage, Lines};
use super::column_kinds::KnownColumns;
use super::encoding;
use super::format::{self, Compression, Format};
use super::input_file::{Holds, InputFile};
use super::plan::ColumnPlan;
use super::quoting::Dialect;
use super::typed::Decoded;
use super::{arrow, csv, ndjson, parquet, plan, sheet};
use crate::ingest::mapping::{Encoding, InputTable};
use crate::ingest::rejects::Reason;
use crate::ingest::report::{Example, Tally};
use crate::snapshot::tables::Input;

/// A file that is being read as a table: where its parts come from, and what is made of them.
pub(crate) struct Reader<'f> {
    pub source: Source,
    pub decoding: Decoding<'f>,
}

/// How parts of a file become rows of a table.
pub(crate) struct Decoding<'f> {
    file: &'f InputFile,
    plan: ColumnPlan,
    decoder: Decoder,
    /// Names of the columns, where the file says them before its rows.
    header: Option<Vec<String>>,
    /// Where the columns of the table stand in the file.
    positions: Vec<Option<usize>>,
}

/// Where parts come from.
pub(crate) enum Source {
    Text(TextBlocks),
    Parquet(parquet::Parts),
    Arrow(Box<arrow::Parts>),
    Sheet(sheet::Parts),
}

/// How a part becomes columns.
enum Decoder {
    Csv(csv::Decoder, u8),
    Ndjson(ndjson::Decoder),
    Parquet(parquet::Decoder),
    Arrow(arrow::Decoder),
    Sheet(sheet::Decoder),
}

/// What a decoder works on at a time.
pub(crate) enum Part {
    Text(Block),
    Parquet(parquet::Part),
    Arrow(arrow::Part),
    Sheet(sheet::Part),
}

impl Part {
    /// Bytes of text; nothing where values have types.
    pub(super) fn text_bytes(&self) -> Option<usize> {
        match self {
            Self::Text(block) => Some(block.bytes.len()),
            _ => None,
        }
    }
}

/// What a file holds whose name says nothing, by the names of its columns; and where that is one table alone, why it
/// does not hold the other.
///
/// # Errors
/// When it cannot be opened, or holds neither table; the message says what is missing of each.
pub(crate) fn holds(file: &InputFile) -> Result<(Holds, String)> {
    let header = header(file)?;
    let missing = |table| {
        let plan = ColumnPlan::new(file, table, table.columns());
        let present = bits(&plan.positions(&header));
        (plan.missing(present), plan)
    };
    let (of_listings, listings) = missing(InputTable::Listings);
    let (of_observations, observations) = missing(InputTable::Observations);
    match (of_listings.is_empty(), of_observations.is_empty()) {
        (true, true) => Ok((Holds::Both, String::new())),
        (true, false) => Ok((Holds::Listings, observations.error_text(&of_observations, &header))),
        (false, true) => Ok((Holds::Observations, listings.error_text(&of_listings, &header))),
        (false, false) if header.is_empty() && file.format == Format::Ndjson => {
            bail!("the file does not begin with a JSON object: write one object per line")
        }
        (false, false) if header.iter().all(String::is_empty) => bail!("the file is empty"),
        (false, false) => {
            let missing = format!(
                "as listings: {}; as observations: {}",
                listings.lacks(&of_listings),
                observations.lacks(&of_observations)
            );
            let absent = of_listings.iter().map(|&at| listings.columns[at]);
            let absent = absent.chain(of_observations.iter().map(|&at| observations.columns[at]));
            let unmapped = unmapped(file, &InputTable::ALL, &header);
            bail!("{}", plan::missing_columns_text(missing, &unmapped, &absent.collect::<Vec<_>>(), &header))
        }
    }
}

/// The names of the columns of a file; of NDJSON the keys of its first block.
///
/// # Errors
/// When it cannot be opened.
pub(crate) fn header(file: &InputFile) -> Result<Vec<String>> {
    let _kept = file.fetch()?;
    let plans = InputTable::ALL.map(|table| ColumnPlan::new(file, table, table.columns()));
    let known = |names: &[String]| plans.iter().map(|plan| plan.known(names)).max().unwrap_or(0);
    Ok(match file.format {
        Format::Csv => csv_blocks(file, known, BLOCK_BYTES)?.1,
        Format::Ndjson => match line_blocks(file, BLOCK_BYTES)?.next_block()? {
            Some(block) => ndjson::keys(&block.into_utf8(None).0),
            None => vec![],
        },
        Format::Parquet => parquet::open(&file.path)?.1.names().to_vec(),
        Format::Arrow => arrow::open(&file.path)?.1.names().to_vec(),
        Format::Sheet => match open_sheet(file, &plans, false) {
            Ok((_, decoder)) => decoder.names().to_vec(),
            Err((_, Some(nearest))) => nearest,
            Err((fault, None)) => return Err(fault),
        },
    })
}

/// The columns of a table that come from nowhere in a file with these names.
pub(crate) fn absent(file: &InputFile, table: InputTable, header: &[String]) -> Vec<Input> {
    let plan = ColumnPlan::new(file, table, table.columns());
    let present = bits(&plan.positions(header));
    plan.absent(present).into_iter().map(|at| plan.columns[at]).collect()
}

/// The names of columns that none of these tables reads.
pub(crate) fn unmapped(file: &InputFile, tables: &[InputTable], header: &[String]) -> Vec<String> {
    let mut read = vec![false; header.len()];
    for &table in tables {
        let positions = ColumnPlan::new(file, table, table.columns()).positions(header);
        positions.into_iter().flatten().for_each(|at| read[at] = true);
    }
    header.iter().zip(read).filter(|(_, read)| !read).map(|(name, _)| name.clone()).collect()
}

/// A bit for each column that has a position.
fn bits(positions: &[Option<usize>]) -> u64 {
    positions.iter().enumerate().filter(|(_, at)| at.is_some()).map(|(at, _)| 1 << at).sum()
}

/// The bytes of a text file in an encoding that holds ASCII.
fn text(file: &InputFile) -> Result<TextBytes> {
    let reader = format::open(&file.path, file.compression)?;
    let decoded = encoding::ascii_based(reader, file.settings.encoding);
    Ok(match file.compression {
        Compression::None => decoded?,
        _ => decoded.context("the file cannot be decompressed: it is incomplete or its name is wrong")?,
    })
}

/// A sheet that is read; or why there is none, and the names that are nearest to the wanted ones.
type OpenedSheet = Result<(sheet::Parts, sheet::Decoder), (anyhow::Error, Option<Vec<String>>)>;

/// The sheets that hold all required columns of one of the tables, or of each (`is_all`); or why there is none, and the
/// names of the first sheet that has several, among which most are known.
fn open_sheet(file: &InputFile, plans: &[ColumnPlan], is_all: bool) -> OpenedSheet {
    let nearest: RefCell<Option<(usize, Vec<String>)>> = RefCell::new(None);
    let whole = |header: &[String]| {
        let known = plans.iter().map(|plan| plan.known(header)).max().unwrap_or(0);
        let names = header.iter().filter(|name| !name.is_empty()).count();
        if names > 1 && nearest.borrow().as_ref().is_none_or(|(most, _)| known > *most) {
            nearest.replace(Some((known, header.to_vec())));
        }
        let has = |plan: &ColumnPlan| plan.missing(bits(&plan.positions(header))).is_empty();
        if is_all { plans.iter().all(has) } else { plans.iter().any(has) }
    };
    let opened = sheet::open(&file.path, file.settings.sheets.as_deref(), &whole);
    opened.map_err(|fault| (fault, nearest.take().map(|(_, header)| header)))
}

/// The lines of a file, each a record.
fn line_blocks(file: &InputFile, block_bytes: usize) -> Result<TextBlocks> {
    let (reader, encoding) = text(file)?;
    Ok(Blocks::new(reader, Layout::Lines, encoding, block_bytes))
}

/// The records of a file of separated values, and its header.
fn csv_blocks(
    file: &InputFile,
    known: impl Fn(&[String]) -> usize,
    block_bytes: usize,
) -> Result<(TextBlocks, Vec<String>)> {
    let required = |header: &[String]| known_columns(file, &InputTable::ALL, header).values_min();
    csv::open(text(file)?, &file.settings, known, required, block_bytes)
}

/// The columns of these tables by whose values a record that does not fit its header is found.
fn known_columns(file: &InputFile, tables: &[InputTable], header: &[String]) -> KnownColumns {
    let mut known = KnownColumns::default();
    for table in tables {
        ColumnPlan::new(file, *table, table.columns()).add_known(header, &mut known);
    }
    known
}

impl<'f> Reader<'f> {
    /// Opens a file as a table with these columns.
    ///
    /// # Errors
    /// When it cannot be read, or a column has a type without a text.
    pub(super) fn open(
        file: &'f InputFile,
        table: InputTable,
        columns: &'static [Input],
        block_bytes: usize,
    ) -> Result<Self> {
        let plan = ColumnPlan::new(file, table, columns);
        let known = |names: &[String]| plan.known(names);
        let (source, decoder, header) = match file.format {
            Format::Csv => {
                let (mut blocks, header) = csv_blocks(file, known, block_bytes)?;
                blocks.expect(known_columns(file, file.holds.tables(), &header))?;
                let separator = blocks.dialect().map_or(SEPARATORS[0], |dialect| dialect.separator);
                let decoder = csv::Decoder::new(header.len(), &plan.positions(&header), separator)?;
                (Source::Text(blocks), Decoder::Csv(decoder, separator), Some(header))
            }
            Format::Ndjson => {
                let blocks = line_blocks(file, block_bytes)?;
                (Source::Text(blocks), Decoder::Ndjson(ndjson::Decoder::new(plan.clone())), None)
            }
            Format::Parquet => {
                let (parts, decoder) = parquet::open(&file.path)?;
                let header = decoder.names().to_vec();
                (Source::Parquet(parts), Decoder::Parquet(decoder), Some(header))
            }
            Format::Arrow => {
                let (parts, decoder) = arrow::open(&file.path)?;
                let header = decoder.names().to_vec();
                (Source::Arrow(Box::new(parts)), Decoder::Arrow(decoder), Some(header))
            }
            Format::Sheet => {
                // A file of both tables is read twice, so both passes have to read the same sheets.
                let tables = file.holds.tables().iter();
                let plans: Vec<_> =
                    tables.map(|&table| ColumnPlan::new(file, table, table.columns())).collect();
                let opened = open_sheet(file, &plans, true);
                let (parts, decoder) = opened.map_err(|(fault, nearest)| match nearest {
                    Some(header) => match plan.missing(bits(&plan.positions(&header))) {
                        missing if missing.is_empty() => anyhow!(
                            "no sheet has the columns of both listings and observations: save each sheet as a separate \
                             file"
                        ),
                        missing => anyhow!(plan.error_text(&missing, &header)),
                    },
                    None => fault,
                })?;
                let header = decoder.names().to_vec();
                (Source::Sheet(parts), Decoder::Sheet(decoder), Some(header))
            }
        };
        let positions = plan.positions(header.as_deref().unwrap_or_default());
        match &decoder {
            Decoder::Parquet(parquet) => parquet.check(&positions, &plan.columns)?,
            Decoder::Arrow(arrow) => arrow.check(&positions, &plan.columns)?,
            Decoder::Sheet(sheet) => sheet.check(&positions, &plan.columns)?,
            Decoder::Csv(..) | Decoder::Ndjson(_) => {}
        }
        Ok(Self { source, decoding: Decoding { file, plan, decoder, header, positions } })
    }

    /// At most so many parts of the beginning of the file; fewer only at its end.
    pub(super) fn first_parts(&mut self, most: usize) -> Result<Vec<Part>> {
        let parts = self.source.parts(most)?;
        if let (Decoder::Ndjson(decoder), Some(Part::Text(block))) =
            (&mut self.decoding.decoder, parts.first())
        {
            decoder.learn(|| ndjson::keys(block));
        }
        Ok(parts)
    }
}

impl Source {
    /// At most so many parts; fewer only at the end.
    pub(super) fn parts(&mut self, most: usize) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        while parts.len() < most {
            let part = match self {
                Self::Text(blocks) => blocks.next_block()?.map(Part::Text),
                Self::Parquet(parquet) => parquet.next()?.map(Part::Parquet),
                Self::Arrow(arrow) => arrow.next()?.map(Part::Arrow),
                Self::Sheet(sheet) => sheet.next()?.map(Part::Sheet),
            };
            let Some(part) = part else { break };
            parts.push(part);
        }
        Ok(parts)
    }

    /// Sheets that are not read, and why.
    pub(super) fn unread_sheets(&self) -> Vec<String> {
        match self {
            Self::Sheet(parts) => parts.unread().to_vec(),
            _ => vec![],
        }
    }

    /// The separator and how quotes are written.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        match self {
            Self::Text(blocks) => blocks.dialect(),
            _ => None,
        }
    }

    /// The encoding of text, as far as it was read.
    pub(super) fn encoding(&self) -> Option<&'static str> {
        match self {
            Self::Text(blocks) => blocks.encoding().map(Encoding::as_str),
            _ => None,
        }
    }
}

impl Decoding<'_> {
    /// Where the columns come from.
    pub(super) fn plan(&self) -> &ColumnPlan {
        &self.plan
    }

    /// What the file calls the columns that it does not call as the table does: ours and theirs.
    pub(super) fn renamed(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let header = self.header.as_deref().unwrap_or_default();
        let pairs = self.plan.columns.iter().zip(&self.positions);
        pairs.filter_map(|(column, at)| {
            Some((column.name, &*header[(*at)?])).filter(|(column, header)| column != header)
        })
    }

    /// What the file calls a column; `present` has a bit for each that was in the first rows, of files that say names
    /// row by row.
    pub(super) fn origin(&self, column: usize, present: u64) -> Option<String> {
        match &self.header {
            Some(header) => Some(header[self.positions[column]?].clone()),
            None => (present & (1 << column) != 0).then(|| self.plan.columns[column].name.to_owned()),
        }
    }

    /// The names of columns that no table reads which the file holds.
    pub(super) fn unmapped(&self) -> Vec<String> {
        let header = self.header.as_deref().unwrap_or_default();
        unmapped(self.file, self.file.holds.tables(), header)
    }

    /// The rows of a part.
    pub(super) fn decode(&self, part: Part) -> Result<Chunk> {
        match (&self.decoder, part) {
            (Decoder::Csv(csv, separator), Part::Text(block)) => {
                let (mut block, damage) = self.repaired(block, Some(*separator));
                let (lines, ragged) = (std::mem::take(&mut block.lines), std::mem::take(&mut block.ragged));
                let rows = lines.len();
                let columns = csv.decode(block, &lines)?;
                let broken = ragged.into_iter().map(|(row, text)| (row, Reason::RaggedRecord, text));
                let broken = broken.collect();
                Ok(Chunk { broken, ..self.chunk(columns, Lines::Each(lines), rows, damage) })
            }
            (Decoder::Ndjson(ndjson), Part::Text(block)) => {
                let (block, mut damage) = self.repaired(block, None);
                let ndjson::Decoded { columns, present, unknown, broken, replaced } = ndjson.decode(&block);
                if !replaced.is_empty() {
                    let records: Vec<&[u8]> = block.bytes.split(|&byte| byte == b'\n').collect();
                    for (row, count) in replaced {
                        self.count_replaced(&mut damage, block.lines[row], count, &excerpt(records[row]));
                    }
                }
                let (rows, lines) = (block.lines.len(), Lines::Each(block.lines));
                let unknown = unknown.into_iter().filter(|key| !self.is_of_other_table(key)).collect();
                Ok(Chunk { present, unknown, broken, ..self.chunk(columns, lines, rows, damage) })
            }
            (Decoder::Parquet(parquet), Part::Parquet(part)) => {
                parquet.decode(part, &self.positions).map(|decoded| self.typed(decoded))
            }
            (Decoder::Arrow(arrow), Part::Arrow(part)) => {
                arrow.decode(&part, &self.positions).map(|decoded| self.typed(decoded))
            }
            (Decoder::Sheet(sheet), Part::Sheet(part)) => {
                sheet.decode(&part, &self.positions).map(|decoded| self.typed(decoded))
            }
            _ => unreachable!("open() pairs each decoder with its own parts"),
        }
    }

    /// Whether the other table of a file with both reads a key.
    fn is_of_other_table(&self, key: &str) -> bool {
        self.file.holds == Holds::Both
            && InputTable::ALL.into_iter().any(|table| {
                let plan = ColumnPlan::new(self.file, table, table.columns());
                plan.exact(key) | plan.near(key) != 0
            })
    }

    /// The rows of a part whose values have types.
    fn typed(&self, decoded: Decoded) -> Chunk {
        let Decoded { mut columns, rows, first } = decoded;
        let mut damage = Damage::default();
        for texts in columns.iter_mut().flatten() {
            let damaged = texts.iter().enumerate().filter_map(|(row, text)| Some((row, text?)));
            let damaged: Vec<_> = damaged.filter(|(_, text)| text.as_bytes().contains(&0)).collect();
            for &(row, text) in &damaged {
                let count = text.bytes().filter(|&byte| byte == 0).count();
                self.count_replaced(&mut damage, first + row as u64, count as u64, text);
            }
            if !damaged.is_empty() {
                let repaired = |text: &str| text.replace('\0', "\u{fffd}");
                *texts = texts.iter().map(|text| text.map(repaired)).collect();
            }
        }
        self.chunk(columns, Lines::From(first), rows, damage)
    }

    fn chunk(&self, columns: Vec<Option<StringChunked>>, lines: Lines, rows: usize, damage: Damage) -> Chunk {
        Chunk {
            columns,
            raw: vec![],
            defaults: self.plan.defaults.clone(),
            lines,
            rows,
            present: bits(&self.positions),
            unknown: vec![],
            broken: vec![],
            damage,
        }
    }

    /// A block in UTF-8, and what of it was lost.
    fn repaired(&self, mut block: Block, separator: Option<u8>) -> (Block, Damage) {
        let mut damage = Damage::default();
        for (line, last) in std::mem::take(&mut block.open_quotes) {
            damage.open_quotes.add(|| Example::new(&self.file.name, line, &last.to_string()));
        }
        let (block, replaced) = block.into_utf8(separator);
        for (line, bytes, record) in replaced {
            self.count_replaced(&mut damage, line, bytes, &record);
        }
        (block, damage)
    }

    /// Counts replaced bytes of a record, at least one.
    fn count_replaced(&self, damage: &mut Damage, line: u64, bytes: u64, record: &str) {
        damage.replaced_bytes.add(|| Example::new(&self.file.name, line, record));
        damage.replaced_bytes.merge(Tally { count: bytes - 1, examples: vec![] });
    }

    /// Fails when a required column comes from nowhere. Of a file that says the names of its columns row by row,
    /// `present` has a bit for each column that was in any, and `unknown` the other names.
    pub(super) fn require(&self, present: u64, unknown: &[String]) -> Result<()> {
        match &self.header {
            Some(header) => self.plan.require(bits(&self.positions), header),
            None => self.plan.require(present, unknown),
        }
    }

    /// Whether the file says the names of its columns before its rows.
    pub(super) fn has_header(&self) -> bool {
        self.header.is_some()
    }
}
