#!/usr/bin/env python3
"""Fits the scorer of likely links and writes src/matching/model.rs.

    # For each SET in abt_buy amazon_google wdc_computers wdc_cameras hammer and each SIZE of it:
    pricebook build --linking off --input INPUT/SET [--input OTHERS]... --out SNAPSHOTS --id SET-SIZE
    cargo run --release --example eval -- matching --snapshot SNAPSHOTS/SET-SIZE --pairs PAIRS/SET.csv.gz --features FEATURES/SET-SIZE.csv
    # The same for MIXED, described below, with train_links_electronics.csv beside this file:
    cargo run --release --example eval -- matching ... --pairs benches/quality/train_links_electronics.csv --features FEATURES/mixed.csv
    python benches/quality/train_links.py FEATURES > src/matching/model.rs      # numpy, pandas, scikit-learn

The sets, none of which is part of the project: Abt and Buy, Amazon and Google (Leipzig benchmarks), computers and
cameras of the Web Data Commons product corpus, each a folder of listings with its listed pairs; and `hammer`, eight
Canadian grocers of Project Hammer, with pairs judged by hand and those of train_links_groceries.csv beside this file.
What the scorer sees comes from the program, so nothing is computed twice.

How rare a word is hangs on the catalog, and catalogs are larger than labelled sets. So each pair is seen in catalogs of
three sizes: `small`, the set alone; `large`, beside Icecat's products (querqy/chorus) and Datafiniti's electronics, or
the liquor board of the demo for `hammer`; `vast`, beside these, PC parts and the groceries of The Complete Journey as
well (for `hammer` what `large` is). Fitted on small ones alone, the scorer finds a quarter less in large ones.

`mixed` is one catalog of Abt and Buy, Amazon and Google, computers, Icecat, Datafiniti and PC parts; cameras have the
keys of computers and cannot stand beside them. Its pairs were judged by the authors, in two rounds: where versions of
the scorer disagreed, and where the better one was unsure. What is fitted without them takes a processor for the computer
that has it. The pairs of both files are those that two readers, who did not see each other's answers, judged alike: 912
of 932.

Boosted trees of eight leaves are fitted on the training splits of the listed pairs, and on the candidates of the two
sets that are measured by links: four times, with what chance lets a split look at drawn anew, and the mean is the
scorer. A score never rises with what tells two listings apart and never falls with how alike their words are: few pairs
of grocers are judged, and without this rule trees learn their letters, and the habits of the shops that they know. How
that goes in a trade that no fit saw is reported, too: each set is measured by trees that were fitted on the others.
Which links hold at which score, the table of confidence, comes from pairs that the fit did not see: the other splits,
and folds by listing. Progress and figures go to standard error.
"""

import sys
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

# Sets of listed pairs with splits, and what each weighs in the fit.
PAIRS = {"amazon_google": 7.0, "wdc_computers": 2.0, "wdc_cameras": 2.0}
# Sizes of the catalogs that pairs are seen in.
SIZES = ["small", "large", "vast"]
# Sets that are measured by links: every same pair is listed, or only some pairs are.
CLOSED, OPEN = "abt_buy", "hammer"
LINKS = {CLOSED: 1.0, OPEN: 1.0}
# The set that the authors judged all pairs of, and what it weighs in its one size.
MIXED, MIXED_WEIGHT = "mixed", 2.0
JUDGED = Path(__file__).with_name("train_links_electronics.csv")
# Further pairs of the open set, judged by the authors, and what each weighs.
MORE, MORE_WEIGHT = Path(__file__).with_name("train_links_groceries.csv"), 4.0
FOLDS = 5
TREES, LEAVES, LEAF_PAIRS_MIN, RATE = 160, 8, 80, 0.2
# The scorer is the mean of fits that differ in what chance lets each split look at.
SEEDS = [1, 2, 3, 4]
# With these the score never falls, and never rises.
NEVER_FALLS = {"cosine", "jaccard", "soft", "words_cosine", "run"}
NEVER_RISES = {
    *("alone_less", "alone_more", "alone_sum_less", "alone_sum_more"),
    *("brand_apart", "part_apart", "firsts_apart", "pack_apart", "price_apart"),
    *("numbers_apart", "plain_apart", "mixed_apart", "mixed_alone"),
    *("variants_apart", "colours_apart", "colour_alone", "pieces_alone"),
}
# Confidence is tabled at these scores; it is never 1.
SCORES = [0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995, 1.0]
MOST = 0.99
# What the program adds for words in common and takes for age, in log odds: it orders pairs that trees see alike.
LIKENESS = 0.03
# A link exists from this score on.
THRESHOLD_SCORE = 0.7
# Columns that trees do not look at.
DESCRIBED = ["left", "right", "label", "split", "weight", "candidate", "veto", "identified", "age"]


