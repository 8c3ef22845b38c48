//! `pricebook ledger claim` and `pricebook ledger sweep`: claims and sweeps of payment channels by an operator. The
//! commands work with or without a running server.
//!
//! The commands do not write to the ledger. The server reads from the chain which amounts were claimed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use tokio::time::{Instant, sleep};

use super::say;
use crate::payment::Mode;
use crate::payment::core::channel::ChannelTerms;
use crate::payment::core::channel::chain::{CLAIMS_PER_CALL_MAX, ChannelChain, ChannelClaim};
use crate::payment::core::channel::voucher_check::{DueClaim, claim_due};
use crate::payment::core::clock::{unix_millis, unix_seconds};
use crate::payment::core::prices::usd;
use crate::payment::core::rail::{CallTimes, RailMeans};
use crate::payment::core::scheme::{Scheme, Settlement};
use crate::payment::ledger::report::{ChannelRows, LedgerReport};
use crate::payment::net::http::Client;
use crate::payment::protocols::channel::ChannelId;
use crate::payment::settings::Settings;
use crate::server::config::{ServeConfig, ServeFlags};

/// Maximum wait until the facilitator and the node can be used.
const UP_MAX: Duration = Duration::from_secs(10);
/// Maximum wait until the chain shows a claim that the facilitator has reported.
const SHOWN_MAX: Duration = Duration::from_secs(30);
/// Pause between two polls of the facilitator, the node or the chain.
const LOOK: Duration = Duration::from_millis(250);

#[derive(Debug, Args)]
pub(super) struct ClaimArgs {
    /// Configuration file of the server; keys are read from the environment, as in the server.
    #[arg(long, value_name = "FILE", env = "PRICEBOOK_CONFIG")]
    config: PathBuf,
    /// Id of the channel to claim [default: all channels].
    #[arg(long, value_name = "ID")]
    channel: Option<ChannelId>,
}

#[derive(Debug, Args)]
pub(super) struct SweepArgs {
    /// Configuration file of the server; keys are read from the environment, as in the server.
    #[arg(long, value_name = "FILE", env = "PRICEBOOK_CONFIG")]
    config: PathBuf,
}

/// The payment channel rail of a configuration, started and usable.
struct Opened {
    settings: Settings,
    chain: Arc<dyn ChannelChain>,
    // Dropping the scheme ends its probes of the facilitator and the node.
    _scheme: Arc<dyn Scheme>,
}

fn settings(config: PathBuf) -> anyhow::Result<Settings> {
    let flags = ServeFlags { config: Some(config), ..ServeFlags::default() };
    let settings = ServeConfig::load(flags)?.payment.context("payments are off in this configuration")?;
    ensure!(
        settings.mode == Mode::Live,
        "payments are in sandbox mode in this configuration: claim and sweep require the mode live"
    );
    Ok(settings)
}

async fn open(settings: Settings) -> anyhow::Result<Opened> {
    let rail = settings.rails.iter().find(|rail| rail.channel_terms().is_some());
    let rail = rail.context("the configuration has no [payment.rail.channels]")?;
    let times = CallTimes {
        verify: settings.verify_timeout,
        settle: settings.settle_timeout,
        offer_s: settings.offer_ttl_s,
    };
    let started = Arc::clone(rail).start(&RailMeans { client: Client::new(), times, clock: unix_seconds });
    let chain = started.channels.context("the rail has no contracts")?;
    let began = Instant::now();
    while !(chain.is_up() && chain.can_settle()) {
        if began.elapsed() > UP_MAX {
            let why = started.scheme.fault().unwrap_or_else(|| "no answer was received".to_owned());
            bail!("the facilitator or the node cannot be used: {why}");
        }
        sleep(LOOK).await;
    }
    Ok(Opened { settings, chain, _scheme: started.scheme })
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?)
}

/// Claims that are due on all channels of a ledger, or on one channel.
struct Due {
    claims: Vec<(ChannelId, ChannelClaim)>,
    /// Ids of channels whose row checksums do not match. Their vouchers cannot be trusted.
    damaged: Vec<String>,
}

