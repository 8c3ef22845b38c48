//! `/llms.txt`: a description of the service on one page of Markdown.

use std::fmt::Write as _;

use super::{ABOUT, PageFacts, example};
use crate::query::endpoint::Route;

const HOW_TO_ASK: &str = "\
Requests are GET requests. Answers are JSON, or their rows as a table if `Accept` is `text/csv`, \
`application/x-ndjson`, Arrow or Parquet. `country` is `us` (the default) or `ca`; prices are in the currency of the \
country. Categories, brands and products may be named in everyday words, English or French; the fields `resolved`, \
`resolved_product` and `corrected_terms` of an answer report how they were interpreted. Null means unknown, never 0. \
Errors are problem documents with a stable `error.code`; `detail` gives the remedy. Free routes list the names that \
other routes accept. Answers come from a snapshot (`meta.snapshot_id`): the same request has the same answer until the \
next snapshot.
";

const HOW_TO_PAY: &str = "\
The service has no API keys and no accounts. If the response header `Payment-Mode` is `off`, every route is free. \
Otherwise a paid request without a payment is answered with 402 and offers: x402 version 2 in `PAYMENT-REQUIRED`, MPP \
in `WWW-Authenticate: Payment`. Send the request again with the payment in `PAYMENT-SIGNATURE` or `Authorization: \
Payment`. A request that cannot be answered is refused before any payment. The same payment returns the same answer \
again.
";

/// Renders the page.
pub fn llms_txt(routes: &[Route], facts: &PageFacts<'_>) -> String {
    let PageFacts { prices, base } = *facts;
    let mut page =
        format!("# pricebook\n\n> {ABOUT}\n\n{HOW_TO_ASK}\n## Paying\n\n{HOW_TO_PAY}\n## Endpoints\n\n");
    for route in routes.iter().filter(|route| !route.examples.is_empty()) {
        // Writing into a String cannot fail.
        let _ = writeln!(
            page,
            "- [GET {}]({base}{}): {} Price: {}.",
            route.path,
            example(route),
            route.summary,
            prices.words(route).as_deref().unwrap_or("free")
        );
    }
    let _ = write!(
        page,
        "\n## Machine readable\n\n\
         - [OpenAPI 3.1]({base}/openapi.json): every parameter, field and error.\n\
         - [MCP]({base}/mcp): the same as tools, over streamable HTTP; payments go in `_meta`.\n\
         - [x402]({base}/.well-known/x402): the paid resources, where payments are taken.\n\n\
         ## To read\n\n\
         - [Reference]({base}/reference.md): a page for each endpoint: parameters, fields, an example, errors.\n\
         - [Errors]({base}/problems.md): what each means, and what to change.\n\
         - [Methodology]({base}/docs/methodology.md): what every figure means.\n\
         - [Documents]({base}/docs.md): clients, formats, your own data, running a server.\n\n\
         Every page above is Markdown, and HTML without `.md`.\n"
    );
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints;
    use crate::payment::core::prices::Prices;

    #[test]
    fn every_route_with_data_has_its_line() {
        let routes = endpoints::routes();
        let page = llms_txt(&routes, &PageFacts { prices: &Prices::DEFAULT, base: "https://prices.example" });
        for route in routes {
            let line = page.lines().find(|line| line.starts_with(&format!("- [GET {}]", route.path)));
            assert_eq!(line.is_some(), !route.examples.is_empty(), "{}", route.path);
            let Some(line) = line else { continue };
            assert!(line.contains(route.summary) && line.contains("Price: "), "{line}");
            assert!(line.contains(&format!("(https://prices.example{}", route.path)), "{line}");
        }
    }
}
