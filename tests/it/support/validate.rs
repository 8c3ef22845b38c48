//! A validator for the part of JSON Schema that the document uses. It is stricter than the specification: a value
//! may have no property that its schema does not name, and an unknown keyword is a fault.

use serde_json::Value;

/// Keywords that say nothing about a value, or nothing that the tests need.
const SAID_ONLY: [&str; 6] =
    ["description", "default", "deprecated", "title", "examples", "x-enum-descriptions"];

/// What is wrong with a value, one line per fault.
pub fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut check = Check { document, faults: Vec::new() };
    check.value(schema, value, "$");
    check.faults
}

struct Check<'a> {
    document: &'a Value,
    faults: Vec<String>,
}

impl<'a> Check<'a> {
    fn value(&mut self, schema: &'a Value, value: &Value, at: &str) {
        if schema.get("properties").is_some() || schema.get("allOf").is_some() {
            self.properties(schema, value, at);
        }
        for (keyword, bound) in schema.as_object().unwrap() {
            let holds = match keyword.as_str() {
                "$ref" => {
                    self.value(self.target(bound), value, at);
                    true
                }
                "type" => types(bound).iter().any(|kind| is(kind, value)),
                "enum" => bound.as_array().unwrap().contains(value),
                "const" => bound == value,
                "oneOf" => self.fitting(bound, value) == 1,
                "anyOf" => self.fitting(bound, value) >= 1,
                "required" => {
                    let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
                    !value.is_object() || bound.as_array().unwrap().iter().all(has)
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.value(bound, item, &format!("{at}[{index}]"));
                    }
                    true
                }
                "minimum" => value.as_f64().is_none_or(|number| number >= bound.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|number| number <= bound.as_f64().unwrap()),
                "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > bound.as_f64().unwrap()),
                "minItems" => {
                    value.as_array().is_none_or(|items| items.len() as u64 >= bound.as_u64().unwrap())
                }
                "maxItems" => {
                    value.as_array().is_none_or(|items| items.len() as u64 <= bound.as_u64().unwrap())
                }
                "minLength" => {
                    value.as_str().is_none_or(|text| text.chars().count() as u64 >= bound.as_u64().unwrap())
                }
                "format" => value.as_str().is_none_or(|text| has_format(bound.as_str().unwrap(), text)),
                // Patterns are held against answers by the contract test.
                "pattern" | "properties" | "allOf" => true,
                other => SAID_ONLY.contains(&other),
            };
            if !holds {
                self.faults.push(format!("{at}: {keyword} {bound} does not hold for {value}"));
            }
        }
    }

    /// Holds each property against every schema that names it; one that none names is a fault.
    fn properties(&mut self, schema: &'a Value, value: &Value, at: &str) {
        let Some(object) = value.as_object() else { return };
        let mut named = Vec::new();
        self.collect(schema, &mut named);
        for (name, value) in object {
            let schemas: Vec<&Value> = named.iter().filter_map(|properties| properties.get(name)).collect();
            if schemas.is_empty() {
                self.faults.push(format!("{at}.{name} is not in the document"));
            }
            for schema in schemas {
                self.value(schema, value, &format!("{at}.{name}"));
            }
        }
    }

    fn collect(&self, schema: &'a Value, named: &mut Vec<&'a Value>) {
        named.extend(schema.get("properties"));
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.collect(part.get("$ref").map_or(part, |target| self.target(target)), named);
        }
    }

    fn fitting(&self, schemas: &Value, value: &Value) -> usize {
        let fits = |schema: &&Value| faults(self.document, schema, value).is_empty();
        schemas.as_array().unwrap().iter().filter(fits).count()
    }

    fn target(&self, reference: &Value) -> &'a Value {
        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
        self.document.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is not in the document"))
    }
}

fn types(bound: &Value) -> Vec<&str> {
    match bound {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    }
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    }
}

fn has_format(format: &str, text: &str) -> bool {
    let fits = |pattern: &str| {
        text.len() >= pattern.len()
            && text
                .bytes()
                .zip(pattern.bytes())
                .all(|(byte, of)| if of == b'0' { byte.is_ascii_digit() } else { byte == of })
    };
    match format {
        "date" => fits("0000-00-00") && text.len() == 10,
        "date-time" => fits("0000-00-00T00:00:00") && text.ends_with('Z'),
        "uri-reference" => text.starts_with('/'),
        other => panic!("{other} is no format of the document"),
    }
}
