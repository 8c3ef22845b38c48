//! Checks of the host of a request (RFC 9112, section 3.2) and of its origin.

use std::net::{IpAddr, Ipv6Addr};

use hyper::Version;
use hyper::header::{HOST, ORIGIN};
use hyper::http::uri::Authority;

use super::problem::Problem;
use super::request_context::RequestContext;
use crate::query::params::BadParameter;

/// Refuses an HTTP/1.1 request without a `Host` header, a request with two of them, and a request whose host is not
/// valid. If this server has a configured name (`own`), a request for another host is refused too. Clients on loopback
/// may always use a loopback name.
pub(super) fn check(context: &RequestContext, own: Option<&str>) -> Result<(), Problem> {
    let refused = |reason: &str| Err(Problem::bad_parameters(vec![BadParameter::new("host", reason)]));
    let mut named = context.headers.get_all(HOST).iter();
    let host = match (named.next(), named.next()) {
        (_, Some(_)) => return refused("is given more than once; send one Host header"),
        (None, None) if context.version == Version::HTTP_11 => {
            return refused("is missing; send a Host header");
        }
        (host, None) => host.map(|host| host.to_str().unwrap_or(NO_HOST)),
    };
    let target = context.uri.authority().map(Authority::as_str);
    if ![host, target].into_iter().flatten().all(is_host) {
        return refused("is not a valid host; send a name or an address, with an optional port");
    }
    // The authority of an absolute target takes precedence over the header.
    let asked = target.or(host);
    let (Some(own), Some(asked)) = (own, asked) else { return Ok(()) };
    if is_ours(context, without_port(asked), Some(own)) {
        return Ok(());
    }
    refused(&format!("is not the host of this server; use {own}"))
}

/// Value used instead of a `Host` field with non-ASCII characters. It is not a valid host.
const NO_HOST: &str = "\u{FFFD}";

/// Whether a text has the form of a `Host` field (RFC 9110, section 7.2): a name, which may be empty, or an address
/// (IPv6 in brackets), with an optional port. User information is not allowed.
fn is_host(text: &str) -> bool {
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(rest) = text.strip_prefix('[') {
        let Some((address, after)) = rest.split_once(']') else { return false };
        let is_end = after.is_empty() || after.strip_prefix(':').is_some_and(is_port);
        return is_end && address.parse::<Ipv6Addr>().is_ok();
    }
    let (name, port) = text.split_once(':').unwrap_or((text, ""));
    is_port(port) && is_registered_name(name)
}

/// Whether a text is a `reg-name` of RFC 3986 (section 3.2.2). IPv4 addresses match it too.
fn is_registered_name(name: &str) -> bool {
    let mut parts = name.split('%');
    let is_plain = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte))
    };
    let is_escape = |part: &str| part.len() >= 2 && part.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    parts.next().is_none_or(is_plain) && parts.all(|part| is_escape(part) && is_plain(part))
}

/// Whether the origin of a request is allowed. It is allowed if there is no `Origin` header or the header names this
/// server. A loopback name is allowed only for a client on loopback. A page of another site can make a browser resolve
/// the page's name to this machine (DNS rebinding), but the `Origin` that the browser sends still contains that name.
pub(super) fn allows_origin(context: &RequestContext, own: Option<&str>) -> bool {
    let mut named = context.headers.get_all(ORIGIN).iter();
    match (named.next(), named.next()) {
        (None, _) => true,
        (Some(_), Some(_)) => false,
        (Some(origin), None) => {
            let page =
                origin.to_str().ok().and_then(|origin| Some(without_port(origin.split_once("://")?.1)));
            page.is_some_and(|page| is_ours(context, page, own))
        }
    }
}

/// Whether a name is this server's: its own name, or any loopback name for a client on loopback.
fn is_ours(context: &RequestContext, name: &str, own: Option<&str>) -> bool {
    let is_near = context.peer.address.to_canonical().is_loopback() && is_loopback(name);
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
    fn strips_port_from_host() {
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
    fn hosts_have_a_form() {
        for host in [
            "",
            ":80",
            "a",
            "localhost:8080",
            "prices.example",
            "prices.example:",
            "127.0.0.1:80",
            "[::1]",
            "[2001:db8::1]:8080",
            "caf%C3%A9.example",
            "a_b~c!$&'()*+,;=",
        ] {
            assert!(is_host(host), "{host}");
        }
        for host in [
            "a/b c", "a b", "a/b", "a?b", "a#b", "a@b", "a:b", "a:80:80", "::1", "[::1", "[::1]80", "[a]",
            "[]", "a]", "%", "a%2", "a%zz", "a\"b", "a<b", "a\\b", "a^b", "{a}", "a|b", NO_HOST,
        ] {
            assert!(!is_host(host), "{host}");
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
