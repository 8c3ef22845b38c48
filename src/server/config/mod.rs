//! What the server is told at its start, checked as a whole.
//!
//! The command line comes first, then the environment (which the command line reads for itself), then the file, then
//! the defaults. [`ServeFlags`] is what the first two say, [`RawFile`] what the file says.

mod file;
mod listen;

use std::fmt::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::payment::Mode;
use crate::payment::core::check::{Check, Fault};
use crate::payment::core::prices::Prices;
use crate::payment::core::secret::{SECRET_BYTES_MIN, SecretError};
use crate::payment::settings::{Secrets, Settings};
use crate::server::ServerOptions;
use crate::server::accept_loop::CONNECTIONS_MAX;
use crate::server::forwarded::Proxies;
use crate::server::rate::REQUESTS_PER_MINUTE;
use crate::server::tls::TlsFiles;
use crate::snapshot::manifest::Verification;
use crate::snapshot::mapped::Residence;

pub use file::{RawFile, RawTls};
pub use listen::{ListenAddress, ListenError};

/// Directory of snapshots, unless configured.
pub const SNAPSHOTS: &str = "snapshots";

/// Address for clients, unless configured.
pub const LISTEN: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080));

/// Configuration of `serve`.
#[derive(Debug, Clone)]
pub struct ServeConfig {
    /// Directory of snapshots, with `CURRENT` in it.
    pub snapshots: PathBuf,
    /// Whether the demo's snapshot is built where there is none. What is sold, and what somebody named, is not invented.
    pub builds_demo: bool,
    /// What is verified of the snapshot that is served at the start.
    pub verification: Verification,
    /// Where the bytes of snapshots are.
    pub residence: Residence,
    /// Where clients come.
    pub listen: ListenAddress,
    /// Where the operator comes.
    pub admin: Option<ListenAddress>,
    /// Open connections of clients.
    pub connections_max: usize,
    /// Certificate and key, where clients come over TLS.
    pub tls: Option<TlsFiles>,
    /// What requests share.
    pub options: ServerOptions,
    /// How payments are taken; `None` where nobody has to pay.
    pub payment: Option<Settings>,
}

/// What the command line and the environment ask for; what they do not name, the file or a default decides.
#[derive(Debug, Clone, Default)]
pub struct ServeFlags {
    /// The configuration file.
    pub config: Option<PathBuf>,
    /// Directory of snapshots.
    pub snapshots: Option<PathBuf>,
    /// Where clients come.
    pub listen: Option<ListenAddress>,
    /// Where the operator comes.
    pub admin: Option<ListenAddress>,
    /// Whether that may be one which others can reach.
    pub admin_public: bool,
    /// Payment mode.
    pub payments: Option<Mode>,
    /// Requests per minute and client; 0 counts nobody.
    pub requests_per_minute: Option<u32>,
    /// Whether clients on loopback are counted too.
    pub rate_loopback: Option<bool>,
    /// Whether the first snapshot is served without reading it through.
    pub skip_verification: bool,
    /// Whether snapshots are copied into memory instead of mapped.
    pub private_copy: Option<bool>,
}

/// Everything that is wrong with a configuration, a line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(at, fault)| {
            if at > 0 {
                f.write_char('\n')?;
            }
            write!(f, "{fault}")
        })
    }
}

/// A configuration that cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Nobody said how a public server is paid.
    #[error(
        "{0} is not a loopback address, so others can reach the paid routes, and no payment mode is named; say \
         --payments off to serve them for nothing, or name payment.mode in the configuration file"
    )]
    PaymentsNotNamed(SocketAddr),
    /// Metrics for everybody.
    #[error(
        "the operator's address {0} is not a loopback address, so others can read what this server does; listen on \
         127.0.0.1, or say that it is meant so with --admin-public (admin_public = true)"
    )]
    AdminPublic(SocketAddr),
    /// No connection at all.
    #[error("connections is 0, so nobody can be served; the default is {CONNECTIONS_MAX}")]
    NoConnections,
    /// Live payments without anything to be paid by.
    #[error("live payments need a configuration file with [payment]; name it with --config FILE")]
    LiveWithoutFile,
    /// The file cannot be read.
    #[error("the configuration {} cannot be read: {error}", path.display())]
    Unreadable {
        /// File.
        path: PathBuf,
        /// Cause.
        error: io::Error,
    },
    /// The file is not of the form that is read.
    #[error("the configuration {} cannot be understood: {reason}", path.display())]
    Malformed {
        /// File.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// Values that cannot be.
    #[error("the configuration cannot be served:\n{0}")]
    Faults(Faults),
    /// Secrets that cannot be read.
    #[error("the secrets of payment cannot be read:\n{0}")]
    Secrets(String),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes for the sandbox's secret: {0}")]
    NoEntropy(getrandom::Error),
}

