//! What no score outweighs, rule by rule.

use super::tests::{CORNER, METRO, Row, VOILA, WALMART, linked, row, veto, veto_of};
use super::*;
use crate::lang::brand::brand_key;
use crate::lang::lexicon::{Kind, Lexicon};
use crate::lang::variants;

/// Two listings that say nothing but their names, and what stands against a link of them.
fn assert_vetoes(cases: &[(&str, &str, Option<Veto>)]) {
    for &(a, b, expected) in cases {
        assert_eq!(veto_of(a, b), expected, "{a} | {b}");
    }
}

#[test]
fn two_barcodes_decide() {
    let camera = |platform| row(platform, "Canon PowerShot SD880IS Camera").brand("Canon");
    let (one, other) = (4_006_381_333_931, 73_854_008_089);
    for theirs in [one, other] {
        assert_eq!(veto(camera(WALMART).gtin(one), camera(METRO).gtin(theirs)), Some(Veto::Barcodes));
        assert!(linked(&[camera(WALMART).gtin(one), camera(METRO).gtin(theirs)]).is_empty());
    }
    assert_eq!(veto(camera(WALMART).gtin(one), camera(METRO)), None);
    assert_eq!(linked(&[camera(WALMART).gtin(one), camera(METRO)]), [(0, 1)]);
}

#[test]
fn a_platform_has_no_links_with_itself() {
    let camera = |platform| row(platform, "Canon PowerShot SD880IS Camera").brand("Canon");
    assert_eq!(veto(camera(METRO), camera(METRO)), Some(Veto::Platform));
    assert!(linked(&[camera(METRO), camera(METRO)]).is_empty());
}

#[test]
fn conditions_differ() {
    let camera = |platform, condition| Row { condition, ..row(platform, "Canon PowerShot SD880IS") };
    for (a, b, expected) in [
        (Condition::New, Condition::New, None),
        (Condition::New, Condition::Used, Some(Veto::Condition)),
        (Condition::New, Condition::Unknown, Some(Veto::Condition)),
        (Condition::Refurbished, Condition::Used, Some(Veto::Condition)),
        (Condition::Refurbished, Condition::Refurbished, None),
    ] {
        assert_eq!(veto(camera(WALMART, a), camera(METRO, b)), expected, "{a:?} and {b:?}");
    }
}

#[test]
fn packs_differ() {
    assert_vetoes(&[
        ("Basmati Rice 900 g", "Basmati Rice 900 g", None),
        ("Basmati Rice 900 g", "Basmati Rice, 2 lb", None),
        ("Basmati Rice 900 g", "Basmati Rice", None),
        ("Basmati Rice 900 g", "Basmati Rice 1 kg", Some(Veto::Pack)),
        ("Yogurt Plain 4 x 100 g", "Yogurt Plain 400 g", Some(Veto::Pack)),
        ("Cola 355 ml (12 pack)", "Cola 12 x 355 ml", None),
        ("Cola 355 ml (12 pack)", "Cola 6 x 355 ml", Some(Veto::Pack)),
    ]);
}

#[test]
fn product_types_differ() {
    assert_vetoes(&[
        ("Pantene Pro-V Shampoo 375 mL", "Pantene Pro-V Conditioner 375 mL", Some(Veto::ProductType)),
        ("Pantene Pro-V Shampoo 375 mL", "Pantene Pro-V 375 mL", None),
        ("Pantene Pro-V Shampoo 375 mL", "Shampooing Pantene Pro-V 375 mL", None),
        ("Pantene 2in1 Shampoo & Conditioner", "Pantene 2in1 Shampoo", None),
    ]);
}

#[test]
fn members_of_one_series_differ() {
    assert_vetoes(&[
        ("Galaxy S20 Screen Protector", "Galaxy S21 Screen Protector", Some(Veto::Series)),
        ("Galaxy S20 Screen Protector", "Galaxy S20 / S21 Screen Protector", None),
        ("Galaxy S20 Screen Protector", "Galaxy Screen Protector", None),
        ("Galaxy S8+ Wallet Cover", "Galaxy S8 Wallet Cover", Some(Veto::Variant)),
        ("Galaxy S8+ Wallet Cover", "Galaxy S8 Plus Wallet Cover", None),
        ("Vitamin C 18+ Gummies", "Vitamin C Gummies", None),
    ]);
}

