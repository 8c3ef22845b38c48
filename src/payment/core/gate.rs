//! The gate: what the pipeline knows of payment.
//!
//! ```text
//! present ─▶ known ─▶ (admit, resolve) ─▶ take ─▶ Outcome ─▶ receipt
//!                                     └──▶ challenge, when nothing usable was presented
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::channel::gateway::{ChannelGateway, corrective};
use super::channel::manager::ChannelManager;
use super::channel::outcome::OutOfSync;
use super::claim::{ClaimRow, ClaimState, PaymentProtocol, RailName, StoreError};
use super::clock::unix_millis;
use super::credential::{Credential, PresentedPayment, Repeated, present};
use super::metrics::{PaymentMetrics, RailMetrics};
pub use super::offer::PAYMENT_RESPONSE;
use super::offer::{self, NoRail, OpenRail, PaymentOffers, RailOffer, Sale, field};
use super::outcome::{PaymentOutcome, PaymentReason};
use super::processor::{PaymentWork, Processor};
use super::reconcile::reconcile;
use super::scheme::Scheme;
use crate::payment::protocols::{mpp, x402};
use crate::payment::settings::Settings;
use crate::payment::{Mode, rails};

/// Receipts of MPP.
pub const PAYMENT_RECEIPT: HeaderName = HeaderName::from_static("payment-receipt");

/// What x402 calls a settlement whose end is not known yet.
const SETTLEMENT_PENDING: &str = "settlement_pending";

/// The gate.
pub struct Gate {
    mode: Mode,
    offers: PaymentOffers,
    /// Every way to pay that is configured, the preferred first.
    configured: Vec<(RailName, RailOffer)>,
    processor: Arc<Processor>,
    /// Per rail, the first block that the ledger knows everything of.
    first_blocks: BTreeMap<RailName, OnceLock<u64>>,
    deadline: Duration,
    /// Where payment channels are served.
    pub channels: ChannelGateway,
}

impl Gate {
    /// A gate by the operator's settings, with the processor that takes the payments.
    pub fn new(settings: &Settings, processor: Arc<Processor>, channels: ChannelGateway) -> Self {
        Self {
            mode: settings.mode,
            offers: PaymentOffers::new(settings),
            configured: offer::offered_by(&settings.rails),
            processor,
            first_blocks: settings.rails.iter().map(|rail| (rail.name(), OnceLock::new())).collect(),
            deadline: settings.request_deadline,
            channels,
        }
    }

    /// Starts what goes on beside requests: the reconciler, and learning where each chain stands.
    pub fn start(self: &Arc<Self>) {
        tokio::spawn(reconcile(Arc::clone(&self.processor)));
        tokio::spawn(keep_checked(Arc::clone(&self.processor)));
        self.channels.tills().iter().for_each(ChannelManager::start);
        let gate = Arc::clone(self);
        tokio::spawn(async move { gate.learn_first_blocks().await });
    }

    /// Waits until every rail can take payments.
    pub async fn all_open(&self) {
        while self.configured.iter().any(|(rail, _)| !self.open().iter().any(|open| open.rail == *rail)) {
            tokio::time::sleep(FIRST_BLOCK_PAUSE).await;
        }
    }

    /// Waits until no payment is at work.
    pub async fn idle(&self) {
        for manager in self.channels.tills() {
            manager.idle().await;
        }
        self.processor.idle().await;
    }

