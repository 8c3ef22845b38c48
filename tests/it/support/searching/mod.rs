//! The slow truth of text search: what every listing is found by, and every listing scored. Shares the analysis of texts
//! and the columns of a catalog with the server, and nothing of its index.

pub mod shop;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use pricebook::catalog::Catalog;
use pricebook::lang::Lexicon;
use pricebook::lang::everyday;
use pricebook::lang::quantities::Stated;
use pricebook::lang::text::fold_term;
use pricebook::lang::text::name::{
    Part, is_accessory, is_variety, label_head, label_product_types, name_terms,
};
use pricebook::lang::text::terms::label_terms;
use pricebook::search::index::{Form, Hit, MatchQuality, QualityQuery, QueryTerm, Role, SoughtTerms};
use pricebook::stats::rng::Rng;
use pricebook::types::Country;

/// How a listing holds a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// In what its name says of itself, or in its brand.
    Own(Is),
    /// Behind "for", "with" and the like alone.
    Aside,
    /// A number of its brand alone.
    BrandNumber,
    /// In the last segment of its category, and at most behind "for", "with" and the like in its name.
    CategoryScope(Is),
    /// In a segment above alone.
    Above,
}

/// What a listing is of what a term names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Is {
    /// The thing itself: a head of its name or of its shelf's label.
    ProductType,
    /// A kind of thing that the term tells apart: another word of the label.
    Trait,
    Neither,
}

/// What a listing is found by.
pub struct Known {
    pub country: Country,
    pub is_priced: bool,
    /// Terms of the name, each once, in order.
    pub name: Vec<u32>,
    pub ways: BTreeMap<u32, Way>,
    /// Different terms of name and brand.
    pub count: usize,
    /// These, and one more for each variety of the name that is not the thing.
    pub length: usize,
    /// Terms of the segment above the last one of its category.
    pub parent: BTreeSet<u32>,
    /// Terms of its last segment.
    pub shelf: BTreeSet<u32>,
    /// Whether its category, or one above, is of products whose names do not say what they are.
    is_free_name: bool,
    /// Whether its category names accessories alone.
    is_of_accessory: bool,
}

/// All listings of a catalog.
pub struct Slow<'a> {
    pub catalog: &'a Catalog,
    /// All terms, sorted: a term's number is its place.
    pub terms: Vec<String>,
    /// By row.
    pub listings: Vec<Known>,
    /// How names spell the terms: how often, by term and spelling.
    spellings: HashMap<String, BTreeMap<String, usize>>,
    /// The things that last segments of categories name.
    pub heads: BTreeSet<String>,
    /// The terms that some listing is.
    pub things: BTreeSet<u32>,
    average: f32,
}

/// Terms of a listing, not yet numbered.
#[derive(Default)]
struct Texts {
    name: Vec<String>,
    ways: BTreeMap<String, Way>,
    count: usize,
    length: usize,
    shelf: Vec<String>,
    parent: Vec<String>,
}

/// The segments of a row's category, the last one first; none for a listing without one.
fn segments(catalog: &Catalog, row: u32) -> Vec<Vec<String>> {
    let mut segments = Vec::new();
    let mut at = Some(catalog.listing(row).category());
    while let Some(node) = at.map(|node| catalog.taxonomy.node(node)) {
        if node.slug == "uncategorized" {
            return Vec::new();
        }
        segments.push(label_terms(Lexicon::shipped(), &node.label));
        at = node.parent;
    }
    segments
}

/// The labels of a row's category and those above; none for a listing without one.
fn labels(catalog: &Catalog, row: u32) -> Vec<&str> {
    let node = |at: u32| catalog.taxonomy.node(at);
    let path = std::iter::successors(Some(catalog.listing(row).category()), |&at| node(at).parent);
    let labels: Vec<&str> = path.map(|at| node(at).label.as_str()).collect();
    if node(catalog.listing(row).category()).slug == "uncategorized" { Vec::new() } else { labels }
}

