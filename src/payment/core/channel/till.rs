//! The till: sells answers for vouchers, one at a time on each channel.
//!
//! ```text
//! known (no lock) ─▶ take: a turn on the channel ─▶ look again ─▶ [deposit] ─▶ judge ─▶ compute ─▶ commit ─▶ answer
//! ```
//!
//! A purchase runs in a task of its own, so that whoever hangs up leaves a channel in order; until the commit it ends when
//! its client is gone, and nothing was charged. Invariants: what is in memory of a channel is what the ledger has of it;
//! whatever fails has it read again. No lock is held over a channel's state while something is waited for: the *turn* is
//! what sales wait for, and the mirror writes beside it what only the chain decides.
//!
//! Neighbours: `judge` has the rules, [`super::refund`] gives money back, [`super::mirror`] reads the chain and claims.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::time::timeout;

use super::chain::ChannelChain;
use super::deposit::Deposited;
use super::judge::{Presented, Verdict, judge, judge_sold};
use super::outcome::{ChannelOutcome, Correction};
use super::payment::{ChannelAct, ChannelPayment, Standing};
use super::register::{Channel, Waiting};
use super::row::{ChannelRow, ChannelSale, ChannelStore, Kept, LastSale, OnChain, Voucher};
use super::terms::ChannelTerms;
use crate::payment::core::claim::{RailName, StoreError, StoredAnswer};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::failing::FailureWindows;
use crate::payment::core::figures::{ChannelFigures, CommitTimes};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::processor::{PaymentWork, Processor};
use crate::payment::protocols::channel::{ChannelConfig, ChannelId};
use crate::payment::protocols::x402::batch::{ChannelReceipt, receipt_header};

/// Purchases and refunds at work at one time.
pub const PURCHASES_MAX: usize = 4_096;

/// Channels that nobody here knows, from one address in a minute: each has the chain read.
pub const UNKNOWN_PER_MINUTE_MAX: u32 = 20;

/// Between two looks at the chain for one channel whose money does not suffice.
const SHORT_LOOK_PAUSE: Duration = Duration::from_secs(2);

/// Without a look at the chain for so long no voucher is taken, at least.
const BLIND_MIN: Duration = Duration::from_secs(120);

/// And at most for this share of the time that a withdrawal takes.
const BLIND_SHARE: u64 = 8;

/// What a voucher is presented for.
#[derive(Debug, Clone)]
pub struct Purchase {
    /// Price in atomic USDC.
    pub price: u64,
    /// Path of the endpoint.
    pub endpoint: &'static str,
    /// SHA-256 of the canonical request.
    pub request_hash: [u8; 32],
    /// Who asks.
    pub client: IpAddr,
}

/// What a till is opened with.
pub struct TillParts {
    /// Rail.
    pub rail: RailName,
    /// CAIP-2 name of the network.
    pub network: String,
    /// What the operator allows.
    pub terms: ChannelTerms,
    /// Whether no money moves because none is meant to.
    pub is_sandbox: bool,
    /// The contracts.
    pub chain: Arc<dyn ChannelChain>,
    /// The ledger.
    pub store: Arc<dyn ChannelStore>,
    /// Takes deposits.
    pub processor: Arc<Processor>,
    /// How long a request may take, a deposit included.
    pub deadline: Duration,
    /// How long the chain is asked for what was just settled.
    pub chain_look: Duration,
    /// Seconds for which an offer can be paid.
    pub offer_ttl_s: u64,
}

/// The till of one rail.
pub struct Till {
    pub(super) parts: TillParts,
    pub(super) channels: Mutex<HashMap<ChannelId, Arc<Channel>>>,
    /// What is sold on all channels and not claimed.
    pub(super) at_risk: AtomicU64,
    /// Looks at the chain that were begun.
    pub(super) looks: AtomicU64,
    pub(super) unknown: FailureWindows<IpAddr>,
    pub(super) places: Arc<Semaphore>,
    /// Rung when there may be something to claim.
    pub(super) claims_due: Notify,
    /// Claims by what they came to.
    claims: Mutex<BTreeMap<&'static str, u64>>,
    commits: Mutex<CommitTimes>,
    mirrored_at: Mutex<Option<Instant>>,
    /// When claimed money was first seen that was not swept, in Unix milliseconds.
    unswept_since: Mutex<Option<u64>>,
}

