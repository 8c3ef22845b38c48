//! `.ods`: rows as they come in `content.xml`.
//!
//! Not through calamine, which makes every repeated row and cell of all sheets before it gives the first; a document of
//! a few kilobytes may repeat a text a billion times. Here a row is all that is kept.

use std::io::BufRead;
use std::io::BufReader;

use anyhow::{Context, Result, anyhow, bail, ensure};
use calamine::Data;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use zip::ZipArchive;

use super::archive::{self, Bytes};
use super::row::{Book, ROWS_MAX, Row, SheetInfo};

const CONTENT: &str = "content.xml";

/// An opened document.
pub(super) struct Document {
    archive: ZipArchive<Bytes>,
    sheets: Vec<SheetInfo>,
}

impl Document {
    /// Opens a document whose archive was measured.
    pub(super) fn open(mut archive: ZipArchive<Bytes>) -> Result<Self> {
        let manifest = archive::part(&mut archive, "META-INF/manifest.xml")?.unwrap_or_default();
        ensure!(
            memchr::memmem::find(&manifest, b"encryption-data").is_none(),
            "the workbook is protected by a password; save it without a password"
        );
        let mut document = Self { archive, sheets: Vec::new() };
        let (mut sheets, mut hidden) = (Vec::new(), Vec::new());
        document.read(|tag, xml, style| {
            if tag.name().as_ref() == "style:table-properties" {
                if attribute(tag, "table:display")?.as_deref() == Some("false") {
                    hidden.extend(style.map(str::to_owned));
                }
                return Ok(true);
            }
            let name = attribute(tag, "table:name")?.unwrap_or_default();
            let style = attribute(tag, "table:style-name")?;
            let is_hidden = style.is_some_and(|style| hidden.contains(&style));
            sheets.push(SheetInfo { name, is_hidden });
            skip(xml, tag)?;
            Ok(true)
        })?;
        document.sheets = sheets;
        Ok(document)
    }

