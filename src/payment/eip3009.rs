//! EIP-3009 authorizations: what a payer signs on an EVM chain, and who signed it.

use alloy_primitives::{Address, B256};

/// `TransferWithAuthorization`, the message that is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// Payer.
    pub from: Address,
    /// Who is paid.
    pub to: Address,
    /// Atomic amount of the token.
    pub value: u64,
    /// Unix seconds before which it cannot be used.
    pub valid_after: u64,
    /// Unix seconds from which on it can no longer be used.
    pub valid_before: u64,
    /// Chosen by the payer; the token takes each once.
    pub nonce: B256,
}

/// An authorization with its signature, which was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// What was signed.
    pub authorization: Authorization,
    /// `r`, `s`, `v`.
    pub signature: [u8; 65],
}
