//! Many reads of one block in one call: `tryAggregate` of Multicall3, in the words of its ABI.

use std::ops::Range;
use std::sync::LazyLock;

use alloy_primitives::{Address, B256, Bytes, U256, address, keccak256};

use crate::payment::protocols::eip3009::number_word;

/// Multicall3, at one address on every chain.
pub(super) const MULTICALL: Address = address!("cA11bde05977b3631167028862bE2a173976CA11");

const WORD: usize = 32;

/// The first four bytes of a call.
pub(super) type Selector = [u8; 4];

/// The selector of a function.
pub(super) fn selector(signature: &str) -> Selector {
    let hash = keccak256(signature);
    [hash[0], hash[1], hash[2], hash[3]]
}

static TRY_AGGREGATE: LazyLock<Selector> = LazyLock::new(|| selector("tryAggregate(bool,(address,bytes)[])"));

/// Data of a call with words as its parameters.
pub(super) fn call_data(selector: Selector, words: &[B256]) -> Vec<u8> {
    let mut data = selector.to_vec();
    data.extend(words.iter().flat_map(|word| word.0));
    data
}

/// Data of one call for these calls of one contract, each of which must succeed.
pub(super) fn aggregate(target: Address, calls: &[Vec<u8>]) -> Bytes {
    let mut data = TRY_AGGREGATE.to_vec();
    let mut word = |number: usize| data.extend(number_word(number as u64).0);
    // All must succeed; the calls follow two words from here.
    word(1);
    word(2 * WORD);
    word(calls.len());
    let mut offset = calls.len() * WORD;
    for call in calls {
        word(offset);
        // Target, place of the data, its length, and the data in whole words.
        offset += 3 * WORD + padded(call.len());
    }
    for call in calls {
        data.extend(target.into_word().0);
        data.extend(number_word(2 * WORD as u64).0);
        data.extend(number_word(call.len() as u64).0);
        data.extend_from_slice(call);
        data.resize(data.len() + padded(call.len()) - call.len(), 0);
    }
    data.into()
}

const fn padded(length: usize) -> usize {
    length.div_ceil(WORD) * WORD
}

/// What each of `count` calls returned; `None` when the answer is not of that form, or a call failed.
pub(super) fn returned(answer: &[u8], count: usize) -> Option<Vec<&[u8]>> {
    let list = tail(answer, 0)?;
    if number_at(list, 0)? != count {
        return None;
    }
    let elements = list.get(WORD..)?;
    let element = |at: usize| {
        let element = elements.get(number_at(elements, at * WORD)?..)?;
        let data = tail(element, WORD)?;
        let length = number_at(data, 0)?;
        let succeeded = number_at(element, 0)? == 1;
        succeeded.then(|| data.get(range(WORD, length)?)).flatten()
    };
    (0..count).map(element).collect()
}

/// A number of 64 bits in a word of what was returned.
pub(super) fn number(data: &[u8], word: usize) -> Option<u64> {
    let word = data.get(range(word.checked_mul(WORD)?, WORD)?)?;
    u64::try_from(U256::from_be_slice(word)).ok()
}

/// What lies where the word at `at` says, from the beginning of `data`.
fn tail(data: &[u8], at: usize) -> Option<&[u8]> {
    data.get(number_at(data, at)?..)
}

fn number_at(data: &[u8], at: usize) -> Option<usize> {
    let word = data.get(range(at, WORD)?)?;
    usize::try_from(U256::from_be_slice(word)).ok()
}

fn range(from: usize, length: usize) -> Option<Range<usize>> {
    Some(from..from.checked_add(length)?)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;

    use super::*;

    /// Computed with viem 2.56.9: two calls of `refundNonce` on the address 0x11…11.
    #[test]
    fn calls_are_written_as_others_write_them() {
        assert_eq!(*TRY_AGGREGATE, hex!("bce38bd7"));
        let call = call_data(selector("refundNonce(bytes32)"), &[B256::repeat_byte(0xab)]);
        let data = aggregate(Address::repeat_byte(0x11), &[call.clone(), call.clone()]);
        assert_eq!(data.len(), 4 + 32 * 5 + 2 * 160);
        let words: Vec<&[u8]> = data[4..].chunks(32).collect();
        let number = |word: usize| U256::from_be_slice(words[word]).to::<u64>();
        assert_eq!([0, 1, 2, 3, 4].map(number), [1, 64, 2, 64, 224]);
        // Each call stands where its offset says.
        for at in [5, 10] {
            assert_eq!(words[at][12..], [0x11; 20]);
            assert_eq!([at + 1, at + 2].map(number), [64, 36]);
            assert_eq!(&data[4 + 32 * (at + 3)..][..36], &call[..]);
        }
    }

    #[test]
    fn reads_complete_results_and_rejects_malformed_ones() {
        let word = |number: u64| number_word(number).0.to_vec();
        let answer = |success: u64| -> Vec<u8> {
            [32, 2, 64, 192, success, 64, 32, 7, 1, 64, 64, 8, 9].into_iter().flat_map(word).collect()
        };
        let good = answer(1);
        let found = returned(&good, 2).expect("well formed");
        assert_eq!(
            [number(found[0], 0), number(found[1], 0), number(found[1], 1)],
            [Some(7), Some(8), Some(9)]
        );
        assert_eq!(number(found[0], 1), None);
        assert_eq!(returned(&good, 3), None);
        assert_eq!(returned(&answer(0), 2), None, "a call failed");
        for cut in 0..good.len() {
            assert_eq!(returned(&good[..cut], 2), None, "cut at {cut}");
        }
        let mut wild = good;
        for at in 0..wild.len() {
            let before = std::mem::replace(&mut wild[at], 0xff);
            let _ = returned(&wild, 2);
            wild[at] = before;
        }
    }
}
