//! Parts that endpoints share: parameters, the endpoint trait, resolution of categories and products, and parts of
//! answers. This module does not depend on any single endpoint.

pub mod brand;
pub mod category;
pub mod descriptor;
pub mod endpoint;
pub mod ids;
pub mod item;
pub mod json_text;
pub mod likely;
pub mod next_step;
pub mod page;
pub mod params;
pub mod parts;
pub mod product;
pub mod product_params;
pub mod refusal;
pub mod representation;
pub mod requirements;
pub mod scope;
pub mod shares;
pub mod subject;
pub mod suggest;
pub mod windows;
