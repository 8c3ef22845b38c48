//! The scope of a request about a category or a brand: its parameters, their resolution, and the fields of answers
//! that describe it.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::brand::{self, BRAND};
use super::category::{self, CATEGORY, DEPARTMENT, NODE, Resolved};
use super::endpoint::Endpoint;
use super::params::{BadParameter, Param, REQUIRED, Reader};
use super::product_params::{COUNTRY, RETAILER, read_country};
use super::refusal::Refusal;
use super::requirements::{branded_rows, platform_of, require_priced};
use super::subject::Subject;
use super::windows::{self, LOOKBACK_DAYS, TIME_WINDOW};
use crate::analytics::category_scope::CategoryScope;
use crate::analytics::scope::{Scope, rows_of};
use crate::catalog::Catalog;
use crate::snapshot::layout::NONE;
use crate::types::{Country, Preset, Window};

/// The parameters of a scope, as given by a request.
pub struct ScopeParams {
    category: Option<String>,
    department: Option<String>,
    country: Country,
    retailer: Option<String>,
    brand: Option<String>,
    /// The window; the default window if the endpoint does not have the parameter `time_window`.
    pub window: Window,
}

/// The scope of a request about a category, resolved against a catalog.
pub struct ResolvedScope {
    /// Listings of the scope.
    pub listings: Scope,
    /// How the category was understood.
    pub resolved: Resolved,
    /// Index of the brand that narrows the scope.
    pub brand: Option<u32>,
    /// The window.
    pub window: Window,
    /// Key of the requested retailer.
    retailer: Option<String>,
}

/// The scope of a request about a brand, resolved against a catalog.
pub struct BrandScope {
    /// Country.
    pub country: Country,
    /// Index of the brand.
    pub brand: u32,
    /// Category that narrows the scope.
    pub category_scope: Option<CategoryScope>,
    /// How the category was understood.
    pub resolved: Option<Resolved>,
    /// Key of the requested retailer, which narrows the scope.
    pub retailer: Option<String>,
    /// The window.
    pub window: Window,
    /// Listings of the brand, ascending. At least one of them is priced.
    pub rows: Vec<u32>,
    platform: Option<u16>,
}

/// Country and currency of an answer.
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
    /// Root segment of the category path; null for a classification code.
    department: Option<String>,
}

/// The category of an answer, if one was requested.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OptionalCategoryNames {
    /// Display path of the category; null if no category was requested.
    category: Option<String>,
    /// Root segment of the category path; null if no category was requested, and for a classification code.
    department: Option<String>,
}

/// The scope of an answer, as its first fields: country and currency, category, retailer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScopeHead {
    #[serde(flatten)]
    market: Market,
    #[serde(flatten)]
    category: CategoryNames,
    /// Key of the requested retailer; null if the answer covers all retailers.
    retailer: Option<String>,
}

/// The scope of an answer, as its first fields: category, country and currency, retailer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CategoryHead {
    #[serde(flatten)]
    category: CategoryNames,
    #[serde(flatten)]
    market: Market,
    /// Key of the requested retailer; null if the answer covers all retailers.
    retailer: Option<String>,
}

impl ScopeParams {
    /// Reads the scope parameters that an endpoint declares, in the declared order. Parameters in `required` must be
    /// given. If `department` or `node` is declared, a request must give this parameter or `category`.
    pub fn read<E: Endpoint>(reader: &mut Reader<'_>, required: &[&'static Param]) -> Self {
        let declared = E::DESCRIPTOR.params;
        // Compares addresses, because an endpoint may declare another parameter of the same name.
        let is_declared = |known: &Param| declared.iter().any(|param| std::ptr::eq(*param, known));
        let window = Window::of_preset(Preset::Last30Days, reader.as_of());
        let (category, department, retailer, brand) = (None, None, None, None);
        let mut params = Self { category, department, country: Country::Us, retailer, brand, window };
        for &param in declared {
            let is = |known: &Param| std::ptr::eq(param, known);
            if is(&COUNTRY) {
                params.country = read_country(reader);
            } else if is(&TIME_WINDOW) {
                params.window = windows::read(reader, is_declared(&LOOKBACK_DAYS));
            } else if is(&CATEGORY) {
                let category = reader.text(param);
                params.category = category.or(params.category.take());
            } else if is(&NODE) {
                let node = reader.text(param);
                require_either(reader, &NODE);
                if params
                    .category
                    .as_ref()
                    .zip(node.as_ref())
                    .is_some_and(|(category, node)| category != node)
                {
                    let reason = "category and node are two names of one parameter and have different values; give \
                                  one of them";
                    reader.reject(BadParameter::new(CATEGORY.name, reason));
                    reader.reject(BadParameter::new(NODE.name, reason));
                }
                params.category = params.category.or(node);
            } else if is(&DEPARTMENT) {
                params.department = reader.text(param);
                require_either(reader, &DEPARTMENT);
            } else if is(&RETAILER) {
                params.retailer = reader.text(param);
            } else if is(&BRAND) {
                params.brand = reader.text(param);
            }
            if required.iter().any(|required| is(required)) && !reader.was_given(param) {
                reader.reject(BadParameter::new(param.name, REQUIRED));
            }
        }
        params
    }

    /// Resolves the scope of a request about a category.
    ///
    /// # Errors
    /// Returns a refusal if the country does not have the retailer, the category or the brand.
    pub fn resolve(self, catalog: &Catalog) -> Result<ResolvedScope, Refusal> {
        let Self { category, department, country, retailer, brand, window } = self;
        let platform = platform_of(catalog, country, retailer.as_deref())?;
        let (category_scope, resolved) =
            category::resolve(catalog, country, category.as_deref(), department.as_deref())?;
        let brand = brand.map(|text| brand::resolve(catalog, country, &text)).transpose()?;
        let listings = Scope { country, category_scope, retailer: platform };
        Ok(ResolvedScope { listings, resolved, brand, window, retailer })
    }

    /// Like [`ScopeParams::resolve`], but requires a priced listing.
    ///
    /// # Errors
    /// Returns the errors of [`ScopeParams::resolve`], and a refusal if the scope does not have a priced listing.
    pub fn resolve_priced(self, catalog: &Catalog) -> Result<ResolvedScope, Refusal> {
        let resolved = self.resolve(catalog)?;
        require_priced(catalog, &resolved.listings)?;
        Ok(resolved)
    }

    /// Resolves the scope of a request about a brand. The endpoint must require the parameter `brand`.
    ///
    /// # Errors
    /// Returns the errors of [`ScopeParams::resolve`], and a refusal if the scope does not have a priced listing.
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

