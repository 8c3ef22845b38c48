//! TLS between a test and its server, and requests over HTTP/2 whose answers are read as the test says.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use h2::client::{ResponseFuture, SendRequest};
use hyper::body::Bytes;
use hyper::{Method, Request};
use pricebook::server::accept_loop::{ConnectionLimits, Entrance, listen, serve};
use pricebook::server::tls::{Tls, TlsFiles};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use super::server::TestServer;

/// Time between two PINGs of a client.
const PING_EVERY: Duration = Duration::from_millis(100);

/// Certificate and key of `localhost`, in files of a folder.
pub fn certificate(folder: &Path) -> TlsFiles {
    let files = TlsFiles { certificate: folder.join("chain.pem"), key: folder.join("key.pem") };
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&files.certificate, made.cert.pem()).unwrap();
    std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
    set_mode(&files.key, 0o600);
    files
}

pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Begins TLS with a server whose certificate this is.
pub async fn shake_hands(
    stream: TcpStream,
    certificate: &Path,
    protocol: &str,
) -> Result<TlsStream<TcpStream>, String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let connector = TlsConnector::from(Arc::new(config));
    let name = ServerName::try_from("localhost").unwrap();
    connector.connect(name, stream).await.map_err(|error| error.to_string())
}

/// A second listener of a server, whose clients come over TLS.
pub struct SecureListener {
    folder: tempfile::TempDir,
    address: SocketAddr,
}

impl SecureListener {
    pub fn start(server: &TestServer, limits: ConnectionLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tls = Arc::new(Tls::open(certificate(folder.path())).unwrap());
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let entrance = Entrance::new(vec![listener], Some(tls));
        tokio::spawn(serve(entrance, Arc::clone(&server.shared), limits, std::future::pending()));
        Self { folder, address }
    }

    /// A client at an address of this machine that lets the server send `window` bytes of each answer unasked.
    pub async fn connect(&self, from: [u8; 4], window: u32) -> RawClient {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(IpAddr::from(from), 0)).unwrap();
        let stream = socket.connect(self.address).await.unwrap();
        let stream = shake_hands(stream, &self.folder.path().join("chain.pem"), "h2").await.unwrap();
        let mut builder = h2::client::Builder::new();
        let builder = builder.initial_window_size(window);
        let (requests, mut connection) = builder.handshake::<_, Bytes>(stream).await.unwrap();
        let mut pings = connection.ping_pong().unwrap();
        let tasks = [
            tokio::spawn(async move { drop(connection.await) }),
            tokio::spawn(async move {
                while pings.ping(h2::Ping::opaque()).await.is_ok() {
                    tokio::time::sleep(PING_EVERY).await;
                }
            }),
        ];
        RawClient { requests, tasks }
    }
}

/// A client over HTTP/2 that reads what it is told to read, and sends PINGs. Its connection ends when it is dropped.
pub struct RawClient {
    requests: SendRequest<Bytes>,
    tasks: [JoinHandle<()>; 2],
}

impl RawClient {
    /// Sends a request, whose answer is not read.
    pub async fn send(&mut self, method: Method, target: &str, fields: &[(&str, &str)]) -> ResponseFuture {
        let mut requests = self.requests.clone().ready().await.unwrap();
        let mut request = Request::builder()
            .method(method)
            .uri(format!("https://localhost{target}"))
            .version(hyper::Version::HTTP_2);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        requests.send_request(request.body(()).unwrap(), true).unwrap().0
    }

    /// The head of an answer, and its body, of which nothing was read.
    pub async fn get(&mut self, target: &str, fields: &[(&str, &str)]) -> hyper::Response<h2::RecvStream> {
        self.send(Method::GET, target, fields).await.await.unwrap()
    }
}

impl Drop for RawClient {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}
