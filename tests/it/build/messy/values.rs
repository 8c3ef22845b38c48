//! Numbers, dates, countries and retailers as people write them.

use super::{FIGURES, LIST, PriceList, build_text};

/// Price lists in which only the prices are written otherwise.
fn prices(prices: [&'static str; 4]) -> String {
    PriceList { prices, ..LIST }.text()
}

fn days(days: [&'static str; 2]) -> String {
    PriceList { days, ..LIST }.text()
}

#[test]
fn prices_with_signs_and_thousands() {
    for written in [
        ["$3.99", "$3.49", "$1,299.00", "$1,199.00"],
        ["3.99", "3.49", "1,299.00", "1,199.00"],
        ["3,99", "3,49", "1299,00", "1199,00"],
        ["3,99 $", "3,49 $", "1.299,00 $", "1.199,00 $"],
        ["3,99 $", "3,49 $", "1\u{a0}299,00 $", "1\u{202f}199,00 $"],
        ["USD 3.99", "USD 3.49", "USD 1,299.00", "USD 1,199.00"],
        ["3.99 USD", "3.49usd", "1'299.00", "US$1,199.00"],
        [" 3.99 ", "\u{a0}3.49", "1299", "1199.0"],
    ] {
        let report = build_text("prices.csv", &prices(written)).sound();
        let found = report.input.files[0].form.numbers.as_deref();
        assert_eq!(found.is_some(), written[2] != "1299", "{written:?}: {found:?}");
    }
}

#[test]
fn canadian_prices_with_their_code() {
    let list = PriceList {
        country: "Canada",
        prices: ["CAD 3.99", "CA$3.49", "$1,299.00 CAD", "C$1,199.00"],
        ..LIST
    };
    let figures = FIGURES.map(|figure| figure.replace("us ", "ca "));
    build_text("prices.csv", &list.text()).built(&figures.each_ref().map(String::as_str));
}

#[test]
fn prices_in_another_currency_are_refused_as_that() {
    let euros = prices(["3,99 €", "3,49 €", "1.299,00 €", "1.199,00 €"]);
    let rule = "The currency is not the currency of the country.";
    build_text("prices.csv", &euros).refused(&["wrong_currency 4", "IN/prices.csv:2 \"3,99 €\"", rule]);
    // Canadian prices of a retailer in the United States.
    let code = prices(["3.99 CAD", "3.49 CAD", "1299.00 CAD", "1199.00 CAD"]);
    build_text("prices.csv", &code).refused(&["wrong_currency 4", "IN/prices.csv:2 \"3.99 CAD\"", rule]);
}

#[test]
fn prices_that_may_be_thousands_ask_for_a_setting() {
    let list = prices(["1,299", "1,199", "12,990", "2,500"]);
    build_text("prices.csv", &list).refused(&[
        "IN/prices.csv: column price",
        "1,299 (line 2) is 1299 or 1.299",
        "decimal = \"point\" or \"comma\"",
        "--map FILE",
    ]);
}

#[test]
fn prices_that_are_none_cost_their_rows() {
    for (written, reason) in [
        ("from 3.99", "unparsable_price"),
        ("N/A", "missing_price"),
        ("call us", "unparsable_price"),
        ("-", "missing_price"),
        ("-3.99", "price_not_positive"),
        ("0.00", "price_not_positive"),
        ("99999999", "price_too_large"),
    ] {
        let list = prices(["3.99", written, "1299.00", "1199.00"]);
        let first = format!("{reason} 1, first IN/prices.csv:3 {written:?}");
        build_text("prices.csv", &list).refused(&["1 of 4 rows (25.00 %) were rejected", &first]);
        // In a long list it is one row of many, and counted.
        let mut long = list;
        (1..=30).for_each(|day| long += &format!("us,acme,A-2,Coffee machine,2026-09-{day:02},1299\n"));
        let report = build_text("prices.csv", &long).result.unwrap().1;
        assert_eq!((report.input.rejected[reason].count, report.counts.observations), (1, 33));
        let example = &report.input.rejected[reason].examples[0];
        assert_eq!((example.line, example.value.as_str()), (3, written));
        assert!(report.to_string().contains(&format!("  {reason}")), "{report}");
    }
}

#[test]
fn dates_in_the_order_that_they_show() {
    for (written, form) in [
        (["10/30/2026", "10/31/2026"], Some("month/day/year")),
        (["30/10/2026", "31/10/2026"], Some("day/month/year")),
        (["30.10.2026", "31.10.2026"], Some("day/month/year")),
        (["30-10-2026", "31-10-2026"], Some("day/month/year")),
        (["Oct 30, 2026", "Oct 31, 2026"], None),
        (["30 October 2026", "31 October 2026"], None),
        (["30-Oct-2026", "31-Oct-2026"], None),
        (["2026/10/30", "2026/10/31"], None),
        (["20261030", "20261031"], None),
        (["10/30/2026 09:15", "10/31/2026 17:45:10"], Some("month/day/year")),
        (["10/30/2026 9:15 AM", "10/31/2026 5:45 PM"], Some("month/day/year")),
        (["2026-10-30 09:15:00", "2026-10-31 17:45:10"], None),
        (["2026-10-30T09:15:00Z", "2026-10-31"], None),
        (["30.10.2026", "2026-10-31"], Some("day/month/year")),
    ] {
        let report = build_text("prices.csv", &days(written)).sound();
        let found = report.input.files[0].form.dates.as_deref();
        assert!(
            form.is_none_or(|form| found.is_some_and(|found| found.contains(form))),
            "{written:?}: {found:?}"
        );
    }
}

#[test]
fn dates_that_may_be_either_ask_for_a_setting() {
    build_text("prices.csv", &days(["10/01/2026", "11/01/2026"])).refused(&[
        "IN/prices.csv: column date",
        "10/01/2026 (line 2) is 10 January or 1 October",
        "dates = \"DMY\" or \"MDY\"",
        "--map FILE",
    ]);
}

#[test]
fn dates_of_both_orders_cost_the_rows_of_the_rarer_one() {
    let text = days(["10/30/2026", "31/10/2026"]) + "us,acme,A-2,Coffee machine,10/29/2026,1299\n";
    build_text("prices.csv", &text).refused(&[
        "2 of 5 rows",
        "unparsable_date 2, first IN/prices.csv:3 \"31/10/2026\"",
        "Write all dates of the file in one notation",
    ]);
}

#[test]
fn dates_that_are_none() {
    for written in [["261030", "261031"], ["yesterday", "today"], ["Oct-26", "Oct-26"]] {
        let first = format!("unparsable_date 4, first IN/prices.csv:2 {:?}", written[0]);
        build_text("prices.csv", &days(written)).refused(&[&first, "`dates` in the mapping"]);
    }
}

#[test]
fn countries_and_retailers_in_any_spelling() {
    for country in ["US", "Us", "USA", "United States", " us "] {
        build_text("prices.csv", &PriceList { country, ..LIST }.text()).sound();
    }
    for (retailer, key) in
        [("Best Buy", "best-buy"), ("amazon.com", "amazon-com"), ("Café Métro", "cafe-metro")]
    {
        let figures = FIGURES.map(|figure| figure.replace("acme", key));
        build_text("prices.csv", &PriceList { retailer, ..LIST }.text())
            .built(&figures.each_ref().map(String::as_str));
    }
    let text = PriceList { country: "Deutschland", ..LIST }.text();
    build_text("prices.csv", &text).refused(&[
        "unknown_country 4",
        "IN/prices.csv:2 \"Deutschland\"",
        "[constants]",
    ]);
    let text = PriceList { retailer: "北京", ..LIST }.text();
    build_text("prices.csv", &text).refused(&[
        "invalid_platform 4",
        "IN/prices.csv:2 \"北京\"",
        "[retailers]",
    ]);
}

/// Nothing tells cents from dollars but the name of the column: it is not taken for dollars.
#[test]
fn prices_in_cents_are_not_dollars() {
    for name in ["price_cents", "Price (cents)", "price in cents"] {
        let text = PriceList { prices: ["399", "349", "129900", "119900"], ..LIST }.text();
        let text = text.replacen("price\n", &format!("{name}\n"), 1);
        build_text("prices.csv", &text).refused(&[
            "no observations in IN: rename the file or its folder to observations, or pass the file with \
             --observations",
            "IN/prices.csv: read only as listings: missing required column price",
            name,
        ]);
    }
    build_text("prices.csv", &prices(["39900000000", "34900000000", "129900", "119900"]))
        .refused(&["price_too_large 2", "Write prices in dollars and not in cents"]);
}
