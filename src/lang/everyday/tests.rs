//! The table: what phrases stand for, what goes wrong in a line, and the form of the shipped one.

use super::*;
use crate::lang::text::name::is_qualifier;

fn table_of(text: &'static str) -> Result<Table, String> {
    Table::parse(text)
}

/// The words of what a text stands for in a table.
fn patterns(table: &Table, text: &str) -> Option<Vec<String>> {
    let words = |pattern: &Pattern| -> String {
        let words = pattern.words().iter().map(|word| match word {
            PatternWord::Whole(word) => word.clone(),
            PatternWord::Beginning(beginning) => format!("{beginning}*"),
        });
        words.collect::<Vec<_>>().join(" ")
    };
    table.patterns(text).map(|patterns| patterns.iter().map(words).collect())
}

const SMALL: &str = "\
# A comment.
[apart]
accessor*, case

[origins]
french, français, de France: france | french
new zealand: new zealand

[colours]
red, rouge: red
white, blanc: white

[phrases]
crème de menthe: mint cream
lait: milk | lait
thé, tea: tea
white bread: white bread
wine, vin: table wine | wine
";

#[test]
fn ignores_texts_above_the_length_limit() {
    let longest = table().rows().iter().flat_map(|row| &row.phrases).map(|phrase| phrase.len()).max();
    assert!(longest.is_some_and(|longest| 2 * longest < TEXT_BYTES_MAX), "{longest:?}");
    let padded = |bytes: usize| table().patterns(&format!("{:bytes$}", "milk"));
    assert!(padded(TEXT_BYTES_MAX).is_some() && padded(TEXT_BYTES_MAX + 1).is_none());
}

