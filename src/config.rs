//! What the server is told at its start, checked as a whole.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use crate::http::Options;
use crate::payment::Mode;

/// Configuration of `serve`.
#[derive(Debug, Clone)]
pub struct ServeConfig {
    /// Directory of snapshots, with `CURRENT` in it.
    pub snapshots: PathBuf,
    /// Address for clients.
    pub listen: SocketAddr,
    /// Address for the operator.
    pub admin: Option<SocketAddr>,
    /// What requests share.
    pub options: Options,
}

/// What `serve` was asked for, before it is checked.
#[derive(Debug, Clone)]
pub struct ServeWish {
    /// Directory of snapshots.
    pub snapshots: PathBuf,
    /// Address for clients.
    pub listen: SocketAddr,
    /// Address for the operator.
    pub admin: Option<SocketAddr>,
    /// Payment mode, if one was named.
    pub payments: Option<Mode>,
    /// Requests per minute and client; 0 counts nobody.
    pub requests_per_minute: u32,
    /// Whether clients on loopback are counted too.
    pub rate_loopback: bool,
}

/// A wish that cannot be granted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Nobody said that a public server gives its answers away.
    #[error(
        "{0} is not a loopback address, so others can reach the paid routes, and no payment mode is named; \
         say --payments off to serve them for nothing"
    )]
    PaymentsNotNamed(SocketAddr),
}

impl ServeConfig {
    /// Checks a wish. On a loopback address payments are off unless said otherwise.
    ///
    /// # Errors
    /// When the parts of the wish do not go together.
    pub fn new(wish: ServeWish) -> Result<Self, ConfigError> {
        let payments = match wish.payments {
            Some(mode) => mode,
            None if wish.listen.ip().to_canonical().is_loopback() => Mode::Off,
            None => return Err(ConfigError::PaymentsNotNamed(wish.listen)),
        };
        let options = Options {
            payments,
            requests_per_minute: NonZeroU32::new(wish.requests_per_minute),
            rate_loopback: wish.rate_loopback,
            ..Options::default()
        };
        Ok(Self { snapshots: wish.snapshots, listen: wish.listen, admin: wish.admin, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_given_away_in_public_only_when_said() {
        let check = |listen: &str, payments| {
            let wish = ServeWish {
                snapshots: "snapshots".into(),
                listen: listen.parse().expect("an address"),
                admin: None,
                payments,
                requests_per_minute: 0,
                rate_loopback: false,
            };
            ServeConfig::new(wish).map(|config| config.options.payments).ok()
        };
        assert_eq!(check("127.0.0.1:8080", None), Some(Mode::Off));
        assert_eq!(check("[::1]:8080", None), Some(Mode::Off));
        assert_eq!(check("0.0.0.0:8080", None), None);
        assert_eq!(check("[::]:8080", None), None);
        assert_eq!(check("0.0.0.0:8080", Some(Mode::Off)), Some(Mode::Off));
    }
}
