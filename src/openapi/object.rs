//! The objects of OpenAPI 3.1 that the document uses, with fields in the order in which they are written.

use std::fmt::Display;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;

use super::terms::{PaymentInfo, Price};

/// An object whose entries keep their order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Map<T>(Vec<(String, T)>);

impl<T> Default for Map<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Map<T> {
    pub(super) fn insert(&mut self, key: impl Display, value: T) {
        self.0.push((key.to_string(), value));
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Display, T> FromIterator<(K, T)> for Map<T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }
}

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
pub(super) struct Document {
    pub(super) openapi: &'static str,
    pub(super) info: Info,
    pub(super) servers: Vec<Server>,
    pub(super) tags: Vec<Tag>,
    #[serde(rename = "x-service-info")]
    pub(super) x_service_info: Value,
    pub(super) paths: Map<PathItem>,
    pub(super) components: Components,
}

#[derive(serde::Serialize)]
pub(super) struct Info {
    pub(super) title: &'static str,
    pub(super) version: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: String,
    pub(super) license: License,
}

#[derive(serde::Serialize)]
pub(super) struct License {
    pub(super) name: &'static str,
    pub(super) identifier: &'static str,
}

#[derive(serde::Serialize)]
pub(super) struct Server {
    pub(super) url: &'static str,
    pub(super) description: &'static str,
}

#[derive(serde::Serialize)]
pub(super) struct Tag {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
}

#[derive(serde::Serialize)]
pub(super) struct PathItem {
    pub(super) get: Operation,
}

#[derive(serde::Serialize)]
pub(super) struct Operation {
    pub(super) tags: Vec<&'static str>,
    pub(super) summary: &'static str,
    #[serde(rename = "operationId")]
    pub(super) id: String,
    pub(super) description: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) responses: Map<Response>,
    #[serde(rename = "x-price", skip_serializing_if = "Option::is_none")]
    pub(super) x_price: Option<Price>,
    #[serde(rename = "x-payment-info", skip_serializing_if = "Option::is_none")]
    pub(super) x_payment_info: Option<PaymentInfo>,
    #[serde(rename = "x-example-requests", skip_serializing_if = "Vec::is_empty")]
    pub(super) x_example_requests: Vec<String>,
}

/// A parameter, or a reference to one.
#[derive(Clone, serde::Serialize)]
#[serde(untagged)]
pub(super) enum Parameter {
    Ref(Ref),
    Is(ParameterObject),
}

#[derive(Clone, PartialEq, serde::Serialize)]
pub(super) struct ParameterObject {
    pub(super) name: String,
    #[serde(rename = "in")]
    pub(super) place: &'static str,
    pub(super) description: String,
    pub(super) required: bool,
    pub(super) schema: Value,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) examples: Map<Example>,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(super) struct Example {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    pub(super) value: Value,
}

/// A response, or a reference to one.
#[derive(serde::Serialize)]
#[serde(untagged)]
pub(super) enum Response {
    Ref(Ref),
    Is(ResponseObject),
}

#[derive(serde::Serialize)]
pub(super) struct ResponseObject {
    pub(super) description: String,
    pub(super) headers: Map<Ref>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) content: Map<MediaType>,
}

#[derive(serde::Serialize)]
pub(super) struct MediaType {
    pub(super) schema: Value,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) examples: Map<Example>,
}

#[derive(serde::Serialize)]
pub(super) struct Header {
    pub(super) description: String,
    pub(super) required: bool,
    pub(super) schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) example: Option<Value>,
}

#[derive(serde::Serialize)]
pub(super) struct Components {
    pub(super) schemas: Value,
    pub(super) responses: Map<ResponseObject>,
    pub(super) parameters: Map<ParameterObject>,
    pub(super) headers: Map<Header>,
}

/// A reference to a component.
#[derive(Debug, Clone, serde::Serialize)]
pub(super) struct Ref {
    #[serde(rename = "$ref")]
    target: String,
}

impl Ref {
    pub(super) fn to(kind: &str, name: &str) -> Self {
        Self { target: format!("#/components/{kind}/{name}") }
    }
}
