//! Words that tell one product from its neighbour, written by hand in English and French.
//!
//! A *variant word* makes another product of a listing: who says `decaf` does not sell what is sold without it. Words
//! of a row are one variant; a phrase is a row's form with blanks. Forms are folded as names are, so that one stands for
//! its plural.

/// How a group of words decides between two listings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Both sides say the same, or neither says anything.
    Variant,
    /// Colours and trims: as a variant, but a shared part number settles what one side leaves out.
    Colour,
    /// As a variant: what something tastes or smells of.
    Flavour,
    /// For whom it is: as a variant, but a shared part number settles what one side leaves out.
    Wearer,
    /// What belongs to a thing or is one itself: as a variant of what is called so, else a shared part number settles what
    /// one side leaves out.
    Accessory,
    /// Tells nothing apart: a price that holds for several variants, or a word that means something else here.
    Any,
}

/// One variant: its kind, and the forms that name it.
pub(crate) struct Row {
    pub(crate) kind: Kind,
    pub(crate) forms: &'static [&'static str],
}

const fn variant(forms: &'static [&'static str]) -> Row {
    Row { kind: Kind::Variant, forms }
}

const fn colour(forms: &'static [&'static str]) -> Row {
    Row { kind: Kind::Colour, forms }
}

const fn flavour(forms: &'static [&'static str]) -> Row {
    Row { kind: Kind::Flavour, forms }
}

const fn wearer(forms: &'static [&'static str]) -> Row {
    Row { kind: Kind::Wearer, forms }
}

const fn accessory(forms: &'static [&'static str]) -> Row {
    Row { kind: Kind::Accessory, forms }
}

const fn any(forms: &'static [&'static str]) -> Row {
    Row { kind: Kind::Any, forms }
}

