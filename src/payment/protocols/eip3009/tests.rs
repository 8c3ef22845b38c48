//! Authorizations against published and independently computed values.

#![allow(clippy::unwrap_used)]

use alloy_primitives::{U256, address as fixed_address, b256, hex};
use proptest::prelude::*;
use secp256k1::SecretKey;

use super::*;

/// Digest and signature of viem, confirmed by eth_account.
const DIGEST: B256 = b256!("eb6c57d3c5b0f0321fc59689a5fdfb63b451e200a4160cd76660ec8b63a10774");
const SIGNATURE: [u8; 65] = hex!(
    "d6dbd6d9fc79638114f356a74327808bbbab2983b1f3f43e380e1294b4e29e02051079819369484cdb83276778af380e915a228fa3a7f152a182694a44ca3d8e1b"
);
const USDC: Address = fixed_address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");

fn domain() -> Domain {
    Domain::new("USD Coin", "2", 8453, USDC)
}

fn authorization() -> Authorization {
    Authorization {
        from: fixed_address!("70997970C51812dc3A010C7d01b50e0d17dc79C8"),
        to: fixed_address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"),
        value: 10_000,
        valid_after: 0,
        valid_before: 1_796_083_200,
        nonce: b256!("695df5c0cc881fe2903236fa6817c3ea4db9e04bcf0c76320ab024b0aca89d8a"),
    }
}

/// The other signature of the same key over the same digest.
fn high(signature: &[u8; 65]) -> [u8; 65] {
    let order = U256::from_be_bytes(hex!("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"));
    let mut high = *signature;
    let s = U256::from_be_slice(&signature[32..64]);
    high[32..64].copy_from_slice(&(order - s).to_be_bytes::<32>());
    high[64] = if signature[64] == 27 { 28 } else { 27 };
    high
}

#[test]
fn the_domain_is_that_of_the_token() {
    // DOMAIN_SEPARATOR() of USDC on Base.
    assert_eq!(domain().separator, b256!("02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"));
}

#[test]
fn the_digest_is_that_of_the_vector() {
    assert_eq!(authorization().digest(&domain()), DIGEST);
}

#[test]
fn every_field_is_signed() {
    let changes: [fn(&mut Authorization); 6] = [
        |it| it.from.0[0] ^= 1,
        |it| it.to.0[19] ^= 1,
        |it| it.value += 1,
        |it| it.valid_after += 1,
        |it| it.valid_before += 1,
        |it| it.nonce.0[31] ^= 1,
    ];
    for change in changes {
        let mut changed = authorization();
        change(&mut changed);
        assert_ne!(changed.digest(&domain()), DIGEST);
        assert_eq!(Signed::checked(changed, &SIGNATURE, &domain()), None);
    }
    for other in [
        Domain::new("USDC", "2", 8453, USDC),
        Domain::new("USD Coin", "1", 8453, USDC),
        Domain::new("USD Coin", "2", 84532, USDC),
        Domain::new("USD Coin", "2", 8453, Address::ZERO),
    ] {
        assert_eq!(Signed::checked(authorization(), &SIGNATURE, &other), None);
    }
}

#[test]
fn the_payer_is_recovered() {
    assert_eq!(recover(DIGEST, &SIGNATURE), Some(authorization().from));
    let signed = Signed::checked(authorization(), &SIGNATURE, &domain());
    assert_eq!(signed, Some(Signed { authorization: authorization(), signature: SIGNATURE }));
}

#[test]
fn one_signature_has_one_form() {
    // The parity is the other spelling of v, and is rewritten.
    let mut parity = SIGNATURE;
    parity[64] = 0;
    let signed = Signed::checked(authorization(), &parity, &domain()).unwrap();
    assert_eq!(signed.signature, SIGNATURE);

    assert_eq!(recover(DIGEST, &high(&SIGNATURE)), None, "high s");
    for v in (2..=255).filter(|v| ![27, 28].contains(v)) {
        let mut other = SIGNATURE;
        other[64] = v;
        assert_eq!(recover(DIGEST, &other), None, "v {v}");
    }
    let mut wrong = SIGNATURE;
    wrong[64] = 28;
    assert_eq!(
        Signed::checked(authorization(), &wrong, &domain()),
        None,
        "the other parity is somebody else"
    );
    for length in [0, 64, 66, 130] {
        let bytes: Vec<u8> = SIGNATURE.iter().copied().cycle().take(length).collect();
        assert_eq!(Signed::checked(authorization(), &bytes, &domain()), None, "{length} bytes");
    }
    assert_eq!(recover(DIGEST, &[0; 65]), None);
}

#[test]
fn a_high_signature_is_refused_for_its_height_alone() {
    // Written low again it is the very same signature.
    let twice = high(&high(&SIGNATURE));
    assert_eq!(recover(DIGEST, &twice), Some(authorization().from));
}

#[test]
fn numbers_and_words_are_strict() {
    assert_eq!(decimal("0"), Some(0));
    assert_eq!(decimal("18446744073709551615"), Some(u64::MAX));
    for text in ["", "-1", "+1", " 1", "1 ", "1e4", "0x10", "1.0", "1_000", "١", "18446744073709551616"] {
        assert_eq!(decimal(text), None, "{text:?}");
    }
    for text in [
        "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913",
    ] {
        assert_eq!(address(text), Some(USDC));
    }
    for text in
        ["833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "0x", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA029", ""]
    {
        assert_eq!(address(text), None, "{text:?}");
    }
    assert_eq!(word(&DIGEST.to_string()), Some(DIGEST));
    assert_eq!(word("0x00"), None);
}

proptest! {
    #[test]
    fn any_key_is_recovered_and_only_it(
        key in prop::array::uniform32(1_u8..=255), to: [u8; 20], value: u64, valid_before: u64, nonce: [u8; 32],
        place in 0_usize..65, change in 1_u8..=255,
    ) {
        // The order of the curve begins with eight bytes of ff.
        prop_assume!(key[..4] != [255; 4]);
        let key = SecretKey::from_byte_array(key).unwrap();
        let from = Address::from_raw_public_key(
            &secp256k1::PublicKey::from_secret_key(&Secp256k1::new(), &key).serialize_uncompressed()[1..],
        );
        let authorization = Authorization {
            from, to: to.into(), value, valid_after: 0, valid_before, nonce: nonce.into(),
        };
        let digest = authorization.digest(&domain());
        let made = Secp256k1::new().sign_ecdsa_recoverable(Message::from_digest(digest.0), &key);
        let (recovery, compact) = made.serialize_compact();
        let mut signature = [0; 65];
        signature[..64].copy_from_slice(&compact);
        signature[64] = 27 + u8::try_from(i32::from(recovery)).unwrap();
        let signed = Signed::checked(authorization.clone(), &signature, &domain());
        prop_assert_eq!(signed.unwrap().signature, signature);
        prop_assert_eq!(recover(digest, &high(&signature)), None);

        let mut changed = signature;
        changed[place] ^= change;
        if let Some(signed) = Signed::checked(authorization, &changed, &domain()) {
            prop_assert_eq!(signed.signature, signature, "only a spelling of v may change");
        }
    }

    #[test]
    fn nonsense_is_read_without_a_panic(digest: [u8; 32], signature in prop::collection::vec(any::<u8>(), 65), text: String) {
        let _ = recover(digest.into(), &signature.try_into().unwrap());
        let _ = (decimal(&text), address(&text), word(&text));
    }
}
