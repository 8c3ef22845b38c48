//! Configuration files that are almost right: everything that is wrong is named, or the server could start.

use pricebook::payment::settings::Secrets;
use pricebook::server::config::{RawFile, ServeConfig, ServeFlags};
use proptest::prelude::*;

use crate::support::mutate::{almost_text, cases};

const EXAMPLE: &str = include_str!("../../../pricebook.example.toml");
/// The longest line of the example is repeated in no refusal as a whole, for it may hold a secret.
const REFUSAL_BYTES_MAX: usize = 32 << 10;

/// The example without its comments: more of what is changed means something.
fn keys() -> String {
    let lines = EXAMPLE.lines().map(|line| line.split(" #").next().unwrap_or_default());
    lines.filter(|line| !line.starts_with('#') && !line.is_empty()).collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_configuration_is_refused_or_served(text in almost_text(&[EXAMPLE, &keys(), &keys()])) {
        match RawFile::parse(&text) {
            Err(reason) => prop_assert!(!reason.is_empty() && reason.len() <= REFUSAL_BYTES_MAX, "{reason}"),
            Ok(file) => {
                if let Err(error) = ServeConfig::new(ServeFlags::default(), Some(file), Secrets::default(), [9; 32]) {
                    prop_assert!(!error.to_string().is_empty());
                }
            }
        }
    }
}