/// What a row is found by, given the things that categories are named after.
fn texts(catalog: &Catalog, row: u32, named_after: &BTreeSet<String>) -> Texts {
    let listing = catalog.listing(row);
    let segments = segments(catalog, row);
    let (shelf, above) = segments
        .split_first()
        .map_or((Vec::new(), Vec::new()), |(shelf, above)| (shelf.clone(), above.concat()));
    let mut texts = Texts {
        shelf: shelf.clone(),
        parent: segments.get(1).cloned().unwrap_or_default(),
        ..Texts::default()
    };
    let named = name_terms(Lexicon::shipped(), listing.name());
    let label = if segments.is_empty() { "" } else { &catalog.taxonomy.node(listing.category()).label };
    let things = label_product_types(Lexicon::shipped(), label);
    let of_shelf = |term: &String| match (things.contains(term), shelf.contains(term)) {
        (true, _) => Is::ProductType,
        (false, true) => Is::Trait,
        (false, false) => Is::Neither,
    };
    let is = |term: &String| {
        let is_head = named.iter().any(|other| other.folded == *term && other.part == Part::Head);
        match of_shelf(term) {
            Is::ProductType => Is::ProductType,
            _ if is_head && named_after.contains(term) => Is::Trait,
            _ if is_head => Is::ProductType,
            of_shelf => of_shelf,
        }
    };
    let heads = named.iter().filter(|of| of.part == Part::Head && !shelf.contains(&of.folded));
    let is_accessory = heads.map(|of| &of.folded).any(|head| is_accessory(Lexicon::shipped(), head));
    let speaks_of_itself = |part: Part| part == Part::Head || part == Part::Own && !is_accessory;
    let brand = label_terms(Lexicon::shipped(), listing.brand().unwrap_or_default());
    for term in &named {
        let term = &term.folded;
        let is_own = named.iter().any(|other| other.folded == *term && speaks_of_itself(other.part))
            || brand.contains(term) && !term.bytes().all(|byte| byte.is_ascii_digit());
        let way = match (is_own, of_shelf(term)) {
            (true, _) => Way::Own(is(term)),
            (false, Is::Neither) => Way::Aside,
            (false, of_shelf) => Way::CategoryScope(of_shelf),
        };
        texts.ways.insert(term.clone(), way);
        if !texts.name.contains(term) {
            texts.name.push(term.clone());
        }
    }
    for term in brand {
        let is_number = term.bytes().all(|byte| byte.is_ascii_digit());
        let way = if is_number { Way::BrandNumber } else { Way::Own(is(&term)) };
        texts.ways.entry(term).or_insert(way);
    }
    let may_vary = |term: &String| matches!(texts.ways[term], Way::Own(Is::Trait | Is::Neither));
    let is_variety = |term: &&String| is_variety(Lexicon::shipped(), term) && may_vary(term);
    let varieties = texts.name.iter().filter(is_variety).count();
    texts.count = texts.ways.len();
    texts.length = texts.count + varieties;
    let of_shelf = shelf.iter().map(|term| (term.clone(), Way::CategoryScope(of_shelf(term))));
    for (term, way) in of_shelf.chain(above.into_iter().map(|term| (term, Way::Above))) {
        texts.ways.entry(term).or_insert(way);
    }
    texts
}

impl<'a> Slow<'a> {
    pub fn of(catalog: &'a Catalog) -> Self {
        let categories = || catalog.taxonomy.nodes().iter().filter(|node| node.slug != "uncategorized");
        let heads: BTreeSet<String> =
            categories().filter_map(|node| label_head(Lexicon::shipped(), &node.label)).collect();
        let rows = 0..catalog.listings.country.len() as u32;
        let texts: Vec<Texts> = rows.map(|row| texts(catalog, row, &heads)).collect();
        let mut terms: BTreeSet<String> = texts.iter().flat_map(|of| of.ways.keys().cloned()).collect();
        categories().for_each(|node| terms.extend(label_terms(Lexicon::shipped(), &node.label)));
        let terms: Vec<String> = terms.into_iter().collect();
        let number = |term: &String| terms.binary_search(term).unwrap() as u32;
        let mut spellings: HashMap<String, BTreeMap<String, usize>> = HashMap::new();
        for row in 0..texts.len() as u32 {
            for term in name_terms(Lexicon::shipped(), catalog.listing(row).name()) {
                let of = spellings.entry(term.folded).or_default();
                term.written.into_iter().for_each(|written| *of.entry(written).or_default() += 1);
            }
        }
        let listings: Vec<Known> = (0_u32..)
            .zip(&texts)
            .map(|(row, of)| Known {
                country: catalog.listing(row).country(),
                is_priced: catalog.listing(row).is_priced(),
                name: of.name.iter().map(number).collect(),
                ways: of.ways.iter().map(|(term, way)| (number(term), *way)).collect(),
                count: of.count,
                length: of.length,
                parent: of.parent.iter().map(number).collect(),
                shelf: of.shelf.iter().map(number).collect(),
                is_free_name: labels(catalog, row).iter().any(|label| {
                    let things = label_product_types(Lexicon::shipped(), label);
                    things.iter().any(|thing| of_kind("free_name", thing))
                }),
                is_of_accessory: {
                    let label = &catalog.taxonomy.node(catalog.listing(row).category()).label;
                    let named = label_product_types(Lexicon::shipped(), label);
                    !of.shelf.is_empty()
                        && !named.is_empty()
                        && named.iter().all(|thing| is_accessory(Lexicon::shipped(), thing))
                },
            })
            .collect();
        let all: usize = listings.iter().map(|known| known.count).sum();
        let average = (all as f32 / listings.len() as f32).max(1.0);
        let of_thing =
            |way: &Way| matches!(way, Way::Own(Is::ProductType) | Way::CategoryScope(Is::ProductType));
        let ways = listings.iter().flat_map(|known| &known.ways);
        let things = ways.filter(|(_, way)| of_thing(way)).map(|(term, _)| *term).collect();
        Self { catalog, terms, listings, spellings, heads, things, average }
    }

