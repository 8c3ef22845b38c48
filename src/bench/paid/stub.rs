//! A simulated chain and facilitator. They answer only the requests that a server with open channels makes at its
//! start.

use std::future::pending;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread;

use alloy_primitives::hex;
use http_body_util::{BodyExt as _, Collected, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response};
use serde_json::Value;
use tokio::runtime;

use crate::payment::protocols::eip3009::number_word;
use crate::server::accept_loop::{ConnectionLimits, Handler, Peer, listen, serve};

/// Maximum length of a message, in bytes. A query of a hundred channels has a tenth of this length.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Length of a function selector, in bytes.
const SELECTOR: usize = 4;
const WORD: usize = 32;
/// Number of contract reads per channel: balance and claims, withdrawal, refunds.
const READS: usize = 3;

/// A node of a chain on which every channel has the same balance, and a facilitator for the chain.
struct Stub {
    chain_id: u64,
    balance: u64,
}

/// Starts a stub of a chain on which every channel has `balance` and nothing is claimed. Returns its address. Its
/// thread ends with the process.
pub(super) fn start(chain_id: u64, balance: u64) -> io::Result<SocketAddr> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(async { listen((Ipv4Addr::LOCALHOST, 0).into()) })?;
    let address = listener.local_addr()?;
    let stub = Arc::new(Stub { chain_id, balance });
    thread::Builder::new().name("stub".to_owned()).spawn(move || {
        runtime.block_on(serve(listener, stub, ConnectionLimits::default(), pending()));
    })?;
    Ok(address)
}

impl Handler for Stub {
    async fn handle(self: Arc<Self>, _: Peer, request: Request<Incoming>) -> Response<Bytes> {
        // An incomplete message is answered like a request to the facilitator, and the server repeats it.
        let body = Limited::new(request.into_body(), MESSAGE_BYTES_MAX).collect().await;
        let bytes = body.map(Collected::to_bytes).unwrap_or_default();
        let call: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let answer = match call["method"].as_str() {
            Some(method) => {
                let result = self.result(method, call["params"][0]["data"].as_str());
                format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}")
            }
            None => self.supported(),
        };
        Response::new(answer.into())
    }
}

impl Stub {
    /// The kinds of payment that the facilitator settles.
    fn supported(&self) -> String {
        let kind = |scheme: &str| {
            let chain_id = self.chain_id;
            format!("{{\"x402Version\":2,\"scheme\":\"{scheme}\",\"network\":\"eip155:{chain_id}\"}}")
        };
        format!("{{\"kinds\":[{},{}]}}", kind("exact"), kind("batch-settlement"))
    }

    /// The node's result of a JSON-RPC method. `data` is the encoded call of `eth_call`.
    fn result(&self, method: &str, data: Option<&str>) -> String {
        match (method, data.and_then(|data| hex::decode(data).ok())) {
            ("eth_chainId", _) => format!("\"{:#x}\"", self.chain_id),
            ("eth_getBlockByNumber", _) => "{\"number\":\"0x10\",\"timestamp\":\"0x10\"}".to_owned(),
            ("eth_getCode", _) => "\"0x60\"".to_owned(),
            ("eth_call", Some(data)) => {
                format!("\"{}\"", hex::encode_prefixed(channels(&data, self.balance)))
            }
            ("eth_getLogs", _) => "[]".to_owned(),
            ("eth_getTransactionReceipt", _) => "null".to_owned(),
            _ => "\"0x10\"".to_owned(),
        }
    }
}

/// The encoded result of `tryAggregate` for the reads of channels, three per channel.
fn channels(data: &[u8], balance: u64) -> Vec<u8> {
    let at = SELECTOR + 2 * WORD;
    let count = data
        .get(at + WORD - 8..at + WORD)
        .map_or(0, |bytes| bytes.iter().fold(0_usize, |number, byte| (number << 8) | usize::from(*byte)));
    let mut words: Vec<u64> = vec![WORD as u64, count as u64];
    let mut offset = count * WORD;
    for number in 0..count {
        words.push(offset as u64);
        offset += WORD * if number % READS == READS - 1 { 4 } else { 5 };
    }
    for number in 0..count {
        match number % READS {
            0 => words.extend([1, 64, 64, balance, 0]),
            1 => words.extend([1, 64, 64, 0, 0]),
            _ => words.extend([1, 64, 32, 0]),
        }
    }
    words.into_iter().flat_map(|word| number_word(word).0).collect()
}
