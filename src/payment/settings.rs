//! What the operator decides about payment, checked as a whole.

use alloy_primitives::Address;

use super::secret::Secret;

/// Base, or another EVM chain: payments by EIP-3009 authorization through a facilitator.
#[derive(Debug, Clone)]
pub struct EvmRail {
    /// CAIP-2 name, `eip155:<chain>`.
    pub network: String,
    /// Number of the chain.
    pub chain_id: u64,
    /// The token.
    pub asset: Address,
    /// Who is paid.
    pub pay_to: Address,
    /// Name of the token's EIP-712 domain.
    pub eip712_name: String,
    /// Version of the token's EIP-712 domain.
    pub eip712_version: String,
    /// Base URL of the facilitator.
    pub facilitator_url: String,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: String,
    /// Whether it is offered by x402.
    pub x402: bool,
    /// Whether it is offered by MPP.
    pub mpp: bool,
    /// What the facilitator wants to see as a bearer token.
    pub bearer: Option<Secret>,
}

/// Solana: payments by a partially signed transaction through a facilitator.
#[derive(Debug, Clone)]
pub struct SolanaRail {
    /// CAIP-2 name.
    pub network: String,
    /// Mint of the token.
    pub asset: [u8; 32],
    /// Owner of the token account that is paid.
    pub pay_to: [u8; 32],
    /// Base URL of the facilitator.
    pub facilitator_url: String,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: String,
    /// What the facilitator wants to see as a bearer token.
    pub bearer: Option<Secret>,
}

/// Tempo: payments by a signed transaction that this server broadcasts.
#[derive(Debug, Clone)]
pub struct TempoRail {
    /// Number of the chain.
    pub chain_id: u64,
    /// The token.
    pub asset: Address,
    /// Who is paid.
    pub pay_to: Address,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: String,
}
