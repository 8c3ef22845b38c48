//! Configuration of the server, checked as a whole.
//!
//! The command line takes precedence over the environment (which the command line parser reads), the environment over
//! the file, and the file over the defaults. [`ServeFlags`] contains the values of the command line and the
//! environment, [`RawFile`] those of the file.

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

/// Default directory of snapshots.
pub const SNAPSHOTS: &str = "snapshots";

/// Default address for clients.
pub const LISTEN: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080));

/// Configuration of `serve`.
#[derive(Debug, Clone)]
pub struct ServeConfig {
    /// Directory of snapshots, with `CURRENT` in it.
    pub snapshots: PathBuf,
    /// Whether the demo snapshot is built if there is no snapshot. It is not built if payments are live or if the
    /// directory was configured.
    pub builds_demo: bool,
    /// Verification of the snapshot that is served first.
    pub verification: Verification,
    /// Location of the bytes of snapshots: mapped files or memory.
    pub residence: Residence,
    /// Address for clients.
    pub listen: ListenAddress,
    /// Admin address.
    pub admin: Option<ListenAddress>,
    /// Maximum number of open connections of clients.
    pub connections_max: usize,
    /// Certificate and key, if clients connect over TLS.
    pub tls: Option<TlsFiles>,
    /// Options of the request pipeline.
    pub options: ServerOptions,
    /// Payment settings; `None` if payments are off.
    pub payment: Option<Settings>,
}

/// Values of the command line and the environment. Values that are not set come from the file or the defaults.
#[derive(Debug, Clone, Default)]
pub struct ServeFlags {
    /// The configuration file.
    pub config: Option<PathBuf>,
    /// Directory of snapshots.
    pub snapshots: Option<PathBuf>,
    /// Address for clients.
    pub listen: Option<ListenAddress>,
    /// Admin address.
    pub admin: Option<ListenAddress>,
    /// Whether the admin address may be reachable from other machines.
    pub admin_public: bool,
    /// Payment mode.
    pub payments: Option<Mode>,
    /// Requests per minute and client. 0 turns the limit off.
    pub requests_per_minute: Option<u32>,
    /// Whether `requests_per_minute` applies to clients on loopback too.
    pub rate_loopback: Option<bool>,
    /// Whether the first snapshot is served without verifying its bytes.
    pub skip_verification: bool,
    /// Whether snapshots are copied into memory instead of mapped.
    pub private_copy: Option<bool>,
}

/// All errors of a configuration. They are printed one per line.
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

/// Error of a configuration with which the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The address is public and no payment mode is set.
    #[error(
        "{0} is not a loopback address, so other machines can reach the paid routes, and no payment mode is set; use \
         --payments off to serve them free of charge, or set payment.mode in the configuration file"
    )]
    PaymentsNotNamed(SocketAddr),
    /// The admin address is public, so everybody could read the metrics.
    #[error(
        "the admin address {0} is not a loopback address, so other machines can read the metrics and the state of this \
         server; listen on 127.0.0.1, or allow it with --admin-public (admin_public = true)"
    )]
    AdminPublic(SocketAddr),
    /// The maximum number of connections is 0.
    #[error("connections is 0, so no client can connect; set it to 1 or more (default: {CONNECTIONS_MAX})")]
    NoConnections,
    /// The mode is live and there is no configuration file with payment settings.
    #[error("live payments need a configuration file with [payment]; name it with --config FILE")]
    LiveWithoutFile,
    /// The file cannot be read.
    #[error("the configuration {} cannot be read: {error}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// The file is not TOML, or a key or value is not valid.
    #[error("the configuration {} is not valid: {reason}", path.display())]
    Malformed {
        /// Path of the file.
        path: PathBuf,
        /// Description and place of the error.
        reason: String,
    },
    /// Values that are not valid.
    #[error("the configuration is not valid:\n{0}")]
    Faults(Faults),
    /// Secrets that cannot be read.
    #[error("the payment secrets cannot be read:\n{0}")]
    Secrets(String),
    /// The system provides no random bytes.
    #[error("the sandbox secret cannot be generated, because the system provides no random bytes: {0}")]
    NoEntropy(getrandom::Error),
}

impl From<Vec<Fault>> for ConfigError {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Faults(Faults(faults))
    }
}

impl ServeConfig {
    /// Reads the file, if a file is named, and the secrets, if payments are on. Then checks all settings together.
    ///
    /// # Errors
    /// Returns an error if the file or a secret cannot be read, or if the configuration is not valid. The error lists
    /// every fault of the payment settings.
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

    /// Checks the configuration. `entropy` becomes the secret of a sandbox for which no secret is set.
    ///
    /// # Errors
    /// Returns an error if the configuration is not valid. The error lists every fault of the payment settings.
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
            // Only prices are checked, not the other payment settings, so payments can always be switched off.
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

/// The payment mode. On a loopback address it is `Off` unless configured.
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