    /// Which of the terms that a match holds names what is asked for: the first of those that may be the head or else the
    /// last one that some listing is and that is no colour.
    pub fn thing(&self, heads: &[u32], needed: &[u32]) -> Option<u32> {
        let is_colour = |term: u32| everyday::table().is_colour(&self.terms[term as usize]);
        let is_product_type = |term: &u32| self.things.contains(term) && !is_colour(*term);
        let head = heads.iter().copied().find(|head| needed.contains(head) && is_product_type(head));
        head.or_else(|| needed.iter().copied().rfind(is_product_type))
    }

    pub fn number(&self, term: &str) -> Option<u32> {
        self.terms.binary_search_by(|own| own.as_str().cmp(term)).ok().map(|at| at as u32)
    }

    pub fn holds(&self, row: u32, term: u32) -> bool {
        self.listings[row as usize].ways.contains_key(&term)
    }

    /// Priced rows of a country.
    pub fn priced(&self, country: Country) -> impl Iterator<Item = u32> {
        let is_priced = move |known: &Known| known.country == country && known.is_priced;
        (0_u32..).zip(&self.listings).filter(move |(_, known)| is_priced(known)).map(|(row, _)| row)
    }

    /// How many of these hold all of some terms.
    pub fn count(&self, terms: &[u32], country: Country) -> u32 {
        self.priced(country).filter(|&row| terms.iter().all(|&term| self.holds(row, term))).count() as u32
    }

    /// Whether a term is one that priced listings of the country hold.
    pub fn known(&self, term: &str, country: Country) -> Option<u32> {
        self.number(term).filter(|&term| self.count(&[term], country) > 0)
    }

    /// The spelling of a term that is most frequent in names, the first of several; else the term.
    pub fn spelled(&self, term: u32) -> &str {
        let term = &self.terms[term as usize];
        let spellings = self.spellings.get(term).into_iter().flatten();
        let best = spellings.min_by_key(|(spelling, times)| (Reverse(**times), spelling.as_str()));
        best.map_or(term, |(spelling, _)| spelling)
    }

