//! A node of an EVM chain: its head, blocks, receipts and logs, as far as payments need them.
//!
//! A node is used only once it has said that its chain is the one of the rail; that and its first head are what
//! [`EvmNode::was_seen`] tells.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::payment::net::http::Client;
use crate::payment::net::rpc::{Failure, Quantity, Rpc};

/// The newest block, or slot, that was seen. It only grows.
#[derive(Debug, Default)]
pub struct ChainHead {
    number: AtomicU64,
    seen: AtomicBool,
}

impl ChainHead {
    /// Notes a block.
    pub fn see(&self, number: u64) {
        self.number.fetch_max(number, Ordering::SeqCst);
        self.seen.store(true, Ordering::SeqCst);
    }

    /// The newest; 0 before the first.
    pub fn get(&self) -> u64 {
        self.number.load(Ordering::SeqCst)
    }

    /// Whether there was any.
    pub fn was_seen(&self) -> bool {
        self.seen.load(Ordering::SeqCst)
    }
}

/// A block, as far as anybody asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct EvmBlock {
    /// Its number.
    pub number: Quantity,
    /// Its time in Unix seconds.
    pub timestamp: Quantity,
}

/// What a contract said while a transaction ran.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvmLog {
    /// The contract.
    pub address: Address,
    /// The hash of the event's signature, then its indexed parameters.
    pub topics: Vec<B256>,
    /// Its other parameters.
    pub data: Bytes,
    /// Its place in the block.
    pub log_index: Quantity,
    /// The transaction.
    pub transaction_hash: B256,
    /// Whether the chain took it back.
    #[serde(default)]
    pub removed: bool,
}

impl EvmLog {
    /// Whether `contract` said this, with `data` as its one parameter that is not indexed.
    pub fn says(&self, contract: Address, topics: &[B256], data: U256) -> bool {
        self.is_of(contract, topics) && self.data.len() == 32 && U256::from_be_slice(&self.data) == data
    }

    /// Whether `contract` said this.
    pub fn is_of(&self, contract: Address, topics: &[B256]) -> bool {
        !self.removed && self.address == contract && self.topics == topics
    }
}

/// How a transaction went that is in a block.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvmReceipt {
    /// The transaction.
    pub transaction_hash: B256,
    /// Its block.
    pub block_number: Quantity,
    /// 1 when it went well.
    pub status: Quantity,
    /// What was said, in order.
    pub logs: Vec<EvmLog>,
}

