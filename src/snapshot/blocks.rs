//! Checksums of a file, block by block. Blocks can be hashed in parallel, verified again a few at a time, and
//! transferred one by one. An error message names the damaged block.

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// The size of a block, in bytes. The last block of a file may be shorter.
pub const BLOCK_BYTES: usize = 1 << 26;

/// The length of a file, and the XXH3-128 of each of its blocks. An empty file has no blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Length in bytes.
    pub bytes: u64,
    /// XXH3-128 of each block.
    pub blocks: Vec<u128>,
}

impl Written {
    /// Hashes these bytes on all cores.
    pub fn of(bytes: &[u8]) -> Self {
        let blocks = bytes.par_chunks(BLOCK_BYTES).map(xxh3_128).collect();
        Self { bytes: bytes.len() as u64, blocks }
    }

    /// The checksum of the whole file: XXH3-128 of the checksums of its blocks, 16 bytes each, big-endian.
    pub fn root(&self) -> u128 {
        root(&self.blocks)
    }
}

/// The checksum of the checksums of all blocks.
pub(super) fn root(blocks: &[u128]) -> u128 {
    let mut hash = Xxh3::new();
    for block in blocks {
        hash.update(&block.to_be_bytes());
    }
    hash.digest128()
}

/// The number of blocks of a file with this many bytes.
pub(super) const fn blocks_of(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK_BYTES as u64)
}

/// Hashes bytes incrementally, block by block.
pub(super) struct BlockHasher {
    hash: Box<Xxh3>,
    /// The number of bytes hashed in the current block.
    in_block: usize,
    written: Written,
}

impl BlockHasher {
    pub(super) fn new() -> Self {
        let written = Written { bytes: 0, blocks: Vec::new() };
        Self { hash: Box::new(Xxh3::new()), in_block: 0, written }
    }

    /// Hashes the next bytes.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        self.written.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.in_block));
            self.hash.update(now);
            self.in_block += now.len();
            if self.in_block == BLOCK_BYTES {
                self.end_block();
            }
            bytes = later;
        }
    }

    /// The number of bytes hashed so far.
    pub(super) fn bytes(&self) -> u64 {
        self.written.bytes
    }

    /// The length and the checksums of all bytes.
    pub(super) fn finish(mut self) -> Written {
        if self.in_block > 0 {
            self.end_block();
        }
        self.written
    }

    fn end_block(&mut self) {
        self.written.blocks.push(self.hash.digest128());
        self.hash.reset();
        self.in_block = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_the_same_however_the_bytes_come() {
        let mut bytes = vec![0_u8; 2 * BLOCK_BYTES + 17];
        for at in [0, BLOCK_BYTES - 1, BLOCK_BYTES, 2 * BLOCK_BYTES + 16] {
            bytes[at] = 1;
        }
        let whole = Written::of(&bytes);
        assert_eq!(whole.blocks, bytes.chunks(BLOCK_BYTES).map(xxh3_128).collect::<Vec<_>>());
        assert_eq!((whole.bytes, blocks_of(whole.bytes)), (bytes.len() as u64, 3));
        for pieces in [bytes.len(), BLOCK_BYTES, BLOCK_BYTES - 1, (1 << 20) + 7] {
            let mut hasher = BlockHasher::new();
            bytes.chunks(pieces).for_each(|piece| hasher.update(piece));
            assert_eq!(hasher.finish(), whole, "in pieces of {pieces}");
        }
        let sums: Vec<u8> = whole.blocks.iter().flat_map(|block| block.to_be_bytes()).collect();
        assert_eq!(whole.root(), xxh3_128(&sums));
    }

    #[test]
    fn hashes_empty_input_and_one_full_block_without_extra_blocks() {
        assert_eq!(BlockHasher::new().finish(), Written::of(&[]));
        assert_eq!((Written::of(&[]).blocks.len(), Written::of(&[]).root()), (0, xxh3_128(&[])));
        let full = vec![7; BLOCK_BYTES];
        let mut hasher = BlockHasher::new();
        hasher.update(&full);
        assert_eq!(hasher.finish(), Written { bytes: BLOCK_BYTES as u64, blocks: vec![xxh3_128(&full)] });
    }
}
