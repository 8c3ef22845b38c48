//! Forms of single values: addresses, names of networks, URLs. Each is read or refused with what to give instead.

use std::net::{IpAddr, SocketAddr};

use alloy_primitives::Address;
use hyper::Uri;

/// Digits of an EVM address after its `0x`.
const EVM_DIGITS: usize = 40;
/// Bytes of a Solana address.
const SOLANA_BYTES: usize = 32;
/// Characters of the second part of a CAIP-2 name.
const CAIP2_REFERENCE_CHARS_MAX: usize = 32;

/// An address of an EVM chain. One in mixed case must have the case of its checksum.
pub(super) fn evm_address(text: &str) -> Result<Address, String> {
    let digits = text
        .strip_prefix("0x")
        .filter(|digits| digits.len() == EVM_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let Some(digits) = digits else {
        return Err(format!("is no EVM address: give 0x and {EVM_DIGITS} hexadecimal digits"));
    };
    let address: Address = text.parse().map_err(|error| format!("is no EVM address: {error}"))?;
    let has = |case: fn(&u8) -> bool| digits.bytes().any(|digit| case(&digit));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    if mixed && Address::parse_checksummed(text, None).is_err() {
        return Err(
            "has a wrong checksum (EIP-55): a digit or its case is mistyped; copy it from your wallet \
                    again"
                .into(),
        );
    }
    Ok(address)
}

/// An address of Solana: 32 bytes in base 58.
pub(super) fn solana_address(text: &str) -> Result<[u8; SOLANA_BYTES], String> {
    let bytes = bs58::decode(text).into_vec().map_err(|error| format!("is no Solana address: {error}"))?;
    let length = bytes.len();
    bytes.try_into().map_err(|_| {
        format!("is no Solana address: it has {length} bytes and not the {SOLANA_BYTES} of an address")
    })
}

/// The number of an EVM chain by its CAIP-2 name.
pub(super) fn evm_network(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("eip155:").and_then(|number| number.parse::<u64>().ok());
    // One spelling: no sign, no leading zero.
    let number = number.filter(|&number| number > 0 && text == format!("eip155:{number}"));
    number.ok_or_else(|| "is no EVM network: give its CAIP-2 name, such as eip155:8453 for Base".into())
}

/// A network of Solana by its CAIP-2 name.
pub(super) fn solana_network(text: &str) -> Result<String, String> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let named = text.strip_prefix("solana:").is_some_and(|reference| {
        (1..=CAIP2_REFERENCE_CHARS_MAX).contains(&reference.len()) && reference.bytes().all(word)
    });
    let refused = || {
        "is no Solana network: give its CAIP-2 name, such as solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp for the main one"
            .to_owned()
    };
    named.then(|| text.to_owned()).ok_or_else(refused)
}

/// A URL of the web, taken apart.
struct Web {
    uri: Uri,
    host: String,
}

/// Takes a URL apart. What is wrong with it is said without repeating it: it may hold a key.
fn web(text: &str) -> Result<Web, String> {
    let refused = |why: &str| Err(format!("{why}; give a URL such as https://api.example.net"));
    let Ok(uri) = text.parse::<Uri>() else { return refused("is no URL") };
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return refused("is no URL of http or https");
    }
    let Some(authority) = uri.authority() else { return refused("has no host") };
    if authority.as_str().contains('@') {
        return refused("has a user name in it, and secrets come from the environment only");
    }
    let after_host = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
    if !after_host.is_empty() && authority.port_u16().is_none_or(|port| port == 0) {
        return refused("has no usable port");
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

/// The URL that clients reach the server by, and its host.
pub(super) fn public_url(text: &str) -> Result<(String, String), String> {
    let Web { uri, host } = web(text)?;
    if uri.query().is_some() || uri.path() != "/" {
        return Err("has a path or a query: give scheme, host and port only".into());
    }
    let scheme = uri.scheme_str().unwrap_or_default();
    if scheme == "http" && !is_loopback(&host) {
        return Err("is not encrypted: give an https URL; http is for loopback hosts".into());
    }
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    Ok((format!("{scheme}://{host}{port}"), host))
}

/// The base URL of a service, to which paths are added: without a slash at its end.
pub(super) fn service_url(text: &str) -> Result<String, String> {
    if web(text)?.uri.query().is_some() {
        return Err("has a query: give the URL that /verify and /settle are added to".into());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// A URL that is used as it stands.
pub(super) fn exact_url(text: &str) -> Result<String, String> {
    web(text).map(|_| text.to_owned())
}

/// The URL of a socket of this machine.
pub(super) fn own_url(address: SocketAddr) -> String {
    format!("http://{address}")
}

/// The host of that URL.
pub(super) fn own_realm(address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of EIP-55.
    const CHECKSUMMED: [&str; 8] = [
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
        "0xde709f2102306220921060314715629080e2fb77",
        "0x27b1fdb04752bbc536007a920d24acb045561c26",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
        "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ];

    #[test]
    fn evm_addresses_have_their_checksum() {
        for text in CHECKSUMMED {
            let address = evm_address(text).expect(text);
            assert_eq!(evm_address(&text.to_lowercase()), Ok(address));
            assert_eq!(evm_address(&format!("0x{}", text[2..].to_uppercase())), Ok(address));
        }
        // One letter in the wrong case, wherever it stands.
        let text = CHECKSUMMED[4];
        for at in (2..text.len()).filter(|&at| text.as_bytes()[at].is_ascii_alphabetic()) {
            let mut wrong = text.as_bytes().to_vec();
            wrong[at] ^= 0x20;
            let wrong = String::from_utf8(wrong).expect("ASCII");
            assert!(evm_address(&wrong).is_err_and(|reason| reason.contains("EIP-55")), "{wrong}");
        }
        for text in ["", "0x", &text[2..], &text[..41], &format!("{text}0"), &text.replace('5', "g"), "0X00"]
        {
            assert!(evm_address(text).is_err_and(|reason| reason.contains("40 hexadecimal")), "{text}");
        }
    }

    #[test]
    fn solana_addresses_have_32_bytes() {
        let usdc = solana_address("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v").expect("an address");
        assert_eq!(usdc[..4], [0xc6, 0xfa, 0x7a, 0xf3]);
        assert_eq!(solana_address("11111111111111111111111111111111"), Ok([0; 32]));
        for text in ["", "1111111111111111111111111111111", "0PjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"] {
            assert!(solana_address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn networks_are_caip2_names() {
        assert_eq!(evm_network("eip155:8453"), Ok(8453));
        for text in
            ["base", "eip155:", "eip155:0", "eip155:08453", "eip155:+1", "eip155:0x1", "solana:1", "8453"]
        {
            assert!(evm_network(text).is_err(), "{text}");
        }
        assert!(solana_network("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp").is_ok());
        for text in ["solana", "solana:", "solana:a b", "eip155:1", &format!("solana:{}", "a".repeat(33))] {
            assert!(solana_network(text).is_err(), "{text}");
        }
    }

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
        ] {
            assert!(public_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_a_url_holds_is_not_repeated() {
        for text in ["https://user:hunter2@rpc.example.net", "wss://rpc.example.net/hunter2", "hunter2 "] {
            assert!(exact_url(text).is_err_and(|reason| !reason.contains("hunter2")), "{text}");
        }
        assert_eq!(service_url("http://facilitator:4022/x402/"), Ok("http://facilitator:4022/x402".into()));
        assert!(service_url("http://facilitator:4022/?a=b").is_err());
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
