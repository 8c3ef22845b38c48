//! Signs and codes of currencies beside a number.

use crate::types::Country;

/// What stands beside a number says of its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Currency {
    /// Nothing, or a dollar sign alone: dollars of whichever country.
    Unnamed,
    /// A code, or a code and a dollar sign: dollars of this country.
    Of(Country),
    /// One of neither country, or two that contradict each other.
    Foreign,
}

/// Currencies in circulation by ISO 4217, without those of the two countries.
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN \
    BZD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD \
    HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD \
    MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG \
    QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD \
    TZS UAH UGX UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

impl Currency {
    /// Reads what stands before or behind a number: nothing, a sign, a code, or both in either order with or without
    /// blanks between them. `None` when it is none of these.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Some(Self::Unnamed);
        }
        let (letters, sign) = split_sign(text);
        match (sign, country(letters, sign.is_some())) {
            (Some('$'), _) if letters.is_empty() => Some(Self::Unnamed),
            (Some('$') | None, Some(country)) => Some(Self::Of(country)),
            // A$, R$, HK$.
            (Some('$'), None) if letters.len() <= 2 && is_word(letters) => Some(Self::Foreign),
            (Some('$') | None, None) => is_code(letters).then_some(Self::Foreign),
            (Some(_), _) => (letters.len() <= 3 && is_word(letters)).then_some(Self::Foreign),
        }
    }

    /// What two marks of one number say together.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unnamed, said) | (said, Self::Unnamed) => said,
            (one, other) if one == other => one,
            _ => Self::Foreign,
        }
    }

    /// Whether a price of `country` may be so marked; without a country, one of either.
    pub(super) fn is_of(self, country: Option<Country>) -> bool {
        match self {
            Self::Unnamed => true,
            Self::Of(named) => country.is_none_or(|country| country == named),
            Self::Foreign => false,
        }
    }
}

/// Parts `CA$` or `$ CAD` into its letters and its sign.
fn split_sign(text: &str) -> (&str, Option<char>) {
    let is_sign = |letter: &char| matches!(letter, '$' | '£' | '¥' | '\u{e3f}' | '\u{20a0}'..='\u{20c0}' | '\u{fdfc}' | '\u{ffe1}' | '\u{ffe5}'..='\u{ffe6}');
    let (first, last) = (text.chars().next().filter(is_sign), text.chars().next_back().filter(is_sign));
    match (first, last) {
        (_, Some(sign)) => (text[..text.len() - sign.len_utf8()].trim_end(), last),
        (Some(sign), None) => (text[sign.len_utf8()..].trim_start(), first),
        (None, None) => (text, None),
    }
}

/// The country that letters name: by currency or key, and beside a dollar sign also as in `C$`.
fn country(letters: &str, has_sign: bool) -> Option<Country> {
    if has_sign && letters.eq_ignore_ascii_case("C") {
        return Some(Country::Ca);
    }
    let names = |country: &Country| [country.currency(), country.as_str()];
    Country::ALL
        .into_iter()
        .find(|country| names(country).iter().any(|name| name.eq_ignore_ascii_case(letters)))
}

fn is_code(letters: &str) -> bool {
    CODES.split_ascii_whitespace().any(|code| code.eq_ignore_ascii_case(letters))
}

fn is_word(letters: &str) -> bool {
    letters.bytes().all(|letter| letter.is_ascii_alphabetic())
}