/// The table. At most 128 rows, so that what a name says is one number.
pub(crate) const ROWS: &[Row] = &[
    variant(&["organic", "organique", "bio", "biologique"]),
    variant(&["lactose free", "sans lactose", "lactosefree", "lactaid", "delactose"]),
    variant(&["decaf", "decaffeinated", "decafeine", "decafeinee", "caffeine free", "sans cafeine"]),
    variant(&["diet", "diete", "dietetique"]),
    variant(&["zero"]),
    variant(&["light", "lite", "leger", "legere", "allege", "allegee"]),
    variant(&["unsalted", "no salt", "salt free", "non sale", "non salee", "sans sel"]),
    variant(&[
        "low sodium",
        "less sodium",
        "reduced sodium",
        "lower sodium",
        "less salt",
        "reduit en sodium",
    ]),
    variant(&["salted", "lightly salted", "sale", "salee"]),
    variant(&["unsweetened", "non sucre", "non sucree"]),
    variant(&[
        "low fat",
        "lowfat",
        "reduced fat",
        "less fat",
        "light fat",
        "half the fat",
        "1 2 the fat",
        "moitie moins de gras",
        "faible en gras",
    ]),
    variant(&["sugar free", "sugarfree", "sugarless", "sans sucre", "no sugar"]),
    variant(&["less sugar", "reduced sugar", "low sugar", "moins de sucre"]),
    variant(&["high protein", "riche en proteine"]),
    variant(&["smoked", "fume", "fumee"]),
    variant(&["mini", "minis"]),
    variant(&["micro mini", "micro minis"]),
    variant(&["refill", "recharge"]),
    variant(&["kit", "bundle", "ensemble", "trousse"]),
    variant(&["for", "compatible", "pour", "fits", "replacement", "remplacement", "replaces", "remplace"]),
    variant(&["twin pack", "twinpack", "dual pack", "double pack", "triple pack", "multi pack", "multipack"]),
    any(&[
        "selected varieties",
        "select varieties",
        "assorted varieties",
        "selected flavours",
        "assorted flavours",
        "varietes selectionnees",
        "varietes choisies",
        "varietes assorties",
        "saveurs variees",
        "saveurs assorties",
        "assorted",
        "assorti",
        "assortie",
        "choix varie",
        "selection variee",
        "parfums varies",
        "formats varies",
        "mixed varieties",
        "auto renewal",
        "baby wipes",
        "battery backup",
        "battery life",
        "crispy minis",
        "for cats",
        "for dogs",
        "for home",
        "mini displayport",
        "mini tower",
        "orange pekoe",
        "pomme de terre",
        "pour bebe",
        "pour chats",
        "pour chiens",
        "pour cheveux",
        "pour le corps",
        "pour pates",
        "pro v",
        "right angle",
        "ultra hd",
    ]),
    variant(&["vegan", "vegetalien", "vegetalienne", "plant based"]),
    variant(&["halal"]),
    variant(&["kosher", "cacher", "casher"]),
    variant(&["spicy", "epice", "epicee", "piquant", "piquante"]),
    variant(&["free range", "free run", "en liberte"]),
    variant(&["omega", "omega3"]),
    variant(&["baby", "bebe"]),
    variant(&["assortment", "variety", "varie"]),
    variant(&["upgrade", "upg", "renewal"]),
    variant(&["academic", "student", "education", "educational"]),
    accessory(&["case", "pouch", "sleeve", "etui", "cover"]),
    accessory(&["cartridge", "cartouche", "toner", "ink"]),
    accessory(&["battery", "pile"]),
    accessory(&["charger", "chargeur", "adapter", "adaptateur"]),
    accessory(&["cable", "cord"]),
    accessory(&["bracket", "mount", "support", "stand"]),
    variant(&["left", "gauche"]),
    variant(&["right", "droite"]),
    wearer(&["men", "gents", "homme"]),
    wearer(&["women", "wmns", "ladies", "femme"]),
    wearer(&["kid", "boys", "girls", "junior", "youth", "children", "enfant"]),
    variant(&["wide width", "extra wide"]),
    variant(&["nonstick", "antiadhesif"]),
    variant(&["b grade", "grade b", "reman", "prebinned", "pre binned"]),
    colour(&["pro"]),
    colour(&["plus"]),
    colour(&["max"]),
    colour(&["ultra"]),
    colour(&["air"]),
    colour(&["black", "noir", "noire", "blk"]),
    colour(&["white", "blanc", "blanche", "wht"]),
    colour(&["red", "rouge"]),
    colour(&["blue", "bleu", "bleue", "bleus"]),
    colour(&["green", "vert", "verte"]),
    colour(&["yellow", "jaune"]),
    colour(&["pink", "rose"]),
    colour(&["purple", "violet", "violette", "mauve"]),
    colour(&["brown", "brun", "brune", "marron"]),
    colour(&["grey", "gray", "gris", "grise"]),
    colour(&["silver", "argent", "argente"]),
    colour(&["gold", "golden", "dore", "doree"]),
    colour(&["beige", "bisque", "almond finish"]),
    colour(&["ivory", "ivoire", "cream finish"]),
    colour(&["navy", "marine"]),
    colour(&["teal", "turquoise", "aqua"]),
    colour(&["cyan"]),
    colour(&["magenta"]),
    colour(&["tri color", "tri colour", "tricolor", "tricolour"]),
    colour(&["stainless", "inox", "inoxydable"]),
    colour(&["graphite"]),
    colour(&["charcoal", "anthracite"]),
    colour(&["bronze"]),
    colour(&["copper", "cuivre"]),
    colour(&["chrome"]),
    colour(&["titanium", "titane"]),
    colour(&["platinum", "platine"]),
    colour(&["burgundy", "bourgogne"]),
    colour(&["tan", "khaki", "kaki"]),
    colour(&["clear", "transparent", "transparente"]),
    flavour(&["vanilla", "vanille"]),
    flavour(&["chocolate", "chocolat", "choco", "cocoa", "cacao"]),
    flavour(&["strawberry", "fraise"]),
    flavour(&["raspberry", "framboise"]),
    flavour(&["blueberry", "bleuet", "myrtille"]),
    flavour(&["cherry", "cerise"]),
    flavour(&["peach", "peche"]),
    flavour(&["mango", "mangue"]),
    flavour(&["banana", "banane"]),
    flavour(&["lemon", "citron"]),
    flavour(&["lime"]),
    flavour(&["orange"]),
    flavour(&["coconut", "coco"]),
    flavour(&["caramel"]),
    flavour(&["honey", "miel"]),
    flavour(&["maple", "erable"]),
    flavour(&["cinnamon", "cannelle"]),
    flavour(&["mint", "peppermint", "spearmint", "menthe"]),
    flavour(&["mocha", "moka"]),
    flavour(&["hazelnut", "noisette"]),
    flavour(&["pistachio", "pistache"]),
    flavour(&["pineapple", "ananas"]),
    flavour(&["grape", "raisin"]),
    flavour(&["watermelon", "melon", "pasteque"]),
    flavour(&["cranberry", "canneberge"]),
    flavour(&["pomegranate", "grenade"]),
    flavour(&["green apple", "apple pie", "pomme"]),
    flavour(&["pear", "poire"]),
    flavour(&["bbq", "barbecue", "barbeque"]),
    flavour(&["ketchup"]),
    flavour(&["dill", "aneth"]),
    flavour(&["cheddar"]),
    flavour(&["ranch"]),
    flavour(&["vinegar", "vinaigre"]),
    flavour(&["sour cream", "creme sure"]),
    flavour(&["jalapeno"]),
    flavour(&["garlic", "ail"]),
    flavour(&["ginger", "gingembre"]),
    flavour(&["lavender", "lavande"]),
    flavour(&["plain", "nature", "unflavoured", "unflavored"]),
];

