//! Refuses HTTP/2 with prior knowledge on a connection without TLS, where only HTTP/1.1 is supported. The client gets a
//! GOAWAY frame (RFC 9113, section 6.8) with the reason instead of a silent close.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::half_closed::HalfClosed;

/// Debug data of the GOAWAY frame.
const REASON: &str = "HTTP/2 needs TLS here; without TLS send HTTP/1.1";

/// A SETTINGS frame without settings. A server has to send it before any other frame.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];

/// Type, flags and stream of a GOAWAY frame.
const GOAWAY: [u8; 6] = [7, 0, 0, 0, 0, 0];

/// Error code INADEQUATE_SECURITY (RFC 9113, section 7).
const INADEQUATE_SECURITY: u32 = 0xc;

/// Maximum time for the client to close its side.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Sends the reason and closes the connection.
pub(super) async fn refuse(mut line: HalfClosed) {
    let told = async {
        line.write_all(&frames()).await?;
        line.shutdown().await?;
        // Unread bytes at the close cause a TCP reset, which may overtake the frames.
        let mut rest = [0; 4_096];
        while line.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    };
    // A client that is gone, or that continues to send, is cut off.
    let _ = timeout(CLOSE_TIMEOUT, told).await;
}

fn frames() -> Vec<u8> {
    let no_stream = 0_u32.to_be_bytes();
    let payload = [&no_stream, &INADEQUATE_SECURITY.to_be_bytes(), REASON.as_bytes()].concat();
    let length = (payload.len() as u32).to_be_bytes();
    [&SETTINGS, &length[1..], &GOAWAY, &payload].concat()
}
