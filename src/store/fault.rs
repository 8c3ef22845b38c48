//! What goes wrong with stores, in words, and whether another try may mend it.

use std::error::Error;
use std::io;

use object_store::client::HttpError;

/// Longest part of a store's own words that a message quotes, in characters.
const QUOTED_CHARS_MAX: usize = 300;
/// Where clouds tell machines who they are; it is asked when the environment does not say.
pub(super) const METADATA_HOSTS: [&str; 3] = ["169.254.169.254", "169.254.170.2", "metadata.google.internal"];

const NO_CREDENTIALS: &str = "no credentials in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
                              AZURE_STORAGE_ACCOUNT_KEY, GOOGLE_APPLICATION_CREDENTIALS), and no cloud that gives some";
const REFUSED: &str = "access is refused: look at the credentials in the environment, and at their rights";

/// Why a store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreFault {
    message: String,
    /// Whether another try may go better: nobody was reached, or the other side had a bad moment.
    transient: bool,
}

/// Whether another try may mend it: a store that is not reached or overloaded, a full disk, too little memory.
///
/// Input that cannot be read, settings and refused access are told the same however often they are tried.
pub fn is_transient(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<StoreFault>().is_some_and(|fault| fault.transient)
            || cause.downcast_ref::<io::Error>().is_some_and(is_of_the_machine)
    })
}

/// Faults of the machine have a number of the system's; readers of formats make errors of the same type without.
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
    /// A fault that is told the same however often it is tried.
    pub(super) fn lasting(message: String) -> Self {
        Self { message, transient: false }
    }

    /// A fault that may be gone when it is tried again.
    pub(super) fn passing(message: String) -> Self {
        Self { message, transient: true }
    }

    /// What `error` says of the object at `at`; `doing` is what could not be done.
    pub(super) fn of(at: &str, doing: &str, error: &object_store::Error) -> Self {
        use object_store::Error as E;
        let (words, network) = root_cause(error);
        let status = status_in(&words);
        let (why, transient) = match error {
            _ if METADATA_HOSTS.iter().any(|host| error.to_string().contains(host)) => {
                (NO_CREDENTIALS, false)
            }
            _ if is_no_bucket(&words) => ("there is no such bucket", false),
            E::NotFound { .. } => ("it is not there", false),
            E::PermissionDenied { .. } | E::Unauthenticated { .. } => (REFUSED, false),
            E::InvalidPath { .. } => ("its name is none that stores can have", false),
            _ if status.is_some_and(passes) => ("the store has a bad moment", true),
            _ if status.is_some() => ("the store refuses", false),
            _ if network => ("the store is not reached", true),
            _ => ("the store cannot be used so", false),
        };
        Self { message: format!("{at} cannot be {doing}: {why}: {words}"), transient }
    }
}

/// Whether the answer says that the bucket itself is not there.
pub(super) fn is_no_bucket(words: &str) -> bool {
    ["NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist"]
        .iter()
        .any(|code| words.contains(code))
}

/// Words of an answer or of the lowest cause, and whether there was no answer.
///
/// What lies between repeats them beside whole addresses, whose ends may be keys.
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

/// The status of an answer that the words quote.
fn status_in(words: &str) -> Option<u16> {
    let (_, rest) = words.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

/// Whether a request with this status may go better later.
fn passes(status: u16) -> bool {
    matches!(status, 408 | 409 | 429) || (status >= 500 && status != 501)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_told_from_what_stays() {
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
