//! The sandbox: payments that are checked and never settled.
//!
//! It is always up, finds every payment good and settles it in no transaction. What it says of the chain is that nothing
//! is there, which is true: whoever uses it must take its settlements for final, and never ask.

use crate::payment::claim::Claim;
use crate::payment::scheme::{Chain, Order, Scheme, Settlement, Step, Verdict};

/// A rail without a chain.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sandbox;

impl Scheme for Sandbox {
    fn verify<'a>(&'a self, _claim: &'a Claim, _order: &'a Order) -> Step<'a, Verdict> {
        Box::pin(async { Verdict::Valid })
    }

    fn settle<'a>(&'a self, _claim: &'a Claim, _order: &'a Order) -> Step<'a, Settlement> {
        Box::pin(async { Settlement::Done(None) })
    }

    fn look<'a>(&'a self, _claim: &'a Claim, _transaction: Option<&'a str>) -> Step<'a, Chain> {
        Box::pin(async { Chain::Unpaid { for_good: false, contradicted: false } })
    }

    fn is_up(&self) -> bool {
        true
    }

    fn withdraw(&self, _why: &str) {}

    fn head(&self) -> u64 {
        0
    }
}