#[test]
fn numbers_of_one_unit_differ() {
    assert_vetoes(&[
        ("Greek Yogurt 2%", "Greek Yogurt 2 % M.F.", None),
        ("Greek Yogurt 2%", "Greek Yogurt", None),
        ("Greek Yogurt 2%", "Greek Yogurt 0%", Some(Veto::Number)),
        ("Memory Stick 16GB", "Memory Stick 16 GB", None),
        ("Memory Stick 16GB", "Memory Stick 32 GB", Some(Veto::Number)),
        ("LCD TV 40\"", "LCD TV 40 inch", None),
        ("LCD TV 40\"", "LCD TV 46 inch", Some(Veto::Number)),
        ("Tea Bags 20 pods", "Tea Bags 20 sachets", None),
        ("Tea Bags 20 pods", "Tea Bags 40 sachets", Some(Veto::Number)),
        ("Frame 5x7", "Frame 5\" x 7\"", None),
        ("Frame 5x7", "Frame 8 × 10", Some(Veto::Number)),
        ("Bulb 2700K", "Bulb 3000 K", Some(Veto::Number)),
        ("Outdoor Speaker (Each)", "Outdoor Speaker (Pair)", Some(Veto::Number)),
        // Of capacities one in common is not enough.
        ("Notebook 8 GB 256GB", "Notebook 256 GB", None),
        ("Notebook 8 GB 256GB", "Notebook 8GB 512GB", Some(Veto::Number)),
    ]);
}

#[test]
fn brands_differ() {
    let camera = |platform, brand| row(platform, "PowerShot Digital Camera").brand(brand);
    for (a, b, expected) in [
        ("Canon", "Canon", None),
        ("Canon", "CANON Inc.", None),
        ("Canon", "", None),
        ("Canon", "Canon Canada", None),
        ("Canon", "PowerShot", None),
        ("Canon", "Nikon", Some(Veto::Brand)),
    ] {
        assert_eq!(veto(camera(WALMART, a), camera(METRO, b)), expected, "{a:?} and {b:?}");
    }
}

#[test]
fn part_numbers_differ() {
    assert_vetoes(&[
        ("Sony Turntable PSLX350H", "Sony Turntable PS-LX350H", None),
        ("Sony Turntable PSLX350H", "Sony Turntable", None),
        ("Sony Camera DSC-W150", "Sony Camera DSCW150/B", None),
        ("Sony Camera DSC-W150", "Sony Camera DSC-W170", Some(Veto::PartNumber)),
        ("Sony Camera DSC-W150 DSC-W170", "Sony Camera DSC-W170", None),
        ("D-Link Camera DCS-2230L", "D-Link Camera DCS-2210L", Some(Veto::PartNumber)),
        // A series in common is not enough either, nor is the part of which there are five.
        ("Printer ZXP3 Z31000C0200", "Printer ZXP3 Z310M0C0200", Some(Veto::PartNumber)),
        ("Printer ZXP3 Z31000C0200", "Printer ZXP3 AB9123456", None),
        ("Disk 417190-002", "Disk 417190-002-5Pack", Some(Veto::PartNumber)),
    ]);
}

#[test]
fn part_numbers_of_the_column_differ() {
    let drill = |platform, brand, mpn| row(platform, "Cordless Drill").brand(brand).mpn(mpn);
    for (brand, a, b, expected) in [
        ("Bosch", "123456", "123456", None),
        ("Bosch", "123456", "123456789", None),
        ("Bosch", "123456", "", None),
        ("Bosch", "123456", "012345678", Some(Veto::Mpn)),
        ("Bosch", "123456", "654321", Some(Veto::Mpn)),
        ("", "123456", "654321", None),
    ] {
        assert_eq!(veto(drill(WALMART, brand, a), drill(METRO, brand, b)), expected, "{a:?} and {b:?}");
    }
}

#[test]
fn variant_words_differ() {
    assert_vetoes(&[
        ("Oats", "Organic Oats", Some(Veto::Variant)),
        ("Fraises", "Fraise", None),
        ("Yogourt aux fraises", "Yogourt aux framboises", Some(Veto::Variant)),
        ("Processor i5-4460", "B Grade Processor i5-4460", Some(Veto::Variant)),
        ("Avoine biologique", "Organic Oats", None),
        ("Coffee Decaf", "Decaffeinated Coffee", None),
        ("Coffee Decaf", "Coffee", Some(Veto::Variant)),
        ("Milk Lactose Free", "Lactose-Free Milk", None),
        ("Milk Lactose Free", "Milk", Some(Veto::Variant)),
        ("Yogurt Vanilla", "Yogurt Strawberry", Some(Veto::Variant)),
        ("Yogurt Vanilla", "Yogourt a la vanille", None),
        ("Lens Kit", "Lens", Some(Veto::Variant)),
        ("Charging dock for Nikon", "Charging dock Nikon", Some(Veto::Variant)),
        ("Phone Black", "Phone White", Some(Veto::Variant)),
        ("Phone Black", "Phone noir", None),
        // A shared part number settles a colour that one side leaves out, and none that differs.
        ("Phone Black", "Phone", Some(Veto::Variant)),
        ("Phone KXTG9391 Black", "Phone KX-TG9391", None),
        ("Radeon RX 580 8GB GDDR5 Card White", "Radeon RX 580 8GB GDDR5 Card", Some(Veto::Variant)),
        ("Clip Speaker IP67 Pink", "Clip Speaker IP67", Some(Veto::Variant)),
        ("Phone KXTG9391 Black", "Phone KX-TG9391 White", Some(Veto::Variant)),
        ("Oreo Cookies 300 g", "Oreo Minis Cookies 300 g", Some(Veto::Variant)),
        ("Quaker Crispy Minis 100 g", "Quaker Crispy 100 g", None),
        // Where one side may say nothing.
        ("Wall Oven Single", "Wall Oven Double", Some(Veto::Variant)),
        ("Wall Oven Single", "Wall Oven", None),
        ("Eggs Large", "Eggs", None),
        ("Eggs Large", "Eggs Extra Large", Some(Veto::Variant)),
        ("Tofu Firm", "Tofu Extra Firm", Some(Veto::Variant)),
        ("Disk SATA", "Disk", None),
        ("Disk SATA", "Disk SAS", Some(Veto::Variant)),
        ("Dark Chocolate Almonds", "Chocolate Almonds", None),
        ("Dark Chocolate Almonds", "Milk Chocolate Almonds", Some(Veto::Variant)),
    ]);
}