/// In product search a colour is no thing ("vin rouge" is a wine).
#[test]
fn colours_are_qualifiers_of_names() {
    let others: Vec<&String> =
        table().colours.keys().filter(|colour| !is_qualifier(Lexicon::shipped(), colour)).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn phrases_stand_for_patterns() {
    let table = table_of(SMALL).expect("a table");
    let found = |text| patterns(&table, text);
    let some = |patterns: &[&str]| Some(patterns.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
    assert_eq!(found("Lait"), some(&["milk", "lait"]));
    assert_eq!(found("le lait"), some(&["milk", "lait"]));
    assert_eq!(found("du LAITS"), some(&["milk", "lait"]));
    assert_eq!(found("the crème menthe"), some(&["mint cream"]));
    for no_phrase in ["lait > lait", "lait/lait", "lait entier", "milk", "", " ", "the", "de"] {
        let expected = if no_phrase == "the" { some(&["tea"]) } else { None };
        assert_eq!(found(no_phrase), expected, "{no_phrase:?}");
    }
}

#[test]
fn an_accent_tells_tea_from_an_article() {
    let table = table_of(SMALL).expect("a table");
    for text in ["thé", "THÉ", "the\u{301}", "thés", "the", "the tea", "le thé"] {
        assert_eq!(patterns(&table, text), Some(vec!["tea".to_owned()]), "{text}");
    }
}

#[test]
fn accents_tell_phrases_apart_where_the_table_says_so() {
    let text = "[origins]\nitalian, italien: italy\n\n[phrases]\npâtes: pasta\n=pâté, =pâtés: meat pate";
    let table = table_of(text).expect("a table");
    for (text, found) in [
        ("pâté", Some("meat pate")),
        ("Le PÂTÉ", Some("meat pate")),
        ("des pâtés", Some("meat pate")),
        ("pâtes", Some("pasta")),
        ("les pâtes", Some("pasta")),
        ("pate", Some("pasta")),
        ("pâté italien", Some("meat pate italy")),
        ("pâtes italiennes", None),
        ("pâtes italiens", Some("pasta italy")),
        ("pâté maison", None),
    ] {
        assert_eq!(patterns(&table, text), found.map(|found| vec![found.to_owned()]), "{text}");
    }
    assert_eq!(table.rows()[1].phrases, ["pâté", "pâtés"]);
    // A misspelling that is a phrase is still one for product search.
    assert!(
        table.has_word("pate")
            && table_of("[phrases]\n=brocoli: brocc*").is_ok_and(|it| !it.has_word("brocoli"))
    );
}

#[test]
fn combines_exclusions_of_phrase_and_origin() {
    let table =
        table_of("[origins]\nfrench: france -wine\n\n[phrases]\ncheese: cheese -cake").expect("a table");
    let found = table.patterns("french cheese").expect("a phrase");
    let pattern = Pattern::parse("cheese france -cake -wine").expect("a pattern");
    assert_eq!(found.as_ref(), [pattern]);
}

#[test]
fn origins_and_colours_add_a_word_to_each_pattern() {
    let table = table_of(SMALL).expect("a table");
    let french = ["table wine france", "table wine french", "wine france", "wine french"];
    for text in
        ["french wine", "vin français", "vins français", "vin de France", "wine of France", "french wines"]
    {
        assert_eq!(patterns(&table, text).expect(text), french, "{text}");
    }
    assert_eq!(patterns(&table, "vin rouge").expect("red"), ["table wine red", "wine red"]);
    let both = ["table wine france red", "table wine french red", "wine france red", "wine french red"];
    for text in ["french red wine", "red french wine", "vin rouge français", "vin rouge de France"] {
        assert_eq!(patterns(&table, text).expect(text), both, "{text}");
    }
    assert_eq!(patterns(&table, "New Zealand wine").expect("a far one").len(), 2);
    // A row comes before a rule; what is left by a rule must be a row.
    assert_eq!(patterns(&table, "white bread").expect("a row"), ["white bread"]);
    for no_phrase in ["red", "french", "red bread", "french red", "red white wine", "green wine"] {
        assert_eq!(patterns(&table, no_phrase), None, "{no_phrase}");
    }
}

#[test]
fn faults_are_told_with_their_line() {
    for (text, fault) in [
        ("[phrases]\nmilk", "line 2: write `phrase, phrase: pattern | pattern`"),
        ("[phrases]\nmilk: ", "line 2: a pattern has no word"),
        ("[phrases]\nmilk: milk |", "line 2: a pattern has no word"),
        ("[phrases]\nmilk: mil*", "line 2: \"mil*\" must begin with 4 letters or more, a to z"),
        ("[phrases]\nmilk, milks: milk", "line 2: \"milks\" says nothing, or the same as a phrase before it"),
        (
            "[phrases]\n\nmilk: milk\nthe milk: milk",
            "line 4: \"the milk\" says nothing, or the same as a phrase before it",
        ),
        ("[phrases]\nmilk: de milk", "line 2: \"de\" says nothing in a pattern"),
        ("[phrases]\nmilk: milk milks", "line 2: \"milk milks\" has a word twice"),
        ("[phrases]\nmilk: -baby", "line 2: a pattern has no word"),
        ("[phrase]\nmilk: milk", "line 2: there is no section \"phrase\""),
    ] {
        assert_eq!(table_of(text).expect_err(text), fault, "{text}");
    }
}

#[test]
fn the_shipped_table_is_sorted_and_large_enough() {
    let table = table();
    let first: Vec<String> = table.rows().iter().map(|row| crate::lang::text::fold(row.phrases[0])).collect();
    if let Some(at) = first.windows(2).position(|pair| pair[0] >= pair[1]) {
        panic!("{:?} must stand after {:?}", first[at], first[at + 1]);
    }
    let phrases: usize = table.rows().iter().map(|row| row.phrases.len()).sum();
    assert!(table.rows().len() >= 450 && phrases >= 450, "{} rows, {phrases} phrases", table.rows().len());
    assert!(IDLE_WORDS.is_sorted());
}

#[test]
fn every_row_of_the_shipped_table_is_found_by_each_of_its_phrases() {
    for row in table().rows() {
        for phrase in &row.phrases {
            let found = table().patterns(phrase);
            assert_eq!(found.as_deref(), Some(row.patterns.as_slice()), "{phrase}");
        }
        let repeated = |at: usize| row.patterns[..at].contains(&row.patterns[at]);
        assert!(!(0..row.patterns.len()).any(repeated), "{:?} has a pattern twice", row.phrases);
    }
}