impl EvmReceipt {
    /// Whether the transaction went well.
    pub fn succeeded(&self) -> bool {
        self.status == Quantity(1)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Filter {
    address: Address,
    topics: [B256; 3],
    from_block: Quantity,
    to_block: Quantity,
}

#[derive(Serialize)]
struct Call {
    to: Address,
    data: Bytes,
}

/// A node of one chain.
#[derive(Debug)]
pub struct EvmNode {
    rpc: Rpc,
    chain_id: u64,
    is_right_chain: AtomicBool,
    head: ChainHead,
}

impl EvmNode {
    /// The node at `url`, which should be of chain `chain_id`.
    pub fn new(client: Client, url: &str, chain_id: u64) -> Self {
        let rpc = Rpc::new(client, url);
        Self { rpc, chain_id, is_right_chain: AtomicBool::new(false), head: ChainHead::default() }
    }

    /// The newest block that was seen.
    pub fn head(&self) -> u64 {
        self.head.get()
    }

    /// Whether it has shown a block of the right chain.
    pub fn was_seen(&self) -> bool {
        self.head.was_seen()
    }

    /// Asks for the head, and before that once for the chain.
    ///
    /// # Errors
    /// When there is no answer, or it is of another chain.
    pub async fn probe(&self) -> Result<(), String> {
        if !self.is_right_chain.load(Ordering::SeqCst) {
            let Quantity(chain) =
                self.rpc.call("eth_chainId", [(); 0]).await.map_err(|why| why.to_string())?;
            if chain != self.chain_id {
                return Err(format!(
                    "the node is on chain {chain}, and the rail is on chain {}; correct rpc_url or the network",
                    self.chain_id
                ));
            }
            self.is_right_chain.store(true, Ordering::SeqCst);
        }
        let Quantity(number) =
            self.rpc.call("eth_blockNumber", [(); 0]).await.map_err(|why| why.to_string())?;
        self.head.see(number);
        Ok(())
    }

    /// The newest block.
    ///
    /// # Errors
    /// When the node does not say.
    pub async fn latest(&self) -> Result<EvmBlock, Failure> {
        let block: EvmBlock = self.rpc.call("eth_getBlockByNumber", ("latest", false)).await?;
        self.head.see(block.number.0);
        Ok(block)
    }

    /// A block that there is.
    ///
    /// # Errors
    /// When the node does not say.
    pub async fn block(&self, number: u64) -> Result<EvmBlock, Failure> {
        self.rpc.call("eth_getBlockByNumber", (Quantity(number), false)).await
    }

    /// How a transaction went; `None` while it is in no block.
    ///
    /// # Errors
    /// When the node does not say.
    pub async fn receipt(&self, hash: B256) -> Result<Option<EvmReceipt>, Failure> {
        let receipt: Option<EvmReceipt> = self.rpc.call("eth_getTransactionReceipt", [hash]).await?;
        Ok(receipt.filter(|receipt| receipt.transaction_hash == hash))
    }

    /// Whether the node holds a transaction, in a block or waiting for one.
    ///
    /// # Errors
    /// When the node does not say.
    pub async fn knows(&self, hash: B256) -> Result<bool, Failure> {
        let known: Option<IgnoredAny> = self.rpc.call("eth_getTransactionByHash", [hash]).await?;
        Ok(known.is_some())
    }

    /// What `contract` said under `topics` in these blocks.
    ///
    /// # Errors
    /// When the node does not say.
    pub async fn logs(
        &self,
        contract: Address,
        topics: [B256; 3],
        (from, to): (u64, u64),
    ) -> Result<Vec<EvmLog>, Failure> {
        let filter = Filter { address: contract, topics, from_block: Quantity(from), to_block: Quantity(to) };
        let mut logs: Vec<EvmLog> = self.rpc.call("eth_getLogs", [filter]).await?;
        logs.retain(|log| log.is_of(contract, &topics));
        Ok(logs)
    }

    /// What a contract answers to a call at the newest block that was ever seen here: of nodes behind one address, one
    /// that has fallen back does not have it, and says so.
    ///
    /// # Errors
    /// When the node refuses it or does not say.
    pub async fn call(&self, to: Address, data: Bytes) -> Result<Bytes, Failure> {
        let newest: Quantity = self.rpc.call("eth_blockNumber", [(); 0]).await?;
        self.head.see(newest.0);
        self.rpc.call("eth_call", (Call { to, data }, Quantity(self.head.get()))).await
    }

    /// Whether there is a contract at an address.
    ///
    /// # Errors
    /// When the node does not say.
    pub async fn has_code(&self, address: Address) -> Result<bool, Failure> {
        let code: Bytes = self.rpc.call("eth_getCode", (address, "latest")).await?;
        Ok(!code.is_empty())
    }

    /// Broadcasts a transaction and waits until it is in a block.
    ///
    /// # Errors
    /// When the node refuses it, or does not say how it went within `time`.
    pub async fn send_and_wait(&self, raw: &Bytes, time: Duration) -> Result<EvmReceipt, Failure> {
        self.rpc.call_within(time, "eth_sendRawTransactionSync", [raw]).await
    }

    /// Broadcasts a transaction.
    ///
    /// # Errors
    /// When the node refuses it or does not answer.
    pub async fn send(&self, raw: &Bytes) -> Result<B256, Failure> {
        self.rpc.call("eth_sendRawTransaction", [raw]).await
    }
}