/// Records a fault if a request gives neither `category` nor the alternative parameter `other`.
fn require_either(reader: &mut Reader<'_>, other: &Param) {
    if !reader.was_given(&CATEGORY) && !reader.was_given(other) {
        reader.reject(BadParameter::new(CATEGORY.name, format!("give category or {}", other.name)));
    }
}

impl ResolvedScope {
    /// The subject of the quote.
    pub fn subject(&self, catalog: &Catalog) -> Subject {
        Subject::of_category(catalog, self.resolved.clone(), self.brand)
    }

    /// First fields of the answer.
    pub fn head(&self) -> ScopeHead {
        ScopeHead { market: self.market(), category: self.names(), retailer: self.retailer.clone() }
    }

    /// First fields of the answer, beginning with the category.
    pub fn category_head(&self) -> CategoryHead {
        CategoryHead { category: self.names(), market: self.market(), retailer: self.retailer.clone() }
    }

    /// Country and currency of the listings.
    pub fn market(&self) -> Market {
        Market::of(self.listings.country)
    }

    /// Names of the category.
    pub fn names(&self) -> CategoryNames {
        let Resolved { category_path, department, .. } = &self.resolved;
        CategoryNames { category: category_path.clone(), department: department.clone() }
    }

    /// Display label of the brand.
    pub fn brand_label<'a>(&self, catalog: &'a Catalog) -> Option<&'a str> {
        self.brand.map(|brand| catalog.brands[brand as usize].label.as_str())
    }

    /// Days of the window, as day numbers.
    pub fn days(&self, catalog: &Catalog) -> Range<u16> {
        catalog.day_number(self.window.from())..catalog.day_number(self.window.to())
    }

    /// Returns the retailer, for an endpoint that requires one.
    ///
    /// # Errors
    /// Returns an error only if the endpoint does not require a retailer, because otherwise requests without a
    /// retailer are refused while they are parsed.
    pub fn required_retailer(&self) -> Result<u16, Refusal> {
        self.listings.retailer.ok_or_else(|| Refusal::BadParameters(Vec::new()))
    }

    /// Returns the listings of the scope, restricted to its brand if it has one, ascending. At least one of them is
    /// priced.
    ///
    /// # Errors
    /// Returns `NO_RESULTS` if no listing is priced.
    pub fn branded_rows(&self, catalog: &Catalog) -> Result<Vec<u32>, Refusal> {
        let Scope { country, category_scope, retailer } = self.listings;
        branded_rows(catalog, country, Some(category_scope), retailer, self.brand)
    }
}

impl BrandScope {
    /// The subject of the quote.
    pub fn subject(&self, catalog: &Catalog) -> Subject {
        Subject::Brand { label: self.label(catalog).to_owned(), resolved: self.resolved.clone() }
    }

    /// Display label of the brand.
    pub fn label<'a>(&self, catalog: &'a Catalog) -> &'a str {
        &catalog.brands[self.brand as usize].label
    }

    /// Names of the category that narrows the scope.
    pub fn names(&self) -> OptionalCategoryNames {
        let resolved = self.resolved.as_ref();
        OptionalCategoryNames {
            category: resolved.map(|resolved| resolved.category_path.clone()),
            department: resolved.and_then(|resolved| resolved.department.clone()),
        }
    }

    /// Returns the priced listings of all brands in the same country, category and retailer, ascending. Listings
    /// without a brand are left out.
    pub fn of_any_brand(&self, catalog: &Catalog) -> Vec<u32> {
        let listings = &catalog.listings;
        let mut rows = rows_of(catalog, self.country, self.category_scope, self.platform);
        rows.retain(|&row| listings.priced[row as usize] == 1 && listings.brand[row as usize] != NONE);
        rows
    }
}

impl Market {
    /// Creates the block of a country.
    pub fn of(country: Country) -> Self {
        Self { country, currency: country.currency() }
    }
}
