//! Where records and blocks end, and which records do not fit.

use super::*;

const COMMA: Dialect = Dialect::contract(b',');
const SEPARATED: Layout = Layout::Separated { dialect: COMMA, names: 0, least: 0 };

fn blocks(text: &str, block_bytes: usize) -> (Vec<String>, Vec<(String, u64)>) {
    let mut blocks = Blocks::new(text.as_bytes(), SEPARATED, None, block_bytes);
    let header = blocks.header(&SEPARATORS, |_| 0).unwrap();
    let mut records = Vec::new();
    while let Some(block) = blocks.next_block().unwrap() {
        let mut rest = &block.bytes[..];
        for line in block.lines {
            let record = quoting::record(rest, true, COMMA).unwrap();
            records.push((quoting::values(&rest[..record.len], COMMA).join("|"), line));
            rest = &rest[record.next..];
        }
        assert!(rest.is_empty());
    }
    (header, records)
}

#[test]
fn cuts_do_not_show() {
    let text = "\u{feff}a,b\r\n1,x\r\n\r\n2,\"y\nz\"\n3,2\" tube\n\n\n4,\"\"\n5,end";
    let whole = blocks(text, 1 << 20);
    assert_eq!(whole.0, ["a", "b"]);
    let expected = [("1|x", 2), ("2|y\nz", 4), ("3|2\" tube", 6), ("4|", 9), ("5|end", 10)];
    assert_eq!(whole.1, expected.map(|(record, line)| (record.to_owned(), line)));
    for size in 1..60 {
        assert_eq!(blocks(text, size), whole, "blocks of {size}");
    }
}

/// The values of the records in the contract's form, with the line of each.
fn records_of(text: &str, dialect: Dialect, block_bytes: usize) -> Vec<(String, u64)> {
    let layout = Layout::Separated { dialect, names: 0, least: 0 };
    let mut blocks = Blocks::new(text.as_bytes(), layout, None, block_bytes);
    blocks.header(&SEPARATORS, |_| 0).unwrap();
    let mut records = Vec::new();
    while let Some(block) = blocks.next_block().unwrap() {
        assert_eq!((block.ragged, block.open_quotes), (vec![], vec![]));
        let mut rest = &block.bytes[..];
        for line in block.lines {
            let record = quoting::whole_record(rest, b',').unwrap();
            assert!(record.regular);
            records.push((quoting::values(&rest[..record.len], COMMA).join("|"), line));
            rest = &rest[record.next..];
        }
    }
    records
}

#[test]
fn cuts_do_not_show_in_other_dialects() {
    let text = "a, b\r\n1, \"27\\\" TV, \\\"x\\\"\"\r\n\r\n2,\"y\\\\\"\n3, \"z\\\"\n, \\\\\"\n4,\"\"\n";
    let dialect = Dialect { escape: QuoteEscape::Backslash, padded: true, ..COMMA };
    let expected = [("1|27\" TV, \"x\"", 2), ("2|y\\", 4), ("3|z\"\n, \\", 5), ("4|", 7)];
    let expected = expected.map(|(record, line)| (record.to_owned(), line));
    for size in (1..80).chain([1 << 20]) {
        assert_eq!(records_of(text, dialect, size), expected, "blocks of {size}");
    }
}

#[test]
fn blocks_of_short_records_end_at_a_number_of_them() {
    let (records, begin) = (2 * BLOCK_RECORDS_MAX + 5, "a,b\n");
    let text = begin.to_owned() + &"x\n\n".repeat(records);
    for layout in [SEPARATED, Layout::Lines] {
        let mut blocks = Blocks::new(text.as_bytes(), layout, None, text.len());
        if layout == SEPARATED {
            blocks.header(&SEPARATORS, |_| 0).unwrap();
        }
        let (mut lines, mut sizes) = (Vec::new(), Vec::new());
        while let Some(block) = blocks.next_block().unwrap() {
            assert_eq!(
                block.bytes.len(),
                2 * block.lines.len() + if lines.is_empty() && layout == Layout::Lines { 2 } else { 0 }
            );
            sizes.push(block.lines.len());
            lines.extend(block.lines);
        }
        let more = usize::from(layout == Layout::Lines);
        assert_eq!(sizes, [BLOCK_RECORDS_MAX, BLOCK_RECORDS_MAX, 5 + more]);
        assert!(lines.iter().skip(more).copied().eq((2..).step_by(2).take(records)));
    }
}

