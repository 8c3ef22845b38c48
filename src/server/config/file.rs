//! The configuration file: its keys and their types. An unknown key is an error, so that a mistyped key is not
//! ignored silently.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::listen::ListenAddress;
use crate::payment::settings::RawPayment;
use crate::server::forwarded::{ForwardedHeader, Networks};

/// Content of a configuration file. Every key is optional.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawFile {
    /// Address for clients.
    pub listen: Option<ListenAddress>,
    /// Directory of snapshots.
    pub snapshots: Option<PathBuf>,
    /// Admin address.
    pub admin: Option<ListenAddress>,
    /// Whether the admin address may be reachable from other machines.
    pub admin_public: Option<bool>,
    /// Maximum number of open connections of clients.
    pub connections: Option<usize>,
    /// Addresses and networks of trusted proxies.
    pub trusted_proxies: Networks,
    /// The header in which trusted proxies report the client.
    pub forwarded_header: ForwardedHeader,
    /// The `[tls]` section.
    pub tls: Option<RawTls>,
    /// Requests per minute and client. 0 turns the limit off.
    pub rate: Option<u32>,
    /// Whether `rate` applies to clients on loopback too.
    pub rate_loopback: Option<bool>,
    /// Whether snapshots are copied into memory instead of mapped.
    pub private_copy: Option<bool>,
    /// The `[payment]` section.
    pub payment: RawPayment,
    /// The `[input]` section, which a build reads (`ingest::mapping`) and a server ignores.
    pub input: Option<IgnoredAny>,
}

/// The `[tls]` section.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawTls {
    /// File with the certificate chain as PEM.
    pub certificate: PathBuf,
    /// File with the private key as PEM.
    pub key: PathBuf,
}

impl RawFile {
    /// Reads the text of a configuration file.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML (with the number of the line) or if a key or value is not valid (with
    /// the path of the key). The text of the line is not repeated, because it may contain a secret.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| 1 + before.matches('\n').count());
            format!("line {line} is not valid TOML: {}", error.message())
        })?;
        // Deserializing the table instead of the text gives errors that name the key.
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
    fn ignores_the_input_section_used_by_builds() {
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
    fn reports_the_line_of_invalid_toml() {
        for (text, line) in [("a = ", 1), ("rate = 5\n\n[payment\n", 3), ("rate = 1\nrate = 2", 2)] {
            let fault = fault(text);
            assert!(fault.starts_with(&format!("line {line} is not valid TOML: ")), "{text}: {fault}");
        }
        assert!(!fault("key = hunter2").contains("hunter2"));
    }
}
