//! A small HTTP/1.1 client that hides nothing.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// One kept-alive connection.
pub struct Client(pub BufReader<TcpStream>);

/// A response, as it came.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    pub fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self(BufReader::new(stream))
    }

    pub fn get(&mut self, target: &str) -> Answer {
        self.send("GET", target, &[])
    }

    pub fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.write(method, target, headers);
        self.read(method)
    }

    pub fn write(&mut self, method: &str, target: &str, headers: &[(&str, &str)]) {
        let mut text = format!("{method} {target} HTTP/1.1\r\nhost: test\r\n");
        for (name, value) in headers {
            text.extend([name, ": ", value, "\r\n"]);
        }
        self.0.get_mut().write_all((text + "\r\n").as_bytes()).unwrap();
    }

    pub fn read(&mut self, method: &str) -> Answer {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "closed after {lines:?}");
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        let field =
            |line: &String| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
        let headers = lines[1..].iter().map(|line| field(line).unwrap()).collect();
        let mut answer = Answer { status, headers, body: Vec::new() };
        if method != "HEAD" && !matches!(status, 204 | 304) {
            answer.body = vec![0; answer.header("content-length").unwrap().parse().unwrap()];
            self.0.read_exact(&mut answer.body).unwrap();
        }
        answer
    }

    /// Whether the server has closed the connection, after what it may still have sent.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).is_ok()
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}
