//! Whether a rail can take payments: probes, a circuit breaker, and withdrawal for a lie.
//!
//! A rail is up while all of this holds: its last probe succeeded, its circuit is not open, and it is not withdrawn.
//! [`Health::watch`] probes it for ever, in a task of its own. A call that fails on the way has it probed at once, so
//! one lost packet costs nothing and a dead facilitator one request. A facilitator that answers probes and nothing else
//! is caught by the circuit, which counts verifying and settling each for itself: many good verifications do not make
//! up for settlements that end in doubt. It counts payers and not calls: one payer's payments, which may be made so that
//! nobody can ever settle them, take a rail from nobody else.
//!
//! ```text
//! closed ──too many failures in a row──▶ open ──time, then a good probe──▶ on trial ──failure──▶ open
//!    ▲                                                                        │
//!    └────────────────── an answer of each kind that had failed ◀────────────┘
//! ```

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep;

/// Between two probes of a rail that is up.
pub const PROBE_UP: Duration = Duration::from_secs(15);
/// Between two probes of a rail that is down.
pub const PROBE_DOWN: Duration = Duration::from_secs(1);
/// Failures of one kind in a row, for as many payers, open the circuit. A facilitator that is gone is found by its probe, after the
/// first; this is for one that answers probes, and a few clients' bad luck must not take the rail from all others.
pub const FAILURES_IN_A_ROW_MAX: usize = 10;
/// How long an open circuit keeps a rail down.
pub const CIRCUIT_OPEN: Duration = Duration::from_secs(5);
/// How long a lie keeps a rail down. It costs its payer a wait and never money, and a node that lags makes an honest
/// facilitator look like a liar.
pub const LIAR_WITHDRAWN: Duration = Duration::from_secs(15);

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// Whether a payment would settle.
    Verify,
    /// To settle it.
    Settle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Circuit {
    Closed,
    Open {
        until: Instant,
    },
    /// Up, but the next failure opens it again.
    Trial,
}

#[derive(Debug)]
struct State {
    /// What the last probe said; `None` before the first.
    probe: Option<Result<(), String>>,
    circuit: Circuit,
    /// Payers of the failures in a row, by kind of call, as many as count.
    in_a_row: [BTreeSet<String>; 2],
    withdrawn_until: Option<Instant>,
}

impl State {
    fn new() -> Self {
        Self { probe: None, circuit: Circuit::Closed, in_a_row: Default::default(), withdrawn_until: None }
    }

    /// Why the rail is down.
    fn fault(&self, now: Instant) -> Option<&str> {
        match &self.probe {
            None => return Some("the first probe has not ended yet"),
            Some(Err(why)) => return Some(why),
            Some(Ok(())) => {}
        }
        if matches!(self.circuit, Circuit::Open { .. }) {
            return Some("too many calls in a row failed");
        }
        self.withdrawn_until
            .is_some_and(|until| now < until)
            .then_some("the rail is out of service for a short time after a false report")
    }

    fn fail(&mut self, kind: CallKind, payer: &str, now: Instant) {
        let payers = &mut self.in_a_row[kind as usize];
        if payers.len() < FAILURES_IN_A_ROW_MAX {
            payers.insert(payer.to_owned());
        }
        let open = payers.len() >= FAILURES_IN_A_ROW_MAX || self.circuit == Circuit::Trial;
        if open && !matches!(self.circuit, Circuit::Open { .. }) {
            self.circuit = Circuit::Open { until: now + CIRCUIT_OPEN };
        }
    }

    fn succeed(&mut self, kind: CallKind) {
        self.in_a_row[kind as usize].clear();
        let recovered = self.in_a_row.iter().all(|payers| payers.len() < FAILURES_IN_A_ROW_MAX);
        if recovered && self.circuit == Circuit::Trial {
            self.circuit = Circuit::Closed;
        }
    }

    fn probed(&mut self, outcome: Result<(), String>, now: Instant) {
        if let (Ok(()), Circuit::Open { until }) = (&outcome, self.circuit)
            && now >= until
        {
            self.circuit = Circuit::Trial;
        }
        self.probe = Some(outcome);
    }

    /// How long until the next probe.
    fn pause(&self, now: Instant) -> Duration {
        match self.circuit {
            _ if self.fault(now).is_none() => PROBE_UP,
            Circuit::Open { until } if now < until => PROBE_DOWN.min(until - now),
            _ => PROBE_DOWN,
        }
    }
}

/// The health of one rail, or of one node.
pub struct Health {
    name: String,
    state: Mutex<State>,
    at_once: Notify,
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health")
            .field("name", &self.name)
            .field("state", &*self.lock())
            .finish_non_exhaustive()
    }
}

