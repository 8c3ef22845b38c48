//! What is done to the server and to `CURRENT` while clients ask.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pricebook::snapshot::publish::{CURRENT, set_current};
use pricebook::stats::rng::Rng;

use super::{Server, Soak, add};

const TICK: Duration = Duration::from_millis(500);
/// Ticks between two kills.
const KILL_EVERY: u64 = 19;
/// Ticks between two times that `CURRENT` is no good.
const VANDALISE_EVERY: u64 = 7;

pub(super) struct Trouble<'a> {
    soak: &'a Soak,
    server: &'a mut Server,
    served: &'a [String],
    rng: Rng,
}

impl<'a> Trouble<'a> {
    pub(super) fn new(soak: &'a Soak, server: &'a mut Server, served: &'a [String], seed: u64) -> Self {
        Self { soak, server, served, rng: Rng::new(seed ^ 0x7207) }
    }

    /// Makes trouble until the soak is over.
    pub(super) fn make(mut self) {
        let _end = super::EndAll(self.soak);
        for tick in 1.. {
            if !self.soak.goes_on() {
                break;
            }
            if tick % VANDALISE_EVERY == 0 {
                self.vandalise(tick / VANDALISE_EVERY);
            }
            // Every second, and the system tells the server at once or the server looks by itself.
            if tick % 2 == 0 {
                self.swap(tick / 2);
            }
            if tick % KILL_EVERY == 0 {
                self.kill();
            }
            self.soak.rest(TICK);
        }
    }

    fn swap(&mut self, number: u64) {
        let id = &self.served[number as usize % self.served.len()];
        set_current(&self.soak.snapshots, id).unwrap();
        add(&self.soak.counts.swaps_ordered);
        if self.rng.chance(70) {
            self.hang_up();
        }
    }

    fn hang_up(&self) {
        self.server.hang_up();
        add(&self.soak.counts.hangups);
    }

    fn kill(&mut self) {
        self.soak.epoch.fetch_add(1, Ordering::SeqCst);
        self.server.kill();
        self.server.start(&self.soak.counts);
        self.soak.epoch.fetch_add(1, Ordering::SeqCst);
        add(&self.soak.counts.kills);
    }

    /// `CURRENT` is something else for a while, then a file again.
    fn vandalise(&mut self, number: u64) {
        let path = self.soak.snapshots.join(CURRENT);
        remove(&path);
        match number % 5 {
            0 => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
            1 => fs::create_dir(&path).unwrap(),
            2 => fs::write(&path, [0xff, 0, b'\n']).unwrap(),
            3 => fs::write(&path, "2026-01-01-nowhere\n").unwrap(),
            _ => {}
        }
        add(&self.soak.counts.vandalised);
        self.hang_up();
        self.soak.rest(TICK);
        remove(&path);
        self.swap(number);
    }
}

/// Removes what is there; a builder may have put a file there meanwhile.
fn remove(path: &Path) {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
}