    /// How rare a term is that so many of a country's priced listings hold.
    pub fn idf(&self, with: u32, country: Country) -> f64 {
        let (with, all) = (f64::from(with), self.priced(country).count() as f64);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// The weights of terms in a country: of the first 64, and of those that a match holds.
    fn weights(&self, sought: SoughtTerms<'_>, country: Country) -> Vec<(u32, f32)> {
        let (first, others) = sought.scored.split_at(sought.scored.len().min(64));
        let held = others.iter().filter(|term| sought.needed.contains(term));
        let weight = |&term: &u32| (term, self.idf(self.count(&[term], country), country) as f32);
        first.iter().chain(held).map(weight).collect()
    }

    /// The score of a row, summed in the order of the query, one of whose terms names what is asked for.
    fn score(&self, weights: &[(u32, f32)], thing: Option<u32>, row: u32) -> f32 {
        let known = &self.listings[row as usize];
        let length = 1.2 * (1.0 - 0.75 + 0.75 * counted(known.length) as f32 / self.average);
        let worth = |is: Is, term: u32| match is {
            Is::ProductType if thing == Some(term) => 0.25,
            Is::Trait if thing != Some(term) => 0.05,
            Is::ProductType | Is::Trait => 0.02,
            Is::Neither => 0.0,
        };
        let saturated = |weight: f32| weight / (weight + length);
        let mut score = 0.0;
        for (term, weight) in weights {
            let gain = match known.ways.get(term) {
                None => continue,
                Some(Way::Own(is)) => saturated(1.0) + worth(*is, *term),
                Some(Way::Aside) => saturated(0.4),
                Some(Way::BrandNumber) => 0.0,
                Some(Way::CategoryScope(is)) => saturated(0.65).min(0.35) + worth(*is, *term),
                Some(Way::Above) => saturated(0.13).min(0.1),
            };
            score += weight * gain;
        }
        score
    }

    /// Whether a term names a product type in a country: a word of the last two segments of a priced listing's category, or
    /// the head noun of one in five of the listings that hold it.
    pub fn names_type(&self, term: u32, country: Country) -> bool {
        let known = || self.priced(country).map(|row| &self.listings[row as usize]);
        let of_segments = known().any(|known| known.parent.contains(&term) || known.shelf.contains(&term));
        let ways: Vec<&Way> = known().filter_map(|known| known.ways.get(&term)).collect();
        let is_name = |known: &&Known| {
            known.ways.get(&term) == Some(&Way::Own(Is::ProductType)) && known.is_free_name_of(term)
        };
        let names = known().filter(is_name).count();
        let heads = ways.iter().filter(|&&way| is_type(*way)).count() - names;
        let has_digit = self.terms[term as usize].contains(|c: char| c.is_ascii_digit());
        !has_digit && (of_segments || heads > 0 && 5 * heads >= ways.len())
    }

    /// What a row gains by a term, in percent of its weight; `None` where it does not hold it.
    fn credit(&self, row: u32, query: &QualityQuery, term: &QueryTerm) -> Option<u64> {
        let is_in_role = self.is_in_role(row, query, term)?;
        Some(if is_in_role { term.full_pct } else { term.full_pct.min(query.constants.out_of_role_pct) })
    }

    /// Whether a row holds a term as it is asked for; `None` where it does not hold it.
    fn is_in_role(&self, row: u32, query: &QualityQuery, term: &QueryTerm) -> Option<bool> {
        let known = &self.listings[row as usize];
        let way = known.ways.get(&term.term)?;
        let brand = self.catalog.listings.brand[row as usize];
        let of_brand =
            query.brands.iter().any(|named| named.brand == brand && named.terms.contains(&term.term));
        let is_on_shelf = || {
            let category = self.catalog.listing(row).category();
            query.head == Some(term.term)
                && query.expected_categories.iter().any(|shelf| shelf.contains(&category))
        };
        let is_the_thing = matches!(way, Way::Own(Is::ProductType) | Way::CategoryScope(Is::ProductType));
        let is_in_role = match term.role {
            _ if of_brand => true,
            Role::Type if known.is_of_accessory && !query.asks_accessory && !is_the_thing => false,
            Role::Type
                if *way == Way::Own(Is::ProductType)
                    && known.is_free_name_of(term.term)
                    && !is_on_shelf() =>
            {
                known.parent.contains(&term.term)
            }
            Role::Anywhere => true,
            Role::Any => *way != Way::Aside || known.parent.contains(&term.term),
            Role::Name if *way == Way::Own(Is::Neither) => true,
            Role::Name | Role::Type => is_type(*way) || known.parent.contains(&term.term),
        };
        Some(is_in_role)
    }

    /// The satisfied weight: of terms, of compounds that are whole or not, and of quantities, without what is contradicted.
    fn satisfied(&self, row: u32, query: &QualityQuery, held: &[(&QueryTerm, u64)]) -> u64 {
        let of_compound = |at: usize| held.iter().filter(move |(term, _)| term.compound == Some(at));
        let is_held = |at: usize| of_compound(at).count() as u32 == query.compounds[at];
        let is_head = |term: &QueryTerm| query.head == Some(term.term);
        let is_mentioned = |at: usize| {
            let mut heads = of_compound(at).filter(|(term, _)| is_head(term));
            heads.any(|(term, _)| self.is_in_role(row, query, term) == Some(false))
        };
        let is_whole = |at: usize| is_held(at) && !is_mentioned(at);
        let worth = |(term, pct): &(&QueryTerm, u64)| match term.compound {
            Some(at) if !is_whole(at) => term.weight * pct.min(&query.constants.compound_part_pct),
            _ => term.weight * pct,
        };
        let (mut gained, mut lost) = (held.iter().map(worth).sum::<u64>(), 0);
        for of in &query.quantities {
            match self.catalog.text.stated(row, of.number) {
                Stated::Equal => gained += of.weight * 100,
                Stated::Nothing => gained += of.weight * query.constants.no_quantity_pct,
                Stated::Other => lost += of.weight * 100,
            }
        }
        let known = &self.listings[row as usize];
        let says = |term: &u32| known.name.contains(term) && known.says_of_itself(*term);
        let states = |forms: &[Form]| forms.iter().any(|form| form.iter().all(says));
        let others = query.properties.iter().filter(|of| states(&of.others) && !states(&of.own));
        lost += others.map(|of| of.weight * query.constants.other_property_pct).sum::<u64>();
        let left = gained.saturating_sub(lost);
        let has_head = held.iter().any(|(term, _)| query.head == Some(term.term))
            && query.head_compound.is_none_or(is_held);
        if query.asks_type && !has_head { left * query.constants.without_type_pct / 100 } else { left }
    }

    /// How much of a query a row satisfies.
    pub fn quality(&self, row: u32, query: &QualityQuery) -> MatchQuality {
        let held: Vec<(&QueryTerm, u64)> =
            query.terms.iter().filter_map(|term| Some((term, self.credit(row, query, term)?))).collect();
        if !held.iter().any(|(term, _)| term.is_evidence) {
            return MatchQuality::default();
        }
        let satisfied = self.satisfied(row, query, &held);
        let share =
            MatchQuality::of_hundredths(satisfied.checked_div(query.total).unwrap_or(0).min(100) as u8);
        if !query.is_title {
            return share;
        }
        let brand = self.catalog.listings.brand[row as usize];
        let first = self.listings[row as usize].name.first();
        let has_brand = if brand == u32::MAX {
            query.terms.iter().any(|term| term.is_evidence && Some(&term.term) == first)
        } else {
            query.brands.iter().any(|named| named.brand == brand)
        };
        let has_part = held.iter().any(|(term, _)| term.is_part_number);
        let is_head = |term: &QueryTerm, pct: u64| query.head == Some(term.term) && pct == term.full_pct;
        let has_type = held.iter().any(|(term, pct)| is_head(term, *pct));
        let least = match (has_brand, has_part, has_type) {
            (true, true, _) => query.constants.title_brand_and_part,
            (true, _, true) | (false, true, _) => query.constants.title_part_or_type,
            _ => MatchQuality::default(),
        };
        share.max(least)
    }

    /// The best row of each product in rank order, with their scores.
    pub fn ranked(
        &self,
        rows: impl Iterator<Item = u32>,
        sought: SoughtTerms<'_>,
        country: Country,
    ) -> Vec<Hit> {
        let (weights, all) = (self.weights(sought, country), self.catalog.country_rows(country));
        let quality = |row| sought.quality.map_or_else(MatchQuality::default, |of| self.quality(row, of));
        let hit =
            |row| Hit { row, quality: quality(row), score: self.score(&weights, sought.product_type, row) };
        let mut hits: Vec<Hit> = rows.map(hit).collect();
        hits.sort_by_cached_key(|hit| {
            let listing = self.catalog.listing(hit.row);
            let members = self.catalog.entities.members(listing.entity(), &all).len();
            let in_stock = listing.in_stock() == Some(true);
            let newest_first = Reverse(listing.observed_at());
            let merit = (hit.quality.tenths(), hit.score.to_bits());
            (Reverse((merit, members, in_stock)), listing.price(), newest_first, listing.uid())
        });
        let mut seen = BTreeSet::new();
        hits.retain(|hit| seen.insert(self.catalog.listing(hit.row).entity()));
        hits
    }
}

impl Known {
    /// Whether the head of the name does not say what it is: the shelf, of which names are free, does not have it.
    fn is_free_name_of(&self, term: u32) -> bool {
        self.is_free_name && !self.shelf.contains(&term)
    }