impl Till {
    /// A till with the channels that the ledger has, as many as fit.
    ///
    /// # Errors
    /// When the ledger cannot be read, or unclaimed money has no key to claim it with.
    pub fn open(mut parts: TillParts) -> Result<Self, StoreError> {
        if parts.is_sandbox {
            // Nothing is ever claimed there, and nothing can be lost.
            parts.terms.at_risk_channel_max = u64::MAX;
            parts.terms.at_risk_max = u64::MAX;
        }
        let rows = parts.store.channels(parts.rail, parts.terms.channels_max)?;
        let stranded: Vec<&ChannelRow> =
            rows.iter().filter(|row| row.at_risk() > 0 && !parts.chain.has_key_for(&row.config)).collect();
        if let Some(row) = stranded.first() {
            return Err(StoreError(format!(
                "{} channels hold money that no key here can claim (the first: {}, authorizer {}); give that key as \
                 PRICEBOOK_CHANNEL_KEY_PREVIOUS until they are claimed",
                stranded.len(),
                row.id,
                row.config.receiver_authorizer
            )));
        }
        if !rows.is_empty() {
            parts.chain.was_supported_before();
        }
        let at_risk = rows.iter().map(ChannelRow::at_risk).sum();
        let channel =
            |row: ChannelRow| (row.id, Arc::new(Channel::new(row.id, row.config.clone(), Some(row))));
        Ok(Self {
            channels: Mutex::new(rows.into_iter().map(channel).collect()),
            at_risk: AtomicU64::new(at_risk),
            looks: AtomicU64::new(0),
            unknown: FailureWindows::new(UNKNOWN_PER_MINUTE_MAX),
            places: Arc::new(Semaphore::new(PURCHASES_MAX)),
            claims_due: Notify::new(),
            claims: Mutex::default(),
            commits: Mutex::default(),
            mirrored_at: Mutex::default(),
            unswept_since: Mutex::default(),
            parts,
        })
    }

    /// Its rail.
    pub fn rail(&self) -> RailName {
        self.parts.rail
    }

