//! A facilitator: who verifies and settles x402 payments for us.
//!
//! Its answer counts when it has the protocol's form, whatever the status says: some say no with status 200, some with
//! 400 or 500. Anything else is silence when verifying, and doubt when settling, because the money may have moved.
//! Reasons are opaque words, but for two: a settlement that is pending is asked for once more, in the same bytes, and a
//! duplicate that is reported *then* may be our own first call.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Bytes;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::shortened;
use crate::payment::core::scheme::{Settlement, Verdict};
use crate::payment::core::secret::Secret;
use crate::payment::net::health::{CallKind, Health};
use crate::payment::net::http::{Client, HttpAnswer, Silence};
use crate::payment::protocols::x402::{SettleResponse, SupportedResponse, VERSION, VerifyResponse};

/// How long a probe may take.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

const PENDING: &str = "settlement_pending";
const DUPLICATE: &str = "duplicate_settlement";

/// What a facilitator says of one network.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Support {
    /// Who pays the fees, where the payer's transaction names it.
    pub fee_payer: Option<String>,
}

/// The facilitator of one scheme on one network.
#[derive(Debug)]
pub struct Facilitator {
    client: Client,
    url: String,
    bearer: Option<Secret>,
    scheme: &'static str,
    network: String,
    health: Health,
    support: Mutex<Option<Support>>,
}

impl Facilitator {
    /// The facilitator at `url`, asked for payments by a scheme on `network`; `name` is what it is called in logs.
    pub fn new(
        client: Client,
        name: &str,
        url: &str,
        bearer: Option<Secret>,
        (scheme, network): (&'static str, &str),
    ) -> Self {
        Self {
            client,
            url: url.trim_end_matches('/').to_owned(),
            bearer,
            scheme,
            network: network.to_owned(),
            health: Health::new(name),
            support: Mutex::new(None),
        }
    }

    /// Its health.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Who pays the fees, by its newest word.
    pub fn fee_payer(&self) -> Option<String> {
        self.support.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.fee_payer.clone()
    }

    /// Asks what it supports, and remembers it.
    ///
    /// # Errors
    /// When it does not answer, or does not support the network.
    pub async fn supported(&self) -> Result<Support, String> {
        let url = format!("{}/supported", self.url);
        let answer = self.client.get(&url, self.bearer.as_ref(), PROBE_TIMEOUT).await;
        let (status, body) = answer.map_err(|why| why.to_string())?;
        let supported: SupportedResponse = serde_json::from_slice(&body)
            .map_err(|_| format!("GET /supported returned status {status} without a list of kinds"))?;
        let kind = supported.kind(self.scheme, &self.network).ok_or_else(|| {
            format!(
                "the facilitator does not settle x402 {VERSION} {} on {}; name another facilitator_url or leave the rail \
                 out",
                self.scheme, self.network
            )
        })?;
        let support = Support { fee_payer: kind.extra.as_ref().and_then(|extra| extra.fee_payer.clone()) };
        *self.support.lock().unwrap_or_else(PoisonError::into_inner) = Some(support.clone());
        Ok(support)
    }

    /// Asks whether a payment of `payer` would settle.
    pub async fn verify(&self, body: Bytes, payer: &str, time: Duration) -> Verdict {
        let answer = self.post("verify", body, time).await;
        let network = matches!(&answer, Err(silence) if silence.is_network());
        match read::<VerifyResponse>(answer) {
            Err(why) => {
                self.health.fail(CallKind::Verify, payer, network);
                Verdict::Silent(why)
            }
            Ok(verified) => {
                self.health.succeed(CallKind::Verify);
                if verified.is_valid {
                    Verdict::Valid
                } else {
                    Verdict::Invalid(reason(verified.invalid_reason, verified.invalid_message))
                }
            }
        }
    }

    /// Settles a payment of `payer`; `time` holds for everything, the second call for a pending settlement too.
    pub async fn settle(&self, body: Bytes, payer: &str, time: Duration) -> Settlement {
        let deadline = Instant::now() + time;
        let (first, silence) = self.settle_once(body.clone(), time).await;
        let (settlement, silence) = match first {
            Settlement::Refused(why, transaction) if why == PENDING => {
                let rest = deadline.saturating_duration_since(Instant::now());
                let (second, silence) = self.settle_once(body, rest).await;
                (after_pending(second, transaction), silence)
            }
            other => (other, silence),
        };
        match (&settlement, silence) {
            (_, Some(network)) => self.health.fail(CallKind::Settle, payer, network),
            // A facilitator that says that a transaction is in no block yet does what it should.
            (Settlement::Unclear(..), None) => {}
            (Settlement::Done(_) | Settlement::Refused(..), None) => self.health.succeed(CallKind::Settle),
        }
        settlement
    }

    /// One call; and, when it was not answered, whether it failed on the way.
    async fn settle_once(&self, body: Bytes, time: Duration) -> (Settlement, Option<bool>) {
        let answer = self.post("settle", body, time).await;
        let network = matches!(&answer, Err(silence) if silence.is_network());
        let settlement = match read::<SettleResponse>(answer) {
            Err(why) => return (Settlement::Unclear(why, None), Some(network)),
            Ok(settled) => {
                let transaction = settled.transaction.filter(|text| !text.is_empty());
                let transaction = transaction.map(|text| shortened(&text));
                if settled.success {
                    Settlement::Done(transaction)
                } else {
                    Settlement::Refused(reason(settled.error_reason, settled.error_message), transaction)
                }
            }
        };
        (settlement, None)
    }

    async fn post(&self, step: &str, body: Bytes, time: Duration) -> Result<HttpAnswer, Silence> {
        let url = format!("{}/{step}", self.url);
        self.client.post_json(&url, self.bearer.as_ref(), body, time).await
    }
}

/// What the second call means after the first was pending, with the first's transaction.
fn after_pending(second: Settlement, first: Option<String>) -> Settlement {
    match second {
        Settlement::Done(transaction) => Settlement::Done(transaction.or(first)),
        Settlement::Refused(why, transaction) if why == PENDING || why == DUPLICATE => {
            Settlement::Unclear(why, transaction.or(first))
        }
        Settlement::Refused(why, transaction) => Settlement::Refused(why, transaction.or(first)),
        Settlement::Unclear(why, transaction) => Settlement::Unclear(why, transaction.or(first)),
    }
}

fn read<T: DeserializeOwned>(answer: Result<HttpAnswer, Silence>) -> Result<T, String> {
    let (status, body) = answer.map_err(|silence| silence.to_string())?;
    serde_json::from_slice(&body)
        .map_err(|_| format!("the facilitator returned status {status} and a body that cannot be read"))
}

/// The reason, or else the message, or else that there is none.
fn reason(reason: Option<String>, message: Option<String>) -> String {
    let given = reason.or(message).filter(|text| !text.is_empty());
    given.map_or_else(|| "no reason given".to_owned(), |text| shortened(&text))
}

#[cfg(test)]
mod tests;
