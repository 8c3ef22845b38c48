//! Words of letters and digits that many things share: `DDR4`, `WIFI6`, `IP67`, `GU10`, `WIN10`, `80PLUS`.
//!
//! They look like part numbers and identify nothing. Written by hand.

/// What a class begins with, and the largest number that may follow; one more letter may end it.
const CLASSES: &[(&str, u32)] = &[
    // Memory and drives.
    ("ata", 150),
    ("cas", 50),
    ("ddr", 999_999),
    ("ddr3l", 9_999),
    ("gddr", 9),
    ("gen", 20),
    ("hbm", 9),
    ("lpddr", 9),
    ("nvme", 9),
    ("pc", 999_999),
    ("pc3l", 99_999),
    ("pcie", 999_999),
    ("raid", 60),
    ("sas", 24),
    ("sata", 600),
    ("scsi", 640),
    ("udma", 150),
    ("uhs", 3),
    ("usb", 999_999),
    // Networks.
    ("ac", 999_999),
    ("ax", 999_999),
    ("cat", 999_999),
    ("docsis", 40),
    ("ipv", 6),
    ("qsfp", 112),
    ("rj", 50),
    ("sfp", 56),
    ("wpa", 3),
    // Pictures and sound.
    ("atsc", 3),
    ("dvbc", 2),
    ("dvbs", 2),
    ("dvbt", 2),
    ("hdmi", 22),
    ("hdr", 9_999),
    ("mpeg", 4),
    ("vesa", 600),
    // Against water, dust and blows.
    ("ik", 10),
    ("ip", 69),
    ("ipx", 9),
    // Lamps.
    ("br", 40),
    ("cri", 99),
    ("gu", 24),
    ("gx", 53),
    ("mr", 16),
    ("par", 64),
    ("smd", 9_999),
    // Sockets and systems.
    ("android", 20),
    ("directx", 12),
    ("dx", 12),
    ("ios", 30),
    ("lga", 9_999),
    ("macos", 20),
    ("office", 2_099),
    ("osx", 20),
    ("socket", 9_999),
    ("xbox", 360),
    // Care.
    ("coq", 10),
    ("fps", 110),
    ("spf", 110),
    ("upf", 110),
    ("uv", 400),
    ("vitaminb", 12),
    ("vitamind", 3),
    ("vitb", 12),
    ("vitd", 3),
];

/// Further ones, sorted.
const WORDS: &[&str] = &[
    "18650", "21700", "26650", "304ss", "80plus", "ag13", "be11000", "be19000", "be3600", "be9300", "cr123",
    "cr123a", "cr1616", "cr1620", "cr1632", "cr2016", "cr2025", "cr2032", "cr2430", "cr2450", "e26e27",
    "h264", "h265", "lr41", "lr44", "mp3s", "mp4s", "n150", "n300", "n450", "n600", "n750", "n900", "r134a",
    "r404a", "r407c", "r410a", "r600a", "s925", "ss304", "ss316", "sus304", "wifi4", "wifi5", "wifi6",
    "wifi6e", "wifi7", "x264", "x265",
];

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
pub(crate) fn is_class(pieces: &[&str]) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return false };
    let is_number = |piece: &&str| piece.bytes().all(|byte| byte.is_ascii_digit());
    is_one(&pieces.concat()) || is_one(first) && rest.iter().all(|piece| is_number(piece) || is_one(piece))
}

fn is_one(part: &str) -> bool {
    let is_of = |&(class, most): &(&str, u32)| {
        part.strip_prefix(class).is_some_and(|rest| {
            let letters = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = rest[..rest.len() - letters.len()].parse::<u32>();
            letters.len() <= 1 && number.is_ok_and(|number| number <= most)
        })
    };
    WORDS.binary_search(&part).is_ok()
        || CLASSES.iter().any(is_of)
        || is_system(part)
        || is_counted(part)
        || is_wireless(part)
        || is_waist_and_length(part)
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
        is_class(&run.split(['-', '/']).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_sorted_for_the_search() {
        assert!(WORDS.is_sorted_by(|a, b| a < b));
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
