//! The terms of a listing, and the part numbers among what it says.
//!
//! A *part number* is a run of letters and digits, four characters or more, hyphens and slashes ignored. Numbers with a
//! unit (`1080p`, `500-watt`), dimensions, and words with a small number behind (`omega-3`) are none. One of digits
//! alone is longer, so that a year is none, and not round: `20000:1` is a contrast.

use std::borrow::Cow;

use super::generic_codes::is_class;
use super::lexicon::Lexicon;
use super::quantities;
use crate::lang::text::terms::Term;
use crate::lang::text::{folded, name, terms};

/// Fewest characters of a part number.
pub(crate) const PART_CHARS_MIN: usize = 4;
/// Fewest digits of a part number without a letter.
const DIGITS_MIN: usize = 5;
/// How a number ends that counts something.
const ROUND_END: &str = "000";
/// Most characters of a part number; longer runs are addresses and keys.
const PART_CHARS_MAX: usize = 32;
/// Fewest characters of one of three pieces or more between dots: shorter ones are versions; and without a letter, where
/// dates and addresses are written so, too.
const DOTTED_CHARS_MIN: usize = 7;
const DOTTED_DIGITS_MIN: usize = 13;
/// Words before the number of a size.
const SIZES: [&str; 3] = ["pointure", "size", "taille"];
/// Forms of `ft` that are terms of their own.
const FEET: [&str; 2] = ["feet", "foot"];
/// A run of so many letters with one digit is a word with a number.
const WORD_LETTERS_MIN: usize = 5;
/// A number of at most so many digits before a word of [`COUNTED_LETTERS_MIN`] letters counts it: `24-port`.
const COUNT_DIGITS_MAX: usize = 3;
const COUNTED_LETTERS_MIN: usize = 3;

/// The terms of a text as they are written and as they are compared.
pub(crate) struct Said {
    pub(crate) written: Vec<String>,
    pub(crate) folded: Vec<String>,
    /// What its writer might have joined, as it is compared.
    pub(crate) joined: Vec<String>,
    /// Which of the terms is the thing itself.
    pub(crate) head: Option<usize>,
}

/// What a text says.
pub(crate) fn said(lexicon: &Lexicon, text: &str) -> Said {
    let mut all = terms::terms(lexicon, &spelled_out(text));
    settle_sizes(&mut all);
    let head = name::head(lexicon, &all);
    let joined = terms::plain_part_numbers(lexicon, &all)
        .chain(all.iter().filter_map(|term| term.with_article.clone()))
        .collect();
    let (written, folded) = all.into_iter().map(|term| (term.written, term.folded)).unzip();
    Said { written, folded, joined, head }
}

/// Takes "size 9.5" out, which is a number of its own, and no word of a shoe that is sold in all sizes; and makes `6ft` of
/// "6 feet".
fn settle_sizes(terms: &mut Vec<Term>) {
    let mut at = 0;
    while let [first, second, ..] = &terms[at..] {
        if SIZES.contains(&first.folded.as_str()) && is_decimal(&second.folded) {
            terms.drain(at..at + 2);
            continue;
        }
        if is_decimal(&first.folded) && FEET.contains(&second.folded.as_str()) {
            terms[at].folded.push_str("ft");
            terms.remove(at + 1);
        }
        at += 1;
    }
}

/// A text with `6'` as `6 ft`, and `12x355` as `12 x 355`.
fn spelled_out(text: &str) -> Cow<'_, str> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_mark = |c: char| matches!(c, '\'' | '’' | '′' | 'x' | 'X' | '×');
    if !text.contains(is_mark) {
        return Cow::Borrowed(text);
    }
    let mut spelled = String::with_capacity(text.len() + 4);
    let mut all = text.chars().peekable();
    let mut before = None;
    while let Some(c) = all.next() {
        let next = all.peek().copied();
        match c {
            _ if !is_mark(c) || !is_digit(before) => spelled.push(c),
            'x' | 'X' | '×' if is_digit(next) => spelled.push_str(" x "),
            'x' | 'X' | '×' => spelled.push(c),
            _ if next.is_some_and(|next| next.is_alphanumeric() || is_mark(next)) => spelled.push(c),
            _ => spelled.push_str(" ft"),
        }
        before = Some(c);
    }
    Cow::Owned(spelled)
}

/// A part number from the column of them: its letters and digits; nothing when they are too few.
pub fn mpn(text: &str) -> Option<String> {
    let part: String = folded(text).filter(char::is_ascii_alphanumeric).take(PART_CHARS_MAX).collect();
    (part.len() >= PART_CHARS_MIN).then_some(part)
}