#[test]
fn variant_words_of_a_brand_are_its_name() {
    let juice = |platform, brand| row(platform, "Kids Juice Box").brand(brand);
    assert_eq!(
        veto(row(WALMART, "Black Diamond Slices").brand("Black Diamond"), row(METRO, "Black Diamond Slices")),
        None
    );
    assert_eq!(
        veto(juice(WALMART, ""), row(METRO, "Juice Box")),
        Some(Veto::Variant),
        "a word of no brand is a variant"
    );
}

#[test]
fn private_labels_stay_at_home() {
    for (platform, name, other, expected) in [
        (WALMART, "Great Value Rolled Oats", METRO, Some(Veto::PrivateLabel)),
        (METRO, "Irresistibles Rolled Oats", WALMART, Some(Veto::PrivateLabel)),
        (VOILA, "Compliments Rolled Oats", CORNER, Some(Veto::PrivateLabel)),
        (CORNER, "Quaker Rolled Oats", WALMART, None),
    ] {
        let pair = (row(platform, name), row(other, "Rolled Oats"));
        assert_eq!(veto(pair.0, pair.1), expected, "{name}");
    }
    // Who names the label sells it.
    assert_eq!(veto(row(WALMART, "Great Value Oats"), row(CORNER, "Great Value Oats")), None);
    // As a brand it counts too.
    let branded = row(WALMART, "Rolled Oats").brand("Great Value");
    assert_eq!(veto(branded, row(METRO, "Rolled Oats")), Some(Veto::PrivateLabel));
}

#[test]
fn lets_part_numbers_override_audience_and_accessory_vetoes() {
    assert_vetoes(&[
        ("Seiko Alpinist Automatic SARB017", "Seiko Alpinist SARB017 Men's Watch", None),
        ("Seiko Alpinist Automatic", "Seiko Alpinist Men's Automatic", Some(Veto::Variant)),
        ("Salomon Sense Ride L40485 Mens", "Salomon Sense Ride L40485 Womens", Some(Veto::Variant)),
        ("Nikon D5000 Camera", "Nikon D5000 Camera Case", Some(Veto::Variant)),
        ("Vans Old Skool VN000D3HY28 Black/White", "Vans Old Skool Shoes VN000D3HY28 Black", None),
        ("Canon CLI221 Ink, Black and Yellow", "Canon CLI221YEL Ink, Yellow", Some(Veto::Variant)),
        ("APC Back-UPS ES 550VA BE550G", "APC BE550G Back-UPS with 6 ft Cord, 8 Outlets", None),
        ("APC Back-UPS ES 550VA", "APC Back-UPS ES 550VA with 6 ft Cord, 8 Outlets", Some(Veto::Variant)),
    ]);
}

#[test]
fn a_brand_goes_by_several_names() {
    let of = |a: &'static str, b: &'static str| {
        veto(row(WALMART, "LaserJet P1102").brand(a), row(METRO, "LaserJet P1102").brand(b))
    };
    assert_eq!(of("HP", "Hewlett-Packard"), None);
    assert_eq!(of("Hewlett Packard", "Brother"), Some(Veto::Brand));
    for brand in Lexicon::shipped().meanings(Kind::Brand) {
        assert_eq!(variants::brand_name(Lexicon::shipped(), &brand.canonical), &*brand.canonical);
        for key in &brand.forms {
            assert_eq!(brand_key(key).as_deref(), Some(&**key));
            assert_eq!(variants::brand_name(Lexicon::shipped(), key), &*brand.canonical);
        }
    }
}