    /// A rail is offered once the ledger knows from which block on it holds every payment.
    async fn learn_first_blocks(&self) {
        loop {
            let mut missing = false;
            for (rail, first_block) in &self.first_blocks {
                let Some(scheme) = self.processor.scheme(*rail).filter(|_| first_block.get().is_none())
                else {
                    continue;
                };
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

    async fn first_block_of(&self, rail: RailName, scheme: &dyn Scheme) -> Option<u64> {
        if !scheme.is_up() {
            return None;
        }
        let (_, offer) = self.configured.iter().find(|(configured, _)| *configured == rail)?;
        match self.processor.store.first_block(offer.network.clone(), scheme.head() + 1).await {
            Ok(block) => {
                tracing::info!(%rail, first_block = block, "a rail is offered");
                Some(block)
            }
            Err(error) => {
                tracing::error!(
                    %rail, %error,
                    "a rail cannot be offered, because the ledger failed; the server tries again"
                );
                None
            }
        }
    }

    /// Why no payment can be taken whatever the rails say: the ledger cannot be written.
    pub fn fault(&self) -> Option<String> {
        self.processor.store.fault()
    }

    /// Closes the ledger: its file alone holds everything then, and nothing is taken any more.
    ///
    /// # Errors
    /// When the ledger cannot be brought into one file; nothing is lost then, but the file needs its log beside it.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.processor.store.close().await
    }

    /// How payment stands, for the operator.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn figures(&self) -> Result<PaymentMetrics, StoreError> {
        let open = self.open();
        let rail = |&rail: &RailName| RailMetrics {
            rail,
            is_open: open.iter().any(|open| open.rail == rail),
            at_work: self.processor.at_work(rail),
        };
        Ok(PaymentMetrics {
            rails: self.first_blocks.keys().map(rail).collect(),
            payments: self.processor.tally.counts(),
            payers_failing: self.processor.failing.count(Instant::now()),
            ledger: self.processor.store.figures()?,
            channels: self.channels.tills().iter().map(|manager| manager.figures()).collect(),
        })
    }

    /// The rails that can take payments now: none while the ledger cannot be written.
    pub fn open(&self) -> Vec<OpenRail> {
        if self.processor.store.fault().is_some() {
            return Vec::new();
        }
        let ready = |rail: &RailName| self.first_blocks.get(rail).is_some_and(|block| block.get().is_some());
        let rails = self.first_blocks.keys().copied().filter(ready);
        let open = rails.filter_map(|rail| {
            let scheme = self.processor.scheme(rail).filter(|scheme| scheme.is_up())?;
            Some(OpenRail { rail, fee_payer: scheme.fee_payer() })
        });
        open.collect()
    }

    /// The ways to pay that are open now, for a quote.
    pub fn rails(&self) -> Vec<RailOffer> {
        let open = self.open();
        let is_open = |rail: RailName| open.iter().any(|open| open.rail == rail);
        self.configured.iter().filter(|(rail, _)| is_open(*rail)).map(|(_, offer)| offer.clone()).collect()
    }

    /// Price of a sale, in atomic USDC.
    pub fn price(&self, sale: &Sale) -> u64 {
        self.offers.price(sale)
    }

    /// Reads what the headers carry.
    ///
    /// # Errors
    /// When they carry more than one payment.
    pub fn present(&self, headers: &HeaderMap) -> Result<PresentedPayment, Repeated> {
        present(headers, &self.offers)
    }

    /// What is already known of a payment decides before anything else; `request` is its path and normal form, whatever
    /// today's snapshot makes of it. A payment that can no longer be read is known by its key and its reference.
    ///
    /// # Errors
    /// When the ledger fails.
    pub async fn known(
        &self,
        presented: &PresentedPayment,
        request: &str,
    ) -> Result<Option<PaymentOutcome>, StoreError> {
        match presented {
            PresentedPayment::Payment(payment) => {
                self.processor.known(&payment.key, request, &payment.reference).await
            }
            PresentedPayment::Unusable(_, Some(former)) => {
                self.processor.known_formerly(&former.key, request, &former.reference).await
            }
            PresentedPayment::Nothing
            | PresentedPayment::Unusable(_, None)
            | PresentedPayment::Channel(_)
            | PresentedPayment::Forged(_) => Ok(None),
        }
    }

    /// Takes a payment that is not known, or free to be tried again, for a sale that can be served.
    pub async fn take(&self, credential: Credential, sale: &Sale, work: PaymentWork) -> PaymentOutcome {
        let now_ms = unix_millis();
        let rail = credential.rail;
        let scheme = self.processor.scheme(rail);
        let fee_payer = scheme.and_then(|scheme| scheme.fee_payer());
        if let Err(reason) = credential.check(&self.offers, sale, fee_payer.as_deref(), now_ms / 1_000) {
            return PaymentOutcome::Refused(reason, None);
        }
        let payer = (rail, credential.payer.clone());
        if let Some(retry_after_s) = self.processor.failing.refuses(&payer, Instant::now()) {
            return PaymentOutcome::TooManyFailures { retry_after_s };
        }
        if self.processor.store.fault().is_some() {
            return PaymentOutcome::Unclear(None);
        }
        let first_block = self.first_blocks.get(&rail).and_then(|block| block.get());
        let (Some(scheme), Some(&first_block)) = (scheme.filter(|scheme| scheme.is_up()), first_block) else {
            return PaymentOutcome::Unclear(None);
        };
        let (claim, order) = credential.claim(&self.offers, sale, first_block, scheme.head(), now_ms);
        self.processor.take(claim, order, work, self.deadline).await
    }

    /// Notes a failed payment of a payer, as the processor does.
    #[cfg(test)]
    pub(in crate::payment) fn blame(&self, rail: RailName, payer: &str) {
        self.processor.failing.fail(&(rail, payer.to_owned()), Instant::now());
    }

    /// The offers for a sale: the header fields of a 402.
    ///
    /// # Errors
    /// When no rail is up.
    pub fn challenge(
        &self,
        sale: &Sale,
        reason: Option<PaymentReason>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, NoRail> {
        let mut nonce = [0; 12];
        // Without entropy no offer can be told from another, so none is made.
        getrandom::fill(&mut nonce).map_err(|error| {
            tracing::error!(
                %error,
                "random bytes cannot be read from the operating system, so no payment is offered"
            );
            NoRail
        })?;
        let error = reason.map_or("payment required", PaymentReason::as_str);
        self.offers.headers(sale, &self.open(), error, nonce, unix_millis() / 1_000)
    }

    /// The header fields of a 402 that tells a client of a channel where it stands: one offer, and no other way to pay.
    pub fn corrective(
        &self,
        sale: &Sale,
        error: &str,
        out_of_sync: Option<&OutOfSync>,
    ) -> Option<(HeaderName, HeaderValue)> {
        corrective(&self.offers, sale, error, out_of_sync)
    }

    /// The receipt of a settled payment.
    pub fn receipt(&self, row: &ClaimRow) -> Option<(HeaderName, HeaderValue)> {
        let sandbox = self.mode == Mode::Sandbox;
        let claim = &row.claim;
        let transaction = row.transaction.as_deref().unwrap_or_default();
        match claim.protocol {
            PaymentProtocol::X402 => {
                let transaction = if sandbox { "" } else { transaction };
                field(PAYMENT_RESPONSE, x402::settled_header(&self.told(row, transaction)))
            }
            PaymentProtocol::Mpp => {
                let method = rails::kind(claim.rail).mpp_method;
                let settled_at = row.settled_at.expect("a receipt is of a payment that was settled");
                let settled = offer::rfc3339(settled_at / 1_000);
                let header =
                    mpp::receipt_header(method, transaction, &settled, Some(&claim.reference), sandbox);
                field(PAYMENT_RECEIPT, header)
            }
        }
    }

    /// What is said of a settlement that failed (402), or of one that may still come (503).
    pub fn no_receipt(&self, row: &ClaimRow) -> Option<(HeaderName, HeaderValue)> {
        let failed = row.state == ClaimState::Failed;
        let why = || row.reason.as_deref().expect("a settlement that failed has its reason");
        let reason = if failed { why() } else { SETTLEMENT_PENDING };
        let transaction = row.transaction.as_deref().unwrap_or_default();
        if !failed && transaction.is_empty() {
            return None;
        }
        field(PAYMENT_RESPONSE, x402::failed_header(&self.told(row, transaction), reason))
    }

    /// How a payment ended, as x402 tells it.
    fn told<'a>(&self, row: &'a ClaimRow, transaction: &'a str) -> x402::X402Outcome<'a> {
        let (network, payer) = (&row.claim.network, &row.claim.payer);
        x402::X402Outcome { transaction, network, payer, sandbox: self.mode == Mode::Sandbox }
    }
}

/// Looks at the ledger itself for as long as the server runs; what it finds is the ledger's to say and to log.
async fn keep_checked(processor: Arc<Processor>) {
    loop {
        tokio::time::sleep(LEDGER_CHECK_PAUSE).await;
        let _ = processor.store.check().await;
    }
}

/// Time between two looks at the ledger.
const LEDGER_CHECK_PAUSE: Duration = Duration::from_secs(1);

/// Time between two tries to learn where a chain stands.
const FIRST_BLOCK_PAUSE: Duration = Duration::from_millis(100);
