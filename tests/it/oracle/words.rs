//! Words of the law, written apart from the server: uid, barcode, brand, slug, condition, search terms.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

const CROCKFORD: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The first 64 bits of BLAKE3 as 13 characters of base32, padded with one zero bit on the right.
pub fn uid(prefix: &str, text: &str) -> String {
    let hash = blake3::hash(text.as_bytes());
    let mut bits = 0u128;
    for byte in &hash.as_bytes()[..8] {
        bits = bits << 8 | u128::from(*byte);
    }
    bits <<= 1;
    let mut out = prefix.to_string();
    for i in (0..13).rev() {
        out.push(CROCKFORD[(bits >> (5 * i) & 31) as usize] as char);
    }
    out
}

/// NFKD without diacritics, lower case.
pub fn plain(s: &str) -> String {
    s.nfkd().filter(|c| !is_combining_mark(*c)).collect::<String>().to_lowercase()
}

pub fn slug(s: &str) -> String {
    let text = plain(s).replace('&', " and ");
    let parts: Vec<&str> = text
        .split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()))
        .filter(|p| !p.is_empty())
        .collect();
    parts.join("-")
}

// ---- brand ----

const PLACEHOLDERS: [&str; 16] = [
    "",
    "null",
    "none",
    "no",
    "no brand",
    "nobrand",
    "generic",
    "unbranded",
    "unknown",
    "n/a",
    "na",
    "not applicable",
    "does not apply",
    "-",
    "--",
    "brand",
];
const LEGAL_FORMS: [&str; 8] = ["inc", "llc", "ltd", "co", "corp", "company", "corporation", "gmbh"];

pub fn brand_key(raw: &str) -> Option<String> {
    // Spaces of every kind are blanks.
    let blank = |c: char| if c.is_whitespace() { ' ' } else { c };
    if PLACEHOLDERS.contains(&raw.chars().map(blank).collect::<String>().trim().to_lowercase().as_str()) {
        return None;
    }
    let text = plain(raw).replace('&', " and ").replace(['.', '\'', '\u{2019}', '\u{2018}'], "");
    let mut words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    while words.len() > 1 && LEGAL_FORMS.contains(words.last().expect("not empty")) {
        words.pop();
    }
    let key = words.concat();
    (!key.is_empty()).then_some(key)
}

// ---- barcode ----

fn check_digit_holds(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| u32::from(d - b'0') * if i % 2 == 1 { 3 } else { 1 })
        .sum();
    sum.is_multiple_of(10)
}

/// The usable GTIN-14, if the raw column holds one: as it stands, or as eight digits of UPC-E.
pub fn barcode(raw: &str) -> Option<String> {
    let text = raw.trim();
    if text.chars().any(char::is_alphabetic) {
        return None;
    }
    let text = text.strip_suffix(".0").unwrap_or(text);
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    usable(digits.as_bytes().to_vec()).or_else(|| usable(upc_a(&digits)?.into_bytes()))
}

/// The twelve digits that eight of UPC-E stand for.
fn upc_a(short: &str) -> Option<String> {
    if short.len() != 8 || !short.starts_with(['0', '1']) {
        return None;
    }
    let (system, body, check) = (&short[..1], &short[1..7], &short[7..]);
    let last = &body[5..];
    let middle = match last {
        "0" | "1" | "2" => format!("{}{last}0000{}", &body[..2], &body[2..5]),
        "3" => format!("{}00000{}", &body[..3], &body[3..5]),
        "4" => format!("{}00000{}", &body[..4], &body[4..5]),
        _ => format!("{}0000{last}", &body[..5]),
    };
    Some(format!("{system}{middle}{check}"))
}

