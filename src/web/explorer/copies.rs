//! A request as programs that send it, to be copied.

use maud::{Markup, html};

/// A request that is copied.
pub(super) struct Copies<'a> {
    /// How the visitor knows this server.
    pub(super) base: &'a str,
    /// Path and query.
    pub(super) request: &'a str,
    /// Whether the answer has to be paid for.
    pub(super) must_pay: bool,
}

impl Copies<'_> {
    /// The section of the page.
    pub(super) fn section(&self) -> Markup {
        let url = format!("{}{}", self.base, self.request);
        let (python, typescript) = if self.must_pay {
            (paying_python(&url), paying_typescript(&url))
        } else {
            (python(&url), typescript(&url))
        };
        let copies = [
            ("curl", "curl", curl(&url, self.must_pay)),
            ("python", "Python", python),
            ("typescript", "TypeScript", typescript),
        ];
        // The first program that receives the answer; curl shows the offers.
        let first = if self.must_pay { "python" } else { "curl" };
        html! {
            section class="copy" aria-labelledby="copy" {
                h2 id="copy" { "The same from a program" }
                @if self.must_pay {
                    p { "The programs pay the price of the request from your own wallet: "
                        a href="/docs/clients#paying" { "how clients pay" } "." }
                }
                @for (language, name, text) in copies {
                    details open[language == first] {
                        summary { (name) }
                        pre data-language=(language) tabindex="0" { code { (text) } }
                    }
                }
            }
        }
    }
}

/// With the header fields where these are what is answered: the offers.
fn curl(url: &str, must_pay: bool) -> String {
    format!("curl {}{}", if must_pay { "-i " } else { "" }, shell(url))
}

fn python(url: &str) -> String {
    format!(
        "import httpx  # pip install httpx\n\nanswer = httpx.get({})\nanswer.raise_for_status()\nprint(answer.text)\n",
        quoted(url)
    )
}

fn typescript(url: &str) -> String {
    format!(
        "const answer = await fetch({});\nif (!answer.ok) throw new Error((await answer.json()).detail);\n\
         console.log(JSON.stringify(await answer.json(), null, 2));\n",
        quoted(url)
    )
}

/// With a new key, which is enough for a sandbox, or the payer's own.
fn paying_python(url: &str) -> String {
    PAYING_PYTHON.replace("URL", &quoted(url))
}

/// The same.
fn paying_typescript(url: &str) -> String {
    PAYING_TYPESCRIPT.replace("URL", &quoted(url))
}

/// Programs that pay x402 and print the answer of `URL`.
const PAYING_PYTHON: &str = include_str!("paying.py");
const PAYING_TYPESCRIPT: &str = include_str!("paying.ts");

/// A text as one word of a shell.
fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text as a literal that Python and TypeScript read alike. A URL has no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_copied_text_as_one_word() {
        assert_eq!(curl("http://a/?q=it's", false), r"curl 'http://a/?q=it'\''s'");
        assert_eq!(quoted(r#"a"b\c"#), r#""a\"b\\c""#);
    }
}
