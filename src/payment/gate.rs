//! The gate: what the pipeline knows of payment.
//!
//! ```text
//! present ─▶ known ─▶ (admit, resolve) ─▶ take ─▶ Outcome ─▶ receipt
//!                                     └──▶ challenge, when nothing usable was presented
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::Mode;
use super::claim::{ClaimStore, Protocol, Rail, Row, StoreError};
use super::clock::unix_millis;
use super::credential::{Credential, Presented, Repeated, present};
use super::offer::{EXACT, METHOD_EVM, METHOD_TEMPO, NoRail, Offers, Open, Sale};
use super::outcome::{Outcome, Reason};
use super::reconcile::reconcile;
use super::scheme::Scheme;
use super::till::{Till, Work};
use super::{mpp, offer, x402};

/// Receipts of x402.
pub const PAYMENT_RESPONSE: HeaderName = HeaderName::from_static("payment-response");

/// Receipts of MPP.
pub const PAYMENT_RECEIPT: HeaderName = HeaderName::from_static("payment-receipt");

/// What x402 calls a settlement whose end is not known yet.
const SETTLEMENT_PENDING: &str = "settlement_pending";

/// A way to pay, as a quote names it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct RailOffer {
    /// `x402` or `mpp`.
    pub protocol: &'static str,
    /// Scheme of x402 or method of MPP.
    pub method: &'static str,
    /// CAIP-2 name of the network.
    pub network: String,
}

/// The gate.
pub struct Gate {
    mode: Mode,
    offers: Offers,
    till: Arc<Till>,
    /// Per rail, the first block that the ledger knows everything of.
    first_blocks: BTreeMap<Rail, OnceLock<u64>>,
    deadline: Duration,
}

impl Gate {
    /// A gate that makes these offers and takes payments at this till.
    pub fn new(mode: Mode, offers: Offers, till: Arc<Till>, deadline: Duration) -> Self {
        let rails = [Rail::Base, Rail::Solana, Rail::Tempo];
        let first_blocks = rails.into_iter().map(|rail| (rail, OnceLock::new())).collect();
        Self { mode, offers, till, first_blocks, deadline }
    }

    /// How payments are made here.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Starts what goes on beside requests: the reconciler, and learning where each chain stands.
    pub fn start(self: &Arc<Self>) {
        tokio::spawn(reconcile(Arc::clone(&self.till)));
        let gate = Arc::clone(self);
        tokio::spawn(async move { gate.learn_first_blocks().await });
    }

    /// Waits until no payment is at work.
    pub async fn idle(&self) {
        self.till.idle().await;
    }

    /// A rail is offered once the ledger knows from which block on it holds every payment.
    async fn learn_first_blocks(&self) {
        loop {
            let mut missing = false;
            for (rail, first_block) in &self.first_blocks {
                let Some(scheme) = self.till.scheme(*rail).filter(|_| first_block.get().is_none()) else { continue };
                match self.first_block_of(*rail, scheme.as_ref()).await {
                    Some(block) => drop(first_block.set(block)),
                    None => missing = true,
                }
            }
            if !missing {
                return;
            }
            tokio::time::sleep(FIRST_BLOCK_PAUSE).await;
        }
    }

    async fn first_block_of(&self, rail: Rail, scheme: &dyn Scheme) -> Option<u64> {
        if !scheme.is_up() {
            return None;
        }
        let network = self.network(rail)?;
        match self.till.store.first_block(network, scheme.head() + 1).await {
            Ok(block) => {
                tracing::info!(%rail, first_block = block, "a rail is offered");
                Some(block)
            }
            Err(error) => {
                tracing::error!(%rail, %error, "a rail cannot be offered");
                None
            }
        }
    }

    fn network(&self, rail: Rail) -> Option<String> {
        match rail {
            Rail::Base => self.offers.base.as_ref().map(|terms| terms.rail.network.clone()),
            Rail::Solana => self.offers.solana.as_ref().map(|terms| terms.rail.network.clone()),
            Rail::Tempo => self.offers.tempo.as_ref().map(|rail| format!("eip155:{}", rail.chain_id)),
        }
    }

    /// The rails that can take payments now.
    pub fn open(&self) -> Vec<Open> {
        let ready = |rail: &Rail| self.first_blocks.get(rail).is_some_and(|block| block.get().is_some());
        let rails = self.first_blocks.keys().copied().filter(ready);
        let open = rails.filter_map(|rail| {
            let scheme = self.till.scheme(rail).filter(|scheme| scheme.is_up())?;
            Some(Open { rail, fee_payer: scheme.fee_payer() })
        });
        open.collect()
    }

