//! Fields and quotes of single records.

use super::*;

const COMMA: Dialect = Dialect::contract(b',');

fn check(text: &str, len: usize, regular: bool, values_expected: &[&str]) {
    let record = record(text.as_bytes(), true, COMMA).unwrap();
    assert_eq!((record.len, record.regular), (len, regular), "{text}");
    assert_eq!(values(&text.as_bytes()[..record.len], COMMA), values_expected, "{text}");
    let mut out = Vec::new();
    rewrite(&text.as_bytes()[..record.len], COMMA, &mut out);
    let again = super::record(&out, true, COMMA).unwrap();
    assert!(again.regular, "{text}");
    assert_eq!(values(&out[..again.len], COMMA), values_expected, "{text}");
}

#[test]
fn records_end_where_they_should() {
    check("a,b\nc", 3, true, &["a", "b"]);
    check("a,\"b\nc\",d\ne", 9, true, &["a", "b\nc", "d"]);
    check("a,\"b \"\"c\"\"\"\r\n", 12, false, &["a", "b \"c\""]);
    check("27\" monitor,x\ny", 13, false, &["27\" monitor", "x"]);
    check("\"a\" b,c\n", 7, false, &["a b", "c"]);
    check("\"never closed,c\nd,e\n", 15, false, &["\"never closed", "c"]);
    check("a,\"\"\n", 4, true, &["a", ""]);
    check("a,", 2, true, &["a", ""]);
}

#[test]
fn quotes_that_swallow_lines_are_told() {
    let is_open = |text: &str| record(text.as_bytes(), true, COMMA).unwrap().open_quote;
    assert!(is_open("1,\"never closed,2\n3,\"never closed,4\n"));
    for text in
        ["1,\"two\nlines\",2\n", "1,\"one\" line,2\n", "1,\"two\nlines\" ,2\n", "1,\"never closed,2\n"]
    {
        assert!(!is_open(text), "{text}");
    }
}

#[test]
fn more_bytes_are_asked_for() {
    for text in ["a,b", "a,\"b\nc", "a,\"b\"", "a,\"b\"\""] {
        assert_eq!(record(text.as_bytes(), false, COMMA), None, "{text}");
    }
}

/// The quote opens at place 2; a quote on the last line would close it.
#[test]
fn a_quote_that_closes_too_far_away_is_found_without_reading_on() {
    let text = |inner: usize, end: &str| format!("1,\"{}\n{end}", "x\n".repeat(inner / 2));
    let unclosed = |text: &str, end: bool| record(text.as_bytes(), end, COMMA).map(|record| record.unclosed);
    let near = QUOTED_BYTES_MAX - 4;
    assert_eq!(unclosed(&text(near, "\",2\n"), true), Some(None), "closed");
    assert_eq!(unclosed(&text(near, ""), true), Some(None), "the file ends within the limit");
    assert_eq!(unclosed(&text(near, ""), false), None, "more bytes are needed");
    let far = QUOTED_BYTES_MAX + 2;
    for end in ["\",2\n", ""] {
        for is_end in [true, false] {
            assert_eq!(unclosed(&text(far, end), is_end), Some(Some(2)), "{end:?} {is_end}");
        }
    }
    let doubled = format!("1,\"{}", "\"\"".repeat(QUOTED_BYTES_MAX));
    assert_eq!(unclosed(&doubled, false), Some(Some(2)), "no line ends either");
    assert_eq!(unclosed(&doubled[..QUOTED_BYTES_MAX], false), None);
}

#[test]
fn surplus_values_are_found_without_copying_them() {
    for (text, names, is_surplus) in [
        ("a,b", 2, false),
        ("a,b,,", 2, false),
        ("a,b, ,\"\",\u{a0}", 2, false),
        ("a,b,c", 2, true),
        ("a,b,\"\"\"\"", 2, true),
        ("\"a,b\",c", 2, false),
        ("a,b,\"\" c", 2, true),
    ] {
        assert_eq!(has_surplus(text.as_bytes(), COMMA, names), is_surplus, "{text}");
        let values = values(text.as_bytes(), COMMA);
        assert_eq!(count(text.as_bytes(), COMMA), values.len(), "{text}");
        assert_eq!(values.iter().skip(names).any(|value| !value.is_empty()), is_surplus, "{text}");
    }
}

#[test]
fn other_separators_part_fields() {
    let record = record(b"a;\"b;,\nc\";d,e\nf", true, Dialect::contract(b';')).unwrap();
    assert_eq!((record.len, record.fields, record.regular), (13, 3, true));
    assert_eq!(values(b"a;\"b;,\nc\";d,e", Dialect::contract(b';')), ["a", "b;,\nc", "d,e"]);
    let mut out = Vec::new();
    rewrite(b"a\tb\"c", Dialect::contract(b'\t'), &mut out);
    assert_eq!(out, b"\"a\"\t\"b\"\"c\"\n");
}

