//! Names as shops write them, and what they must not be read as.

use proptest::prelude::*;

use super::*;
use crate::lang::Lexicon;
use crate::lang::quantities;

fn read(name: &str) -> Option<Pack> {
    quantities::pack(Lexicon::shipped(), name)
}

fn check(name: &str, expected: &str) {
    let pack =
        read(name).map(|pack| format!("{} x {} {}", pack.count(), pack.quantity(), pack.unit().as_str()));
    assert_eq!(pack.as_deref().unwrap_or("none"), expected, "{name:?}");
}

/// Not timed: nobody would wait for a look at all of the name from each of its numbers.
#[test]
fn a_long_name_is_read_through_once() {
    for part in ["5G ", "1 ", "140G, ", "PACK OF ", ".5", "1/2 1/2 ", "A-1 ", "1 in 1 ", "1 bag x "] {
        check(&part.repeat(300_000), "none");
    }
}

#[test]
fn measures() {
    check("Mann's Broccoli and Cauliflower, 12 oz", "1 x 12 oz");
    check("MACALLAN - DOUBLE CASK 12 YEAR OLD 0.75L", "1 x 0.75 l");
    check("SHAMPOO 8.45 FL OZ", "1 x 8.45 fl oz");
    check("Cola 12 fl. oz. can", "1 x 12 fl oz");
    check("Cola 12floz", "1 x 12 fl oz");
    check("Cola 12-Fluid Ounces", "1 x 12 fl oz");
    check("COLD AND FLU .50 FL OZ", "1 x 0.5 fl oz");
    check("PULMUONE SOONTOFU SOUP SAUCE 140G", "1 x 140 g");
    check("PINK LADY APPLES 1LB", "1 x 1 lb");
    check("SOY BEVERAGE 1/2 GAL", "1 x 0.5 gal");
    check("Steak 1 1/2 lb", "1 x 1.5 lb");
    check("Steak 6-1/2 oz", "1 x 6.5 oz");
    check("Butter ½ lb", "1 x 0.5 lb");
    check("Steak 1½ lb", "1 x 1.5 lb");
    check("Farine 0,750 kg", "1 x 0.75 kg");
    check("Oats 907 GR", "1 x 907 g");
    check("Farine 2 livres", "1 x 2 lb");
    check("Farine 2,5 kg", "1 x 2.5 kg");
    check("Cotton rounds 1,000 ct", "1 x 1000 piece");
    check("Great Oats, 2.25 Kilogram", "1 x 2.25 kg");
    check("EGG NOG/BOILED CUSTARD 1 QT", "1 x 1 qt");
    check("Cream 1 PT", "1 x 1 pt");
    check("Bière 33 cl", "1 x 33 cl");
    check("CAKES: NOVELTIES 4 IN/10 OZ", "1 x 10 oz");
    check("Yogurt-500g", "1 x 500 g");
    check("Thé® 500 ML", "1 x 500 ml");
    check("Greek Yogurt, 750G", "1 x 750 g");
    check("REGULAR GARDEN 09 OZ", "1 x 9 oz");
    check("Greek Yogurt, 2% Mf, 4X100G", "4 x 100 g");
    check("Drinkable Greek Yogurt 9 g Protein with Oats 190 ml", "1 x 190 ml");
    check("Whey 500 g Protein Powder", "1 x 500 g");
}

