//! A paid server and its clients. Each connection has a payment channel, and its vouchers are signed in advance.
//!
//! The server runs in payment mode `live`, with a durable ledger. `stub` simulates its chain and its facilitator, and
//! answers only the requests of a server at its start. The server does not claim payments on the chain during the
//! measurement. The measured time of a request includes the check of a signature, the computation of the answer and
//! the write of a row to disk.

mod stub;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address, B256, address, hex, keccak256};
use anyhow::{Context as _, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::child::{self, Server};
use super::mix::Request;
use super::probe::Job;
use crate::payment::core::channel::row::{ChannelRow, ChannelStore as _, ChannelWrite, OnChain};
use crate::payment::core::claim::ClaimStore as _;
use crate::payment::ledger::report::{LedgerReport, ReportDays};
use crate::payment::ledger::{Ledger, ReplyLimits};
use crate::payment::protocols::channel::{
    AuthorizerKey, ChannelConfig, ChannelId, channel_domain, voucher_digest,
};
use crate::payment::protocols::codec::base64;
use crate::payment::protocols::eip3009::Domain;
use crate::payment::protocols::x402::batch::{BATCH, ConfigText};
use crate::payment::rails;

/// Name of the rail of all payments.
const RAIL: &str = "channels";
/// Id of the chain of the rail, and address of the token on this chain.
const CHAIN_ID: u64 = 8_453;
const USDC: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
/// Receiver of the payments.
const PAY_TO: Address = address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC");
/// Deposit of each channel, in atomic USDC: a million dollars, more than any run spends.
const BALANCE: u64 = 1_000_000_000_000;
const WITHDRAW_DELAY_S: u64 = 86_400;
/// Number of additional vouchers that are signed per connection, because some connections send more requests than the
/// average.
const SPARE: usize = 64;

/// A client, with its payment channel and the amount that it has signed.
struct Payer {
    key: AuthorizerKey,
    config: ChannelConfig,
    id: ChannelId,
    /// Total amount that the newest voucher of the channel signs, in atomic USDC.
    signed: u64,
    /// Index of the next request.
    next: usize,
}

/// The payments in the ledger of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Payments {
    /// Number of payments, including the payments of the warm-up.
    pub count: u64,
    /// Sum of the payments, in atomic USDC.
    pub atomic: u64,
}

/// A request with a price.
#[derive(Debug, Clone)]
pub(super) struct Priced {
    /// The request.
    pub(super) request: Request,
    /// Price in atomic USDC.
    pub(super) price: u64,
}

/// Requests with their vouchers, in the order in which each connection must send them.
#[derive(Default)]
pub(super) struct PaidLines(Vec<RefCell<VecDeque<Job>>>);

impl PaidLines {
    /// Takes the next request of a connection; `None` if its vouchers are used up.
    pub(super) fn take(&self, line: usize) -> Option<Job> {
        self.0.get(line)?.borrow_mut().pop_front()
    }

    /// All requests, in an order in which they can be sent one after the other.
    pub(super) fn into_jobs(self) -> Vec<Job> {
        self.0.into_iter().flat_map(RefCell::into_inner).collect()
    }
}

/// A paid server and its payers.
pub(super) struct PaidServer {
    server: Server,
    ledger: PathBuf,
    domain: Domain,
    payers: Vec<Payer>,
    requests: Vec<Priced>,
}

impl PaidServer {
    /// Starts a server with a channel for each connection in its ledger.
    ///
    /// # Errors
    /// Returns an error if the server does not start.
    pub(super) fn start(
        snapshot: &Path,
        cores: Option<&str>,
        log: &str,
        requests: Vec<Priced>,
        connections: usize,
    ) -> anyhow::Result<Self> {
        ensure!(
            !requests.is_empty(),
            "the mix has no paid request that the snapshot can answer; name another mix"
        );
        let domain = channel_domain(CHAIN_ID);
        let authorizer = key(b"authorizer", 0)?;
        let stub = stub::start(CHAIN_ID, BALANCE).context("the simulated chain cannot listen")?;
        let payer = |number: usize| {
            let key = key(b"payer", number)?;
            let config = ChannelConfig {
                payer: key.address(),
                payer_authorizer: key.address(),
                receiver: PAY_TO,
                receiver_authorizer: authorizer.address(),
                token: USDC,
                withdraw_delay: WITHDRAW_DELAY_S,
                salt: B256::ZERO,
            };
            let id = config.id(&domain);
            Ok(Payer { key, config, id, signed: 0, next: number * requests.len() / connections })
        };
        let payers: Vec<Payer> = (0..connections).map(payer).collect::<anyhow::Result<_>>()?;
        let folder =
            child::folder_of(snapshot).context("the folder for the server's snapshot cannot be created")?;
        let ledger = folder.join("ledger.sqlite");
        seed(&ledger, &payers)?;
        let config = folder.join("pricebook.toml");
        std::fs::write(&config, configuration(&folder, &ledger, stub))?;
        let environment = [
            ("PRICEBOOK_PAYMENT_SECRET", hex::encode(key_bytes(b"secret", 0))),
            ("PRICEBOOK_CHANNEL_KEY", hex::encode(key_bytes(b"authorizer", 0))),
        ];
        let server = child::serve_paid(&config, folder, cores, log, &environment)?;
        Ok(Self { server, ledger, domain, payers, requests })
    }

