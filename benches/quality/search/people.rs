//! Queries of shoppers: of what is there whether it is found, of what is not there whether it is refused.
//!
//! A right answer is told by the name and the category of its best offer. `wanted` is a list of parts joined by " && ", all of
//! which hold for it; a part is `name:REGEX`, on the product name, or `category:REGEX`, on the category path, and without a
//! prefix it is a name. Where all of `unwanted` holds, the answer is wrong all the same. Expressions match anywhere and in
//! any case.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use fancy_regex::Regex;
use serde::Serialize;

use super::super::labels::{self, Column, Row, required};
use super::share;
use pricebook::catalog::Catalog;
use pricebook::query::product::resolve;
use pricebook::query::product_params::ProductQuery;
use pricebook::query::refusal::Refusal;
use pricebook::search::index::{MatchQuality, QualityConstants};
use pricebook::search::query::Strictness;
use pricebook::types::Country;

const COLUMNS: [Column; 6] = [
    required("country"),
    required("query"),
    required("kind"),
    required("wanted"),
    required("unwanted"),
    required("catalog"),
];
/// Joins the parts of an expression.
const AND: &str = " && ";
/// Absent queries of so many words or fewer are reported apart from longer ones.
const SHORT_WORDS_MAX: usize = 5;
/// An answer of this quality or more is taken for sure.
const SURE: MatchQuality = MatchQuality::of_hundredths(60);
/// Words that a part may hold and still state a mere quantity: units, counts, names of attributes.
const QUANTITY_WORDS: &str = "l ml cl kg kilogram g gram lb pound oz ga gal llon gb tb mb inch class a z x pk pack of \
                              count can bottle ct capacity wattage screen_size refresh_rate resolution memory speed";

/// The queries that are asked, and how.
#[derive(Debug, Clone, Copy)]
pub struct PeopleOptions<'a> {
    /// Labelled queries.
    pub queries: &'a Path,
    /// The catalog whose queries are asked.
    pub catalog: &'a str,
    /// The least quality that is answered; the default where there is none.
    pub min_quality: Option<MatchQuality>,
    /// Constants of the formula.
    pub constants: QualityConstants,
    /// Where the outcome of each query is written.
    pub outcomes: Option<&'a Path>,
}

/// Outcomes of the queries of one catalog, counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeopleReport {
    /// Of what is there.
    pub present: Present,
    /// Of what is not there, by queries of at most five words.
    pub absent_short: Absent,
    /// By longer ones.
    pub absent_long: Absent,
    /// Right answers with a match_quality of 0.6 or more.
    pub sure_right: usize,
    /// Wrong ones, and answers to what is not there.
    pub sure_wrong: usize,
}

/// Queries for products that the catalog has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Present {
    /// All of them.
    pub queries: usize,
    /// Answered with the product.
    pub right: usize,
    /// Answered with the product in another size, which the answer discloses.
    pub right_other_size: usize,
    /// Answered with another product.
    pub wrong: usize,
    /// Refused.
    pub refused: usize,
}

/// Queries for products that the catalog does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Absent {
    /// All of them.
    pub queries: usize,
    /// Refused.
    pub refused: usize,
    /// Answered.
    pub answered: usize,
}

/// Outcome of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Right,
    RightOtherSize,
    Wrong,
    Refused,
}

/// A part of an expression.
struct Part {
    is_category: bool,
    is_quantity: bool,
    regex: Regex,
}

struct Query {
    country: Country,
    text: String,
    is_present: bool,
    wanted: Vec<Part>,
    unwanted: Vec<Part>,
}

/// The answer to a query.
struct Answer {
    name: String,
    category: String,
    quality: MatchQuality,
    /// Whether it says of itself that it is not all that was asked for.
    is_disclosed: bool,
}

impl Query {
    fn read(row: &Row<'_, 6>) -> Result<Self> {
        let [country, text, kind, wanted, unwanted, _] = &row.values;
        let is_present = match kind.as_str() {
            "present" => true,
            "absent" => false,
            other => bail!(row.fault(&format!("kind {other:?} is not present or absent"))),
        };
        let parts = |text: &str| parts(text).map_err(|error| row.fault(&format!("{error:#}")));
        let (wanted, unwanted) = (parts(wanted)?, parts(unwanted)?);
        Ok(Self { country: row.country(country)?, text: text.clone(), is_present, wanted, unwanted })
    }

