//! Rate limit of requests: a bucket per client address that refills steadily.
//!
//! A client is an IPv4 address or an IPv6 /64. By default loopback clients are not limited, because a local benchmark
//! or a proxy on the same machine is not one client. Behind trusted proxies the client is the address that they
//! report (`forwarded`).

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use hyper::header::HeaderValue;

use super::problem::Problem;
use crate::server::compute::ClientKey;

/// Default number of requests per minute and client: ten per second.
pub const REQUESTS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(600).expect("not zero");

/// Number of clients above which full buckets are removed.
const CLIENTS_MAX: usize = 100_000;

/// Number of requests that a refusal with suggestions counts as, in addition to the request itself.
const COSTLY_REFUSAL: NonZeroU32 = NonZeroU32::new(9).expect("not zero");

/// Window of the rate limit policy, in seconds.
const WINDOW_SECONDS: u32 = 60;

/// The buckets of all clients.
pub struct Rate {
    limiter: RateLimiter<IpAddr, DefaultKeyedStateStore<IpAddr>, DefaultClock, StateInformationMiddleware>,
    clock: DefaultClock,
    quota: NonZeroU32,
    loopback: bool,
    policy: HeaderValue,
    /// Requests that were given back to clients and not used since.
    credits: Mutex<HashMap<IpAddr, Credit>>,
}

/// State of a client's bucket, sent in every response.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Value of the header `RateLimit-Policy`.
    pub policy: HeaderValue,
    /// Value of the header `RateLimit`.
    pub state: HeaderValue,
    /// Requests that are left in the bucket.
    left: u32,
}

/// Requests that were given back to a client.
#[derive(Debug, Clone, Copy, Default)]
struct Credit {
    /// Number of requests that were given back and not used since.
    requests: u32,
    /// Number of requests in the bucket when the last request was given back.
    left: u32,
}

impl Rate {
    /// Creates buckets of `per_minute` requests. Clients on loopback are limited only if `loopback` is set.
    pub fn new(per_minute: NonZeroU32, loopback: bool) -> Self {
        let policy = format!("\"client\";q={per_minute};w={WINDOW_SECONDS}");
        Self {
            limiter: RateLimiter::keyed(Quota::per_minute(per_minute)).with_middleware(),
            clock: DefaultClock::default(),
            quota: per_minute,
            loopback,
            policy: HeaderValue::try_from(policy).unwrap_or_else(|_| HeaderValue::from_static("")),
            credits: Mutex::default(),
        }
    }

    /// Takes a request out of the client's bucket. Returns `None` for a client that is not limited.
    pub fn take(&self, client: ClientKey) -> Option<(Budget, Result<(), Problem>)> {
        if !self.counts(client) {
            return None;
        }
        if let Some(left) = self.use_credit(client) {
            return Some((self.budget(left, None), Ok(())));
        }
        if self.limiter.len() > CLIENTS_MAX {
            self.limiter.retain_recent();
        }
        let (left, wait) = match self.limiter.check_key(&client) {
            Ok(state) => (state.remaining_burst_capacity(), None),
            Err(until) => (0, Some(until.wait_time_from(self.clock.now()))),
        };
        let verdict = wait.map_or(Ok(()), |wait| Err(Problem::rate_limited(whole_seconds(wait))));
        Some((self.budget(left, wait), verdict))
    }

    /// The state of a bucket with `left` requests. `wait` is the time until the next request is accepted, if the bucket
    /// is empty.
    fn budget(&self, left: u32, wait: Option<Duration>) -> Budget {
        // Time until the bucket is full again, or until the next request is accepted.
        let refill =
            Duration::from_secs(u64::from(WINDOW_SECONDS)) / self.quota.get() * (self.quota.get() - left);
        let seconds = whole_seconds(wait.unwrap_or(refill));
        let state = HeaderValue::try_from(format!("\"client\";r={left};t={seconds}"));
        Budget { policy: self.policy.clone(), state: state.unwrap_or_else(|_| self.policy.clone()), left }
    }

