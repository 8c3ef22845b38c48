//! Words that two names may not both have instead of each other: "boneless" and "bone in", "spaghetti" and "penne".
//!
//! One side may say nothing of a group. Where both do, they have one of its rows in common, or sell two things. Forms are
//! written by hand in English and French and folded as names are; the longest one that fits is what is said.

use std::array;

/// Words of a set, of 64 rows each.
const WORDS: usize = 6;

/// Rows of [`FORMS`] that a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Said([u64; WORDS]);

impl Said {
    pub(super) const fn add(&mut self, row: usize) {
        self.0[row / 64] |= 1 << (row % 64);
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn and(self, other: Self) -> Self {
        Self(array::from_fn(|at| self.0[at] & other.0[at]))
    }

    fn but(self, other: Self) -> Self {
        Self(array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// Whether both say something of a group and nothing in common.
    pub(super) fn differs(self, other: Self) -> bool {
        // Who says nothing of its own has of every group what the other has, or nothing.
        let (mine, theirs) = (self.but(other), other.but(self));
        if mine.is_empty() || theirs.is_empty() {
            return false;
        }
        let both = self.and(other);
        GROUPS.iter().any(|group| {
            !mine.and(*group).is_empty() && !theirs.and(*group).is_empty() && both.and(*group).is_empty()
        })
    }
}

/// What rows are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Size,
    Strength,
    Texture,
    Style,
    Flake,
    Cut,
    Joint,
    Roast,
    Chocolate,
    State,
    Edition,
    Taste,
    System,
    Computer,
    Drive,
    Picture,
    Light,
    Wire,
    Place,
    Memory,
    Version,
    Bone,
    Skin,
    Part,
    Meat,
    Cook,
    Lean,
    Milk,
    Liquid,
    Pulp,
    Scent,
    Wings,
    Clump,
    Roll,
    Cell,
    Rice,
    Oil,
    Pressing,
    Grain,
    Chip,
    Pasta,
    Animal,
    Age,
    Container,
    Dose,
    Hour,
    Syrup,
    Muscle,
    Variety,
    Cheese,
    Deli,
}

const GROUP_COUNT: usize = Group::Deli as usize + 1;

/// The rows of each group.
const GROUPS: [Said; GROUP_COUNT] = {
    let (mut groups, mut row) = ([Said([0; WORDS]); GROUP_COUNT], 0);
    while row < FORMS.len() {
        let (of, mut at) = (FORMS[row].0, 0);
        while at < of.len() {
            groups[of[at] as usize].add(row);
            at += 1;
        }
        row += 1;
    }
    groups
};

use Group::*;

/// The groups of each row, and the forms that say it.
pub(super) const FORMS: &[(&[Group], &[&str])] = &[
    (&[Size], &["small", "petit", "petite"]),
    (&[Size, Strength], &["medium", "moyen", "moyenne", "mi fort"]),
    (&[Size], &["large", "grand", "grande", "gros"]),
    (&[Size], &["xl", "extra large", "x large", "tres gros", "extra gros"]),
    (&[Size], &["xxl", "xx large"]),
    (&[Size], &["jumbo"]),
    (&[Strength], &["mild", "doux", "douce"]),
    (&[Strength], &["old", "sharp", "hot", "fort", "forte", "vieux"]),
    (&[Strength], &["extra old", "extra sharp", "extra hot", "extra fort", "extra forte", "extra vieux"]),
    (&[Strength], &["marble", "marbre"]),
    (&[Texture], &["soft", "mou"]),
    (&[Texture], &["medium firm", "mi ferme"]),
    (&[Texture], &["firm", "ferme"]),
    (&[Texture], &["extra firm", "extra ferme"]),
    (&[Texture], &["silken", "soyeux"]),
    (&[Texture], &["smooth", "lisse", "creamy", "cremeux", "cremeuse"]),
    (&[Texture], &["crunchy", "croquant", "croquante"]),
    (&[Texture], &["chunky"]),
    (&[Style], &["mexican", "mexicain", "mexicaine"]),
    (&[Style], &["italian", "italien", "italienne"]),
    (&[Style], &["thai", "thailandais", "thailandaise"]),
    (&[Style], &["mediterranean", "mediterraneen", "mediterraneenne"]),
    (&[Style], &["indian", "indien", "indienne"]),
    (&[Style], &["korean", "coreen", "coreenne"]),
    (&[Style], &["japanese", "japonais", "japonaise"]),
    (&[Style], &["chinese", "chinois", "chinoise"]),
    (&[Style], &["cajun"]),
    (&[Flake], &["quick", "rapide"]),
    (&[Flake], &["large flake", "gros flocons"]),
    (&[Flake], &["rolled", "old fashioned"]),
    (&[Flake], &["steel cut"]),
    (&[Flake], &["instant", "instantane", "instantanee"]),
    (&[Cut], &["sliced", "slices", "tranche"]),
    (&[Cut], &["shredded", "rape"]),
    (&[Cut], &["diced", "cubes", "en des"]),
    (&[Cut], &["florets", "fleurons"]),
    (&[Cut], &["slaw"]),
    (&[Cut], &["matchstick", "julienne"]),
    (&[Cut], &["ground", "hache", "moulu", "moulue"]),
    (&[Cut], &["strips", "lanieres"]),
    (&[Cut], &["nuggets", "croquettes"]),
    (&[Cut], &["burgers", "patties", "galettes"]),
    (&[Cut], &["fillet", "filet"]),
    (&[Cut, Joint], &["steak"]),
    (&[Cut], &["whole", "entier", "entiere"]),
    (&[Cut], &["whole bean", "en grains"]),
    (&[Cut], &["crushed", "broye", "broyee"]),
    (&[Cut], &["stewed", "etuve", "etuvee"]),
    (&[Cut], &["chunks", "morceaux"]),
    (&[Cut], &["fingers", "doigts"]),
    (&[Cut], &["tenders", "filets de poitrine"]),
    (&[Joint], &["chop", "cotelette"]),
    (&[Joint], &["roast", "roti"]),
    (&[Joint], &["rib", "cote"]),
    (&[Roast, Taste], &["dark roast", "noir roast", "torrefaction foncee"]),
    (&[Roast, Taste], &["medium roast", "torrefaction moyenne"]),
    (&[Roast, Taste], &["light roast", "blonde roast", "torrefaction legere"]),
    (&[Chocolate], &["dark chocolate", "chocolat noir"]),
    (&[Chocolate], &["milk chocolate", "chocolat au lait"]),
    (&[Chocolate], &["white chocolate", "chocolat blanc"]),
    (&[State], &["fresh", "frais", "fraiche"]),
    (&[State], &["frozen", "surgele", "surgelee", "congele", "congelee"]),
    (&[State], &["canned", "en conserve"]),
    (&[State], &["dried", "seche", "sechee"]),
    (&[Edition], &["standard", "std"]),
    (&[Edition], &["professional", "pro"]),
    (&[Edition], &["premium"]),
    (&[Edition, Taste], &["deluxe", "dlx"]),
    (&[Edition], &["home"]),
    (&[Edition], &["essentials", "basic", "starter"]),
    (&[Edition], &["ultimate"]),
    (&[Edition], &["enterprise"]),
    (&[Edition], &["business"]),
    (&[Taste], &["antibacterial", "antibacterien"]),
    (&[Taste], &["sensitive", "sensible"]),
    (&[Taste], &["linen"]),
    (&[Taste], &["breeze", "brise"]),
    (&[Taste], &["cotton", "coton"]),
    (&[Taste], &["ocean"]),
    (&[Taste], &["meadow"]),
    (&[Taste], &["rain", "pluie"]),
    (&[Taste], &["tropical"]),
    (&[Taste], &["puff"]),
    (&[Taste], &["original", "originale"]),
    (&[Taste], &["mushroom", "champignon"]),
    (&[Taste], &["onion", "oignon"]),
    (&[Taste], &["miso"]),
    (&[Taste], &["alfredo"]),
    (&[Taste], &["four cheese", "4 cheese", "quatre fromages"]),
    (&[Taste], &["pepperoni"]),
    (&[Taste], &["all dressed", "toute garnie", "assaisonnee"]),
    (&[Taste], &["marinara"]),
    (&[Taste], &["nacho"]),
    (&[Taste], &["hawaiian", "hawaienne"]),
    (&[Taste], &["vegetable", "legume"]),
    (&[Taste], &["tomato", "tomate"]),
    (&[Taste], &["bacon"]),
    (&[Taste], &["meat lovers"]),
    (&[Taste], &["calorie wise"]),
    (&[System], &["mac", "macintosh", "macos"]),
    (&[System], &["windows", "win", "pc"]),
    (&[Computer], &["laptop", "notebook"]),
    (&[Computer], &["desktop"]),
    (&[Drive], &["sas"]),
    (&[Drive], &["sata"]),
    (&[Drive], &["nvme"]),
    (&[Picture], &["vga"]),
    (&[Picture], &["dvi"]),
    (&[Picture], &["hdmi"]),
    (&[Picture], &["displayport"]),
    (&[Light], &["led"]),
    (&[Light], &["rgb", "argb"]),
    (&[Wire], &["wired", "filaire"]),
    (&[Wire], &["wireless", "cordless", "bluetooth", "sans fil"]),
    (&[Place], &["internal", "interne"]),
    (&[Place], &["external", "externe"]),
    (&[Memory], &["ddr2"]),
    (&[Memory], &["ddr3", "ddr3l"]),
    (&[Memory], &["ddr4"]),
    (&[Memory], &["ddr5"]),
    (&[Version], &["v1"]),
    (&[Version], &["v2", "ii"]),
    (&[Version], &["v3", "iii"]),
    (&[Version], &["v4", "iv"]),
    (&[Version], &["v5"]),
    (&[Version], &["v6"]),
    (&[Bone], &["boneless", "desosse", "desossee", "sans os"]),
    (&[Bone], &["bone in", "avec os"]),
    (&[Skin], &["skinless", "sans peau"]),
    (&[Skin], &["skin on", "avec peau"]),
    (&[Part], &["breast", "poitrine"]),
    (&[Part], &["thigh", "haut de cuisse"]),
    (&[Part], &["drumstick", "pilon"]),
    (&[Part], &["leg", "cuisse"]),
    (&[Part], &["wing", "aile"]),
    (&[Meat, Taste], &["beef", "boeuf"]),
    (&[Meat, Taste], &["pork", "porc"]),
    (&[Meat, Taste], &["chicken", "poulet"]),
    (&[Meat, Taste], &["turkey", "dinde", "dindon"]),
    (&[Meat, Taste], &["veal", "veau"]),
    (&[Meat, Taste], &["lamb", "agneau"]),
    (&[Meat, Taste], &["bison"]),
    (&[Meat, Taste], &["duck", "canard"]),
    (&[Meat, Taste], &["ham", "jambon"]),
    (&[Meat, Taste], &["cod", "morue"]),
    (&[Meat, Taste], &["haddock", "aiglefin"]),
    (&[Meat, Taste], &["salmon", "saumon"]),
    (&[Meat, Taste], &["tilapia"]),
    (&[Meat, Taste], &["sole"]),
    (&[Meat, Taste], &["basa"]),
    (&[Meat, Taste], &["pollock", "goberge"]),
    (&[Meat, Taste], &["halibut", "fletan"]),
    (&[Meat, Taste], &["trout", "truite"]),
    (&[Meat, Taste], &["tuna", "thon"]),
    (&[Meat, Taste], &["sardine"]),
    (&[Meat, Taste], &["herring", "hareng"]),
    (&[Meat, Taste], &["mackerel", "maquereau"]),
    (&[Meat, Taste], &["shrimp", "crevette"]),
    (&[Meat, Taste], &["crab", "crabe"]),
    (&[Meat, Taste], &["lobster", "homard"]),
    (&[Meat, Taste], &["scallop", "petoncle"]),
    (&[Meat, Taste], &["squid", "calmar", "calamari"]),
    (&[Meat, Taste], &["seafood", "fruits de mer"]),
    (&[Cook], &["raw", "uncooked", "cru", "crue"]),
    (&[Cook], &["cooked", "precooked", "pre cooked", "fully cooked", "cuit", "cuite", "precuit", "precuite"]),
    (&[Lean], &["lean", "maigre"]),
    (&[Lean], &["extra lean", "extra maigre"]),
    (&[Milk], &["skim", "ecreme", "skimmed"]),
    (&[Milk], &["partly skimmed", "part skim", "semi skimmed", "partiellement ecreme"]),
    (&[Milk], &["homo", "homogenized", "homogeneise", "whole milk", "lait entier"]),
    (&[Liquid], &["in water", "dans l'eau"]),
    (&[Liquid], &["in oil", "in olive oil", "in vegetable oil", "dans l'huile"]),
    (&[Liquid], &["in brine"]),
    (&[Liquid], &["in syrup"]),
    (&[Liquid], &["in juice"]),
    (&[Liquid], &["in tomato sauce"]),
    (&[Liquid], &["marinated", "marine", "marinee"]),
    (&[Pulp], &["no pulp", "pulp free", "sans pulpe"]),
    (&[Pulp], &["with pulp", "some pulp", "lots of pulp", "high pulp", "avec pulpe"]),
    (&[Scent], &["unscented", "fragrance free", "scent free", "sans parfum", "non parfume", "non parfumee"]),
    (&[Scent], &["scented", "parfume", "parfumee"]),
    (&[Wings], &["with wings", "avec ailes"]),
    (&[Wings], &["without wings", "no wings", "sans ailes"]),
    (&[Clump], &["clumping", "agglomerante"]),
    (&[Clump], &["non clumping", "non agglomerante"]),
    (&[Roll], &["double roll", "rouleaux doubles"]),
    (&[Roll], &["triple roll", "rouleaux triples"]),
    (&[Roll], &["mega roll"]),
    (&[Roll], &["super mega"]),
    (&[Roll], &["regular roll"]),
    (&[Cell], &["aa"]),
    (&[Cell], &["aaa"]),
    (&[Rice], &["basmati"]),
    (&[Rice], &["jasmine", "jasmin"]),
    (&[Rice], &["arborio"]),
    (&[Rice], &["parboiled"]),
    (&[Rice], &["calrose", "sushi rice"]),
    (&[Rice], &["long grain", "grains longs"]),
    (&[Oil], &["canola oil", "huile de canola"]),
    (&[Oil], &["vegetable oil", "huile vegetale"]),
    (&[Oil], &["corn oil", "huile de mais"]),
    (&[Oil], &["olive oil", "huile d'olive"]),
    (&[Oil], &["sunflower oil", "huile de tournesol"]),
    (&[Oil], &["avocado oil"]),
    (&[Oil], &["peanut oil", "huile d'arachide"]),
    (&[Oil], &["sesame oil", "huile de sesame"]),
    (&[Oil], &["grapeseed oil"]),
    (&[Pressing], &["virgin", "vierge"]),
    (&[Pressing], &["extra virgin", "extra vierge"]),
    (&[Pressing], &["pure", "pur"]),
    (&[Grain], &["whole wheat", "ble entier"]),
    (&[Grain], &["multigrain", "multi grain", "multicereales"]),
    (&[Grain], &["rye", "seigle"]),
    (&[Grain], &["sourdough", "levain"]),
    (&[Grain], &["all purpose", "tout usage"]),
    (&[Grain], &["whole grain", "grains entiers"]),
    (&[Grain], &["bread flour"]),
    (&[Grain], &["cake flour"]),
    (&[Chip], &["ripple", "rippled", "ondule", "ondulee"]),
    (&[Chip], &["wavy"]),
    (&[Chip], &["kettle"]),
    (&[Chip], &["baked"]),
    (&[Pasta], &["spaghetti"]),
    (&[Pasta], &["penne"]),
    (&[Pasta], &["rigatoni"]),
    (&[Pasta], &["fusilli"]),
    (&[Pasta], &["linguine", "linguini"]),
    (&[Pasta], &["fettuccine", "fettucine", "fettuccini"]),
    (&[Pasta], &["rotini"]),
    (&[Pasta], &["macaroni", "elbow", "coude"]),
    (&[Pasta], &["lasagna", "lasagne"]),
    (&[Pasta], &["farfalle", "bow tie"]),
    (&[Pasta], &["capellini", "angel hair"]),
    (&[Pasta], &["shells", "coquilles"]),
    (&[Pasta], &["orzo"]),
    (&[Pasta], &["vermicelli"]),
    (&[Pasta], &["tortellini"]),
    (&[Pasta], &["ravioli"]),
    (&[Pasta], &["gnocchi"]),
    (&[Animal], &["dog", "chien"]),
    (&[Animal], &["cat", "chat"]),
    (&[Age], &["puppy", "chiot"]),
    (&[Age], &["kitten", "chaton"]),
    (&[Age], &["adult", "adulte"]),
    (&[Age], &["senior"]),
    (&[Container], &["can", "canette"]),
    (&[Container], &["bottle", "bouteille"]),
    (&[Container], &["tub"]),
    (&[Container], &["brick"]),
    (&[Dose], &["extra strength", "extra puissant"]),
    (&[Dose], &["regular strength"]),
    (&[Dose], &["maximum strength", "max strength"]),
    (&[Hour], &["night", "nighttime", "nuit"]),
    (&[Hour], &["day", "daytime", "jour"]),
    (&[Syrup], &["amber", "ambre"]),
    (&[Syrup], &["dark", "fonce"]),
    (&[Muscle], &["loin", "longe"]),
    (&[Muscle], &["tenderloin", "filet mignon"]),
    (&[Muscle], &["shoulder", "epaule"]),
    (&[Muscle], &["sirloin", "surlonge"]),
    (&[Muscle], &["striploin", "strip loin", "contre filet"]),
    (&[Muscle], &["rib eye", "ribeye", "faux filet"]),
    (&[Muscle], &["t bone"]),
    (&[Muscle], &["flank", "bavette"]),
    (&[Muscle], &["blade", "palette"]),
    (&[Muscle], &["inside round", "interieur de ronde"]),
    (&[Muscle], &["outside round", "exterieur de ronde"]),
    (&[Muscle], &["eye of round", "oeil de ronde"]),
    (&[Muscle], &["brisket"]),
    (&[Muscle], &["chuck"]),
    (&[Muscle], &["shank", "jarret"]),
    (&[Variety], &["gala"]),
    (&[Variety], &["fuji"]),
    (&[Variety], &["granny smith"]),
    (&[Variety], &["honeycrisp"]),
    (&[Variety], &["mcintosh"]),
    (&[Variety], &["red delicious"]),
    (&[Variety], &["ambrosia"]),
    (&[Variety], &["pink lady"]),
    (&[Variety], &["spartan"]),
    (&[Variety], &["empire"]),
    (&[Variety], &["cortland"]),
    (&[Variety], &["bartlett"]),
    (&[Variety], &["bosc"]),
    (&[Variety], &["anjou"]),
    (&[Variety], &["romaine"]),
    (&[Variety], &["iceberg"]),
    (&[Variety], &["spring mix"]),
    (&[Variety], &["cremini"]),
    (&[Variety], &["portobello"]),
    (&[Variety], &["shiitake"]),
    (&[Variety], &["oyster mushroom"]),
    (&[Variety], &["russet"]),
    (&[Variety], &["yukon"]),
    (&[Variety], &["vidalia"]),
    (&[Variety], &["roma"]),
    (&[Variety], &["beefsteak"]),
    (&[Variety], &["grape tomato"]),
    (&[Variety], &["cherry tomato"]),
    (&[Cheese], &["mozzarella"]),
    (&[Cheese], &["gouda"]),
    (&[Cheese], &["swiss", "suisse"]),
    (&[Cheese], &["havarti"]),
    (&[Cheese], &["provolone"]),
    (&[Cheese], &["parmesan"]),
    (&[Cheese], &["feta"]),
    (&[Cheese], &["brie"]),
    (&[Cheese], &["camembert"]),
    (&[Cheese], &["ricotta"]),
    (&[Cheese], &["monterey jack"]),
    (&[Cheese], &["cream cheese", "fromage a la creme"]),
    (&[Cheese], &["cottage cheese", "fromage cottage"]),
    (&[Cheese], &["bocconcini"]),
    (&[Cheese], &["halloumi"]),
    (&[Deli], &["genoa", "genes"]),
    (&[Deli], &["hungarian", "hongrois"]),
    (&[Deli], &["soppressata"]),
    (&[Deli], &["prosciutto"]),
    (&[Deli], &["mortadella"]),
    (&[Deli], &["capicollo"]),
    (&[Deli], &["black forest", "foret noire"]),
    (&[Deli], &["honey ham"]),
    (&[Deli], &["montreal"]),
];

#[cfg(test)]
mod tests {
    use super::super::profile::Names;
    use super::super::terms::said;
    use super::*;

    #[test]
    fn forms_are_what_a_name_says_and_stand_once() {
        let forms = || FORMS.iter().flat_map(|(_, forms)| *forms);
        for form in forms() {
            assert_eq!(said(form).written.join(" "), form.replace('\'', ""));
        }
        let mut folded: Vec<String> = forms().map(|form| said(form).folded.join(" ")).collect();
        folded.sort_unstable();
        for two in folded.windows(2) {
            assert_ne!(two[0], two[1]);
        }
    }

    #[test]
    fn a_set_has_room_for_all_rows() {
        assert!(FORMS.len() <= 64 * WORDS);
    }

    #[test]
    fn names_differ_where_both_say_something_of_a_group() {
        let names = Names::new();
        let of = |name: &str| names.forms(&said(name).folded);
        for (a, b) in [
            ("Chicken Thighs Boneless 1 kg", "Chicken Thighs, Bone-In, 1 kg"),
            ("Hauts de cuisses de poulet", "Cuisses de poulet"),
            ("Tropicana sans pulpe 1.75 L", "Tropicana avec pulpe 1.75 L"),
            ("Lean Ground Beef", "Extra Lean Ground Beef"),
            ("Boeuf haché maigre", "Porc haché maigre"),
            ("Tuna in Water", "Tuna in Oil"),
            ("Thon dans l'eau", "Thon dans l'huile"),
            ("Barilla Penne", "Barilla Spaghetti"),
            ("Cloves, whole", "Cloves, ground"),
            ("Pampers unscented", "Pampers scented"),
            ("Classico Four Cheese", "Classico Mushroom"),
            // Of two groups at once.
            ("Salsa, Medium", "Salsa, Hot"),
            ("Medium Eggs", "Large Eggs"),
        ] {
            assert!(of(a).differs(of(b)) && of(b).differs(of(a)), "{a} | {b}");
        }
        for (a, b) in [
            ("Chicken Thighs Boneless", "Chicken Thighs"),
            ("Pork Loin Chops", "Pork Chops"),
            ("Pork Loin Chops", "Pork Loin Roast Chops"),
            ("Whole Wheat Bread, Sliced", "Bread, Whole Wheat"),
            ("Poitrines de poulet désossées", "Boneless Chicken Breasts"),
            ("Old El Paso Salsa, Mild", "Old El Paso Salsa"),
            ("Macaroni", "Elbows"),
        ] {
            assert!(!of(a).differs(of(b)) && !of(b).differs(of(a)), "{a} | {b}");
        }
    }
}
