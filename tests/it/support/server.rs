//! What the server's tests share: endpoints with known behaviour, a server on a free port, a small HTTP client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::openapi::Terms;
use pricebook::query::endpoint::Route;
use pricebook::query::representation::Representation;
use pricebook::server::accept_loop::{ConnectionLimits, End, Handler, listen, serve};
use pricebook::server::serve::{front, with_pages};
use pricebook::server::{ServerOptions, Shared};
use tokio::sync::oneshot;

use super::client::{Answer, Client};
use super::{snapshots, test_endpoints};

/// A server with its own threads, speaking HTTP over a socket.
pub struct TestServer {
    pub address: SocketAddr,
    pub shared: Arc<Shared>,
    /// Where its tasks run.
    pub runtime: tokio::runtime::Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<End>>,
}

impl TestServer {
    /// A server of the endpoints with known behaviour.
    pub fn start() -> Self {
        Self::with(&ServerOptions::default(), ConnectionLimits::default())
    }

    pub fn with(options: &ServerOptions, limits: ConnectionLimits) -> Self {
        Self::of(test_endpoints::routes(), Arc::new(catalog()), options, limits)
    }

    /// A server of the real endpoints, with its pages and its tools.
    pub fn real(catalog: Arc<Catalog>, options: &ServerOptions) -> Self {
        Self::with_surfaces(endpoints::routes(), catalog, options)
    }

    /// A server of some endpoints, with their pages and their tools.
    pub fn with_surfaces(routes: Vec<Route>, catalog: Arc<Catalog>, options: &ServerOptions) -> Self {
        let shared = Shared::new(routes, catalog, options).unwrap();
        let (base, terms) = ("https://prices.example", Terms::default());
        let shared = Arc::new(with_pages(shared, base, &terms).unwrap());
        let front = Arc::new(front(Arc::clone(&shared), base, &terms).unwrap());
        Self::handled(shared, front, ConnectionLimits::default())
    }

    /// A server of the real endpoints that also writes answers down so.
    pub fn writing(catalog: Arc<Catalog>, representation: &'static dyn Representation) -> Self {
        let shared = Shared::new(endpoints::routes(), catalog, &ServerOptions::default()).unwrap();
        Self::serving(shared.with_representation(representation), ConnectionLimits::default())
    }

    pub fn of(
        routes: Vec<Route>,
        catalog: Arc<Catalog>,
        options: &ServerOptions,
        limits: ConnectionLimits,
    ) -> Self {
        Self::serving(Shared::new(routes, catalog, options).unwrap(), limits)
    }

    fn serving(shared: Shared, limits: ConnectionLimits) -> Self {
        let shared = Arc::new(shared);
        Self::handled(Arc::clone(&shared), shared, limits)
    }

    fn handled<H: Handler>(shared: Arc<Shared>, handler: Arc<H>, limits: ConnectionLimits) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let listener = runtime.block_on(async { listen("127.0.0.1:0".parse().unwrap()).unwrap() });
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let handle = runtime.handle().clone();
        let thread = std::thread::spawn(move || {
            runtime.block_on(serve(listener, handler, limits, async {
                let _ = stopped.await;
            }))
        });
        Self { address, shared, runtime: handle, stop: Some(stop), thread: Some(thread) }
    }

    pub fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    pub fn get(&self, target: &str) -> Answer {
        self.connect().get(target)
    }

    /// Tells the server to stop, without waiting.
    pub fn tell_to_stop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
    }

    /// Waits until the server has stopped.
    pub fn stop(mut self) -> End {
        self.tell_to_stop();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.tell_to_stop();
    }
}

/// A catalog of one listing.
pub fn catalog() -> Catalog {
    // The mapped files outlive their folder.
    let folder = tempfile::tempdir().unwrap();
    Catalog::open(&snapshots::publish(folder.path(), "one", 100)).unwrap()
}
