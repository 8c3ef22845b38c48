//! The linker, rule by rule.

use super::comparison::FEATURES;
use super::veto::{BrandMatch, PartMatch, part_match};
use super::*;
use crate::lang::brand::brand_key;

/// A listing of a test.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) uid: u64,
    pub(super) platform: u16,
    pub(super) name: String,
    pub(super) brand: &'static str,
    pub(super) gtin: u64,
    pub(super) condition: Condition,
    pub(super) price: u32,
    pub(super) seen: Day,
    pub(super) mpn: &'static str,
}

const PLATFORMS: [&str; 4] = ["walmart", "metro", "voila", "corner-shop"];
pub(super) const WALMART: u16 = 0;
pub(super) const METRO: u16 = 1;
pub(super) const VOILA: u16 = 2;
pub(super) const CORNER: u16 = 3;

pub(super) fn row(platform: u16, name: &str) -> Row {
    Row {
        uid: 0,
        platform,
        name: name.to_owned(),
        brand: "",
        gtin: 0,
        condition: Condition::New,
        price: 999,
        seen: Day::from_days(20_000),
        mpn: "",
    }
}

impl Row {
    pub(super) fn brand(self, brand: &'static str) -> Self {
        Self { brand, ..self }
    }

    pub(super) fn mpn(self, mpn: &'static str) -> Self {
        Self { mpn, ..self }
    }

    pub(super) fn gtin(self, gtin: u64) -> Self {
        Self { gtin, ..self }
    }

    pub(super) fn uid(self, uid: u64) -> Self {
        Self { uid, ..self }
    }
}

/// The linker of rows; those without a uid get their place as one.
fn linker(rows: &[Row]) -> Linker<'static> {
    with_items(rows, |brands, items| {
        Linker::new(Lexicon::shipped(), &PLATFORMS.map(str::to_owned), brands, items)
    })
}

