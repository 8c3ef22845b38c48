//! What a product is: a shampoo is no conditioner, though brand, line, pack and price are one.
//!
//! A row is one thing with its names in English and French, written by hand and folded as names are; the longest form that
//! fits is what is said. One side may say nothing. Where both do, they have a thing in common, or sell two.

/// Words of a set, of 64 rows each.
const WORDS: usize = 3;

/// What a name calls its product: rows of [`PRODUCT_TYPES`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProductTypes([u64; WORDS]);

impl ProductTypes {
    /// Adds a row; one behind the last is no thing.
    pub(crate) fn add(&mut self, row: usize) {
        if row < PRODUCT_TYPES.len() {
            self.0[row / 64] |= 1 << (row % 64);
        }
    }

    /// Whether both say something and nothing in common.
    pub(crate) fn differ(&self, other: &Self) -> bool {
        let is_some = |product_types: &Self| product_types.0.iter().any(|word| *word != 0);
        is_some(self) && is_some(other) && self.0.iter().zip(other.0).all(|(own, other)| own & other == 0)
    }
}

/// The table.
pub(crate) const PRODUCT_TYPES: &[&[&str]] = &[
    // Care.
    &["shampoo", "shampooing", "shampoing"],
    &["conditioner", "revitalisant", "apres shampooing"],
    &["body wash", "shower gel", "gel douche", "nettoyant pour le corps", "nettoyant corporel"],
    &["hand wash", "hand soap", "savon a mains", "savon pour les mains", "savon liquide pour les mains"],
    &["deodorant", "antiperspirant", "antisudorifique", "desodorisant"],
    &["toothpaste", "dentifrice"],
    &["mouthwash", "mouth rinse", "rince bouche"],
    &["toothbrush", "brosse a dents"],
    &["floss", "soie dentaire"],
    &["lotion"],
    &["water gel"],
    &["gel cream", "creme gel"],
    &["razor", "rasoir"],
    &["shaving gel", "shave gel", "gel a raser", "shaving cream", "shave cream", "creme a raser"],
    &["hairspray", "hair spray", "fixatif"],
    &["diaper", "couche"],
    &["training pant", "culotte d'entrainement"],
    &["wipe", "lingette"],
    &["tampon"],
    &["liner", "pantyliner", "protege dessous"],
    &["sanitary napkin", "serviette hygienique", "pad"],
    &["lipstick", "rouge a levres"],
    &["lip gloss", "brillant a levres"],
    &["lip liner", "crayon a levres"],
    &["mascara"],
    &["eyeliner", "eye liner"],
    &["eyeshadow", "eye shadow", "ombre a paupieres"],
    &["foundation", "fond de teint"],
    &["concealer", "cache cernes"],
    &["blush"],
    // Household.
    &["fabric softener", "fabric conditioner", "assouplisseur", "assouplissant"],
    &["dryer sheet", "feuille assouplissante", "feuilles d'assouplissant"],
    &["paper towel", "essuie tout", "tiger towel"],
    &["napkin", "serviette de table"],
    &["toilet paper", "bathroom tissue", "bath tissue", "toilet tissue", "papier hygienique"],
    &["facial tissue", "mouchoir", "papier mouchoir"],
    &["garbage bag", "trash bag", "can liner", "sac a ordures", "sac a dechets"],
    &["recycling bag", "sac a recyclage", "sac de recyclage"],
    &["freezer bag", "sac de congelation", "sac a congelation"],
    &["sandwich bag", "sac a sandwich"],
    &["cleaner", "nettoyant"],
    &["dish soap", "dishwashing liquid", "dish liquid", "liquide a vaisselle", "savon a vaisselle"],
    // Food.
    &["cookie", "biscuit"],
    &["cracker", "craquelin"],
    &["chip", "crisp", "croustille"],
    &["cereal", "cereale"],
    &["bar", "barre", "granola bar", "cereal bar", "barre de cereale"],
    &["oatmeal", "oat", "gruau", "avoine"],
    &["yogurt", "yoghurt", "yogourt", "yaourt"],
    &["yogurt drink", "drinkable yogurt", "drinkable yogourt", "yogourt a boire", "boisson au yogourt"],
    &["ice cream", "frozen dessert", "creme glacee", "dessert glace"],
    &["mayonnaise", "mayo"],
    &["dressing", "vinaigrette"],
    &["mustard", "moutarde"],
    &["salsa"],
    &["dip", "trempette"],
    &["soup", "soupe", "potage"],
    &["broth", "bouillon"],
    &["pasta sauce", "spaghetti sauce", "sauce pour pates", "sauce a spaghetti"],
    &["pizza sauce", "sauce a pizza"],
    &["pizza"],
    &["bread", "pain"],
    &["bagel"],
    &["bun", "pain a hamburger", "pain hamburger", "pain a hot dog", "pain hot dog", "petit pain"],
    &["tortilla"],
    &["taco"],
    &["burrito"],
    &["fajita"],
    &["enchilada"],
    &["english muffin", "muffin anglais"],
    &["wiener", "beef frank", "frankfurter", "hot dog", "saucisse fumee"],
    &["sausage", "saucisse", "smokie"],
    &["dog food", "cat food", "pet food", "nourriture", "puppy food", "kitten food"],
    &["treat", "dog biscuit", "gaterie"],
    &["juice", "jus"],
    &["lemonade", "limonade"],
    &["iced tea", "the glace"],
    &["creamer", "coffee whitener", "colorant a cafe"],
    &["popcorn", "mais souffle", "mais eclate"],
    &["pretzel", "bretzel"],
    &["granola"],
    // Electronics.
    &["keyboard", "clavier"],
    &["mouse", "souris"],
    &["mouse pad", "mousepad", "tapis de souris"],
    &["monitor", "moniteur"],
    &["tv", "hdtv", "television", "televiseur"],
    &["headphone", "headset", "casque"],
    &["earphone", "earbud", "in ear", "in ear headphone", "ecouteur"],
    &["speaker", "loudspeaker", "soundbar", "sound bar", "haut parleur"],
    &["webcam"],
    &["router", "routeur"],
    &["modem"],
    &["extender", "repeater", "prolongateur"],
    &["printer", "imprimante"],
    &["scanner", "numeriseur"],
    &["projector", "projecteur"],
    &["screen protector", "protecteur d'ecran"],
    &["tripod", "trepied"],
    // Appliances and tools.
    &["toaster", "grille pain"],
    &["toaster oven", "four grille pain"],
    &["waffle maker", "waffle iron", "gaufrier"],
    &["blender"],
    &["mixer"],
    &["kettle", "bouilloire"],
    &["coffee maker", "coffeemaker", "cafetiere"],
    &["refrigerator", "fridge", "refrigerateur"],
    &["dishwasher", "lave vaisselle"],
    &["vacuum", "aspirateur"],
    &["drill", "perceuse", "hammer drill", "drill driver"],
    &["impact driver", "visseuse a chocs"],
    &["sander", "ponceuse"],
    &["oven", "range", "cuisiniere"],
    &["microwave", "microwave oven", "micro onde"],
    &["washer", "washing machine", "laveuse"],
    &["dryer", "secheuse"],
    &["hair dryer", "seche cheveux"],
    &["faucet", "robinet"],
    &["towel bar", "porte serviettes"],
    // Wear.
    &["boot", "botte", "bottine"],
    &["sandal", "sandale", "flip flop", "slide"],
    &["clog", "sabot"],
    &["loafer", "mocassin"],
    &["slipper", "pantoufle"],
    &["sneaker", "espadrille"],
    // Home.
    &["dresser", "commode"],
    &["nightstand", "table de chevet"],
    &["bookcase", "bookshelf", "bibliotheque"],
    &["stroller", "poussette"],
    &["car seat", "siege d'auto"],
    &["valance", "cantonniere"],
    &["curtain", "drape", "window panel", "rideau"],
    &["blanket", "couverture"],
    &["quilt", "comforter", "duvet", "courtepointe", "douillette"],
    &["crib sheet", "fitted sheet", "flat sheet", "sheet set", "drap"],
    &["bed skirt", "bedskirt", "crib skirt", "dust ruffle"],
    &["crib bumper", "bumper set", "bumper pad", "bumper"],
    &["bedding", "bed set", "comforter set", "quilt set", "literie"],
    &["pillow", "oreiller"],
    &["rug"],
    &["hamper", "panier a linge"],
    &["lamp", "lampe", "lampshade", "abat jour"],
    &["mobile"],
    &["wall decal", "decal", "applique", "wall sticker"],
    &["wall art", "wall hanging"],
    &["growth chart"],
    &["clock", "horloge"],
    &["diaper stacker"],
    &["diaper bag", "sac a couches"],
    &["toy bag", "sac a jouets"],
    &["tumbler", "gobelet"],
];

/// Phrases in which a thing is a taste, a part or a name.
pub(crate) const NO_PRODUCT_TYPES: &[&str] = &[
    "bar stool",
    "bread crumb",
    "chip and dip",
    "chocolate chip",
    "cookie and cream",
    "cookie cream",
    "cookie dough",
    "cookie n cream",
    "dishwasher safe",
    "flip chip",
    "heart rate monitor",
    "long range",
    "microwave popcorn",
    "over the range",
    "mickey mouse",
    "minnie mouse",
    "pain relief",
    "pain reliever",
    "pain relieving",
    "pepite de chocolat",
    "t mobile",
];

#[cfg(test)]
mod tests {
    use super::super::part_numbers::assert_forms_stand_once;
    use super::*;

    #[test]
    fn forms_are_what_a_name_says_and_stand_once() {
        assert_forms_stand_once(PRODUCT_TYPES.iter().copied().flatten().chain(NO_PRODUCT_TYPES));
        assert!(PRODUCT_TYPES.len() <= 64 * WORDS);
    }
}