/// The part numbers of a name, ascending, each once.
pub(crate) fn parts(lexicon: &Lexicon, name: &str) -> Vec<Box<str>> {
    let text: String = folded(name).collect();
    let mut parts: Vec<Box<str>> = Vec::new();
    for (run, behind) in runs(&text) {
        if is_dotted(lexicon, run) {
            parts.extend(joined(lexicon, &run.replace('.', "-")));
            continue;
        }
        let count = run.split('.').count();
        for (at, run) in run.split('.').enumerate() {
            let run = run.trim_matches(['-', '/']);
            let is_last = at + 1 == count;
            if !run.bytes().any(|byte| byte.is_ascii_digit())
                || is_last && is_range(lexicon, run, behind)
                || is_toddler_size(run)
            {
                continue;
            }
            parts.extend(joined(lexicon, run));
            if run.contains(['-', '/']) {
                parts.extend(
                    run.split(['-', '/'])
                        .filter(|piece| is_mixed(piece))
                        .filter_map(|piece| joined(lexicon, piece)),
                );
            }
        }
    }
    parts.sort_unstable();
    parts.dedup();
    // What another one of the name contains is said by that one.
    let whole = |part: &str| !parts.iter().any(|other| other.len() > part.len() && other.contains(part));
    parts.iter().filter(|part| whole(part)).cloned().collect()
}

/// Runs of letters, digits, hyphens, slashes and dots, and what stands behind each.
fn runs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '.');
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[rest.find(is_run)?..];
        let run;
        (run, rest) = rest.split_at(rest.find(|c| !is_run(c)).unwrap_or(rest.len()));
        Some((run, rest))
    })
}

/// Whether dots part a part number, `T055.417.11.057.00` or `WBC2110.BA0603`, and no decimals, versions or addresses.
fn is_dotted(lexicon: &Lexicon, run: &str) -> bool {
    let pieces: Vec<&str> = run.trim_matches('.').split('.').collect();
    let has_digit = |piece: &&str| piece.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = run.bytes().any(|byte| byte.is_ascii_alphabetic());
    let count: usize = pieces.iter().map(|piece| piece.len()).sum();
    pieces.iter().all(has_digit)
        && !pieces.iter().any(|piece| quantities::is_measure(lexicon, piece))
        && match pieces.len() {
            0 | 1 => false,
            2 => has_letter && pieces.iter().all(|piece| piece.len() >= PART_CHARS_MIN),
            _ => count >= if has_letter { DOTTED_CHARS_MIN } else { DOTTED_DIGITS_MIN },
        }
}

/// Whether a run is two amounts of the unit behind it: `600-675 g`.
fn is_range(lexicon: &Lexicon, run: &str, behind: &str) -> bool {
    let word = behind.strip_prefix(' ').unwrap_or(behind);
    let word = &word[..word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len())];
    run.contains('-') && run.split('-').all(is_number) && lexicon.units.get(word).is_some()
}

/// Whether a run is a size of small children or several: `2T-3T`, `12M/18M`.
fn is_toddler_size(run: &str) -> bool {
    let is_age = |age: &str| matches!(age.len(), 1 | 2) && is_number(age);
    run.split(['-', '/']).all(|piece| piece.strip_suffix(['t', 'm']).is_some_and(is_age))
}

