//! What rails on EVM chains share: addresses, names of networks, and who cannot be paid.

use alloy_primitives::{Address, address};

use crate::payment::core::check::Check;

/// Who is paid in a sandbox that names nobody: an address that nobody has a key to.
pub const SANDBOX_PAY_TO: Address = address!("000000000000000000000000000000000000dEaD");

/// Digits of an EVM address after its `0x`.
const ADDRESS_DIGITS: usize = 40;

/// An address of an EVM chain. One in mixed case must have the case of its checksum.
///
/// # Errors
/// With what to give instead.
pub fn evm_address(text: &str) -> Result<Address, String> {
    let digits = text.strip_prefix("0x").filter(|digits| {
        digits.len() == ADDRESS_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    let Some(digits) = digits else {
        return Err(format!("is not an EVM address: give 0x and {ADDRESS_DIGITS} hexadecimal digits"));
    };
    let address: Address = text.parse().map_err(|error| format!("is not an EVM address: {error}"))?;
    let has = |case: fn(&u8) -> bool| digits.bytes().any(|digit| case(&digit));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    if mixed && Address::parse_checksummed(text, None).is_err() {
        return Err(
            "has a wrong checksum (EIP-55): a digit or its case is mistyped; copy it from your wallet \
                    again"
                .into(),
        );
    }
    Ok(address)
}

/// The number of an EVM chain by its CAIP-2 name.
///
/// # Errors
/// With what to give instead.
pub fn evm_network(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("eip155:").and_then(|number| number.parse::<u64>().ok());
    // One spelling: no sign, no leading zero.
    let number = number.filter(|&number| number > 0 && text == format!("eip155:{number}"));
    number.ok_or_else(|| "is not an EVM network: give its CAIP-2 name, such as eip155:8453 for Base".into())
}

/// CAIP-2 name of an EVM chain.
pub fn caip2(chain_id: u64) -> String {
    format!("eip155:{chain_id}")
}

/// Refuses who cannot be paid.
pub(super) fn check_payee(check: &mut Check, key: &str, pay_to: Option<Address>, asset: Option<Address>) {
    let Some(pay_to) = pay_to else { return };
    let is_nobody = pay_to.is_zero() || (check.is_live() && pay_to == SANDBOX_PAY_TO);
    check.payee(key, is_nobody, Some(pay_to) == asset);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of EIP-55.
    const CHECKSUMMED: [&str; 8] = [
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
        "0xde709f2102306220921060314715629080e2fb77",
        "0x27b1fdb04752bbc536007a920d24acb045561c26",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
        "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ];

    #[test]
    fn evm_addresses_have_their_checksum() {
        for text in CHECKSUMMED {
            let address = evm_address(text).expect(text);
            assert_eq!(evm_address(&text.to_lowercase()), Ok(address));
            assert_eq!(evm_address(&format!("0x{}", text[2..].to_uppercase())), Ok(address));
        }
        // One letter in the wrong case, wherever it stands.
        let text = CHECKSUMMED[4];
        for at in (2..text.len()).filter(|&at| text.as_bytes()[at].is_ascii_alphabetic()) {
            let mut wrong = text.as_bytes().to_vec();
            wrong[at] ^= 0x20;
            let wrong = String::from_utf8(wrong).expect("ASCII");
            assert!(evm_address(&wrong).is_err_and(|reason| reason.contains("EIP-55")), "{wrong}");
        }
        for text in ["", "0x", &text[2..], &text[..41], &format!("{text}0"), &text.replace('5', "g"), "0X00"]
        {
            assert!(evm_address(text).is_err_and(|reason| reason.contains("40 hexadecimal")), "{text}");
        }
    }

    #[test]
    fn networks_are_caip2_names() {
        assert_eq!(evm_network("eip155:8453"), Ok(8453));
        for text in
            ["base", "eip155:", "eip155:0", "eip155:08453", "eip155:+1", "eip155:0x1", "solana:1", "8453"]
        {
            assert!(evm_network(text).is_err(), "{text}");
        }
    }
}