fn usable(mut digits: Vec<u8>) -> Option<String> {
    let given = digits.clone();
    match digits.len() {
        8 | 12 | 13 | 14 => {}
        9..=11 => {
            while digits.len() < 12 {
                digits.insert(0, b'0');
            }
        }
        _ => return None,
    }
    while digits.len() < 14 {
        digits.insert(0, b'0');
    }
    if !check_digit_holds(&digits) || given.iter().all(|d| *d == given[0]) {
        return None;
    }
    let code = String::from_utf8(digits).expect("digits");
    if code.starts_with("000000") {
        let eight = code.as_bytes()[6..].to_vec();
        if eight[0] == b'0' || eight[0] == b'2' || eight.iter().all(|d| *d == eight[0]) {
            return None;
        }
    } else if code.starts_with('0') {
        let prefix: u32 = code[1..4].parse().expect("digits");
        if matches!(prefix, 20..=29 | 40..=59 | 200..=299 | 980..=984 | 990..=999) {
            return None;
        }
    }
    Some(code)
}

// ---- condition ----

const REFURBISHED: [&str; 8] = [
    "refurbished",
    "refurb",
    "renewed",
    "restored",
    "reconditioned",
    "remanufactured",
    "recertified",
    "certified pre owned",
];
const USED: [&str; 8] =
    ["used", "pre owned", "preowned", "second hand", "secondhand", "open box", "like new", "for parts"];

/// Its words in lower case: what is neither letter nor digit parts them.
pub fn words_of(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_string).collect()
}

fn holds(words: &[String], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let p: Vec<&str> = phrase.split(' ').collect();
        words.windows(p.len()).enumerate().any(|(i, w)| {
            let idle = p == ["used"] && words.get(i + 1).is_some_and(|next| next == "for");
            w.iter().zip(&p).all(|(a, b)| a == b) && !idle
        })
    })
}

pub fn condition(column: Option<&str>, name: &str, brand: Option<&str>, url: Option<&str>) -> &'static str {
    let said = words_of(column.unwrap_or(""));
    if said == ["unknown"] {
        return "unknown";
    }
    if holds(&said, &REFURBISHED) {
        return "refurbished";
    }
    if holds(&said, &USED) {
        return "used";
    }
    if said.first().is_some_and(|w| w == "new") {
        return "new";
    }
    let own = words_of(brand.unwrap_or(""));
    let name: Vec<String> = words_of(name).into_iter().filter(|w| !own.contains(w)).collect();
    let url = words_of(&path_and_query(url.unwrap_or("")));
    for (phrases, answer) in [(&REFURBISHED, "refurbished"), (&USED, "used")] {
        if holds(&name, phrases) || holds(&url, phrases) {
            return answer;
        }
    }
    "new"
}

/// Without scheme, host and fragment.
fn path_and_query(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, r)| r);
    let rest = rest.split('#').next().unwrap_or("");
    rest.find(['/', '?']).map_or(String::new(), |i| rest[i..].to_string())
}

// ---- search terms ----

const UNITS: [&str; 14] =
    ["oz", "lb", "g", "kg", "ml", "cl", "l", "qt", "pt", "gal", "ct", "count", "pk", "pack"];

/// Terms of a query or a product name; a number and the unit after it are one term.
pub fn terms(text: &str) -> Vec<String> {
    // A point between two digits belongs to the number.
    let letters: Vec<char> = plain(text).chars().filter(|c| !"'’‘ʼ`".contains(*c)).collect();
    let digit = |at: Option<usize>| at.and_then(|i| letters.get(i)).is_some_and(char::is_ascii_digit);
    let kept = |(i, &c): (usize, &char)| match c {
        '.' if digit(i.checked_sub(1)) && digit(Some(i + 1)) => c,
        c if c.is_alphanumeric() => c,
        _ => ' ',
    };
    let spaced: String = letters.iter().enumerate().map(kept).collect();
    let words: Vec<String> = spaced.split_whitespace().map(str::to_string).collect();
    let mut out: Vec<String> = Vec::new();
    let is_number = |w: &str| w.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    for (i, w) in words.iter().enumerate() {
        // Fluid ounces are one unit in two words.
        let fluid = w == "fl" && words.get(i + 1).is_some_and(|next| next == "oz");
        match out.last_mut() {
            Some(last) if is_number(last) && (fluid || UNITS.contains(&w.as_str())) => last.push_str(w),
            Some(last)
                if w == "oz" && last.strip_suffix("fl").is_some_and(|n| !n.is_empty() && is_number(n)) =>
            {
                last.push_str(w);
            }
            _ => out.push(w.clone()),
        }
    }
    out
}
