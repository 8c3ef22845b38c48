//! Connection limit: the maximum number of connections of one address and of one network, so that one client cannot use
//! all connections.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::rate::bucket;
use crate::server::telemetry::ConnectionRefusal;

/// Divisor of the maximum number of connections: one address (IPv6: one /64) may use an eighth of them.
const ADDRESS_SHARE: usize = 8;

/// Divisor of the maximum number of connections: one network (IPv4: a /24, IPv6: a /48) may use a quarter of them.
const NETWORK_SHARE: usize = 4;

/// Numbers of connections by address and by network.
pub(super) struct ClientConnections {
    address_max: usize,
    network_max: usize,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    addresses: HashMap<IpAddr, usize>,
    networks: HashMap<IpAddr, usize>,
}

/// A counted connection. Dropping it decreases the counts.
pub(super) struct Guest {
    client_connections: Arc<ClientConnections>,
    address: IpAddr,
}

impl ClientConnections {
    /// Creates the limits for a server with `connections_max` connections.
    pub(super) fn new(connections_max: usize) -> Self {
        Self {
            address_max: (connections_max / ADDRESS_SHARE).max(1),
            network_max: (connections_max / NETWORK_SHARE).max(1),
            counts: Mutex::default(),
        }
    }

    /// Counts a connection of `client`, or refuses it.
    pub(super) fn enter(self: &Arc<Self>, client: IpAddr) -> Result<Guest, ConnectionRefusal> {
        let address = bucket(client);
        let network = network(address);
        let mut counts = self.lock();
        let Counts { addresses, networks } = &mut *counts;
        if addresses.get(&address).is_some_and(|&held| held >= self.address_max) {
            return Err(ConnectionRefusal::Address);
        }
        if networks.get(&network).is_some_and(|&held| held >= self.network_max) {
            return Err(ConnectionRefusal::Network);
        }
        *addresses.entry(address).or_default() += 1;
        *networks.entry(network).or_default() += 1;
        drop(counts);
        Ok(Guest { client_connections: Arc::clone(self), address })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut counts = self.client_connections.lock();
        let Counts { addresses, networks } = &mut *counts;
        for (counts, key) in [(addresses, self.address), (networks, network(self.address))] {
            if let Some(held) = counts.get_mut(&key) {
                *held -= 1;
                if *held == 0 {
                    counts.remove(&key);
                }
            }
        }
    }
}

/// The network of an address. Each loopback address counts as its own network, because loopback addresses belong to
/// programs of one machine.
fn network(address: IpAddr) -> IpAddr {
    match address {
        address if address.is_loopback() => address,
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, 0))
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(client_connections: &Arc<ClientConnections>, client: &str) -> Result<Guest, ConnectionRefusal> {
        client_connections.enter(client.parse().expect("an address"))
    }

    #[test]
    fn an_address_and_a_network_have_their_share() {
        let client_connections = Arc::new(ClientConnections::new(16));
        let mut guests: Vec<Guest> = Vec::new();
        for _ in 0..2 {
            guests.push(enter(&client_connections, "192.0.2.1").expect("room"));
        }
        assert_eq!(enter(&client_connections, "192.0.2.1").err(), Some(ConnectionRefusal::Address));
        assert_eq!(enter(&client_connections, "::ffff:192.0.2.1").err(), Some(ConnectionRefusal::Address));
        for client in ["192.0.2.2", "192.0.2.3"] {
            guests.push(enter(&client_connections, client).expect("room"));
        }
        assert_eq!(enter(&client_connections, "192.0.2.4").err(), Some(ConnectionRefusal::Network));
        assert!(enter(&client_connections, "198.51.100.1").is_ok());
        guests.remove(0);
        guests.push(enter(&client_connections, "192.0.2.4").expect("a place became free"));
        drop(guests);
        assert!(
            client_connections.lock().addresses.is_empty() && client_connections.lock().networks.is_empty()
        );
    }

    #[test]
    fn does_not_group_loopback_addresses_into_a_network() {
        let client_connections = Arc::new(ClientConnections::new(4));
        let guests: Vec<_> =
            (1..=3).map(|last| enter(&client_connections, &format!("127.0.0.{last}"))).collect();
        assert!(guests.iter().all(Result::is_ok));
    }
}
