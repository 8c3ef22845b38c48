//! JSON schemas in words: the fields of an object as rows of a table, with those of objects in it.

use std::fmt::Write as _;

use serde_json::Value;

/// Objects within objects that are followed; none of ours lie deeper.
const DEPTH_MAX: usize = 8;

/// The schemas of the OpenAPI document.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'a>(pub(super) &'a Value);

impl<'a> Schemas<'a> {
    /// What a JSON pointer of the document leads to (`#/components/…`), or the value itself where it is no reference.
    pub(super) fn resolve(self, value: &'a Value) -> &'a Value {
        let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        pointer.and_then(|pointer| self.0.pointer(pointer)).unwrap_or(value)
    }

    /// A table of the fields of a schema, with the words that they may hold.
    pub(super) fn table(self, schema: &'a Value) -> String {
        let mut table = "| field | type | meaning |\n|---|---|---|\n".to_owned();
        self.rows(&mut table, "", schema, 0);
        table
    }

    fn rows(self, table: &mut String, prefix: &str, schema: &'a Value, depth: usize) {
        let Some(fields) = self.resolve(schema)["properties"].as_object().filter(|_| depth < DEPTH_MAX)
        else {
            return;
        };
        for (name, field) in fields {
            let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            // Writing into a String cannot fail.
            let _ = writeln!(table, "| `{name}` | {} | {} |", self.kind(field), self.meaning(field));
            self.rows(table, &name, self.within(field), depth + 1);
        }
    }

    /// The schema whose fields a field has: its own object, or that of its items.
    fn within(self, field: &'a Value) -> &'a Value {
        let field = self.resolve(self.some(field));
        if field["items"].is_null() { field } else { self.within(&field["items"]) }
    }

    /// The schema of what is not null.
    fn some(self, field: &'a Value) -> &'a Value {
        let choices = field["anyOf"].as_array().or_else(|| field["oneOf"].as_array());
        choices.and_then(|choices| choices.iter().find(|choice| choice["type"] != "null")).unwrap_or(field)
    }

    /// The type in words.
    pub(super) fn kind(self, field: &'a Value) -> String {
        let or_null = |text: String, is: bool| if is { format!("{text} or null") } else { text };
        let some = self.some(field);
        if !std::ptr::eq(some, field) {
            let choices = field["anyOf"].as_array().or_else(|| field["oneOf"].as_array());
            let is_nullable =
                choices.is_some_and(|choices| choices.iter().any(|choice| choice["type"] == "null"));
            return or_null(self.kind(some), is_nullable);
        }
        let schema = self.resolve(field);
        let types: Vec<&str> = match &schema["type"] {
            Value::String(one) => vec![one],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let is_nullable = types.contains(&"null");
        let text = match types.into_iter().find(|kind| *kind != "null") {
            _ if !schema["const"].is_null() => format!("`{}`", plain(&schema["const"])),
            Some("string") if schema["enum"].is_array() => "word".to_owned(),
            Some("string") if schema["format"] == "date" => "day".to_owned(),
            Some("string") if schema["format"] == "date-time" => "instant".to_owned(),
            Some("string") => "text".to_owned(),
            Some("integer") => "whole number".to_owned(),
            Some("boolean") => "true or false".to_owned(),
            Some("array") => format!("list of {}", plural(&self.kind(&schema["items"]))),
            Some(kind) => kind.to_owned(),
            None => "any".to_owned(),
        };
        or_null(text, is_nullable)
    }

    /// What the schema says of a field, and which words it may be.
    pub(super) fn meaning(self, field: &'a Value) -> String {
        let (own, some) = (field["description"].as_str(), self.resolve(self.some(field)));
        let mut text = own.or(some["description"].as_str()).unwrap_or_default().replace(['\n', '|'], " ");
        let words = if some["items"].is_null() { some } else { self.resolve(&some["items"]) };
        let _ = write!(text, "{}", said_words(words));
        text
    }
}

/// The words of an enumeration with what each means.
fn said_words(schema: &Value) -> String {
    let Some(words) = schema["enum"].as_array() else { return String::new() };
    let meaning =
        |at: usize| schema["x-enum-descriptions"][at].as_str().unwrap_or_default().trim_end_matches('.');
    let one = |(at, word): (usize, &Value)| match meaning(at) {
        "" => format!("`{}`", plain(word)),
        meaning => format!("`{}`: {meaning}", plain(word)),
    };
    let words: Vec<String> = words.iter().enumerate().filter(|(_, word)| !word.is_null()).map(one).collect();
    format!(" One of {}.", words.join("; ")).replace('|', "/")
}

/// A value as it is read.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn plural(kind: &str) -> String {
    match kind {
        "true or false" | "any" => kind.to_owned(),
        "day" | "word" | "text" | "object" | "instant" | "number" | "whole number" => format!("{kind}s"),
        kind => kind.to_owned(),
    }
}