#[test]
fn multipacks() {
    check("Cola 12 x 355 mL", "12 x 355 ml");
    check("Cola 12x355ml", "12 x 355 ml");
    check("Cola 12 × 355 mL", "12 x 355 ml");
    check("Becel Margarine Salted Sticks, 4 x 113g", "4 x 113 g");
    check("Milk 2 x 4 L", "2 x 4 l");
    check("Tofu Dessert (150gx2)", "2 x 150 g");
    check("Water 500 ml x 24", "24 x 500 ml");
    check("DONGWON COOKED BROWN RICE BUNDLE 195G*3", "3 x 195 g");
    check("Cooked brown rice 195G*3", "3 x 195 g");
    check("Cooked brown rice 195G x 3", "3 x 195 g");
    check("Almonds, 4 * 43g", "4 x 43 g");
    check("Almonds 4*43 g", "4 x 43 g");
    check("Water 500 mL * 24", "24 x 500 ml");
    check("Water 500 mL *24", "24 x 500 ml");
    check("Beans 400 g x 3 x 2", "6 x 400 g");
    check("Memory 8G*2", "none");
    check("Soap 500 ml* 2 scents", "1 x 500 ml");
    check("Soda 6-pack of 12 fl oz", "6 x 12 fl oz");
    check("SOFT DRINKS CAN NON-CARB 12 PK/12 OZ", "12 x 12 oz");
    check("BEERALEMALT LIQUORS 6 PK  12 OZ", "6 x 12 oz");
    check("Cola, 12 fl oz Cans, 12 Pack", "12 x 12 fl oz");
    check("Soup 10.5 oz (Pack of 8)", "8 x 10.5 oz");
    check("Soup (Pack of 8) 10.5 oz", "8 x 10.5 oz");
    check("3 packs of 64 count wipes", "3 x 64 piece");
    check("Wipes 64 ct x 3", "3 x 64 piece");
    check("ROMAINE HEART LETTUCE 1EA*3", "3 x 1 piece");
    check("Bars 6 pack x 4", "4 x 6 piece");
    check("Cola 6 pack x 4 x 355 ml", "24 x 355 ml");
    check("(4 Pack) 10.5 oz soup", "4 x 10.5 oz");
    check("Soup 10.5 oz (4 Pack)", "4 x 10.5 oz");
    check("Cola 12 Pack Cans, 355 mL", "12 x 355 ml");
    check("Gum 2 x 3 x 10 ct", "6 x 10 piece");
    check("Beans 2 x 3 x 400 g", "6 x 400 g");
    check("Tea 25 bags x 1.7 g", "25 x 1.7 g");
    check("Olive Oil, Pack of 1 Bottle x 500 ml", "1 x 500 ml");
    check("Pack of 6 bottles x 500 ml", "6 x 500 ml");
    check("Tea 25 ct x 1.7 g", "25 x 1.7 g");
}

#[test]
fn pieces() {
    check("Batteries pack of 2", "1 x 2 piece");
    check("VITAMIN - INDIVIDUAL 100 CT", "1 x 100 piece");
    check("Eggs, 18 Count", "1 x 18 piece");
    check("Corsair RS120 MAX 3-Pack (color Black)", "1 x 3 piece");
    check("Deepcool FC120 WHITE-3 IN 1 3-Pack (color White)", "1 x 3 piece");
    check("Bars 10 pack", "1 x 10 piece");
    check("BABY DIAPERS 3 T-4 T/26 CT", "1 x 26 piece");
    check("Diapers 6-count pack", "1 x 6 piece");
    check("Western Family - Large White Eggs, 30 Each", "1 x 30 piece");
    check("Omega-3 Large White Eggs 12EA", "1 x 12 piece");
    check("Power Cord Kit (6 ea), 1.8m", "1 x 6 piece");
    check("HP Pavilion dv7-1211ea", "none");
    check("HP ENVY-1211EA", "none");
    check("HP 1211ea Notebook", "none");
    check("Mice, 2 for each hand", "none");
}

#[test]
fn a_single_piece_is_the_thing_itself() {
    check("Carrots 10 LBS, 1 Each", "1 x 10 lb");
    check("Lettuce, 1 Each", "1 x 1 piece");
    check("1 Pack, 240 Gram", "1 x 240 g");
    check("1 pack, 24 count", "1 x 24 piece");
    check("Romaine Hearts 3 Pack, 1 Each", "1 x 3 piece");
    check("SOFT DRINKS 12/18&15PK CAN CAR 1 PK", "none");
}

#[test]
fn said_twice_is_said_once() {
    check("Dairy Free Becel Plant Butter Salted 454g, 454g Brick", "1 x 454 g");
    check("Tabasco® Original Pepper Sauce, 142 mL 142 ml", "1 x 142 ml");
    check("SFT DRNK 2 LITER BTL CARB INCL 2 L", "1 x 2 l");
    check("POPULAR 1.5LT WINES 1.5 L", "1 x 1.5 l");
    check("Cola 12 fl oz (355 ml)", "1 x 12 fl oz");
    check("Butter sticks 4 x 113 g, 452 g", "4 x 113 g");
    check("Butter sticks 452 g, 4 x 113 g", "4 x 113 g");
    check("NUDE VODKA SODA - 24 PACK MIXER CAN 0.355L x 24", "24 x 0.355 l");
    check("LABATT - BUDWEISER CAN 30 PK 0.355L x 30", "30 x 0.355 l");
    check("KINDER SURPRISE Eggs, 3 Pack, 60g (20gx3)", "3 x 20 g");
    check("Cheese, 3 packs x 43 g, 129 g", "3 x 43 g");
    check("Romaine Hearts 3Pk, 3 Each", "1 x 3 piece");
    check("White Eggs 30 Pack, 30 Count", "1 x 30 piece");
    check("Salmon, 2 Pack, 240 Gram (2 x 120 g)", "2 x 120 g");
}

