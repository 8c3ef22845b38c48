//! The conditions that a payment is held against, as rails ask for them: the offer that it answers, the request that
//! it is for, and the clock.

use super::outcome::PaymentReason;
use super::reference::{self, ParsedReference};
use crate::payment::protocols::mpp::{self, AmountAsked, MppCharge, MppCredential};
use crate::payment::protocols::x402::Requirement;

/// Seconds that a payment must still be good for when it is presented.
pub const WINDOW_MIN_S: u64 = 6;

/// Seconds beyond the life of an offer that a payment may be good for.
pub const WINDOW_EXTRA_S: u64 = 120;

/// The offer as the client echoes it.
#[derive(Debug)]
pub enum EchoedOffer {
    /// A requirement of x402.
    X402 {
        /// The one that is paid.
        accepted: Requirement,
        /// URL of what is paid for, where the client says so.
        url: Option<String>,
    },
    /// A challenge of MPP.
    Mpp(MppCredential),
}

/// What a payment is held against.
pub struct Conditions<'a> {
    /// Keys of codes that are good, the newest first.
    pub secrets: Vec<&'a str>,
    /// Realm of our challenges.
    pub realm: &'a str,
    /// Seconds for which an offer can be paid.
    pub ttl_s: u64,
    /// Price of what is sold, in atomic USDC.
    pub price: u64,
    /// What is sold: path and canonical query.
    pub request: &'a str,
    /// Its URL.
    pub url: String,
    /// The offer as the client echoes it.
    pub echo: &'a EchoedOffer,
    /// What only the payer and this server know of the offer.
    pub reference: &'a str,
    /// Who pays the fees now, where the scheme names somebody.
    pub fee_payer: Option<&'a str>,
    /// Unix seconds.
    pub now: u64,
}

impl Conditions<'_> {
    /// Reads a code that was made here, for this sale at this price, and is still good.
    ///
    /// # Errors
    /// When it was not, or is over.
    pub fn bound(&self, label: &str, code: &str) -> Result<ParsedReference, PaymentReason> {
        let code = reference::parse(code).ok_or(PaymentReason::NotOurs)?;
        if !code.binds(&self.secrets, label, self.request, self.price) {
            return Err(PaymentReason::NotOurs);
        }
        if code.expiry < self.now { Err(PaymentReason::Expired) } else { Ok(code) }
    }

    /// Whether the challenge is one for this sale, on the terms of `charge`; `None` when there are none.
    ///
    /// # Errors
    /// When it is not, or is over.
    pub fn challenged(
        &self,
        challenge: &MppCredential,
        charge: Option<&MppCharge>,
    ) -> Result<(), PaymentReason> {
        let charge = charge.ok_or(PaymentReason::Terms)?;
        let ours = challenge.realm() == self.realm
            && challenge.method() == charge.method()
            && challenge.intent() == mpp::INTENT;
        if !ours || !challenge.opaque_binds(&self.secrets, self.request) {
            return Err(PaymentReason::NotOurs);
        }
        if charge.text() != challenge.request() {
            // What costs another amount by now is paid anew, as with x402: see `held`.
            let is_other = charge.amount() != challenge.request_as::<AmountAsked>().map(|asked| asked.amount);
            return Err(if is_other { PaymentReason::Amount } else { PaymentReason::Terms });
        }
        if challenge.expires < self.now { Err(PaymentReason::Expired) } else { Ok(()) }
    }

    /// Whether a payment can be used for long enough, and not for too long.
    ///
    /// # Errors
    /// When it cannot.
    pub fn open_for(&self, valid_before: u64) -> Result<(), PaymentReason> {
        if valid_before < self.now + WINDOW_MIN_S {
            return Err(PaymentReason::Expired);
        }
        let end = self.now + self.ttl_s + WINDOW_EXTRA_S;
        if valid_before > end { Err(PaymentReason::Terms) } else { Ok(()) }
    }

    /// Whether a payment can be used already; one that cannot waits in front of everybody's place for its time.
    ///
    /// # Errors
    /// When it cannot.
    pub fn open_since(&self, valid_after: u64) -> Result<(), PaymentReason> {
        if valid_after > self.now { Err(PaymentReason::Terms) } else { Ok(()) }
    }

    /// Whether the resource that the client names, if it names one, is this one.
    ///
    /// # Errors
    /// When it is another.
    pub fn same_url(&self, url: Option<&str>) -> Result<(), PaymentReason> {
        match url {
            Some(url) if url != self.url => Err(PaymentReason::NotOurs),
            _ => Ok(()),
        }
    }
}

/// Whether the echoed offer has the terms of ours: equal but for `extra`, and of that whatever we advertise.
///
/// # Errors
/// When it has others.
pub fn held(accepted: &Requirement, ours: &Requirement) -> Result<(), PaymentReason> {
    if accepted.amount != ours.amount {
        return Err(PaymentReason::Amount);
    }
    let advertised = |ours: &Option<String>, echoed: &Option<String>| ours.is_none() || ours == echoed;
    // The case of an address on an EVM chain is a checksum and means nothing.
    let address = |ours: &str, echoed: &str| {
        ours == echoed || (ours.starts_with("0x") && ours.eq_ignore_ascii_case(echoed))
    };
    let same = accepted.scheme == ours.scheme
        && accepted.network == ours.network
        && address(&ours.asset, &accepted.asset)
        && address(&ours.pay_to, &accepted.pay_to)
        && accepted.max_timeout_seconds == ours.max_timeout_seconds
        && advertised(&ours.extra.name, &accepted.extra.name)
        && advertised(&ours.extra.version, &accepted.extra.version)
        && advertised(&ours.extra.fee_payer, &accepted.extra.fee_payer);
    if same { Ok(()) } else { Err(PaymentReason::Terms) }
}
