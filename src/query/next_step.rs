//! The next request that an answer suggests.

use super::json_text::JsonText;

/// The next request that an answer suggests, in the country of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// Name of the route; `None` if the next request is the same request with additional arguments.
    pub route: Option<&'static str>,
    /// Arguments.
    pub arguments: Vec<(&'static str, String)>,
}

impl NextStep {
    /// Creates a request to another route with one argument.
    pub fn to(route: &'static str, parameter: &'static str, value: String) -> Self {
        Self { route: Some(route), arguments: vec![(parameter, value)] }
    }

    /// Creates the same request with an additional argument.
    pub fn again(parameter: &'static str, value: String) -> Self {
        Self { route: None, arguments: vec![(parameter, value)] }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, parameter: &'static str, value: impl Into<String>) -> Self {
        self.arguments.push((parameter, value.into()));
        self
    }

    /// Creates a price-history request for the first product at a path of an answer. Its window of 90 days contains
    /// every current price.
    pub fn history(answer: &JsonText, path: &str) -> Option<Self> {
        let step = Self::to("price-history", "product_uid", answer.first_text(path)?);
        Some(step.with("time_window", "last_90_days"))
    }

    /// Creates a request to another route about the category of an answer. The request contains the display path of
    /// the category. For a classification code it contains the requested text instead.
    pub fn about_category(route: &'static str, answer: &JsonText) -> Option<Self> {
        let resolved = answer.field("resolved")?;
        let is_code = resolved.first_text("department").is_none();
        let text = resolved.first_text(if is_code { "input" } else { "category_path" })?;
        Some(Self::to(route, "category", text))
    }
}
