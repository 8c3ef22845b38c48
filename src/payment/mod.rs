//! Payment: how paid routes are paid, what they cost, and what the operator decides about both.
//!
//! ```text
//!            present          known              check          processor (a task of its own)
//! headers ─▶ Credential ─▶ state of claim ───▶ Claim ───▶ claim · verify · work · store answer · settle · chain query
//!            signature,    200 402 409 410 503  terms, amount,                                                │
//!            HMAC          or: not known        window, reference        PaymentOutcome ◀── verdict of the chain
//!                                                              reconciler ─▶ every claim that is still in doubt
//! ```
//!
//! | module | holds | never holds |
//! |---|---|---|
//! | `core` | a payment from headers to answer, payment channels, the trait of a rail | a rail's name |
//! | [`protocols`] | how x402 and MPP write offers, payments and receipts | a decision |
//! | [`rails`] | a folder per rail, and the one table of rails | a status, an order of steps |
//! | [`net`] | HTTP and JSON-RPC clients, facilitators, chain nodes, health | what counts as paid |
//! | [`ledger`] | claims and answers in SQLite, reports, audits, backups | a rule of payment |
//! | [`settings`] | what the operator decided, checked as a whole | a rail's own keys |
//!
//! Two traits are the seams. A [`Rail`](crate::payment::core::rail::Rail) is one way over which money comes. A
//! [`ClaimStore`](crate::payment::core::claim::ClaimStore) keeps claims, and a `ChannelStore` payment channels; a
//! shared database would take the ledger's place before a second server settles. `server::paying` turns outcomes into
//! responses. `docs/rails.md` says how to write a rail.
//!
//! Every response names the [`Mode`] in its `Payment-Mode` header.

pub mod core;
#[cfg(test)]
mod decoder_tests;
pub mod ledger;
#[cfg(test)]
#[path = "../../tests/it/support/mutate.rs"]
#[allow(unreachable_pub, dead_code)]
mod mutate;
pub mod net;
pub mod protocols;
pub mod rails;
pub mod settings;
pub mod start;

use std::fmt;
use std::str::FromStr;

/// How paid routes are paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Paid routes answer for nothing.
    Off,
    /// Payments are checked as real ones are, with test money, and never settled.
    Sandbox,
    /// Payments are settled.
    Live,
}

/// A word that is no payment mode.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("payment mode {0:?} is not known: give off, sandbox or live")]
pub struct UnknownMode(String);

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Off, Self::Sandbox, Self::Live];

    /// The word for it, on the command line, in the configuration and in the `Payment-Mode` header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Sandbox => "sandbox",
            Self::Live => "live",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(word: &str) -> Result<Self, UnknownMode> {
        let named = Self::ALL.into_iter().find(|mode| mode.as_str() == word);
        named.ok_or_else(|| UnknownMode(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for mode in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        for word in ["free", "Live", ""] {
            assert_eq!(word.parse::<Mode>(), Err(UnknownMode(word.into())));
        }
    }
}
