//! The scope of a category answer: its parameters, their resolution, the head of its answers, and what a scope must have
//! to be served (a retailer that serves the country, a price, an observation).

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::brand::{self, BRAND};
use super::category::{self, CATEGORY, DEPARTMENT, Resolved};
use super::endpoint::Endpoint;
use super::params::{BadParameter, Param, REQUIRED, Reader};
use super::product_params::{COUNTRY, RETAILER};
use super::refusal::{NoResultsDetails, NoResultsReason, Observed, Refusal, RetailerDetails};
use super::subject::Subject;
use super::windows::{self, LOOKBACK_DAYS, TIME_WINDOW};
use crate::analytics::category_scope::{CategoryScope, PricedRows, path_of};
use crate::analytics::scope::{Scope, rows_of};
use crate::catalog::Catalog;
use crate::snapshot::layout::NONE;
use crate::types::{Country, Day, Preset, Window};

/// The parameters of a scope as a request gives them.
pub struct ScopeParams {
    category: Option<String>,
    department: Option<String>,
    country: Country,
    retailer: Option<String>,
    brand: Option<String>,
    /// The window; the default one where the endpoint takes none.
    pub window: Window,
}

/// The scope of a request about a category, as a catalog has it.
pub struct ResolvedScope {
    /// Its listings.
    pub listings: Scope,
    /// How the category was understood.
    pub resolved: Resolved,
    /// The brand that narrows it.
    pub brand: Option<u32>,
    /// The window.
    pub window: Window,
    /// Key of the retailer as it was asked for.
    retailer: Option<String>,
}

/// The scope of a request about a brand, as a catalog has it.
pub struct BrandScope {
    /// Country.
    pub country: Country,
    /// The brand.
    pub brand: u32,
    /// The category that narrows it.
    pub category_scope: Option<CategoryScope>,
    /// How the category was understood.
    pub resolved: Option<Resolved>,
    /// Key of the retailer that narrows it, as it was asked for.
    pub retailer: Option<String>,
    /// The window.
    pub window: Window,
    /// Listings of the brand, ascending; one of them at least is priced.
    pub rows: Vec<u32>,
    platform: Option<u16>,
}

/// Where the listings of an answer are offered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Market {
    /// Country of the listings.
    country: Country,
    /// Currency of every price of the answer: USD in us, CAD in ca.
    currency: &'static str,
}

/// The category of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CategoryNames {
    /// Display path of the category.
    category: String,
    /// Root of the category; null for a classification code.
    department: Option<String>,
}

/// The category of an answer that may have none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OptionalCategoryNames {
    /// Display path of the category; null where none was asked for.
    category: Option<String>,
    /// Root of the category; null where none was asked for, and for a classification code.
    department: Option<String>,
}

/// What an answer says of its scope first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScopeHead {
    #[serde(flatten)]
    market: Market,
    #[serde(flatten)]
    category: CategoryNames,
    /// Key of the retailer that was asked for; null for all.
    retailer: Option<String>,
}

/// The same in answers that begin with the category.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CategoryHead {
    #[serde(flatten)]
    category: CategoryNames,
    #[serde(flatten)]
    market: Market,
    /// Key of the retailer that was asked for; null for all.
    retailer: Option<String>,
}

