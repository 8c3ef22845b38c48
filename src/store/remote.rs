//! A store that is reached over the network: a bucket of a cloud service, or single files of a web server.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures_util::TryStreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutPayload, RetryConfig, WriteMultipart,
};
use tokio::runtime::{Builder, Runtime};

use super::StoreEntry;
use super::address::{Address, Service, shown};
use super::client::Connector;
use super::fault::{StoreFault, is_no_bucket, root_cause};

/// The number of threads for requests.
const THREADS: usize = 2;
/// The part size of a multipart upload, in bytes. Smaller objects are sent in one request.
const PART_BYTES: u64 = 16 << 20;
/// The maximum number of parts of an object, below the limit of 10,000 in S3.
const PARTS_MAX: u64 = 9_000;
/// The number of parts that are uploaded concurrently.
const PARTS_AT_ONCE: usize = 4;
/// The maximum number of attempts to create an object while another writer has begun but not finished creating it.
const CREATE_TRIES_MAX: u32 = 5;
/// Transient failures are retried a few times within a minute, and then returned to the caller.
const RETRIES_MAX: usize = 6;
const RETRY_TIME_MAX: Duration = Duration::from_mins(1);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// A prefix of an object store.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    objects: Arc<dyn ObjectStore>,
    /// The common prefix of all keys, without leading and trailing slash.
    prefix: String,
    /// The address of the bucket, for messages.
    at: String,
    /// Whether the store is a web server, whose files can only be read.
    web: bool,
}

impl Remote {
    pub(super) fn open(address: &Address) -> Result<Self> {
        match address {
            Address::Folder(path) => bail!("{} is a path, not an address", path.display()),
            Address::Bucket { service, bucket, key } => {
                let at = format!("{}://{bucket}", service.scheme());
                let objects =
                    bucket_of(*service, bucket).map_err(|error| StoreFault::of(&at, "opened", &error))?;
                Ok(Self { objects, prefix: key.trim_matches('/').to_owned(), at, web: false })
            }
            Address::Web(url) => {
                let at = shown(url.as_str()).trim_end_matches('/').to_owned();
                let builder = HttpBuilder::new().with_url(url.as_str()).with_retry(retries());
                let objects = builder
                    .with_http_connector(Connector { follows: true })
                    .build()
                    .map_err(|error| StoreFault::of(&at, "opened", &error))?;
                Ok(Self { objects: Arc::new(objects), prefix: String::new(), at, web: true })
            }
        }
    }

    /// An in-memory store that behaves like a cloud store.
    #[cfg(test)]
    pub(super) fn in_memory() -> Self {
        let objects = Arc::new(object_store::memory::InMemory::new());
        Self { objects, prefix: "some/prefix".to_owned(), at: "memory://bucket".to_owned(), web: false }
    }

    pub(super) fn below(&self, folder: &str) -> Self {
        Self { prefix: self.long(folder), ..self.clone() }
    }

    /// The key of the object `name`; the prefix itself if `name` is empty.
    fn long(&self, name: &str) -> String {
        let parts = [&*self.prefix, name.trim_matches('/')];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    }

    fn key(&self, name: &str) -> Result<Key> {
        let long = self.long(name);
        Ok(Key::parse(&long).map_err(|error| StoreFault::of(&self.at(name), "requested", &error.into()))?)
    }

    /// The address of the object `name`, for messages.
    fn at(&self, name: &str) -> String {
        format!("{}/{}", self.at, self.long(name))
    }

    /// Converts an error of the store. If the object does not exist, the result is `Ok`.
    fn unless_missing(&self, name: &str, doing: &str, error: &object_store::Error) -> Result<()> {
        match error {
            object_store::Error::NotFound { .. } if !is_no_bucket(&root_cause(error).0) => Ok(()),
            error => Err(StoreFault::of(&self.at(name), doing, error).into()),
        }
    }

