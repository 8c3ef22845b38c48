//! The rails: a folder for each, and the one table of them.
//!
//! [`Rail`] says what a rail has to know. [`evm`] has what several rails share and no other module needs. [`sandbox`]
//! settles for all of them where no money is to move, with a ledger in memory. `table!` makes the keys of
//! `[payment.rail]`, the names in the ledger, the variables of bearer tokens and what starts with the server.
//!
//! Code outside this folder does not name a rail. A stored name that no rail has is refused by name. `toy`, a rail
//! that only tests know, is configured, offered, paid and found again by its folder and its row in the table.

pub mod base;
pub mod channels;
pub mod evm;
pub mod sandbox;
pub mod solana;
pub mod tempo;
#[cfg(test)]
pub mod toy;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::payment::core::check::Check;
use crate::payment::core::claim::{ClaimKey, RailName};
use crate::payment::core::rail::{Rail, RailContext, RailKind};
use crate::payment::core::secret::Secret;
use crate::payment::protocols::mpp::MppCredential;
use crate::payment::protocols::x402::{Requirement, X402Payload};

/// A stored name that none of the rails has: the row was written by another version of the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the rail {0:?} is not known to this program")]
pub struct UnknownRail(pub String);

macro_rules! table {
    ($($(#[$when:meta])* $name:ident: $rail:ident;)+) => {
        /// `[payment.rail]`: a table of the file for each rail.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct RawRails {
            $(
                $(#[$when])*
                #[doc = concat!("`[payment.rail.", stringify!($name), "]`.")]
                pub $name: Option<<$name::$rail as Rail>::Raw>,
            )+
        }

        /// Every rail, as it is before it is configured.
        pub const KINDS: &[RailKind] = &[$($(#[$when])* $name::KIND,)+];

        // A rail is called like its table.
        $($(#[$when])* const _: () = assert!(is_same($name::KIND.name.as_str(), stringify!($name)));)+

        /// The key of a payment that x402 carried, whether or not its rail is configured.
        pub(in crate::payment) fn x402_key(accepted: &Requirement, payload: &X402Payload) -> Option<ClaimKey> {
            let keys = [$($(#[$when])* $name::$rail::x402_key(accepted, payload),)+];
            keys.into_iter().flatten().next()
        }

        /// The key of a payment that MPP carried, whether or not its rail is configured.
        pub(in crate::payment) fn mpp_key(credential: &MppCredential) -> Option<ClaimKey> {
            let keys = [$($(#[$when])* $name::$rail::mpp_key(credential),)+];
            keys.into_iter().flatten().next()
        }

        impl RawRails {
            /// Whether no rail is configured.
            pub fn is_empty(&self) -> bool {
                let configured = [$($(#[$when])* self.$name.is_some(),)+];
                !configured.contains(&true)
            }

            /// The rails that are offered, with what the environment gives them: bearer tokens, and the key of channels
            /// before the one that it took the place of. All that are configured are checked, also those that a sandbox leaves out.
            pub(in crate::payment) fn check(
                &self,
                check: &mut Check,
                bearers: &BTreeMap<RailName, Secret>,
                channel_keys: [Option<&Secret>; 2],
                price_max: u64,
                entropy: &[u8; 32],
            ) -> Vec<Arc<dyn Rail>> {
                let mut rails: Vec<Arc<dyn Rail>> = Vec::new();
                $($(#[$when])* {
                    let context = RailContext {
                        bearer: bearers.get(&$name::KIND.name).cloned(),
                        channel_key: channel_keys[0],
                        channel_key_previous: channel_keys[1],
                        entropy,
                        price_max,
                        before: &rails,
                    };
                    let configured =
                        self.$name.as_ref().and_then(|raw| $name::$rail::check(raw, &context, check));
                    let offered =
                        if check.is_live() { configured } else { $name::$rail::in_sandbox(configured) };
                    rails.extend(offered.map(|rail| Arc::new(rail) as Arc<dyn Rail>));
                })+
                rails
            }
        }
    };
}

// The table: name of the folder and of the table in the configuration, type. Its order is that in which offers are
// checked and told; preference is each rail's own word (`WayToPay::rank`).
table! {
    base: BaseRail;
    solana: SolanaRail;
    tempo: TempoRail;
    // Its terms are those of base, so it comes after that.
    channels: ChannelRail;
    #[cfg(test)]
    toy: ToyRail;
}

/// What is known of a rail.
///
/// # Panics
/// Never: names come from the table.
pub fn kind(name: RailName) -> &'static RailKind {
    KINDS.iter().find(|kind| kind.name == name).expect("names of rails come from the table")
}

/// The rail of a name that was stored.
///
/// # Errors
/// With the name, when there is none.
pub fn named(word: &str) -> Result<RailName, UnknownRail> {
    let found = KINDS.iter().map(|kind| kind.name).find(|name| name.as_str() == word);
    found.ok_or_else(|| UnknownRail(word.to_owned()))
}

/// Whether two texts are the same, before the program runs.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    one.len() == other.len() && at == one.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_are_found_again_or_refused_by_name() {
        for kind in KINDS {
            assert_eq!(named(kind.name.as_str()), Ok(kind.name));
        }
        for word in ["", "Base", "ripple", "base "] {
            let refused = named(word).expect_err(word);
            assert!(refused.to_string().contains(&format!("{word:?}")), "{refused}");
        }
    }

    /// These words stand in ledgers and receipts; another word for a rail loses its payments.
    #[test]
    fn words_that_are_stored_stay() {
        let stored: Vec<_> = KINDS.iter().map(|kind| (kind.name.as_str(), kind.mpp_method)).collect();
        assert_eq!(stored[..3], [("base", "evm"), ("solana", "solana"), ("tempo", "tempo")]);
    }
}