impl ScopeParams {
    /// Reads the parameters of a scope that an endpoint declares, in its order. Those of `required` must be there, and
    /// where `department` is declared, `category` or `department`.
    pub fn read<E: Endpoint>(reader: &mut Reader<'_>, required: &[&'static Param]) -> Self {
        let declared = E::DESCRIPTOR.params;
        // An endpoint may declare another parameter of the same name.
        let is_declared = |known| declared.iter().any(|param| std::ptr::eq(*param, known));
        let window = Window::of_preset(Preset::Last30Days, reader.as_of());
        let (category, department, retailer, brand) = (None, None, None, None);
        let mut params = Self { category, department, country: Country::Us, retailer, brand, window };
        for &param in declared {
            let is = |known| std::ptr::eq(param, known);
            if is(&COUNTRY) {
                params.country = reader.word(&COUNTRY, Country::parse).unwrap_or(Country::Us);
            } else if is(&TIME_WINDOW) {
                params.window = windows::read(reader, is_declared(&LOOKBACK_DAYS));
            } else if is(&CATEGORY) {
                params.category = reader.text(param);
            } else if is(&DEPARTMENT) {
                params.department = reader.text(param);
                if !reader.was_given(&CATEGORY) && !reader.was_given(&DEPARTMENT) {
                    reader.reject(BadParameter::new(CATEGORY.name, "give category or department"));
                }
            } else if is(&RETAILER) {
                params.retailer = reader.text(param);
            } else if is(&BRAND) {
                params.brand = reader.text(param);
            }
            if required.iter().any(|required| is(*required)) && !reader.was_given(param) {
                reader.reject(BadParameter::new(param.name, REQUIRED));
            }
        }
        params
    }

    /// The scope of a request about a category.
    ///
    /// # Errors
    /// The refusal of a retailer, category or brand that the country does not have.
    pub fn resolve(self, catalog: &Catalog) -> Result<ResolvedScope, Refusal> {
        let Self { category, department, country, retailer, brand, window } = self;
        let platform = platform_of(catalog, country, retailer.as_deref())?;
        let (category_scope, resolved) =
            category::resolve(catalog, country, category.as_deref(), department.as_deref())?;
        let brand = brand.map(|text| brand::resolve(catalog, country, &text)).transpose()?;
        let listings = Scope { country, category_scope, retailer: platform };
        Ok(ResolvedScope { listings, resolved, brand, window, retailer })
    }

    /// The same, with a priced listing.
    ///
    /// # Errors
    /// As [`ScopeParams::resolve`], and the refusal of a scope without a priced listing.
    pub fn resolve_priced(self, catalog: &Catalog) -> Result<ResolvedScope, Refusal> {
        let resolved = self.resolve(catalog)?;
        require_priced(catalog, &resolved.listings)?;
        Ok(resolved)
    }

    /// The scope of a request about a brand, whose parameter is required.
    ///
    /// # Errors
    /// As [`ScopeParams::resolve`], and the refusal of a scope without a priced listing.
    pub fn resolve_brand(self, catalog: &Catalog) -> Result<BrandScope, Refusal> {
        let Self { category, country, retailer, brand, window, .. } = self;
        let platform = platform_of(catalog, country, retailer.as_deref())?;
        let found =
            category.map(|text| category::resolve(catalog, country, Some(&text), None)).transpose()?;
        let (category_scope, resolved) = found.unzip();
        let brand = brand::resolve(catalog, country, &brand.unwrap_or_default())?;
        let rows = branded_rows(catalog, country, category_scope, platform, Some(brand))?;
        Ok(BrandScope { country, brand, category_scope, resolved, retailer, window, rows, platform })
    }
}

impl ResolvedScope {
    /// What it resolved to, for a quote.
    pub fn subject(&self, catalog: &Catalog) -> Subject {
        Subject::of_category(catalog, self.resolved.clone(), self.brand)
    }

    /// The head of its answer.
    pub fn head(&self) -> ScopeHead {
        ScopeHead { market: self.market(), category: self.names(), retailer: self.retailer.clone() }
    }

    /// The head of its answer, the category first.
    pub fn category_head(&self) -> CategoryHead {
        CategoryHead { category: self.names(), market: self.market(), retailer: self.retailer.clone() }
    }

    /// Where its listings are offered.
    pub fn market(&self) -> Market {
        Market::of(self.listings.country)
    }

    /// Its category.
    pub fn names(&self) -> CategoryNames {
        let Resolved { category_path, department, .. } = &self.resolved;
        CategoryNames { category: category_path.clone(), department: department.clone() }
    }

