//! A stream of bytes that is an error beyond a limit: what is compressed may be a thousand times as large.

use std::io::{self, Read};

/// A reader that fails once more than so many bytes were read.
pub(crate) struct Limited<R> {
    reader: R,
    most: u64,
    left: u64,
}

impl<R: Read> Limited<R> {
    pub(crate) fn new(reader: R, most: u64) -> Self {
        Self { reader, most, left: most }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other(format!("larger than {} bytes", self.most)))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_up_to_the_limit_and_not_behind_it() {
        let mut bytes = Vec::new();
        assert_eq!(Limited::new(&b"12345"[..], 5).read_to_end(&mut bytes).unwrap(), 5);
        let mut endless = Limited::new(io::repeat(b'x'), 1 << 20);
        let fault = io::copy(&mut endless, &mut io::sink()).unwrap_err();
        assert_eq!(fault.to_string(), "larger than 1048576 bytes");
    }
}