    /// Address that the server listens on.
    pub(super) fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Signs the vouchers of a run of `count` requests. The vouchers start at the amounts in the ledger, because
    /// vouchers of earlier runs that were not sent are discarded.
    ///
    /// # Errors
    /// Returns an error if the ledger cannot be read.
    pub(super) fn sign(&mut self, count: usize) -> anyhow::Result<PaidLines> {
        let each = count.div_ceil(self.payers.len().max(1)) + SPARE;
        let reader = LedgerReport::open(&self.ledger)?;
        let mut lines = Vec::with_capacity(self.payers.len());
        for payer in &mut self.payers {
            payer.signed = reader.charged(payer.id)?;
            let mut line = VecDeque::with_capacity(each);
            for _ in 0..each {
                let Priced { request, price } = &self.requests[payer.next % self.requests.len()];
                payer.next += 1;
                payer.signed += price;
                let header = header(payer, *price, &self.domain);
                let bytes = format!(
                    "GET {} HTTP/1.1\r\nhost: {}\r\npayment-signature: {header}\r\n\r\n",
                    request.target, self.server.address
                );
                line.push_back(Job { route: request.route, bytes: bytes.into_bytes() });
            }
            lines.push(RefCell::new(line));
        }
        Ok(PaidLines(lines))
    }

    /// Number and sum of the payments in the ledger.
    ///
    /// # Errors
    /// Returns an error if the ledger cannot be read or has damaged rows.
    pub(super) fn taken(&self) -> anyhow::Result<Payments> {
        let summary = LedgerReport::open(&self.ledger)?.summary(ReportDays::default())?;
        let damaged = summary.damaged();
        ensure!(damaged == 0, "{damaged} rows of {} do not match their checksums", self.ledger.display());
        let (count, atomic) = summary.totals();
        Ok(Payments { count, atomic })
    }
}

fn key_bytes(label: &[u8], number: usize) -> [u8; 32] {
    keccak256([b"pricebook bench ", label, &number.to_be_bytes()].concat()).0
}

fn key(label: &[u8], number: usize) -> anyhow::Result<AuthorizerKey> {
    AuthorizerKey::new(key_bytes(label, number)).context("the hash is not a valid key")
}

/// Creates a ledger that contains the channels of the payers.
fn seed(path: &Path, payers: &[Payer]) -> anyhow::Result<()> {
    let limits = ReplyLimits { reply_ttl_s: 1, replies_bytes_max: 1 };
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as u64;
    let ledger = Ledger::open(path, limits, now)?;
    let rail = rails::named(RAIL)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        for payer in payers {
            let chain = OnChain { balance: BALANCE, ..OnChain::default() };
            let row = ChannelRow::new(payer.id, rail, payer.config.clone(), chain, now);
            ensure!(
                ledger.open_channel(row).await? == ChannelWrite::Done,
                "two payers have the same channel"
            );
        }
        ledger.close().await?;
        Ok(())
    })
}

fn configuration(folder: &Path, ledger: &Path, stub: SocketAddr) -> String {
    format!(
        "snapshots = \"{}\"\n\
         [payment]\nmode = \"live\"\npublic_base_url = \"http://127.0.0.1\"\nledger = \"{}\"\n\
         [payment.rail.base]\nnetwork = \"eip155:{CHAIN_ID}\"\nasset = \"{USDC}\"\npay_to = \"{PAY_TO}\"\n\
         facilitator_url = \"http://{stub}/facilitator\"\nrpc_url = \"http://{stub}/rpc\"\n\
         [payment.rail.channels]\nwithdraw_delay_s = {WITHDRAW_DELAY_S}\ndeposit_max = {BALANCE}\nclaim_at = {BALANCE}\n\
         at_risk_channel_max = {BALANCE}\nat_risk_max = {BALANCE}\nclaim_after_s = 2592000\nvouchers_per_s = 1000000\n",
        folder.display(),
        ledger.display()
    )
}

/// The `PAYMENT-SIGNATURE` header of a payer's next voucher.
fn header(payer: &Payer, price: u64, domain: &Domain) -> String {
    let signature = payer.key.sign(voucher_digest(payer.id, payer.signed, domain));
    let payment: Value = json!({
        "x402Version": 2,
        "accepted": {
            "scheme": BATCH,
            "network": format!("eip155:{CHAIN_ID}"),
            "amount": price.to_string(),
            "asset": USDC.to_checksum(None),
            "payTo": PAY_TO.to_checksum(None),
            "maxTimeoutSeconds": 60,
        },
        "payload": {
            "type": "voucher",
            "channelConfig": ConfigText::from(&payer.config),
            "voucher": {
                "channelId": payer.id,
                "maxClaimableAmount": payer.signed.to_string(),
                "signature": hex::encode_prefixed(signature),
            },
        },
    });
    base64(payment.to_string().as_bytes())
}
