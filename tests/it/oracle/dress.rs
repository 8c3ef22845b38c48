//! Rows as users have them: numbers, dates, names and files in the forms that countries, spreadsheets and lakes leave.

use super::day;
use super::dirty::{LISTING_COLUMNS, OBSERVATION_COLUMNS, Rng, Row};
use super::written::{Dialect, cell, csv, gzip, ndjson, parquet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Of what a file leaves doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// All days up to the 12th.
    Dates,
    /// As many dates of one order as of the other.
    MixedDates,
    /// All prices with three decimals or in one group.
    Prices,
    /// Counts with groups of thousands, by a mark that may be a decimal one.
    Reviews,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Contract,
    /// Decimal mark and, of larger numbers, mark between groups.
    Marks(char, Option<char>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dates {
    Contract,
    Ymd(&'static str),
    /// A time without an offset.
    YmdTime,
    Dmy(char),
    DmyTime,
    Mdy(char),
    MdyHalves,
    Named(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Marked,
    Utf16Le,
    Utf16Be,
    Utf16Bare,
    Windows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Ndjson,
    Parquet,
}

/// How one file is written.
#[derive(Debug, Clone)]
struct Style {
    format: Format,
    separator: char,
    windows_lines: bool,
    encoding: Encoding,
    compression: &'static str,
    prices: Numbers,
    /// Percent of prices with a sign or code.
    signs: u64,
    ratings: Numbers,
    reviews: Option<char>,
    dates: Dates,
    countries: usize,
    retailers: usize,
    names: usize,
    /// A few values are in another form.
    odd: bool,
}

impl Style {
    fn draw(r: &mut Rng) -> Self {
        let blank = *r.pick(&[' ', '\u{a0}', '\u{202f}']);
        Self {
            format: *r.pick(&[Format::Csv, Format::Csv, Format::Csv, Format::Ndjson, Format::Parquet]),
            separator: *r.pick(&[',', ';', '\t']),
            windows_lines: r.chance(30),
            encoding: *r.pick(&[
                Encoding::Utf8,
                Encoding::Utf8,
                Encoding::Marked,
                Encoding::Utf16Le,
                Encoding::Utf16Be,
                Encoding::Utf16Bare,
                Encoding::Windows,
                Encoding::Windows,
            ]),
            compression: *r.pick(&["", "", ".gz", ".zst"]),
            prices: *r.pick(&[
                Numbers::Contract,
                Numbers::Contract,
                Numbers::Marks('.', Some(',')),
                Numbers::Marks('.', Some(blank)),
                Numbers::Marks(',', None),
                Numbers::Marks(',', Some('.')),
                Numbers::Marks(',', Some(blank)),
                Numbers::Marks(',', Some('\'')),
            ]),
            signs: *r.pick(&[0, 0, 30, 100]),
            ratings: *r.pick(&[Numbers::Contract, Numbers::Marks(',', None)]),
            reviews: *r.pick(&[None, None, Some(' '), Some('\''), Some(',')]),
            dates: *r.pick(&[
                Dates::Contract,
                Dates::Contract,
                Dates::Ymd("/"),
                Dates::Ymd("."),
                Dates::Ymd(""),
                Dates::YmdTime,
                Dates::Dmy('/'),
                Dates::Dmy('.'),
                Dates::DmyTime,
                Dates::Mdy('/'),
                Dates::Mdy('-'),
                Dates::MdyHalves,
                Dates::Named(0),
                Dates::Named(1),
                Dates::Named(2),
            ]),
            countries: r.below(5),
            retailers: r.below(4),
            names: r.below(7),
            odd: r.chance(50),
        }
    }

    /// Of few rows some forms leave doubt; such files are written plainly.
    fn settled(mut self, rows: &[Row]) -> Self {
        let late = |row: &Row| {
            day::parse(cell(row, "date").get(..10).unwrap_or("")).is_some_and(|d| day::civil(d).2 > 12)
        };
        if rows.len() < 30 {
            self.prices = Numbers::Contract;
            self.signs = 0;
            self.ratings = Numbers::Contract;
            self.reviews = None;
        }
        if !rows.iter().any(late) && !matches!(self.dates, Dates::Ymd(_) | Dates::YmdTime) {
            self.dates = Dates::Named(0);
        }
        self
    }
}

/// Writes both tables in folders, dialects and forms of one's own.
pub fn write(r: &mut Rng, dir: &Path, listings: &[Row], observations: &[Row]) {
    match r.below(8) {
        0..=2 => {
            named(r, dir, "listings", listings, &LISTING_COLUMNS);
            named(r, dir, "observations", observations, &OBSERVATION_COLUMNS);
            if r.chance(50) {
                // Beside files that are named nothing else is read.
                file(r, &dir.join("export"), &observations[..1], &OBSERVATION_COLUMNS);
            }
        }
        3 => {
            in_folder(r, &dir.join("shop/listings"), listings, &LISTING_COLUMNS);
            in_folder(r, &dir.join("shop/observations/2026"), observations, &OBSERVATION_COLUMNS);
        }
        4 => {
            by_key(r, &dir.join("catalog"), "country", listings, &LISTING_COLUMNS);
            by_key(r, &dir.join("prices"), "country", observations, &OBSERVATION_COLUMNS);
        }
        5 => {
            named(r, dir, "listings", listings, &LISTING_COLUMNS);
            by_key(r, &dir.join("prices"), "platform", observations, &OBSERVATION_COLUMNS);
        }
        6 => {
            named(r, dir, "listings", listings, &LISTING_COLUMNS);
            let days: BTreeSet<&str> = observations.iter().map(|row| cell(row, "date")).collect();
            if days.len() < 60 {
                by_key(r, &dir.join("observations"), "dt", observations, &OBSERVATION_COLUMNS);
            } else {
                in_folder(r, &dir.join("observations"), observations, &OBSERVATION_COLUMNS);
            }
        }
        _ => {
            let rows = joined(r, listings, observations);
            let columns: Vec<&str> =
                LISTING_COLUMNS.into_iter().chain(OBSERVATION_COLUMNS.into_iter().skip(3)).collect();
            file(r, &dir.join("export"), &rows, &columns);
        }
    }
    std::fs::write(dir.join("_SUCCESS"), "").expect("write");
}

/// Writes both tables so that one file can be read in two ways.
pub fn write_ambiguous(r: &mut Rng, dir: &Path, listings: &[Row], observations: &[Row], trouble: Trouble) {
    let mut style = Style::draw(r);
    style.odd = false;
    let plain = Style {
        prices: Numbers::Contract,
        signs: 0,
        ratings: Numbers::Contract,
        reviews: None,
        dates: Dates::Contract,
        odd: false,
        ..Style::draw(r)
    };
    let (mut listings, mut observations) = (dressed(r, listings, &plain), dressed(r, observations, &plain));
    let mark = *r.pick(&[',', '.']);
    for (i, row) in observations.iter_mut().enumerate() {
        let seen = day::parse(cell(row, "date").get(..10).unwrap_or("")).map(day::civil);
        match trouble {
            Trouble::Dates => {
                let (y, m, d) = seen.unwrap_or((2026, 5, 7));
                let (d, m) = (1 + (d - 1) % 12, 1 + (m - 1) % 12);
                row.insert("date", format!("{d:02}/{m:02}/{y:04}"));
            }
            Trouble::MixedDates => {
                let text = if i % 2 == 0 { "25/04/2026" } else { "04/25/2026" };
                row.insert("date", text.into());
            }
            Trouble::Prices => {
                row.insert("price", format!("{}{mark}{:03}", 1 + i % 40, i % 1000));
                row.insert("list_price", String::new());
            }
            Trouble::Reviews => {}
        }
    }
    if trouble == Trouble::MixedDates && observations.len() % 2 == 1 {
        observations.pop();
    }
    if trouble == Trouble::Prices {
        // A contract's form would win by its point.
        observations[0].insert("price", "$1,299".replace(',', &mark.to_string()));
    }
    if trouble == Trouble::Reviews {
        for (i, row) in listings.iter_mut().enumerate() {
            row.insert("review_count", if i % 3 == 0 { format!("1,{:03}", i % 1000) } else { "12".into() });
        }
    }
    let write = |r: &mut Rng, stem: &str, rows: &[Row], columns: &[&'static str]| {
        let texts: Vec<(&str, String)> = columns.iter().map(|c| (*c, their_name(c, plain.names))).collect();
        emit(r, &dir.join(stem), rows, &texts, &style, false);
    };
    write(r, "listings", &listings, &LISTING_COLUMNS);
    write(r, "observations", &observations, &OBSERVATION_COLUMNS);
}

/// One to three files of a stem.
fn named(r: &mut Rng, dir: &Path, stem: &str, rows: &[Row], columns: &[&'static str]) {
    let folders: &[&str] = if r.chance(50) { &["."] } else { &["b/deep", "b", "a-b"] };
    let share = rows.len().div_ceil(folders.len());
    for (folder, part) in folders.iter().zip(rows.chunks(share.max(1))) {
        file(r, &dir.join(folder).join(stem), part, columns);
    }
}

fn in_folder(r: &mut Rng, dir: &Path, rows: &[Row], columns: &[&'static str]) {
    let parts = 1 + r.below(3);
    for (i, part) in rows.chunks(rows.len().div_ceil(parts).max(1)).enumerate() {
        file(r, &dir.join(format!("part-{i:05}")), part, columns);
    }
}

/// A folder for each value of a column, which the files then lack, or hold here and there.
fn by_key(r: &mut Rng, dir: &Path, key: &str, rows: &[Row], columns: &[&'static str]) {
    let column = if key == "dt" { "date" } else { key };
    let mut groups: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(cell(row, column).to_string()).or_default().push(row.clone());
    }
    let case = r.below(4);
    for (value, mut rows) in groups {
        let theirs = match column {
            "country" => country(&value, case),
            "platform" => retailer(&value, case),
            _ => value.clone(),
        };
        let said = if theirs.is_empty() { "__HIVE_DEFAULT_PARTITION__".into() } else { percent(&theirs) };
        let mut kept = columns.to_vec();
        if r.chance(60) {
            kept.retain(|c| *c != column);
        } else {
            // The column counts where it says something.
            for row in &mut rows {
                if r.chance(50) {
                    row.insert(
                        columns[kept.iter().position(|c| *c == column).expect("there")],
                        String::new(),
                    );
                }
            }
        }
        let folder = dir.join(format!("{key}={said}"));
        in_folder(r, &folder, &rows, &kept);
    }
}

fn percent(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Both tables in one: each observation with its listing's fields, at least the first time; listings alone between.
fn joined(r: &mut Rng, listings: &[Row], observations: &[Row]) -> Vec<Row> {
    let key = |row: &Row| ["country", "platform", "product_id"].map(|c| cell(row, c).to_string());
    let mut known = BTreeMap::new();
    for row in listings {
        known.entry(key(row)).or_insert(row);
    }
    let (mut said, mut rows) = (BTreeSet::new(), Vec::new());
    for seen in observations {
        let mut row = seen.clone();
        if let Some(listing) = known.get(&key(seen))
            && (said.insert(key(seen)) || r.chance(40))
        {
            for (c, v) in *listing {
                row.entry(*c).or_insert_with(|| v.clone());
            }
        }
        rows.push(row);
    }
    for row in listings {
        if !said.contains(&key(row)) || known.get(&key(row)).is_some_and(|first| !std::ptr::eq(*first, row)) {
            let at = r.below(rows.len() + 1);
            rows.insert(at, row.clone());
        }
    }
    rows
}

/// One file in a style of its own.
fn file(r: &mut Rng, path: &Path, rows: &[Row], columns: &[&'static str]) {
    let style = Style::draw(r).settled(rows);
    let rows = dressed(r, rows, &style);
    let required: &[&str] = &[
        "country",
        "platform",
        "product_id",
        "product_name",
        "date",
        "price",
        "gtin",
        "category_path",
        "currency",
    ];
    let mut kept: Vec<(&str, String)> = columns
        .iter()
        .filter(|c| required.contains(c) || !r.chance(8))
        .map(|c| (*c, their_name(c, style.names)))
        .collect();
    if r.chance(20) {
        kept.reverse();
    }
    let typed = style.prices == Numbers::Contract && style.ratings == Numbers::Contract && !style.odd;
    emit(r, path, &rows, &kept, &style, typed);
}

fn emit(r: &mut Rng, path: &Path, rows: &[Row], columns: &[(&str, String)], style: &Style, typed: bool) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
    let with = |ending: &str| {
        path.with_file_name(format!("{}{ending}", path.file_name().unwrap().to_string_lossy()))
    };
    let (text, ending) = match style.format {
        Format::Parquet => return parquet(&with(".parquet"), rows, columns, typed),
        Format::Ndjson => (ndjson(r, rows, columns), *r.pick(&[".ndjson", ".jsonl"])),
        Format::Csv => {
            let dialect = Dialect {
                separator: style.separator,
                line_end: if style.windows_lines { "\r\n" } else { "\n" },
            };
            let ending = if style.separator == '\t' { ".tsv" } else { *r.pick(&[".csv", ".csv", ".txt"]) };
            (csv(rows, columns, &dialect), ending)
        }
    };
    let data = encoded(&text, style.encoding);
    let path = with(&format!("{ending}{}", style.compression));
    match style.compression {
        ".gz" => gzip(&path, &data),
        ".zst" => std::fs::write(path, zstd::encode_all(&data[..], 1).expect("zstd")).expect("write"),
        _ => std::fs::write(path, data).expect("write"),
    }
}

fn encoded(text: &str, encoding: Encoding) -> Vec<u8> {
    let wide = |bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
        mark.encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Marked => format!("\u{feff}{text}").into_bytes(),
        Encoding::Utf16Le => wide(u16::to_le_bytes, "\u{feff}"),
        Encoding::Utf16Be => wide(u16::to_be_bytes, "\u{feff}"),
        Encoding::Utf16Bare => wide(u16::to_le_bytes, ""),
        Encoding::Windows => text
            .chars()
            .flat_map(|c| {
                let mut buffer = [0; 4];
                let (bytes, _, lost) = encoding_rs::WINDOWS_1252.encode(c.encode_utf8(&mut buffer));
                if !lost { bytes.into_owned() } else { vec![if c.is_whitespace() { b' ' } else { b'?' }] }
            })
            .collect(),
    }
}

/// A column's name as somebody else writes it.
fn their_name(column: &str, case: usize) -> String {
    let title = || -> Vec<String> {
        let word = |w: &str| format!("{}{}", w[..1].to_uppercase(), &w[1..]);
        column.split('_').map(word).collect()
    };
    match case {
        0 | 1 => column.to_string(),
        2 => column.to_uppercase(),
        3 => title().join(" "),
        4 => column.replace('_', "-"),
        5 => title().join("."),
        _ => format!(" {} ", title().join("_")),
    }
}

fn country(text: &str, case: usize) -> String {
    let words = match text {
        "us" => ["us", "US", "USA", "United States", "uS"],
        "ca" => ["ca", "CA", "CAN", "Canada", "CANADA"],
        other => return other.to_string(),
    };
    words[case % 5].to_string()
}

/// The name of a retailer by its key.
fn retailer(key: &str, case: usize) -> String {
    // What holds `_` is a key and no slug.
    if key.contains('_') || case == 0 || key.is_empty() {
        return key.to_string();
    }
    match case {
        1 => key.replace('-', " "),
        2 => format!("{}!", key.to_uppercase().replace('-', " & ").replace(" & ", "  ")),
        _ => key.to_uppercase(),
    }
}

fn dressed(r: &mut Rng, rows: &[Row], style: &Style) -> Vec<Row> {
    let mut rows: Vec<Row> = rows.to_vec();
    let large = rows.len() >= 30;
    for (i, row) in rows.iter_mut().enumerate() {
        let own = cell(row, "country").to_string();
        for column in ["price", "list_price"] {
            let odd = style.odd && r.below(300) == 0;
            let text = money(r, cell(row, column), style, &own, odd);
            row.insert(column, text);
        }
        if let Numbers::Marks(decimal, _) = style.ratings {
            let text = cell(row, "rating").replace('.', &decimal.to_string());
            row.insert("rating", text);
        }
        if let Some(mark) = style.reviews {
            // One count of a million says that a comma is none of decimals.
            let text = if i == 0 && large { "1234567" } else { cell(row, "review_count") };
            let text = grouped(text, mark);
            row.insert("review_count", text);
        }
        let odd = style.odd && r.below(300) == 0;
        let text = if odd { cell(row, "date").to_string() } else { date(r, cell(row, "date"), style.dates) };
        row.insert("date", text);
        row.insert("country", country(&own, style.countries));
        let theirs = retailer(cell(row, "platform"), style.retailers);
        row.insert("platform", theirs);
    }
    rows
}

/// Digits in groups of three from the right.
fn grouped(digits: &str, mark: char) -> String {
    if digits.len() < 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return digits.to_string();
    }
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(mark);
        }
        text.push(c);
    }
    text
}

fn money(r: &mut Rng, text: &str, style: &Style, country: &str, odd: bool) -> String {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if text.is_empty() || whole.is_empty() || !format!("{whole}{part}").bytes().all(|b| b.is_ascii_digit()) {
        return text.to_string();
    }
    let numbers = match style.prices {
        Numbers::Contract if odd => *r.pick(&[Numbers::Marks('.', Some(',')), Numbers::Marks(',', None)]),
        Numbers::Marks(',', _) if odd => Numbers::Marks('.', None),
        Numbers::Marks(..) if odd => Numbers::Marks(',', None),
        own => own,
    };
    let number = match numbers {
        Numbers::Contract => text.to_string(),
        Numbers::Marks(decimal, groups) => {
            let whole = groups.map_or(whole.to_string(), |mark| grouped(whole, mark));
            if part.is_empty() { whole } else { format!("{whole}{decimal}{part}") }
        }
    };
    if numbers == Numbers::Contract || !r.chance(if odd { 60 } else { style.signs }) {
        return number;
    }
    let (short, long) = if country == "ca" { ("CA", "CAD") } else { ("US", "USD") };
    let other = if country == "ca" { "US" } else { "CA" };
    match r.below(if odd { 12 } else { 7 }) {
        0 | 1 => format!("${number}"),
        2 => format!("{number} $"),
        3 => format!("{short}$ {number}"),
        4 => format!("{number} {long}"),
        5 => format!("{long} {number}"),
        6 => format!("{short}${number}"),
        7 => format!("{number} €"),
        8 => format!("EUR {number}"),
        9 => format!("{other}${number}"),
        10 => format!("{number} {other}D"),
        _ => format!("£{number}"),
    }
}

fn date(r: &mut Rng, text: &str, style: Dates) -> String {
    let Some((seconds, is_instant)) = day::parse_moment(text) else { return text.to_string() };
    if style == Dates::Contract || (is_instant && r.chance(30)) {
        return text.to_string();
    }
    let (y, m, d) = day::civil(seconds.div_euclid(86_400));
    let (hour, minute) = (seconds.rem_euclid(86_400) / 3600, seconds.rem_euclid(3600) / 60);
    let time = if is_instant { format!(" {hour:02}:{minute:02}") } else { String::new() };
    let half = if hour < 12 { "AM" } else { "PM" };
    let name = day::MONTHS[m as usize - 1];
    match style {
        Dates::Contract => text.to_string(),
        Dates::Ymd("") => format!("{y:04}{m:02}{d:02}"),
        Dates::Ymd(mark) => format!("{y:04}{mark}{m}{mark}{d:02}{time}"),
        Dates::YmdTime => format!("{y:04}-{m:02}-{d:02} {hour:02}:{minute:02}:07"),
        Dates::Dmy(mark) => format!("{d:02}{mark}{m:02}{mark}{y:04}{time}"),
        Dates::DmyTime => format!("{d}-{m}-{y:04} {hour}:{minute:02}"),
        Dates::Mdy(mark) => format!("{m}{mark}{d}{mark}{y:04}{time}"),
        Dates::MdyHalves => format!("{m:02}/{d:02}/{y:04} {}:{minute:02} {half}", (hour + 11) % 12 + 1),
        Dates::Named(0) => format!("{name} {d}, {y}"),
        Dates::Named(1) => format!("{d:02}-{}-{y}", &name[..3]),
        Dates::Named(_) => format!("{d} {}. {y}", name[..3].to_lowercase()),
    }
}
