//! Files that pages load. They are served in one folder whose name is a hash of them all, so a browser keeps them for good and
//! never sees an old one, and scripts import each other by their names.

use std::sync::{LazyLock, OnceLock};

use hyper::HeaderMap;
use hyper::body::Bytes;
use xxhash_rust::xxh3::Xxh3;

use crate::server::encoding::{Coding, Encoded, encode_shared, pack};
use crate::server::pages::PageResponse;

/// The name under which their requests are counted.
pub(super) const COUNTED_AS: &str = "/assets/";

macro_rules! files {
    ($($name:literal: $media_type:expr),* $(,)?) => {
        &[$(($name, $media_type, include_bytes!(concat!("assets/", $name)))),*]
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Name, media type and content.
static FILES: &[(&str, &str, &[u8])] = files![
    "icon.svg": "image/svg+xml",
    "style.css": "text/css; charset=utf-8",
    "explorer.js": SCRIPT,
    "ask.js": SCRIPT,
    "copy.js": SCRIPT,
    "drawings.js": SCRIPT,
    "figures.js": SCRIPT,
    "matching.js": SCRIPT,
    "pictures.js": SCRIPT,
    "quote.js": SCRIPT,
    "say.js": SCRIPT,
    "suggest.js": SCRIPT,
    "vendor/plot-0.6.17.js": SCRIPT,
];

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let mut hash = Xxh3::new();
    for (name, _, content) in FILES {
        hash.update(name.as_bytes());
        hash.update(content);
    }
    let folder = format!("{COUNTED_AS}{:016x}", hash.digest());
    let asset = |&(name, media_type, content): &(&'static str, &'static str, &'static [u8])| Asset {
        name,
        path: format!("{folder}/{name}"),
        media_type,
        content,
        packed: OnceLock::new(),
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
    pub(super) fn shown(&self, headers: &HeaderMap) -> PageResponse {
        let body = if Coding::Brotli.is_taken(headers) {
            self.packed.get_or_init(|| pack(self.content)).clone()
        } else {
            encode_shared(Bytes::from_static(self.content), Coding::choose(headers))
        };
        PageResponse::File { media_type: self.media_type, body }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;
    use sha2::{Digest, Sha256};

    use super::*;

    /// Size of all scripts together as they are sent, in bytes, at most.
    const SCRIPT_BYTES_MAX: usize = 120 * 1024;
    const STYLE_BYTES_MAX: usize = 15 * 1024;

    fn content(name: &str) -> &'static [u8] {
        find(path(name)).map(|asset| asset.content).unwrap()
    }

    #[test]
    fn the_bundle_is_what_its_script_made() {
        let hash = B256::from_slice(&Sha256::digest(content("vendor/plot-0.6.17.js")));
        let recorded = include_str!("assets/vendor/plot-0.6.17.js.sha256");
        assert_eq!(format!("0x{recorded}"), format!("{hash:#x}  plot-0.6.17.js\n"));
    }

    #[test]
    fn pages_load_little() {
        let scripts = ASSETS.iter().filter(|asset| asset.media_type == SCRIPT);
        let bytes: usize = scripts.map(|asset| pack(asset.content).bytes.len()).sum();
        assert!(bytes <= SCRIPT_BYTES_MAX, "{bytes} bytes of scripts");
        assert!(content("style.css").len() <= STYLE_BYTES_MAX);
    }

    #[test]
    fn serves_every_script_import() {
        for asset in ASSETS.iter().filter(|asset| asset.media_type == SCRIPT && !asset.name.contains('/')) {
            let text = std::str::from_utf8(asset.content).unwrap();
            for import in text.split("\"./").skip(1) {
                let name = import.split('"').next().unwrap();
                assert!(FILES.iter().any(|(file, ..)| *file == name), "{} imports {name}", asset.name);
            }
        }
    }
}
