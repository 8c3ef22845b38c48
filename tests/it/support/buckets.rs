//! A server of buckets that speaks as much of S3 as stores ask: list by pages, get, head, put, delete.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Bound;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use percent_encoding::percent_decode_str;
use xxhash_rust::xxh3::xxh3_64;

/// Objects of a page: few, so that lists have several.
const PAGE: usize = 3;

type Objects = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A server that lives as long as the process.
pub struct Buckets {
    at: String,
    objects: Objects,
    asked: Arc<Mutex<Vec<String>>>,
}

struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Buckets {
    /// Starts one without objects.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = format!("http://{}", listener.local_addr().unwrap());
        let (objects, asked) = (Objects::default(), Arc::<Mutex<Vec<String>>>::default());
        let (served, heard) = (objects.clone(), asked.clone());
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (objects, asked) = (served.clone(), heard.clone());
                thread::spawn(move || serve(&connection.unwrap(), &objects, &asked));
            }
        });
        Self { at, objects, asked }
    }

    /// Where it is.
    pub fn at(&self) -> &str {
        &self.at
    }

    /// Puts an object; keys begin with the bucket.
    pub fn put(&self, key: &str, bytes: impl AsRef<[u8]>) {
        self.objects.lock().unwrap().insert(key.to_owned(), bytes.as_ref().to_vec());
    }

    /// How often an object was read whole.
    pub fn reads(&self, key: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| *asked == &format!("GET {key}")).count()
    }

    /// Tells a process where it is.
    pub fn introduce<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("AWS_ENDPOINT_URL", &self.at)
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env("AWS_REGION", "us-east-1")
    }
}

fn serve(connection: &TcpStream, objects: &Objects, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(connection);
    while let Some(request) = read(&mut reader) {
        asked.lock().unwrap().push(format!("{} {}", request.method, request.path));
        let (status, headers, body) = answer(&request, &mut objects.lock().unwrap());
        let length = if request.method == "HEAD" { headers.len() } else { body.len() };
        let declared =
            if request.method == "HEAD" { String::new() } else { format!("content-length: {length}\r\n") };
        let head = format!("HTTP/1.1 {status}\r\n{headers}{declared}\r\n");
        let mut writer = connection;
        if writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(&body)).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let decode = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(&value.replace('+', " ")))
    };
    let query = query.split('&').map(pair).collect();
    Some(Request { method, path: decode(path.trim_start_matches('/')), query, headers, body })
}

type Answer = (&'static str, String, Vec<u8>);

fn answer(request: &Request, objects: &mut BTreeMap<String, Vec<u8>>) -> Answer {
    let Request { method, path, query, headers, body } = request;
    let etag = |bytes: &[u8]| format!("\"{:x}\"", xxh3_64(bytes));
    let none = |status| (status, String::new(), Vec::new());
    match (method.as_str(), objects.get(path)) {
        ("GET", _) if query.contains_key("list-type") => list(path.trim_end_matches('/'), query, objects),
        ("PUT", Some(_)) if headers.contains_key("if-none-match") => none("412 Precondition Failed"),
        ("PUT", _) => {
            objects.insert(path.clone(), body.clone());
            ("200 OK", format!("etag: {}\r\n", etag(body)), Vec::new())
        }
        ("DELETE", _) => {
            objects.remove(path);
            none("204 No Content")
        }
        (_, None) => none("404 Not Found"),
        ("HEAD", Some(bytes)) => {
            ("200 OK", format!("{}content-length: {}\r\n", about(&etag(bytes)), bytes.len()), vec![])
        }
        (_, Some(bytes)) => {
            let range = headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
            let Some((from, to)) = range else { return ("200 OK", about(&etag(bytes)), bytes.clone()) };
            let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
            let to = (to + 1).min(bytes.len());
            let range = format!("content-range: bytes {from}-{}/{}\r\n", to - 1, bytes.len());
            ("206 Partial Content", about(&etag(bytes)) + &range, bytes[from..to].to_vec())
        }
    }
}

fn about(etag: &str) -> String {
    format!("etag: {etag}\r\nlast-modified: Sun, 01 Nov 2026 00:00:00 GMT\r\n")
}

fn list(bucket: &str, query: &BTreeMap<String, String>, objects: &BTreeMap<String, Vec<u8>>) -> Answer {
    let prefix = format!("{bucket}/{}", query.get("prefix").map_or("", String::as_str));
    let after =
        query.get("continuation-token").cloned().map_or(Bound::Included(prefix.clone()), Bound::Excluded);
    let found = objects.range((after, Bound::Unbounded)).take_while(|(key, _)| key.starts_with(&prefix));
    let page: Vec<_> = found.take(PAGE + 1).collect();
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult>");
    for (key, bytes) in page.iter().take(PAGE) {
        text += &format!(
            "<Contents><Key>{}</Key><LastModified>2026-11-01T00:00:00.000Z</LastModified>\
             <ETag>&quot;{:x}&quot;</ETag><Size>{}</Size></Contents>",
            escape(&key[bucket.len() + 1..]),
            xxh3_64(bytes),
            bytes.len()
        );
    }
    if page.len() > PAGE {
        text += &format!("<NextContinuationToken>{}</NextContinuationToken>", escape(page[PAGE - 1].0));
    }
    text += &format!("<IsTruncated>{}</IsTruncated></ListBucketResult>", page.len() > PAGE);
    ("200 OK", "content-type: application/xml\r\n".to_owned(), text.into_bytes())
}