const BACKSLASH: Dialect = Dialect { escape: QuoteEscape::Backslash, ..COMMA };
const PADDED: Dialect = Dialect { padded: true, ..COMMA };

/// Checks the first record of a text, and that it is rewritten to a regular one of the contract's form.
fn check_dialect(dialect: Dialect, text: &str, regular: bool, expected: &[&str]) {
    let record = record(text.as_bytes(), true, dialect).unwrap();
    let bytes = &text.as_bytes()[..record.len];
    assert_eq!((record.regular, values(bytes, dialect)), (regular, as_texts(expected)), "{text}");
    assert_eq!(count(bytes, dialect), expected.len(), "{text}");
    let mut out = Vec::new();
    rewrite(bytes, dialect, &mut out);
    let again = whole_record(&out, b',').unwrap();
    assert_eq!((again.regular, again.next), (true, out.len()), "{text}");
    assert_eq!(values(&out[..again.len], COMMA), expected, "{text}");
}

fn as_texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_backslash_escapes_a_quote_and_itself() {
    for (text, regular, expected) in [
        (r#"1,"27\" TV, black",2"#, false, &["1", "27\" TV, black", "2"][..]),
        (r#""TV 27\"","x""#, false, &["TV 27\"", "x"]),
        (r#""C:\\","x""#, false, &["C:\\", "x"]),
        (r#""a\\\"b",c"#, false, &["a\\\"b", "c"]),
        (r#""C:\new",c"#, false, &["C:\\new", "c"]),
        (r#""a ""b"" \"c\"",d"#, false, &["a \"b\" \"c\"", "d"]),
        (r#"C:\,"b",27\" TV"#, false, &["C:\\", "b", "27\\\" TV"]),
        (r#"C:\,"b""#, true, &["C:\\", "b"]),
        ("\"a \\\"\nb\\\n\",\"c\"\r\nd", false, &["a \"\nb\\", "c"]),
        (r#""never \"closed,b"#, false, &["\"never \\\"closed", "b"]),
        (r#""never closed\"#, false, &["\"never closed\\"]),
    ] {
        check_dialect(BACKSLASH, text, regular, expected);
    }
    for text in [r#""a\"#, r#""a\""#, r#""a\"","b"#] {
        assert_eq!(record(text.as_bytes(), false, BACKSLASH), None, "{text}");
    }
}

#[test]
fn blanks_before_a_quote_are_dropped_where_the_quotes_hold_the_whole_field() {
    for (text, regular, expected) in [
        (r#"1, "a, b", 2"#, false, &["1", "a, b", "2"][..]),
        ("  \"a\",\t\"b\nc\"  \r\n", false, &["a", "b\nc"]),
        (r#"1, "Best" mug, 2"#, false, &["1", "\"Best\" mug", "2"]),
        (r#"1, "never closed, 2"#, false, &["1", "\"never closed", "2"]),
        (r#"1, a "b", "c""#, false, &["1", "a \"b\"", "c"]),
        (r#""a","b""#, true, &["a", "b"]),
    ] {
        check_dialect(PADDED, text, regular, expected);
    }
    for text in [" ", "a, ", "a, \"b\"", "a, \"b\" "] {
        assert_eq!(record(text.as_bytes(), false, PADDED), None, "{text}");
    }
    assert_eq!(values(b"1\t \"a\tb\"", Dialect { separator: b'\t', ..PADDED }), ["1", "a\tb"]);
    assert_eq!(values(br#"1, "a \"b\", c""#, Dialect { padded: true, ..BACKSLASH }), ["1", "a \"b\", c"]);
}

#[test]
fn quotes_that_a_dialect_does_not_explain_are_stray() {
    for (text, dialect, is_stray) in [
        (r#""a","b"#, COMMA, true),
        (r#""27\" TV""#, COMMA, true),
        (r#""27\" TV""#, BACKSLASH, false),
        (r#"27" TV"#, COMMA, false),
        (r#"1, "a""#, COMMA, true),
        (r#"1, "a""#, PADDED, false),
        ("\"a\" \r", COMMA, false),
    ] {
        assert_eq!(has_stray_quote(text.as_bytes(), dialect), is_stray, "{text}");
    }
    for (text, is_in_field) in
        [(r#""27\" TV""#, true), (r#""TV 27\"""#, true), (r#""27\", TV""#, false), (r#"27\" TV"#, false)]
    {
        assert_eq!(has_quote_in_field(text.as_bytes(), BACKSLASH), is_in_field, "{text}");
    }
}
