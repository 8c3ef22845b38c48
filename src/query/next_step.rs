//! The request that an answer leads to.

use super::json_text::JsonText;

/// A request that an answer leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// Name of the route.
    pub route: &'static str,
    /// Whether it is the same request with other arguments added.
    pub repeats: bool,
    /// Arguments.
    pub arguments: Vec<(&'static str, String)>,
}

/// An answer beside its request, of which next steps are made.
pub struct Exchange<'a> {
    /// The answer.
    pub answer: &'a JsonText,
    /// The value of a parameter of the request.
    pub asked: &'a dyn Fn(&str) -> Option<&'a str>,
}

impl NextStep {
    /// A request of another route about a value.
    pub fn to(route: &'static str, parameter: &'static str, value: String) -> Self {
        Self { route, repeats: false, arguments: vec![(parameter, value)] }
    }

    /// The same request of a route with an argument added.
    pub fn again(route: &'static str, parameter: &'static str, value: String) -> Self {
        Self { repeats: true, ..Self::to(route, parameter, value) }
    }

    /// The same with one more argument.
    #[must_use]
    pub fn with(mut self, parameter: &'static str, value: String) -> Self {
        self.arguments.push((parameter, value));
        self
    }
}

impl Exchange<'_> {
    /// The first text at a path of the answer: names separated by dots, where a list stands for its rows.
    pub fn text(&self, path: &str) -> Option<String> {
        first_text(self.answer, path)
    }

    /// The rows of a list of the answer.
    pub fn rows(&self, list: &str) -> &[JsonText] {
        match self.answer.field(list) {
            Some(JsonText::List(rows)) => rows,
            _ => &[],
        }
    }

    /// The category of the request.
    pub fn category(&self) -> Option<String> {
        (self.asked)("category").or_else(|| (self.asked)("node")).map(str::to_owned)
    }
}

fn first_text(value: &JsonText, path: &str) -> Option<String> {
    match (value, path) {
        (JsonText::Text(text), "") => Some(text.clone()),
        (JsonText::List(rows), _) => rows.iter().find_map(|row| first_text(row, path)),
        (JsonText::Object(_), _) => {
            let (name, rest) = path.split_once('.').unwrap_or((path, ""));
            first_text(value.field(name)?, rest)
        }
        _ => None,
    }
}
