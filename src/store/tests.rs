//! Tests of both kinds of stores, and of a misbehaving web server.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::Barrier;
use std::thread;

use tempfile::TempDir;

use super::remote::Remote;
use super::*;

/// A store of each kind, with the directory that it needs.
fn stores() -> Vec<(Store, Option<TempDir>)> {
    let dir = TempDir::new().unwrap();
    let folder = Store::open(dir.path().join("not/yet/there").to_str().unwrap()).unwrap();
    vec![(folder, Some(dir)), (Store(Kind::Remote(Remote::in_memory())), None)]
}

fn file_of(dir: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = dir.path().join("file");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn reads_back_stored_objects() {
    let scratch = TempDir::new().unwrap();
    for (store, _kept) in stores() {
        assert_eq!(store.get("a/rows").unwrap(), None);
        assert_eq!(store.head("a/rows").unwrap(), None);
        assert_eq!(store.list("").unwrap(), []);
        store.put_file("a/rows", &file_of(&scratch, b"first")).unwrap();
        store.put_file("a/rows", &file_of(&scratch, b"0123456789")).unwrap();
        assert_eq!(store.get("a/rows").unwrap().unwrap(), b"0123456789", "{store}");
        assert_eq!(store.range("a/rows", 2..5).unwrap(), b"234");
        assert_eq!(store.range("a/rows", 5..5).unwrap(), b"");
        assert!(store.range("a/rows", 5..11).is_err(), "{store} has no eleventh byte");
        let head = store.head("a/rows").unwrap().unwrap();
        assert_eq!((&*head.name, head.bytes), ("a/rows", 10));
        assert!(head.modified_micros > 0);
        let to = scratch.path().join("fetched");
        assert_eq!(store.fetch("a/rows", &to).unwrap().map(|entry| entry.name), Some("a/rows".to_owned()));
        assert_eq!(fs::read(&to).unwrap(), b"0123456789");
        assert_eq!(store.fetch("a/none", &to).unwrap(), None);
        store.remove("a/rows").unwrap();
        store.remove("a/rows").unwrap();
        assert_eq!(store.get("a/rows").unwrap(), None);
    }
}

#[test]
fn names_are_listed_by_their_bytes_and_parts_know_theirs_only() {
    for (store, _kept) in stores() {
        for name in ["b/x", "a/z/2", "a-b", "a/z/10", "ab"] {
            assert!(store.create(name, b"1").unwrap());
        }
        let names = |store: &Store, prefix: &str| -> Vec<String> {
            store.list(prefix).unwrap().into_iter().map(|entry| entry.name).collect()
        };
        assert_eq!(names(&store, ""), ["a-b", "a/z/10", "a/z/2", "ab", "b/x"], "{store}");
        assert_eq!(names(&store, "a"), ["a/z/10", "a/z/2"], "a folder, and not what begins like it");
        assert_eq!(names(&store.below("a"), ""), ["z/10", "z/2"]);
        assert_eq!(names(&store, "none"), [""; 0]);
        assert_eq!(store.below("a").below("z").get("2").unwrap().unwrap(), b"1");
    }
}

#[test]
fn of_many_that_create_one_does() {
    const WRITERS: u8 = 8;
    for (store, _kept) in stores() {
        let start = Barrier::new(usize::from(WRITERS));
        let won: Vec<u8> = thread::scope(|scope| {
            let writer = |number: u8| {
                let (store, start) = (store.clone(), &start);
                scope.spawn(move || {
                    start.wait();
                    store.create("deep/in/marker", &[number]).unwrap().then_some(number)
                })
            };
            let writers: Vec<_> = (0..WRITERS).map(writer).collect();
            writers.into_iter().filter_map(|writer| writer.join().unwrap()).collect()
        });
        assert_eq!(won.len(), 1, "{store}");
        assert_eq!(store.get("deep/in/marker").unwrap().unwrap(), won);
        assert_eq!(store.list("").unwrap().len(), 1, "nothing is left beside it");
    }
}

#[test]
fn a_file_on_the_same_disk_is_moved_and_empty_folders_go() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(dir.path().join("store").to_str().unwrap()).unwrap();
    let file = file_of(&dir, b"rows");
    store.put_file("run/one/rows", &file).unwrap();
    assert!(!file.exists());
    assert_eq!(store.path("run/one/rows").unwrap(), dir.path().join("store/run/one/rows"));
    store.remove("run/one/rows").unwrap();
    assert!(!dir.path().join("store/run").exists() && dir.path().join("store").exists());
}

