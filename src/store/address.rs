//! Paths and addresses of stores.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use percent_encoding::percent_decode_str;
use url::Url;

/// The location of a store or an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    /// A path on this machine.
    Folder(PathBuf),
    /// A key in a bucket. The key is not percent-decoded: `%20` is three characters, as in the tools of the cloud
    /// vendors.
    Bucket { service: Service, bucket: String, key: String },
    /// A directory of a web server.
    Web(Url),
}

/// The service that hosts a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    /// Amazon S3 and services that implement its protocol.
    Aws,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage, where a bucket is called a container.
    Azure,
}

impl Service {
    /// The scheme of the addresses of this service, without `://`.
    pub(super) const fn scheme(self) -> &'static str {
        match self {
            Self::Aws => "s3",
            Self::Google => "gs",
            Self::Azure => "az",
        }
    }
}

/// Whether the text is an address rather than a path.
pub fn is_address(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    };
    text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// A path or an address, as messages and reports show it. User info, query and fragment of a web address are removed,
/// because they may contain a key.
pub fn shown(text: &str) -> String {
    match Url::parse(text) {
        Ok(mut url) if is_address(text) && matches!(url.scheme(), "http" | "https") => {
            url.set_query(None);
            url.set_fragment(None);
            // Neither call fails for an address with a host, and every http address has a host.
            let _ = (url.set_username(""), url.set_password(None));
            url.into()
        }
        _ => text.to_owned(),
    }
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self> {
        if !is_address(text) {
            ensure!(!text.is_empty(), "an empty path is not an address");
            return Ok(Self::Folder(PathBuf::from(text)));
        }
        let (scheme, rest) = text.split_once("://").context("the address does not contain ://")?;
        let service = match &*scheme.to_ascii_lowercase() {
            "file" => {
                ensure!(
                    rest.starts_with('/'),
                    "{text}: file:// must be followed by an absolute path (file:///data)"
                );
                return Ok(Self::Folder(PathBuf::from(rest)));
            }
            "s3" | "s3a" => Service::Aws,
            "gs" => Service::Google,
            "az" | "abfs" | "abfss" => Service::Azure,
            "http" | "https" => {
                let url = Url::parse(text).with_context(|| format!("{} is not an address", shown(text)))?;
                return Ok(Self::Web(url));
            }
            _ => bail!("{text}: only file://, s3://, gs://, az://, http:// and https:// are supported"),
        };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let scheme = service.scheme();
        ensure!(
            !bucket.is_empty(),
            "{text}: {scheme}:// must be followed by a bucket ({scheme}://bucket/folder)"
        );
        Ok(Self::Bucket { service, bucket: bucket.to_owned(), key: key.to_owned() })
    }

    /// Splits the address of an object into the address of its store and the name of the object in it.
    pub(super) fn split(self) -> Result<(Self, String)> {
        match self {
            Self::Folder(path) => {
                let name = path.file_name().and_then(|name| name.to_str());
                let name =
                    name.with_context(|| format!("{} does not name a file", path.display()))?.to_owned();
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                Ok((Self::Folder(folder.unwrap_or(Path::new(".")).to_owned()), name))
            }
            Self::Bucket { service, bucket, key } => {
                ensure!(
                    !key.is_empty() && !key.ends_with('/'),
                    "{}://{bucket}/{key} names a folder, not a file",
                    service.scheme()
                );
                Ok((Self::Bucket { service, bucket, key: String::new() }, key))
            }
            Self::Web(mut url) => {
                let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or("");
                let name = percent_decode_str(last).decode_utf8_lossy().into_owned();
                ensure!(
                    !name.is_empty(),
                    "{} does not name a file: over http, only a single file can be read",
                    shown(url.as_str())
                );
                // The query is kept, because it may contain the key to the file.
                url.path_segments_mut().ok().context("the address does not contain a path")?.pop();
                Ok((Self::Web(url), name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_are_told_apart() {
        assert!(is_address("s3://bucket/key") && is_address("https://host/a.csv"));
        assert!(!is_address("data/a.csv") && !is_address("./odd://name") && !is_address("://x"));
        assert_eq!(Address::parse("data").unwrap(), Address::Folder("data".into()));
        assert_eq!(Address::parse("file:///data/x").unwrap(), Address::Folder("/data/x".into()));
        let key = |text: &str| match Address::parse(text).unwrap() {
            Address::Bucket { service, bucket, key } => (service, bucket, key),
            other => panic!("{other:?}"),
        };
        assert_eq!(key("s3://b/dt=1/a b%20?.csv"), (Service::Aws, "b".into(), "dt=1/a b%20?.csv".into()));
        assert_eq!(key("gs://b"), (Service::Google, "b".into(), String::new()));
        assert_eq!(key("abfss://box@account.dfs.core.windows.net/x").1, "box@account.dfs.core.windows.net");
    }

    #[test]
    fn explains_what_a_valid_address_is() {
        for (text, says) in [
            ("ftp://host/x", "only file://"),
            ("file://data", "absolute path"),
            ("s3:///key", "followed by a bucket"),
            ("", "is not an address"),
        ] {
            let error = format!("{:#}", Address::parse(text).unwrap_err());
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn an_object_is_a_store_and_a_name() {
        let split = |text: &str| Address::parse(text).unwrap().split();
        assert_eq!(split("a.csv").unwrap(), (Address::Folder(".".into()), "a.csv".to_owned()));
        assert_eq!(split("s3://b/x/y.csv").unwrap().1, "x/y.csv");
        assert!(split("s3://b/x/").is_err() && split("https://host/").is_err());
        let (store, name) = split("https://host/x/a%20b.csv?key=1").unwrap();
        assert_eq!((store, &*name), (Address::Web("https://host/x?key=1".parse().unwrap()), "a b.csv"));
    }

    #[test]
    fn keys_of_web_addresses_are_not_shown() {
        assert_eq!(shown("https://me:secret@host/a.csv?sig=secret#x"), "https://host/a.csv");
        assert_eq!(shown("s3://bucket/a?b"), "s3://bucket/a?b");
        assert_eq!(shown("dir/a?b"), "dir/a?b");
    }
}