/// Of the whole or of each: the name does not say.
#[test]
fn counts_that_may_be_nested_are_undecided() {
    for name in [
        "Honey Glazed Salmon Portions, 2 Pack, 240 Gram",
        "HONEY GLAZED SALMON PORTIONS, 2 PACK, 240 GRAM",
        "Instant Oatmeal Brown Sugar 8 Pack 304 g",
        "Salmon 2 Pack (240 g)",
        "Salmon 240 Grams, 2 Pack",
        "Eggs, 30 Each, 2 Pack",
        "Wipes 64 count, pack of 3",
        "Wipes 64 Count (Pack of 3)",
        "FACIAL TISSUE 3 PK/100 CT",
        "FACIAL TISSUE 160 CT 3 PK",
        "Yogurt, 4 Each, 400 g",
    ] {
        check(name, "none");
    }
}

/// Names from web pages part number and unit by a space that is no blank.
#[test]
fn every_unicode_space_is_a_blank() {
    for space in [
        '\t', '\n', '\u{85}', '\u{a0}', '\u{1680}', '\u{2007}', '\u{2009}', '\u{2028}', '\u{202f}',
        '\u{205f}', '\u{3000}',
    ] {
        for (name, expected) in [
            ("Butter 200 g", "1 x 200 g"),
            ("Cola 12 x 12 fl oz", "12 x 12 fl oz"),
            ("Soup 1 1/2 lb (pack of 2)", "2 x 1.5 lb"),
            ("6-pack of 12 fl. oz.", "6 x 12 fl oz"),
            ("Whey 20 g Protein", "none"),
        ] {
            check(&name.replace(' ', &space.to_string()), expected);
        }
    }
}

#[test]
fn different_packs_are_none() {
    check("REFRIGERATED BISCUITS REGULAR 10 CT/12 OZ", "none");
    check("Lunch 4 CT 6 OZ", "none");
    check("SOFT DRINKS 12/18&15PK CAN CAR 12 PK/12 OZ", "none");
    check("Shampoo 300 ml and conditioner 200 ml", "none");
    check("Juice 10 pack of something else with 200 ml", "none");
    check("1 oz 2 oz 3 oz 4 oz 5 oz 6 oz 7 oz 8 oz 9 oz 10 oz", "none");
}

#[test]
fn ignores_numbers_that_are_not_pack_sizes() {
    for name in [
        "",
        "Dell 27\" Monitor",
        "Laptop 15.6 in",
        "Laptop 15.6-inch 16 GB 1TB",
        "65W charger 120V",
        "TV 4K 1080p 50 Hz",
        "Cocoa 50%",
        "BenQ XL2411K",
        "Logitech G502 SE HERO",
        "Cooler Master MASTERLIQUID ML120L RGB V2",
        "Cooler Master MasterLiquid 240L Core (color White)",
        "Hard drive SATA 6.0 Gb/s",
        "Wi-Fi 6 router 2.4G/5G",
        "Phone 5G 128GB",
        "Phone 5g",
        "MSI GTX 1070 TI TITANIUM 8G",
        "10G switch",
        "Adapter 802.11 g",
        "802.11g adapter",
        "Cable 3.5 mm",
        "Pot 4 in 1",
        "Salmon 10-15 lb",
        "Pump 10 L/min",
        "StarTech FAN9X25TX3L (color Black)",
        "Philips SHE3595PK/28 (type In Ear, color Pink / White)",
        "Kingston KTL-TP3CL/8G 8 GB (speed [3, 1600], modules [1, 8])",
        "Mazda MX-5L",
        "Ring 1.5 CT",
        "Cookies 0 g",
        "Price $5 lb",
        "12345678 oz",
        "999 kg",
        "MARTINI 12 YEAR",
        "version 1.2.3 l",
        "500 gé",
        "pack of 6G",
        "backpack of 6",
        "AMD Ryzen 7 5700G",
        "MSI RTX 4090 VENTUS 3X 24G OC (memory 24)",
        "EVGA SuperNOVA 850 G+",
        "LG UltraGear OLED 27GX790A-B",
        "Kingwin CFR-012LB",
        "Canon EF 100mm f/2.8L IS USM",
        "Magsafe A1343 1185cl",
        "BEER 6/12 OZ",
        "5",
        "5 ",
        "5-",
        ".",
        "1/",
        "2 x",
        "fl oz",
    ] {
        check(name, "none");
    }
}

