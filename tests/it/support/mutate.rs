//! Bytes that are almost right: what the decoders of everything from outside are held against.
//!
//! A sample is changed a few times: bits flipped, parts cut, added, repeated and moved, lengths set to their limits.
//! `PRICEBOOK_FUZZ=50` has fifty times as many cases of every test that draws from here.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Multiplies the number of cases.
const FACTOR: &str = "PRICEBOOK_FUZZ";
/// Most changes of one sample.
const CHANGES_MAX: usize = 6;
/// Bytes of a sample that has grown too long are cut.
const BYTES_MAX: usize = 1 << 16;
/// Most bytes out of nowhere.
const NOISE_BYTES_MAX: usize = 400;
/// Most times that a part is repeated.
const REPEATS_MAX: usize = 200;
/// Lengths and counts that are likely to be forgotten.
const LIMITS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// As many cases as this, or a multiple of it.
pub fn cases(default: u32) -> ProptestConfig {
    let factor = std::env::var(FACTOR).map_or(1, |factor| factor.parse().expect("a number"));
    // A case that fails is printed; it becomes a test of its own.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(default * factor) }
}

/// One change.
#[derive(Debug, Clone)]
enum Mutation {
    Flip(Index, u8),
    Set(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize, usize),
    Move(Index, Index, usize),
    Limit { at: Index, value: u64, width: usize, big_endian: bool },
}

impl Mutation {
    fn apply(self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        let part = |at: &Index, count: usize| {
            let from = at.index(length + 1);
            from..length.min(from + count)
        };
        match self {
            Self::Insert(at, more) => drop(bytes.splice(part(&at, 0), more)),
            _ if length == 0 => {}
            Self::Flip(at, bit) => bytes[at.index(length)] ^= 1 << bit,
            Self::Set(at, byte) => bytes[at.index(length)] = byte,
            Self::Cut(at) => bytes.truncate(at.index(length)),
            Self::Remove(at, count) => drop(bytes.drain(part(&at, count))),
            Self::Repeat(at, count, times) => {
                let range = part(&at, count);
                let more = bytes[range.clone()].repeat(times);
                bytes.splice(range.end..range.end, more);
            }
            Self::Move(from, to, count) => {
                let moved = bytes[part(&from, count)].to_vec();
                bytes.splice(part(&to, moved.len()), moved);
            }
            Self::Limit { at, value, width, big_endian } => {
                let mut limit = value.to_le_bytes()[..width].to_vec();
                if big_endian {
                    limit.reverse();
                }
                bytes.splice(part(&at, width), limit);
            }
        }
    }
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let byte = prop_oneof![any::<u8>(), select(b"\0\xff\"\\,;:=&%{}[]<>\n\r\t 0-9eE".to_vec())];
    let limit = (any::<Index>(), select(&LIMITS[..]), select(vec![1_usize, 2, 4, 8]), any::<bool>());
    prop_oneof![
        3 => (any::<Index>(), 0..8_u8).prop_map(|(at, bit)| Mutation::Flip(at, bit)),
        3 => (any::<Index>(), byte.clone()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        1 => any::<Index>().prop_map(Mutation::Cut),
        2 => (any::<Index>(), vec(byte, 1..20)).prop_map(|(at, more)| Mutation::Insert(at, more)),
        2 => (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Mutation::Remove(at, count)),
        1 => (any::<Index>(), 1..40_usize, 1..REPEATS_MAX)
            .prop_map(|(at, count, times)| Mutation::Repeat(at, count, times)),
        2 => (any::<Index>(), any::<Index>(), 1..60_usize)
            .prop_map(|(from, to, count)| Mutation::Move(from, to, count)),
        2 => limit.prop_map(|(at, value, width, big_endian)| Mutation::Limit { at, value, width, big_endian }),
    ]
}

/// One of the samples, changed a few times.
pub fn mutated(samples: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (select(samples), vec(mutation(), 1..CHANGES_MAX)).prop_map(|(mut bytes, changes)| {
        for change in changes {
            change.apply(&mut bytes);
        }
        bytes.truncate(BYTES_MAX);
        bytes
    })
}

/// A changed sample, now and then bytes out of nowhere.
pub fn almost(samples: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![1 => vec(any::<u8>(), 0..NOISE_BYTES_MAX), 7 => mutated(samples)]
}

/// The same of texts; what is no UTF-8 any more is replaced.
pub fn almost_text(samples: &[&str]) -> impl Strategy<Value = String> + use<> {
    let samples = samples.iter().map(|sample| sample.as_bytes().to_vec()).collect();
    almost(samples).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
