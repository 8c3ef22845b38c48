//! JSON schemas in words: the fields of an object as rows of a table, with those of objects in it.

use std::fmt::Write as _;

use serde_json::Value;

/// Objects within objects that are followed; none of ours lie deeper.
const DEPTH_MAX: usize = 8;

/// The schemas of the OpenAPI document.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'a>(pub(super) &'a Value);

impl<'a> Schemas<'a> {
    /// The target of a JSON pointer of the document (`#/components/…`), or the value itself where it is not a reference.
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
        let schema = self.resolve(schema);
        let Some(fields) = schema["properties"].as_object().filter(|_| depth < DEPTH_MAX) else { return };
        for (name, field) in fields {
            let required = schema["required"].as_array().into_iter().flatten();
            let absent = if required.into_iter().any(|one| one == name) { "" } else { ", may be absent" };
            let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            // Writing into a String cannot fail.
            let _ = writeln!(table, "| `{name}` | {}{absent} | {} |", self.kind(field), self.meaning(field));
            self.rows(table, &name, self.within(field), depth + 1);
        }
    }

    /// The schema whose fields a field has: its own object, or that of its items.
    fn within(self, field: &'a Value) -> &'a Value {
        let Some(&field) = self.choices(field).first() else { return field };
        if field["items"].is_null() { field } else { self.within(&field["items"]) }
    }

    /// The schemas that a value may keep, but for null.
    fn choices(self, field: &'a Value) -> Vec<&'a Value> {
        let field = self.resolve(field);
        match several(field) {
            Some(choices) => {
                let some = choices.iter().filter(|choice| choice["type"] != "null");
                some.flat_map(|choice| self.choices(choice)).collect()
            }
            None => vec![field],
        }
    }

    /// The type in words.
    pub(super) fn kind(self, field: &'a Value) -> String {
        let mut kinds: Vec<String> =
            self.choices(field).into_iter().map(|schema| self.kind_of(schema)).collect();
        kinds.dedup();
        if is_nullable(self.resolve(field)) {
            kinds.push("null".to_owned());
        }
        kinds.join(" or ")
    }

    /// The type of a schema that is no choice.
    fn kind_of(self, schema: &'a Value) -> String {
        let kind = types(schema).into_iter().find(|kind| *kind != "null");
        match kind {
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
        }
    }

    /// The description of a field, and the words that it may be.
    pub(super) fn meaning(self, field: &'a Value) -> String {
        let choices = self.choices(field);
        let said = [Some(field), Some(self.resolve(field)), choices.first().copied()];
        let said = said.into_iter().flatten().find_map(|schema| schema["description"].as_str());
        let text = said.unwrap_or_default().replace(['\n', '|'], " ");
        format!("{text}{}", self.words(field))
    }

    /// The words that a field or its items may hold, as a sentence; nothing for others.
    pub(super) fn words(self, field: &'a Value) -> String {
        let choices = self.choices(field).into_iter();
        let choices = choices.flat_map(|schema| match &schema["items"] {
            Value::Null => vec![schema],
            items => self.choices(items),
        });
        let words: Vec<String> = choices.flat_map(said_words).collect();
        if words.is_empty() { String::new() } else { format!(" One of {}.", words.join("; ")) }
    }
}

/// The alternatives of a schema.
fn several(schema: &Value) -> Option<&Vec<Value>> {
    schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array())
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_nullable(schema: &Value) -> bool {
    types(schema).contains(&"null")
        || several(schema).is_some_and(|choices| choices.iter().any(|choice| choice["type"] == "null"))
}

/// The words of an enumeration with what each means.
fn said_words(schema: &Value) -> Vec<String> {
    let meaning =
        |at: usize| schema["x-enum-descriptions"][at].as_str().unwrap_or_default().trim_end_matches('.');
    let one = |(at, word): (usize, &Value)| match meaning(at) {
        "" => format!("`{}`", plain(word)),
        meaning => format!("`{}`: {meaning}", plain(word)).replace('|', "/"),
    };
    let words = schema["enum"].as_array().into_iter().flatten().enumerate();
    words.filter(|(_, word)| !word.is_null()).map(one).collect()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn choices_nulls_and_absent_fields_are_said() {
        let document = json!({
            "components": {"schemas": {
                "Level": {"anyOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
                          "description": "A level."},
                "A": {"type": "string", "enum": ["root"], "x-enum-descriptions": ["The top."]},
                "B": {"type": "string", "enum": ["brick"]},
                "Row": {"type": "object", "properties": {"day": {"type": ["string", "null"], "format": "date"}}}
            }}
        });
        let schema = json!({
            "properties": {
                "level": {"$ref": "#/components/schemas/Level"},
                "rows": {"anyOf": [{"type": "array", "items": {"$ref": "#/components/schemas/Row"}}, {"type": "null"}],
                         "description": "Rows | of it."}
            },
            "required": ["level", "rows"]
        });
        let table = Schemas(&document).table(&schema);
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| `level` | word | A level. One of `root`: The top; `brick`. |",
                "| `rows` | list of objects or null | Rows   of it. |",
                "| `rows.day` | day or null, may be absent |  |",
            ]
        );
    }
}