#[test]
fn totals_and_conflicts() {
    let pack = |name| read(name).unwrap();
    assert!((pack("12 x 355 ml").total() - 4260.0).abs() < 1e-9);
    assert!((pack("1 lb").total() * 1e5 - 45_359_237.0).abs() < 1e-9);
    assert!((pack("1 gal").total() * 1e6 - 3_785_411_784.0).abs() < 1e-9);
    let conflict = |a, b| conflicts(&pack(a), &pack(b));
    assert!(!conflict("10 pack", "10 count"));
    assert!(!conflict("1 lb", "16 oz"));
    assert!(!conflict("12 fl oz", "355 ml"));
    assert!(!conflict("100 g", "102 g"));
    assert!(conflict("100 g", "102.1 g"));
    assert!(conflict("102.1 g", "100 g"));
    assert!(conflict("4 x 100 g", "400 g"));
    assert!(!conflict("12 oz", "12 fl oz"));
}

#[test]
fn unit_prices() {
    let check = |cents, name, country, expected: &str| {
        let price = unit_price(Cents::new(cents), &read(name).unwrap(), country).unwrap();
        assert_eq!(serde_json::to_string(&price).unwrap(), expected, "{name}");
    };
    check(499, "454 g", Country::Ca, r#"{"price":1.0991,"per":"100 g"}"#);
    check(499, "16 oz", Country::Us, r#"{"price":0.3119,"per":"oz"}"#);
    check(499, "1 lb", Country::Us, r#"{"price":0.3119,"per":"oz"}"#);
    check(1049, "12 x 355 mL", Country::Ca, r#"{"price":0.2462,"per":"100 ml"}"#);
    check(1049, "12 x 12 fl oz", Country::Us, r#"{"price":0.0728,"per":"fl oz"}"#);
    check(100, "3 pack", Country::Us, r#"{"price":0.3333,"per":"piece"}"#);
}

#[test]
fn served_as_three_fields() {
    let json = serde_json::to_string(&read("6-pack of 12 fl oz").unwrap()).unwrap();
    assert_eq!(json, r#"{"quantity":12.0,"unit":"fl oz","count":6}"#);
    for unit in Unit::ALL {
        assert_eq!(serde_json::to_string(&unit).unwrap(), format!("\"{}\"", unit.as_str()));
    }
}

proptest! {
    #[test]
    fn no_phrase_panics(words in proptest::collection::vec(
        proptest::sample::select(vec!["pack of", "Paquet de", "1", "2.5", "12", "x", "*", "/", "-", "oz", "ml", "bottle", "bags", "in", "1/2", "fl oz", "each", ",", "(", ")", "5G", "size", "[", "]", "½", "ק\"ג", "œ"]),
        0..12,
    ), separator in "[ -]?") {
        let _ = read(&words.join(&separator));
    }

    #[test]
    fn any_conflict_is_what_all_pairs_say(
        packs in proptest::collection::vec((1..3_u32, 490..510_u32, 0..3_usize), 0..6),
    ) {
        let units = [Unit::G, Unit::Ml, Unit::Piece];
        let packs: Vec<Pack> =
            packs.into_iter().filter_map(|(count, num, unit)| Pack::new(count, num, 1, units[unit])).collect();
        let slow = packs.iter().any(|a| packs.iter().any(|b| conflicts(a, b)));
        prop_assert_eq!(any_conflict(packs), slow);
    }

    #[test]
    fn no_name_panics(name in "[0-9xX×./,\\- a-zéG()]{0,40}", other in "\\PC{0,40}") {
        let _ = read(&name);
        let _ = read(&other);
    }

    #[test]
    fn printed_packs_are_read_back(
        count in 1..100_u32,
        quantity in 1..1000_u32,
        unit in proptest::sample::select(Unit::ALL.to_vec()),
    ) {
        // What is too much for a pack is not read as one.
        let Some(expected) = Pack::new(count, quantity, 1, unit) else { return Ok(()) };
        let word = if unit == Unit::Piece { "ct" } else { unit.as_str() };
        let pack = read(&format!("Thing {count} x {quantity} {word} (red)")).unwrap();
        prop_assert_eq!(pack, expected);
        prop_assert!(!conflicts(&pack, &pack));
    }
}
