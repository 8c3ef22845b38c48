//! The sandbox: payments that are checked like real ones and settled nowhere.
//!
//! It is always up and finds every payment good. Its settlements are kept in memory, so that it can say of each
//! payment whether it was made, as a chain would.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::payment::core::claim::{Claim, ClaimKey, Proof};
use crate::payment::core::scheme::{Chain, Scheme, Settlement, SignedPayment, Step, Verdict};

/// A rail without a chain.
#[derive(Debug, Default)]
pub struct Sandbox {
    settled: Mutex<BTreeSet<ClaimKey>>,
}

/// The transaction of a payment that has none.
fn transaction(claim: &Claim) -> String {
    format!("sandbox:{}", claim.key)
}

impl Scheme for Sandbox {
    fn verify<'a>(&'a self, _claim: &'a Claim, _order: &'a SignedPayment) -> Step<'a, Verdict> {
        Box::pin(async { Verdict::Valid })
    }

    fn settle<'a>(&'a self, claim: &'a Claim, _order: &'a SignedPayment) -> Step<'a, Settlement> {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner).insert(claim.key.clone());
        Box::pin(async { Settlement::Done(Some(transaction(claim))) })
    }

    fn query<'a>(&'a self, claim: &'a Claim, _transaction: Option<&'a str>) -> Step<'a, Chain> {
        let settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner).contains(&claim.key);
        let chain = if settled {
            Chain::Paid(Proof { transaction: transaction(claim), index: 0 })
        } else {
            Chain::Unpaid { for_good: false, contradicted: false }
        };
        Box::pin(async { chain })
    }

    fn is_up(&self) -> bool {
        true
    }

    fn withdraw(&self, _why: &str) {}

    fn head(&self) -> u64 {
        0
    }
}
