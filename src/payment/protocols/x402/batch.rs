//! `batch-settlement` of x402: what clients send on payment channels, what they are answered, and what facilitators are
//! told.
//!
//! Whatever a client echoes of an offer is only looked at for scheme and network; what it signs is read to the digit.
//! What goes to a facilitator is rebuilt from checked parts, the same bytes each time. Neighbours: `protocols::channel`
//! has what is signed, [`super::facilitator`] the other scheme's words.

use std::fmt;

use alloy_primitives::{Address, hex};
use serde::{Deserialize, Serialize};

use super::{Digits, Malformed, Requirement, Resource, VERSION};
use crate::payment::protocols::channel::{ChannelConfig, ChannelId, DepositAuthorization, Signature};
use crate::payment::protocols::codec::{base64, from_hex, json};
use crate::payment::protocols::eip3009::{address, word};

/// The scheme of payment channels.
pub const BATCH: &str = "batch-settlement";

/// The client is out of step with its channel: it adopts the state that comes with this.
pub const AMOUNT_MISMATCH: &str = "invalid_batch_settlement_evm_cumulative_amount_mismatch";
/// The voucher is below what was claimed: the client reads the chain.
pub const BELOW_CLAIMED: &str = "invalid_batch_settlement_evm_cumulative_below_claimed";
/// The refund's amount cannot be given back.
pub const REFUND_AMOUNT_INVALID: &str = "invalid_batch_settlement_evm_refund_amount_invalid";
/// There is nothing to give back.
pub const REFUND_NO_BALANCE: &str = "invalid_batch_settlement_evm_refund_no_balance";

/// What a client sends on a channel, not yet checked. Its `Debug` form shows no signature.
#[derive(PartialEq, Eq)]
pub struct ChannelPayload {
    /// What the channel is.
    pub config: ChannelConfig,
    /// Which channel the voucher is for, by the client's word.
    pub id: ChannelId,
    /// What the voucher signs.
    pub max: u64,
    /// The voucher's signature, of whatever length.
    pub signature: Vec<u8>,
    /// What is asked.
    pub act: PayloadAct,
}

/// What is asked on a channel.
#[derive(PartialEq, Eq)]
pub enum PayloadAct {
    /// An answer.
    Voucher,
    /// An answer, after a deposit.
    Deposit {
        /// What its payer signs.
        authorization: DepositAuthorization,
        /// The signature, of whatever length.
        signature: Vec<u8>,
    },
    /// The same, with another kind of deposit.
    DepositOtherwise,
    /// Money back.
    Refund {
        /// How much, in atomic units; everything without it.
        amount: Option<u64>,
    },
}

impl fmt::Debug for ChannelPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let act = match self.act {
            PayloadAct::Voucher => "voucher",
            PayloadAct::Deposit { .. } | PayloadAct::DepositOtherwise => "deposit",
            PayloadAct::Refund { .. } => "refund",
        };
        f.debug_struct("ChannelPayload").field("act", &act).field("max", &self.max).finish_non_exhaustive()
    }
}

/// A channel's configuration as JSON holds it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireConfig {
    payer: String,
    payer_authorizer: String,
    receiver: String,
    receiver_authorizer: String,
    token: String,
    withdraw_delay: Digits,
    salt: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireVoucher {
    channel_id: String,
    max_claimable_amount: Digits,
    signature: String,
}

