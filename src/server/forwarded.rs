//! The client of a request that a proxy passes on.
//!
//! Any client can send a forwarding header, so only the part that trusted proxies wrote counts. The chain of addresses
//! in the header is read from right to left, because each proxy appends the address of its own client. Reading ends at
//! the first address that is not a trusted proxy.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};
use ipnet::IpNet;
use serde::Deserialize;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Maximum number of addresses of a chain that are read, counted from the right. The others are ignored.
const HOPS_MAX: usize = 32;

/// A list of networks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Whether one of the networks contains this address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl TryFrom<Vec<String>> for Networks {
    type Error = String;

    fn try_from(networks: Vec<String>) -> Result<Self, String> {
        let parse = |text: &String| {
            let network = IpNet::from_str(text).or_else(|_| IpAddr::from_str(text).map(IpNet::from));
            network.map_err(|_| format!("{text:?} is neither an address nor a network such as 10.0.0.0/8"))
        };
        networks.iter().map(parse).collect::<Result<_, _>>().map(Self)
    }
}

/// The header in which proxies report the address of their client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardedHeader {
    /// `Forwarded` (RFC 7239).
    Forwarded,
    /// `X-Forwarded-For`.
    #[default]
    XForwardedFor,
}

/// The trusted proxies in front of this server. By default there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// Addresses and networks of the proxies.
    pub trusted: Networks,
    /// The header that they write. The other header may come from a client and is ignored.
    pub header: ForwardedHeader,
}

impl Proxies {
    /// The client of a request that came from the address `peer`: the rightmost address of the chain that is not a
    /// trusted proxy. An entry that is not an address ends the chain, and the proxy that wrote it is the client.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        if !self.trusted.contains(peer) {
            return client;
        }
        for hop in self.hops(headers).into_iter().rev() {
            let Some(address) = hop else { break };
            client = address;
            if !self.trusted.contains(address) {
                break;
            }
        }
        client
    }

    /// The last `HOPS_MAX` entries of the chain, from left to right; `None` for an entry that is not an address.
    fn hops(&self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let name = match self.header {
            ForwardedHeader::Forwarded => FORWARDED,
            ForwardedHeader::XForwardedFor => X_FORWARDED_FOR,
        };
        let lines = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default());
        let hops: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
        let hops = &hops[hops.len().saturating_sub(HOPS_MAX)..];
        hops.iter().map(|hop| self.address(hop)).collect()
    }

    fn address(&self, hop: &str) -> Option<IpAddr> {
        let node = match self.header {
            ForwardedHeader::XForwardedFor => hop,
            ForwardedHeader::Forwarded => hop.split(';').find_map(|pair| {
                let (name, value) = pair.trim().split_once('=')?;
                name.eq_ignore_ascii_case("for").then_some(value.trim_matches('"'))
            })?,
        };
        node_address(node)
    }
}

/// Parses the address of a node, which may be in brackets and may have a port.
fn node_address(node: &str) -> Option<IpAddr> {
    let bare = node.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(node);
    let address = bare.parse().ok().or_else(|| node.parse::<SocketAddr>().ok().map(|socket| socket.ip()))?;
    Some(IpAddr::to_canonical(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(header: ForwardedHeader) -> Proxies {
        let trusted = vec!["10.0.0.0/8".to_owned(), "2001:db8::1".to_owned()];
        Proxies { trusted: trusted.try_into().expect("networks"), header }
    }

    fn client(proxies: &Proxies, peer: &str, name: &'static str, lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name, line.parse().expect("a header"));
        }
        proxies.client(peer.parse().expect("an address"), &headers).to_string()
    }

    #[test]
    fn the_right_most_address_that_is_not_trusted_is_the_client() {
        let proxies = proxies(ForwardedHeader::XForwardedFor);
        for (peer, lines, whose) in [
            ("192.0.2.9", &["198.51.100.1"][..], "192.0.2.9"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.5, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.5", "198.51.100.1, 10.9.9.9"], "198.51.100.1"),
            ("10.0.0.1", &["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
            ("10.0.0.1", &["198.51.100.1, nonsense"], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
            ("2001:db8::1", &["[2001:db8:7::2]:80"], "2001:db8:7::2"),
        ] {
            assert_eq!(client(&proxies, peer, "x-forwarded-for", lines), whose, "{peer} {lines:?}");
        }
    }

    #[test]
    fn forwarded_is_read_as_its_rfc_says() {
        let proxies = proxies(ForwardedHeader::Forwarded);
        for (line, whose) in [
            ("for=198.51.100.1;proto=https, for=10.3.3.3", "198.51.100.1"),
            ("proto=http; For=\"[2001:db8:7::2]:4711\"", "2001:db8:7::2"),
            ("for=unknown", "10.0.0.1"),
            ("for=_hidden", "10.0.0.1"),
        ] {
            assert_eq!(client(&proxies, "10.0.0.1", "forwarded", &[line]), whose, "{line}");
        }
        assert_eq!(client(&proxies, "10.0.0.1", "x-forwarded-for", &["198.51.100.1"]), "10.0.0.1");
    }

    #[test]
    fn rejects_invalid_networks() {
        assert!(Networks::try_from(vec!["10.0.0.0/33".to_owned()]).is_err());
        assert!(Networks::try_from(vec!["proxy.example".to_owned()]).is_err());
    }
}
