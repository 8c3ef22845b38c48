//! Refuses bodies that are not exactly one JSON-RPC 2.0 message, with the errors of its specification (section 5.1).
//! They are refused before the library reads them, because the library would refuse them with HTTP errors only.

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// The version of JSON-RPC.
const VERSION: &str = "2.0";

/// An error response. Its id is null if the id of the request is not known.
#[derive(Debug, Serialize)]
pub(super) struct Refusal {
    jsonrpc: &'static str,
    id: Option<RequestId>,
    error: ErrorData,
}

/// Any JSON value.
#[derive(Deserialize)]
#[serde(untagged)]
enum Body {
    Message(Envelope),
    Other(IgnoredAny),
}

/// The fields by which a message is checked.
#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<Field>,
    id: Option<Field>,
    method: Option<Field>,
}

/// The value of a field: a string or an integer, as in an id, or any other value.
#[derive(Deserialize)]
#[serde(untagged)]
enum Field {
    Id(RequestId),
    Other(IgnoredAny),
}

impl Field {
    fn id(self) -> Option<RequestId> {
        match self {
            Self::Id(id) => Some(id),
            Self::Other(_) => None,
        }
    }

    fn is(&self, text: &str) -> bool {
        matches!(self, Self::Id(RequestId::String(own)) if &**own == text)
    }
}

impl Refusal {
    /// The refusal of a body; `None` if the body is a message.
    pub(super) fn of(body: &[u8]) -> Option<Self> {
        if serde_json::from_slice::<ClientJsonRpcMessage>(body).is_ok() {
            return None;
        }
        let refused = |id, error| Some(Self { jsonrpc: VERSION, id, error });
        match serde_json::from_slice(body) {
            Err(_) if body.trim_ascii().is_empty() => refused(None, unparsed("is empty")),
            Err(error) => refused(None, unparsed(&format!("is not JSON ({error})"))),
            Ok(_) if body.trim_ascii_start().starts_with(b"[") => {
                let sentence = "JSON-RPC batches are not supported; send one message per request.";
                refused(None, ErrorData::invalid_request(sentence, None))
            }
            Ok(Body::Other(_)) => refused(None, invalid("it is not a JSON object, or it repeats a field")),
            Ok(Body::Message(envelope)) => {
                let fault = envelope.fault();
                refused(envelope.id.and_then(Field::id), invalid(fault))
            }
        }
    }
}

impl Envelope {
    /// The first fault of an object that is not a message.
    fn fault(&self) -> &'static str {
        match self {
            Self { jsonrpc, .. } if !jsonrpc.as_ref().is_some_and(|version| version.is(VERSION)) => {
                "jsonrpc is not \"2.0\""
            }
            Self { id: Some(Field::Other(_)), .. } => "id is neither a string nor a signed 64-bit integer",
            Self { method: None, .. } => "the field method is missing",
            _ => "its fields are not those of a request, a notification or a response",
        }
    }
}

fn unparsed(fault: &str) -> ErrorData {
    ErrorData::parse_error(format!("The body {fault}; send one JSON-RPC 2.0 message."), None)
}

fn invalid(fault: &str) -> ErrorData {
    ErrorData::invalid_request(format!("The body is not a JSON-RPC 2.0 message: {fault}."), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &[u8]) -> Option<String> {
        Refusal::of(body).map(|refusal| serde_json::to_string(&refusal).expect("JSON"))
    }

    #[test]
    fn messages_pass() {
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"no/such","params":{"x":[1.5]}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#" {"jsonrpc":"2.0","id":1,"result":{}} "#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#,
        ] {
            assert_eq!(refused(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn refuses_what_is_not_json_as_a_parse_error() {
        let deep = "[".repeat(1_000);
        for body in ["", " \r\n", "not json", "{", r#"{"jsonrpc":"2.0""#, "{} {}", r#"{"a":"\ud800"}"#, &deep]
        {
            let refused = refused(body.as_bytes()).expect(body);
            assert!(
                refused.starts_with(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#),
                "{refused}"
            );
        }
        assert!(refused(b"\xff").expect("a refusal").contains("-32700"));
        assert!(
            refused(b"").expect("a refusal").contains("The body is empty; send one JSON-RPC 2.0 message.")
        );
    }

    #[test]
    fn rejects_json_that_is_not_a_message() {
        for (body, id, fault) in [
            ("{}", "null", "jsonrpc is not"),
            ("7", "null", "not a JSON object"),
            ("null", "null", "not a JSON object"),
            (r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, "5", "jsonrpc is not"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "null", "id is neither"),
            (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, "null", "id is neither"),
            (r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#, "null", "id is neither"),
            (r#"{"jsonrpc":"2.0","id":"a"}"#, "\"a\"", "method is missing"),
            (r#"{"jsonrpc":"2.0","id":1,"method":2}"#, "1", "fields are not those"),
            ("[]", "null", "batches are not supported"),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "null", "batches are not supported"),
        ] {
            let refused = refused(body.as_bytes()).expect(body);
            let begin = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"#);
            assert!(refused.starts_with(&begin) && refused.contains(fault), "{body}: {refused}");
        }
    }
}