    /// Display label of the brand.
    pub fn brand_label<'a>(&self, catalog: &'a Catalog) -> Option<&'a str> {
        self.brand.map(|brand| catalog.brands[brand as usize].label.as_str())
    }

    /// Days of the window, by number.
    pub fn days(&self, catalog: &Catalog) -> Range<u16> {
        catalog.day_number(self.window.from())..catalog.day_number(self.window.to())
    }

    /// The retailer, where the endpoint requires one.
    ///
    /// # Errors
    /// Never for such an endpoint: its reader has refused a request without one.
    pub fn required_retailer(&self) -> Result<u16, Refusal> {
        self.listings.retailer.ok_or_else(|| Refusal::BadParameters(Vec::new()))
    }

    /// Its listings of the brand, if there is one, ascending; one of them at least is priced.
    ///
    /// # Errors
    /// `NO_RESULTS`.
    pub fn branded_rows(&self, catalog: &Catalog) -> Result<Vec<u32>, Refusal> {
        let Scope { country, category_scope, retailer } = self.listings;
        branded_rows(catalog, country, Some(category_scope), retailer, self.brand)
    }
}

impl BrandScope {
    /// What it resolved to, for a quote.
    pub fn subject(&self, catalog: &Catalog) -> Subject {
        Subject::Brand { label: self.label(catalog).to_owned(), resolved: self.resolved.clone() }
    }

    /// Display label of the brand.
    pub fn label<'a>(&self, catalog: &'a Catalog) -> &'a str {
        &catalog.brands[self.brand as usize].label
    }

    /// The category that narrows it.
    pub fn names(&self) -> OptionalCategoryNames {
        let resolved = self.resolved.as_ref();
        OptionalCategoryNames {
            category: resolved.map(|resolved| resolved.category_path.clone()),
            department: resolved.and_then(|resolved| resolved.department.clone()),
        }
    }

    /// Priced listings of any brand in the same country, category and retailer, ascending.
    pub fn of_any_brand(&self, catalog: &Catalog) -> Vec<u32> {
        let listings = &catalog.listings;
        let mut rows = rows_of(catalog, self.country, self.category_scope, self.platform);
        rows.retain(|&row| listings.priced[row as usize] == 1 && listings.brand[row as usize] != NONE);
        rows
    }
}

impl Market {
    /// That of a country.
    pub fn of(country: Country) -> Self {
        Self { country, currency: country.currency() }
    }
}

/// The platform of a retailer key, if one is given.
///
/// # Errors
/// `RETAILER_NOT_SERVING_ELIGIBLE` when the platform serves nothing in the country.
pub fn platform_of(catalog: &Catalog, country: Country, key: Option<&str>) -> Result<Option<u16>, Refusal> {
    let Some(key) = key else { return Ok(None) };
    let platform = catalog.platform(key);
    let quality_status = platform.and_then(|platform| catalog.coverage.best(platform, country));
    match platform {
        Some(platform) if catalog.coverage.serving(country).any(|serving| serving == platform) => {
            Ok(Some(platform))
        }
        _ => {
            let serving = catalog.coverage.serving(country);
            let mut keys: Vec<String> = serving.map(|at| catalog.platforms[at as usize].clone()).collect();
            keys.sort_unstable();
            Err(Refusal::RetailerNotServing(RetailerDetails {
                retailer: key.to_owned(),
                country,
                quality_status,
                serving_eligible_retailers: keys,
            }))
        }
    }
}

/// Refuses a scope without a priced listing.
///
/// # Errors
/// `NO_RESULTS`.
pub fn require_priced(catalog: &Catalog, scope: &Scope) -> Result<(), Refusal> {
    if is_priced(catalog, scope) {
        return Ok(());
    }
    let other =
        |country: &Country| is_priced(catalog, &Scope { country: *country, retailer: None, ..*scope });
    Err(nothing_priced(catalog, Some(scope.category_scope), scope.retailer, None)
        .elsewhere(scope.country.others().find(other)))
}

