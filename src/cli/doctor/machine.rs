//! Checks of the machine: clock, file descriptors, memory.

use rustix::process::{Resource, getrlimit};

use super::Findings;
use crate::catalog::Catalog;
use crate::index::memory::machine_memory;
use crate::payment::net::CHAIN_TIME_MARGIN_S;
use crate::server::serve::FILES_RESERVED;
use crate::server::stamp_of;
use crate::snapshot::mapped::Residence;

/// Tolerated difference of two clocks, in seconds. A `Date` header has whole seconds and arrives with a delay.
const CLOCK_SECONDS_OFF: u64 = 3;
const SET_THE_CLOCK: &str = "set the clock (timedatectl set-ntp true)";

/// Checks the clock. `lead` is its lead over facilitators and nodes, in seconds. If the lead is not known, the clock is
/// compared with the newest price. Time servers are not contacted.
pub(super) fn clock(lead: Option<i64>, catalog: Option<&Catalog>, findings: &mut Findings) {
    const CHECK: &str = "clock";
    let Some(lead) = lead else {
        match catalog {
            Some(catalog) if stamp_of(catalog).computed_at < catalog.newest() => {
                let newest = catalog.newest();
                findings
                    .error(CHECK, format!("the clock is before the newest price, {newest}: {SET_THE_CLOCK}"));
            }
            Some(catalog) => {
                findings.ok(
                    CHECK,
                    format!(
                        "the clock is not before the newest price, {}; it was not compared with another clock",
                        catalog.newest()
                    ),
                );
            }
            None => findings.ok(CHECK, "the clock was not compared: there is no price and no other clock"),
        }
        return;
    };
    let way = if lead < 0 { "behind" } else { "ahead of" };
    match lead.unsigned_abs() {
        0..=CLOCK_SECONDS_OFF => findings.ok(CHECK, "the clock agrees with facilitators and nodes"),
        off @ ..=CHAIN_TIME_MARGIN_S => {
            findings.warning(
                CHECK,
                format!("the clock is {off} s {way} facilitators and nodes: {SET_THE_CLOCK}"),
            );
        }
        off => {
            let effect = "payments are refused or recognized too late";
            findings.error(
                CHECK,
                format!(
                    "the clock is {off} s {way} facilitators and nodes, so that {effect}: {SET_THE_CLOCK}"
                ),
            );
        }
    }
}

/// Compares the limit of open files with the number of connections.
pub(super) fn files(connections: Option<usize>, findings: &mut Findings) {
    const CHECK: &str = "files";
    let limit = getrlimit(Resource::Nofile).maximum;
    let Some((limit, connections)) = limit.zip(connections) else {
        findings.ok(
            CHECK,
            limit.map_or("no limit".to_owned(), |limit| format!("the limit is {limit} open files")),
        );
        return;
    };
    let needed = (connections + FILES_RESERVED) as u64;
    if limit < needed {
        let advice = format!("raise the limit (LimitNOFILE={needed}, ulimit -Hn) or lower connections");
        let message =
            format!("the limit is {limit} open files, {connections} connections need {needed}: {advice}");
        findings.warning(CHECK, message);
    } else {
        findings
            .ok(CHECK, format!("the limit is {limit} open files, {connections} connections need {needed}"));
    }
}

/// Compares the memory with the size of the snapshot.
pub(super) fn memory(catalog: &Catalog, residence: Residence, findings: &mut Findings) {
    const CHECK: &str = "memory";
    let snapshot: u64 = catalog.manifest().files.iter().map(|file| file.bytes).sum();
    let Some(machine) = machine_memory() else {
        findings.ok(CHECK, "the system does not report its amount of memory");
        return;
    };
    let (need, what) = match residence {
        Residence::Mapped => (snapshot, "the snapshot needs"),
        // While a new snapshot replaces the served one, both copies are in memory.
        Residence::Copied => (2 * snapshot, "two copies of the snapshot during a swap need"),
    };
    let said = format!("{what} {} MiB, the machine has {} MiB", need >> 20, machine >> 20);
    match (need > machine, residence) {
        (false, _) => findings.ok(CHECK, said),
        (true, Residence::Mapped) => {
            findings.warning(CHECK, format!("{said}: answers wait for the disk; add memory"));
        }
        (true, Residence::Copied) => {
            findings.error(CHECK, format!("{said}: add memory, or turn private_copy off"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_held_against_others() {
        let said = |lead: i64| {
            let mut findings = Findings::default();
            clock(Some(lead), None, &mut findings);
            findings.to_string()
        };
        assert!(said(-3).starts_with("ok "));
        assert!(said(4).starts_with("warning") && said(4).contains("4 s ahead"));
        assert!(said(-30).starts_with("warning") && said(-30).contains("30 s behind"));
        assert!(said(31).starts_with("error") && said(31).contains("set the clock"));
    }

    #[test]
    fn connections_are_held_against_files() {
        let said = |connections: usize| {
            let mut findings = Findings::default();
            files(Some(connections), &mut findings);
            findings.to_string()
        };
        assert!(said(1).starts_with("ok ") || getrlimit(Resource::Nofile).maximum.is_some());
        if getrlimit(Resource::Nofile).maximum.is_some() {
            assert!(said(1 << 40).starts_with("warning") && said(1 << 40).contains("LimitNOFILE="));
        }
    }
}