/// What a name says of each kind, as bits of the rows.
pub(crate) const COLOURS: u128 = bits_of(Kind::Colour);
pub(crate) const WEARERS: u128 = bits_of(Kind::Wearer);
pub(crate) const ACCESSORIES: u128 = bits_of(Kind::Accessory);
/// What no part number settles.
pub(crate) const STRICT: u128 = bits_of(Kind::Variant) | bits_of(Kind::Flavour);
/// What one does.
pub(crate) const OUTWEIGHED: u128 = COLOURS | WEARERS | ACCESSORIES;
/// All but colours.
pub(crate) const VARIANTS: u128 = STRICT | WEARERS | ACCESSORIES;

const fn bits_of(kind: Kind) -> u128 {
    let (mut bits, mut row) = (0, 0);
    while row < ROWS.len() {
        if ROWS[row].kind as u8 == kind as u8 {
            bits |= 1 << row;
        }
        row += 1;
    }
    bits
}

/// Brands under other names: keys of brands, and the key that counts.
pub(crate) const BRAND_NAMES: &[(&str, &str)] = &[
    ("blackanddecker", "blackdecker"),
    ("cablestogo", "c2g"),
    ("choixdupresident", "presidentschoice"),
    ("geantvert", "greengiant"),
    ("generalelectric", "ge"),
    ("hewlettpackard", "hp"),
    ("lavachequirit", "laughingcow"),
    ("lechoixdupresident", "presidentschoice"),
    ("mnet", "mrclean"),
    ("pc", "presidentschoice"),
    ("sanpellegrino", "spellegrino"),
    ("sansnom", "noname"),
    ("thelaughingcow", "laughingcow"),
    ("westerndigital", "wd"),
];

/// The key that counts of those that a brand goes by.
pub(crate) fn brand_name(key: &str) -> &str {
    BRAND_NAMES.iter().find(|(other, _)| *other == key).map_or(key, |(_, name)| name)
}

/// Numerals as letters: `Mark II` is `Mark 2`.
pub(crate) const NUMERALS: [(&str, &str); 9] = [
    ("ii", "2"),
    ("iii", "3"),
    ("iv", "4"),
    ("vi", "6"),
    ("vii", "7"),
    ("viii", "8"),
    ("ix", "9"),
    ("xi", "11"),
    ("xii", "12"),
];