#[derive(Deserialize)]
pub(super) struct WireDeposit {
    amount: Digits,
    authorization: WireDepositAuthorization,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireDepositAuthorization {
    erc3009_authorization: Option<WireErc3009>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireErc3009 {
    valid_after: Digits,
    valid_before: Digits,
    salt: String,
    signature: String,
}

/// The parts of a payload that channels have.
pub(super) struct WireChannel {
    pub(super) kind: String,
    pub(super) config: Option<WireConfig>,
    pub(super) voucher: Option<WireVoucher>,
    pub(super) deposit: Option<WireDeposit>,
    pub(super) amount: Option<Digits>,
}

const SIGNATURE: Malformed = Malformed("write signatures as 0x and hexadecimal digits");
const ADDRESS: Malformed = Malformed("the addresses of channelConfig must be 0x and 40 hexadecimal digits");
const WORD: Malformed = Malformed("channelId and salt must be 0x and 64 hexadecimal digits");

impl WireChannel {
    pub(super) fn read(self) -> Result<ChannelPayload, Malformed> {
        let (Some(config), Some(voucher)) = (self.config, self.voucher) else {
            return Err(Malformed("a payload on a channel must contain channelConfig and voucher"));
        };
        let act = match (self.kind.as_str(), self.deposit) {
            ("voucher", _) => PayloadAct::Voucher,
            ("deposit", Some(deposit)) => deposit.read()?,
            ("deposit", None) => return Err(Malformed("a payload of type deposit must contain deposit")),
            ("refund", _) => PayloadAct::Refund { amount: self.amount.map(|amount| amount.0) },
            _ => return Err(Malformed("type must be voucher, deposit or refund")),
        };
        Ok(ChannelPayload {
            config: config.read()?,
            id: word(&voucher.channel_id).ok_or(WORD)?,
            max: voucher.max_claimable_amount.0,
            signature: from_hex(&voucher.signature).ok_or(SIGNATURE)?,
            act,
        })
    }
}

impl WireConfig {
    fn read(self) -> Result<ChannelConfig, Malformed> {
        Ok(ChannelConfig {
            payer: address(&self.payer).ok_or(ADDRESS)?,
            payer_authorizer: address(&self.payer_authorizer).ok_or(ADDRESS)?,
            receiver: address(&self.receiver).ok_or(ADDRESS)?,
            receiver_authorizer: address(&self.receiver_authorizer).ok_or(ADDRESS)?,
            token: address(&self.token).ok_or(ADDRESS)?,
            withdraw_delay: self.withdraw_delay.0,
            salt: word(&self.salt).ok_or(WORD)?,
        })
    }
}

impl WireDeposit {
    fn read(self) -> Result<PayloadAct, Malformed> {
        let Some(WireErc3009 { valid_after, valid_before, salt, signature }) =
            self.authorization.erc3009_authorization
        else {
            return Ok(PayloadAct::DepositOtherwise);
        };
        let authorization = DepositAuthorization {
            amount: self.amount.0,
            valid_after: valid_after.0,
            valid_before: valid_before.0,
            salt: word(&salt).ok_or(WORD)?,
        };
        Ok(PayloadAct::Deposit { authorization, signature: from_hex(&signature).ok_or(SIGNATURE)? })
    }
}

/// A configuration as JSON, for the ledger, for facilitators and for who pays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigText {
    payer: String,
    payer_authorizer: String,
    receiver: String,
    receiver_authorizer: String,
    token: String,
    withdraw_delay: u64,
    salt: String,
}

impl From<&ChannelConfig> for ConfigText {
    fn from(config: &ChannelConfig) -> Self {
        let written = |address: Address| address.to_checksum(None);
        Self {
            payer: written(config.payer),
            payer_authorizer: written(config.payer_authorizer),
            receiver: written(config.receiver),
            receiver_authorizer: written(config.receiver_authorizer),
            token: written(config.token),
            withdraw_delay: config.withdraw_delay,
            salt: hex::encode_prefixed(config.salt),
        }
    }
}

/// A configuration as JSON, in one spelling.
///
/// # Panics
/// Never: JSON is text.
pub fn config_text(config: &ChannelConfig) -> String {
    String::from_utf8(json(&ConfigText::from(config))).expect("JSON is text")
}

/// Reads what [`config_text`] wrote.
pub fn config_of(text: &str) -> Option<ChannelConfig> {
    serde_json::from_str::<WireConfig>(text).ok()?.read().ok()
}

/// How a channel stands, as clients read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelStateText {
    /// Channel.
    pub channel_id: ChannelId,
    /// What was deposited and not given back, in atomic units.
    pub balance: String,
    /// What was claimed.
    pub total_claimed: String,
    /// Unix seconds at which a withdrawal by force was begun; 0 while none is pending.
    pub withdraw_requested_at: u64,
    /// How many refunds there were.
    pub refund_nonce: String,
    /// What was sold.
    pub charged_cumulative_amount: String,
}

