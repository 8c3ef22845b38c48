//! Payment: for now only its mode and the prices.
//!
//! Every response names the mode in its `Payment-Mode` header. `sandbox` and `live` become variants of [`Mode`]
//! here, each with what it needs to make offers and to settle; the pipeline's payment step matches on the mode
//! and so does not compile until it knows what to do in each of them.

pub mod claim;
pub mod codec;
pub mod eip3009;
#[cfg(test)]
mod fixtures;
pub mod mpp;
pub mod net;
pub mod reference;
pub mod scheme;
pub mod secret;
pub mod settings;
pub mod solana;
pub mod tempo;
pub mod x402;

use std::fmt;
use std::str::FromStr;

use crate::domain::Cents;
use crate::query::endpoint::PriceClass;

/// How paid routes are paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Paid routes answer for nothing.
    Off,
}

/// What a request of a class costs, in US cents.
pub const fn usd(class: PriceClass) -> Cents {
    Cents::new(match class {
        PriceClass::Free => 0,
        PriceClass::Shopper | PriceClass::Marketing | PriceClass::Reference => 1,
        PriceClass::Analyst => 2,
        PriceClass::Deep => 5,
    })
}

/// A word that is no payment mode.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("payment mode {0:?} is not known: the only mode of this version is off")]
pub struct UnknownMode(String);

impl Mode {
    /// The word for it, on the command line and in the `Payment-Mode` header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
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
        match word {
            "off" => Ok(Self::Off),
            _ => Err(UnknownMode(word.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        assert_eq!(Mode::Off.to_string().parse(), Ok(Mode::Off));
        assert_eq!("free".parse::<Mode>(), Err(UnknownMode("free".into())));
    }
}
