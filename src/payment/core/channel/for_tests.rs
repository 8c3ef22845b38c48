//! A channel manager for tests: the real one, over a ledger in memory or in a file and a chain that does what a script says.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::future::ready;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::{Address, B256, address};

use super::ChannelTerms;
use super::chain::{ChannelChain, ChannelClaim};
use super::charge::ChargeRequest;
use super::deposit::deposit_words;
use super::manager::{ChannelManager, ChannelManagerParts};
use super::outcome::ChannelOutcome;
use super::payment::{ChannelAct, ChannelPayment, SignedDeposit, TermsStatus};
use super::row::{ChannelRow, ChannelStore, OnChain, RefundIntent, Voucher};
use crate::payment::core::claim::{Claim, ClaimKey, ClaimStore, Proof, StoredAnswer};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::processor::{ProcessingTimes, Processor};
use crate::payment::core::scheme::{
    Chain, DepositOrder, RailClaim, Scheme, Settlement, SignedPayment, Step, Verdict,
};
use crate::payment::ledger::{Ledger, ReplyLimits};
use crate::payment::protocols::channel::{
    AuthorizerKey, ChannelConfig, ChannelId, DepositAuthorization, channel_domain, voucher_digest,
};
use crate::payment::protocols::codec::sha256;
use crate::payment::rails::channels::NAME;

pub(super) const PRICE: u64 = 10_000;
pub(super) const DEPOSIT: u64 = 1_000_000;
pub(super) const US: Address = address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC");
pub(super) const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 3_600, replies_bytes_max: 1 << 20 };

/// What a settlement is scripted to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Done, and said so.
    Done,
    /// Refused, and not done.
    Refused,
    /// Nobody answers, and it is done.
    LostAndDone,
    /// Nobody answers, and it is not done.
    Lost,
}

/// The chain and the facilitator.
pub(super) struct Script {
    pub(super) channels: Mutex<BTreeMap<ChannelId, OnChain>>,
    /// Deposits that the token has taken.
    settled: Mutex<BTreeMap<ClaimKey, u64>>,
    pub(super) fate: Mutex<Fate>,
    pub(super) silent: AtomicBool,
    pub(super) facilitator_is_down: AtomicBool,
    pub(super) deposits: AtomicUsize,
    pub(super) refunds: AtomicUsize,
    pub(super) claims: Mutex<Vec<Vec<ChannelClaim>>>,
}

impl Script {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            channels: Mutex::default(),
            settled: Mutex::default(),
            fate: Mutex::new(Fate::Done),
            silent: AtomicBool::new(false),
            facilitator_is_down: AtomicBool::new(false),
            deposits: AtomicUsize::new(0),
            refunds: AtomicUsize::new(0),
            claims: Mutex::default(),
        })
    }

    pub(super) fn set(&self, fate: Fate) {
        *self.fate.lock().unwrap() = fate;
    }

    pub(super) fn on_chain(&self, id: ChannelId) -> OnChain {
        self.channels.lock().unwrap().get(&id).copied().unwrap_or_default()
    }

    pub(super) fn change(&self, id: ChannelId, change: impl FnOnce(&mut OnChain)) {
        change(self.channels.lock().unwrap().entry(id).or_default());
    }

    /// Whether a settlement is done, and what is said of it.
    fn settle(&self, transaction: &str) -> (bool, Settlement) {
        match *self.fate.lock().unwrap() {
            Fate::Done => (true, Settlement::Done(Some(transaction.to_owned()))),
            Fate::Refused => (false, Settlement::Refused("no".to_owned(), None)),
            Fate::LostAndDone => (true, Settlement::Unclear("a reset".to_owned(), None)),
            Fate::Lost => (false, Settlement::Unclear("a reset".to_owned(), None)),
        }
    }
}

impl Scheme for Script {
    fn verify<'a>(&'a self, _claim: &'a Claim, _payment: &'a SignedPayment) -> Step<'a, Verdict> {
        Box::pin(ready(Verdict::Valid))
    }

    fn settle<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Settlement> {
        let SignedPayment::Deposit(order) = payment else { panic!("deposits only") };
        let (done, said) = Script::settle(self, "0xdeposit");
        let mut settled = self.settled.lock().unwrap();
        if done && !settled.contains_key(&claim.key) {
            let number = settled.len() as u64;
            settled.insert(claim.key.clone(), number);
            self.change(order.id, |channel| channel.balance += order.deposit.authorization.amount);
            self.deposits.fetch_add(1, Ordering::SeqCst);
        }
        Box::pin(ready(said))
    }

    fn query<'a>(&'a self, claim: &'a Claim, _transaction: Option<&'a str>) -> Step<'a, Chain> {
        if self.silent.load(Ordering::SeqCst) {
            return Box::pin(ready(Chain::Silent("the node is silent".to_owned())));
        }
        let index = self.settled.lock().unwrap().get(&claim.key).copied();
        Box::pin(ready(match index {
            Some(index) => Chain::Paid(Proof { transaction: "0xdeposit".to_owned(), index }),
            None => Chain::Unpaid { for_good: false, contradicted: false },
        }))
    }

    fn is_up(&self) -> bool {
        true
    }

    fn withdraw(&self, _why: &str) {}

    fn head(&self) -> u64 {
        0
    }
}