/// The newest voucher that is known here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VoucherStateText {
    /// What it signs.
    pub signed_max_claimable: String,
    /// The signature.
    pub signature: String,
}

impl VoucherStateText {
    /// Of a voucher.
    pub fn new(max: u64, signature: &Signature) -> Self {
        Self { signed_max_claimable: max.to_string(), signature: hex::encode_prefixed(signature) }
    }
}

/// What happened on a channel, as its client is told in `PAYMENT-RESPONSE`.
#[derive(Debug, Clone)]
pub struct ChannelReceipt<'a> {
    /// Who pays.
    pub payer: Address,
    /// CAIP-2 name of the network.
    pub network: &'a str,
    /// Transaction; empty where nothing was settled.
    pub transaction: &'a str,
    /// What was moved by it, in atomic units; `None` where nothing was.
    pub moved: Option<u64>,
    /// What was charged, in atomic units.
    pub charged: u64,
    /// How the channel stands then.
    pub state: ChannelStateText,
    /// Whether no money moves because none is meant to.
    pub sandbox: bool,
}

/// The `PAYMENT-RESPONSE` header of a channel.
pub fn receipt_header(receipt: &ChannelReceipt<'_>) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Extra<'a> {
        charged_amount: String,
        channel_state: &'a ChannelStateText,
        #[serde(skip_serializing_if = "Option::is_none")]
        sandbox: Option<bool>,
    }
    #[derive(Serialize)]
    struct Response<'a> {
        success: bool,
        payer: String,
        transaction: &'a str,
        network: &'a str,
        amount: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        sandbox: Option<bool>,
        extra: Extra<'a>,
    }
    let sandbox = receipt.sandbox.then_some(true);
    base64(&json(&Response {
        success: true,
        payer: receipt.payer.to_checksum(None),
        transaction: receipt.transaction,
        network: receipt.network,
        amount: receipt.moved.map(|moved| moved.to_string()).unwrap_or_default(),
        sandbox,
        extra: Extra { charged_amount: receipt.charged.to_string(), channel_state: &receipt.state, sandbox },
    }))
}

/// A voucher as a facilitator is told of it.
#[derive(Debug, Clone, Copy)]
pub struct VoucherOf<'a> {
    /// Channel.
    pub config: &'a ChannelConfig,
    /// Its name.
    pub id: ChannelId,
    /// What is signed.
    pub max: u64,
    /// The signature.
    pub signature: &'a Signature,
}

/// A channel in a claim, as a facilitator is told of it.
#[derive(Debug, Clone, Copy)]
pub struct ClaimOf<'a> {
    /// The voucher.
    pub voucher: VoucherOf<'a>,
    /// What is claimed then, from the channel's beginning.
    pub claimed: u64,
}

/// What a facilitator is asked on a channel.
#[derive(Debug, Clone, Copy)]
pub enum ChannelOrder<'a> {
    /// To take a deposit.
    Deposit {
        /// The voucher that came with it.
        voucher: VoucherOf<'a>,
        /// What its payer signed.
        authorization: &'a DepositAuthorization,
        /// The payer's signature.
        signature: &'a Signature,
    },
    /// To claim.
    Claim {
        /// What.
        claims: &'a [ClaimOf<'a>],
        /// Our signature of it.
        signature: &'a Signature,
    },
    /// To move what was claimed to its receiver.
    Sweep {
        /// Receiver.
        receiver: Address,
        /// Token.
        token: Address,
    },
    /// To give money back.
    Refund {
        /// A voucher of the channel.
        voucher: VoucherOf<'a>,
        /// Atomic units.
        amount: u64,
        /// The contract's count of the channel's refunds.
        nonce: u64,
        /// What is claimed before.
        claims: &'a [ClaimOf<'a>],
        /// Our signature of that, where there is any.
        claims_signature: Option<&'a Signature>,
        /// Our signature of the refund.
        signature: &'a Signature,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VoucherText {
    channel_id: ChannelId,
    max_claimable_amount: String,
    signature: String,
}

