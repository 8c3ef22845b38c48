//! The configuration file: its keys and their types. What is not a key is refused, so that a mistyped one is not one
//! that silently does nothing.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::listen::ListenAddress;
use crate::payment::settings::RawPayment;
use crate::server::forwarded::{ForwardedHeader, Networks};

/// What a configuration file says; everything in it may be left out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawFile {
    /// Where clients come.
    pub listen: Option<ListenAddress>,
    /// Directory of snapshots.
    pub snapshots: Option<PathBuf>,
    /// Where the operator comes.
    pub admin: Option<ListenAddress>,
    /// Whether that may be one which others can reach.
    pub admin_public: Option<bool>,
    /// Open connections of clients.
    pub connections: Option<usize>,
    /// Addresses and networks of the proxies that are believed.
    pub trusted_proxies: Networks,
    /// The header in which they tell whom they heard.
    pub forwarded_header: ForwardedHeader,
    /// `[tls]`.
    pub tls: Option<RawTls>,
    /// Requests per minute and client; 0 counts nobody.
    pub rate: Option<u32>,
    /// Whether clients on loopback are counted too.
    pub rate_loopback: Option<bool>,
    /// Whether snapshots are copied into memory instead of mapped.
    pub private_copy: Option<bool>,
    /// `[payment]`.
    pub payment: RawPayment,
    /// `[input]`, which a build reads (`build::mapping`) and a server passes over.
    pub input: Option<IgnoredAny>,
}

/// `[tls]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawTls {
    /// Chain of certificates as PEM.
    pub certificate: PathBuf,
    /// Private key as PEM.
    pub key: PathBuf,
}

impl RawFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// With what is wrong and where: the line of a text that is no TOML, else the path of the key. No line is
    /// repeated, since somebody may have written a secret into it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| 1 + before.matches('\n').count());
            format!("line {line} is no TOML: {}", error.message())
        })?;
        // Read from the table and not from the text, an error names the key.
        table.try_into().map_err(|error: toml::de::Error| error.to_string().trim().replace('\n', " "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::Mode;

    fn fault(text: &str) -> String {
        RawFile::parse(text).expect_err(text)
    }

    #[test]
    fn everything_may_be_left_out() {
        assert_eq!(RawFile::parse(""), Ok(RawFile::default()));
        let raw = RawFile::parse("rate = 5\n[payment]\nmode = \"sandbox\"\n").expect("a file");
        assert_eq!((raw.rate, raw.payment.mode), (Some(5), Some(Mode::Sandbox)));
    }

    #[test]
    fn what_a_build_reads_is_passed_over() {
        let text = "[input]\nseparator = \";\"\n[input.columns]\nplatform = \"Retailer\"\n[[input.source]]\nfiles = \"*\"";
        let raw = RawFile::parse(text).expect("a file");
        assert_eq!(RawFile { input: None, ..raw }, RawFile::default());
        assert!(fault("[inputs]\nseparator = \";\"").contains("unknown field `inputs`"));
    }

    #[test]
    fn a_fault_has_its_place() {
        for (text, part, place) in [
            ("lisen = 1", "unknown field `lisen`", ""),
            ("[payment.prices]\nshoper = 1", "unknown field `shoper`", "in `payment.prices`"),
            ("[payment.rail.base]\nsecret = \"hunter2\"", "unknown field `secret`", "in `payment.rail.base`"),
            ("[payment.rail.ethereum]", "unknown field `ethereum`", "in `payment.rail`"),
            ("[payment.prices]\ndeep = -1", "-1", "in `payment.prices.deep`"),
            ("[payment.prices]\ndeep = 0.05", "floating point", "in `payment.prices.deep`"),
            ("[payment]\nmode = \"free\"", "unknown variant `free`", "in `payment.mode`"),
            ("listen = \"here\"", "localhost:8080", "in `listen`"),
            ("rate = 4294967296", "u32", "in `rate`"),
        ] {
            let fault = fault(text);
            assert!(fault.contains(part) && fault.ends_with(place), "{text}: {fault}");
            assert!(!fault.contains("hunter2") && !fault.contains('\n'), "{fault}");
        }
    }

    #[test]
    fn what_is_no_toml_has_its_line() {
        for (text, line) in [("a = ", 1), ("rate = 5\n\n[payment\n", 3), ("rate = 1\nrate = 2", 2)] {
            let fault = fault(text);
            assert!(fault.starts_with(&format!("line {line} is no TOML: ")), "{text}: {fault}");
        }
        assert!(!fault("key = hunter2").contains("hunter2"));
    }
}
