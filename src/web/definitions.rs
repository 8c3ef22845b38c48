//! Where the figures of routes are defined: anchors of the methodology.

/// Path of a route, and the anchors of its figures in the methodology.
const FIGURES: &[(&str, &[&str])] = &[
    ("/v1/shopper/best-price", &["best-price", "finding-a-product", "in-answers"]),
    ("/v1/shopper/price-history", &["price-history"]),
    ("/v1/shopper/deal-finder", &["deals"]),
    ("/v1/shopper/price-drop-alert", &["price-drop-alert"]),
    ("/v1/marketing/competitive-landscape", &["category-page", "finding-a-category"]),
    ("/v1/marketing/promo-intelligence", &["promotions"]),
    ("/v1/marketing/share-of-shelf", &["share-of-shelf"]),
    ("/v1/marketing/brand-tracker", &["brand-tracker"]),
    ("/v1/analyst/inflation", &["inflation-like-for-like", "periods"]),
    ("/v1/analyst/retailer-index", &["retailer-index", "periods"]),
    ("/v1/analyst/price-bands", &["price-bands"]),
    ("/v1/analyst/price-dispersion", &["dispersion"]),
    ("/v1/analyst/category-summary", &["category-summary"]),
    ("/v1/analyst/category-concentration", &["category-concentration"]),
    ("/v1/analyst/price-change-leaders", &["price-change-leaders"]),
    ("/v1/analyst/price-index", &["price-index"]),
    ("/v1/marketing/price-positioning", &["price-positioning"]),
    ("/v1/marketing/availability-index", &["availability"]),
    ("/v1/marketing/retailer-assortment", &["assortment"]),
    ("/v1/marketing/brand-breakdown", &["brand-breakdown"]),
    ("/v1/shopper/basket", &["basket"]),
    ("/v1/shopper/best-prices", &["best-prices"]),
    ("/v1/public/stats", &["stats"]),
    ("/v1/reference/brick-attributes", &["attributes-of-a-brick"]),
    ("/v1/reference/classify", &["classify"]),
    ("/v1/public/coverage", &["coverage"]),
];

/// The page that defines them.
pub(super) const METHODOLOGY: &str = "/docs/methodology";

/// Anchors of a route's figures, the first its own.
pub(super) fn of(route: &str) -> &'static [&'static str] {
    FIGURES.iter().find(|(path, _)| *path == route).map_or(&[], |(_, anchors)| anchors)
}
