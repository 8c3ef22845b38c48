//! JSON of an answer, parsed for display. Numbers keep their digits and fields keep their order.

use std::fmt::Write as _;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonText {
    /// `null`.
    Nothing,
    /// A number, `true` or `false`, as written.
    Plain(String),
    /// A text, without its quotes.
    Text(String),
    /// A list.
    List(Vec<JsonText>),
    /// An object with its fields in order.
    Object(Vec<(String, JsonText)>),
}

impl JsonText {
    /// Parses the JSON of an answer.
    ///
    /// # Errors
    /// Returns a message with the position at which the text is not valid JSON.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut rest = Rest { text, at: 0 };
        let value = rest.value()?;
        rest.skip_blank();
        if rest.at < text.len() { Err(rest.fault()) } else { Ok(value) }
    }

    /// The value of a field of an object.
    pub fn field(&self, name: &str) -> Option<&Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The value at a path of names separated by dots.
    pub fn at(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |value, name| value.field(name))
    }

    /// The value at a path as one line of text; `None` if it is null, empty, missing or an object.
    pub fn text(&self, path: &str) -> Option<String> {
        self.at(path)?.cell().filter(|text| !text.is_empty())
    }

    /// The value at a path as one line of text; empty where [`JsonText::text`] returns `None`.
    pub fn text_or_empty(&self, path: &str) -> String {
        self.text(path).unwrap_or_default()
    }

    /// The value as a number.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Plain(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The number at a path.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.at(path)?.as_number()
    }

    /// The whole number at a path.
    pub fn count(&self, path: &str) -> Option<u64> {
        match self.at(path)? {
            Self::Plain(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether the value at a path is `true`.
    pub fn is_true(&self, path: &str) -> bool {
        matches!(self.at(path), Some(Self::Plain(text)) if text == "true")
    }

    /// The elements of the list in a field; empty if the field is not a list.
    pub fn rows(&self, name: &str) -> &[Self] {
        match self.field(name) {
            Some(Self::List(rows)) => rows,
            _ => &[],
        }
    }

    /// Returns the first text at a path of names separated by dots. Lists are searched row by row.
    pub fn first_text(&self, path: &str) -> Option<String> {
        match self {
            Self::Text(text) if path.is_empty() => Some(text.clone()),
            Self::List(rows) => rows.iter().find_map(|row| row.first_text(path)),
            Self::Object(_) => {
                let (name, rest) = path.split_once('.').unwrap_or((path, ""));
                self.field(name)?.first_text(rest)
            }
            _ => None,
        }
    }

    /// The value as the text of a table cell; `None` for an object and a list of objects. Control characters are
    /// replaced with blanks, because names come from untrusted sources and a terminal would execute control
    /// sequences.
    pub fn cell(&self) -> Option<String> {
        match self {
            Self::Nothing => Some(String::new()),
            Self::Plain(text) | Self::Text(text) => {
                Some(text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect())
            }
            Self::Object(_) => None,
            Self::List(values) => {
                let cells: Option<Vec<String>> = values.iter().map(Self::cell).collect();
                Some(cells?.join(", "))
            }
        }
    }
}

/// Formats JSON for people, with one field per line. Only blanks outside texts change.
pub fn indented(json: &str) -> String {
    let (mut out, mut depth, mut is_text, mut is_escaped) =
        (String::with_capacity(json.len() * 2), 0, false, false);
    let line = |out: &mut String, depth: usize| {
        // Writing into a String cannot fail.
        let _ = write!(out, "\n{:width$}", "", width = 2 * depth);
    };
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if is_text {
            out.push(letter);
            is_text = letter != '"' || is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            continue;
        }
        match letter {
            '"' => is_text = true,
            '{' | '[' if letters.peek().is_some_and(|next| !"]}".contains(*next)) => {
                depth += 1;
                out.push(letter);
                line(&mut out, depth);
                continue;
            }
            '}' | ']' if !out.ends_with(['{', '[']) => {
                depth -= 1;
                line(&mut out, depth);
            }
            _ => {}
        }
        out.push(letter);
        match letter {
            ',' => line(&mut out, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out
}

/// A text that is being parsed, and the byte position of the parser.
struct Rest<'a> {
    text: &'a str,
    at: usize,
}

impl Rest<'_> {
    fn value(&mut self) -> Result<JsonText, String> {
        self.skip_blank();
        match self.peek() {
            Some(b'{') => {
                let field = |rest: &mut Self| {
                    let name = rest.string()?;
                    rest.expect(b':')?;
                    Ok((name, rest.value()?))
                };
                Ok(JsonText::Object(self.items(b'}', field)?))
            }
            Some(b'[') => Ok(JsonText::List(self.items(b']', Self::value)?)),
            Some(b'"') => Ok(JsonText::Text(self.string()?)),
            _ => {
                let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
                let length = self.bytes().iter().take_while(|&&byte| is_word(byte)).count();
                let word = &self.text[self.at..self.at + length];
                if word.is_empty() {
                    return Err(self.fault());
                }
                self.at += length;
                Ok(if word == "null" { JsonText::Nothing } else { JsonText::Plain(word.to_owned()) })
            }
        }
    }

    /// Parses the items between an opening mark and its closing mark.
    fn items<T>(
        &mut self,
        close: u8,
        item: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_blank();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            self.skip_blank();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(items);
                }
                _ => return Err(self.fault()),
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.skip_blank();
        if self.peek() != Some(b'"') {
            return Err(self.fault());
        }
        let mut is_escaped = false;
        let end = self.bytes()[1..].iter().position(|&byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let end = self.at + end.ok_or_else(|| self.fault())? + 2;
        let text = serde_json::from_str(&self.text[self.at..end]).map_err(|_| self.fault())?;
        self.at = end;
        Ok(text)
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        self.skip_blank();
        if self.peek() != Some(byte) {
            return Err(self.fault());
        }
        self.at += 1;
        Ok(())
    }

    fn skip_blank(&mut self) {
        self.at += self.bytes().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn bytes(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.bytes().first().copied()
    }

    fn fault(&self) -> String {
        format!("invalid JSON at byte {}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> JsonText {
        JsonText::Plain(text.to_owned())
    }

    #[test]
    fn numbers_stay_as_they_are_written() {
        let read =
            JsonText::read(r#" {"b":1.10,"a":[null,true,-2e-7,"x\"\\é"],"c":{},"d":[]} "#).expect("JSON");
        let list = vec![JsonText::Nothing, plain("true"), plain("-2e-7"), JsonText::Text("x\"\\é".into())];
        let fields = [
            ("b", plain("1.10")),
            ("a", JsonText::List(list)),
            ("c", JsonText::Object(Vec::new())),
            ("d", JsonText::List(Vec::new())),
        ];
        assert_eq!(read, JsonText::Object(fields.map(|(name, value)| (name.to_owned(), value)).into()));
        for text in ["", "{", "[1", "[1 2]", r#"{"a"}"#, r#"{"a":}"#, "1 2", r#""a"#, "{1:2}", "[,]"] {
            assert!(JsonText::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_cell_is_one_line() {
        let cell = |text: &str| JsonText::read(text).expect(text).cell();
        assert_eq!(cell("null").as_deref(), Some(""));
        assert_eq!(cell(r#"["a",1]"#).as_deref(), Some("a, 1"));
        assert_eq!(cell(r#""a\u001b[2J\nb""#).as_deref(), Some("a [2J b"));
        assert_eq!((cell("{}"), cell("[{}]")), (None, None));
        assert_eq!(cell("[]").as_deref(), Some(""));
    }

    #[test]
    fn indenting_changes_blanks_only() {
        let json = r#"{"a":[],"b":{},"c":[1,{"d":"x,{[:\" "}],"e":null}"#;
        let text = indented(json);
        let lines = [
            "{",
            r#"  "a": [],"#,
            r#"  "b": {},"#,
            r#"  "c": ["#,
            "    1,",
            "    {",
            r#"      "d": "x,{[:\" ""#,
            "    }",
            "  ],",
            r#"  "e": null"#,
            "}",
        ];
        assert_eq!(text, lines.join("\n"));
        assert_eq!(JsonText::read(&text), JsonText::read(json));
    }
}
