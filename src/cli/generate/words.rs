//! Words of which names are made. They do not include conditions such as "used".

/// Syllables of invented brands.
pub(super) const HEADS: &[&str] = &[
    "Nor", "Vel", "Ka", "Lum", "Tor", "Mar", "Bel", "Zen", "Quo", "Har", "Sil", "Or", "Fen", "Dal", "Ro",
    "Cor", "Al", "Pri", "Est", "Wil", "Ty", "Gra", "Hel", "Ju", "Sol", "Ver", "Lin", "Mo", "Pa", "Ash",
];
pub(super) const MIDDLES: &[&str] =
    &["", "", "va", "ri", "lo", "ne", "ta", "mi", "do", "sha", "ber", "len", "qui", "sto", "ga", "ze"];
pub(super) const TAILS: &[&str] = &[
    "dale", "tek", "ra", "ville", "non", "wick", "lo", "mont", "ia", "ex", "field", "son", "é", "ton", "ova",
    "ux",
];
pub(super) const SECOND_WORDS: &[&str] = &[
    "Farms", "Labs", "& Sons", "House", "Works", "Outdoor", "Kitchen", "Valley", "Home", "Audio", "Bros.",
    "Studio",
];

pub(super) const LINES: &[&str] = &[
    "Classic",
    "Premium",
    "Ultra",
    "Original",
    "Signature",
    "Essential",
    "Pure",
    "Golden",
    "Heritage",
    "Prime",
    "Select",
    "Everyday",
    "Max",
    "Pro",
    "Lite",
    "Series 5",
    "Nova",
    "Edge",
    "Core",
    "Air",
    "Summit",
    "Aura",
    "Fusion",
    "Harmony",
];
pub(super) const COLOURS: &[&str] = &[
    "Black",
    "White",
    "Navy Blue",
    "Charcoal",
    "Red",
    "Forest Green",
    "Rose Gold",
    "Silver",
    "Beige",
    "Grey",
    "Teal",
    "Matte Black",
];
pub(super) const FLAVOURS: &[&str] = &[
    "Vanilla",
    "Sea Salt",
    "Honey",
    "Strawberry",
    "Original",
    "Lemon",
    "Spicy",
    "Dark",
    "Unsweetened",
    "Mild",
    "Crème Brûlée",
    "Jalapeño",
    "Whole Grain",
    "Maple",
    "Low Sodium",
    "2%",
];
pub(super) const FEATURES: &[&str] = &[
    "Wireless",
    "Bluetooth 5.3",
    "4K",
    "65\"",
    "256GB",
    "1TB",
    "USB-C",
    "Noise Cancelling",
    "RGB",
    "1080p",
    "Fast 65W",
    "Portable",
    "Waterproof",
    "Dual Band",
    "144Hz",
    "15.6-inch",
];
pub(super) const MATERIALS: &[&str] = &[
    "Stainless Steel",
    "Bamboo",
    "Cotton",
    "Leather",
    "Oak",
    "Ceramic",
    "Cast Iron",
    "Recycled Plastic",
    "Wool",
    "Aluminum",
];
pub(super) const REGIONS: &[&str] = &[
    "Okanagan",
    "Napa",
    "Bordeaux",
    "Mendoza",
    "Barossa",
    "Rioja",
    "Niagara",
    "Tuscany",
    "Marlborough",
    "Speyside",
];
/// Phrases of overlong names.
pub(super) const PRAISE: &[&str] = &[
    "Compatible with Most Models",
    "Ideal Gift for Family and Friends",
    "Easy to Clean",
    "Durable Construction",
    "with Extra Long Warranty",
    "Indoor and Outdoor",
    "Upgraded Version",
    "for Home, Office and Travel",
];
/// Spellings of a missing brand.
pub(super) const NO_BRANDS: &[&str] = &["", "", "", "Generic", "N/A", "Unbranded"];

/// Pack sizes in the customary units of both countries.
pub(super) const VOLUMES: &[&str] = &[
    "355 ml",
    "500 ml",
    "1 L",
    "2 L",
    "12 fl oz",
    "16 fl oz",
    "64 fl oz",
    "6 x 330 ml",
    "12 x 355 ml",
    "750 ml",
];
pub(super) const WEIGHTS: &[&str] =
    &["100 g", "200 g", "454 g", "510 g", "1 kg", "8 oz", "12 oz", "2 lb", "6 x 40 g", "18 oz", "5 kg"];
pub(super) const COUNTS: &[&str] =
    &["2 pack", "4 pack", "10 count", "24 ct", "50 count", "100 count", "3 pack"];
pub(super) const BOTTLES: &[&str] = &["750 ml", "750 ml", "750 ml", "375 ml", "1.5 L", "1.14 L", "200 ml"];