impl Health {
    /// Of something that is called `name` in logs, and down until its first probe succeeds.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), state: Mutex::new(State::new()), at_once: Notify::new() }
    }

    /// Whether payments can be taken.
    pub fn is_up(&self) -> bool {
        self.lock().fault(Instant::now()).is_none()
    }

    /// Why payments cannot be taken.
    pub fn fault(&self) -> Option<String> {
        self.lock().fault(Instant::now()).map(str::to_owned)
    }

    /// Notes that a call was answered, with yes or no.
    pub fn succeed(&self, kind: CallKind) {
        self.change(|state, _| state.succeed(kind));
    }

    /// Notes that a call for a payer was not answered; when it failed on the way, a probe follows at once.
    pub fn fail(&self, kind: CallKind, payer: &str, is_network: bool) {
        self.change(|state, now| state.fail(kind, payer, now));
        if is_network || !self.is_up() {
            self.at_once.notify_one();
        }
    }

    /// Takes the rail down for a lie.
    pub fn withdraw(&self, why: &str) {
        tracing::error!(
            rail = self.name,
            why,
            "rail is out of service for a short time, because its facilitator or node made a false report"
        );
        self.change(|state, now| state.withdrawn_until = Some(now + LIAR_WITHDRAWN));
        self.at_once.notify_one();
    }

    /// Probes for ever.
    pub async fn watch<F: Future<Output = Result<(), String>>>(&self, probe: impl Fn() -> F) {
        loop {
            let outcome = probe().await;
            self.change(|state, now| state.probed(outcome, now));
            let pause = self.lock().pause(Instant::now());
            tokio::select! {
                () = sleep(pause) => {}
                () = self.at_once.notified() => {}
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and logs when that takes the rail up or down, or down for another reason.
    fn change(&self, change: impl FnOnce(&mut State, Instant)) {
        let now = Instant::now();
        let mut state = self.lock();
        let before = state.fault(now).map(str::to_owned);
        change(&mut state, now);
        match (before, state.fault(now)) {
            (Some(_), None) => tracing::info!(rail = self.name, "rail is up"),
            (before, Some(why)) if before.as_deref() != Some(why) => {
                tracing::warn!(rail = self.name, why, "rail is down");
            }
            _ => {}
        }
    }
}

/// Why a rail is down that needs two: what is wrong with each of them.
pub fn both_faults(facilitator: &Health, node: &Health) -> Option<String> {
    let faults = [("facilitator", facilitator), ("node", node)];
    let faults = faults.into_iter().filter_map(|(who, health)| Some(format!("{who}: {}", health.fault()?)));
    let faults: Vec<String> = faults.collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::payment::net::for_tests::until;

    const MOMENT: Duration = Duration::from_millis(1);

    /// A state and the test's own clock, which a watch would probe by.
    struct Rail {
        state: State,
        now: Instant,
        next_probe: Instant,
        answers: bool,
        probes: u32,
        payers: usize,
    }

    impl Rail {
        fn new(answers: bool) -> Self {
            let now = Instant::now();
            let mut rail = Self { state: State::new(), now, next_probe: now, answers, probes: 0, payers: 0 };
            rail.probe();
            rail
        }

        fn probe(&mut self) {
            self.probes += 1;
            let outcome = self.answers.then_some(()).ok_or_else(|| "no answer".to_owned());
            self.state.probed(outcome, self.now);
            self.next_probe = self.now + self.state.pause(self.now);
        }

        /// Lets time pass, with a probe at every end of a pause.
        fn pass(&mut self, time: Duration) {
            let end = self.now + time;
            while self.next_probe <= end {
                self.now = self.next_probe;
                self.probe();
            }
            self.now = end;
        }

        fn is_up(&self) -> bool {
            self.state.fault(self.now).is_none()
        }

        /// Calls of as many payers fail, of new ones each.
        fn fail(&mut self, kind: CallKind, payers: usize) {
            for _ in 0..payers {
                self.payers += 1;
                self.state.fail(kind, &self.payers.to_string(), self.now);
            }
            if !self.is_up() {
                self.probe();
            }
        }
    }

    #[test]
    fn a_rail_is_down_until_its_first_probe_succeeds() {
        assert!(!Health::new("new").is_up());
        let mut rail = Rail::new(false);
        assert_eq!(rail.state.fault(rail.now), Some("no answer"));
        rail.pass(PROBE_DOWN * 3);
        assert_eq!((rail.is_up(), rail.probes), (false, 4));
        rail.answers = true;
        rail.pass(PROBE_DOWN);
        assert_eq!((rail.is_up(), rail.probes), (true, 5));
        rail.pass(PROBE_UP);
        assert_eq!((rail.is_up(), rail.probes), (true, 6));
        rail.answers = false;
        rail.pass(PROBE_UP.saturating_sub(MOMENT));
        assert!(rail.is_up());
        rail.pass(MOMENT);
        assert!(!rail.is_up());
    }

    #[test]
    fn failures_in_a_row_open_the_circuit() {
        let mut rail = Rail::new(true);
        rail.fail(CallKind::Settle, FAILURES_IN_A_ROW_MAX - 1);
        rail.fail(CallKind::Verify, FAILURES_IN_A_ROW_MAX - 1);
        assert!(rail.is_up(), "each kind is counted for itself");
        rail.state.succeed(CallKind::Settle);
        rail.fail(CallKind::Settle, FAILURES_IN_A_ROW_MAX - 1);
        assert!(rail.is_up(), "not in a row");
        rail.state.succeed(CallKind::Verify);
        rail.fail(CallKind::Settle, 1);
        assert!(!rail.is_up(), "a good verification does not make up for a settlement");
        rail.pass(CIRCUIT_OPEN.saturating_sub(MOMENT));
        assert!(!rail.is_up());
        rail.pass(MOMENT);
        assert!(rail.is_up(), "on trial");
        rail.fail(CallKind::Verify, 1);
        assert!(!rail.is_up(), "one failure opens it again");
        rail.pass(CIRCUIT_OPEN);
        assert!(rail.is_up());
        rail.state.succeed(CallKind::Verify);
        rail.fail(CallKind::Verify, 1);
        assert!(!rail.is_up(), "still on trial: no settlement was answered yet");
        rail.pass(CIRCUIT_OPEN);
        rail.state.succeed(CallKind::Settle);
        rail.fail(CallKind::Settle, FAILURES_IN_A_ROW_MAX - 1);
        assert!(rail.is_up(), "closed");
    }

    #[test]
    fn one_payer_takes_a_rail_from_nobody() {
        let mut rail = Rail::new(true);
        for _ in 0..100 * FAILURES_IN_A_ROW_MAX {
            rail.state.fail(CallKind::Settle, "one", rail.now);
        }
        assert!(rail.is_up());
        rail.fail(CallKind::Settle, FAILURES_IN_A_ROW_MAX - 1);
        assert!(!rail.is_up(), "as many payers do");
    }

    #[test]
    fn an_open_circuit_waits_for_a_good_probe() {
        let mut rail = Rail::new(true);
        rail.answers = false;
        rail.fail(CallKind::Settle, FAILURES_IN_A_ROW_MAX);
        rail.pass(CIRCUIT_OPEN * 2);
        assert!(!rail.is_up());
        rail.answers = true;
        rail.pass(PROBE_DOWN);
        assert!(rail.is_up());
    }

    #[test]
    fn failures_while_it_is_open_do_not_prolong_it() {
        let mut rail = Rail::new(true);
        rail.fail(CallKind::Settle, FAILURES_IN_A_ROW_MAX);
        rail.pass(CIRCUIT_OPEN / 2);
        rail.fail(CallKind::Settle, 3);
        rail.pass(CIRCUIT_OPEN / 2);
        assert!(rail.is_up());
    }

    #[test]
    fn a_liar_is_withdrawn_for_its_time() {
        let mut rail = Rail::new(true);
        rail.state.withdrawn_until = Some(rail.now + LIAR_WITHDRAWN);
        rail.state.succeed(CallKind::Settle);
        rail.pass(LIAR_WITHDRAWN.saturating_sub(MOMENT));
        assert!(!rail.is_up(), "good probes do not help");
        rail.pass(MOMENT);
        assert!(rail.is_up());
        let health = Health::new("liar");
        health.change(|state, now| state.probed(Ok(()), now));
        assert!(health.is_up());
        health.withdraw("says paid, and the receipt does not");
        assert_eq!(
            health.fault().as_deref(),
            Some("the rail is out of service for a short time after a false report")
        );
    }

    /// Every probe here is one that was asked for: the pause of a rail that is up outlasts the test.
    #[tokio::test]
    async fn a_failure_on_the_way_has_it_probed_at_once() {
        let (health, answers, probes) = (Health::new("test"), AtomicBool::new(true), AtomicUsize::new(0));
        let count = || probes.load(Ordering::SeqCst);
        let watch = health.watch(|| async {
            probes.fetch_add(1, Ordering::SeqCst);
            answers.load(Ordering::SeqCst).then_some(()).ok_or_else(|| "no answer".to_owned())
        });
        let test = async {
            until(|| health.is_up()).await;
            health.fail(CallKind::Verify, "a", true);
            until(|| count() == 2).await;
            assert!(health.is_up(), "it answers: nothing happened");
            health.fail(CallKind::Verify, "a", false);
            answers.store(false, Ordering::SeqCst);
            health.fail(CallKind::Settle, "a", true);
            until(|| !health.is_up()).await;
            assert_eq!(count(), 3, "a failure that is an answer asks for no probe");
        };
        tokio::select! {
            () = watch => {}
            () = test => {}
        }
    }

    #[test]
    fn faults_say_whose_they_are() {
        let (one, other) = (Health::new("one"), Health::new("other"));
        one.change(|state, now| state.probed(Err("no answer".to_owned()), now));
        let both = both_faults(&one, &other);
        assert_eq!(both.as_deref(), Some("facilitator: no answer; node: the first probe has not ended yet"));
        for health in [&one, &other] {
            health.change(|state, now| state.probed(Ok(()), now));
        }
        assert_eq!(both_faults(&one, &other), None);
    }
}