#[test]
fn folders_that_come_and_go_lose_nothing() {
    let dir = TempDir::new().unwrap();
    let store = Store::open(dir.path().to_str().unwrap()).unwrap();
    thread::scope(|scope| {
        for word in ["one", "two"] {
            let store = store.clone();
            scope.spawn(move || {
                for number in 0..200 {
                    let name = format!("shared/{word}-{number}");
                    assert!(store.create(&name, b"x").unwrap());
                    store.remove(&name).unwrap();
                }
            });
        }
    });
    assert_eq!(store.list("").unwrap(), []);
}

/// A web server that sends the given responses, one per connection, and returns the request lines.
fn web(answers: &'static [&'static str]) -> (String, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}", listener.local_addr().unwrap());
    let serve = move || {
        let mut asked = Vec::new();
        for answer in answers {
            let (mut connection, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(connection.try_clone().unwrap()).lines();
            asked.push(lines.next().unwrap().unwrap());
            lines.find(|line| line.as_ref().unwrap().is_empty());
            connection.write_all(answer.as_bytes()).unwrap();
        }
        asked
    };
    (at, thread::spawn(serve))
}

const GONE_ON: &str =
    "HTTP/1.1 302 Found\r\nlocation: /b/prices.csv?key=1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const FILE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\netag: \"v1\"\r\nconnection: close\r\n\r\nhello";
const MISSING: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const REFUSED: &str = "HTTP/1.1 403 Forbidden\r\ncontent-length: 6\r\nconnection: close\r\n\r\nno sir";
const CUT: &str = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nhello";

#[test]
fn a_file_of_a_web_server_is_fetched_through_bad_moments_and_redirections() {
    let scratch = TempDir::new().unwrap();
    let to = scratch.path().join("prices.csv");
    let (at, server) = web(&[BUSY, GONE_ON, FILE]);
    let (store, name) = Store::of_object(&format!("{at}/a/prices%20x.csv?token=secret")).unwrap();
    assert_eq!(name, "prices x.csv");
    let entry = store.fetch(&name, &to).unwrap().unwrap();
    assert_eq!((entry.bytes, entry.etag.as_deref()), (5, Some("\"v1\"")));
    assert_eq!(fs::read(&to).unwrap(), b"hello");
    let first = "GET /a/prices%20x.csv?token=secret HTTP/1.1";
    assert_eq!(server.join().unwrap(), [first, first, "GET /b/prices.csv?key=1 HTTP/1.1"]);
}

#[test]
fn omits_the_token_from_web_server_refusals() {
    let ask = |answers| {
        let (at, server) = web(answers);
        let (store, name) = Store::of_object(&format!("{at}/a.csv?token=secret")).unwrap();
        let answer = store.head(&name);
        server.join().unwrap();
        answer
    };
    assert_eq!(ask(&[MISSING]).unwrap(), None);
    let error = ask(&[REFUSED]).unwrap_err();
    let words = format!("{error:#}");
    assert!(words.contains("access is refused") && words.contains("no sir"), "{words}");
    assert!(!words.contains("secret") && !is_transient(&error), "{words}");
}

#[test]
fn treats_a_truncated_response_as_a_transient_fault() {
    let scratch = TempDir::new().unwrap();
    let (at, server) = web(&[CUT]);
    let (store, name) = Store::of_object(&format!("{at}/a.csv")).unwrap();
    // The server has stopped when the rest is requested.
    let error = store.fetch(&name, &scratch.path().join("a.csv")).unwrap_err();
    server.join().unwrap();
    assert!(is_transient(&error), "{error:#}");
}

#[test]
fn refuses_to_write_to_or_list_a_web_server() {
    let (store, name) = Store::of_object("http://127.0.0.1:1/a.csv").unwrap();
    assert!(store.create(&name, b"x").is_err_and(|error| error.to_string().contains("web server")));
    assert!(store.list("").is_err_and(|error| error.to_string().contains("name each file")));
}
