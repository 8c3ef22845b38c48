//! TLS: a certificate and its key from files, which are read again when they change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

use crate::snapshot::safe_open;

const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// Maximum size of a certificate or key file, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Paths of certificate and key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// File with the certificate chain as PEM, the server's own certificate first.
    pub certificate: PathBuf,
    /// File with the private key as PEM.
    pub key: PathBuf,
}

/// Error of a certificate or key that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// The underlying error.
        error: io::Error,
    },
    /// A file contains no certificate or key in PEM form.
    #[error("{}: {error}", path.display())]
    NoPem {
        /// Path of the file.
        path: PathBuf,
        /// The underlying error.
        error: PemError,
    },
    /// Users other than the owner and group of the key file can read it.
    #[error("{}: every user of this machine can read the key; remove the permissions of others (chmod o-rwx)", .0.display())]
    OpenToAll(PathBuf),
    /// Certificate and key do not match, or are of an unsupported kind.
    #[error("certificate {} and key {}: {error}", files.certificate.display(), files.key.display())]
    InvalidTransaction {
        /// Paths of both files.
        files: Box<TlsFiles>,
        /// The underlying error.
        error: rustls::Error,
    },
}

/// TLS configuration of new connections.
pub struct Tls {
    files: TlsFiles,
    config: ArcSwap<ServerConfig>,
}

/// Modification times of both files; `None` if the system does not report one.
type Written = [Option<SystemTime>; 2];

impl Tls {
    /// Reads both files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or used.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let config = ArcSwap::from_pointee(read(&files)?);
        Ok(Self { files, config })
    }

    /// Reads both files again. Open connections are not affected. After an error, new connections use the previous
    /// certificate.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or used.
    pub fn reload(&self) -> Result<(), TlsError> {
        self.config.store(Arc::new(read(&self.files)?));
        Ok(())
    }

    /// Modification times of both files.
    pub fn written(&self) -> Written {
        let written = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
        [written(&self.files.certificate), written(&self.files.key)]
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(self.config.load_full()).accept(stream).await
    }

    /// Whether HTTP/2 was negotiated.
    pub(super) fn speaks_http2(stream: &TlsStream<TcpStream>) -> bool {
        stream.get_ref().1.alpn_protocol() == Some(HTTP2)
    }
}

fn read(files: &TlsFiles) -> Result<ServerConfig, TlsError> {
    let (certificate, key) = (open(&files.certificate)?, open(&files.key)?);
    let no_pem = |path: &Path| {
        let path = path.to_owned();
        move |error| TlsError::NoPem { path, error }
    };
    let chain = CertificateDer::pem_slice_iter(&certificate.bytes)
        .collect::<Result<Vec<_>, _>>()
        .map_err(no_pem(&files.certificate))?;
    if key.is_open_to_all {
        return Err(TlsError::OpenToAll(files.key.clone()));
    }
    let key = PrivateKeyDer::from_pem_slice(&key.bytes).map_err(no_pem(&files.key))?;
    let invalid = |error| TlsError::InvalidTransaction { files: Box::new(files.clone()), error };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(invalid)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(invalid)?;
    config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
    Ok(config)
}

/// Content of a file, and whether other users may read it, taken from the same open file.
struct Opened {
    bytes: Vec<u8>,
    is_open_to_all: bool,
}

fn open(path: &Path) -> Result<Opened, TlsError> {
    let opened = safe_open::open(path).and_then(|(file, about)| {
        let is_open_to_all = safe_open::is_open_to_all(&about);
        Ok(Opened { bytes: safe_open::read_opened(&file, FILE_BYTES_MAX)?, is_open_to_all })
    });
    opened.map_err(|error| TlsError::Unreadable { path: path.to_owned(), error })
}
