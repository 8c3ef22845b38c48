//! What is handed to operators agrees with the program: every metric, label and label value that the alerts and the
//! dashboard name is one of a running server, and the unit waits long enough for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use pricebook::payment::core::outcome::PaymentOutcome;
use pricebook::server::accept_loop::CONNECTIONS_MAX;
use pricebook::server::config::RawFile;
use pricebook::server::serve::{FILES_RESERVED, STOP_MAX};
use pricebook::server::telemetry::Gauges;
use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::Value;

use crate::payment::statuses::{PATH, Shop};

/// Labels that Prometheus adds to every series.
const ADDED_LABELS: [&str; 2] = ["instance", "job"];

/// Severities of alerts.
const SEVERITIES: [&str; 2] = ["page", "warn"];

fn ops(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("ops").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What one expression asks of one metric.
#[derive(Debug, Default, PartialEq, Eq)]
struct Selector {
    metric: String,
    /// Label, operator, value.
    matchers: Vec<(String, String, String)>,
}

/// The metrics of ours that a PromQL expression names, with their matchers.
fn selectors(expression: &str) -> Vec<Selector> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let begins = expression.match_indices("pricebook_").map(|(at, _)| at);
    let begins = begins.filter(|&at| !expression[..at].ends_with(is_name));
    let read = |at: usize| {
        let rest = &expression[at..];
        let (metric, rest) = rest.split_at(rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()));
        let inside =
            rest.strip_prefix('{').map_or("", |rest| rest.split_once('}').expect("a closing brace").0);
        let matchers = inside.split(',').filter(|matcher| !matcher.is_empty()).map(|matcher| {
            let (label, rest) = matcher.split_at(matcher.find(['=', '!']).expect(matcher));
            let (operator, value) = rest.split_once('"').expect(matcher);
            (label.trim().to_owned(), operator.to_owned(), value.trim_end_matches('"').to_owned())
        });
        Selector { metric: metric.to_owned(), matchers: matchers.collect() }
    };
    begins.map(read).collect()
}

/// The labels that an expression groups by.
fn grouping(expression: &str) -> BTreeSet<&str> {
    let lists = expression.split("by (").skip(1).map(|rest| rest.split_once(')').expect(expression).0);
    lists.flat_map(|list| list.split(',')).map(str::trim).collect()
}

/// The labels that a legend, `{{label}}`, or an annotation, `{{ $labels.label }}`, shows.
fn shown(text: &str) -> BTreeSet<&str> {
    let templates = text.split("{{").skip(1).map(|rest| rest.split_once("}}").expect(text).0.trim());
    templates
        .filter(|template| !template.starts_with("$value"))
        .map(|template| template.trim_start_matches("$labels."))
        .collect()
}

/// By the name of a sample, the values of each of its labels.
type Samples = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Samples of a server that has answered, also for money.
static SAMPLES: LazyLock<Samples> = LazyLock::new(|| {
    let shop = Shop::open();
    assert_eq!(shop.get("/v1/public/coverage", &[]).status, 200);
    let payment = shop.x402(PATH, "ops");
    assert_eq!(shop.get(PATH, &[("payment-signature", &payment)]).status, 200);
    // In a sandbox nothing is unclear.
    let metrics = &shop.server.shared.metrics;
    metrics.payment(Some("base"), PaymentOutcome::Unclear(None).as_str());
    let text = metrics.text(&Gauges::default());
    let mut samples = Samples::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_at(line.find(['{', ' ']).expect(line));
        let labels = samples.entry(name.to_owned()).or_default();
        let inside = rest.strip_prefix('{').map_or("", |rest| rest.split_once('}').expect(line).0);
        for (label, value) in inside.split(',').filter_map(|pair| pair.split_once('=')) {
            labels.entry(label.to_owned()).or_default().insert(value.trim_matches('"').to_owned());
        }
    }
    assert!(samples.len() > 30, "{text}");
    samples
});

/// Whether a value that is matched is one of those that a label can have.
fn is_possible(operator: &str, value: &str, possible: &BTreeSet<String>) -> bool {
    let is_one = |value: &str| match value.strip_suffix(".*") {
        Some(begin) => possible.iter().any(|known| known.starts_with(begin)),
        None => possible.contains(value),
    };
    match operator {
        "=" | "!=" => possible.contains(value),
        "=~" | "!~" => value.split('|').all(is_one),
        _ => false,
    }
}