impl ChannelChain for Script {
    fn query<'a>(&'a self, ids: &'a [ChannelId]) -> Step<'a, Result<Vec<OnChain>, String>> {
        if self.silent.load(Ordering::SeqCst) {
            return Box::pin(ready(Err("the node is silent".to_owned())));
        }
        Box::pin(ready(Ok(ids.iter().map(|id| self.on_chain(*id)).collect())))
    }

    fn unswept(&self) -> Step<'_, Result<u64, String>> {
        Box::pin(ready(Ok(0)))
    }

    fn claim<'a>(&'a self, claims: &'a [ChannelClaim]) -> Step<'a, Settlement> {
        let (done, said) = Script::settle(self, "0xclaim");
        self.claims.lock().unwrap().push(claims.to_vec());
        let cannot_pay = |claim: &ChannelClaim| claim.claimed > self.on_chain(id_of(&claim.config)).balance;
        if claims.iter().any(cannot_pay) {
            return Box::pin(ready(Settlement::Refused("ClaimExceedsBalance".to_owned(), None)));
        }
        for claim in claims.iter().filter(|_| done) {
            assert!(claim.claimed <= claim.voucher.max, "nobody signed so much");
            self.change(id_of(&claim.config), |channel| channel.claimed = channel.claimed.max(claim.claimed));
        }
        Box::pin(ready(said))
    }

    fn sweep(&self) -> Step<'_, Settlement> {
        Box::pin(ready(Settlement::Done(None)))
    }

    fn refund<'a>(
        &'a self,
        config: &'a ChannelConfig,
        _voucher: &'a Voucher,
        claim: Option<&'a ChannelClaim>,
        intent: &'a RefundIntent,
    ) -> Step<'a, Settlement> {
        let (done, said) = Script::settle(self, "0xrefund");
        if done {
            self.change(id_of(config), |channel| {
                if channel.refund_nonce == intent.nonce {
                    channel.claimed =
                        claim.map_or(channel.claimed, |claim| claim.claimed.max(channel.claimed));
                    channel.balance -= intent.amount;
                    assert!(channel.balance >= channel.claimed, "sold money was given back");
                    channel.refund_nonce += 1;
                    self.refunds.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        Box::pin(ready(said))
    }

    fn deposit_claim(&self, payment: &ChannelPayment, deposit: &SignedDeposit) -> (ClaimKey, RailClaim) {
        let order = DepositOrder {
            config: payment.config.clone(),
            id: payment.id,
            voucher: Voucher { max: payment.max, signature: payment.signature },
            deposit: deposit.clone(),
        };
        let claim = RailClaim {
            network: "eip155:1".to_owned(),
            asset: "0x0".to_owned(),
            pay_to: "0x1".to_owned(),
            trace: deposit_words(payment.id).1,
            valid_before: deposit.authorization.valid_before,
            payment: SignedPayment::Deposit(Box::new(order)),
        };
        (ClaimKey(format!("{}:{}", payment.id, deposit.authorization.salt)), claim)
    }

    fn has_key_for(&self, _config: &ChannelConfig) -> bool {
        true
    }

    fn is_up(&self) -> bool {
        true
    }

    fn can_settle(&self) -> bool {
        !self.facilitator_is_down.load(Ordering::SeqCst)
    }

    fn is_current(&self, _config: &ChannelConfig) -> bool {
        true
    }

    fn was_supported_before(&self) {}

    fn head(&self) -> u64 {
        0
    }
}

fn id_of(config: &ChannelConfig) -> ChannelId {
    config.id(&channel_domain(8_453))
}

/// A channel manager, its ledger and its chain.
pub(super) struct Bench {
    pub(super) manager: Arc<ChannelManager>,
    pub(super) ledger: Arc<Ledger>,
    pub(super) script: Arc<Script>,
    pub(super) worked: Arc<AtomicUsize>,
}

pub(super) fn terms() -> ChannelTerms {
    ChannelTerms { claim_at: 10 * PRICE, at_risk_channel_max: 20 * PRICE, ..ChannelTerms::default() }
}

impl Bench {
    pub(super) fn new() -> Self {
        Self::with(terms())
    }

    pub(super) fn with(terms: ChannelTerms) -> Self {
        Self::over(Arc::new(Ledger::in_memory(LIMITS).unwrap()), Script::new(), terms)
    }

    /// A channel manager as a server opens it over what is there.
    pub(super) fn over(ledger: Arc<Ledger>, script: Arc<Script>, terms: ChannelTerms) -> Self {
        let times = ProcessingTimes {
            verify: Duration::from_millis(50),
            settle: Duration::from_millis(50),
            chain_query: Duration::from_millis(32),
        };
        let scheme: Arc<dyn Scheme> = Arc::clone(&script) as Arc<_>;
        let store: Arc<dyn ClaimStore> = Arc::clone(&ledger) as Arc<_>;
        let answerer = Arc::new(|_: &str, _: &str| panic!("a deposit buys nothing"));
        let processor = Processor::new(store, [(NAME, scheme)].into(), times, answerer);
        let manager = ChannelManager::open(ChannelManagerParts {
            rail: NAME,
            network: "eip155:1".to_owned(),
            terms,
            is_sandbox: false,
            chain: Arc::clone(&script) as Arc<_>,
            store: Arc::clone(&ledger) as Arc<_>,
            processor: Arc::new(processor),
            deadline: Duration::from_secs(5),
            chain_query: Duration::from_millis(32),
            offer_ttl_s: 60,
        });
        Self { manager: Arc::new(manager.unwrap()), ledger, script, worked: Arc::default() }
    }

    /// The same after the server was started again.
    pub(super) fn restarted(self) -> Self {
        let Self { manager, ledger, script, .. } = self;
        let terms = manager.parts.terms.clone();
        drop(manager);
        Self::over(ledger, script, terms)
    }

    pub(super) async fn ask(&self, payment: ChannelPayment, request: &str) -> ChannelOutcome {
        self.ask_from(payment, request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await
    }

    /// A request as the gate takes it: what is known decides first.
    pub(super) async fn ask_from(
        &self,
        payment: ChannelPayment,
        request: &str,
        client: IpAddr,
    ) -> ChannelOutcome {
        let request_hash = sha256(request.as_bytes());
        if let Some(outcome) = self.manager.known(&payment, &request_hash).unwrap() {
            return outcome;
        }
        if matches!(payment.act, ChannelAct::Refund { .. }) {
            return self.manager.refund(Box::new(payment), client).await;
        }
        let worked = Arc::clone(&self.worked);
        let body = request.as_bytes().to_vec();
        let work = Box::pin(async move {
            worked.fetch_add(1, Ordering::SeqCst);
            Some(StoredAnswer {
                body,
                media_type: "application/json".to_owned(),
                snapshot_id: "s".to_owned(),
                freshness_seconds: 1,
            })
        });
        let request =
            ChargeRequest { price: PRICE, endpoint: "/v1/shopper/best-price", request_hash, client };
        self.manager.take(Box::new(payment), request, work).await
    }

    pub(super) fn row(&self, id: ChannelId) -> ChannelRow {
        self.ledger.channel(id).unwrap().expect("a channel")
    }

    /// Opens a channel with a deposit, and buys the first answer on it.
    pub(super) async fn opened(&self, payer: &Payer) {
        let first = self.ask(payer.deposit(PRICE, DEPOSIT, 1), "first").await;
        assert!(matches!(first, ChannelOutcome::Charged { again: false, .. }), "{first:?}");
    }

    /// Buys until so much is charged.
    pub(super) async fn buy_up_to(&self, payer: &Payer, charged: u64) {
        let mut sum = self.row(payer.id).charged;
        while sum < charged {
            sum += PRICE;
            let sold = self.ask(payer.voucher(sum), &format!("request {sum}")).await;
            assert!(matches!(sold, ChannelOutcome::Charged { again: false, .. }), "{sum}: {sold:?}");
        }
    }
}

/// A payer with one channel.
#[derive(Clone)]
pub(super) struct Payer {
    key: AuthorizerKey,
    config: ChannelConfig,
    pub(super) id: ChannelId,
}

impl Payer {
    pub(super) fn new(number: u8) -> Self {
        let key = AuthorizerKey::new([number; 32]).unwrap();
        let config = ChannelConfig {
            payer: key.address(),
            payer_authorizer: key.address(),
            receiver: US,
            receiver_authorizer: US,
            token: US,
            withdraw_delay: 86_400,
            salt: B256::ZERO,
        };
        let id = id_of(&config);
        Self { key, config, id }
    }

    fn payment(&self, max: u64, act: ChannelAct) -> ChannelPayment {
        ChannelPayment {
            rail: NAME,
            id: self.id,
            config: self.config.clone(),
            max,
            signature: self.key.sign(voucher_digest(self.id, max, &channel_domain(8_453))),
            act,
            terms_status: TermsStatus::Current,
        }
    }

    pub(super) fn voucher(&self, max: u64) -> ChannelPayment {
        self.payment(max, ChannelAct::Voucher)
    }

    pub(super) fn deposit(&self, max: u64, amount: u64, salt: u8) -> ChannelPayment {
        let now = unix_millis() / 1_000;
        let authorization = DepositAuthorization {
            amount,
            valid_after: 0,
            valid_before: now + 60,
            salt: B256::repeat_byte(salt),
        };
        self.payment(max, ChannelAct::Deposit(SignedDeposit { authorization, signature: [0; 65] }))
    }

    pub(super) fn refund(&self, max: u64, amount: Option<u64>) -> ChannelPayment {
        self.payment(max, ChannelAct::Refund { amount })
    }
}