    /// Gives the properties of table styles, with the name of their style, and every sheet to `take`, which reads a sheet
    /// to its end, until that says no.
    fn read(
        &mut self,
        mut take: impl FnMut(&BytesStart<'_>, &mut Xml<'_>, Option<&str>) -> Result<bool>,
    ) -> Result<()> {
        let part =
            self.archive.by_name(CONTENT).context("the file is not a spreadsheet: its content is missing")?;
        let mut part = BufReader::with_capacity(1 << 16, part);
        let mut xml = Reader::from_reader(&mut part as &mut dyn BufRead);
        xml.config_mut().expand_empty_elements = true;
        let (mut buffer, mut style) = (Vec::new(), None);
        loop {
            buffer.clear();
            match event(&mut xml, &mut buffer)? {
                Event::Start(tag) if tag.name().as_ref() == "style:style" => {
                    style = attribute(&tag, "style:name")?;
                }
                Event::Start(tag) => {
                    let is_taken = matches!(tag.name().as_ref(), "table:table" | "style:table-properties");
                    if is_taken && !take(&tag, &mut xml, style.as_deref())? {
                        return Ok(());
                    }
                }
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }
}

type Xml<'a> = Reader<&'a mut dyn BufRead>;

fn event<'b>(xml: &mut Xml<'_>, buffer: &'b mut Vec<u8>) -> Result<Event<'b>> {
    xml.read_event_into(buffer).context("the workbook is damaged; save it again")
}

/// Goes behind the end of an element.
fn skip(xml: &mut Xml<'_>, tag: &BytesStart<'_>) -> Result<()> {
    xml.read_to_end_into(tag.name(), &mut Vec::new()).context("the workbook is damaged; save it again")?;
    Ok(())
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>> {
    let Some(attribute) = tag.try_get_attribute(name)? else { return Ok(None) };
    Ok(Some(attribute.normalized_value(XmlVersion::Implicit1_0)?.into_owned()))
}

/// How often a row or a cell is repeated.
fn repeats(tag: &BytesStart<'_>, name: &str) -> Result<u64> {
    let Some(count) = attribute(tag, name)? else { return Ok(1) };
    count.parse().with_context(|| format!("{name} is {count}, which is not a number"))
}

impl Book for Document {
    fn sheets(&self) -> &[SheetInfo] {
        &self.sheets
    }

    fn rows(&mut self, sheet: usize, take: &mut dyn FnMut(&Row) -> Result<bool>) -> Result<()> {
        let mut at = 0;
        self.read(|tag, xml, _| {
            if tag.name().as_ref() != "table:table" {
                return Ok(true);
            }
            at += 1;
            if at <= sheet {
                skip(xml, tag)?;
                return Ok(true);
            }
            rows_of(xml, take)?;
            Ok(false)
        })
    }
}

/// The rows of a sheet whose tag was read.
fn rows_of(xml: &mut Xml<'_>, take: &mut dyn FnMut(&Row) -> Result<bool>) -> Result<()> {
    let (mut buffer, mut row, mut next) = (Vec::new(), Row::default(), 1_u64);
    loop {
        buffer.clear();
        match event(xml, &mut buffer)? {
            Event::Start(tag) if tag.name().as_ref() == "table:table-row" => {
                let times = repeats(&tag, "table:number-rows-repeated")?;
                row.begin(next);
                cells_of(xml, &mut row).with_context(|| format!("row {next}"))?;
                next = next.saturating_add(times);
                if row.is_empty() {
                    continue;
                }
                ensure!(next <= ROWS_MAX + 1, "the sheet has more than {ROWS_MAX} rows");
                for _ in 0..times {
                    if !take(&row)? {
                        return Ok(());
                    }
                    row.number += 1;
                }
            }
            // What is drawn over a sheet may hold tables of its own.
            Event::Start(tag) if matches!(tag.name().as_ref(), "table:shapes" | "table:table") => {
                skip(xml, &tag)?;
            }
            Event::End(tag) if tag.name().as_ref() == "table:table" => return Ok(()),
            Event::Eof => bail!("the workbook ends within a sheet; save it again"),
            _ => {}
        }
    }
}

/// The cells of a row whose tag was read. Cells that lie under a merged one are not shown, and count as missing.
fn cells_of(xml: &mut Xml<'_>, row: &mut Row) -> Result<()> {
    let (mut buffer, mut column) = (Vec::new(), 0_usize);
    loop {
        buffer.clear();
        match event(xml, &mut buffer)? {
            Event::Start(tag) if tag.name().as_ref() == "table:table-cell" => {
                let times = repeats(&tag, "table:number-columns-repeated")?;
                let value = value_of(xml, &tag)?;
                let end = column.saturating_add(usize::try_from(times)?);
                // Where the row ends for us, one more says that it goes on.
                for at in column..end.min(crate::ingest::limits::COLUMNS_MAX + 1) {
                    row.set_value(at, &value)?;
                }
                column = end;
            }
            Event::Start(tag) if tag.name().as_ref() == "table:covered-table-cell" => {
                let times = repeats(&tag, "table:number-columns-repeated")?;
                column = column.saturating_add(usize::try_from(times)?);
                skip(xml, &tag)?;
            }
            Event::Start(tag) => skip(xml, &tag)?,
            Event::End(_) => return Ok(()),
            Event::Eof => bail!("the workbook ends within a row; save it again"),
            _ => {}
        }
    }
}

/// The value of a cell whose tag was read, which is read to its end.
fn value_of(xml: &mut Xml<'_>, tag: &BytesStart<'_>) -> Result<Data> {
    if attribute(tag, "calcext:value-type")?.as_deref() == Some("error") {
        skip(xml, tag)?;
        return Ok(Data::Empty);
    }
    let kind = attribute(tag, "office:value-type")?;
    let (name, value): (_, fn(String) -> Data) = match kind.as_deref() {
        Some("float" | "percentage" | "currency") => {
            ("office:value", |text| text.parse().map_or(Data::String(text), Data::Float))
        }
        Some("date") => ("office:date-value", Data::DateTimeIso),
        Some("time") => ("office:time-value", Data::DurationIso),
        Some("boolean") => ("office:boolean-value", Data::String),
        _ => ("office:string-value", Data::String),
    };
    match attribute(tag, name)? {
        Some(text) => {
            skip(xml, tag)?;
            Ok(value(text))
        }
        None if kind.as_deref() == Some("string") => Ok(Data::String(text_of(xml)?)),
        None => {
            skip(xml, tag)?;
            Ok(Data::Empty)
        }
    }
}

/// What is written in a cell, to its end: paragraphs become lines. Comments do not belong to it.
fn text_of(xml: &mut Xml<'_>) -> Result<String> {
    let (mut buffer, mut text, mut depth, mut paragraphs) = (Vec::new(), String::new(), 0_usize, 0_usize);
    loop {
        buffer.clear();
        match event(xml, &mut buffer)? {
            Event::Start(tag) if tag.name().as_ref() == "office:annotation" => skip(xml, &tag)?,
            Event::Start(tag) => {
                match tag.name().as_ref() {
                    "text:p" => {
                        text.extend((paragraphs > 0).then_some('\n'));
                        paragraphs += 1;
                    }
                    "text:s" => {
                        let blanks = usize::try_from(repeats(&tag, "text:c")?)?;
                        ensure!(
                            blanks <= 1 << 16,
                            "a text contains {blanks} consecutive blanks; remove blanks"
                        );
                        text.extend(std::iter::repeat_n(' ', blanks));
                    }
                    "text:tab" => text.push('\t'),
                    "text:line-break" => text.push('\n'),
                    _ => {}
                }
                depth += 1;
            }
            Event::End(_) if depth == 0 => return Ok(text),
            Event::End(_) => depth -= 1,
            Event::Text(part) if depth > 0 => text.push_str(&part.xml10_content()),
            Event::CData(part) if depth > 0 => text.push_str(&part.xml10_content()),
            Event::GeneralRef(part) if depth > 0 => text.push_str(&entity(&part)?),
            Event::Eof => bail!("the workbook ends within a cell; save it again"),
            _ => {}
        }
    }
}

fn entity(part: &BytesRef<'_>) -> Result<String> {
    if let Some(text) = resolve_xml_entity(part) {
        return Ok(text.to_owned());
    }
    let letter = part.resolve_char_ref()?;
    letter.map(String::from).ok_or_else(|| anyhow!("the entity &{}; is not known", &**part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(content: &str) -> Result<Vec<(u64, String)>> {
        let content = format!("<table:table>{content}");
        let mut bytes = content.as_bytes();
        let mut xml = Reader::from_reader(&mut bytes as &mut dyn BufRead);
        xml.config_mut().expand_empty_elements = true;
        xml.read_event_into(&mut Vec::new())?;
        let mut found = Vec::new();
        rows_of(&mut xml, &mut |row| {
            found.push((row.number, row.texts().join("|")));
            Ok(found.len() < 9)
        })?;
        Ok(found)
    }

    fn row(cells: &str) -> String {
        format!("<table:table-row>{cells}</table:table-row></table:table>")
    }

    #[test]
    fn cells_are_read_as_they_are_written() {
        for (cell, text) in [
            (r#" office:value-type="float" office:value="4.990"><text:p>$4.99</text:p>"#, "4.99"),
            (r#" office:value-type="percentage" office:value="1.5E1">"#, "15"),
            (r#" office:value-type="boolean" office:boolean-value="true">"#, "true"),
            (r#" office:value-type="date" office:date-value="2026-10-31T22:30:00">"#, "2026-10-31T22:30:00Z"),
            (r#" office:value-type="string" office:string-value="a &amp; b"><text:p>c</text:p>"#, "a & b"),
            (
                r#" office:value-type="string"> <text:p>a<text:s text:c="2"/>&lt;<text:span>b&#233;</text:span></text:p>
                   <office:annotation><text:p>not this</text:p></office:annotation><text:p>c<text:tab/>d</text:p>"#,
                "a  <bé\nc\td",
            ),
            (r#" office:value-type="string" calcext:value-type="error"><text:p>#N/A</text:p>"#, ""),
            ("><text:p>no value</text:p>", ""),
        ] {
            let cells = format!("<table:table-cell{cell}</table:table-cell>{}", word("end"));
            assert_eq!(rows(&row(&cells)).unwrap(), [(1, format!("{text}|end"))], "{cell}");
        }
    }

    fn word(text: &str) -> String {
        format!(r#"<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#)
    }

    #[test]
    fn repeated_rows_and_cells_are_made_one_by_one() {
        let blank = r#"<table:table-cell table:number-columns-repeated="2"/>"#;
        let under = r#"<table:covered-table-cell table:number-columns-repeated="1"/>"#;
        let twice = word("x").replacen("cell ", r#"cell table:number-columns-repeated="2" "#, 1);
        let all = format!(
            r#"<table:table-row table:number-rows-repeated="3">{blank}</table:table-row>
               <table:table-header-rows><table:table-row>{blank}{under}{twice}</table:table-row></table:table-header-rows>
               <table:table-row table:number-rows-repeated="1000000"/>
               <table:table-row table:number-rows-repeated="2">{twice}</table:table-row></table:table>"#
        );
        let expected = [(4, "|||x|x"), (1_000_005, "x|x"), (1_000_006, "x|x")];
        assert_eq!(rows(&all).unwrap(), expected.map(|(number, texts)| (number, texts.to_owned())));
        let endless = r#"<table:table-row table:number-rows-repeated="99999999">"#;
        let error = rows(&format!("{endless}{}</table:table-row></table:table>", word("x"))).unwrap_err();
        assert_eq!(error.to_string(), "the sheet has more than 1048576 rows");
        let wide = word("x").replacen("cell ", r#"cell table:number-columns-repeated="99999999999" "#, 1);
        assert_eq!(rows(&row(&wide)).unwrap()[0].1.len(), 2 * crate::ingest::limits::COLUMNS_MAX - 1);
    }

    #[test]
    fn rejects_truncated_sheets() {
        let whole = row(&word("x"));
        for cut in 0..whole.len() {
            assert!(rows(&whole[..cut]).is_err(), "{cut}");
        }
    }
}