/// Whether a part number has letters and digits: one of digits alone proves something where it is shared, and
/// nothing where it is not.
pub(crate) fn is_mixed(part: &str) -> bool {
    part.bytes().any(|byte| byte.is_ascii_digit()) && part.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// A run of letters, digits, hyphens and slashes as a part number, if it is one.
fn joined(lexicon: &Lexicon, run: &str) -> Option<Box<str>> {
    let pieces: Vec<&str> = run.split(['-', '/']).filter(|piece| !piece.is_empty()).collect();
    let part: String = pieces.concat();
    if !(PART_CHARS_MIN..=PART_CHARS_MAX).contains(&part.len()) || is_class(lexicon, &pieces) {
        return None;
    }
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    if digits == part.len() {
        let is_round = part.ends_with(ROUND_END);
        return (digits >= DIGITS_MIN && !is_round && !run.contains('/')).then(|| part.into());
    }
    let word_and_digit = digits == 1 && part.ends_with(|c: char| c.is_ascii_digit());
    if word_and_digit
        && part.len() > WORD_LETTERS_MIN
        && pieces.iter().all(|piece| !is_mixed(piece) || pieces.len() == 1)
    {
        return None;
    }
    let counted = |pieces: &[&str]| match pieces {
        [number, word, ..] => {
            number.len() <= COUNT_DIGITS_MAX
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && word.len() >= COUNTED_LETTERS_MIN
                && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        }
        _ => false,
    };
    let (measures, rest): (Vec<&str>, Vec<&str>) =
        pieces.iter().partition(|piece| quantities::is_measure(lexicon, piece));
    // `DCS-2230L`, `417190-002-5Pack`
    let is_model = quantities::is_series(pieces[0].as_bytes()) && pieces.len() == 2
        || !run.contains('/')
            && rest.concat().len() >= DIGITS_MIN
            && rest.iter().all(|piece| is_number(piece));
    let is_measure = counted(&pieces)
        || quantities::is_measure(lexicon, &part)
        || quantities::is_measure(lexicon, run)
        || !measures.is_empty() && rest.iter().all(|piece| is_word(piece) || is_number(piece));
    if is_measure && !is_model {
        return None;
    }
    Some(part.into())
}

/// Whether a word is digits and points alone.
pub(crate) fn is_decimal(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_number(piece: &str) -> bool {
    piece.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(piece: &str) -> bool {
    piece.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_numbers() {
        for (name, expected) in [
            ("Sony Turntable - PSLX350H", "pslx350h"),
            ("Panasonic Kx-tg9391t Dect 6.0 Two-line Phone - KX-TG9391T", "kxtg9391t"),
            ("Apple iPod nano 8GB (4th Generation) - MB739LL/A", "mb739lla"),
            ("Logitech diNovo Edge Mac Edition - 920-000924", "920000924"),
            ("Omega-3 eggs, omega3, 12-count 500-watt 1080p 802.11n", ""),
            ("Office 2007, 1920x1080, 4x100g, 2400mhz, 24-port", ""),
            ("10/100/1000 switch, 10/100/1000mbps", ""),
            ("LG 42PG20 TV 20000:1, APC 20000 VA", "42pg20"),
            ("458418-B21 HP", "458418b21"),
            ("DVP-NS700H/S DVD", "dvpns700hs"),
            ("D-Link DCS-2230L", "dcs2230l"),
            ("Pasta-500g, lait/500ml, 1920-1080p", ""),
            ("HP 417190-002-5Pack", "4171900025pack"),
            ("Tissot PRC 200 T055.417.11.057.00, L3.781.4.96.6", "l37814966 t0554171105700"),
            ("TAG WBC2110.BA0603 Asics T6E3N.9095", "t6e3n9095 wbc2110ba0603"),
            ("Wi-Fi 802.11n, v7.0.1.2, 12.10.2012, 192.168.1.100, 1.75L, 13.5-megapixel", ""),
            ("Huggies Pull-Ups 2T-3T, Bodysuit 12M/18M", ""),
            ("Core i5 6500T, Asus T-100T", "6500t t100t"),
            ("Crackers 200-225 g, Bread 600-675g, Pods 1000-1200 mL", ""),
            ("G.Skill DDR4 CAT5e HDR10 AC1200 N300 PC4-17000 USB3, 1000VA", ""),
            ("XFX GDDR5 WIFI6 IP67 H.265 LGA1700 W10PRO XBOX360 GU10 80PLUS 2IN1 SATA3 802.11ac", ""),
            ("500MCG 25UG 800LM 70NS 95MBS 5V2A 12V7AH 4K60 1080P60 8CORE 1080I 14KT 300CFM", ""),
            ("DDR4-3200, GDDR5/HDMI2, TL-WR840N/N300, RT-AC68U", "rtac68u tlwr840nn300"),
        ] {
            assert_eq!(parts(Lexicon::shipped(), name).join(" "), expected, "{name:?}");
        }
    }

    #[test]
    fn feet_dimensions_and_sizes_have_one_form() {
        let words = |text: &str| said(Lexicon::shipped(), text).folded.join(" ");
        assert_eq!(words("Cable 6'"), words("Cable 6 ft"));
        assert_eq!(words("Cable 6’, black"), words("Cable 6ft black"));
        assert_eq!(words("Cable 6-foot black"), words("Cable 6 feet, black"));
        assert_eq!(words("Cable 6 Feet"), words("Cable 6 ft"));
        assert_eq!(words("Cola 12x355 mL"), words("Cola 12 x 355 mL"));
        assert_eq!(words("Air Force 1 Size 9.5 White"), words("Air Force 1 White"));
        for as_it_is in ["Levi's 501", "80's hits", "5'2 x", "DVP-NS700H/S", "size matters", "xbox x360"] {
            assert_eq!(words(as_it_is), terms::label_terms(Lexicon::shipped(), as_it_is).join(" "));
        }
    }

    #[test]
    fn the_column_of_part_numbers() {
        assert_eq!(mpn(" 920-000924 ").as_deref(), Some("920000924"));
        assert_eq!(mpn("MB739LL/A").as_deref(), Some("mb739lla"));
        assert_eq!(mpn("n/a"), None);
        assert_eq!(mpn("A-1"), None);
    }
}
