//! Members of series: `iPhone 13`, `Hero10`, `S20`, `G3`.
//!
//! Who says `S20` does not sell the `S21`. A series is a word, and its members are the numbers behind it that have no unit.

use super::lexicon::{Kind, Lexicon};

/// Letters of a word that are compared.
const LETTERS_MAX: usize = 12;
/// `X2` is two of something.
const FACTOR: &str = "x";
/// A word of so many letters is no plural.
const SHORT_PLURAL: usize = 3;
/// Largest number of one; what is larger is an article number.
const NUMBER_MAX: u32 = 9_999;
/// A member of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    series: [u8; LETTERS_MAX],
    /// Thousandths.
    number: u32,
}

/// The members that a folded text names, ascending.
pub(crate) fn members(lexicon: &Lexicon, text: &str) -> Box<[Member]> {
    let mut members = Vec::new();
    // The word that a number right behind it belongs to.
    let mut before: Option<&str> = None;
    let mut rest = text;
    while let Some((between, token, behind)) = next_token(rest) {
        rest = behind;
        let digits = token.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let letters = &token[..token.len() - digits.len()];
        before = before.filter(|_| matches!(between, " " | "-" | "/"));
        match number(digits) {
            _ if digits.is_empty() => before = Some(letters),
            None => before = None,
            // "7/8/10" are all of the word before.
            Some(number) => {
                let series = match letters {
                    "" => before.filter(|word| !lexicon.has(Kind::NoSeries, word)),
                    letters => Some(letters).filter(|letters| *letters != FACTOR),
                };
                let series = series.filter(|_| !counts_something(lexicon, behind));
                members.extend(series.map(|series| Member { series: key(series), number }));
                before = before.filter(|_| letters.is_empty());
            }
        }
    }
    members.sort_unstable();
    members.dedup();
    members.into()
}

/// The next run of letters and digits, what stands before it, and what behind.
fn next_token(text: &str) -> Option<(&str, &str, &str)> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '\'';
    let from = text.find(|c: char| c.is_ascii_alphanumeric())?;
    let (between, text) = text.split_at(from);
    let mut to = text.find(|c| !is_inside(c)).unwrap_or(text.len());
    // Points between digits.
    while let Some(part) = text[to..].strip_prefix('.')
        && text[..to].ends_with(|c: char| c.is_ascii_digit())
        && part.starts_with(|c: char| c.is_ascii_digit())
    {
        to += 1 + part.find(|c| !is_inside(c)).unwrap_or(part.len());
    }
    let (token, behind) = text.split_at(to);
    Some((between, token, behind))
}

/// Whether what stands behind a number says that it measures or counts something: a sign, a unit, a factor, a plural.
fn counts_something(lexicon: &Lexicon, behind: &str) -> bool {
    let close = behind.strip_prefix([' ', '-']).unwrap_or(behind);
    if close.starts_with(['%', '"', '$']) {
        return true;
    }
    let is_digit = |c: char| c.is_ascii_digit();
    if let Some(last) = behind.strip_prefix('-').filter(|last| last.starts_with(is_digit)) {
        // "200-225 g"
        return counts_something(lexicon, last.trim_start_matches(|c| is_digit(c) || c == '.'));
    }
    let word = &close[..close.find(|c: char| !c.is_ascii_lowercase() && c != '\'').unwrap_or(close.len())];
    let is_plural =
        word.len() > SHORT_PLURAL && word.ends_with('s') && !word.ends_with("ss") && !word.contains('\'');
    word == FACTOR || is_plural || lexicon.units.get(word).is_some() || lexicon.units.begins(word)
}

fn key(word: &str) -> [u8; LETTERS_MAX] {
    let mut key = [0; LETTERS_MAX];
    key.iter_mut().zip(word.bytes()).for_each(|(to, from)| *to = from);
    key
}

/// Digits, with up to three behind a point, as thousandths.
fn number(digits: &str) -> Option<u32> {
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_one = |digits: &str| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
    if !is_one(whole) || !is_one(part) || part.len() > 3 {
        return None;
    }
    let whole: u32 = whole.parse().ok().filter(|whole| *whole <= NUMBER_MAX)?;
    Some(whole * 1000 + format!("{part:0<3}").parse::<u32>().ok()?)
}

/// Whether both name members of a series, and none in common.
pub(crate) fn differ(a: &[Member], b: &[Member]) -> bool {
    let of_one_series = |x: &Member| b.iter().any(|y| y.series == x.series);
    let is_shared = |x: &Member| a.iter().any(|own| own.series == x.series && b.contains(own));
    a.iter().any(|x| of_one_series(x) && !is_shared(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_series_are_told_apart() {
        let of = |name: &str| members(Lexicon::shipped(), &name.to_lowercase());
        for (a, b) in [
            ("Galaxy S20 FE / S20 FE 5G protector", "Galaxy S21 FE protector"),
            ("EliteBook 840 G3", "EliteBook 840 G5"),
            ("Vitamin B6 100 mg", "Vitamin B12 100 mg"),
            ("iPhone 13 128GB", "Apple iPhone 14, 128 GB"),
            ("GoPro HERO10 Black", "GoPro Hero 11 Black"),
            ("Brooks Ghost 13", "Brooks Men's Ghost 14"),
            ("Galaxy Tab A8 10.5", "Galaxy Tab A7 10.4 Wi-Fi"),
            ("Photoshop Elements 6.0", "Photoshop Elements 5"),
        ] {
            assert!(differ(&of(a), &of(b)) && differ(&of(b), &of(a)), "{a} | {b}");
        }
        for (a, b) in [
            ("Galaxy S20 protector", "Galaxy S20, S21 protector"),
            ("Refrigerator 18.2 cu ft", "Refrigerator 18 cu. ft."),
            ("Shampoo 12.6 fl oz", "Shampoo 12.5 fluid ounces"),
            ("Crackers 200-225 g", "Crackers 7-8 oz"),
            ("EliteBook 840 G3", "EliteBook 840"),
            ("Pack of 6 Bowls", "Pack of 2 Bowls"),
            ("Galaxy A71 S20", "Galaxy S20"),
            ("Windows 7/8/10", "Windows 10"),
            ("Elements 6.0", "Elements 6"),
            ("Publisher 3.5.2", "Publisher 3.52"),
            ("Air Max 90 10", "Air Max 90 11"),
            ("Cola 12 x 355 mL", "Cola 355 mL, 12 pack"),
            ("Lego 10270", "Lego 10280"),
            ("Oikos 2% Yogurt 4 x 100 g", "Oikos 9% Yogurt 4 x 95 g"),
            ("Prisme Quatuor 4 Colors", "Prisme Quatuor 3 Inattendue"),
            ("Samsung 50\" TV", "Samsung 46 inch TV"),
        ] {
            assert!(!differ(&of(a), &of(b)) && !differ(&of(b), &of(a)), "{a} | {b}");
        }
    }
}