    fn judge(&self, answer: Option<&Answer>) -> Result<Outcome> {
        let Some(answer) = answer else { return Ok(Outcome::Refused) };
        if !self.is_present {
            return Ok(Outcome::Wrong);
        }
        let all = |parts: &mut dyn Iterator<Item = &Part>| -> Result<bool> {
            for part in parts {
                if !part.holds(answer)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        if !self.unwanted.is_empty() && all(&mut self.unwanted.iter())? {
            return Ok(Outcome::Wrong);
        }
        if all(&mut self.wanted.iter())? {
            return Ok(Outcome::Right);
        }
        let thing = || self.wanted.iter().filter(|part| !part.is_quantity);
        let is_other_size =
            answer.is_disclosed && (1..self.wanted.len()).contains(&thing().count()) && all(&mut thing())?;
        Ok(if is_other_size { Outcome::RightOtherSize } else { Outcome::Wrong })
    }
}

impl Part {
    fn holds(&self, answer: &Answer) -> Result<bool> {
        Ok(self.regex.is_match(if self.is_category { &answer.category } else { &answer.name })?)
    }
}

fn parts(text: &str) -> Result<Vec<Part>> {
    let part = |text: &str| {
        let (is_category, expression) = match text.split_once(':') {
            Some(("category", expression)) => (true, expression),
            Some(("name", expression)) => (false, expression),
            _ => (false, text),
        };
        let regex =
            Regex::new(&format!("(?i){expression}")).with_context(|| format!("expression {text:?}"))?;
        Ok(Part { is_category, is_quantity: is_quantity(expression), regex })
    };
    text.split(AND).filter(|text| !text.is_empty()).map(part).collect()
}

/// Whether an expression states a quantity and nothing else.
fn is_quantity(expression: &str) -> bool {
    let expression = expression.to_lowercase();
    let mut words = String::with_capacity(expression.len());
    let mut letters = expression.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // A class such as `\b` is no word.
            '\\' => words.extend(letters.next().filter(|next| !next.is_ascii_lowercase()).map(|_| ' ')),
            'a'..='z' | '_' => words.push(letter),
            _ => words.push(' '),
        }
    }
    let is_word = |word: &str| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        QUANTITY_WORDS.split_whitespace().any(|known| known == word || known == singular) || word == "s"
    };
    expression.contains(|c: char| c.is_ascii_digit()) && words.split_whitespace().all(is_word)
}

/// Asks the queries of one catalog.
///
/// # Errors
/// When the file cannot be read, or has no query of the catalog.
pub fn run(catalog: &Catalog, options: &PeopleOptions<'_>) -> Result<PeopleReport> {
    let rows = labels::read(options.queries, &COLUMNS)?;
    let own = rows.iter().filter(|row| row.values[5] == options.catalog);
    let queries: Vec<Query> = own.map(Query::read).collect::<Result<_>>()?;
    ensure!(!queries.is_empty(), "{}: no query of {}", options.queries.display(), options.catalog);
    let mut report = PeopleReport {
        present: Present::default(),
        absent_short: Absent::default(),
        absent_long: Absent::default(),
        sure_right: 0,
        sure_wrong: 0,
    };
    let mut file = match options.outcomes {
        Some(path) => {
            let file = File::create(path).with_context(|| format!("{} cannot be made", path.display()))?;
            let mut file = BufWriter::new(file);
            writeln!(file, "query\tkind\toutcome\tmatch_quality\tproduct_name")?;
            Some(file)
        }
        None => None,
    };
    for query in &queries {
        let answer = ask(catalog, query, options)?;
        let outcome = query.judge(answer.as_ref())?;
        report.take(query, answer.as_ref(), outcome);
        if let Some(file) = &mut file {
            let kind = if query.is_present { "present" } else { "absent" };
            let quality = answer.as_ref().map_or(0, |answer| answer.quality.hundredths());
            let name = answer.as_ref().map_or("", |answer| &answer.name);
            let text = query.text.split_whitespace().collect::<Vec<_>>().join(" ");
            writeln!(file, "{text}\t{kind}\t{outcome:?}\t{quality}\t{name}")?;
        }
    }
    Ok(report)
}

fn ask(catalog: &Catalog, query: &Query, options: &PeopleOptions<'_>) -> Result<Option<Answer>> {
    let asked = ProductQuery {
        q: Some(query.text.clone()),
        product_uid: None,
        entity_uid: None,
        country: query.country,
        retailer: None,
        strictness: Strictness {
            is_exact: false,
            min_quality: options.min_quality,
            constants: options.constants,
        },
    };
    let product = match resolve(catalog, &asked, 0) {
        Ok(product) => product,
        Err(Refusal::NoResults { .. }) => return Ok(None),
        Err(other) => bail!("{:?} is refused: {other:?}", query.text),
    };
    let Some(&best) = product.offers.first() else { return Ok(None) };
    let (listing, reading) = (catalog.listing(best), product.reading());
    let quality = product.match_quality().unwrap_or_default();
    Ok(Some(Answer {
        name: listing.name().to_owned(),
        category: catalog.taxonomy.node(listing.category()).path.clone(),
        quality,
        is_disclosed: reading.dropped_terms.is_some() || reading.corrected_terms.is_some() || quality < SURE,
    }))
}

