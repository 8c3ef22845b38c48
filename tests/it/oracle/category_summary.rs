use super::{Answer, Oracle, Refusal};

pub fn answer(_: &Oracle, _: &str) -> Answer {
    Err(Refusal::Text)
}