/// Everything in an expression, and in what is shown of its result, that no server has.
fn faults(expression: &str, shows: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known: BTreeSet<&str> = ADDED_LABELS.into();
    for Selector { metric, matchers } in selectors(expression) {
        let Some(labels) = SAMPLES.get(&metric) else {
            faults.push(format!("no metric {metric}"));
            continue;
        };
        known.extend(labels.keys().map(String::as_str));
        for (label, operator, value) in matchers {
            let is_added = ADDED_LABELS.contains(&label.as_str());
            let possible = labels.get(&label);
            if !is_added && !possible.is_some_and(|possible| is_possible(&operator, &value, possible)) {
                faults.push(format!("{metric} has no {label}{operator}\"{value}\": {possible:?}"));
            }
        }
    }
    let named = grouping(expression).into_iter().chain(shown(shows));
    faults.extend(named.filter(|label| !known.contains(label)).map(|label| format!("no label {label}")));
    faults
}

#[test]
fn detects_unknown_metrics_and_labels() {
    for (expression, shows, fault) in [
        ("rate(pricebook_request_total[5m])", "", "no metric pricebook_request_total"),
        ("pricebook_requests{status=\"500\"}", "", "no metric pricebook_requests"),
        ("pricebook_ready{state=\"yes\"}", "", "pricebook_ready has no state=\"yes\": None"),
        ("sum by (path) (pricebook_requests_total)", "", "no label path"),
        ("pricebook_rail_up", "{{ $labels.rails }}", "no label rails"),
    ] {
        assert_eq!(faults(expression, shows), [fault], "{expression}");
    }
    for matchers in ["status=\"5xx\"", "status=~\"500|5xx\"", "route=~\"/v2/.*\"", "status==\"500\""] {
        let found = faults(&format!("pricebook_requests_total{{{matchers}}}"), "");
        assert!(found.len() == 1 && found[0].starts_with("pricebook_requests_total has no "), "{found:?}");
    }
    let sound =
        "sum by (route, le) (rate(pricebook_request_seconds_bucket{route=~\"/v1/public/.*\",job=\"x\"}[5m]))";
    assert_eq!(faults(sound, "{{route}} of {{ $labels.instance }}: {{ $value | humanize }}"), [""; 0]);
}

#[test]
fn alerts_ask_for_what_there_is_and_say_what_to_do() {
    let text = ops("alerts.yml");
    let documents = Yaml::load_from_str(&text).expect("YAML");
    let mut names = BTreeSet::new();
    let groups = documents[0]["groups"].as_sequence().expect("groups");
    for rule in groups.iter().flat_map(|group| group["rules"].as_sequence().expect("rules")) {
        let field = |node: &Yaml, key: &str| {
            let value = node.as_mapping_get(key).and_then(|value| value.as_str().map(str::to_owned));
            value.unwrap_or_else(|| panic!("{rule:?} has no {key}"))
        };
        let (name, expression) = (field(rule, "alert"), field(rule, "expr"));
        let [summary, action] = ["summary", "action"].map(|key| field(&rule["annotations"], key));
        assert_eq!(faults(&expression, &format!("{summary} {action}")), [""; 0], "{name}");
        assert!(action.ends_with('.') && summary.len() > 20, "{name}");
        assert!(SEVERITIES.contains(&field(&rule["labels"], "severity").as_str()), "{name}");
        let is_ours = !selectors(&expression).is_empty() || expression.starts_with("up{");
        assert!(is_ours, "{name} asks for no metric of the server");
        assert!(ops("README.md").contains(&format!("`{name}`")), "ops/README.md does not speak of {name}");
        assert!(names.insert(name.clone()), "{name} is there twice");
    }
    assert!(names.len() >= 15, "{names:?}");
}