fn with_items<R>(rows: &[Row], then: impl FnOnce(&[BrandName<'_>], Vec<Item<'_>>) -> R) -> R {
    let mut brands: Vec<(String, &str)> =
        rows.iter().filter_map(|row| Some((brand_key(row.brand)?, row.brand))).collect();
    brands.sort_unstable();
    brands.dedup_by(|a, b| a.0 == b.0);
    let number = |row: &Row| {
        let key = brand_key(row.brand);
        key.and_then(|key| brands.iter().position(|brand| brand.0 == key)).map_or(NONE, |at| at as u32)
    };
    let names: Vec<BrandName<'_>> = brands.iter().map(|(key, label)| BrandName { key, label }).collect();
    let items = rows.iter().zip(0..).map(|(listing, at)| Item {
        row: at,
        uid: if listing.uid == 0 { u64::from(at) + 1 } else { listing.uid },
        platform: listing.platform,
        name: &listing.name,
        brand: number(listing),
        gtin: listing.gtin,
        condition: listing.condition,
        price: listing.price,
        seen: listing.seen,
        mpn: listing.mpn,
    });
    then(&names, items.collect())
}

/// What the linker says of the first two rows.
fn described(rows: &[Row]) -> Described {
    linker(rows).describe(&[(0, 1)])[0].clone().unwrap()
}

pub(super) fn veto(a: Row, b: Row) -> Option<Veto> {
    let linker = linker(&[a, b]);
    let (a, b) = (&linker.profiles[0], &linker.profiles[1]);
    assert_eq!(linker.veto(a, b), linker.veto(b, a), "a veto has no direction");
    linker.veto(a, b)
}

/// A veto between two names at Walmart and Metro.
pub(super) fn veto_of(a: &str, b: &str) -> Option<Veto> {
    veto(row(WALMART, a), row(METRO, b))
}

/// Names of the listings of each link.
pub(super) fn linked(rows: &[Row]) -> Vec<(u32, u32)> {
    linker(rows).links(Confidence::THRESHOLD).iter().map(|link| (link.left, link.right)).collect()
}

#[test]
fn evidence_of_a_part_number() {
    let pair = |a, b| described(&[row(WALMART, a), row(METRO, b)]).is_identified;
    assert!(pair("Turntable PSLX350H", "Record Player PS-LX350H"));
    assert!(pair("Camera DSCW150", "Camera DSC-W150/B"));
    assert!(!pair("Camera", "Camera"));
    assert!(!pair("Bulb GU10 800LM", "Bulb GU10 800LM"), "a class and a measure are none");
    // Contained, but within a run of digits.
    assert!(!pair("Switch FS10", "Switch FS105"));
}

/// What two names look like that share a part, a brand or a number of pieces, and what of it only one of them says.
#[test]
fn measures_details_named_on_one_side_only() {
    // In thirds, of which all of these are.
    let feature = |a: Row, b: Row, name: &str| {
        let at = FEATURES.iter().position(|feature| *feature == name).unwrap();
        (3.0 * described(&[a, b]).features[at]).round() as u32
    };
    let more = |a, b| feature(row(WALMART, a), row(METRO, b), "part_more");
    assert_eq!(more("Processor i7-6700", "Processor i7-6700K"), 1);
    assert_eq!(more("Processor i7-6700", "Processor i7-6700HQ"), 2);
    assert_eq!(more("Processor i7-6700", "Processor i7-6700"), 0);
    let brand = |other| feature(row(WALMART, "Intel i5-650").brand("Intel"), other, "brand_equal");
    assert_eq!(brand(row(METRO, "Processor i5-650").brand("Intel")), 3);
    assert_eq!(brand(row(METRO, "Z200 with Intel i5-650").brand("HP")), 0, "it is named, and another's");
    let pieces = |a, b| feature(row(WALMART, a), row(METRO, b), "pieces_alone");
    assert_eq!(pieces("Drive 146-GB 5 Pack", "Drive 146-GB"), 3);
    assert_eq!(pieces("Drive 146-GB, 1 Pack", "Drive 146-GB"), 0, "one is what everything is sold by");
    assert_eq!(pieces("Drive 146-GB 5 Pack", "Drive 146-GB 5 pcs"), 0);
}

#[test]
fn evidence_of_a_brand() {
    let pair = |a: Row, b: Row| described(&[a, b]).is_identified;
    let plain = |platform| row(platform, "Rolled Oats");
    assert!(pair(plain(WALMART).brand("Quaker"), plain(METRO).brand("Quaker")));
    assert!(pair(plain(WALMART).brand("Quaker"), row(METRO, "Quaker Rolled Oats")));
    assert!(pair(plain(WALMART).brand("Nature Valley"), row(METRO, "NatureValley Oats")));
    assert!(pair(plain(WALMART).brand("Zone Labs"), row(METRO, "ZoneLabs Oats")), "joined, and folded");
    assert!(!pair(plain(WALMART).brand("Quaker"), plain(METRO)));
    assert!(!pair(plain(WALMART).brand("Nature Valley"), row(METRO, "Nature Oats")));
}

#[test]
fn evidence_of_a_pack_and_a_rare_term() {
    let pair = |rows: &[Row]| described(rows).is_identified;
    let oats = |platform, pack: &str| row(platform, &format!("Rolled Oats {pack}"));
    assert!(pair(&[oats(WALMART, "1 kg"), oats(METRO, "1000 g")]));
    assert!(pair(&[oats(WALMART, "12 pack"), oats(METRO, "12 ct")]));
    assert!(pair(&[oats(WALMART, "10 bars 210 g"), oats(METRO, "210 g, 10 bars, 5 ct")]), "one of several");
    assert!(!pair(&[oats(WALMART, "12 pack 355 ml"), oats(METRO, "355 ml")]), "twelve are no single one");
    for none in ["Lens f/1.8G", "MicroSD 16G", "850 Evo Bar"] {
        assert!(!pair(&[oats(WALMART, none), oats(METRO, none)]), "{none}");
    }
    assert!(pair(&[oats(WALMART, "4 x 100 g"), oats(METRO, "4 Each")]), "four pieces each");
    assert!(pair(&[oats(WALMART, "907 GR"), oats(METRO, "907 g")]), "a word that only readers of links know");
    assert!(!pair(&[oats(WALMART, "8 x 93 mL"), oats(METRO, "8 x 100 g")]), "eight of other packs");
    let served = [oats(WALMART, "9G Protein"), oats(METRO, "9 g protein")];
    assert!(
        pair(&served) && !pair(&[served[0].clone(), oats(METRO, "")]),
        "what a serving holds is told as exactly"
    );
    assert!(!pair(&[oats(WALMART, "1 kg"), oats(METRO, "")]), "one pack is no equal one");
    assert!(!pair(&[oats(WALMART, ""), oats(METRO, "")]), "two nulls are not equal");
    // Six listings of each platform hold all terms of the pair: five would be few.
    let crowd = |count| -> Vec<Row> {
        let of = |platform| (0..count).map(move |_| row(platform, "Rolled Oats 1 kg"));
        let pair = [row(WALMART, "Rolled Oats 1 kg"), row(METRO, "Rolled Oats 1 kg")];
        pair.into_iter().chain(of(WALMART)).chain(of(METRO)).collect()
    };
    assert!(pair(&crowd(4)) && !pair(&crowd(5)));
}

#[test]
fn evidence_is_a_brand_that_names_begin_with() {
    let pair = |a: Row, b: Row, others: &[&str]| {
        let others = others.iter().map(|name| row(VOILA, name));
        described(&[a, b].into_iter().chain(others).collect::<Vec<_>>()).is_identified
    };
    let almonds = "Farmhouse Almonds";
    let others = ["Farmhouse Walnuts", "Farmhouse Pecans", "Farmhouse Cashews"];
    let (a, b) = (row(WALMART, almonds), row(METRO, almonds));
    assert!(pair(a.clone(), b.clone(), &others), "five names begin with it");
    assert!(!pair(a.clone(), b.clone(), &others[..2]), "four do");
    let within = ["Old Farmhouse Bread", "New Farmhouse Bread", "Small Farmhouse Bread"];
    assert!(pair(a.clone(), b.clone(), &[&others[..], &within[..2]].concat()), "five of seven");
    assert!(!pair(a.clone(), b.clone(), &[&others[..], &within[..]].concat()), "five of eight");
    assert!(!pair(a.clone(), b.clone(), &[almonds, others[0], others[1]]), "three kinds");
    assert!(!pair(a.clone(), b.clone(), &[&others[..], &[almonds; 3]].concat()), "five of eight of one kind");
    assert!(
        pair(a.clone(), row(METRO, "Almonds, Farmhouse"), &[&others[..], &[almonds]].concat()),
        "one leads"
    );
    assert!(
        !pair(a.clone(), row(METRO, "Whole Almonds"), &[&others[..], &[almonds]].concat()),
        "one is silent"
    );
    assert!(pair(a.clone(), b.clone().brand("Farmhouse Mills"), &others), "it is the brand");
    assert!(!pair(a.clone(), b.clone().brand("Acme"), &others), "a column names another one");
    assert!(!pair(a.brand("Nutty"), b.brand("Acme"), &others), "a column says which brand it is");
    let of = |word: &str| {
        let others = others.map(|name| name.replace("Farmhouse", word));
        let name = almonds.replace("Farmhouse", word);
        pair(row(WALMART, &name), row(METRO, &name), &others.each_ref().map(String::as_str))
    };
    assert!(of("Acme") && !of("7"), "a number is no brand");
    assert!(!of("Organic") && !of("Premium") && !of("Red"), "what tells variants apart is none");
    // A brand in a name is less than one in a column: no number stands against another.
    let numbered = |ours: &str, theirs: &str| {
        pair(row(WALMART, &format!("{almonds} {ours}")), row(METRO, &format!("{almonds} {theirs}")), &others)
    };
    assert!(numbered("N2", "") && !numbered("N2", "N3") && !numbered("1050", "750ti"));
    assert!(numbered("4 each", "4 x 100 g") && !numbered("4 pack 100 g", "6 pack 100 g"));
}

/// Without evidence there is no link, however alike two names are.
#[test]
fn likeness_alone_links_nothing() {
    let names = ["Whole Natural Almonds Roasted", "Whole Natural Almonds Roasted"];
    let rows = [row(WALMART, names[0]), row(METRO, names[1])];
    assert_eq!(described(&rows).veto, None);
    assert!(linker(&rows).links(Confidence(0)).is_empty());
}

#[test]
fn ten_candidates_of_each_platform_and_ties_by_uid() {
    let mut rows = vec![row(WALMART, "Zanzibar Clove Powder 50 g")];
    for uid in (0..12).rev() {
        for platform in [METRO, VOILA] {
            rows.push(row(platform, "Zanzibar Clove Powder 50 g").uid(100 + 2 * uid + u64::from(platform)));
        }
    }
    rows.push(row(METRO, "Zanzibar Clove Powder 50 g Fine").uid(3));
    rows[0].uid = 1;
    let linker = linker(&rows);
    let at = linker.profiles.iter().position(|profile| profile.uid == 1).unwrap() as u32;
    let found = |platform: u16| -> Vec<u64> {
        let candidates = linker.candidates(at, &mut linker.no_marks());
        let profiles = candidates.iter().map(|&at| &linker.profiles[at as usize]);
        let mut uids: Vec<u64> = profiles.filter(|p| p.platform == platform).map(|p| p.uid).collect();
        uids.sort_unstable();
        uids
    };
    let lowest =
        |platform: u16| -> Vec<u64> { (0..10).map(|uid| 100 + 2 * uid + u64::from(platform)).collect() };
    // The lowest uids of the alike; the less alike one is not among them though its uid is lower.
    assert_eq!(found(METRO), lowest(METRO));
    assert_eq!(found(VOILA), lowest(VOILA));
}

#[test]
fn vetoes_every_pair_told_apart_by_columns() {
    let names = [
        "Sony Turntable PSLX350H",
        "Sony Turntable PSLX350H Black",
        "Sony Turntable Black",
        "Turntable White",
        "Mini Turntable",
        "Black & Decker Turntable",
        "Milk Chocolate Bar",
        "Dark Chocolate Bar",
        "Boneless Chicken",
        "Chicken Bone In",
        "Case for Turntable",
        "Men Turntable Organic",
    ];
    let rows = |platform| names.map(move |name| row(platform, name));
    let linker = linker(&[rows(WALMART), rows(METRO)].concat());
    let mut told = 0;
    for (at, a) in linker.profiles.iter().enumerate() {
        for (with, b) in linker.profiles.iter().enumerate().filter(|(_, b)| b.platform != a.platform) {
            let is_told = linker.columns.are_told_apart(linker.bits, &linker.groups, at as u32, with as u32);
            assert!(!is_told || linker.veto(a, b).is_some(), "{:?} {:?}", linker.rows[at], linker.rows[with]);
            told += u32::from(is_told);
        }
    }
    assert!(told > 100, "{told}");
}

#[test]
fn part_numbers_make_candidates() {
    let linker = linker(&[row(WALMART, "Turntable PSLX350H"), row(METRO, "Plattenspieler PS-LX350H/B")]);
    assert_eq!(linker.all_candidates(), [(0, 1)]);
    let silent = super::tests::linker(&[row(WALMART, "Turntable"), row(METRO, "Plattenspieler")]);
    assert!(silent.all_candidates().is_empty());
}

#[test]
fn one_to_one_within_two_platforms() {
    let name = "Sony Turntable PSLX350H";
    // Two equal offers of one shop: the lower uid has the link. Another platform has its own.
    let rows = [
        row(WALMART, name).uid(10),
        row(METRO, name).uid(30),
        row(METRO, name).uid(20),
        row(VOILA, name).uid(40),
    ];
    assert_eq!(linked(&rows), [(0, 2), (0, 3), (2, 3)]);
    // One of which it no longer sells: the other has the link, whichever uid is lower.
    for renamed in [1, 2] {
        let mut rows = rows.clone();
        rows[renamed].seen = rows[0].seen.plus_days(-40);
        let sold = 3 - renamed as u32;
        assert_eq!(linked(&rows), [(0, sold), (0, 3), (sold, 3)]);
    }
    // The better pair comes first, and then what is left.
    let rows = [
        row(WALMART, "Sony Turntable PSLX350H Black").uid(10),
        row(WALMART, "Sony Turntable PSLX350H").uid(11),
        row(METRO, "Sony Turntable PSLX350H Black").uid(12),
        row(METRO, "Sony Turntable PSLX350H").uid(13),
    ];
    assert_eq!(linked(&rows), [(0, 2), (1, 3)]);
}

#[test]
fn equal_brand_and_part_number_are_the_surest() {
    let of = |platform, name| row(platform, name).brand("Bosch").mpn("0601869370");
    let rows = [of(WALMART, "Cordless Drill"), of(METRO, "Perceuse sans fil")];
    let links = linker(&rows).links(Confidence::THRESHOLD);
    let [link] = links.as_slice() else { panic!("{links:?}") };
    assert_eq!((link.left, link.right), (0, 1));
    assert!(link.score.get() >= 1.0 && link.reasons & reason::MPN != 0, "{link:?}");
    // Without the brand it is a part number like another.
    let alone = rows.clone().map(|row| row.brand(""));
    assert!(described(&alone).score < link.score);
}

#[test]
fn reasons_are_told() {
    let of = |platform| row(platform, "Sony Turntable PSLX350H 2 pack").brand("Sony");
    let [link] = linker(&[of(WALMART), Row { price: 1100, ..of(METRO) }]).links(Confidence(0))[..] else {
        panic!("one link")
    };
    assert_eq!(link.reasons, reason::ALL & !reason::MPN & !reason::PRICE);
    let [link] = linker(&[of(WALMART), Row { price: 1098, ..of(METRO) }]).links(Confidence(0))[..] else {
        panic!("one link")
    };
    assert_eq!(link.reasons, reason::ALL & !reason::MPN);
}

#[test]
fn a_pack_is_a_reason_where_names_state_one() {
    let has_pack = |brand, pack: &str| {
        let of = |platform| row(platform, &format!("Oikos Drinkable Yogurt Banana {pack}")).brand(brand);
        let links = linker(&[of(WALMART), of(METRO)]).links(Confidence(0));
        links.first().map(|link| link.reasons & reason::PACK != 0)
    };
    for pack in ["190 ml", "10 bars, 210 g, 5 ct"] {
        assert_eq!(has_pack("", pack), Some(true), "{pack}");
    }
    assert_eq!(has_pack("", "9G Protein"), Some(false), "what a serving holds is none");
    // Nor is a memory, and it is no evidence.
    assert_eq!((has_pack("", "16G"), has_pack("Oikos", "16G")), (None, Some(false)));
}

/// A country of many alike names.
fn crowd() -> Vec<Row> {
    let makes = ["Sony Turntable", "Canon PowerShot Camera", "Quaker Rolled Oats", "Bose Headphones"];
    let colours = ["Black", "White", ""];
    (0..600_u32)
        .map(|number| {
            let make = makes[(number % 4) as usize];
            let colour = colours[(number / 7 % 3) as usize];
            let name = match number % 4 {
                2 => format!("{make} {} g Mill {}", 100 * (1 + number / 4 % 5), number / 40),
                _ => format!("{make} {colour} XK{}", 100 + number / 12),
            };
            let uid = u64::from(number.wrapping_mul(2_654_435_761)) + 1;
            Row { price: 500 + number % 90, ..row((number % 3) as u16, &name).uid(uid) }
        })
        .collect()
}

/// Links by uid.
fn links_by_uid(rows: &[Row]) -> Vec<(u64, u64, Score, u16, u8)> {
    let uid = |row: u32| rows[row as usize].uid;
    let links = linker(rows).links(Confidence(0));
    let mut told: Vec<_> = links
        .iter()
        .map(|link| (uid(link.left), uid(link.right), link.score, link.confidence.0, link.reasons))
        .collect();
    assert!(told.iter().all(|link| link.0 < link.1));
    told.sort_unstable();
    told
}

#[test]
fn links_are_the_same_on_any_number_of_threads_and_in_any_order() {
    let rows = crowd();
    let known = links_by_uid(&rows);
    assert!(known.len() > 100, "{}", known.len());
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| links_by_uid(&rows)), known, "{threads} threads");
    }
    for step in [7, 101, 599] {
        // `step` and 600 have no divisor in common, so that every row comes once.
        let shuffled: Vec<Row> =
            (0..rows.len()).map(|at| rows[(at * step + 13) % rows.len()].clone()).collect();
        assert_eq!(links_by_uid(&shuffled), known, "every {step}th");
    }
}

