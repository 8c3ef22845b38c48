//! Files that pages load. They are served under a path that has a hash of their content in it, so a browser keeps them for
//! good and never sees an old one.

use std::sync::{LazyLock, OnceLock};

use hyper::HeaderMap;
use xxhash_rust::xxh3::Xxh3;

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
    "ask.js": "text/javascript; charset=utf-8",
    "copy.js": "text/javascript; charset=utf-8",
    "explorer.js": "text/javascript; charset=utf-8",
    "figures.js": "text/javascript; charset=utf-8",
    "matching.js": "text/javascript; charset=utf-8",
    "pictures.js": "text/javascript; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "suggest.js": "text/javascript; charset=utf-8",
    "vendor/plot.js": "text/javascript; charset=utf-8",
];

/// All of them lie in one folder, whose name changes with any of them: scripts load each other by their names.
static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let mut hasher = Xxh3::new();
    for (name, _, content) in FILES {
        hasher.update(name.as_bytes());
        hasher.update(content);
    }
    let folder = format!("{COUNTED_AS}{:016x}", hasher.digest());
    let asset = |&(name, media_type, content): &(&'static str, &'static str, &'static [u8])| {
        let path = format!("{folder}/{name}");
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

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn what_others_wrote_is_what_was_vendored() {
        let recorded = include_str!("assets/vendor/plot.sha256");
        let plot = FILES.iter().find(|(name, ..)| *name == "vendor/plot.js").expect("the bundle").2;
        let hash: String = Sha256::digest(plot).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(recorded.split_whitespace().next(), Some(&*hash), "scripts/vendor-plot makes it anew");
    }

    #[test]
    fn scripts_and_styles_stay_small() {
        let packed = |extension: &str| -> usize {
            let files = FILES.iter().filter(|(name, ..)| name.ends_with(extension));
            files.map(|(.., content)| pack(content).bytes.len()).sum()
        };
        assert!(packed(".js") <= 120_000, "scripts take {} bytes in Brotli", packed(".js"));
        let style = FILES.iter().find(|(name, ..)| *name == "style.css").expect("the style").2;
        assert!(style.len() <= 15_000, "the style takes {} bytes", style.len());
    }
}