    /// Whether the name has a term elsewhere than behind "for" and the like.
    fn says_of_itself(&self, term: u32) -> bool {
        // Of a term that the shelf has too, the index does not know where the name has it.
        self.ways.get(&term).is_some_and(|way| *way != Way::Aside)
    }
}

/// Whether a word is a row of a kind in the lexicon.
pub fn of_kind(kind: &str, word: &str) -> bool {
    let rows = Lexicon::shipped().text().lines().map(|line| line.split('\t').collect::<Vec<_>>());
    rows.into_iter().any(|row| row[0] == kind && fold_term(row[3]) == word)
}

/// Whether a way is that of a head noun or of a word of the last segment.
fn is_type(way: Way) -> bool {
    matches!(way, Way::Own(Is::ProductType | Is::Trait) | Way::CategoryScope(_))
}

/// A length to four binary digits beyond 24.
fn counted(terms: usize) -> usize {
    let step = (0..32).map(|exponent| 1_usize << exponent).find(|step| terms < 24 + 16 * step).unwrap();
    if terms < 24 { terms } else { 24 + (terms - 24) / step * step }
}

impl Slow<'_> {
    /// Whether a row holds a term by its category alone.
    pub fn is_by_category(&self, row: u32, term: u32) -> bool {
        matches!(self.listings[row as usize].ways.get(&term), Some(Way::CategoryScope(_) | Way::Above))
    }

