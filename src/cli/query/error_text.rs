//! Text of refusals on the command line: the fault and the remedy, with options (`--q`) in place of parameters (`q`).

use super::options::{option, params};
use crate::query::endpoint::Route;
use crate::query::params::BadParameter;
use crate::query::refusal::Refusal;
use crate::server::problem::Problem;

/// Text of a refusal for a person.
pub(super) fn sentences(route: &Route, refusal: &Refusal) -> String {
    if let Refusal::BadParameters(faults) = refusal {
        let lines: Vec<String> = faults.iter().map(|fault| fault_line(route, fault)).collect();
        return lines.join("\n");
    }
    // A client of the server receives the same message (the fault) and detail (the remedy).
    let Problem { error, detail, .. } = Problem::from(refusal.clone());
    let said = in_options(route, &format!("{}\n{detail}", error.message));
    match refusal {
        Refusal::NoResults { details, .. }
            if details.suggestions.as_ref().is_some_and(|all| all.len() > 1) =>
        {
            let all: Vec<&str> = details.suggestions.iter().flatten().map(String::as_str).collect();
            format!("{said}\nsuggestions: {}", all.join(", "))
        }
        _ => said,
    }
}

/// Formats a bad parameter as a line that names the option of the parameter.
fn fault_line(route: &Route, fault: &BadParameter) -> String {
    let BadParameter { parameter, reason, allowed } = fault;
    let is_known = params(route).any(|param| param.name == parameter);
    let name = if is_known { format!("--{}", option(parameter)) } else { parameter.clone() };
    let reason = in_options(route, reason);
    match allowed.as_slice() {
        [] => format!("{name}: {reason}"),
        allowed => format!("{name}: {reason} (allowed: {})", allowed.join(", ")),
    }
}

/// Replaces names of parameters in a sentence by options. A name that is an English word, such as `country`, is
/// replaced only before `=`, as in `country=ca`.
fn in_options(route: &Route, sentence: &str) -> String {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_param = |word: &str, after: &str| {
        let is_no_word = word.contains('_') || word == "q" || after.starts_with('=');
        is_no_word && params(route).any(|param| param.name == word)
    };
    let mut said = String::new();
    let mut rest = sentence;
    while let Some(letter) = rest.chars().next() {
        let length = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        if length == 0 {
            said.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(length);
        if is_param(word, after) {
            said.push_str("--");
            said.push_str(&option(word));
        } else {
            said.push_str(word);
        }
        rest = after;
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::routes;
    use crate::query::refusal::{NoResultsDetails, NoResultsReason};

    fn route() -> Route {
        routes().into_iter().find(|route| route.path.ends_with("best-price")).expect("a route")
    }

    #[test]
    fn parameters_are_called_by_their_options() {
        let faults = vec![
            BadParameter::new("q", "give q, product_uid or entity_uid"),
            BadParameter {
                allowed: vec!["us".into(), "ca".into()],
                ..BadParameter::new("country", "is no country")
            },
            BadParameter::new("other", "is not a parameter of this endpoint"),
        ];
        let said = sentences(&route(), &Refusal::BadParameters(faults));
        assert_eq!(
            in_options(&route(), "Ask with country=ca; q=x, a country"),
            "Ask with --country=ca; --q=x, a country"
        );
        let lines = [
            "--q: give --q, --product-uid or --entity-uid",
            "--country: is no country (allowed: us, ca)",
            "other: is not a parameter of this endpoint",
        ];
        assert_eq!(said.lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn a_refusal_says_what_to_ask_for() {
        let refusal = |suggestions: &[&str]| Refusal::NoResults {
            message: "us has no category \"fod\".".into(),
            details: Box::new(NoResultsDetails {
                suggestions: Some(suggestions.iter().map(ToString::to_string).collect()),
                ..NoResultsDetails::new(NoResultsReason::UnknownCategory)
            }),
            suggest: None,
        };
        let said = sentences(&route(), &refusal(&["food", "foot"]));
        assert!(
            said.starts_with("us has no category \"fod\".\n") && said.ends_with("suggestions: food, foot"),
            "{said}"
        );
        assert!(!sentences(&route(), &refusal(&["food"])).contains("suggestions: "));
    }
}
