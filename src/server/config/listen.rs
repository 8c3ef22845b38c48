//! Addresses to listen on, as written in the configuration: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
//!
//! A name is resolved to all of its addresses, IPv4 first, because a client that connects to `localhost` may use `::1`
//! or `127.0.0.1`. A condition on the address is checked for each of them: for example, a payment mode is required if
//! other machines can reach any of them.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::str::FromStr;

use serde::Deserialize;

/// Addresses to listen on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ListenAddress {
    written: String,
    /// The addresses of the name. There is at least one.
    addresses: Vec<SocketAddr>,
}

/// Error of a text that is not an address to listen on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The text is not a host with a port.
    #[error("{0:?} is not an address: give host and port, as in 127.0.0.1:8080 or localhost:8080")]
    NoAddress(String),
    /// The name cannot be resolved.
    #[error("{written}: the name cannot be resolved ({error}); give an address, as in 127.0.0.1:8080")]
    Unresolved {
        /// The text as it is in the configuration.
        written: String,
        /// Error of the resolver.
        error: std::io::Error,
    },
}

impl ListenAddress {
    /// Every address, IPv4 first.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// An address that other machines can reach; `None` if all are loopback addresses.
    pub fn public(&self) -> Option<SocketAddr> {
        self.addresses.iter().copied().find(|address| !address.ip().to_canonical().is_loopback())
    }

    /// The address that represents all: the first that other machines can reach, or else the first of all.
    pub fn foremost(&self) -> SocketAddr {
        self.public().unwrap_or(self.addresses[0])
    }
}

impl From<SocketAddr> for ListenAddress {
    fn from(address: SocketAddr) -> Self {
        Self { written: address.to_string(), addresses: vec![address] }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl FromStr for ListenAddress {
    type Err = ListenError;

    fn from_str(text: &str) -> Result<Self, ListenError> {
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(address.into());
        }
        let unreadable = || ListenError::NoAddress(text.to_owned());
        let (name, port) = text.rsplit_once(':').ok_or_else(unreadable)?;
        let port: u16 = port.parse().map_err(|_| unreadable())?;
        // A colon in a name means an IPv6 address without its brackets.
        if name.is_empty() || name.contains([':', '/', '[', ']']) {
            return Err(unreadable());
        }
        let failed = |error| ListenError::Unresolved { written: text.to_owned(), error };
        let mut addresses: Vec<SocketAddr> = (name, port).to_socket_addrs().map_err(failed)?.collect();
        addresses.sort_by_key(|address| (address.is_ipv6(), *address));
        addresses.dedup();
        if addresses.is_empty() {
            return Err(failed(std::io::Error::other("it has no address")));
        }
        Ok(Self { written: text.to_owned(), addresses })
    }
}

impl TryFrom<String> for ListenAddress {
    type Error = ListenError;

    fn try_from(text: String) -> Result<Self, ListenError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ListenAddress, String> {
        text.parse().map_err(|error: ListenError| error.to_string())
    }

    #[test]
    fn an_address_is_itself() {
        for text in ["127.0.0.1:8080", "[::1]:0", "0.0.0.0:80", "[2001:db8::1]:443"] {
            let listen = read(text).expect(text);
            assert_eq!((listen.to_string(), listen.addresses().len()), (text.to_owned(), 1));
            assert_eq!(listen.public().is_none(), text.starts_with("127") || text.starts_with("[::1]"));
        }
    }

    #[test]
    fn a_name_means_all_of_its_addresses() {
        let listen = read("localhost:8080").expect("every machine has it");
        let addresses = listen.addresses();
        assert!(addresses.contains(&"127.0.0.1:8080".parse().expect("an address")), "{addresses:?}");
        assert!(addresses.is_sorted_by_key(SocketAddr::is_ipv6), "{addresses:?}");
        assert!(addresses.iter().all(|address| address.port() == 8080), "{addresses:?}");
        assert_eq!((listen.public(), listen.to_string()), (None, "localhost:8080".to_owned()));
        assert_eq!(listen.foremost(), addresses[0]);
    }

    #[test]
    fn one_address_that_others_reach_is_enough() {
        let addresses = ["127.0.0.1:80", "192.0.2.7:80"].map(|text| text.parse().expect("an address"));
        let listen = ListenAddress { written: "host:80".into(), addresses: addresses.to_vec() };
        assert_eq!((listen.public(), listen.foremost()), (Some(addresses[1]), addresses[1]));
    }

    #[test]
    fn suggests_an_example_for_invalid_addresses() {
        for text in
            ["", "localhost", "8080", ":8080", "localhost:", "localhost:http", "localhost:65536", "::1:80"]
        {
            assert!(read(text).is_err_and(|said| said.contains("localhost:8080")), "{text}");
        }
        let said = read("no-such-name.invalid:80").expect_err("nobody has it");
        assert!(said.starts_with("no-such-name.invalid:80: the name cannot be resolved"), "{said}");
    }
}