    /// Gives a charged request back to its client, so that it does not count against the client's rate.
    pub fn give_back(&self, client: ClientKey, budget: &Budget) {
        let mut credits = self.lock_credits();
        let credit = credits.entry(client).or_default();
        credit.requests = (credit.requests + 1).min(self.quota.get());
        credit.left = budget.left;
    }

    /// Uses a request that was given back, if there is one. Returns the number of requests left in the bucket.
    fn use_credit(&self, client: ClientKey) -> Option<u32> {
        let mut credits = self.lock_credits();
        let credit = credits.get_mut(&client)?;
        let left = credit.left;
        credit.requests -= 1;
        if credit.requests == 0 {
            credits.remove(&client);
        }
        Some(left)
    }

    fn lock_credits(&self) -> MutexGuard<'_, HashMap<IpAddr, Credit>> {
        self.credits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the additional cost of a refusal with suggestions. Returns false if the client does not have enough
    /// requests left; the refusal then has no suggestions.
    pub fn take_costly(&self, client: ClientKey) -> bool {
        !self.counts(client) || matches!(self.limiter.check_key_n(&client, COSTLY_REFUSAL), Ok(Ok(_)))
    }

    fn counts(&self, client: ClientKey) -> bool {
        self.loopback || !client.is_loopback()
    }

    /// Removes the clients whose buckets are full again.
    pub fn forget_idle(&self) {
        self.limiter.retain_recent();
        // Clearing the credits costs a client at most the requests that were given back to it.
        let mut credits = self.lock_credits();
        if credits.len() > CLIENTS_MAX {
            credits.clear();
        }
    }
}

/// The time in seconds, rounded up, at least 1.
fn whole_seconds(time: Duration) -> u64 {
    (time.as_secs() + u64::from(time.subsec_nanos() > 0)).max(1)
}

/// The client for which requests from an address are counted: the IPv4 address, or the IPv6 /64.
pub(super) fn bucket(client: IpAddr) -> ClientKey {
    match client.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_for_its_client_alone() {
        let rate = Rate::new(NonZeroU32::new(2).expect("not zero"), false);
        let one: IpAddr = "192.0.2.1".parse().expect("an address");
        let (budget, verdict) = rate.take(one).expect("counted");
        assert_eq!((budget.policy, verdict), (HeaderValue::from_static("\"client\";q=2;w=60"), Ok(())));
        assert_eq!(budget.state, "\"client\";r=1;t=30");
        assert_eq!(rate.take(one).expect("counted").1, Ok(()));
        let mapped = bucket("::ffff:192.0.2.1".parse().expect("an address"));
        assert!(rate.take(mapped).expect("counted").1.is_err());
        assert_eq!(rate.take("192.0.2.2".parse().expect("an address")).expect("counted").1, Ok(()));
        assert!(rate.take("127.0.0.1".parse().expect("an address")).is_none());
    }

    #[test]
    fn a_costly_refusal_counts_for_ten() {
        let rate = Rate::new(NonZeroU32::new(12).expect("not zero"), false);
        let one: IpAddr = "192.0.2.1".parse().expect("an address");
        assert_eq!(rate.take(one).expect("counted").1, Ok(()));
        assert!(rate.take_costly(one));
        assert_eq!(rate.take(one).expect("counted").1, Ok(()));
        assert!(!rate.take_costly(one), "one of twelve is left");
        assert!(rate.take_costly("127.0.0.1".parse().expect("an address")));
    }

    #[test]
    fn a_network_of_ipv6_addresses_is_one_client() {
        let bucket_of = |text: &str| bucket(text.parse().expect("an address"));
        assert_eq!(bucket_of("2001:db8:1:2:3::4"), bucket_of("2001:db8:1:2:ffff::1"));
        assert_ne!(bucket_of("2001:db8:1:2::1"), bucket_of("2001:db8:1:3::1"));
    }
}