#[test]
fn listings_may_come_a_few_at_a_time() {
    let rows = crowd();
    let known = linker(&rows).links(Confidence(0));
    for at_a_time in [1, 7, 250] {
        let links = with_items(&rows, |brands, mut items| {
            items.sort_unstable_by_key(|item| (item.platform, item.uid));
            let mut reader = LinkerReader::new(Lexicon::shipped(), brands, items.len());
            items.chunks(at_a_time).for_each(|items| reader.take(items));
            reader.finish(&PLATFORMS.map(str::to_owned)).links(Confidence(0))
        });
        assert_eq!(links, known, "{at_a_time} at a time");
    }
}

#[test]
fn vetoes_and_evidence_have_no_direction() {
    let linker = linker(&crowd());
    for (a, b) in linker.pairs(|_, _| {}) {
        let (a, b) = (&linker.profiles[a as usize], &linker.profiles[b as usize]);
        assert_eq!(linker.veto(a, b), linker.veto(b, a));
        assert_eq!(linker.is_identified(a, b), linker.is_identified(b, a));
    }
}

#[test]
fn links_keep_every_rule() {
    let rows = crowd();
    let linker = linker(&rows);
    let links = linker.links(Confidence::THRESHOLD);
    let pairs: Vec<(u32, u32)> = links.iter().map(|link| (link.left, link.right)).collect();
    let mut taken = std::collections::HashSet::new();
    for (link, described) in links.iter().zip(linker.describe(&pairs)) {
        let described = described.unwrap();
        assert!(described.veto.is_none() && described.is_identified, "{link:?}");
        assert!(link.confidence >= Confidence::THRESHOLD && link.score == described.score);
        let (a, b) = (&rows[link.left as usize], &rows[link.right as usize]);
        assert!(taken.insert((a.uid, b.platform)) && taken.insert((b.uid, a.platform)), "{link:?}");
    }
}

#[test]
fn brands_and_part_numbers_match_by_degrees() {
    let of = |a: Row, b: Row| {
        let linker = linker(&[a, b]);
        let [a, b] = &linker.profiles[..] else { panic!("two rows") };
        (linker.brand_match(a, b), part_match(a, b))
    };
    let plain = |platform| row(platform, "Headphones");
    assert_eq!(of(plain(0), plain(1)), (BrandMatch::Silent, PartMatch::Silent));
    let branded = (plain(0).brand("Bose"), plain(1).brand("Bose Professional"));
    assert_eq!(of(branded.0, branded.1).0, BrandMatch::Contained);
    let parts = |a, b| of(row(0, a), row(1, b)).1;
    assert_eq!(parts("Bose QC35", "Bose QC-35"), PartMatch::Shared);
    assert_eq!(parts("Bose QC35", "Bose QC35/B"), PartMatch::Contained);
    assert_eq!(parts("Bose QC35", "Bose QC45"), PartMatch::Apart);
    assert_eq!(parts("Bose QC35", "Bose 5551234"), PartMatch::Silent, "digits alone prove nothing apart");
}
