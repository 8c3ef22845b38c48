//! Payment metrics: rails, payments that ended, payment channels and the ledger. They are read when metrics are
//! requested.

use std::fmt;
use std::sync::{Arc, OnceLock};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use crate::payment::core::claim::{ClaimState, StoreError};
use crate::payment::core::gate::Gate;
use crate::payment::core::metrics::{
    CLAIM_OUTCOMES, COMMIT_SECONDS, CommitTimes, PAYMENT_SECONDS, PaymentMetrics,
};
use crate::payment::core::prices::ATOMIC_PER_USD;

type Labels = [(&'static str, &'static str); 1];

/// Writes the payment metrics of a gate, once one is set.
#[derive(Clone, Default)]
pub(super) struct PaymentCollector(Arc<OnceLock<Arc<Gate>>>);

impl PaymentCollector {
    pub(super) fn watch(&self, gate: Arc<Gate>) {
        let _ = self.0.set(gate);
    }
}

impl fmt::Debug for PaymentCollector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PaymentCollector").field(&self.0.get().is_some()).finish()
    }
}

impl Collector for PaymentCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let figures = self.0.get().map(|gate| {
            gate.figures().inspect_err(|error| {
                tracing::warn!(%error, "the ledger cannot be read, so the payment metrics are 0 or missing");
            })
        });
        let can_be_written = can_be_written(figures.as_ref());
        let figures = figures.as_ref().and_then(|figures| figures.as_ref().ok());
        let rails = || figures.into_iter().flat_map(|figures| &figures.rails);
        let mut up = gauge(&mut encoder, "rail_up", "Whether a rail can accept payments")?;
        for rail in rails() {
            set(&mut up, [("rail", rail.rail.as_str())], i64::from(rail.is_open))?;
        }
        let mut running = gauge(&mut encoder, "payments_running", "Payments in progress, by rail")?;
        for rail in rails() {
            set(&mut running, [("rail", rail.rail.as_str())], rail.at_work as i64)?;
        }
        settlements(&mut encoder, figures)?;
        channels(&mut encoder, figures)?;
        ledger(&mut encoder, figures, can_be_written)
    }
}

/// Payment channel metrics, summed over all rails.
fn channels(encoder: &mut DescriptorEncoder<'_>, figures: Option<&PaymentMetrics>) -> fmt::Result {
    let tills = || figures.into_iter().flat_map(|figures| &figures.channels);
    let count: usize = tills().map(|manager| manager.channels).sum();
    gauge(encoder, "channels", "Payment channels in memory")?.encode_gauge(&(count as i64))?;
    let at_risk: u64 = tills().map(|manager| manager.at_risk).sum();
    gauge(encoder, "channel_at_risk_usd", "Amount sold on payment channels and not claimed, in US dollars")?
        .encode_gauge(&(at_risk as f64 / ATOMIC_PER_USD as f64))?;
    let age = tills().filter_map(|manager| manager.mirror_age_s).fold(f64::NAN, f64::max);
    gauge(encoder, "channel_mirror_age_seconds", "Time since all payment channels were read from the chain")?
        .encode_gauge(&age)?;
    let withdrawals: usize = tills().map(|manager| manager.withdrawals).sum();
    gauge(encoder, "channel_withdrawals_pending", "Payment channels with a pending withdrawal by force")?
        .encode_gauge(&(withdrawals as i64))?;
    let help = "Claims on payment channels, by outcome";
    let mut claims = encoder.encode_descriptor("channel_claims", help, None, MetricType::Counter)?;
    for outcome in CLAIM_OUTCOMES {
        let counted = tills().flat_map(|manager| &manager.claims).filter(|(of, _)| *of == outcome);
        let count: u64 = counted.map(|(_, count)| count).sum();
        claims.encode_family(&[("outcome", outcome)])?.encode_counter::<NoLabelSet, _, u64>(&count, None)?;
    }
    let help = "Time to commit a sale on a payment channel to the ledger";
    let commits = tills().map(|manager| manager.commits).reduce(CommitTimes::and).unwrap_or_default();
    let bounds = COMMIT_SECONDS.into_iter().chain([f64::MAX]);
    let buckets: Vec<(f64, u64)> = bounds.zip(commits.by_seconds).collect();
    encoder
        .encode_descriptor("channel_commit_seconds", help, None, MetricType::Histogram)?
        .encode_histogram::<NoLabelSet>(commits.seconds, commits.count, &buckets, None)
}

