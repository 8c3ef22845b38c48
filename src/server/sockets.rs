//! Listening sockets.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// Maximum number of connections that the kernel queues until they are accepted.
const LISTEN_QUEUE_MAX: u32 = 1_024;

/// Opens a listening socket. A port can be reused at once after its previous socket was closed.
///
/// # Errors
/// Returns an error if the address cannot be listened on.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_QUEUE_MAX)
}

/// Listens on the addresses of a name. An address that this machine does not have (such as `::1` without IPv6) is
/// skipped with a warning, but at least one must be usable. An address in use by another program is an error, because
/// clients of the name would reach either program.
///
/// # Errors
/// Returns an error if an address of this machine cannot be listened on, or if the machine has none of the addresses.
pub fn listen_all(addresses: &[SocketAddr]) -> io::Result<Vec<TcpListener>> {
    let (mut listeners, mut fault) = (Vec::<TcpListener>::new(), None);
    for &address in addresses {
        // If the system chooses the port, it is chosen once and used for every address.
        let port = match listeners.first() {
            Some(first) if address.port() == 0 => first.local_addr()?.port(),
            _ => address.port(),
        };
        let address = SocketAddr::new(address.ip(), port);
        match listen(address) {
            Ok(listener) => listeners.push(listener),
            Err(error) if is_foreign(&error) => fault = Some((address, error)),
            Err(error) => return Err(of(address, &error)),
        }
    }
    match fault {
        Some((address, error)) if listeners.is_empty() => Err(of(address, &error)),
        Some((address, error)) => {
            tracing::warn!(%error, "{address} is not available on this machine; the server runs without it");
            Ok(listeners)
        }
        None => Ok(listeners),
    }
}

/// Whether the error means that no interface of this machine has the address.
pub fn is_foreign(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(libc::EAFNOSUPPORT)
}

fn of(address: SocketAddr, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{address}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| text.parse().expect("an address")).collect()
    }

    #[tokio::test]
    async fn all_addresses_have_one_port() {
        // An address that no interface has (RFC 5737) is skipped.
        let listeners = listen_all(&addresses(&["127.0.0.1:0", "192.0.2.1:0", "127.0.0.2:0"])).expect("two");
        let found: Vec<SocketAddr> =
            listeners.iter().map(|socket| socket.local_addr().expect("one")).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].port(), found[1].port());
        assert!(listen_all(&addresses(&["192.0.2.1:0"])).is_err_and(|error| is_foreign_kind(&error)));
    }

    fn is_foreign_kind(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::AddrNotAvailable && error.to_string().starts_with("192.0.2.1:0: ")
    }

    #[tokio::test]
    async fn an_address_that_is_taken_is_a_fault() {
        let taken = listen("127.0.0.2:0".parse().expect("an address")).expect("a port");
        let port = taken.local_addr().expect("one").port();
        let both = addresses(&[&format!("127.0.0.1:{port}"), &format!("127.0.0.2:{port}")]);
        let error = listen_all(&both).expect_err("taken");
        assert!(error.to_string().starts_with(&format!("127.0.0.2:{port}: ")), "{error}");
    }
}
