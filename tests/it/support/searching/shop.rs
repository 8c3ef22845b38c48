//! A shop made of names that put every rule of the text index to the test.

use std::fmt::Write as _;
use std::path::Path;

use pricebook::catalog::Catalog;
use pricebook::stats::rng::Rng;

use crate::support::crafted;

/// Listings, most of them of one country, so that a word may stand in more than a thousand there.
const LISTINGS: usize = 1_800;
const PRODUCT_TYPES: [&str; 52] = [
    "Cookie",
    "Cookies",
    "Gâteau",
    "Gâteaux",
    "Keyboard",
    "Keyboards",
    "Mouse",
    "Mice",
    "Monitor",
    "Broccoli",
    "Peanut Butter",
    "Peanutbutter",
    "Headphones",
    "Head Phones",
    "Turntable",
    "Wine",
    "Wines",
    "Lait de Coco",
    "Huile d'Olive",
    "Knife",
    "Knives",
    "Lens",
    "Lenses",
    "Box",
    "Boxes",
    "Shampoo",
    "Strawberry Jam",
    "Strawberries",
    "Eggs",
    "Egg",
    "Crème L'Oréal",
    "Adapter",
    "Dishwasher",
    "Dishes",
    "Chocolate",
    "Chocolats",
    "Sparkling Water",
    "Spring Water",
    "Case",
    "Charger",
    "Beans",
    "Beets",
    "Beer",
    "Bear",
    "Pear",
    "Pears",
    "Peas",
    "Leek",
    "Cherries",
    "Berries",
    "Blueberries",
    "Boysenberry",
];
const PRAISE: [&str; 16] = [
    "Fresh",
    "Organic",
    "Wireless",
    "Brown",
    "Large",
    "Premium",
    "Red",
    "Rouge",
    "Salted",
    "Unsalted",
    "Gaming",
    "Cheap",
    "Best",
    "Extra-Vierge",
    "Noise Cancelling",
    "Noisecancelling",
];
const PARTS: [&str; 8] =
    ["WH-1000XM4", "WH1000XM4", "KCP424NS6/4", "KCP424NS64", "PS-LX350H", "USB-C", "AM/FM", "B-C-D-1"];
const SIZES: [&str; 10] =
    ["12 oz", "12oz", "1.5 L", "1500 ml", "27\"", "27 in", "2 kilos", "2000g", "6-pack", "0,75 l"];
const BRANDS: [&str; 12] = [
    "365",
    "365 Market",
    "7 Up",
    "3M",
    "L'Oréal",
    "Sony",
    "De Walt",
    "LaCie",
    "Cookie",
    "",
    "",
    "Le Creuset",
];
const SHELVES: [&str; 12] = [
    "Food > Snacks > Cookies",
    "Food > Snacks",
    "Food",
    "Food > Drinks > Wines & Spirits",
    "Food > Drinks > Water - Drinks",
    "Electronics > Computer Accessories > Wireless Keyboards",
    "Electronics > Computer Accessories > Mice",
    "Electronics > Audio > Headphones",
    "Electronics > Cameras > Lenses for Cameras",
    "Home > Kitchen > Knives - Kitchen",
    "Pantry > Pantry Food",
    "",
];

/// Builds the shop of a seed below `out`.
pub fn build(seed: u64, out: &Path) -> Catalog {
    let input = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(seed);
    let mut listings = String::from("country,platform,product_id,product_name,brand,gtin,category_path\n");
    let mut observations = String::from("country,platform,product_id,date,price,in_stock\n");
    for id in 0..LISTINGS {
        let country = if rng.chance(85) { "us" } else { "ca" };
        let platform = ["alpha", "beta", "gamma"][rng.below(3)];
        let name = name(&mut rng).replace('"', "\"\"");
        let (brand, shelf) = (rng.pick(&BRANDS).unwrap(), rng.pick(&SHELVES).unwrap());
        let gtin = if rng.chance(30) { gtin(rng.below(200)) } else { String::new() };
        writeln!(listings, "{country},{platform},{id},\"{name}\",{brand},{gtin},{shelf}").unwrap();
        let day = ["2026-10-01", "2026-10-01", "2026-10-02", "2026-06-01"][rng.below(4)];
        let (price, stock) =
            (["9.99", "9.99", "12.00"][rng.below(3)], ["true", "true", "false", ""][rng.below(4)]);
        if !rng.chance(5) {
            writeln!(observations, "{country},{platform},{id},{day},{price},{stock}").unwrap();
        }
    }
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    let id = crafted::build(input.path(), out, None).unwrap().id;
    Catalog::open(&out.join(id)).unwrap()
}

fn name(rng: &mut Rng) -> String {
    let mut words = Vec::new();
    // More often than not.
    if rng.chance(95) {
        words.push("Fresh");
    }
    for _ in 0..rng.below(3) {
        words.extend(rng.popular(&PRAISE));
    }
    words.extend(rng.popular(&PRODUCT_TYPES));
    if rng.chance(30) {
        words.extend(rng.pick(&PARTS));
    }
    if rng.chance(30) {
        let aside = [", for", " with", " compatible with", " avec", " flavour", " pour"][rng.below(6)];
        words.push(aside);
        words.extend(rng.pick(&PRODUCT_TYPES));
        words.extend(rng.pick(&PRAISE).filter(|_| rng.clone().chance(50)));
    }
    if rng.chance(40) {
        words.push(",");
        words.extend(rng.pick(&SIZES));
    }
    if rng.chance(10) {
        words.extend(rng.pick(&PRODUCT_TYPES));
    }
    words.join(" ")
}

/// A barcode of a number.
fn gtin(number: usize) -> String {
    let digits = format!("6000{number:08}");
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip([3, 1].into_iter().cycle())
        .map(|(d, times)| u32::from(d - b'0') * times)
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}
