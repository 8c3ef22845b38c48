//! Files that pages load. Each is served under a path that has a hash of its content in it, so a browser keeps it for good
//! and never sees an old one.

use std::sync::{LazyLock, OnceLock};

use hyper::HeaderMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::http::encoding::{Coding, Encoded, encode, pack};
use crate::http::site::Shown;

/// The name under which their requests are counted.
pub(super) const COUNTED_AS: &str = "/assets/";

macro_rules! files {
    ($($name:literal: $media_type:literal),* $(,)?) => {
        &[$(($name, $media_type, include_bytes!(concat!("assets/", $name)))),*]
    };
}

/// Name, media type and content.
static FILES: &[(&str, &str, &[u8])] = files![
    "icon.svg": "image/svg+xml",
    "explorer.js": "text/javascript; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
];

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let asset = |&(name, media_type, content): &(&'static str, &'static str, &'static [u8])| {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let path = format!("{COUNTED_AS}{stem}.{:016x}.{extension}", xxh3_64(content));
        Asset { name, path, media_type, content, packed: OnceLock::new() }
    };
    FILES.iter().map(asset).collect()
});

/// A file.
pub(super) struct Asset {
    name: &'static str,
    path: String,
    media_type: &'static str,
    content: &'static [u8],
    /// The content in Brotli, which every browser takes; made once.
    packed: OnceLock<Encoded>,
}

/// Where the file of this name is served.
///
/// # Panics
/// When there is none: names are words of this room.
pub(super) fn path(name: &str) -> &'static str {
    let asset = ASSETS.iter().find(|asset| asset.name == name);
    &asset.unwrap_or_else(|| panic!("no file {name}")).path
}

/// The file that is served at a path.
pub(super) fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

impl Asset {
    /// The file for a browser that sent these header fields.
    pub(super) fn shown(&self, headers: &HeaderMap) -> Shown {
        let body = if Coding::Brotli.is_taken(headers) {
            self.packed.get_or_init(|| pack(self.content)).clone()
        } else {
            encode(self.content.to_vec(), Coding::choose(headers))
        };
        Shown::File { media_type: self.media_type, body }
    }
}
