//! Which host a request is for (RFC 9112, section 3.2).

use std::net::IpAddr;

use hyper::Version;
use hyper::header::{HOST, ORIGIN};
use hyper::http::uri::Authority;

use super::problem::Problem;
use super::visit::Visit;
use crate::query::params::BadParameter;

/// Refuses a request of HTTP/1.1 that names no host or two, and one that is for another host than `own`, the name by
/// which clients know this server, if it has one.
pub(super) fn check(visit: &Visit, own: Option<&str>) -> Result<(), Problem> {
    let refused = |reason: &str| Err(Problem::bad_parameters(vec![BadParameter::new("host", reason)]));
    let mut named = visit.headers.get_all(HOST).iter();
    let host = match (named.next(), named.next()) {
        (_, Some(_)) => return refused("is named twice; send one Host header"),
        (None, None) if visit.version == Version::HTTP_11 => {
            return refused("is not named; send a Host header");
        }
        (host, None) => host.and_then(|host| host.to_str().ok()),
    };
    // An absolute target goes before the header.
    let asked = visit.uri.authority().map(Authority::as_str).or(host);
    let (Some(own), Some(asked)) = (own, asked) else { return Ok(()) };
    if is_ours(visit, without_port(asked), Some(own)) {
        return Ok(());
    }
    refused(&format!("is another than this server's; ask {own}"))
}

/// Whether this server may listen to the page that sent the request, where that matters: no page did, or one of this
/// server, or one of the machine that both are on. A page elsewhere can make a browser believe that its name is this
/// machine (DNS rebinding); its `Origin` says the name all the same.
pub(super) fn allows_origin(visit: &Visit, own: Option<&str>) -> bool {
    let mut named = visit.headers.get_all(ORIGIN).iter();
    match (named.next(), named.next()) {
        (None, _) => true,
        (Some(_), Some(_)) => false,
        (Some(origin), None) => {
            let page =
                origin.to_str().ok().and_then(|origin| Some(without_port(origin.split_once("://")?.1)));
            page.is_some_and(|page| is_ours(visit, page, own))
        }
    }
}

/// Whether a name is this server's: its own, or any of loopback for a client on loopback.
fn is_ours(visit: &Visit, name: &str, own: Option<&str>) -> bool {
    let is_near = visit.peer.address.to_canonical().is_loopback() && is_loopback(name);
    is_near || own.is_some_and(|own| name.eq_ignore_ascii_case(own))
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_part_of_a_name() {
        for (authority, host) in [
            ("prices.example", "prices.example"),
            ("prices.example:8080", "prices.example"),
            ("[2001:db8::1]:8080", "[2001:db8::1]"),
            ("[2001:db8::1]", "[2001:db8::1]"),
        ] {
            assert_eq!(without_port(authority), host);
        }
    }

    #[test]
    fn loopback_has_names() {
        for host in ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.evil.example", "192.0.2.1", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
