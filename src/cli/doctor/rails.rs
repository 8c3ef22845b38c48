//! Checks whether the facilitators and nodes of the rails answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::{Instant, sleep};

use super::Findings;
use crate::payment::Mode;
use crate::payment::core::clock::unix_seconds;
use crate::payment::core::rail::{CallTimes, Rail, RailMeans};
use crate::payment::core::scheme::Scheme;
use crate::payment::net::http::Client;
use crate::payment::settings::Settings;

const CHECK: &str = "rails";
/// Maximum time for all rails to come up. The time is enough for a probe, one repetition of the probe, and the requests
/// after it.
const ANSWER_MAX: Duration = Duration::from_secs(6);
/// Pause between two polls of the rails.
const LOOK: Duration = Duration::from_millis(20);

/// Starts the rails as the server would and waits until they are up. Returns the seconds by which this machine's clock
/// is ahead of the date in the last answer, negative if it is behind; `None` without such an answer.
pub(super) fn check(settings: Option<&Settings>, findings: &mut Findings) -> Option<i64> {
    let Some(settings) = settings else {
        findings.ok(CHECK, "payments are off: paid routes are free of charge");
        return None;
    };
    if settings.mode != Mode::Live {
        findings.ok(CHECK, "payments are in sandbox mode: no facilitator is contacted, and no money moves");
        return None;
    }
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            findings.error(CHECK, format!("the rails cannot be checked: {error}"));
            return None;
        }
    };
    let client = Client::new();
    let times = CallTimes {
        verify: settings.verify_timeout,
        settle: settings.settle_timeout,
        offer_s: settings.offer_ttl_s,
    };
    let means = RailMeans { client: client.clone(), times, clock: unix_seconds };
    let start = |rail: &Arc<dyn Rail>| (rail.name(), Arc::clone(rail).start(&means).scheme);
    runtime.block_on(async {
        let schemes: Vec<_> = settings.rails.iter().map(start).collect();
        let until = Instant::now() + ANSWER_MAX;
        while Instant::now() < until && !schemes.iter().all(|(_, scheme)| scheme.is_up()) {
            sleep(LOOK).await;
        }
        for (name, scheme) in &schemes {
            say(name.as_str(), scheme.as_ref(), findings);
        }
    });
    client.clock_lead()
}

fn say(name: &str, scheme: &dyn Scheme, findings: &mut Findings) {
    match scheme.fault() {
        None => findings
            .ok(CHECK, format!("{name} can be paid: every facilitator and node that the rail needs answers")),
        Some(fault) => {
            let advice = format!("remove the cause, or correct payment.rail.{name}");
            findings.error(CHECK, format!("{name} cannot be paid: {fault}; {advice}"));
        }
    }
}