impl From<Vec<Fault>> for ConfigError {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Faults(Faults(faults))
    }
}

impl ServeConfig {
    /// Reads the file if one is named, the secrets if payments are taken, and checks everything together.
    ///
    /// # Errors
    /// With everything that has to be changed.
    pub fn load(flags: ServeFlags) -> Result<Self, ConfigError> {
        let file = flags.config.as_deref().map(read).transpose()?;
        if mode(&flags, file.as_ref())? == Mode::Off {
            return Self::new(flags, file, Secrets::default(), [0; SECRET_BYTES_MIN]);
        }
        let secrets = Secrets::from_environment().map_err(|errors| unreadable(&errors))?;
        let mut entropy = [0; SECRET_BYTES_MIN];
        getrandom::fill(&mut entropy).map_err(ConfigError::NoEntropy)?;
        Self::new(flags, file, secrets, entropy)
    }

    /// Checks what is asked for. `entropy` becomes the key of a sandbox that has none.
    ///
    /// # Errors
    /// With everything that has to be changed.
    pub fn new(
        flags: ServeFlags,
        file: Option<RawFile>,
        secrets: Secrets,
        entropy: [u8; SECRET_BYTES_MIN],
    ) -> Result<Self, ConfigError> {
        let payments = mode(&flags, file.as_ref())?;
        if payments == Mode::Live && file.is_none() {
            return Err(ConfigError::LiveWithoutFile);
        }
        let file = file.unwrap_or_default();
        let listen = listen(&flags, &file);
        let admin = flags.admin.or(file.admin);
        if let Some(address) = admin.as_ref().and_then(ListenAddress::public)
            && !(flags.admin_public || file.admin_public.unwrap_or(false))
        {
            return Err(ConfigError::AdminPublic(address));
        }
        let connections_max = file.connections.unwrap_or(CONNECTIONS_MAX);
        if connections_max == 0 {
            return Err(ConfigError::NoConnections);
        }
        let (payment, prices) = if payments == Mode::Off {
            // What nobody has to pay by is not looked at: payments can always be switched off.
            let mut check = Check::new(false);
            let prices = Prices::new(file.payment.prices, &mut check);
            let faults = check.into_faults();
            if !faults.is_empty() {
                return Err(faults.into());
            }
            (None, prices)
        } else {
            let settings = Settings::new(&file.payment, payments, listen.foremost(), secrets, entropy)?;
            let prices = settings.prices;
            (Some(settings), prices)
        };
        let rate = flags.requests_per_minute.or(file.rate).unwrap_or(REQUESTS_PER_MINUTE.get());
        let options = ServerOptions {
            payments,
            prices,
            requests_per_minute: NonZeroU32::new(rate),
            rate_loopback: flags.rate_loopback.or(file.rate_loopback).unwrap_or(false),
            proxies: Proxies { trusted: file.trusted_proxies, header: file.forwarded_header },
            host: payment.as_ref().and_then(Settings::configured_host).map(str::to_owned),
            tls: file.tls.is_some(),
            ..ServerOptions::default()
        };
        let named = flags.snapshots.or(file.snapshots);
        let copied = flags.private_copy.or(file.private_copy).unwrap_or(false);
        Ok(Self {
            residence: if copied { Residence::Copied } else { Residence::Mapped },
            verification: if flags.skip_verification { Verification::Lengths } else { Verification::Once },
            builds_demo: named.is_none() && payments != Mode::Live,
            snapshots: named.unwrap_or_else(|| SNAPSHOTS.into()),
            listen,
            admin,
            connections_max,
            tls: file.tls.map(|RawTls { certificate, key }| TlsFiles { certificate, key }),
            options,
            payment,
        })
    }
}

fn read(path: &Path) -> Result<RawFile, ConfigError> {
    let text =
        fs::read_to_string(path).map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })?;
    RawFile::parse(&text).map_err(|reason| ConfigError::Malformed { path: path.to_owned(), reason })
}

fn unreadable(errors: &[SecretError]) -> ConfigError {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    ConfigError::Secrets(lines.join("\n"))
}

fn listen(flags: &ServeFlags, file: &RawFile) -> ListenAddress {
    flags.listen.as_ref().or(file.listen.as_ref()).cloned().unwrap_or_else(|| LISTEN.into())
}

/// How paid routes are paid. On a loopback address they are free unless said otherwise.
fn mode(flags: &ServeFlags, file: Option<&RawFile>) -> Result<Mode, ConfigError> {
    if let Some(mode) = flags.payments.or_else(|| file?.payment.mode) {
        return Ok(mode);
    }
    let listen = file.map_or_else(|| listen(flags, &RawFile::default()), |file| listen(flags, file));
    match listen.public() {
        None => Ok(Mode::Off),
        Some(address) => Err(ConfigError::PaymentsNotNamed(address)),
    }
}

#[cfg(test)]
mod tests;
