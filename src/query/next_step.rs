//! The request that an answer leads to.

use super::json_text::JsonText;

/// A request that an answer leads to, in the country of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// Name of the route; `None` for the same request with arguments added.
    pub route: Option<&'static str>,
    /// Arguments.
    pub arguments: Vec<(&'static str, String)>,
}

impl NextStep {
    /// A request of another route about a value.
    pub fn to(route: &'static str, parameter: &'static str, value: String) -> Self {
        Self { route: Some(route), arguments: vec![(parameter, value)] }
    }

    /// The same request with an argument added.
    pub fn again(parameter: &'static str, value: String) -> Self {
        Self { route: None, arguments: vec![(parameter, value)] }
    }

    /// The same step with one more argument.
    #[must_use]
    pub fn with(mut self, parameter: &'static str, value: impl Into<String>) -> Self {
        self.arguments.push((parameter, value.into()));
        self
    }

    /// The history of the first product at a path of an answer. Its window holds every current price.
    pub fn history(answer: &JsonText, path: &str) -> Option<Self> {
        let step = Self::to("price-history", "product_uid", answer.first_text(path)?);
        Some(step.with("time_window", "last_90_days"))
    }

    /// A request of another route about the category of an answer: its display path, or the text that named a
    /// classification code.
    pub fn about_category(route: &'static str, answer: &JsonText) -> Option<Self> {
        let resolved = answer.field("resolved")?;
        let is_code = resolved.first_text("department").is_none();
        let text = resolved.first_text(if is_code { "input" } else { "category_path" })?;
        Some(Self::to(route, "category", text))
    }
}