def say(*what):
    print(*what, file=sys.stderr, flush=True)


def of_pairs(path, column):
    """A column of judged pairs by the two keys of each."""
    rows = pd.read_csv(path, dtype=str)
    keys = [rows[f"{side}_platform"] + "|" + rows[f"{side}_product_id"] for side in ("left", "right")]
    return dict(zip(map(frozenset, zip(*keys)), rows[column].astype(int)))


def read(folder):
    """The pairs of each set and size: listed ones and candidates between the set's own shops."""
    more = of_pairs(MORE, "label")
    tables = {}
    for name in [*PAIRS, *LINKS]:
        shops = None
        for size in SIZES:
            table = pd.read_csv(folder / f"{name}-{size}.csv", keep_default_na=False, dtype={"label": str})
            sides = [table[side].str.split("|").str[0] for side in ("left", "right")]
            shops = shops or {*sides[0], *sides[1]}
            table = table[sides[0].isin(shops) & sides[1].isin(shops)].reset_index(drop=True)
            table["label"] = pd.to_numeric(table.label.replace("", "-2"))
            table["given"] = table.label != -2
            if name == OPEN:
                labels = [more.get(frozenset(pair)) for pair in zip(table.left, table.right)]
                labels = pd.Series(labels, dtype=float)
                new = labels.notna() & ~table.given
                table.loc[new, "label"] = labels[new].astype(int)
                table.loc[new, "weight"] = MORE_WEIGHT
            tables[name, size] = table
    tables[MIXED, SIZES[-1]] = read_mixed(folder)
    return tables


def read_mixed(folder):
    """The judged pairs of the mixed set; those of one model, which are nearly one pair, are in one fold."""
    folds = of_pairs(JUDGED, "fold")
    table = pd.read_csv(folder / f"{MIXED}.csv", keep_default_na=False, dtype={"label": str})
    table = table[table.label != ""].reset_index(drop=True)
    table["label"] = pd.to_numeric(table.label)
    table["given"] = True
    table["fold"] = [folds[frozenset(pair)] for pair in zip(table.left, table.right)]
    return table


def fold(table):
    if "fold" in table:
        return table.fold.to_numpy()
    return table.left.map(lambda key: zlib.crc32(key.encode()) % FOLDS).to_numpy()


def fit(tables, features, without=None):
    """The scorer, a list of fits, of all pairs or of those outside a fold; a set weighs the same in each size."""
    parts = []
    for (name, _), table in tables.items():
        if name in PAIRS:
            table = table[(table.split == "train") & (table.label >= 0)]
            parts.append((table, table.label == 1, np.ones(len(table)), PAIRS[name]))
            continue
        if name == CLOSED:
            table = table[(table.candidate == 1) & (table.veto == "")]
        else:
            table = table[table.label >= 0]
        if without is not None:
            table = table[fold(table) != without]
        weight = MIXED_WEIGHT if name == MIXED else LINKS[name]
        parts.append((table, table.label == 1, np.sqrt(table.weight.to_numpy()), weight))
    x = np.concatenate([table[features].to_numpy() for table, _, _, _ in parts])
    y = np.concatenate([same.to_numpy() for _, same, _, _ in parts])
    w = np.concatenate([own / own.sum() * weight for _, _, own, weight in parts])

    def seeded(seed):
        model = HistGradientBoostingClassifier(
            max_iter=TREES,
            max_leaf_nodes=LEAVES,
            learning_rate=RATE,
            l2_regularization=1.0,
            min_samples_leaf=LEAF_PAIRS_MIN,
            max_features=0.5,
            early_stopping=False,
            random_state=seed,
            monotonic_cst=[(name in NEVER_FALLS) - (name in NEVER_RISES) for name in features],
        )
        return model.fit(x, y, sample_weight=w * len(w) / w.sum())

    return [seeded(seed) for seed in SEEDS]