impl PeopleReport {
    fn take(&mut self, query: &Query, answer: Option<&Answer>, outcome: Outcome) {
        let is_sure = answer.is_some_and(|answer| answer.quality >= SURE);
        match outcome {
            Outcome::Right | Outcome::RightOtherSize => self.sure_right += usize::from(is_sure),
            Outcome::Wrong | Outcome::Refused => self.sure_wrong += usize::from(is_sure),
        }
        if query.is_present {
            self.present.queries += 1;
            *match outcome {
                Outcome::Right => &mut self.present.right,
                Outcome::RightOtherSize => &mut self.present.right_other_size,
                Outcome::Wrong => &mut self.present.wrong,
                Outcome::Refused => &mut self.present.refused,
            } += 1;
            return;
        }
        let is_short = query.text.split_whitespace().count() <= SHORT_WORDS_MAX;
        let absent = if is_short { &mut self.absent_short } else { &mut self.absent_long };
        absent.queries += 1;
        absent.refused += usize::from(outcome == Outcome::Refused);
        absent.answered += usize::from(outcome != Outcome::Refused);
    }
}

impl fmt::Display for PeopleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |some: usize, all: usize| 100.0 * share(some, all);
        let Present { queries, right, right_other_size, wrong, refused } = self.present;
        writeln!(f, "there             {queries:>5}")?;
        for (name, count) in [
            ("right", right),
            ("right, other size", right_other_size),
            ("wrong", wrong),
            ("refused", refused),
        ] {
            writeln!(f, "  {name:<17} {count:>5}  {:>5.1} %", percent(count, queries))?;
        }
        for (name, of) in [("of 1 to 5 words", self.absent_short), ("longer", self.absent_long)] {
            writeln!(f, "not there, {name:<15} {:>5}", of.queries)?;
            writeln!(f, "  {:<17} {:>5}  {:>5.1} %", "refused", of.refused, percent(of.refused, of.queries))?;
        }
        let answered = right + right_other_size;
        let all = queries + self.absent_short.queries + self.absent_long.queries;
        writeln!(f, "match_quality of 0.6 or more")?;
        writeln!(
            f,
            "  {:<17} {:>5}  {:>5.1} %",
            "of right answers",
            self.sure_right,
            percent(self.sure_right, answered)
        )?;
        writeln!(
            f,
            "  {:<17} {:>5}  {:>5.1} %",
            "wrong, of all",
            self.sure_wrong,
            percent(self.sure_wrong, all)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_told_from_names() {
        for (expression, is) in [
            (r"\b4 ?tb\b", true),
            (r"capacity 20(00|48)\b", true),
            (r"\b10 ?-?(lbs?|pounds?)\b|4\.5 ?kg", true),
            (r"(0\.375 ?l|375 ?ml)\b", true),
            ("oled", false),
            (r"\bt5\b", false),
            ("eggs", false),
            ("960 pro", false),
        ] {
            assert_eq!(is_quantity(expression), is, "{expression}");
        }
    }

    #[test]
    fn answers_are_judged_by_name_and_category() {
        let query = |wanted: &str, unwanted: &str| Query {
            country: Country::Ca,
            text: String::new(),
            is_present: true,
            wanted: parts(wanted).unwrap(),
            unwanted: parts(unwanted).unwrap(),
        };
        let answer = |is_disclosed| Answer {
            name: "Large Eggs 18 pack".into(),
            category: "Food > Dairy".into(),
            quality: SURE,
            is_disclosed,
        };
        for (wanted, unwanted, is_disclosed, outcome) in [
            ("eggs", "", false, Outcome::Right),
            ("name:EGGS && category:dairy$", "", false, Outcome::Right),
            ("eggs", "large && pack", false, Outcome::Wrong),
            ("eggs", "large && duck", false, Outcome::Right),
            (r"name:eggs && name:\b12 ?(ct|pk|pack)\b", "", true, Outcome::RightOtherSize),
            (r"name:eggs && name:\b12 ?(ct|pk|pack)\b", "", false, Outcome::Wrong),
            (r"\b12 ?pack\b", "", true, Outcome::Wrong),
            ("milk", "", true, Outcome::Wrong),
        ] {
            let judged = query(wanted, unwanted).judge(Some(&answer(is_disclosed))).unwrap();
            assert_eq!(judged, outcome, "{wanted} {unwanted}");
        }
        assert_eq!(query("eggs", "").judge(None).unwrap(), Outcome::Refused);
        assert!(parts("name:(").is_err());
    }
}