impl From<&VoucherOf<'_>> for VoucherText {
    fn from(voucher: &VoucherOf<'_>) -> Self {
        Self {
            channel_id: voucher.id,
            max_claimable_amount: voucher.max.to_string(),
            signature: hex::encode_prefixed(voucher.signature),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClaimedVoucher {
    channel: ConfigText,
    max_claimable_amount: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClaimText {
    voucher: ClaimedVoucher,
    signature: String,
    total_claimed: String,
}

impl From<&ClaimOf<'_>> for ClaimText {
    fn from(claim: &ClaimOf<'_>) -> Self {
        let VoucherOf { config, max, signature, .. } = claim.voucher;
        Self {
            voucher: ClaimedVoucher { channel: config.into(), max_claimable_amount: max.to_string() },
            signature: hex::encode_prefixed(signature),
            total_claimed: claim.claimed.to_string(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Erc3009Text {
    valid_after: String,
    valid_before: String,
    salt: String,
    signature: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuthorizationText {
    erc3009_authorization: Erc3009Text,
}

#[derive(Serialize)]
struct DepositText {
    amount: String,
    authorization: AuthorizationText,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum OrderText {
    Deposit {
        channel_config: ConfigText,
        voucher: VoucherText,
        deposit: DepositText,
    },
    Claim {
        claims: Vec<ClaimText>,
        claim_authorizer_signature: String,
    },
    Settle {
        receiver: String,
        token: String,
    },
    Refund {
        channel_config: ConfigText,
        voucher: VoucherText,
        amount: String,
        refund_nonce: String,
        claims: Vec<ClaimText>,
        refund_authorizer_signature: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        claim_authorizer_signature: Option<String>,
    },
}

impl From<&ChannelOrder<'_>> for OrderText {
    fn from(order: &ChannelOrder<'_>) -> Self {
        match *order {
            ChannelOrder::Deposit { ref voucher, authorization, signature } => Self::Deposit {
                channel_config: voucher.config.into(),
                voucher: voucher.into(),
                deposit: DepositText {
                    amount: authorization.amount.to_string(),
                    authorization: AuthorizationText {
                        erc3009_authorization: Erc3009Text {
                            valid_after: authorization.valid_after.to_string(),
                            valid_before: authorization.valid_before.to_string(),
                            salt: hex::encode_prefixed(authorization.salt),
                            signature: hex::encode_prefixed(signature),
                        },
                    },
                },
            },
            ChannelOrder::Claim { claims, signature } => Self::Claim {
                claims: claims.iter().map(ClaimText::from).collect(),
                claim_authorizer_signature: hex::encode_prefixed(signature),
            },
            ChannelOrder::Sweep { receiver, token } => {
                Self::Settle { receiver: receiver.to_checksum(None), token: token.to_checksum(None) }
            }
            ChannelOrder::Refund { ref voucher, amount, nonce, claims, claims_signature, signature } => {
                Self::Refund {
                    channel_config: voucher.config.into(),
                    voucher: voucher.into(),
                    amount: amount.to_string(),
                    refund_nonce: nonce.to_string(),
                    claims: claims.iter().map(ClaimText::from).collect(),
                    refund_authorizer_signature: hex::encode_prefixed(signature),
                    claim_authorizer_signature: claims_signature.map(hex::encode_prefixed),
                }
            }
        }
    }
}

/// The body of a request to a facilitator.
pub fn order_request(requirement: &Requirement, order: &ChannelOrder<'_>) -> Vec<u8> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Payment<'a> {
        x402_version: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        resource: Option<&'a Resource>,
        accepted: &'a Requirement,
        payload: OrderText,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Request<'a> {
        x402_version: u64,
        payment_payload: Payment<'a>,
        payment_requirements: &'a Requirement,
    }
    json(&Request {
        x402_version: VERSION,
        payment_payload: Payment {
            x402_version: VERSION,
            resource: None,
            accepted: requirement,
            payload: order.into(),
        },
        payment_requirements: requirement,
    })
}
