//! A scheme: how one kind of payment is verified, settled and found on its chain.
//!
//! The task that takes a payment (`core::processor`) and the reconciler (`core::reconcile`) know schemes only by
//! this trait. Everything that can be checked without the network was checked before a scheme is asked.

use std::pin::Pin;

use crate::payment::core::channel::payment::SignedDeposit;
use crate::payment::core::channel::row::Voucher;
use crate::payment::core::claim::{Claim, Proof};
use crate::payment::protocols::channel::{ChannelConfig, ChannelId};
use crate::payment::protocols::eip3009::Signed;

/// What a scheme's step returns.
pub type Step<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What is settled: the payment itself, already checked against the offer. Its forms are those that protocols carry;
/// what a form means is its rail's to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignedPayment {
    /// A signed EIP-3009 authorization.
    Authorization(Signed),
    /// A signed transaction: its wire bytes, in the canonical form.
    Transaction(Vec<u8>),
    /// A deposit on a payment channel.
    Deposit(Box<DepositOrder>),
}

/// A deposit as it is settled, with the voucher that it came with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepositOrder {
    /// Channel.
    pub config: ChannelConfig,
    /// Its name.
    pub id: ChannelId,
    /// The voucher.
    pub voucher: Voucher,
    /// What the payer signed.
    pub deposit: SignedDeposit,
}

/// The part of a claim that only its rail knows, and what is to be settled.
#[derive(Debug)]
pub struct RailClaim {
    /// CAIP-2 name of the network.
    pub network: String,
    /// Token, as the chain writes it.
    pub asset: String,
    /// Who is paid, as the chain writes it.
    pub pay_to: String,
    /// How the chain is asked for the payment, in the words of [`Scheme::query`].
    pub trace: String,
    /// Unix seconds after which the chain no longer takes the payment.
    pub valid_before: u64,
    /// What is settled.
    pub payment: SignedPayment,
}

/// Whether a payment would settle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It would.
    Valid,
    /// It would not, with the reason given.
    Invalid(String),
    /// Nobody said.
    Silent(String),
}

/// How a settlement ended, by the word of who was asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// It is done, in this transaction; `None` when none was named.
    Done(Option<String>),
    /// It was refused, with the reason given and a transaction if one was named.
    Refused(String, Option<String>),
    /// It may or may not have been done: a time-out, a reset, an unreadable answer, still pending.
    Unclear(String, Option<String>),
}

/// What the chain says of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chain {
    /// It is paid.
    Paid(Proof),
    /// It is not paid now.
    Unpaid {
        /// Whether that is for good: the chain's time is past the payment's.
        for_good: bool,
        /// Whether the chain holds something that contradicts a payment: a failed transaction, or a spent nonce
        /// without the transfer to us.
        contradicted: bool,
    },
    /// It could not be asked.
    Silent(String),
}

/// One kind of payment.
pub trait Scheme: Send + Sync {
    /// Asks whether the payment would settle. Nothing is broadcast.
    fn verify<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Verdict>;

    /// Settles the payment. It may be called once per claim that was taken, and repeats itself where its protocol says
    /// so.
    fn settle<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Settlement>;

    /// Asks the chain for the payment; `transaction` is one that is said to hold it.
    fn query<'a>(&'a self, claim: &'a Claim, transaction: Option<&'a str>) -> Step<'a, Chain>;

    /// Whether the scheme can take payments now: its facilitator answers, its circuit is closed.
    fn is_up(&self) -> bool;

    /// Why it cannot take payments, for the operator; `None` while it can.
    fn fault(&self) -> Option<String> {
        (!self.is_up()).then(|| "the rail does not answer".to_owned())
    }

    /// Withdraws the scheme for a while: somebody lied.
    fn withdraw(&self, why: &str);

    /// The newest block, or slot, that was seen.
    fn head(&self) -> u64;

    /// Who pays the fees, by the facilitator's word, where the payer's transaction names it; `None` elsewhere, and
    /// while it is not known.
    fn fee_payer(&self) -> Option<String> {
        None
    }
}