/// Private labels, as terms, each with the retailers that sell it: a retailer's key, without hyphens and
/// underscores, begins with one of these.
pub(crate) const PRIVATE_LABELS: &[(&str, &[&str])] = &[
    ("365 by whole foods", WHOLE_FOODS),
    ("365 everyday value", WHOLE_FOODS),
    ("365 whole foods", WHOLE_FOODS),
    ("amazon basics", AMAZON),
    ("amazonbasics", AMAZON),
    ("happy belly", AMAZON),
    ("solimo", AMAZON),
    ("mama bear", AMAZON),
    ("great value", WALMART),
    ("equate", WALMART),
    ("parents choice", WALMART),
    ("sams choice", WALMART),
    ("mainstays", WALMART),
    ("onn", WALMART),
    ("ol roy", WALMART),
    ("marketside", WALMART),
    ("our finest", WALMART),
    ("notre excellence", WALMART),
    ("your fresh market", WALMART),
    ("bettergoods", WALMART),
    ("better goods", WALMART),
    ("spring valley", WALMART),
    ("members mark", &["samsclub", "sams"]),
    ("kirkland", &["costco"]),
    ("kirkland signature", &["costco"]),
    ("presidents choice", LOBLAW),
    ("le choix du president", LOBLAW),
    ("choix du president", LOBLAW),
    ("pc blue menu", LOBLAW),
    ("pc organics", LOBLAW),
    ("no name", LOBLAW),
    ("sans nom", LOBLAW),
    ("farmers market", LOBLAW),
    ("life brand", LOBLAW),
    ("joe fresh", LOBLAW),
    ("selection", METRO),
    ("irresistible", METRO),
    ("irresistibles", METRO),
    ("life smart", METRO),
    ("mieux vivre", METRO),
    ("compliment", SOBEYS),
    ("compliments", SOBEYS),
    ("sensations by compliments", SOBEYS),
    ("panache", SOBEYS),
    ("longos", &["longos", "voila", "longo"]),
    ("western family", PATTISON),
    ("save on foods", PATTISON),
    ("co op gold", &["coop", "calgarycoop", "fcl"]),
    ("market basket", &["marketbasket"]),
    ("up up", TARGET),
    ("up and up", TARGET),
    ("good gather", TARGET),
    ("good and gather", TARGET),
    ("market pantry", TARGET),
    ("archer farms", TARGET),
    ("room essentials", TARGET),
    ("threshold", TARGET),
    ("favorite day", TARGET),
    ("heyday", TARGET),
    ("insignia", BEST_BUY),
    ("rocketfish", BEST_BUY),
    ("dynex", BEST_BUY),
    ("kroger", KROGER),
    ("simple truth", KROGER),
    ("private selection", KROGER),
    ("signature select", ALBERTSONS),
    ("o organics", ALBERTSONS),
    ("lucerne", ALBERTSONS),
    ("open nature", ALBERTSONS),
    ("trader joes", &["traderjoe"]),
    ("wegmans", &["wegmans"]),
    ("publix", &["publix"]),
    ("h e b", &["heb"]),
    ("heb", &["heb"]),
    ("hill country fare", &["heb"]),
    ("food lion", &["foodlion"]),
    ("natures promise", &["giant", "stopandshop", "stopshop", "hannaford", "foodlion"]),
    ("hannaford", &["hannaford"]),
    ("giant eagle", &["gianteagle"]),
    ("meijer", &["meijer"]),
    ("shoprite", &["shoprite"]),
    ("bowl basket", &["shoprite"]),
    ("essential everyday", &["supervalu", "cub"]),
    ("simply nature", &["aldi"]),
    ("millville", &["aldi"]),
    ("friendly farms", &["aldi"]),
    ("specially selected", &["aldi"]),
    ("cvs", &["cvs"]),
    ("cvs health", &["cvs"]),
    ("gold emblem", &["cvs"]),
    ("walgreens", &["walgreens"]),
    ("nice walgreens", &["walgreens"]),
    ("rite aid", &["riteaid"]),
    ("jean coutu", &["jeancoutu", "metro"]),
    ("personnelle", &["jeancoutu", "metro"]),
    ("london drugs", &["londondrugs"]),
    ("rexall", &["rexall"]),
    ("mastercraft", CANADIAN_TIRE),
    ("motomaster", CANADIAN_TIRE),
    ("noma", CANADIAN_TIRE),
    ("paderno", CANADIAN_TIRE),
    ("husky", HOME_DEPOT),
    ("hdx", HOME_DEPOT),
    ("ryobi", HOME_DEPOT),
    ("hampton bay", HOME_DEPOT),
    ("kobalt", LOWES),
    ("allen roth", LOWES),
    ("project source", LOWES),
    ("dollarama", &["dollarama"]),
    ("giant tiger", &["gianttiger"]),
    ("staples", &["staples", "bureauengros"]),
    ("office depot", &["officedepot", "officemax"]),
    ("berkley jensen", &["bjs"]),
    ("wellsley farms", &["bjs"]),
];

