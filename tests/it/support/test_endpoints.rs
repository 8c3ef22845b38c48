//! Endpoints that do one thing each, so that the server can be seen to do its own.

use std::time::Duration;

use pricebook::catalog::Catalog;
use pricebook::query::descriptor::{Descriptor, Group};
use pricebook::query::endpoint::{Endpoint, Route, Stamp};
use pricebook::query::params::{Kind, Param, Reader};
use pricebook::query::refusal::{NoResultsReason, Refusal};
use schemars::JsonSchema;
use serde::Serialize;

static WORD: Param = Param { name: "word", kind: Kind::Text, about: "A word." };
static COUNT: Param =
    Param { name: "count", kind: Kind::Integer { min: 1, max: 50, default: Some(1) }, about: "Times." };
static SIDE: Param = Param { name: "side", kind: Kind::Word(&["left", "right"], None), about: "A side." };
static MILLIS: Param =
    Param { name: "millis", kind: Kind::Integer { min: 0, max: 60_000, default: Some(0) }, about: "A time." };

/// What these endpoints answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Told {
    /// The word, as often as was asked for.
    word: String,
    /// Id of the snapshot that answers.
    snapshot_id: String,
    /// Price of its first observation.
    price: u32,
    /// Age of the newest observation.
    freshness_seconds: u64,
}

fn tell(catalog: &Catalog, word: String, stamp: Stamp) -> Told {
    let (snapshot_id, price) = (catalog.id().to_owned(), catalog.spells.price[0]);
    Told { word, snapshot_id, price, freshness_seconds: stamp.freshness_seconds }
}

/// Repeats a word; `nothing` is not found.
pub struct Echo<const FREE: bool, const BARE: bool>;

impl<const FREE: bool, const BARE: bool> Endpoint for Echo<FREE, BARE> {
    type Params = (String, u32);
    type Plan = String;
    type Answer<'a> = Told;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        summary: "Repeats a word.",
        about: "Use it in tests.",
        params: &[&WORD, &COUNT, &SIDE],
        examples: &["word=a", "word=nothing", "count=0"],
        bare_errors: BARE,
        ..match (FREE, BARE) {
            (true, false) => Descriptor::of("/v1/public/echo", Group::Public),
            (true, true) => Descriptor::of("/v1/public/bare", Group::Public),
            (false, _) => Descriptor::of("/v1/shopper/echo", Group::Shopper),
        }
    };

    fn read(reader: &mut Reader<'_>) -> Self::Params {
        let word = reader.text(&WORD).unwrap_or_else(|| "hello".into());
        let count = reader.integer(&COUNT).unwrap_or(1);
        let _ =
            reader.word(&SIDE, |side| Some(side.to_owned()).filter(|side| side == "left" || side == "right"));
        (word, count)
    }

    fn resolve(_: &Catalog, (word, count): Self::Params) -> Result<String, Refusal> {
        match word.as_str() {
            "nothing" => Err(Refusal::no_results(NoResultsReason::UnknownProduct, "No such word.")),
            "stumble" => panic!("stumbled over a word"),
            _ => Ok(word.repeat(count as usize)),
        }
    }

    fn run(catalog: &Catalog, plan: String, stamp: Stamp) -> Told {
        tell(catalog, plan, stamp)
    }
}

/// Panics, inline or on a compute thread.
pub struct Boom<const HEAVY: bool>;

impl<const HEAVY: bool> Endpoint for Boom<HEAVY> {
    type Params = ();
    type Plan = ();
    type Answer<'a> = Told;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        summary: "Panics.",
        about: "Use it in tests.",
        heavy: HEAVY,
        ..Descriptor::of(if HEAVY { "/v1/analyst/boom" } else { "/v1/shopper/boom" }, Group::Shopper)
    };

    fn read(_: &mut Reader<'_>) {}

    fn resolve(_: &Catalog, (): ()) -> Result<(), Refusal> {
        Ok(())
    }

    fn run(_: &Catalog, (): (), _: Stamp) -> Told {
        panic!("boom")
    }
}

/// Takes its time on a compute thread.
pub struct Slow;

impl Endpoint for Slow {
    type Params = u32;
    type Plan = u32;
    type Answer<'a> = Told;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        summary: "Takes its time.",
        about: "Use it in tests.",
        params: &[&MILLIS],
        examples: &["millis=1"],
        heavy: true,
        ..Descriptor::of("/v1/analyst/slow", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> u32 {
        reader.integer(&MILLIS).unwrap_or_default()
    }

    fn resolve(_: &Catalog, millis: u32) -> Result<u32, Refusal> {
        Ok(millis)
    }

    fn run(catalog: &Catalog, millis: u32, stamp: Stamp) -> Told {
        std::thread::sleep(Duration::from_millis(millis.into()));
        tell(catalog, "slept".into(), stamp)
    }
}

/// Finds snapshots unbearable whose id begins with `bad`.
pub struct Fussy;

impl Endpoint for Fussy {
    type Params = ();
    type Plan = ();
    type Answer<'a> = Told;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        summary: "Fails on some snapshots.",
        about: "Use it in tests.",
        examples: &[""],
        ..Descriptor::of("/v1/public/fussy", Group::Public)
    };

    fn read(_: &mut Reader<'_>) {}

    fn resolve(_: &Catalog, (): ()) -> Result<(), Refusal> {
        Ok(())
    }

    fn run(catalog: &Catalog, (): (), stamp: Stamp) -> Told {
        assert!(!catalog.id().starts_with("bad"), "unbearable");
        tell(catalog, "fine".into(), stamp)
    }
}

/// All of them.
pub fn routes() -> Vec<Route> {
    vec![
        Route::of::<Echo<true, false>>(),
        Route::of::<Echo<true, true>>(),
        Route::of::<Echo<false, false>>(),
        Route::of::<Boom<false>>(),
        Route::of::<Boom<true>>(),
        Route::of::<Slow>(),
        Route::of::<Fussy>(),
    ]
}