    /// The ways to pay that are open now, for a quote.
    pub fn rails(&self) -> Vec<RailOffer> {
        let mut rails = Vec::new();
        for Open { rail, .. } in self.open() {
            let Some(network) = self.network(rail) else { continue };
            let base = self.offers.base.as_ref().map(|terms| &terms.rail);
            let (x402, method) = match rail {
                Rail::Base => {
                    (base.is_some_and(|rail| rail.x402), base.filter(|rail| rail.mpp).map(|_| METHOD_EVM))
                }
                Rail::Solana => (true, None),
                Rail::Tempo => (false, Some(METHOD_TEMPO)),
            };
            if x402 {
                let protocol = Protocol::X402.as_str();
                rails.push(RailOffer { protocol, method: EXACT, network: network.clone() });
            }
            rails.extend(method.map(|method| RailOffer { protocol: Protocol::Mpp.as_str(), method, network }));
        }
        rails
    }

    /// Price of a sale, in atomic USDC.
    pub fn price(&self, sale: &Sale) -> u64 {
        self.offers.price(sale)
    }

    /// Reads what the headers carry.
    ///
    /// # Errors
    /// When they carry more than one payment.
    pub fn present(&self, headers: &HeaderMap) -> Result<Presented, Repeated> {
        present(headers, &self.offers)
    }

    /// What is already known of a payment decides before anything else.
    ///
    /// # Errors
    /// When the ledger fails.
    pub async fn known(&self, credential: &Credential, sale: &Sale) -> Result<Option<Outcome>, StoreError> {
        self.till.known(&credential.key, &sale.request, &credential.reference).await
    }

    /// Takes a payment that is not known, or free to be tried again, for a sale that can be served.
    pub async fn take(&self, credential: Credential, sale: &Sale, work: Work) -> Outcome {
        let now_ms = unix_millis();
        let rail = credential.rail;
        let scheme = self.till.scheme(rail);
        let fee_payer = scheme.and_then(|scheme| scheme.fee_payer());
        if let Err(reason) = credential.check(&self.offers, sale, fee_payer.as_deref(), now_ms / 1_000) {
            return Outcome::Refused(reason, None);
        }
        let first_block = self.first_blocks.get(&rail).and_then(|block| block.get());
        let (Some(scheme), Some(&first_block)) = (scheme.filter(|scheme| scheme.is_up()), first_block) else {
            return Outcome::Unclear(None);
        };
        let (claim, order) = credential.claim(&self.offers, sale, first_block, scheme.head(), now_ms);
        self.till.take(claim, order, work, self.deadline).await
    }

    /// The offers for a sale: the header fields of a 402.
    ///
    /// # Errors
    /// When no rail is up.
    pub fn challenge(
        &self,
        sale: &Sale,
        reason: Option<Reason>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, NoRail> {
        let mut nonce = [0; 12];
        // Without entropy no offer can be told from another, so none is made.
        getrandom::fill(&mut nonce).map_err(|error| {
            tracing::error!(%error, "the system gives no entropy");
            NoRail
        })?;
        let error = reason.map_or("payment required", Reason::as_str);
        self.offers.headers(sale, &self.open(), error, nonce, unix_millis() / 1_000)
    }

    /// The receipt of a settled payment.
    pub fn receipt(&self, row: &Row) -> Option<(HeaderName, HeaderValue)> {
        let sandbox = self.mode == Mode::Sandbox;
        let claim = &row.claim;
        let transaction = row.transaction.as_deref().unwrap_or_default();
        match claim.protocol {
            Protocol::X402 => {
                let transaction = if sandbox { "" } else { transaction };
                let header = x402::settled_header(transaction, &claim.network, &claim.payer, sandbox);
                field(PAYMENT_RESPONSE, header)
            }
            Protocol::Mpp => {
                let method = if claim.rail == Rail::Tempo { METHOD_TEMPO } else { METHOD_EVM };
                let settled = offer::rfc3339(row.settled_at.unwrap_or(row.since) / 1_000);
                let header = mpp::receipt_header(method, transaction, &settled, &claim.reference, sandbox);
                field(PAYMENT_RECEIPT, header)
            }
        }
    }

    /// What is said of a settlement that failed (402), or of one that may still come (503).
    pub fn no_receipt(&self, row: &Row) -> Option<(HeaderName, HeaderValue)> {
        let failed = row.state == super::claim::State::Failed;
        let reason = if failed { row.reason.as_deref().unwrap_or_default() } else { SETTLEMENT_PENDING };
        let claim = &row.claim;
        let transaction = row.transaction.as_deref().unwrap_or_default();
        if !failed && transaction.is_empty() {
            return None;
        }
        let header = x402::failed_header(reason, transaction, &claim.network, &claim.payer);
        field(PAYMENT_RESPONSE, header)
    }
}

/// Time between two tries to learn where a chain stands.
const FIRST_BLOCK_PAUSE: Duration = Duration::from_millis(100);

fn field(name: HeaderName, value: String) -> Option<(HeaderName, HeaderValue)> {
    HeaderValue::try_from(value).ok().map(|value| (name, value))
}
