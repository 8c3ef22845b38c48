//! How packs are read, against the oracle's reading of the same names.

use crate::oracle::pack::{Dimension, Reading, read};
use pricebook::lang::{Lexicon, quantities};

/// Count, quantity and unit.
type Expected = Option<(u32, f64, &'static str)>;

/// Names that the oracle reads for sure.
const NAMES: [(&str, Expected); 21] = [
    ("Butter 200 g", Some((1, 200.0, "g"))),
    ("Butter 200\u{a0}g", Some((1, 200.0, "g"))),
    ("Butter 200\u{202f}g", Some((1, 200.0, "g"))),
    ("Cola 12\u{2009}x\u{3000}355\u{2007}ml", Some((12, 355.0, "ml"))),
    ("6-pack\u{a0}of\u{a0}12\u{a0}fl\u{a0}oz", Some((6, 12.0, "fl oz"))),
    ("COOKED BROWN RICE BUNDLE 195G*3", Some((3, 195.0, "g"))),
    ("Almonds 4 * 43g", Some((4, 43.0, "g"))),
    ("Water 500 ml x 24", Some((24, 500.0, "ml"))),
    ("Salmon Portions, 240 Gram", Some((1, 240.0, "g"))),
    ("Milk 2 Litres", Some((1, 2.0, "l"))),
    ("Ham 3 pounds", Some((1, 3.0, "lb"))),
    ("Large White Eggs, 30 Each", Some((1, 30.0, "piece"))),
    ("Carrots, 10 lb, 1 Each", Some((1, 10.0, "lb"))),
    ("1 Pack, 240 Gram", Some((1, 240.0, "g"))),
    ("Eggs 30 Pack, 30 Count", Some((1, 30.0, "piece"))),
    ("Salmon Portions, 2 Pack, 240 Gram", None),
    ("Salmon Portions, 240 Gram, 2 Pack", None),
    ("Wipes 64 count, 3 pack", None),
    ("Eggs, 30 Each, 2 Pack", None),
    ("Biscuits, 10 ct, 12 oz", None),
    ("Each of a kind", None),
];

#[test]
fn both_read_the_same() {
    for (name, expected) in NAMES {
        let pack = quantities::pack(Lexicon::shipped(), name);
        let mine = pack.map(|pack| (pack.count(), pack.quantity(), pack.unit().as_str()));
        let Reading::Clear(theirs) = read(name) else { panic!("{name:?} is murky") };
        let theirs = theirs.map(|pack| {
            let unit = if pack.dimension == Dimension::Pieces { "piece".to_owned() } else { pack.unit };
            (u32::try_from(pack.count).expect("a count"), pack.quantity.f64(), unit)
        });
        for (count, quantity, unit) in [mine.map(|(c, q, u)| (c, q, u.to_owned())), theirs].map(|read| {
            assert_eq!(read.is_some(), expected.is_some(), "{name:?}");
            read.unwrap_or_default()
        }) {
            let (known, size, of) = expected.unwrap_or_default();
            assert_eq!((count, unit.as_str()), (known, of), "{name:?}");
            assert!((quantity - size).abs() < 1e-9, "{name:?}: {quantity}");
        }
    }
}
