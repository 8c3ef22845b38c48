//! Forms of single values that every rail has: URLs. Each is read or refused with what to give instead.

use std::net::{IpAddr, SocketAddr};

use hyper::Uri;

/// A URL of the web, taken apart.
struct Web {
    uri: Uri,
    host: String,
}

/// Takes a URL apart. What is wrong with it is said without repeating it: it may hold a key.
fn web(text: &str) -> Result<Web, String> {
    let refused = |why: &str| Err(format!("{why}; give a URL such as https://api.example.net"));
    let Ok(uri) = text.parse::<Uri>() else { return refused("is not a URL") };
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return refused("is not an http or https URL");
    }
    let Some(authority) = uri.authority() else { return refused("has no host") };
    if authority.as_str().contains('@') {
        return refused("contains a user name, and secrets are read from the environment only");
    }
    let after_host = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
    if !after_host.is_empty() && authority.port_u16().is_none_or(|port| port == 0) {
        return refused("has an invalid port");
    }
    if text.contains('#') {
        return refused("has a fragment");
    }
    let host = authority.host().to_ascii_lowercase();
    if host.is_empty() {
        return refused("has no host");
    }
    Ok(Web { uri, host })
}

/// Whether a host is this machine.
fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Longest URL that clients reach the server by: it stands in every offer, and its host in each line of one, and all of
/// them have to fit into the headers of one answer.
pub const PUBLIC_URL_BYTES_MAX: usize = 80;

/// The URL that clients reach the server by, and its host.
pub(in crate::payment) fn public_url(text: &str) -> Result<(String, String), String> {
    if text.len() > PUBLIC_URL_BYTES_MAX {
        return Err(format!(
            "has {} bytes: give a URL of at most {PUBLIC_URL_BYTES_MAX} bytes; every offer contains this URL",
            text.len()
        ));
    }
    let Web { uri, host } = web(text)?;
    if uri.query().is_some() || uri.path() != "/" {
        return Err("has a path or a query: give scheme, host and port only".into());
    }
    let scheme = uri.scheme_str().unwrap_or_default();
    if scheme == "http" && !is_loopback(&host) {
        return Err("is not encrypted: give an https URL; http is allowed only for loopback hosts".into());
    }
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    Ok((format!("{scheme}://{host}{port}"), host))
}

/// The base URL of a service, to which paths are added: without a slash at its end.
pub(in crate::payment) fn service_url(text: &str) -> Result<String, String> {
    if web(text)?.uri.query().is_some() {
        return Err("has a query: give the base URL of /verify and /settle".into());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// The base URL of a service that is sent a token, which nobody between may read.
pub(in crate::payment) fn token_url(text: &str) -> Result<String, String> {
    let Web { uri, host } = web(text)?;
    if uri.scheme_str() == Some("http") && !is_loopback(&host) {
        return Err("is not encrypted, and the bearer token could be read in transit: give an https URL, or remove the \
                    token"
            .into());
    }
    service_url(text)
}

/// A URL that is used as it stands.
pub(in crate::payment) fn exact_url(text: &str) -> Result<String, String> {
    web(text).map(|_| text.to_owned())
}

/// The URL of a socket of this machine.
pub(in crate::payment) fn own_url(address: SocketAddr) -> String {
    format!("http://{address}")
}

/// The host of that URL.
pub(in crate::payment) fn own_realm(address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_urls_are_a_host_and_nothing_else() {
        for (text, url, realm) in [
            ("https://api.example.net", "https://api.example.net", "api.example.net"),
            ("https://API.example.net/", "https://api.example.net", "api.example.net"),
            ("https://api.example.net:8443", "https://api.example.net:8443", "api.example.net"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1"),
            ("http://localhost:1", "http://localhost:1", "localhost"),
            ("http://[::1]:8080", "http://[::1]:8080", "[::1]"),
        ] {
            assert_eq!(public_url(text), Ok((url.to_owned(), realm.to_owned())), "{text}");
        }
        for text in [
            "",
            "api.example.net",
            "/v1",
            "ftp://api.example.net",
            "http://api.example.net",
            "http://127.0.0.1.example.net",
            "http://localhost.example.net",
            "https://api.example.net/v1",
            "https://api.example.net?a=b",
            "https://api.example.net#a",
            "https://user@api.example.net",
            "https://api.example.net:",
            "https://api.example.net:70000",
            "https://",
            "https://api example.net",
            &format!("https://{}.net", "a".repeat(PUBLIC_URL_BYTES_MAX)),
        ] {
            assert!(public_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn omits_url_contents_from_faults() {
        for text in ["https://user:hunter2@rpc.example.net", "wss://rpc.example.net/hunter2", "hunter2 "] {
            assert!(exact_url(text).is_err_and(|reason| !reason.contains("hunter2")), "{text}");
        }
        assert_eq!(service_url("http://facilitator:4022/x402/"), Ok("http://facilitator:4022/x402".into()));
        assert!(service_url("http://facilitator:4022/?a=b").is_err());
        assert!(token_url("http://facilitator:4022").is_err_and(|fault| fault.contains("bearer token")));
        for url in ["https://facilitator:4022", "http://127.0.0.1:4022"] {
            assert_eq!(token_url(url).as_deref(), Ok(url));
        }
        assert_eq!(exact_url("https://rpc.example.net/?key=a"), Ok("https://rpc.example.net/?key=a".into()));
    }

    #[test]
    fn a_socket_has_a_url() {
        for text in ["127.0.0.1:8080", "[::1]:9"] {
            let address: SocketAddr = text.parse().expect("an address");
            assert_eq!(public_url(&own_url(address)), Ok((own_url(address), own_realm(address))));
        }
    }
}