/// Every row of a shelf, or of the whole country, at one retailer and of one brand if they are named, ascending; one of them
/// at least is priced.
///
/// # Errors
/// `NO_RESULTS`.
fn branded_rows(
    catalog: &Catalog,
    country: Country,
    category_scope: Option<CategoryScope>,
    retailer: Option<u16>,
    brand: Option<u32>,
) -> Result<Vec<u32>, Refusal> {
    let listings = &catalog.listings;
    let of = |country, retailer| {
        let mut rows = rows_of(catalog, country, category_scope, retailer);
        rows.retain(|&row| brand.is_none_or(|brand| listings.brand[row as usize] == brand));
        rows
    };
    let has_price = |rows: &[u32]| rows.iter().any(|&row| listings.priced[row as usize] == 1);
    let rows = of(country, retailer);
    if has_price(&rows) {
        return Ok(rows);
    }
    let other = country.others().find(|other| has_price(&of(*other, None)));
    Err(nothing_priced(catalog, category_scope, retailer, brand).elsewhere(other))
}

/// What is said of a scope without a priced listing: how the category was understood, and what may be asked instead.
fn nothing_priced(
    catalog: &Catalog,
    category_scope: Option<CategoryScope>,
    retailer: Option<u16>,
    brand: Option<u32>,
) -> Refusal {
    let node = |node| catalog.taxonomy.node(node);
    let within = match category_scope {
        Some(CategoryScope::Code { within, .. }) => within,
        _ => None,
    };
    let is_root = matches!(category_scope, Some(CategoryScope::Category(at)) if node(at).parent.is_none());
    let said = [
        brand.map(|brand| format!(" of {:?}", catalog.brands[brand as usize].label)),
        category_scope.map(|category_scope| format!(" in {:?}", path_of(catalog, category_scope))),
        within.map(|root| format!(" within {:?}", node(root).label)),
        retailer.map(|platform| format!(" at {}", catalog.platforms[platform as usize])),
    ];
    let advice = [
        (category_scope.is_some() && !is_root).then_some("widen the category"),
        within.map(|_| "leave out the department"),
        retailer.map(|_| "leave out the retailer"),
    ];
    let said: String = said.into_iter().flatten().collect();
    let advice = advice.into_iter().flatten().collect::<Vec<_>>().join(" or ");
    let mark = if advice.is_empty() { "" } else { "; " };
    let message = format!("no listing{said} has a price of the last 90 days{mark}{advice}");
    Refusal::no_results(NoResultsReason::NoPricedListing, message)
}

fn is_priced(catalog: &Catalog, scope: &Scope) -> bool {
    let PricedRows { rows, within } = scope.priced(catalog);
    let inside = |row: u32| within.as_ref().is_none_or(|range| range.contains(&row));
    rows.iter().any(|&row| inside(row) && scope.takes(catalog, row))
}

/// Refuses when none of `rows` has an observation on a day in any of `windows`.
///
/// # Errors
/// `NO_RESULTS` with the days on which the rows were observed.
pub fn require_observed(catalog: &Catalog, rows: &[u32], windows: &[(Day, Day)]) -> Result<(), Refusal> {
    let windows: Vec<Range<u16>> =
        windows.iter().map(|&(from, to)| catalog.day_number(from)..catalog.day_number(to)).collect();
    let seen = |row: u32| windows.iter().any(|window| !catalog.spells_within(row, window).is_empty());
    if rows.iter().any(|&row| seen(row)) {
        return Ok(());
    }
    let observed = observed(catalog, rows);
    let message = match (observed.observed_from, observed.observed_to) {
        (Some(from), Some(to)) => {
            format!("nothing was observed in the window; this scope was observed from {from} to {to}")
        }
        _ => "nothing in this scope was ever observed".to_owned(),
    };
    let details = NoResultsDetails {
        observed: Some(observed),
        ..NoResultsDetails::new(NoResultsReason::NoObservationInWindow)
    };
    Err(Refusal::NoResults { message, details: Box::new(details), suggest: None })
}

/// The days on which some rows were observed, whatever the window.
pub fn observed(catalog: &Catalog, rows: &[u32]) -> Observed {
    let spans = rows.iter().filter_map(|&row| catalog.seen_span(row));
    let span = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    Observed {
        observed_from: span.map(|(first, _)| catalog.day(first)),
        observed_to: span.map(|(_, last)| catalog.day(last)),
    }
}
