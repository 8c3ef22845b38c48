//! Sends requests to a server one after the other, and determines the statuses and the mean length of its answers.
//!
//! This module also contains the parser of the parts of HTTP/1.1 that the generator needs: the status and the length
//! of an answer.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde::Serialize;

/// Maximum time for one answer.
const ANSWER_MAX: Duration = Duration::from_mins(1);
/// Maximum length of the head of an answer, in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1_024;
/// Maximum number of header fields of an answer.
const HEAD_FIELDS_MAX: usize = 100;

/// A request as bytes.
#[derive(Debug, Clone)]
pub(super) struct Job {
    /// Index of the route in the route table.
    pub(super) route: usize,
    /// Head of the request, which has no body.
    pub(super) bytes: Vec<u8>,
}

/// The parts of an answer's head that the generator reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResponseHead {
    pub(super) status: u16,
    pub(super) body_bytes: usize,
    /// Length of the whole answer, head and body.
    pub(super) bytes: usize,
}

impl Job {
    /// A GET request of a path and query.
    pub(super) fn get(route: usize, target: &str, server: SocketAddr) -> Self {
        Self { route, bytes: format!("GET {target} HTTP/1.1\r\nhost: {server}\r\n\r\n").into_bytes() }
    }
}

/// Parses the head of an answer; `None` until it is complete.
///
/// # Errors
/// Returns an error if the head is not HTTP/1.1, is too long, or does not state the length of the body.
pub(super) fn head_of(bytes: &[u8]) -> io::Result<Option<ResponseHead>> {
    let mut fields = [httparse::EMPTY_HEADER; HEAD_FIELDS_MAX];
    let mut head = httparse::Response::new(&mut fields);
    let end = match head.parse(bytes) {
        Ok(httparse::Status::Complete(end)) => end,
        Ok(httparse::Status::Partial) if bytes.len() > HEAD_BYTES_MAX => {
            return Err(unreadable("a head that is too long"));
        }
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(unreadable(&format!("a head that is not HTTP/1.1: {error}"))),
    };
    let status = head.code.ok_or_else(|| unreadable("a head without status"))?;
    let length = head.headers.iter().find(|field| field.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|field| std::str::from_utf8(field.value).ok()?.trim().parse::<usize>().ok());
    let length = length.ok_or_else(|| unreadable("a head without content-length"))?;
    Ok(Some(ResponseHead { status, body_bytes: length, bytes: end + length }))
}

fn unreadable(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the server answers with {what}"))
}

/// The answers of a server to requests that are sent one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answers {
    /// Mean length of the bodies, in bytes. It is used as the length of the floor's answer, so that floor and server
    /// send the same number of bytes in total.
    pub mean_bytes: usize,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
}

/// Sends requests one after the other.
///
/// # Errors
/// Returns an error if the server cannot be reached, or sends an answer that the generator cannot read.
pub(super) fn answers(address: SocketAddr, jobs: &[Job]) -> io::Result<Answers> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(ANSWER_MAX))?;
    let (mut bytes, mut statuses) = (0, BTreeMap::new());
    for job in jobs {
        let (status, length) = ask(&mut socket, &job.bytes)?;
        bytes += length;
        *statuses.entry(status).or_default() += 1;
    }
    Ok(Answers { mean_bytes: bytes / jobs.len().max(1), statuses })
}

/// Sends one request. Returns the status and the length of the body.
fn ask(socket: &mut TcpStream, request: &[u8]) -> io::Result<(u16, usize)> {
    socket.write_all(request)?;
    let (mut answer, mut chunk) = (Vec::new(), [0; 16 * 1_024]);
    let mut head = None;
    loop {
        let read = socket.read(&mut chunk)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        answer.extend_from_slice(&chunk[..read]);
        if head.is_none() {
            head = head_of(&answer)?;
        }
        if let Some(ResponseHead { status, body_bytes, bytes }) = head
            && answer.len() >= bytes
        {
            return Ok((status, body_bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_tells_status_and_length() {
        let answer = b"HTTP/1.1 404 Not Found\r\ndate: x\r\nContent-Length: 12\r\n\r\n{\"a\":1}";
        let head = ResponseHead { status: 404, body_bytes: 12, bytes: answer.len() - 7 + 12 };
        assert_eq!(head_of(answer).expect("a head"), Some(head));
        for upto in 0..answer.len() - 7 - 1 {
            assert_eq!(head_of(&answer[..upto]).expect("a part"), None);
        }
    }

    #[test]
    fn reports_unreadable_responses() {
        for (bytes, what) in [
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "without content-length"),
            ("SSH-2.0\r\n\r\n", "not HTTP/1.1"),
        ] {
            assert!(head_of(bytes.as_bytes()).is_err_and(|error| error.to_string().contains(what)));
        }
        assert!(head_of(&[b"HTTP/1.1 200 ", &vec![b'x'; HEAD_BYTES_MAX][..]].concat()).is_err());
    }
}
