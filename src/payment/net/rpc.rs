//! JSON-RPC 2.0: how chain nodes are asked.
//!
//! A node that answers with an error has spoken ([`Failure::Said`]); one that cannot be reached or understood has not
//! ([`Failure::Silent`]). Results are typed; what a caller does not name is not read.

use std::fmt;
use std::time::Duration;

use hyper::body::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::shortened;
use crate::payment::net::http::{Client, Silence};

/// How long one call may take, unless it says otherwise.
pub const RPC_TIMEOUT: Duration = Duration::from_secs(1);
/// The node does not know the method.
pub const METHOD_UNKNOWN: i64 = -32601;

/// A node's error.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RpcError {
    /// Its number.
    pub code: i64,
    /// Its words.
    #[serde(default)]
    pub message: String,
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the node returned an error: {} ({})", shortened(&self.message), self.code)
    }
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The node refused it.
    #[error("{0}")]
    Said(RpcError),
    /// The node did not say.
    #[error("{0}")]
    Silent(Silence),
}

impl Failure {
    /// Whether the node may be gone.
    pub fn is_network(&self) -> bool {
        matches!(self, Self::Silent(silence) if silence.is_network())
    }

    /// Whether the node does not know the method.
    pub fn is_method_unknown(&self) -> bool {
        matches!(self, Self::Said(error) if error.code == METHOD_UNKNOWN)
    }
}

/// A node.
#[derive(Clone)]
pub struct Rpc {
    client: Client,
    url: String,
}

impl fmt::Debug for Rpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rpc")
    }
}

#[derive(Serialize)]
struct Call<'a, P> {
    jsonrpc: &'static str,
    id: u32,
    method: &'a str,
    params: P,
}

#[derive(Deserialize)]
struct Refusal {
    error: Option<RpcError>,
}

#[derive(Deserialize)]
#[serde(bound = "R: Deserialize<'de>")]
struct Outcome<R> {
    #[serde(deserialize_with = "given")]
    result: R,
}

/// Without this an answer that has no result at all would be read as an empty one.
fn given<'de, D: Deserializer<'de>, R: Deserialize<'de>>(deserializer: D) -> Result<R, D::Error> {
    R::deserialize(deserializer)
}

impl Rpc {
    /// The node at `url`.
    pub fn new(client: Client, url: impl Into<String>) -> Self {
        Self { client, url: url.into() }
    }

    /// Calls `method` and waits [`RPC_TIMEOUT`] at most.
    ///
    /// # Errors
    /// When the node refuses, or does not answer with such a result.
    pub async fn call<P: Serialize, R: de::DeserializeOwned>(
        &self,
        method: &str,
        params: P,
    ) -> Result<R, Failure> {
        self.call_within(RPC_TIMEOUT, method, params).await
    }

    /// Calls `method` and waits `time` at most.
    ///
    /// # Errors
    /// As [`Rpc::call`].
    pub async fn call_within<P: Serialize, R: de::DeserializeOwned>(
        &self,
        time: Duration,
        method: &str,
        params: P,
    ) -> Result<R, Failure> {
        let body = serde_json::to_vec(&Call { jsonrpc: "2.0", id: 1, method, params });
        let unreadable = |why: String| Failure::Silent(Silence::Unreadable(format!("{method}: {why}")));
        let body = Bytes::from(body.map_err(|error| unreadable(error.to_string()))?);
        let (status, body) = self.client.post_json(&self.url, None, body, time).await.map_err(|silence| {
            Failure::Silent(match silence {
                Silence::Network(why) => Silence::Network(format!("{method}: {why}")),
                Silence::Unreadable(why) => Silence::Unreadable(format!("{method}: {why}")),
            })
        })?;
        if let Ok(Refusal { error: Some(error) }) = serde_json::from_slice(&body) {
            return Err(Failure::Said(error));
        }
        let outcome: Result<Outcome<R>, _> = serde_json::from_slice(&body);
        outcome.map(|outcome| outcome.result).map_err(|error| {
            unreadable(format!(
                "the answer (status {status}) does not contain the expected result: {}",
                shortened(&error.to_string())
            ))
        })
    }
}

/// A number as Ethereum's JSON writes it: `0x`, then hexadecimal digits without leading zeros. More zeros are read
/// too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity(pub u64);

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits =
            text.strip_prefix("0x").filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        number
            .map(Self)
            .ok_or_else(|| de::Error::custom("a quantity must be 0x and at most 16 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::net::for_tests::{self as fake, FakeReply};

    async fn ask<R: de::DeserializeOwned>(reply: FakeReply) -> Result<R, Failure> {
        let time = if matches!(reply, FakeReply::Never) {
            Duration::from_millis(200)
        } else {
            Duration::from_secs(20)
        };
        let server = fake::server(move |_| reply.clone()).await;
        let result = Rpc::new(Client::new(), &server.url)
            .call_within(time, "eth_blockNumber", ("latest", false))
            .await;
        let sent = server.seen()[0].json();
        let right =
            serde_json::json!({"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":["latest",false]});
        assert_eq!(sent, right);
        result
    }

    #[tokio::test]
    async fn results_and_errors_and_silence() {
        let ok = FakeReply::json(200, r#"{"jsonrpc":"2.0","id":1,"result":"0x1f"}"#);
        assert_eq!(ask::<Quantity>(ok).await, Ok(Quantity(31)));
        let null = r#"{"jsonrpc":"2.0","id":1,"result":null}"#;
        assert_eq!(ask::<Option<Quantity>>(FakeReply::json(200, null)).await, Ok(None));
        assert!(matches!(ask::<Quantity>(FakeReply::json(200, null)).await, Err(Failure::Silent(_))));
        // Some nodes send both members, some send errors with another status.
        for status in [200, 400, 500] {
            let error =
                r#"{"id":1,"result":null,"error":{"code":-32601,"message":"no such method","data":[1]}}"#;
            let failure =
                ask::<Option<Quantity>>(FakeReply::json(status, error)).await.expect_err("an error");
            assert!(failure.is_method_unknown(), "{failure}");
        }
        for body in ["", "<html>", "null", "[]", r#"{"result":"31"}"#, r#"{"id":1}"#, r#"{"result":31}"#] {
            let failure = ask::<Quantity>(FakeReply::json(200, body)).await.expect_err(body);
            assert!(matches!(failure, Failure::Silent(Silence::Unreadable(_))), "{body}: {failure}");
        }
        let none = FakeReply::json(200, r#"{"message":"slow down"}"#);
        assert!(ask::<Option<Quantity>>(none).await.is_err(), "no result is not an empty one");
        assert!(ask::<Quantity>(FakeReply::Reset).await.expect_err("a reset").is_network());
        assert!(ask::<Quantity>(FakeReply::Never).await.expect_err("no answer").is_network());
    }

    #[test]
    fn quantities() {
        let read = |text: &str| serde_json::from_str::<Quantity>(text).ok().map(|quantity| quantity.0);
        assert_eq!(read(r#""0x0""#), Some(0));
        assert_eq!(read(r#""0x00ff""#), Some(255));
        assert_eq!(read(r#""0xffffffffffffffff""#), Some(u64::MAX));
        for wrong in [r#""0x10000000000000000""#, r#""0x""#, r#""0x+1""#, r#""12""#, "12", "null"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(serde_json::to_string(&Quantity(9000)).unwrap(), r#""0x2328""#);
    }
}
