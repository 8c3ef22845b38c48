//! Addresses to listen on, as people write them: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
//!
//! A name means every address that it has on this machine, IPv4 first: whoever asks for `localhost` may come to `::1` or to
//! `127.0.0.1`. What holds of addresses (that payments are named where others can reach them) has to hold of each.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::str::FromStr;

use serde::Deserialize;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ListenAddress {
    written: String,
    /// At least one.
    addresses: Vec<SocketAddr>,
}

/// What is no place to listen at.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// It is not of the form.
    #[error("{0:?} is no address: give host and port, as in 127.0.0.1:8080 or localhost:8080")]
    NoAddress(String),
    /// Nobody knows the name.
    #[error("{written}: the name cannot be resolved ({error}); give an address, as in 127.0.0.1:8080")]
    Unresolved {
        /// As it is written.
        written: String,
        /// Cause.
        error: std::io::Error,
    },
}

impl ListenAddress {
    /// Every address, IPv4 first.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// An address that others than this machine can reach; `None` where all are loopback.
    pub fn public(&self) -> Option<SocketAddr> {
        self.addresses.iter().copied().find(|address| !address.ip().to_canonical().is_loopback())
    }

    /// The address that stands for all: one that others can reach, else the first.
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
        // A colon in a name is an address of IPv6 without its brackets.
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
    fn what_is_no_address_says_what_to_write() {
        for text in
            ["", "localhost", "8080", ":8080", "localhost:", "localhost:http", "localhost:65536", "::1:80"]
        {
            assert!(read(text).is_err_and(|said| said.contains("localhost:8080")), "{text}");
        }
        let said = read("no-such-name.invalid:80").expect_err("nobody has it");
        assert!(said.starts_with("no-such-name.invalid:80: the name cannot be resolved"), "{said}");
    }
}
