//! Error messages of stores, and the classification of errors as transient or permanent.

use std::error::Error;
use std::io;

use object_store::client::HttpError;

/// The maximum number of characters that are quoted from the message of a store.
const QUOTED_CHARS_MAX: usize = 300;
/// The instance metadata hosts of clouds. These hosts are queried for credentials if the environment does not contain
/// any.
pub(super) const METADATA_HOSTS: [&str; 3] = ["169.254.169.254", "169.254.170.2", "metadata.google.internal"];

const NO_CREDENTIALS: &str = "no credentials in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
                              AZURE_STORAGE_ACCOUNT_KEY, GOOGLE_APPLICATION_CREDENTIALS), and no metadata service of a \
                              cloud";
const REFUSED: &str = "access is refused: check the credentials in the environment and their permissions";

/// The reason why a request to a store failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreFault {
    message: String,
    /// Whether a retry may succeed: the store was not reached, or it had a temporary failure.
    transient: bool,
}

/// Whether a retry may succeed: the store was not reached or was overloaded, a disk was full, or memory was short.
///
/// Unreadable input, invalid settings and denied access are permanent.
pub fn is_transient(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<StoreFault>().is_some_and(|fault| fault.transient)
            || cause.downcast_ref::<io::Error>().is_some_and(is_of_the_machine)
    })
}

/// Whether an error is caused by the state of the machine, not by the arguments of the call. Errors of the operating
/// system have an error number. Format parsers return errors of the same type without a number.
fn is_of_the_machine(error: &io::Error) -> bool {
    use io::ErrorKind::{
        AlreadyExists, BrokenPipe, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound,
        PermissionDenied,
    };
    let of_the_call = matches!(
        error.kind(),
        NotFound
            | PermissionDenied
            | AlreadyExists
            | IsADirectory
            | NotADirectory
            | InvalidInput
            | InvalidFilename
            | BrokenPipe
    );
    error.kind() == io::ErrorKind::OutOfMemory || (error.raw_os_error().is_some() && !of_the_call)
}

impl StoreFault {
    /// A permanent failure.
    pub(super) fn lasting(message: String) -> Self {
        Self { message, transient: false }
    }

    /// A transient failure.
    pub(super) fn passing(message: String) -> Self {
        Self { message, transient: true }
    }

    /// The failure that `error` describes, for the object at `at`. `doing` is the operation that failed, as a
    /// participle such as `read`.
    pub(super) fn of(at: &str, doing: &str, error: &object_store::Error) -> Self {
        use object_store::Error as E;
        let (words, network) = root_cause(error);
        let status = status_in(&words);
        let (why, transient) = match error {
            _ if METADATA_HOSTS.iter().any(|host| error.to_string().contains(host)) => {
                (NO_CREDENTIALS, false)
            }
            _ if is_no_bucket(&words) => ("the bucket does not exist", false),
            E::NotFound { .. } => ("it does not exist", false),
            E::PermissionDenied { .. } | E::Unauthenticated { .. } => (REFUSED, false),
            E::InvalidPath { .. } => ("its name is not valid in a store", false),
            _ if status.is_some_and(passes) => ("the store is temporarily unavailable", true),
            _ if status.is_some() => ("the store refused the request", false),
            _ if network => ("the store cannot be reached", true),
            _ => ("the store does not support this", false),
        };
        Self { message: format!("{at} cannot be {doing}: {why}: {words}"), transient }
    }
}

/// Whether the response states that the bucket itself does not exist.
pub(super) fn is_no_bucket(words: &str) -> bool {
    ["NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist"]
        .iter()
        .any(|code| words.contains(code))
}

/// The message of the response or of the root cause, and whether a network error is among the causes.
///
/// The causes in between are left out, because they repeat the message with complete addresses, which may contain
/// keys.
pub(super) fn root_cause(error: &(dyn Error + 'static)) -> (String, bool) {
    let mut network = false;
    let mut cause = error;
    loop {
        let words = cause.to_string();
        network |= cause.is::<HttpError>();
        if words.starts_with("Server returned") {
            break;
        }
        match cause.source() {
            Some(source) => cause = source,
            None => break,
        }
    }
    let words = cause.to_string();
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let quoted: String = line.chars().take(QUOTED_CHARS_MAX).collect();
    (quoted, network)
}

/// The HTTP status in a message that quotes a response; `None` if the message does not contain a status.
fn status_in(words: &str) -> Option<u16> {
    let (_, rest) = words.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

/// Whether a request with this status may succeed later.
fn passes(status: u16) -> bool {
    matches!(status, 408 | 409 | 429) || (status >= 500 && status != 501)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_transient_from_permanent_faults() {
        let fault = |transient| anyhow::Error::from(StoreFault { message: "x".into(), transient });
        assert!(is_transient(&fault(true).context("while judging")));
        assert!(!is_transient(&fault(false)));
        let full = anyhow::Error::from(io::Error::from_raw_os_error(28)).context("cannot write");
        assert!(is_transient(&full), "a full disk");
        let missing = anyhow::Error::from(io::Error::from_raw_os_error(2));
        assert!(!is_transient(&missing), "a file that is not there");
        let broken =
            anyhow::Error::from(io::Error::new(io::ErrorKind::InvalidData, "corrupt deflate stream"));
        assert!(!is_transient(&broken), "input that cannot be read");
        assert!(!is_transient(&anyhow::anyhow!("prices.csv: no column price")));
    }

    #[test]
    fn statuses_are_read_from_the_words() {
        let words = "Server returned non-2xx status code: 503 Service Unavailable: slow down";
        assert!(status_in(words).is_some_and(passes));
        assert!(status_in(&words.replace("503", "400")).is_some_and(|status| !passes(status)));
        assert_eq!(status_in("Server returned error response: x"), None);
    }
}