impl Due {
    fn of(rows: ChannelRows, channel: Option<ChannelId>, chain: &dyn ChannelChain) -> anyhow::Result<Self> {
        let everything = ChannelTerms { claim_at: 1, ..ChannelTerms::default() };
        let damaged = rows.broken.into_iter().map(|channel| channel.id);
        let is_meant = |id: &String| channel.is_none_or(|channel| channel.to_string() == *id);
        let damaged: Vec<String> = damaged.filter(is_meant).collect();
        let mut rows = rows.sound;
        rows.retain(|row| channel.is_none_or(|channel| channel == row.id));
        ensure!(
            channel.is_none() || rows.len() + damaged.len() > 0,
            "the ledger does not contain this channel; `pricebook ledger channels` lists all channels"
        );
        let mut claims = Vec::new();
        for row in rows {
            let ends = !chain.is_current(&row.config);
            if let Some(DueClaim { voucher, claimed, .. }) = claim_due(&row, &everything, unix_millis(), ends)
            {
                claims.push((row.id, ChannelClaim { config: row.config, voucher, claimed }));
            }
        }
        claims.sort_by_key(|(_, claim)| claim.config.receiver_authorizer);
        Ok(Self { claims, damaged })
    }
}

/// Claims amounts that were sold and are not claimed yet. On a channel in recent use, the voucher before the newest one
/// is claimed, as in the server.
pub(super) fn claim(args: ClaimArgs) -> anyhow::Result<()> {
    let settings = settings(args.config)?;
    runtime()?.block_on(async {
        let Opened { settings, chain, .. } = open(settings).await?;
        let rows = LedgerReport::open(&settings.ledger)?.channel_rows()?;
        let Due { claims, damaged } = Due::of(rows, args.channel, chain.as_ref())?;
        if claims.is_empty() {
            say("there is no amount to claim\n")?;
        }
        let mut failed = 0;
        for some in claims.chunk_by(|(_, one), (_, other)| {
            one.config.receiver_authorizer == other.config.receiver_authorizer
        }) {
            for some in some.chunks(CLAIMS_PER_CALL_MAX) {
                failed += usize::from(!claim_some(chain.as_ref(), some).await?);
            }
        }
        ensure!(
            failed == 0,
            "{failed} claim transactions did not succeed; no amount is lost, and the command can be run again"
        );
        ensure!(
            damaged.is_empty(),
            "{} channels have damaged rows and were skipped, the first is {}: `pricebook ledger verify` lists the \
             rows, and a backup contains the original rows",
            damaged.len(),
            damaged[0]
        );
        Ok(())
    })
}

/// Claims channels that share an authorizer. Returns false if the chain does not show the claim.
async fn claim_some(chain: &dyn ChannelChain, some: &[(ChannelId, ChannelClaim)]) -> anyhow::Result<bool> {
    let ids: Vec<ChannelId> = some.iter().map(|(id, _)| *id).collect();
    let claims: Vec<ChannelClaim> = some.iter().map(|(_, claim)| claim.clone()).collect();
    let before = claimed(chain, &ids).await?;
    let (why, transaction) = match chain.claim(&claims).await {
        Settlement::Done(transaction) => (String::new(), transaction),
        Settlement::Refused(why, transaction) | Settlement::Unclear(why, transaction) => (why, transaction),
    };
    let began = Instant::now();
    let mut now = claimed(chain, &ids).await?;
    while now == before && why.is_empty() && began.elapsed() < SHOWN_MAX {
        sleep(LOOK).await;
        now = claimed(chain, &ids).await?;
    }
    let (transaction, amount) =
        (transaction.unwrap_or_else(|| "-".to_owned()), usd(now.saturating_sub(before)));
    let line = format!("transaction {transaction} channels {} amount {amount} USD {why}", ids.len());
    say(format_args!("{}\n", line.trim_end()))?;
    Ok(now > before)
}

async fn claimed(chain: &dyn ChannelChain, ids: &[ChannelId]) -> anyhow::Result<u64> {
    let said = chain.query(ids).await.map_err(anyhow::Error::msg)?;
    Ok(said.iter().map(|channel| channel.claimed).sum())
}

/// Transfers the claimed amounts to the receiver.
pub(super) fn sweep(args: SweepArgs) -> anyhow::Result<()> {
    let settings = settings(args.config)?;
    runtime()?.block_on(async {
        let Opened { chain, .. } = open(settings).await?;
        let unswept = chain.unswept().await.map_err(anyhow::Error::msg)?;
        if unswept == 0 {
            return say("there is no claimed amount to sweep\n");
        }
        match chain.sweep().await {
            Settlement::Done(transaction) => {
                let transaction = transaction.unwrap_or_else(|| "-".to_owned());
                say(format_args!("transaction {transaction} amount {} USD\n", usd(unswept)))
            }
            Settlement::Refused(why, _) => bail!("no amount was swept: {why}"),
            Settlement::Unclear(why, _) => {
                bail!(
                    "the outcome of the sweep is not known: {why}; run the command again to see what is left"
                )
            }
        }
    })
}
