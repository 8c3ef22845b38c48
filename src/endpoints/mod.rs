//! The endpoints, one module per group. The function `routes` of a group returns its part of the route table.

mod analyst;
mod marketing;
mod public;
mod reference;
mod shopper;
mod social;
mod starter_requests;

use crate::query::endpoint::Route;

pub use analyst::{CATEGORY_CONCENTRATION, CATEGORY_SUMMARY, INFLATION, PRICE_BANDS, PRICE_CHANGE_LEADERS};
pub use marketing::{BRAND_TRACKER, COMPETITIVE_LANDSCAPE, PROMO_INTELLIGENCE, SHARE_OF_SHELF};
pub use public::{CATEGORIES, COVERAGE};
pub use shopper::{BASKET, BEST_PRICE, PRICE_HISTORY};
pub use starter_requests::{ComparedProduct, FirstScope, compared_products, first_category, first_request};

/// Returns the routes of all endpoints, in the order in which the documentation lists them.
pub fn routes() -> Vec<Route> {
    [
        shopper::routes(),
        marketing::routes(),
        analyst::routes(),
        reference::routes(),
        public::routes(),
        social::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use schemars::SchemaGenerator;

    use super::routes;
    use crate::query::descriptor::{ABOUT_CHARS_MAX, Group};

    #[test]
    fn rows_are_fields_of_the_answer() {
        for route in routes() {
            let mut generator = SchemaGenerator::default();
            let _ = (route.schema)(&mut generator);
            let definitions = generator.take_definitions(true);
            for row in route.rows {
                let has_rows = |schema: &serde_json::Value| !schema["properties"][row].is_null();
                assert!(definitions.values().any(has_rows), "{} has a field {row}", route.path);
            }
        }
    }

    #[test]
    fn a_description_is_whole_sentences_and_short() {
        for route in routes() {
            let chars = route.about.chars().count();
            assert!((60..=ABOUT_CHARS_MAX).contains(&chars), "{} is described in {chars}", route.path);
            assert!(route.about.ends_with('.'), "{}", route.path);
        }
    }

    #[test]
    fn every_answer_is_a_table() {
        for route in routes() {
            let mut names: Vec<&str> = route.columns().all().iter().map(|column| &*column.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "columns of {}", route.path);
            assert_eq!(count == 0, route.group == Group::Social, "{} has columns", route.path);
        }
    }

    #[test]
    fn paths_and_parameters_are_unique() {
        let routes = routes();
        let mut paths: Vec<&str> = routes.iter().map(|route| route.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), routes.len());
        for route in &routes {
            let mut names: Vec<&str> = route.params.iter().map(|param| param.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), route.params.len(), "{}", route.path);
            // No snapshot has social rollups, so no request for them is answered with 200.
            let without = route.group == Group::Social;
            assert_eq!(route.examples.is_empty(), without, "{} has an example", route.path);
        }
    }
}
