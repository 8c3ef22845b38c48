//! Schemas of answers, in the form that client generators read.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map as Object, Value, json};

/// Extension with the meaning of each value of an enumeration, in the order of `enum`.
const ENUM_DESCRIPTIONS: &str = "x-enum-descriptions";

/// A generator of the schemas of answers, in the dialect of OpenAPI 3.1.
pub(super) fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .with_transform(RecursiveTransform(polish))
        .into_generator()
}

/// Removes traces of the Rust source from a schema: the line ends of a wrapped doc comment, the width of an integer
/// type, and the variants of an enumeration, which become a list of words.
fn polish(schema: &mut Schema) {
    if schema.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
        schema.remove("format");
        schema.remove("maximum");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    if let Some(told) = schema.get("oneOf").and_then(told) {
        schema.remove("oneOf");
        let (words, descriptions): (Vec<_>, Vec<_>) = told.into_iter().unzip();
        schema.insert("type".into(), json!("string"));
        schema.insert("enum".into(), Value::Array(words));
        schema.insert(ENUM_DESCRIPTIONS.into(), json!(descriptions));
    }
}

/// The words of an enumeration, each with its meaning; `None` if an alternative is not a word with a description.
fn told(variants: &Value) -> Option<Vec<(Value, String)>> {
    let one = |variant: &Value| {
        let word = variant.get("const").filter(|word| word.is_string())?;
        let text = variant.get("description")?.as_str()?;
        Some((word.clone(), text.replace('\n', " ")))
    };
    variants.as_array()?.iter().map(one).collect()
}

/// The name of the schema that enumerates exactly these words, in any order.
pub(super) fn enumeration<'a>(schemas: &'a Object<String, Value>, words: &[&str]) -> Option<&'a str> {
    let is_it = |schema: &Value| {
        let listed = schema.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        listed.len() == words.len()
            && listed.iter().all(|word| word.as_str().is_some_and(|word| words.contains(&word)))
    };
    schemas.iter().find(|(_, schema)| is_it(schema)).map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::*;

    /// How it is.
    #[derive(JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Mood {
        /// Good.
        FairlyGood,
        /// Not so
        /// good.
        Bad,
    }

    #[test]
    fn an_enumeration_lists_its_words_and_what_they_mean() {
        let mut generator = generator();
        generator.subschema_for::<Mood>();
        let schemas = generator.take_definitions(true);
        let expected = json!({
            "description": "How it is.", "type": "string", "enum": ["fairly_good", "bad"],
            "x-enum-descriptions": ["Good.", "Not so good."],
        });
        assert_eq!(schemas["Mood"], expected);
        assert_eq!(enumeration(&schemas, &["bad", "fairly_good"]), Some("Mood"));
        assert_eq!(enumeration(&schemas, &["bad"]), None);
    }
}
