//! The tools that a configuration is checked with: by `settings` what all rails share, by each rail its own table.

use std::fmt;
use std::ops::RangeInclusive;

use super::claim::{PaymentProtocol, RailName};

/// Something in the configuration that has to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Path of the key, or the environment variable.
    pub key: String,
    /// What is wrong with it, and what to give instead.
    pub reason: String,
}

impl Fault {
    /// A fault of a key.
    pub fn new(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { key: key.into(), reason: reason.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.reason)
    }
}

/// Checks the keys of a configuration and keeps what is wrong so far: what a rail checks its own table with. Every key
/// is named by its whole path.
#[derive(Debug)]
pub struct Check {
    live: bool,
    faults: Vec<Fault>,
}

impl Check {
    /// A check that has found nothing yet.
    pub fn new(live: bool) -> Self {
        Self { live, faults: Vec::new() }
    }

    /// Everything that was found.
    pub fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// Whether payments are settled.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Notes what is wrong with a key, and what to give instead.
    pub fn fault(&mut self, key: &str, reason: impl Into<String>) {
        self.faults.push(Fault::new(key, reason));
    }

    /// The value of a key, read; `None` where it is missing or its fault is known now.
    pub fn read<T>(
        &mut self,
        key: &str,
        value: Option<&String>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        match read(value?) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.fault(key, reason);
                None
            }
        }
    }

    /// The same of a key that must be there.
    pub fn demand<T>(
        &mut self,
        key: &str,
        value: Option<&String>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        if value.is_none() {
            self.fault(key, "is missing: pricebook.example.toml describes this key");
        }
        self.read(key, value, read)
    }

    /// The same of a key that only a rail that settles needs; empty elsewhere.
    pub fn demand_live(
        &mut self,
        key: &str,
        value: Option<&String>,
        read: fn(&str) -> Result<String, String>,
    ) -> Option<String> {
        if self.live || value.is_some() { self.demand(key, value, read) } else { Some(String::new()) }
    }

    /// Refuses a payee who cannot be paid: one that nobody has a key to, and the token itself.
    pub fn payee(&mut self, key: &str, is_nobody: bool, is_token: bool) {
        if is_nobody {
            self.fault(key, "is an address without a known private key: give your own address");
        }
        if is_token {
            self.fault(key, "is the address of the token: give your own address");
        }
    }

    /// Protocols that a rail is offered by: all that it can do, unless it says otherwise.
    pub fn protocols(
        &mut self,
        rail: RailName,
        given: Option<&Vec<String>>,
        can: &[PaymentProtocol],
    ) -> Vec<PaymentProtocol> {
        let Some(given) = given else { return can.to_vec() };
        let key = format!("payment.rail.{rail}.protocols");
        let words: Vec<String> = can.iter().map(|protocol| format!("{:?}", protocol.as_str())).collect();
        let words = words.join(" and ");
        if given.is_empty() {
            self.fault(&key, format!("is empty: give {words}, or leave the rail out"));
        }
        let mut protocols = Vec::new();
        for word in given {
            match word.parse::<PaymentProtocol>().ok().filter(|protocol| can.contains(protocol)) {
                Some(protocol) if protocols.contains(&protocol) => {
                    self.fault(&key, format!("contains {word:?} twice"));
                }
                Some(protocol) => protocols.push(protocol),
                None => self
                    .fault(&key, format!("contains {word:?}, which {rail} does not support: give {words}")),
            }
        }
        protocols
    }

    /// A number within bounds.
    pub fn bounded(
        &mut self,
        key: &str,
        value: Option<u64>,
        default: u64,
        bounds: RangeInclusive<u64>,
    ) -> u64 {
        let value = value.unwrap_or(default);
        if !bounds.contains(&value) {
            let (min, max) = bounds.into_inner();
            self.fault(key, format!("is {value}: give a number from {min} to {max}"));
        }
        value
    }
}