def probability(scorer, table, features):
    order = table.jaccard.to_numpy() - table.age.to_numpy()
    odds = np.mean([model.decision_function(table[features].to_numpy()) for model in scorer], axis=0)
    return 1 / (1 + np.exp(-odds - LIKENESS * order))


def linked(table, score):
    """The candidates that one-to-one assignment leaves, as the program does it."""
    table = table.assign(score=np.round(score, 6))
    table = table.sort_values(["score", "left", "right"], ascending=[False, True, True])
    taken, keep = set(), []
    for left, right in zip(table.left, table.right):
        sides = (left, right.split("|")[0]), (right, left.split("|")[0])
        free = not any(side in taken for side in sides)
        if free:
            taken.update(sides)
        keep.append(free)
    return table[keep]


def possible(table):
    """The pairs that may be linked."""
    return table[(table.candidate == 1) & (table.veto == "") & (table.identified == 1)]


def held_out(tables, features, full):
    """Links of pairs that the fit did not see, by set and size."""
    folds = [fit(tables, features, without) for without in range(FOLDS)]
    links = {}
    for (name, size), table in tables.items():
        table = possible(table)
        if name in PAIRS:
            score = probability(full, table, features)
        else:
            of, score = fold(table), np.zeros(len(table))
            for number, scorer in enumerate(folds):
                if (of == number).any():
                    score[of == number] = probability(scorer, table[of == number], features)
        table = linked(table, score)
        if name in PAIRS:
            table = table[(table.label >= 0) & (table.split != "train")]
        elif name != CLOSED:
            table = table[table.label >= 0]
        links[name, size] = table.assign(same=(table.label == 1).astype(float))
    return links


def f1(scorer, table, features):
    """F1 on the test split at the threshold that is best on the validation split."""
    def of(split):
        rows = table[(table.split == split) & (table.label >= 0)]
        return rows.label.to_numpy() == 1, probability(scorer, rows, features)

    (same, score), (test, test_score) = of("valid"), of("test")
    order = np.argsort(-score)
    right, count = np.cumsum(same[order]), np.arange(1, len(order) + 1)
    best = score[order][np.argmax(2 * right / (count + same.sum()))]
    chosen = test_score >= best
    return 2 * (chosen & test).sum() / (chosen.sum() + test.sum())


def calibrate(links):
    """Confidence at SCORES: a logistic curve over the log odds, every set weighing the same."""
    odds, same, weight = [], [], []
    for (name, _), table in links.items():
        # Judged where programs disagreed: what held there says nothing of what holds elsewhere.
        if name == MIXED:
            continue
        score = table.score.clip(1e-6, 1 - 1e-6).to_numpy()
        own = table.weight.to_numpy() / table.weight.sum()
        odds.append(np.log(score / (1 - score)))
        same.append(table.same.to_numpy())
        # The listed pairs of the other sets miss same pairs: read at .75 and above, their errors are not.
        weight.append(own * (1.0 if name in LINKS else 0.2))
    odds, same, weight = np.concatenate(odds), np.concatenate(same), np.concatenate(weight)
    curve = LogisticRegression(C=1e3).fit(odds[:, None], same, sample_weight=weight * 1000)
    at = np.clip(np.array(SCORES), 1e-4, 1 - 1e-4)
    table = curve.predict_proba(np.log(at / (1 - at))[:, None])[:, 1] * MOST
    table[0] = 0.0
    return table


def measured(rows, of, least):
    """Links from some score on, against all same pairs of a table."""
    chosen = rows[rows.score >= least]
    right = ((chosen.label == 1) * chosen.weight).sum()
    total = of[of.label == 1].weight.sum()
    return f"{len(chosen)} precision {right / max(chosen.weight.sum(), 1e-9):.4f} recall {right / total:.4f}"


def report_strange(tables, features):
    """What the trees of the other sets say of each set."""
    for name in [*PAIRS, *LINKS]:
        scorer = fit({key: table for key, table in tables.items() if key[0] not in (name, MIXED)}, features)
        for size in SIZES:
            of = tables[name, size]
            if name in PAIRS:
                say(f"{name} {size}: fitted on the others: pairs F1 on test {f1(scorer, of, features):.4f}")
            rows = linked(possible(of), probability(scorer, possible(of), features))
            if name != CLOSED:
                rows, of = rows[rows.given & (rows.label >= 0)], of[of.given]
            say(f"{name} {size}: fitted on the others: links {measured(rows, of, THRESHOLD_SCORE)}")


