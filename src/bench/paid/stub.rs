//! A chain and a facilitator that say what a server with open channels wants to hear at its start, and nothing else.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;

use alloy_primitives::{Bytes, hex};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::payment::protocols::eip3009::number_word;

/// Longest message that is read, in bytes: a look at a hundred channels is a tenth of that.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Bytes of a selector.
const SELECTOR: usize = 4;
const WORD: usize = 32;
/// Reads of one channel: balance and claims, withdrawal, refunds.
const READS: usize = 3;

/// A listening stub; its threads end with the process.
pub(super) struct Stub(SocketAddr);

#[derive(Deserialize)]
struct Call {
    method: String,
    #[serde(default)]
    params: Vec<Param>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Param {
    Call { data: Bytes },
    Other(IgnoredAny),
}

impl Stub {
    /// Listens, as a node of that chain; every channel has `balance` and nothing of it is claimed.
    pub(super) fn start(chain_id: u64, balance: u64) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        thread::Builder::new().name("stub".to_owned()).spawn(move || {
            for socket in listener.incoming().flatten() {
                // A connection that breaks is the server's to open again.
                thread::spawn(move || drop(serve(socket, chain_id, balance)));
            }
        })?;
        Ok(Self(address))
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.0
    }
}

/// Answers the requests of one connection.
fn serve(mut socket: TcpStream, chain_id: u64, balance: u64) -> io::Result<()> {
    let mut reader = BufReader::new(socket.try_clone()?);
    loop {
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let field = line.trim_end();
            if field.is_empty() {
                break;
            }
            let (name, value) = field.split_once(':').unwrap_or((field, ""));
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse::<usize>().unwrap_or_default();
            }
        }
        if length > MESSAGE_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let answer = match serde_json::from_slice::<Call>(&body) {
            Ok(call) => {
                format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}}", result(&call, chain_id, balance))
            }
            Err(_) => supported(chain_id),
        };
        write!(
            socket,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        )?;
    }
}

/// What the facilitator settles.
fn supported(chain_id: u64) -> String {
    let kind = |scheme: &str| {
        format!("{{\"x402Version\":2,\"scheme\":\"{scheme}\",\"network\":\"eip155:{chain_id}\"}}")
    };
    format!("{{\"kinds\":[{},{}]}}", kind("exact"), kind("batch-settlement"))
}

/// What the node says.
fn result(call: &Call, chain_id: u64, balance: u64) -> String {
    match (call.method.as_str(), call.params.first()) {
        ("eth_chainId", _) => format!("\"{chain_id:#x}\""),
        ("eth_getBlockByNumber", _) => "{\"number\":\"0x10\",\"timestamp\":\"0x10\"}".to_owned(),
        ("eth_getCode", _) => "\"0x60\"".to_owned(),
        ("eth_call", Some(Param::Call { data })) => {
            format!("\"{}\"", hex::encode_prefixed(channels(data, balance)))
        }
        ("eth_getLogs", _) => "[]".to_owned(),
        ("eth_getTransactionReceipt", _) => "null".to_owned(),
        _ => "\"0x10\"".to_owned(),
    }
}

/// What `tryAggregate` returns for the reads of channels: three of each.
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
