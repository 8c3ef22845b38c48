//! A strict reader of Solana's wire format: transactions with a message of version 0, without lookup tables.
//!
//! Invariant: every place in an instruction names an account, and no account is named twice. Neighbour: [`super`] knows
//! what the instructions mean.

use super::{Pubkey, SIGNATURE_BYTES};

/// Longest transaction that the network carries.
const TRANSACTION_BYTES_MAX: usize = 1_232;
/// Begins a message of version 0.
const VERSION_0: u8 = 0x80;
/// Marks that another byte of a length follows.
const MORE: u8 = 0x80;

/// A transaction.
pub(super) struct Transaction<'a> {
    /// Signatures, in the order of the accounts.
    pub(super) signatures: Vec<[u8; SIGNATURE_BYTES]>,
    /// What is signed.
    pub(super) message: &'a [u8],
}

/// A message of version 0.
pub(super) struct Message<'a> {
    /// How many of the accounts sign; they come first.
    pub(super) signers: u8,
    /// Accounts.
    pub(super) accounts: Vec<Pubkey>,
    /// Instructions.
    pub(super) instructions: Vec<Instruction<'a>>,
}

/// An instruction; accounts by their places.
pub(super) struct Instruction<'a> {
    /// Program.
    pub(super) program: u8,
    /// Accounts that it works on.
    pub(super) accounts: &'a [u8],
    /// What it does.
    pub(super) data: &'a [u8],
}

impl<'a> Transaction<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader { rest: bytes };
        if bytes.len() > TRANSACTION_BYTES_MAX {
            return None;
        }
        let count = reader.length()?;
        let signatures = (0..count).map(|_| reader.array()).collect::<Option<_>>()?;
        Some(Self { signatures, message: reader.rest })
    }
}

impl<'a> Message<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader { rest: bytes };
        let [version, signers, readonly_signers, readonly_others] = reader.array()?;
        let count = reader.length()?;
        let accounts = (0..count).map(|_| reader.array()).collect::<Option<Vec<Pubkey>>>()?;
        let _blockhash: [u8; 32] = reader.array()?;
        let count = reader.length()?;
        let instructions = (0..count).map(|_| reader.instruction()).collect::<Option<Vec<_>>>()?;
        let lookup_tables = reader.length()?;

        let header_fits = readonly_signers < signers
            && usize::from(signers) + usize::from(readonly_others) <= accounts.len();
        let places_fit = instructions.iter().all(|one| {
            let fits = |&place: &u8| usize::from(place) < accounts.len();
            fits(&one.program) && one.accounts.iter().all(fits)
        });
        let is_message = version == VERSION_0 && lookup_tables == 0 && reader.rest.is_empty();
        (is_message && header_fits && places_fit && all_differ(&accounts)).then_some(Self {
            signers,
            accounts,
            instructions,
        })
    }
}

/// A transaction is short, so its accounts are few.
fn all_differ(accounts: &[Pubkey]) -> bool {
    accounts.iter().enumerate().all(|(place, account)| !accounts[..place].contains(account))
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// A length in seven bits a byte, the lowest first, up to 65535, in as few bytes as it needs.
    fn length(&mut self) -> Option<usize> {
        let mut length = 0;
        for place in 0..3 {
            let byte = self.byte()?;
            length |= usize::from(byte & !MORE) << (7 * place);
            if byte & MORE == 0 {
                let is_shortest = byte != 0 || place == 0;
                return (is_shortest && u16::try_from(length).is_ok()).then_some(length);
            }
        }
        None
    }

    fn instruction(&mut self) -> Option<Instruction<'a>> {
        let program = self.byte()?;
        let count = self.length()?;
        let accounts = self.take(count)?;
        let count = self.length()?;
        Some(Instruction { program, accounts, data: self.take(count)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(bytes: &[u8]) -> Option<usize> {
        let mut reader = Reader { rest: bytes };
        reader.length().filter(|_| reader.rest.is_empty())
    }

    #[test]
    fn lengths_have_one_form() {
        // Solana's own examples of its compact-u16.
        for (bytes, number) in [
            (&[0x00][..], 0x0000),
            (&[0x7f], 0x007f),
            (&[0x80, 0x01], 0x0080),
            (&[0xff, 0x01], 0x00ff),
            (&[0x80, 0x02], 0x0100),
            (&[0xff, 0xff, 0x01], 0x7fff),
            (&[0xff, 0xff, 0x03], 0xffff),
        ] {
            assert_eq!(length(bytes), Some(number), "{bytes:?}");
        }
        for bytes in [
            &[0x80, 0x00][..],
            &[0x80, 0x80, 0x00],
            &[0xff, 0x00],
            &[0x80, 0x80, 0x04],
            &[0x80, 0x80, 0x80, 0x00],
            &[0x80],
            &[],
        ] {
            assert_eq!(length(bytes), None, "{bytes:?}");
        }
    }
}
