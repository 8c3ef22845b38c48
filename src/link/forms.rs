//! Words that two names may not both have instead of each other: "boneless" and "bone in", "spaghetti" and "penne".
//!
//! One side may say nothing of a group. Where both do, they have one of its rows in common, or sell two things. Forms are
//! written by hand in English and French and folded as names are; the longest one that fits is what is said.

/// Words of a set, of 64 rows each.
const WORDS: usize = 6;

/// Rows of [`FORMS`] that a name says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said {
    rows: [u64; WORDS],
    /// The groups of these, as bits.
    groups: u64,
}

impl Said {
    pub(super) fn add(&mut self, row: usize) {
        self.rows[row / 64] |= 1 << (row % 64);
        self.groups |= FORMS[row].0.iter().fold(0, |groups, group| groups | 1 << *group as u32);
    }

    pub(super) fn is_empty(self) -> bool {
        self.groups == 0
    }

    /// Whether both say something of a group and nothing in common.
    pub(super) fn differs(&self, other: &Self) -> bool {
        let mut groups = self.groups & other.groups;
        while groups != 0 {
            let rows = &GROUPS[groups.trailing_zeros() as usize];
            if (0..WORDS).all(|at| self.rows[at] & other.rows[at] & rows[at] == 0) {
                return true;
            }
            groups &= groups - 1;
        }
        false
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

/// The rows of each group, as bits.
const GROUPS: [[u64; WORDS]; GROUP_COUNT] = {
    let (mut groups, mut row) = ([[0; WORDS]; GROUP_COUNT], 0);
    while row < FORMS.len() {
        let (of, mut at) = (FORMS[row].0, 0);
        while at < of.len() {
            groups[of[at] as usize][row / 64] |= 1 << (row % 64);
            at += 1;
        }
        row += 1;
    }
    groups
};

/// The groups of each row, and the forms that say it.
pub(super) const FORMS: &[(&[Group], &[&str])] = &[
    (&[Group::Size], &["small", "petit", "petite"]),
    (&[Group::Size, Group::Strength], &["medium", "moyen", "moyenne", "mi fort"]),
    (&[Group::Size], &["large", "grand", "grande", "gros"]),
    (&[Group::Size], &["xl", "extra large", "x large", "tres gros", "extra gros"]),
    (&[Group::Size], &["xxl", "xx large"]),
    (&[Group::Size], &["jumbo"]),
    (&[Group::Strength], &["mild", "doux", "douce"]),
    (&[Group::Strength], &["old", "sharp", "hot", "fort", "forte", "vieux"]),
    (
        &[Group::Strength],
        &["extra old", "extra sharp", "extra hot", "extra fort", "extra forte", "extra vieux"],
    ),
    (&[Group::Strength], &["marble", "marbre"]),
    (&[Group::Texture], &["soft", "mou"]),
    (&[Group::Texture], &["medium firm", "mi ferme"]),
    (&[Group::Texture], &["firm", "ferme"]),
    (&[Group::Texture], &["extra firm", "extra ferme"]),
    (&[Group::Texture], &["silken", "soyeux"]),
    (&[Group::Texture], &["smooth", "lisse", "creamy", "cremeux", "cremeuse"]),
    (&[Group::Texture], &["crunchy", "croquant", "croquante"]),
    (&[Group::Texture], &["chunky"]),
    (&[Group::Style], &["mexican", "mexicain", "mexicaine"]),
    (&[Group::Style], &["italian", "italien", "italienne"]),
    (&[Group::Style], &["thai", "thailandais", "thailandaise"]),
    (&[Group::Style], &["mediterranean", "mediterraneen", "mediterraneenne"]),
    (&[Group::Style], &["indian", "indien", "indienne"]),
    (&[Group::Style], &["korean", "coreen", "coreenne"]),
    (&[Group::Style], &["japanese", "japonais", "japonaise"]),
    (&[Group::Style], &["chinese", "chinois", "chinoise"]),
    (&[Group::Style], &["cajun"]),
    (&[Group::Style], &["greek", "grec", "grecque"]),
    (&[Group::Flake], &["quick", "rapide"]),
    (&[Group::Flake], &["large flake", "gros flocons"]),
    (&[Group::Flake], &["rolled", "old fashioned"]),
    (&[Group::Flake], &["steel cut"]),
    (&[Group::Flake], &["instant", "instantane", "instantanee"]),
    (&[Group::Cut], &["sliced", "slices", "tranche"]),
    (&[Group::Cut], &["shredded", "rape"]),
    (&[Group::Cut], &["block", "bloc"]),
    (&[Group::Cut], &["diced", "cubes", "en des"]),
    (&[Group::Cut], &["florets", "fleurons"]),
    (&[Group::Cut], &["slaw"]),
    (&[Group::Cut], &["matchstick", "julienne"]),
    (&[Group::Cut], &["ground", "hache", "moulu", "moulue"]),
    (&[Group::Cut], &["strips", "lanieres"]),
    (&[Group::Cut], &["nuggets", "croquettes"]),
    (&[Group::Cut], &["burgers", "patties", "galettes"]),
    (&[Group::Cut], &["fillet", "filet"]),
    (&[Group::Cut, Group::Joint], &["steak"]),
    (&[Group::Cut], &["whole", "entier", "entiere"]),
    (&[Group::Cut], &["whole bean", "en grains"]),
    (&[Group::Cut], &["crushed", "broye", "broyee"]),
    (&[Group::Cut], &["stewed", "etuve", "etuvee"]),
    (&[Group::Cut], &["chunks", "morceaux"]),
    (&[Group::Cut], &["fingers", "doigts"]),
    (&[Group::Cut], &["sticks", "batonnets"]),
    (&[Group::Cut], &["tenders", "filets de poitrine"]),
    (&[Group::Joint], &["chop", "cotelette"]),
    (&[Group::Joint], &["roast", "roti"]),
    (&[Group::Joint], &["rib", "cote"]),
    (&[Group::Roast, Group::Taste], &["dark roast", "noir roast", "torrefaction foncee"]),
    (&[Group::Roast, Group::Taste], &["medium roast", "torrefaction moyenne"]),
    (&[Group::Roast, Group::Taste], &["light roast", "blonde roast", "torrefaction legere"]),
    (&[Group::Chocolate], &["dark chocolate", "chocolat noir"]),
    (&[Group::Chocolate], &["milk chocolate", "chocolat au lait"]),
    (&[Group::Chocolate], &["white chocolate", "chocolat blanc"]),
    (&[Group::State], &["fresh", "frais", "fraiche"]),
    (&[Group::State], &["frozen", "surgele", "surgelee", "congele", "congelee"]),
    (&[Group::State], &["canned", "en conserve"]),
    (&[Group::State], &["dried", "seche", "sechee"]),
    (&[Group::Edition], &["standard", "std"]),
    (&[Group::Edition], &["professional", "pro"]),
    (&[Group::Edition], &["premium"]),
    (&[Group::Edition, Group::Taste], &["deluxe", "dlx"]),
    (&[Group::Edition], &["home"]),
    (&[Group::Edition], &["essentials", "basic", "starter"]),
    (&[Group::Edition], &["ultimate"]),
    (&[Group::Edition], &["enterprise"]),
    (&[Group::Edition], &["business"]),
    (&[Group::Taste], &["antibacterial", "antibacterien"]),
    (&[Group::Taste], &["sensitive", "sensible"]),
    (&[Group::Taste], &["linen"]),
    (&[Group::Taste], &["breeze", "brise"]),
    (&[Group::Taste], &["cotton", "coton"]),
    (&[Group::Taste], &["ocean"]),
    (&[Group::Taste], &["meadow"]),
    (&[Group::Taste], &["rain", "pluie"]),
    (&[Group::Taste], &["tropical"]),
    (&[Group::Taste], &["puff"]),
    (&[Group::Taste], &["original", "originale"]),
    (&[Group::Taste], &["mushroom", "champignon"]),
    (&[Group::Taste], &["onion", "oignon"]),
    (&[Group::Taste], &["miso"]),
    (&[Group::Taste], &["alfredo"]),
    (&[Group::Taste], &["four cheese", "4 cheese", "quatre fromages"]),
    (&[Group::Taste], &["pepperoni"]),
    (&[Group::Taste], &["all dressed", "toute garnie", "assaisonnee"]),
    (&[Group::Taste], &["marinara"]),
    (&[Group::Taste], &["nacho"]),
    (&[Group::Taste], &["buffalo"]),
    (&[Group::Taste], &["hawaiian", "hawaienne"]),
    (&[Group::Taste], &["vegetable", "legume"]),
    (&[Group::Taste], &["tomato", "tomate"]),
    (&[Group::Taste], &["bacon"]),
    (&[Group::Taste], &["meat lovers"]),
    (&[Group::Taste], &["calorie wise"]),
    (&[Group::System], &["mac", "macintosh", "macos"]),
    (&[Group::System], &["windows", "win", "pc"]),
    (&[Group::Computer], &["laptop", "notebook"]),
    (&[Group::Computer], &["desktop"]),
    (&[Group::Drive], &["sas"]),
    (&[Group::Drive], &["sata"]),
    (&[Group::Drive], &["nvme"]),
    (&[Group::Picture], &["vga"]),
    (&[Group::Picture], &["dvi"]),
    (&[Group::Picture], &["hdmi"]),
    (&[Group::Picture], &["displayport"]),
    (&[Group::Light], &["led"]),
    (&[Group::Light], &["rgb", "argb"]),
    (&[Group::Wire], &["wired", "filaire"]),
    (&[Group::Wire], &["wireless", "cordless", "bluetooth", "sans fil"]),
    (&[Group::Place], &["internal", "interne"]),
    (&[Group::Place], &["external", "externe"]),
    (&[Group::Memory], &["ddr2"]),
    (&[Group::Memory], &["ddr3", "ddr3l"]),
    (&[Group::Memory], &["ddr4"]),
    (&[Group::Memory], &["ddr5"]),
    (&[Group::Version], &["v1"]),
    (&[Group::Version], &["v2", "ii"]),
    (&[Group::Version], &["v3", "iii"]),
    (&[Group::Version], &["v4", "iv"]),
    (&[Group::Version], &["v5"]),
    (&[Group::Version], &["v6"]),
    (&[Group::Bone], &["boneless", "desosse", "desossee", "sans os"]),
    (&[Group::Bone], &["bone in", "avec os"]),
    (&[Group::Skin], &["skinless", "sans peau"]),
    (&[Group::Skin], &["skin on", "avec peau"]),
    (&[Group::Part], &["breast", "poitrine"]),
    (&[Group::Part], &["thigh", "haut de cuisse"]),
    (&[Group::Part], &["drumstick", "pilon"]),
    (&[Group::Part], &["leg", "cuisse"]),
    (&[Group::Part], &["wing", "aile"]),
    (&[Group::Meat, Group::Taste], &["beef", "boeuf"]),
    (&[Group::Meat, Group::Taste], &["pork", "porc"]),
    (&[Group::Meat, Group::Taste], &["chicken", "poulet"]),
    (&[Group::Meat, Group::Taste], &["turkey", "dinde", "dindon"]),
    (&[Group::Meat, Group::Taste], &["veal", "veau"]),
    (&[Group::Meat, Group::Taste], &["lamb", "agneau"]),
    (&[Group::Meat, Group::Taste], &["bison"]),
    (&[Group::Meat, Group::Taste], &["duck", "canard"]),
    (&[Group::Meat, Group::Taste], &["ham", "jambon"]),
    (&[Group::Meat, Group::Taste], &["cod", "morue"]),
    (&[Group::Meat, Group::Taste], &["haddock", "aiglefin"]),
    (&[Group::Meat, Group::Taste], &["salmon", "saumon"]),
    (&[Group::Meat, Group::Taste], &["tilapia"]),
    (&[Group::Meat, Group::Taste], &["sole"]),
    (&[Group::Meat, Group::Taste], &["basa"]),
    (&[Group::Meat, Group::Taste], &["pollock", "goberge"]),
    (&[Group::Meat, Group::Taste], &["halibut", "fletan"]),
    (&[Group::Meat, Group::Taste], &["trout", "truite"]),
    (&[Group::Meat, Group::Taste], &["tuna", "thon"]),
    (&[Group::Meat, Group::Taste], &["sardine"]),
    (&[Group::Meat, Group::Taste], &["herring", "hareng"]),
    (&[Group::Meat, Group::Taste], &["mackerel", "maquereau"]),
    (&[Group::Meat, Group::Taste], &["shrimp", "crevette"]),
    (&[Group::Meat, Group::Taste], &["crab", "crabe"]),
    (&[Group::Meat, Group::Taste], &["lobster", "homard"]),
    (&[Group::Meat, Group::Taste], &["scallop", "petoncle"]),
    (&[Group::Meat, Group::Taste], &["squid", "calmar", "calamari"]),
    (&[Group::Meat, Group::Taste], &["seafood", "fruits de mer"]),
    (&[Group::Cook], &["raw", "uncooked", "cru", "crue"]),
    (
        &[Group::Cook],
        &["cooked", "precooked", "pre cooked", "fully cooked", "cuit", "cuite", "precuit", "precuite"],
    ),
    (&[Group::Lean], &["lean", "maigre"]),
    (&[Group::Lean], &["extra lean", "extra maigre"]),
    (&[Group::Milk], &["skim", "ecreme", "skimmed"]),
    (&[Group::Milk], &["partly skimmed", "part skim", "semi skimmed", "partiellement ecreme"]),
    (&[Group::Milk], &["homo", "homogenized", "homogeneise", "whole milk", "lait entier"]),
    (&[Group::Liquid], &["in water", "dans l'eau"]),
    (&[Group::Liquid], &["in oil", "in olive oil", "in vegetable oil", "dans l'huile"]),
    (&[Group::Liquid], &["in brine"]),
    (&[Group::Liquid], &["in syrup"]),
    (&[Group::Liquid], &["in juice"]),
    (&[Group::Liquid], &["in tomato sauce"]),
    (&[Group::Liquid], &["marinated", "marine", "marinee"]),
    (&[Group::Pulp], &["no pulp", "pulp free", "sans pulpe"]),
    (&[Group::Pulp], &["with pulp", "some pulp", "lots of pulp", "high pulp", "avec pulpe"]),
    (
        &[Group::Scent],
        &["unscented", "fragrance free", "scent free", "sans parfum", "non parfume", "non parfumee"],
    ),
    (&[Group::Scent], &["scented", "parfume", "parfumee"]),
    (&[Group::Wings], &["with wings", "avec ailes"]),
    (&[Group::Wings], &["without wings", "no wings", "sans ailes"]),
    (&[Group::Clump], &["clumping", "agglomerante"]),
    (&[Group::Clump], &["non clumping", "non agglomerante"]),
    (&[Group::Roll], &["double roll", "rouleaux doubles"]),
    (&[Group::Roll], &["triple roll", "rouleaux triples"]),
    (&[Group::Roll], &["mega roll"]),
    (&[Group::Roll], &["super mega"]),
    (&[Group::Roll], &["regular roll"]),
    (&[Group::Cell], &["aa"]),
    (&[Group::Cell], &["aaa"]),
    (&[Group::Rice], &["basmati"]),
    (&[Group::Rice], &["jasmine", "jasmin"]),
    (&[Group::Rice], &["arborio"]),
    (&[Group::Rice], &["parboiled"]),
    (&[Group::Rice], &["calrose", "sushi rice"]),
    (&[Group::Rice], &["long grain", "grains longs"]),
    (&[Group::Oil], &["canola oil", "huile de canola"]),
    (&[Group::Oil], &["vegetable oil", "huile vegetale"]),
    (&[Group::Oil], &["corn oil", "huile de mais"]),
    (&[Group::Oil], &["olive oil", "huile d'olive"]),
    (&[Group::Oil], &["sunflower oil", "huile de tournesol"]),
    (&[Group::Oil], &["avocado oil"]),
    (&[Group::Oil], &["peanut oil", "huile d'arachide"]),
    (&[Group::Oil], &["sesame oil", "huile de sesame"]),
    (&[Group::Oil], &["grapeseed oil"]),
    (&[Group::Pressing], &["virgin", "vierge"]),
    (&[Group::Pressing], &["extra virgin", "extra vierge"]),
    (&[Group::Pressing], &["pure", "pur"]),
    (&[Group::Grain], &["whole wheat", "ble entier"]),
    (&[Group::Grain], &["multigrain", "multi grain", "multicereales"]),
    (&[Group::Grain], &["rye", "seigle"]),
    (&[Group::Grain], &["sourdough", "levain"]),
    (&[Group::Grain], &["all purpose", "tout usage"]),
    (&[Group::Grain], &["whole grain", "grains entiers"]),
    (&[Group::Grain], &["bread flour"]),
    (&[Group::Grain], &["cake flour"]),
    (&[Group::Chip], &["ripple", "rippled", "ondule", "ondulee"]),
    (&[Group::Chip], &["wavy"]),
    (&[Group::Chip], &["kettle"]),
    (&[Group::Chip], &["baked"]),
    (&[Group::Pasta], &["spaghetti"]),
    (&[Group::Pasta], &["spaghettini"]),
    (&[Group::Pasta], &["penne"]),
    (&[Group::Pasta], &["rigatoni"]),
    (&[Group::Pasta], &["fusilli"]),
    (&[Group::Pasta], &["linguine", "linguini"]),
    (&[Group::Pasta], &["fettuccine", "fettucine", "fettuccini"]),
    (&[Group::Pasta], &["rotini"]),
    (&[Group::Pasta], &["macaroni", "elbow", "coude"]),
    (&[Group::Pasta], &["lasagna", "lasagne"]),
    (&[Group::Pasta], &["farfalle", "bow tie"]),
    (&[Group::Pasta], &["capellini", "angel hair"]),
    (&[Group::Pasta], &["shells", "coquilles"]),
    (&[Group::Pasta], &["orzo"]),
    (&[Group::Pasta], &["vermicelli"]),
    (&[Group::Pasta], &["tortellini"]),
    (&[Group::Pasta], &["ravioli"]),
    (&[Group::Pasta], &["gnocchi"]),
    (&[Group::Animal], &["dog", "chien"]),
    (&[Group::Animal], &["cat", "chat"]),
    (&[Group::Age], &["puppy", "chiot"]),
    (&[Group::Age], &["kitten", "chaton"]),
    (&[Group::Age], &["adult", "adulte"]),
    (&[Group::Age], &["senior"]),
    (&[Group::Container], &["can", "canette"]),
    (&[Group::Container], &["bottle", "bouteille"]),
    (&[Group::Container], &["tub"]),
    (&[Group::Container], &["brick"]),
    (&[Group::Dose], &["extra strength", "extra puissant"]),
    (&[Group::Dose], &["regular strength"]),
    (&[Group::Dose], &["maximum strength", "max strength"]),
    (&[Group::Hour], &["night", "nighttime", "nuit"]),
    (&[Group::Hour], &["day", "daytime", "jour"]),
    (&[Group::Syrup], &["amber", "ambre"]),
    (&[Group::Syrup], &["dark", "fonce"]),
    (&[Group::Muscle], &["loin", "longe"]),
    (&[Group::Muscle], &["tenderloin", "filet mignon"]),
    (&[Group::Muscle], &["shoulder", "epaule"]),
    (&[Group::Muscle], &["sirloin", "surlonge"]),
    (&[Group::Muscle], &["striploin", "strip loin", "contre filet"]),
    (&[Group::Muscle], &["rib eye", "ribeye", "faux filet"]),
    (&[Group::Muscle], &["t bone"]),
    (&[Group::Muscle], &["flank", "bavette"]),
    (&[Group::Muscle], &["blade", "palette"]),
    (&[Group::Muscle], &["inside round", "interieur de ronde"]),
    (&[Group::Muscle], &["outside round", "exterieur de ronde"]),
    (&[Group::Muscle], &["eye of round", "oeil de ronde"]),
    (&[Group::Muscle], &["brisket"]),
    (&[Group::Muscle], &["chuck"]),
    (&[Group::Muscle], &["shank", "jarret"]),
    (&[Group::Variety], &["gala"]),
    (&[Group::Variety], &["fuji"]),
    (&[Group::Variety], &["granny smith"]),
    (&[Group::Variety], &["honeycrisp"]),
    (&[Group::Variety], &["mcintosh"]),
    (&[Group::Variety], &["red delicious"]),
    (&[Group::Variety], &["ambrosia"]),
    (&[Group::Variety], &["pink lady"]),
    (&[Group::Variety], &["spartan"]),
    (&[Group::Variety], &["empire"]),
    (&[Group::Variety], &["cortland"]),
    (&[Group::Variety], &["bartlett"]),
    (&[Group::Variety], &["bosc"]),
    (&[Group::Variety], &["anjou"]),
    (&[Group::Variety], &["romaine"]),
    (&[Group::Variety], &["iceberg"]),
    (&[Group::Variety], &["spring mix"]),
    (&[Group::Variety], &["cremini"]),
    (&[Group::Variety], &["portobello"]),
    (&[Group::Variety], &["shiitake"]),
    (&[Group::Variety], &["oyster mushroom"]),
    (&[Group::Variety], &["russet"]),
    (&[Group::Variety], &["yukon"]),
    (&[Group::Variety], &["vidalia"]),
    (&[Group::Variety], &["roma"]),
    (&[Group::Variety], &["beefsteak"]),
    (&[Group::Variety], &["grape tomato"]),
    (&[Group::Variety], &["cherry tomato"]),
    (&[Group::Cheese], &["mozzarella"]),
    (&[Group::Cheese], &["gouda"]),
    (&[Group::Cheese], &["swiss", "suisse"]),
    (&[Group::Cheese], &["havarti"]),
    (&[Group::Cheese], &["provolone"]),
    (&[Group::Cheese], &["parmesan"]),
    (&[Group::Cheese], &["feta"]),
    (&[Group::Cheese], &["brie"]),
    (&[Group::Cheese], &["camembert"]),
    (&[Group::Cheese], &["ricotta"]),
    (&[Group::Cheese], &["monterey jack"]),
    (&[Group::Cheese], &["cream cheese", "fromage a la creme"]),
    (&[Group::Cheese], &["cottage cheese", "fromage cottage"]),
    (&[Group::Cheese], &["bocconcini"]),
    (&[Group::Cheese], &["halloumi"]),
    (&[Group::Deli], &["genoa", "genes"]),
    (&[Group::Deli], &["hungarian", "hongrois"]),
    (&[Group::Deli], &["soppressata"]),
    (&[Group::Deli], &["prosciutto"]),
    (&[Group::Deli], &["mortadella"]),
    (&[Group::Deli], &["capicollo"]),
    (&[Group::Deli], &["black forest", "foret noire"]),
    (&[Group::Deli], &["honey ham"]),
    (&[Group::Deli], &["montreal"]),
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
        assert!(FORMS.len() <= 64 * WORDS && GROUP_COUNT <= 64);
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
            assert!(of(a).differs(&of(b)) && of(b).differs(&of(a)), "{a} | {b}");
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
            assert!(!of(a).differs(&of(b)) && !of(b).differs(&of(a)), "{a} | {b}");
        }
    }
}
