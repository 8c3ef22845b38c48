//! TLS: a certificate and its key from files, read again when they change.

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

/// Longest file of certificates or of a key, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Where certificate and key lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// Chain of certificates as PEM, the server's own first.
    pub certificate: PathBuf,
    /// Private key as PEM.
    pub key: PathBuf,
}

/// What cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable {
        /// File.
        path: PathBuf,
        /// Cause.
        error: io::Error,
    },
    /// A file holds nothing of the kind.
    #[error("{}: {error}", path.display())]
    NoPem {
        /// File.
        path: PathBuf,
        /// Cause.
        error: PemError,
    },
    /// The key can be read by others than its owner and group.
    #[error("{}: everybody on this machine can read the key; take the rights of others away (chmod o-rwx)", .0.display())]
    OpenToAll(PathBuf),
    /// Certificate and key do not go together, or are of a kind that is not known.
    #[error("certificate {} and key {}: {error}", files.certificate.display(), files.key.display())]
    InvalidTransaction {
        /// Both files.
        files: Box<TlsFiles>,
        /// Cause.
        error: rustls::Error,
    },
}

/// Begins connections with a handshake.
pub struct Tls {
    files: TlsFiles,
    config: ArcSwap<ServerConfig>,
}

/// When both files were last written, where that can be told.
type Written = [Option<SystemTime>; 2];

impl Tls {
    /// Reads both files.
    ///
    /// # Errors
    /// When they cannot be used.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let config = ArcSwap::from_pointee(read(&files)?);
        Ok(Self { files, config })
    }

    /// Reads both files again. What runs goes on as it began; on an error so do new connections.
    ///
    /// # Errors
    /// When the files cannot be used.
    pub fn reload(&self) -> Result<(), TlsError> {
        self.config.store(Arc::new(read(&self.files)?));
        Ok(())
    }

    /// When the files were last written.
    pub fn written(&self) -> Written {
        let written = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
        [written(&self.files.certificate), written(&self.files.key)]
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(self.config.load_full()).accept(stream).await
    }

    /// Whether the client chose HTTP/2.
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

/// A file as it was when it was opened.
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
