//! A page, read strictly: every element that is opened is closed, in its order.

use percent_encoding::percent_decode_str;

/// Elements that have no end.
const VOID: &[&str] = &["br", "hr", "img", "input", "link", "meta", "source", "wbr"];

/// An element: its name, attributes, and the text in it and below it.
#[derive(Debug, Clone)]
pub struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
    pub text: String,
    /// Numbers of the elements around it.
    within: Vec<usize>,
}

/// A page.
pub struct Html {
    pub elements: Vec<Element>,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }

    pub fn has_class(&self, class: &str) -> bool {
        self.attribute("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
    }
}

impl Html {
    /// Reads a page.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut rest = text.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
        let (mut elements, mut open): (Vec<Element>, Vec<usize>) = (Vec::new(), Vec::new());
        while let Some(at) = rest.find('<') {
            let said = unescaped(&rest[..at])?;
            for &number in &open {
                elements[number].text.push_str(&said);
            }
            rest = &rest[at + 1..];
            let end = end_of_tag(rest).ok_or("a tag has no end")?;
            let (tag, behind) = (&rest[..end], &rest[end + 1..]);
            rest = behind;
            if let Some(name) = tag.strip_prefix('/') {
                let number = open.pop().ok_or_else(|| format!("</{name}> closes nothing"))?;
                if elements[number].name != name {
                    return Err(format!("</{name}> closes <{}>", elements[number].name));
                }
                continue;
            }
            let (name, attributes) = tag_of(tag)?;
            elements.push(Element {
                name: name.clone(),
                attributes,
                text: String::new(),
                within: open.clone(),
            });
            if name == "script" {
                let end = rest.find("</script>").ok_or("a script has no end")?;
                rest[..end].clone_into(&mut elements.last_mut().unwrap().text);
                rest = &rest[end + "</script>".len()..];
            } else if !VOID.contains(&&*name) {
                open.push(elements.len() - 1);
            }
        }
        match open.last() {
            Some(&number) => Err(format!("<{}> is not closed", elements[number].name)),
            None => Ok(Self { elements }),
        }
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(move |element| element.is(name))
    }

    pub fn one<'a>(&'a self, name: &'a str) -> &'a Element {
        let mut found = self.all(name);
        let one = found.next().unwrap_or_else(|| panic!("no <{name}>"));
        assert!(found.next().is_none(), "more than one <{name}>");
        one
    }

    pub fn by_id(&self, id: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.attribute("id") == Some(id))
    }

    pub fn ids(&self) -> Vec<&str> {
        self.elements.iter().filter_map(|element| element.attribute("id")).collect()
    }

    /// Elements of a name within another one.
    pub fn within<'a>(&'a self, outer: &Element, name: &'a str) -> impl Iterator<Item = &'a Element> {
        let number = self.elements.iter().position(|element| std::ptr::eq(element, outer)).unwrap();
        self.all(name).filter(move |element| element.within.contains(&number))
    }

    /// Texts of a table, row by row.
    pub fn cells(&self, table: &Element) -> Vec<Vec<String>> {
        let rows: Vec<&Element> = self.within(table, "tr").collect();
        let cells = |row: &Element| {
            let all = self.elements.iter().filter(|element| element.is("td") || element.is("th"));
            let number = self.elements.iter().position(|element| std::ptr::eq(element, row)).unwrap();
            all.filter(|cell| cell.within.contains(&number)).map(|cell| cell.text.clone()).collect()
        };
        rows.into_iter().map(cells).collect()
    }

    /// Where links lead, and what the page loads.
    pub fn targets(&self) -> impl Iterator<Item = (&Element, &str)> {
        let target = |element: &Element| {
            ["href", "src", "action"].into_iter().find(|name| element.attribute(name).is_some())
        };
        self.elements.iter().filter_map(move |element| Some((element, element.attribute(target(element)?)?)))
    }
}

fn end_of_tag(rest: &str) -> Option<usize> {
    let mut quoted = false;
    rest.char_indices().find_map(|(at, letter)| {
        quoted ^= letter == '"';
        (letter == '>' && !quoted).then_some(at)
    })
}

fn tag_of(tag: &str) -> Result<(String, Vec<(String, String)>), String> {
    let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
    let mut rest = tag[name.len()..].trim_start();
    if name.is_empty() || name != name.to_lowercase() {
        return Err(format!("<{tag}> has no name"));
    }
    let mut attributes = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (key, behind) = rest.split_at(end);
        let (value, behind) = match behind.strip_prefix("=\"") {
            Some(value) => value.split_once('"').ok_or_else(|| format!("{key} has no end"))?,
            None => ("", behind),
        };
        attributes.push((key.to_owned(), unescaped(value)?));
        rest = behind.trim_start_matches(['/', ' ', '\n']);
    }
    Ok((name, attributes))
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut parts = text.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once(';').ok_or_else(|| format!("a bare & before {part:?}"))?;
        out.push_str(match name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "#39" | "#x27" => "'",
            name => return Err(format!("&{name}; is not known")),
        });
        out.push_str(rest);
    }
    Ok(out)
}

/// The path and the fragment of a link on a page.
pub fn split<'a>(page: &'a str, target: &'a str) -> (&'a str, Option<String>) {
    let (path, fragment) =
        target.split_once('#').map_or((target, None), |(path, fragment)| (path, Some(fragment)));
    let fragment = fragment.map(|fragment| percent_decode_str(fragment).decode_utf8().unwrap().into_owned());
    (if path.is_empty() { page } else { path }, fragment)
}

#[test]
fn faults_of_pages_are_seen() {
    let read = |text: &str| Html::read(&format!("<!DOCTYPE html>{text}"));
    assert!(read("<p>a &amp; <b class=\"x y\">b</b><br></p>").is_ok_and(|page| page.one("b").has_class("y")));
    for fault in ["<p>", "<p></b>", "a & b<p></p>", "</p>", "<p class=\"x></p>"] {
        assert!(read(fault).is_err(), "{fault}");
    }
}
