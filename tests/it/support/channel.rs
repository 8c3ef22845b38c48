//! A payer with a payment channel: deposits, and signs a voucher for each request.

use alloy_primitives::{B256, hex};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pricebook::payment::protocols::channel::{
    AuthorizerKey, ChannelConfig, ChannelId, DepositAuthorization, channel_domain, voucher_digest,
};
use pricebook::payment::protocols::eip3009::Domain;
use pricebook::payment::protocols::x402::batch::config_text;
use pricebook::payment::rails::base::BaseRail;
use serde_json::{Value, json};

pub struct Channel {
    key: AuthorizerKey,
    config: ChannelConfig,
    id: ChannelId,
    /// The offer that it was opened for.
    accepted: Value,
    rail: BaseRail,
}

impl Channel {
    /// A channel on the terms of an offer of channels.
    pub fn on(rail: &BaseRail, accepted: &Value, seed: u8) -> Self {
        let key = AuthorizerKey::new([seed; 32]).unwrap();
        let address = |value: &Value| value.as_str().unwrap().parse().unwrap();
        let config = ChannelConfig {
            payer: key.address(),
            payer_authorizer: key.address(),
            receiver: address(&accepted["payTo"]),
            receiver_authorizer: address(&accepted["extra"]["receiverAuthorizer"]),
            token: address(&accepted["asset"]),
            withdraw_delay: accepted["extra"]["withdrawDelay"].as_u64().unwrap(),
            salt: B256::ZERO,
        };
        let id = config.id(&channel_domain(rail.chain_id));
        Self { key, config, id, accepted: accepted.clone(), rail: rail.clone() }
    }

    /// Value of a `PAYMENT-SIGNATURE` header with a voucher up to `max` atomic USDC.
    pub fn voucher(&self, max: u64) -> String {
        self.payment(max, json!({ "type": "voucher" }))
    }

    /// The same with a deposit that is good until `valid_before`.
    pub fn deposit(&self, max: u64, amount: u64, valid_before: u64) -> String {
        let salt = B256::repeat_byte(1);
        let authorization = DepositAuthorization { amount, valid_after: 0, valid_before, salt };
        let BaseRail { eip712_name, eip712_version, chain_id, asset, .. } = &self.rail;
        let token = Domain::new(eip712_name, eip712_version, *chain_id, *asset);
        let signature = self.key.sign(authorization.digest(self.config.payer, self.id, &token));
        let signed = json!({
            "validAfter": "0",
            "validBefore": valid_before.to_string(),
            "salt": salt,
            "signature": hex::encode_prefixed(signature),
        });
        let deposit =
            json!({ "amount": amount.to_string(), "authorization": { "erc3009Authorization": signed } });
        self.payment(max, json!({ "type": "deposit", "deposit": deposit }))
    }

    fn payment(&self, max: u64, mut payload: Value) -> String {
        let signature = self.key.sign(voucher_digest(self.id, max, &channel_domain(self.rail.chain_id)));
        payload["channelConfig"] = serde_json::from_str(&config_text(&self.config)).unwrap();
        payload["voucher"] = json!({
            "channelId": self.id,
            "maxClaimableAmount": max.to_string(),
            "signature": hex::encode_prefixed(signature),
        });
        let payment = json!({ "x402Version": 2, "accepted": self.accepted, "payload": payload });
        STANDARD.encode(payment.to_string())
    }
}