#[test]
fn the_dashboard_shows_what_there_is() {
    let dashboard: Value = serde_json::from_str(&ops("grafana-dashboard.json")).expect("JSON");
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    assert!(variables.iter().any(|it| it["type"] == "datasource" && it["query"] == "prometheus"));
    let mut shown = BTreeSet::new();
    let mut check = |place: &str, expression: &str, legend: &str| {
        assert_eq!(faults(expression, legend), [""; 0], "{place}: {expression}");
        shown.extend(selectors(expression).into_iter().map(|selector| selector.metric));
    };
    let (mut ids, mut places) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().unwrap();
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title}");
        let place = &panel["gridPos"];
        assert!(places.insert((place["y"].as_u64(), place["x"].as_u64())), "{title} lies on another panel");
        for target in panel["targets"].as_array().unwrap_or(&Vec::new()) {
            assert_eq!(target["datasource"]["uid"], "${datasource}", "{title}");
            check(title, target["expr"].as_str().unwrap(), target["legendFormat"].as_str().unwrap());
        }
    }
    for note in dashboard["annotations"]["list"].as_array().unwrap() {
        check("annotation", note["expr"].as_str().unwrap(), note["textFormat"].as_str().unwrap());
    }
    for variable in variables.iter().filter(|it| it["type"] == "query") {
        check("variable", variable["definition"].as_str().unwrap(), "");
    }
    // Everything that a server counts is on it, or nobody would look at it.
    let part = |name: &String| ["_bucket", "_sum", "_count"].iter().any(|end| name.ends_with(end));
    let missing: Vec<_> = SAMPLES.keys().filter(|name| !part(name) && !shown.contains(*name)).collect();
    assert_eq!(missing, [""; 0]);
}

/// What stands in a language's fenced blocks of a page.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    page.split(&*opening).skip(1).map(|rest| rest.split_once("```").expect("an end").0).collect()
}

/// The words in code on a page that begin so, with what follows as far as it is a name.
fn named<'a>(page: &'a str, begins: &str) -> BTreeSet<&'a str> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let places = page.match_indices('`').map(|(at, _)| &page[at + 1..]);
    places
        .filter(|rest| rest.starts_with(begins))
        .map(|rest| &rest[..rest.find(|letter| !is_name(letter)).unwrap_or(rest.len())])
        .collect()
}

#[test]
fn the_operators_guide_names_what_there_is() {
    let page = ops("../docs/operations.md");
    let configurations = blocks(&page, "toml");
    assert!(configurations.len() >= 2);
    for text in configurations {
        let file = RawFile::parse(text).unwrap_or_else(|fault| panic!("{fault}:\n{text}"));
        assert_ne!(file, RawFile::default(), "{text}");
    }
    let metrics = named(&page, "pricebook_");
    assert!(metrics.len() >= 5, "{metrics:?}");
    for metric in metrics {
        assert!(SAMPLES.contains_key(metric), "no metric {metric}");
    }
    let alerts = named(&page, "Pricebook");
    assert!(alerts.len() >= 5, "{alerts:?}");
    for alert in alerts {
        assert!(ops("alerts.yml").contains(&format!("alert: {alert}\n")), "no alert {alert}");
    }
    let example = ops("../pricebook.example.toml");
    let keys = page.split("`payment.").skip(1).map(|rest| rest.split_once('`').expect("an end").0);
    for key in keys {
        assert!(example.contains(&format!("\n{key} = ")), "no key payment.{key}");
    }
}

/// The value of a setting in a unit.
fn setting<'a>(unit: &'a str, key: &str) -> &'a str {
    let found = unit.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("no {key}"))
}

#[test]
fn the_unit_waits_for_the_server_and_gives_it_files() {
    let unit = ops("pricebook.service");
    let stop: u64 = setting(&unit, "TimeoutStopSec").parse().unwrap();
    assert!(Duration::from_secs(stop) > STOP_MAX + Duration::from_secs(5), "{stop} s, {STOP_MAX:?}");
    let files: usize = setting(&unit, "LimitNOFILE").parse().unwrap();
    assert!(files >= 2 * (CONNECTIONS_MAX + FILES_RESERVED), "{files}");
    for variable in ["PRICEBOOK_PAYMENT_SECRET_FILE=%d/", "PRICEBOOK_LOG_FORMAT=json"] {
        assert!(unit.contains(variable), "{variable}");
    }
}
