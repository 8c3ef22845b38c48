//! The catalog handle: the catalog in use, swapped as a whole.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::Catalog;

/// Holds the catalog in use. A request takes it once and keeps it to its end.
pub struct CatalogHandle(ArcSwap<Catalog>);

impl CatalogHandle {
    /// A cell with its first catalog.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self(ArcSwap::new(catalog))
    }

    /// The catalog in use.
    pub fn load(&self) -> Arc<Catalog> {
        self.0.load_full()
    }

    /// Puts a new catalog in use and hands back the old one, to be dropped off the request path.
    pub fn swap(&self, catalog: Arc<Catalog>) -> Arc<Catalog> {
        self.0.swap(catalog)
    }
}