    pub(super) fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let key = self.key(name)?;
        let got = runtime()?.block_on(async { self.objects.get(&key).await?.bytes().await });
        match got {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) => self.unless_missing(name, "read", &error).map(|()| None),
        }
    }

    pub(super) fn range(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let key = self.key(name)?;
        let got = runtime()?.block_on(self.objects.get_range(&key, range.clone()));
        let bytes = got.map_err(|error| StoreFault::of(&self.at(name), "read", &error))?;
        let length = range.end - range.start;
        if bytes.len() as u64 != length {
            let at = self.at(name);
            bail!(StoreFault::lasting(format!("{at} ends before byte {}", range.end)));
        }
        Ok(bytes.into())
    }

    pub(super) fn fetch(&self, name: &str, to: &Path) -> Result<Option<StoreEntry>> {
        let key = self.key(name)?;
        let not_written = || format!("{} cannot be written", to.display());
        runtime()?.block_on(async {
            let got = match self.objects.get(&key).await {
                Ok(got) => got,
                Err(error) => return self.unless_missing(name, "read", &error).map(|()| None),
            };
            let entry = self.entry(&got.meta);
            let mut file = File::create(to).with_context(not_written)?;
            let mut chunks = got.into_stream();
            while let Some(chunk) =
                chunks.try_next().await.map_err(|error| StoreFault::of(&self.at(name), "read", &error))?
            {
                file.write_all(&chunk).with_context(not_written)?;
            }
            Ok(Some(entry))
        })
    }

    pub(super) fn put_file(&self, name: &str, file: &Path) -> Result<()> {
        self.refuse_web()?;
        let key = self.key(name)?;
        let not_read = || format!("{} cannot be read", file.display());
        let mut from = File::open(file).with_context(not_read)?;
        let bytes = from.metadata().with_context(not_read)?.len();
        let part = PART_BYTES.max(bytes.div_ceil(PARTS_MAX));
        let failed = |error: object_store::Error| StoreFault::of(&self.at(name), "written", &error);
        if bytes <= part {
            let mut whole = Vec::with_capacity(bytes as usize);
            from.read_to_end(&mut whole).with_context(not_read)?;
            runtime()?.block_on(self.objects.put(&key, whole.into())).map_err(failed)?;
            return Ok(());
        }
        runtime()?.block_on(async {
            let upload = self.objects.put_multipart(&key).await.map_err(failed)?;
            let mut upload = WriteMultipart::new_with_chunk_size(upload, part as usize);
            let mut buffer = vec![0; part as usize];
            loop {
                let read = from.read(&mut buffer).with_context(not_read)?;
                if read == 0 {
                    break;
                }
                upload.wait_for_capacity(PARTS_AT_ONCE).await.map_err(failed)?;
                upload.write(&buffer[..read]);
            }
            upload.finish().await.map_err(failed)?;
            Ok(())
        })
    }

    pub(super) fn create(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        self.refuse_web()?;
        let key = self.key(name)?;
        let payload = PutPayload::from(bytes.to_vec());
        let mut last = None;
        for _ in 0..CREATE_TRIES_MAX {
            let put = self.objects.put_opts(&key, payload.clone(), PutMode::Create.into());
            match runtime()?.block_on(put) {
                Ok(_) => return Ok(true),
                // Stores return the same error while another writer is still creating the object, and that writer may
                // fail.
                Err(error @ object_store::Error::AlreadyExists { .. }) => {
                    if self.head(name)?.is_some() {
                        return Ok(false);
                    }
                    last = Some(error);
                }
                Err(error) => bail!(StoreFault::of(&self.at(name), "created", &error)),
            }
        }
        let words = last.map(|error| root_cause(&error).0).unwrap_or_default();
        bail!(StoreFault::passing(format!(
            "{} cannot be created, because another process is creating it: {words}",
            self.at(name)
        )))
    }

    pub(super) fn list(&self, prefix: &str) -> Result<Vec<StoreEntry>> {
        ensure!(!self.web, "{}: folders of a web server cannot be listed: name each file", self.at);
        let folder = self.key(prefix)?;
        let found: Vec<ObjectMeta> = runtime()?
            .block_on(self.objects.list(Some(&folder)).try_collect())
            .map_err(|error| StoreFault::of(&self.at(prefix), "listed", &error))?;
        let mut entries: Vec<StoreEntry> = found.iter().map(|meta| self.entry(meta)).collect();
        // Web consoles create an empty object for each directory. These objects are left out.
        let names: BTreeSet<String> = entries.iter().map(|entry| entry.name.clone()).collect();
        entries.retain(|entry| {
            let folder = format!("{}/", entry.name);
            let within = names.range(folder.clone()..).next();
            entry.bytes > 0 || !within.is_some_and(|name| name.starts_with(&folder))
        });
        Ok(entries)
    }

    pub(super) fn head(&self, name: &str) -> Result<Option<StoreEntry>> {
        let key = self.key(name)?;
        let asked = runtime()?.block_on(async {
            // A presigned address for reading does not permit a HEAD request.
            if self.web { Ok(self.objects.get(&key).await?.meta) } else { self.objects.head(&key).await }
        });
        match asked {
            Ok(meta) => Ok(Some(StoreEntry { name: name.to_owned(), ..self.entry(&meta) })),
            Err(error) => self.unless_missing(name, "requested", &error).map(|()| None),
        }
    }

    pub(super) fn remove(&self, name: &str) -> Result<()> {
        self.refuse_web()?;
        let key = self.key(name)?;
        match runtime()?.block_on(self.objects.delete(&key)) {
            Ok(()) => Ok(()),
            Err(error) => self.unless_missing(name, "removed", &error),
        }
    }

    fn refuse_web(&self) -> Result<()> {
        ensure!(!self.web, "{}: files cannot be written to a web server: name a folder or a bucket", self.at);
        Ok(())
    }

    fn entry(&self, meta: &ObjectMeta) -> StoreEntry {
        let long = meta.location.as_ref();
        let name = long.strip_prefix(&self.prefix).unwrap_or(long).trim_start_matches('/');
        StoreEntry {
            name: name.to_owned(),
            bytes: meta.size,
            modified_micros: meta.last_modified.timestamp_micros(),
            etag: meta.e_tag.clone(),
        }
    }
}

impl std::fmt::Display for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.at("").trim_end_matches('/'))
    }
}

fn bucket_of(service: Service, bucket: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let connector = Connector { follows: false };
    let url = format!("{}://{bucket}", service.scheme());
    Ok(match service {
        Service::Aws => {
            let builder = AmazonS3Builder::from_env().with_url(url).with_retry(retries());
            Arc::new(builder.with_http_connector(connector).build()?)
        }
        Service::Google => {
            let builder = GoogleCloudStorageBuilder::from_env().with_url(url).with_retry(retries());
            Arc::new(builder.with_http_connector(connector).build()?)
        }
        Service::Azure => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(url).with_retry(retries());
            Arc::new(builder.with_http_connector(connector).build()?)
        }
    })
}

fn retries() -> RetryConfig {
    let backoff = BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: PAUSE_MAX, base: 2.0 };
    RetryConfig { backoff, max_retries: RETRIES_MAX, retry_timeout: RETRY_TIME_MAX }
}

/// The runtime for the requests of all stores. A calling thread waits until its request ends.
fn runtime() -> Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(THREADS).thread_name("store").enable_all();
    let made = builder.build().context("threads for requests to stores cannot be started")?;
    // Another thread may have initialized the runtime first. The runtime created here is then dropped.
    Ok(RUNTIME.get_or_init(|| made))
}