    /// Whether few enough priced listings hold a term for half-matches to be found by it.
    pub fn is_rare(&self, term: u32, country: Country) -> bool {
        let (with, all) = (self.count(&[term], country), self.priced(country).count() as u32);
        with <= 1_000 || with * 100 <= all
    }

    /// Rows that hold so many of the scored terms, a rare one among them, but not all of those that are needed.
    pub fn half_matches(
        &self,
        sought: SoughtTerms<'_>,
        least: usize,
        country: Country,
        accept: &dyn Fn(u32) -> bool,
    ) -> Vec<Hit> {
        let SoughtTerms { needed, scored: terms, .. } = sought;
        let rare: Vec<u32> = terms.iter().copied().filter(|&term| self.is_rare(term, country)).collect();
        let is_half = |row: &u32| {
            accept(*row)
                && terms.iter().filter(|&&term| self.holds(*row, term)).count() >= least
                && rare.iter().any(|&term| self.holds(*row, term))
                && !needed.iter().all(|&term| self.holds(*row, term))
        };
        self.ranked(self.priced(country).filter(is_half), sought, country)
    }

    /// Rows that hold a term of at least the lower median weight of those that weigh anything.
    pub fn weighty_matches(
        &self,
        sought: SoughtTerms<'_>,
        country: Country,
        accept: &dyn Fn(u32) -> bool,
    ) -> Vec<Hit> {
        let terms = &sought.quality.expect("weights").terms;
        let mut weights: Vec<u64> =
            terms.iter().map(|term| term.weight).filter(|weight| *weight > 0).collect();
        weights.sort_unstable();
        let Some(&median) = weights.get((weights.len().max(1) - 1) / 2) else { return Vec::new() };
        let holds = |row: &u32| {
            accept(*row) && terms.iter().any(|term| term.weight >= median && self.holds(*row, term.term))
        };
        self.ranked(self.priced(country).filter(holds), sought, country)
    }

    /// Known terms that are spelled like a word, the best first.
    pub fn near(&self, written: &str, folded: &str, country: Country) -> Vec<u32> {
        let letters = written.chars().count();
        if letters < 4 || written.contains(char::is_numeric) {
            return Vec::new();
        }
        let mut near = Vec::new();
        for (number, term) in (0_u32..).zip(&self.terms) {
            let best = [written, folded].into_iter().filter_map(|form| {
                let edits = strsim::osa_distance(form, term);
                let begins_otherwise = form.chars().next() != term.chars().next();
                let is_near = edits <= 1 || edits == 2 && letters >= 8 && !begins_otherwise;
                is_near.then_some((edits, begins_otherwise))
            });
            if let Some(best) = best.min() {
                let with = self.count(&[number], country);
                near.extend((with > 0).then_some((best, Reverse(with), term, number)));
            }
        }
        near.sort_unstable();
        near.into_iter().map(|(_, _, _, number)| number).collect()
    }
}

/// A word with a letter left out, put in, or exchanged, or with two letters that changed places.
pub fn typo(word: &str, rng: &mut Rng) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let (at, letter) = (rng.below(letters.len()), char::from(b'a' + rng.below(26) as u8));
    match rng.below(4) {
        0 if letters.len() > 1 => drop(letters.remove(at)),
        1 => letters.insert(at, letter),
        2 if at > 0 => letters.swap(at - 1, at),
        _ => letters[at] = letter,
    }
    letters.into_iter().collect()
}
