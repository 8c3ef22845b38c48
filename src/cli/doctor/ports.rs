//! Checks whether the listen addresses are free. If an address is in use, the process that uses it is looked up.

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};

use super::Findings;
use crate::server::config::ListenAddress;
use crate::server::sockets::is_foreign;

/// Code of the listening state in `/proc/net/tcp`.
const LISTENING: &str = "0A";

/// A process that listens on a port.
#[derive(Debug, PartialEq, Eq)]
struct Holder {
    pid: u32,
    name: String,
}

/// Binds each address and releases it at once.
pub(super) fn check(check: &'static str, listen: &ListenAddress, findings: &mut Findings) {
    for &address in listen.addresses() {
        match TcpListener::bind(address) {
            Ok(_) => findings.ok(check, format!("{address} is free")),
            Err(error) => refused(check, address, &error, listen.addresses().len() > 1, findings),
        }
    }
}

fn refused(
    check: &'static str,
    address: SocketAddr,
    error: &io::Error,
    is_one_of_many: bool,
    findings: &mut Findings,
) {
    match error.kind() {
        io::ErrorKind::AddrInUse => match holder(address.port()) {
            Some(Holder { pid, name }) if name == "pricebook" => {
                findings.ok(check, format!("{address} is already served by pricebook (process {pid})"));
            }
            Some(Holder { pid, name }) => {
                let advice = format!("stop that process, or choose another address (--{check})");
                findings.error(check, format!("{address} is in use by {name} (process {pid}): {advice}"));
            }
            None => {
                let advice = format!(
                    "`ss -ltnp 'sport = :{}'`, run as root, shows the process; stop that process, or choose another \
                     address (--{check})",
                    address.port()
                );
                findings.error(check, format!("{address} is in use by another user's program: {advice}"));
            }
        },
        io::ErrorKind::PermissionDenied => {
            let advice = "choose a port from 1024, or give the program CAP_NET_BIND_SERVICE (ops/README.md)";
            findings.error(check, format!("this user may not listen on {address}: {advice}"));
        }
        _ if is_foreign(error) && is_one_of_many => {
            findings
                .ok(check, format!("{address} is not available on this machine; the server runs without it"));
        }
        _ if is_foreign(error) => {
            let advice = "choose the address of an interface, or 0.0.0.0 for all interfaces";
            findings.error(check, format!("{address} is not an address of this machine: {advice}"));
        }
        _ => findings.error(check, format!("{address}: {error}")),
    }
}

/// Returns the process that listens on a port, or `None` if this user may not see it.
fn holder(port: u16) -> Option<Holder> {
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let inodes: Vec<String> = tables.iter().flat_map(|table| listening(table, port)).collect();
    let sockets: Vec<String> = inodes.iter().map(|inode| format!("socket:[{inode}]")).collect();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.into_iter().find_map(|pid| {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
        let mut targets = files.filter_map(|file| fs::read_link(file.path()).ok());
        targets.find(|target| sockets.iter().any(|socket| target.as_os_str() == socket.as_str()))?;
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        Some(Holder { pid, name: name.trim().to_owned() })
    })
}

/// Inodes of the sockets that listen on a port, from the text of `/proc/net/tcp` or `/proc/net/tcp6`.
fn listening(table: &str, port: u16) -> Vec<String> {
    let lines = table.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (_, local_port) = words.get(1)?.rsplit_once(':')?;
        let is_it = *words.get(3)? == LISTENING && u16::from_str_radix(local_port, 16) == Ok(port);
        is_it.then(|| words.get(9).map(ToString::to_string)).flatten()
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_table_is_read() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0\n\
             1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0\n\
             2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0\n";
        assert_eq!(listening(table, 8080), ["4711"]);
        assert_eq!(listening(table, 22), ["4713"]);
        assert_eq!(listening("", 22), [""; 0]);
    }

    #[test]
    fn a_port_that_is_taken_is_said_by_whom() {
        let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = taken.local_addr().expect("an address");
        let mut findings = Findings::default();
        check("listen", &address.into(), &mut findings);
        let found = findings.to_string();
        assert!(found.starts_with("error    listen") && found.contains("--listen"), "{found}");
        assert!(found.contains(&format!("(process {})", std::process::id())), "{found}");
        drop(taken);
        let mut findings = Findings::default();
        check("admin", &address.into(), &mut findings);
        assert_eq!(findings.to_string(), format!("ok       admin          {address} is free\n"));
    }
}
