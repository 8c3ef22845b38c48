//! Words of letters and digits that many things share: `DDR4`, `WIFI6`, `IP67`, `GU10`, `WIN10`, `80PLUS`.
//!
//! They look like part numbers and identify nothing. The lexicon lists most of them.

use super::lexicon::{Kind, Lexicon};

/// How the systems begin that are named with an edition, their numbers, and the editions.
const SYSTEMS: [&str; 3] = ["windows", "win", "w"];
const SYSTEM_NUMBERS: [&str; 5] = ["10", "11", "81", "7", "8"];
const EDITIONS: [&str; 10] = ["", "ent", "h", "home", "hp", "p", "pro", "s", "u", "ultimate"];
/// Wireless networks: a number and letters.
const WIRELESS: [&str; 2] = ["80211", "11"];
const WIRELESS_LETTERS: &str = "abegnxc";
const WIRELESS_LETTERS_MAX: usize = 5;
/// What stands behind the number of a class: `100BaseTX`, `5050SMD`.
const BEHIND: [&str; 2] = ["base", "smd"];
/// Cups behind the number of a size.
const CUPS: [&str; 3] = ["dd", "ddd", "xlt"];
/// How fast memory is, in at most so many digits: `70NS`. HP ends models so, too: `870-118ns`.
const NANOSECONDS: &str = "ns";
const NANOSECONDS_DIGITS_MAX: usize = 3;

/// Whether a run of letters and digits, in pieces, is a class that many things are of, or several.
pub(crate) fn is_class(lexicon: &Lexicon, pieces: &[&str]) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return false };
    let is_number = |piece: &&str| piece.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = |piece: &str| is_one(lexicon, piece);
    is_one(&pieces.concat()) || is_one(first) && rest.iter().all(|piece| is_number(piece) || is_one(piece))
}

fn is_one(lexicon: &Lexicon, part: &str) -> bool {
    is_listed(lexicon, part)
        || is_system(part)
        || is_counted(part)
        || is_wireless(part)
        || is_waist_and_length(part)
}

/// Whether the lexicon has the whole code, or its prefix with a maximum that its number does not exceed. One letter may
/// follow the number.
fn is_listed(lexicon: &Lexicon, part: &str) -> bool {
    let number_of = |at: usize| {
        let most: u32 = lexicon.value(Kind::Code, &part[..at])?.parse().ok()?;
        let letters = part[at..].trim_start_matches(|c: char| c.is_ascii_digit());
        let number: u32 = part[at..part.len() - letters.len()].parse().ok()?;
        Some(letters.len() <= 1 && number <= most)
    };
    lexicon.value(Kind::Code, part) == Some("")
        || part.char_indices().any(|(at, _)| number_of(at).unwrap_or(false))
}

fn is_system(part: &str) -> bool {
    SYSTEMS.iter().filter_map(|name| part.strip_prefix(name)).any(|rest| {
        SYSTEM_NUMBERS
            .iter()
            .filter_map(|number| rest.strip_prefix(number))
            .any(|edition| EDITIONS.contains(&edition))
    })
}

/// A number and the word that it belongs to.
fn is_counted(part: &str) -> bool {
    let word = part.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = part.len() - word.len();
    let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    digits > 0
        && is_word
        && (BEHIND.iter().any(|behind| word.starts_with(behind))
            || CUPS.contains(&word)
            || digits <= NANOSECONDS_DIGITS_MAX && word == NANOSECONDS)
}

/// `802.11ac`
fn is_wireless(part: &str) -> bool {
    let letters = WIRELESS.iter().find_map(|number| part.strip_prefix(number)).unwrap_or_default();
    (1..=WIRELESS_LETTERS_MAX).contains(&letters.len())
        && letters.chars().all(|c| WIRELESS_LETTERS.contains(c))
}

/// `W34L32`
fn is_waist_and_length(part: &str) -> bool {
    let is_size = |size: &str| size.len() == 2 && size.bytes().all(|byte| byte.is_ascii_digit());
    part.strip_prefix('w')
        .and_then(|rest| rest.split_once('l'))
        .is_some_and(|(waist, length)| is_size(waist) && is_size(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(run: &str) -> bool {
        is_class(Lexicon::shipped(), &run.split(['-', '/']).collect::<Vec<_>>())
    }

    #[test]
    fn recognises_generic_class_codes() {
        let all = "gddr5 gddr6x lpddr5x hbm2 nvme3 usb30 wifi6 wifi6e pcie4 ipx7 ip67 h264 h265 wpa2 rj45 cat6a ac1200 \
                   ax3000 lga1151 lga1700 coq10 pc4-17000 pc3l-12800s ddr4-3200 uhs1 gen3 win10 w10pro win7 xbox360 \
                   office365 spf30 spf-30 gu10 mr16 par30 br30 mpeg4 vitb12 r410a 100basetx 80plus hdr10 5050smd \
                   80211ac 11abgn docsis31 sata3 cr2032 18650 w34l32 34ddd 70ns e26/e27 gddr5/ip67 n300";
        for run in all.split_whitespace() {
            assert!(class(run), "{run}");
        }
    }

    #[test]
    fn does_not_treat_part_numbers_as_class_codes() {
        let all = "pslx350h dscw150 kxtg9391t mb739lla rt-ac68u be550g ip4500 ip90 cl41 par1000 br500 w120 win500 \
                   42pg20 mr220 920000924 dcs-2230l 870-118ns wifi-1 501plong sata-pci2 xbox-s10x hdmi4x2 20hrs0xx 1234abcdef";
        for run in all.split_whitespace() {
            assert!(!class(run), "{run}");
        }
    }
}