const WALMART: &[&str] = &["walmart"];
const AMAZON: &[&str] = &["amazon", "wholefoods"];
const WHOLE_FOODS: &[&str] = &["wholefoods", "amazon"];
const TARGET: &[&str] = &["target"];
const BEST_BUY: &[&str] = &["bestbuy"];
const CANADIAN_TIRE: &[&str] = &["canadiantire"];
const HOME_DEPOT: &[&str] = &["homedepot", "thehomedepot"];
const LOWES: &[&str] = &["lowes", "rona"];
const LOBLAW: &[&str] = &[
    "loblaw",
    "nofrills",
    "realcanadiansuperstore",
    "superstore",
    "zehrs",
    "fortinos",
    "independent",
    "yourindependent",
    "valumart",
    "provigo",
    "maxi",
    "shoppers",
    "pharmaprix",
    "atlanticsuperstore",
    "dominion",
    "wholesaleclub",
    "pcexpress",
    "joefresh",
    "extrafoods",
    "tandt",
];
const METRO: &[&str] = &["metro", "foodbasics", "superc", "adonis"];
const SOBEYS: &[&str] =
    &["sobeys", "voila", "safeway", "iga", "foodland", "freshco", "farmboy", "longos", "thrifty", "lawtons"];
const PATTISON: &[&str] = &["saveonfoods", "pricesmart", "buylow", "urbanfare", "nesters"];
const KROGER: &[&str] = &[
    "kroger",
    "ralphs",
    "fredmeyer",
    "kingsoopers",
    "smiths",
    "frys",
    "harristeeter",
    "qfc",
    "dillons",
    "marianos",
    "food4less",
    "foodsco",
    "picknsave",
    "vitacost",
];
const ALBERTSONS: &[&str] = &[
    "albertsons",
    "safeway",
    "vons",
    "jewel",
    "acme",
    "shaws",
    "randalls",
    "tomthumb",
    "pavilions",
    "starmarket",
    "haggen",
    "carrs",
];

#[cfg(test)]
mod tests {
    use super::super::part_numbers::{assert_forms_stand_once, said};
    use super::*;

    #[test]
    fn every_form_is_what_a_name_says() {
        let forms = ROWS.iter().flat_map(|row| row.forms);
        for form in forms.chain(PRIVATE_LABELS.iter().map(|(label, _)| label)) {
            assert_eq!(&said(form).written.join(" "), form);
        }
    }

    #[test]
    fn forms_and_labels_stand_once() {
        assert_forms_stand_once(ROWS.iter().flat_map(|row| row.forms));
        let mut labels: Vec<&str> = PRIVATE_LABELS.iter().map(|(label, _)| *label).collect();
        labels.sort_unstable();
        assert!(labels.is_sorted_by(|a, b| a < b), "{labels:?}");
    }

    #[test]
    fn a_name_says_at_most_as_much_as_fits_a_number() {
        assert!(ROWS.len() <= 128);
    }
}