/// Payments that ended, by rail and outcome, with the time from claim to end.
fn settlements(encoder: &mut DescriptorEncoder<'_>, figures: Option<&PaymentMetrics>) -> fmt::Result {
    let help = "Time from a payment's claim to its end, by rail and outcome";
    let mut seconds = encoder.encode_descriptor("settlement_seconds", help, None, MetricType::Histogram)?;
    for ended in figures.into_iter().flat_map(|figures| &figures.payments) {
        let labels = [("rail", ended.rail.as_str()), ("outcome", ended.outcome)];
        let bounds = PAYMENT_SECONDS.into_iter().chain([f64::MAX]);
        let buckets: Vec<(f64, u64)> = bounds.zip(ended.by_seconds).collect();
        let mut family = seconds.encode_family(&labels)?;
        family.encode_histogram::<NoLabelSet>(ended.seconds, ended.count, &buckets, None)?;
    }
    Ok(())
}

/// Whether the ledger can be written, as far as is known. A ledger that cannot be read counts as not writable.
/// Without a gate there is no ledger and the result is true.
fn can_be_written(figures: Option<&Result<PaymentMetrics, StoreError>>) -> bool {
    figures.is_none_or(|figures| figures.as_ref().is_ok_and(|figures| figures.ledger.fault.is_none()))
}

/// Ledger metrics.
fn ledger(
    encoder: &mut DescriptorEncoder<'_>,
    figures: Option<&PaymentMetrics>,
    can_be_written: bool,
) -> fmt::Result {
    let ledger = figures.map(|figures| &figures.ledger);
    gauge(encoder, "ledger_writable", "Whether the ledger can be written")?
        .encode_gauge(&i64::from(can_be_written))?;
    let waiting = ledger.map_or(0, |ledger| ledger.waiting as i64);
    gauge(encoder, "ledger_waiting", "Operations that wait to be written")?.encode_gauge(&waiting)?;
    let failing = figures.map_or(0, |figures| figures.payers_failing as i64);
    gauge(encoder, "payers_failing", "Payers whose payments are refused, because too many of them failed")?
        .encode_gauge(&failing)?;
    let mut claims = gauge(encoder, "ledger_payments", "Payments in the ledger, by state")?;
    for &state in ClaimState::ALL {
        let counted = ledger.and_then(|ledger| ledger.claims.iter().find(|(of, _)| *of == state));
        let count = counted.map_or(0, |&(_, count)| count as i64);
        set(&mut claims, [("state", state.as_str())], count)?;
    }
    let mut bytes = gauge(encoder, "ledger_answer_bytes", "Bytes of answers that are kept")?;
    let kept = ledger.map_or((0, 0), |ledger| (ledger.sold_bytes as i64, ledger.unsold_bytes as i64));
    set(&mut bytes, [("kind", "sold")], kept.0)?;
    set(&mut bytes, [("kind", "unsold")], kept.1)
}

fn gauge<'s>(
    encoder: &'s mut DescriptorEncoder<'_>,
    name: &'s str,
    help: &str,
) -> Result<MetricEncoder<'s>, fmt::Error> {
    encoder.encode_descriptor(name, help, None, MetricType::Gauge)
}

fn set(gauge: &mut MetricEncoder<'_>, labels: Labels, value: i64) -> fmt::Result {
    gauge.encode_family(&labels)?.encode_gauge(&value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::core::claim::LedgerMetrics;

    #[test]
    fn a_ledger_that_cannot_be_read_cannot_be_written() {
        let figures = |fault: Option<&str>| PaymentMetrics {
            rails: Vec::new(),
            payments: Vec::new(),
            payers_failing: 0,
            channels: Vec::new(),
            ledger: LedgerMetrics { fault: fault.map(Into::into), ..LedgerMetrics::default() },
        };
        assert!(can_be_written(None), "there is none");
        assert!(can_be_written(Some(&Ok(figures(None)))));
        assert!(!can_be_written(Some(&Ok(figures(Some("disk full"))))));
        assert!(!can_be_written(Some(&Err(StoreError("gone".into())))));
    }
}
