//! Content negotiation: chooses a representation by the `Accept` header (RFC 9110, section 12.5.1).

use hyper::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};

use crate::query::representation::Representation;

/// A media range of `Accept` and its weight in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    weight: u32,
}

/// Chooses the representation with the highest weight; among equal weights, the first. Returns `None` if the client
/// does not accept any of them. Without an `Accept` header that contains a valid media range, the client accepts all.
pub(super) fn choose(
    headers: &HeaderMap,
    mut offered: impl Iterator<Item = &'static dyn Representation>,
) -> Option<&'static dyn Representation> {
    let first = offered.next()?;
    // Nearly all clients send one of these values, so they are compared without parsing.
    let known = |accepted: &HeaderValue| accepted == "*/*" || accepted == first.media_type();
    let mut accepted = headers.get_all(ACCEPT).iter();
    if accepted.next().is_none_or(known) && accepted.next().is_none() {
        return Some(first);
    }
    let ranges: Vec<Range<'_>> = weighted(headers, &ACCEPT).filter_map(range).collect();
    if ranges.is_empty() {
        return Some(first);
    }
    let mut best = (0, None);
    for representation in std::iter::once(first).chain(offered) {
        let weight = weight(&ranges, representation.media_type());
        if weight > best.0 {
            best = (weight, Some(representation));
        }
    }
    best.1
}

/// Whether the client accepts a media type. Without an `Accept` header that contains a valid media range, the client
/// accepts all.
pub(crate) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let ranges: Vec<Range<'_>> = weighted(headers, &ACCEPT).filter_map(range).collect();
    ranges.is_empty() || weight(&ranges, media_type) > 0
}

/// Whether the client is a browser that shows pages. A client is assumed to be one if its `Accept` names HTML.
pub(super) fn html(headers: &HeaderMap) -> bool {
    weighted(headers, &ACCEPT).any(|(name, weight)| weight > 0 && name.eq_ignore_ascii_case("text/html"))
}

/// The weight of the most specific range that includes a media type; 0 if no range includes it.
fn weight(ranges: &[Range<'_>], media_type: &str) -> u32 {
    let (kind, subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
    let specificity = |range: &Range<'_>| match (range.kind, range.subtype) {
        ("*", "*") => Some(0),
        (one, "*") if one.eq_ignore_ascii_case(kind) => Some(1),
        (one, two) if one.eq_ignore_ascii_case(kind) && two.eq_ignore_ascii_case(subtype) => Some(2),
        _ => None,
    };
    let holding = ranges.iter().filter_map(|range| Some((specificity(range)?, range.weight)));
    holding.max_by_key(|(specificity, _)| *specificity).map_or(0, |(_, weight)| weight)
}

fn range((name, weight): (&str, u32)) -> Option<Range<'_>> {
    let (kind, subtype) = name.split_once('/')?;
    Some(Range { kind, subtype, weight })
}

/// The entries of a header such as `Accept`: each name with its weight in thousandths. Empty entries are skipped.
pub(super) fn weighted<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = (&'a str, u32)> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).filter_map(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let name = parts.next().filter(|name| !name.is_empty())?;
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let weight = weight.map_or(1.0, |text| text.parse::<f32>().unwrap_or(0.0).clamp(0.0, 1.0));
        Some((name, (weight * 1_000.0) as u32))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::representation::{Answered, EncodeError, Json};

    struct Toy;

    impl Representation for Toy {
        fn media_type(&self) -> &'static str {
            "text/toy"
        }

        fn about(&self) -> &'static str {
            "A toy."
        }

        fn encode(&self, _: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn the_client_gets_what_it_likes_best() {
        let offered: [&'static dyn Representation; 2] = [&Json, &Toy];
        let chosen = |accepted: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(accepted) = accepted {
                headers.append(ACCEPT, accepted.parse().expect("a header value"));
            }
            choose(&headers, offered.into_iter()).map(Representation::media_type)
        };
        let (json, toy) = (Some(Json.media_type()), Some(Toy.media_type()));
        for (accepted, expected) in [
            ("*/*", json),
            ("application/json", json),
            ("application/*", json),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", json),
            ("text/toy", toy),
            ("TEXT/Toy;charset=utf-8", toy),
            ("text/*", toy),
            ("text/toy;q=0.2, application/json;q=0.1", toy),
            ("text/toy;q=0.2, */*;q=0.3", json),
            ("text/toy, */*", json),
            ("application/json;q=0, */*;q=0.5", toy),
            ("text/toy;q=0, text/*", None),
            ("application/json;q=0, text/toy;q=0, */*", None),
            ("image/png", None),
            ("application/problem+json", None),
            ("text/toy;q=many", None),
            ("*/*;q=0", None),
            ("", json),
            ("nonsense", json),
        ] {
            assert_eq!(chosen(Some(accepted)), expected, "{accepted}");
        }
        assert_eq!(chosen(None), json);
    }
}