#[test]
fn reads_empty_input_and_header_without_rows() {
    assert_eq!(blocks("", 16), (vec![String::new()], vec![]));
    assert_eq!(blocks("a,b", 16), (vec!["a".into(), "b".into()], vec![]));
}

fn first_block(bytes: &[u8]) -> (Vec<String>, Block) {
    let mut blocks = Blocks::new(bytes, SEPARATED, None, 1 << 20);
    let known = |names: &[String]| names.iter().filter(|name| ["a", "b"].contains(&name.as_str())).count();
    let header = blocks.header(&SEPARATORS, known).unwrap();
    (header, blocks.next_block().unwrap().unwrap())
}

#[test]
fn the_separator_is_the_one_that_knows_most_names() {
    assert_eq!(first_block(b"a;b\n1;2\n").0, ["a", "b"]);
    assert_eq!(first_block(b"a\tb, or so\tc\n1\t2\t3\n").0, ["a", "b, or so", "c"]);
    assert_eq!(first_block(b"x,y;z;w\n1\n").0, ["x,y", "z", "w"], "most names, where none is known");
    assert_eq!(first_block(b"x,y;z\n1\n").0, ["x", "y;z"], "the first of equals");
    assert_eq!(first_block(b"x,y,z;a;b\n1\n").0, ["x,y,z", "a", "b"], "known ones come first");
}

#[test]
fn records_that_do_not_fit_the_header_are_told() {
    let bytes = b"a,b
1,2
3,4,
5,6,7
\"8\",9,\"1\"
\"x,y\",2
3
4,1,299.00
\"x
1,2
y\" z,2
";
    let mut blocks = Blocks::new(&bytes[..], SEPARATED, None, 1 << 20);
    blocks.header(&SEPARATORS, <[String]>::len).unwrap();
    blocks.require(2);
    let block = blocks.next_block().unwrap().unwrap();
    let ragged: Vec<(usize, &str)> =
        block.ragged.iter().map(|(row, text)| (*row, text.split_once("):").unwrap().0)).collect();
    assert_eq!(
        ragged,
        [
            (2, "found 3 values, expected 2 (a separator in a value without quotes"),
            (3, "found 3 values, expected 2 (a separator in a value without quotes"),
            (5, "found 1 value, expected 2 (values are missing"),
            (6, "found 3 values, expected 2 (a thousands separator in a number without quotes"),
            (7, "found a quote that opens a value and closes on a later line (a stray quote"),
        ]
    );
    assert_eq!(block.open_quotes, [(9, 11)]);
}

#[test]
fn the_first_record_that_is_not_ascii_decides_the_encoding() {
    let (_, block) = first_block(b"a,b\n1,2\ncaf\xe9,\x80\n\"\xc3\xa9\",1\n");
    let (block, replaced) = block.into_utf8(Some(b','));
    assert_eq!(String::from_utf8(block.bytes).unwrap(), "1,2\ncafé,€\n\"Ã©\",1\n");
    assert!(replaced.is_empty());
    let (header, block) = first_block("é,b\n1,2\nx,y\n".as_bytes());
    assert_eq!((header[0].as_str(), block.encoding), ("é", Some(Encoding::Utf8)));
    let (_, block) = first_block(b"a,b\n\xc3\xa9,2\n\"\ncaf\xe9\xff\",2\nx,y\n");
    let (block, replaced) = block.into_utf8(Some(b','));
    assert_eq!(String::from_utf8(block.bytes).unwrap(), "é,2\n\"\ncaf\u{fffd}\u{fffd}\",2\nx,y\n");
    assert_eq!(replaced.iter().map(|(line, bytes, _)| (*line, *bytes)).collect::<Vec<_>>(), [(3, 2)]);
}