def report(tables, features, full, links, table):
    for (name, size), rows in tables.items():
        if name in PAIRS:
            say(f"{name} {size}: pairs F1 on test {f1(full, rows, features):.4f}")
    for (name, size), rows in links.items():
        for least in (0.3, 0.5, THRESHOLD_SCORE, 0.9):
            say(f"{name} {size}: held-out links from {least}: {measured(rows, tables[name, size], least)}")
    for (name, size), of in tables.items():
        if name in LINKS:
            rows = linked(possible(of), probability(full, possible(of), features))
            if name == OPEN:
                rows, of = rows[rows.given], of[of.given]
            say(f"{name} {size}: all links: {measured(rows, of, THRESHOLD_SCORE)}")
    say("score, confidence, share that holds and number of held-out links of the sets measured by links")
    rows = pd.concat([rows for (name, _), rows in links.items() if name in LINKS])
    for low, high, confidence in zip(SCORES, SCORES[1:], table):
        chosen = rows[(rows.score >= low) & (rows.score < high)]
        share = (chosen.same * chosen.weight).sum() / chosen.weight.sum() if len(chosen) else float("nan")
        say(f"{low:5} {confidence:.4f} {share:.3f} {len(chosen)}")


def bound(threshold):
    """Where to split numbers as they are: the tables have six decimals, and both must go the same way."""
    return round(np.floor(round(threshold * 1e6, 3)).item() / 1e6 + 5e-7, 7)


def tree(predictor):
    nodes = predictor.nodes
    splits = [at for at in range(len(nodes)) if not nodes[at]["is_leaf"]]
    leaves = [at for at in range(len(nodes)) if nodes[at]["is_leaf"]]
    place = {at: number for number, at in enumerate(splits)}
    place.update({at: -1 - number for number, at in enumerate(leaves)})
    rows = [
        f"({nodes[at]['feature_idx']}, {bound(float(nodes[at]['num_threshold']))!r}, "
        f"{place[int(nodes[at]['left'])]}, {place[int(nodes[at]['right'])]})"
        for at in splits
    ]
    values = [repr(float(round(float(nodes[at]["value"]) / len(SEEDS), 6))) for at in leaves]
    return f"(&[{', '.join(rows)}], &[{', '.join(values)}]),"


HEAD = '''//! The trees of the scorer and the table of confidence, as `benches/quality/train_links.py` prints them.
//!
//! A tree is its splits and its leaves. A split is a feature, a value, and where to go at or below it and above it: another
//! split, or leaf `-1 - i`. What the leaves say adds up to the log odds of a match.

// Printed by a program, read by one.
#![allow(clippy::unreadable_literal)]

/// A split: feature, value, below, above.
pub(super) type Split = (u8, f64, i8, i8);
/// Splits, the first one at the root, and leaves.
pub(super) type Tree = (&'static [Split], &'static [f64]);

/// Log odds before any tree.
pub(super) const BASE: f64 = {base!r};

/// Confidence by score: millionths, ten-thousandths; between two rows in proportion.
#[rustfmt::skip]
pub(super) const CONFIDENCE: &[(u32, u16)] = &[{confidence}];
/// Links of less confidence are none.
pub(super) const THRESHOLD: u16 = {threshold};

#[rustfmt::skip]
pub(super) const TREES: &[Tree] = &['''


def grouped(number):
    return f"{number:_}"


def main():
    tables = read(Path(sys.argv[1]))
    features = [column for column in tables[CLOSED, SIZES[0]].columns if column not in [*DESCRIBED, "given"]]
    full = fit(tables, features)
    links = held_out(tables, features, full)
    table = calibrate(links)
    report(tables, features, full, links, table)
    report_strange(tables, features)
    steps = np.round(table * 10_000).astype(int)
    assert all(a < b for a, b in zip(steps, steps[1:])), "the table of confidence rises"
    rows = ", ".join(f"({grouped(round(score * 1e6))}, {grouped(step)})" for score, step in zip(SCORES, steps))
    threshold = grouped(int(steps[SCORES.index(THRESHOLD_SCORE)]))
    base = round(float(full[0]._baseline_prediction[0, 0]), 6)
    print(HEAD.format(base=base, confidence=rows, threshold=threshold))
    for step in zip(*(model._predictors for model in full)):
        print("    " + " ".join(tree(predictors[0]) for predictors in step))
    print("];")


if __name__ == "__main__":
    main()