    /// How its channels stand.
    pub fn figures(&self) -> ChannelFigures {
        let channels = self.all();
        let is_withdrawn = |channel: &&Arc<Channel>| {
            channel.state().row.as_ref().is_some_and(|row| row.chain.withdraw_at.is_some())
        };
        let claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let mirrored_at = *self.mirrored_at.lock().unwrap_or_else(PoisonError::into_inner);
        ChannelFigures {
            channels: channels.len(),
            at_risk: self.at_risk(),
            mirror_age_s: mirrored_at.map(|at| at.elapsed().as_secs_f64()),
            withdrawals: channels.iter().filter(is_withdrawn).count(),
            claims: claims.iter().map(|(outcome, count)| (*outcome, *count)).collect(),
            commits: *self.commits.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Notes that the chain was read for every channel.
    pub(super) fn note_mirrored(&self) {
        *self.mirrored_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Notes that there is claimed money that was not swept, or none; since when there is, by what was noted.
    pub(super) fn note_unswept(&self, now: Option<u64>) -> u64 {
        let mut since = self.unswept_since.lock().unwrap_or_else(PoisonError::into_inner);
        *since = now.map(|now| since.unwrap_or(now));
        since.unwrap_or_default()
    }

    /// Counts a claim by what it came to.
    pub(super) fn count_claim(&self, outcome: &'static str) {
        *self.claims.lock().unwrap_or_else(PoisonError::into_inner).entry(outcome).or_default() += 1;
    }

    /// What is sold on all channels and not claimed, in atomic USDC.
    pub fn at_risk(&self) -> u64 {
        self.at_risk.load(Ordering::Acquire)
    }

    /// Purchases and refunds at work.
    pub fn at_work(&self) -> usize {
        PURCHASES_MAX - self.places.available_permits()
    }

    /// Waits until nothing is at work.
    pub async fn idle(&self) {
        // It is never closed.
        let _ = self.places.acquire_many(PURCHASES_MAX as u32).await;
    }

    /// Whether vouchers can be taken.
    pub fn is_up(&self) -> bool {
        self.parts.chain.is_up()
    }

    /// What is known of a voucher decides before anything else: one that was sold already is answered again.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn known(
        &self,
        payment: &ChannelPayment,
        request_hash: &[u8; 32],
    ) -> Result<Option<ChannelOutcome>, StoreError> {
        if matches!(payment.act, ChannelAct::Refund { .. }) {
            return Ok(None);
        }
        let found = self.map().get(&payment.id).cloned();
        let Some(channel) = found.or_else(|| self.stored(payment.id).ok().flatten()) else { return Ok(None) };
        self.sold_before(&channel, payment.max, request_hash)
    }

    /// The answer to a voucher that was sold already.
    fn sold_before(
        &self,
        channel: &Channel,
        max: u64,
        request_hash: &[u8; 32],
    ) -> Result<Option<ChannelOutcome>, StoreError> {
        let (verdict, last) = {
            let state = channel.state();
            let Some(row) = &state.row else { return Ok(None) };
            let Some(verdict) = judge_sold(row, max, request_hash) else { return Ok(None) };
            match verdict {
                Verdict::Used => return Ok(Some(correction(PaymentReason::PaymentUsed, row))),
                Verdict::BelowClaimed => return Ok(Some(ChannelOutcome::BelowClaimed)),
                _ => {}
            }
            (verdict, row.last.clone())
        };
        let Some(LastSale { media_type, receipt, snapshot_id, freshness_seconds, .. }) = last else {
            return Ok(None);
        };
        let body = match verdict {
            Verdict::Replay => self.parts.store.last_body(channel.id, unix_millis())?,
            _ => None,
        };
        Ok(Some(match body {
            Some(body) => {
                let answer = StoredAnswer { body, media_type, snapshot_id, freshness_seconds };
                ChannelOutcome::Sold { key: sale_key(channel.id, max), answer, receipt, again: true }
            }
            None => ChannelOutcome::AnswerExpired { network: self.parts.network.clone(), receipt },
        }))
    }

    /// Sells the answer that `work` computes, in a task of its own.
    pub async fn take(
        self: &Arc<Self>,
        payment: Box<ChannelPayment>,
        purchase: Purchase,
        work: PaymentWork,
    ) -> ChannelOutcome {
        if payment.standing != Standing::Current || payment.act == ChannelAct::DepositOtherwise {
            return ChannelOutcome::Refused(PaymentReason::Terms);
        }
        let till = Arc::clone(self);
        self.in_turn(payment.id, payment.config.clone(), purchase.client, move |channel, done| async move {
            till.sell(&channel, &payment, &purchase, work, &done).await.map(|outcome| (outcome, done))
        })
        .await
    }

    /// Runs something on a channel in a task of its own, once it is its turn.
    pub(super) async fn in_turn<F>(
        self: &Arc<Self>,
        id: ChannelId,
        config: ChannelConfig,
        client: IpAddr,
        run: impl FnOnce(Arc<Channel>, Done) -> F + Send + 'static,
    ) -> ChannelOutcome
    where
        F: Future<Output = Result<(ChannelOutcome, Done), StoreError>> + Send,
    {
        let (channel, place) = match self.enter(id, config, client) {
            Ok(entered) => entered,
            Err(outcome) => return outcome,
        };
        let (done, outcome) = oneshot::channel();
        let till = Arc::clone(self);
        tokio::spawn(async move {
            let waiting = Waiting(Arc::clone(&channel));
            let turn = channel.turn.lock().await;
            match run(Arc::clone(&channel), done).await {
                Ok((outcome, done)) => drop(done.send(outcome)),
                Err(error) => tracing::error!(channel = %channel.id, %error, "a step on a channel failed"),
            }
            drop(turn);
            drop(waiting);
            till.leave(&channel);
            drop(place);
        });
        match timeout(self.parts.deadline, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => ChannelOutcome::Unclear,
        }
    }

    async fn sell(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        purchase: &Purchase,
        work: PaymentWork,
        done: &Done,
    ) -> Result<ChannelOutcome, StoreError> {
        if done.is_closed() {
            return Ok(ChannelOutcome::Unclear);
        }
        if let Some(outcome) = self.sold_before(channel, payment.max, &purchase.request_hash)? {
            return Ok(outcome);
        }
        if self.is_too_fast(channel) {
            return Ok(ChannelOutcome::TooMany { retry_after_s: 1 });
        }
        let mut looked = false;
        if channel.state().looked_at.is_none() {
            if let Err(why) = self.look(channel).await? {
                return Ok(unseen(channel, &why));
            }
            looked = true;
        }
        if self.is_blind(channel) {
            return Ok(unseen(channel, "the chain was not read for too long"));
        }
        let deposit = match &payment.act {
            ChannelAct::Deposit(deposit) => Some(deposit),
            _ => None,
        };
        let mut deposited = None;
        loop {
            let verdict = self.judge(channel, payment, purchase, deposit.filter(|_| deposited.is_none()));
            match verdict {
                Verdict::Sell => break,
                // The chain may know more by now.
                Verdict::Short | Verdict::Deposit
                    if !looked && !self.was_looked_at_just_now(channel, verdict) =>
                {
                    if let Err(why) = self.look(channel).await? {
                        return Ok(unseen(channel, &why));
                    }
                    looked = true;
                }
                Verdict::Deposit => {
                    let deposit = deposit.expect("the verdict is of a voucher with a deposit");
                    match self.deposit(channel, payment, deposit).await? {
                        Ok(settled) => deposited = Some(settled),
                        Err(outcome) => return Ok(outcome),
                    }
                }
                other => return self.refuse(channel, payment, purchase, other),
            }
        }
        if self.at_risk() + purchase.price > self.parts.terms.at_risk_max {
            tracing::error!(
                at_risk = self.at_risk(),
                "too much is sold and not claimed: no voucher is taken"
            );
            return Ok(ChannelOutcome::Unclear);
        }
        let Some(answer) = work.await else { return Ok(ChannelOutcome::WorkFailed) };
        if done.is_closed() {
            return Ok(ChannelOutcome::Unclear);
        }
        self.commit(channel, payment, purchase, deposited.as_ref(), answer).await
    }

    fn judge(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        purchase: &Purchase,
        deposit: Option<&super::payment::SignedDeposit>,
    ) -> Verdict {
        let presented = Presented {
            max: payment.max,
            request_hash: &purchase.request_hash,
            price: purchase.price,
            deposit: deposit.map_or(0, |deposit| deposit.authorization.amount),
        };
        let state = channel.state();
        match &state.row {
            Some(row) => judge(row, presented, &self.parts.terms),
            None => judge(&self.empty(channel), presented, &self.parts.terms),
        }
    }

    /// A channel that nobody has put money in.
    fn empty(&self, channel: &Channel) -> ChannelRow {
        ChannelRow::new(channel.id, self.parts.rail, channel.config.clone(), OnChain::default(), 0)
    }

    /// Why a voucher is not sold.
    fn refuse(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        purchase: &Purchase,
        verdict: Verdict,
    ) -> Result<ChannelOutcome, StoreError> {
        let state = channel.state();
        let Some(row) = &state.row else {
            // Nobody here knows the channel, and there is no money in it: the client reads the chain.
            return Ok(ChannelOutcome::BelowClaimed);
        };
        Ok(match verdict {
            Verdict::Amount | Verdict::Short => correction(PaymentReason::Amount, row),
            Verdict::BelowClaimed => ChannelOutcome::BelowClaimed,
            Verdict::Withdrawing => ChannelOutcome::Refused(PaymentReason::Refused),
            Verdict::AtRisk => {
                tracing::warn!(channel = %channel.id, at_risk = row.at_risk(), "too much of a channel is not claimed");
                self.claims_due.notify_one();
                ChannelOutcome::Unclear
            }
            Verdict::Refunding => ChannelOutcome::Unclear,
            Verdict::Replay | Verdict::ReplayPublic | Verdict::Used => {
                drop(state);
                let sold = self.sold_before(channel, payment.max, &purchase.request_hash)?;
                sold.unwrap_or(ChannelOutcome::Unclear)
            }
            Verdict::Sell | Verdict::Deposit => ChannelOutcome::Unclear,
        })
    }

    /// Makes a sale durable, and tells of it.
    async fn commit(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        purchase: &Purchase,
        deposited: Option<&Deposited>,
        answer: StoredAnswer,
    ) -> Result<ChannelOutcome, StoreError> {
        let (expected, receipt) = {
            let state = channel.state();
            let Some(row) = &state.row else { return Ok(ChannelOutcome::Unclear) };
            (row.charged, self.receipt(row, payment, purchase.price, deposited))
        };
        let sale = ChannelSale {
            expected,
            voucher: Voucher { max: payment.max, signature: payment.signature },
            last: LastSale {
                request_hash: purchase.request_hash,
                media_type: answer.media_type.clone(),
                receipt: receipt.clone(),
                snapshot_id: answer.snapshot_id.clone(),
                freshness_seconds: answer.freshness_seconds,
            },
            body: answer.body.clone(),
            endpoint: purchase.endpoint.to_owned(),
            at: unix_millis(),
        };
        let began = Instant::now();
        let kept = match self.parts.store.sell(channel.id, sale.clone()).await {
            Ok(kept) => kept,
            Err(error) => {
                tracing::error!(channel = %channel.id, %error, "a sale was not written");
                self.read_again(channel)?;
                return Ok(ChannelOutcome::Unclear);
            }
        };
        if kept == Kept::Elsewhere {
            tracing::error!(channel = %channel.id, "the ledger knows another sum: does a second server sell on this key?");
            self.read_again(channel)?;
            return Ok(ChannelOutcome::Unclear);
        }
        self.commits.lock().unwrap_or_else(PoisonError::into_inner).count(began.elapsed());
        self.update(channel, |row| row.sold(&sale));
        let key = sale_key(channel.id, payment.max);
        Ok(ChannelOutcome::Sold { key, answer, receipt, again: false })
    }

    /// The receipt of a sale on a channel as it stands before that, and of the deposit that came with it.
    fn receipt(
        &self,
        row: &ChannelRow,
        payment: &ChannelPayment,
        price: u64,
        deposited: Option<&Deposited>,
    ) -> String {
        receipt_header(&ChannelReceipt {
            payer: payment.config.payer,
            network: &self.parts.network,
            transaction: deposited.map_or("", |deposited| &deposited.transaction),
            moved: deposited.map(|deposited| deposited.amount),
            charged: price,
            state: row.chain.as_text(row.id, payment.max),
            sandbox: self.parts.is_sandbox,
        })
    }

    /// The receipt of a refund.
    pub(super) fn refund_receipt(&self, row: &ChannelRow, transaction: &str, amount: u64) -> String {
        receipt_header(&ChannelReceipt {
            payer: row.config.payer,
            network: &self.parts.network,
            transaction,
            moved: Some(amount),
            charged: 0,
            state: row.chain.as_text(row.id, row.charged),
            sandbox: self.parts.is_sandbox,
        })
    }

    /// Whether the chain was read so long ago that a withdrawal may have begun and ended meanwhile.
    fn is_blind(&self, channel: &Channel) -> bool {
        let share = Duration::from_secs(self.parts.terms.withdraw_delay_s / BLIND_SHARE);
        channel.state().looked_at.is_none_or(|at| at.elapsed() > BLIND_MIN.max(share))
    }

    /// Whether looking at the chain again is worth it: for a deposit always, else not twice in a moment.
    fn was_looked_at_just_now(&self, channel: &Channel, verdict: Verdict) -> bool {
        verdict == Verdict::Short
            && channel.state().looked_at.is_some_and(|at| at.elapsed() < SHORT_LOOK_PAUSE)
    }

    /// Whether more vouchers come on a channel in this second than are taken; this one is counted.
    fn is_too_fast(&self, channel: &Channel) -> bool {
        let second = unix_millis() / 1_000;
        let mut state = channel.state();
        if state.pace.0 != second {
            state.pace = (second, 0);
        }
        state.pace.1 += 1;
        state.pace.1 > self.parts.terms.vouchers_per_s
    }
}

/// What waits for a purchase; when it is closed, its client is gone.
pub(super) type Done = oneshot::Sender<ChannelOutcome>;

/// Names a sale.
fn sale_key(id: ChannelId, max: u64) -> String {
    format!("{id}:{max}")
}

/// Tells a client that is out of step where its channel stands.
pub(super) fn correction(reason: PaymentReason, row: &ChannelRow) -> ChannelOutcome {
    let correction =
        Correction { id: row.id, chain: row.chain, charged: row.charged, voucher: row.voucher.clone() };
    ChannelOutcome::Corrected(reason, Box::new(correction))
}

/// Nothing is sold while the chain does not say how a channel stands.
pub(super) fn unseen(channel: &Channel, why: &str) -> ChannelOutcome {
    tracing::warn!(channel = %channel.id, why, "the chain of a channel cannot be read");
    ChannelOutcome::Unclear
}
