//! Texts by number, in little more memory than the texts take.

use xxhash_rust::xxh3::xxh3_64;

/// A slot of the table that is free.
const FREE: u32 = u32::MAX;
/// Slots of a table that is begun.
const SLOTS_MIN: usize = 64;

/// Different texts, numbered as they come: all in one buffer, found by a table of hashes.
#[derive(Default)]
pub(super) struct Interner {
    texts: Vec<u8>,
    /// Text `i` ends at `ends[i]`.
    ends: Vec<u32>,
    hashes: Vec<u32>,
    /// Numbers by hash, at most half of them taken.
    slots: Vec<u32>,
}

impl Interner {
    /// The number of a text; a new one is the next. All texts together have to be shorter than 4 GiB.
    pub(super) fn number_of(&mut self, text: &str) -> u32 {
        if 2 * self.len() >= self.slots.len() {
            self.grow();
        }
        let hash = xxh3_64(text.as_bytes()) as u32;
        let mut at = self.slot(hash);
        while self.slots[at] != FREE {
            let number = self.slots[at];
            if self.hashes[number as usize] == hash && self.bytes(number) == text.as_bytes() {
                return number;
            }
            at = (at + 1) % self.slots.len();
        }
        let number = self.ends.len() as u32;
        self.slots[at] = number;
        self.texts.extend_from_slice(text.as_bytes());
        self.ends.push(self.texts.len() as u32);
        self.hashes.push(hash);
        number
    }

    /// How many different texts there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a number.
    pub(super) fn get(&self, number: u32) -> &str {
        str::from_utf8(self.bytes(number)).unwrap_or_default()
    }

    /// Bytes that texts and table take.
    pub(super) fn held_bytes(&self) -> usize {
        self.texts.capacity()
            + size_of::<u32>() * (self.ends.capacity() + self.hashes.capacity() + self.slots.len())
    }

    fn bytes(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let from = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.texts[from as usize..self.ends[number] as usize]
    }

    fn slot(&self, hash: u32) -> usize {
        hash as usize % self.slots.len()
    }

    #[cold]
    fn grow(&mut self) {
        self.slots = vec![FREE; (2 * self.slots.len()).max(SLOTS_MIN)];
        for number in 0..self.ends.len() {
            let mut at = self.slot(self.hashes[number]);
            while self.slots[at] != FREE {
                at = (at + 1) % self.slots.len();
            }
            self.slots[at] = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_their_numbers() {
        let mut interner = Interner::default();
        let text = |at: u32| format!("{}", at % 5_000);
        for at in 0..20_000 {
            assert_eq!(interner.number_of(&text(at)), at % 5_000);
        }
        assert_eq!(interner.number_of(""), 5_000);
        assert_eq!((interner.len(), interner.get(4_321), interner.get(5_000)), (5_001, "4321", ""));
        assert!(interner.held_bytes() >= 4 * 5_000);
    }
}
