#!/usr/bin/env python3
"""Chooses the constants of match quality and the default of min_quality on labelled queries.

    benches/quality/fit_match_quality.py EVAL QUERIES CATALOG=SNAPSHOT [CATALOG=SNAPSHOT ...]

EVAL is the example `eval` as cargo builds it. QUERIES is a file with the columns of `eval people --queries`; give several joined by commas: queries of shoppers,
titles of another trade, and titles of the same products at another shop. Constants are varied one after the other, with
every query answered (`--min-quality 0`), until none is better. The default of min_quality is the highest that refuses at
most REFUSED_MAX of what is there. It is chosen by five folds over a hash of the query: the threshold of four folds is measured
on the fifth. Prints the constants, the threshold of each fold, and the figures of the fifth folds together.
"""
import hashlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDS = 5
SURE = 60
REFUSED_MAX = 0.035
WRONG_COST = 5
# The values that are tried, in percent; the first is where the search begins.
TRIED = {
    "head_pct": [175, 150, 200],
    "head_of_mean_pct": [75, 0, 50, 60, 70, 80, 90, 100],
    "brand_pct": [130, 100, 115, 150],
    "corrected_pct": [55, 50, 60, 70, 80],
    "out_of_role_pct": [25, 10, 15, 20],
    "unknown_pct": [200, 100, 150, 250],
    "title_unknown_pct": [50, 75, 100],
    "compound_part_pct": [25, 0, 50],
    "without_type_pct": [60, 40, 50, 70, 80, 100],
    "other_property_pct": [100, 50, 0],
    "no_quantity_pct": [50, 25],
    "title_brand_and_part": [80],
    "title_part_or_type": [50, 40, 60],
}


def answers(program, files, catalogs, constants):
    """(query, is there, outcome, quality in hundredths) of every query, all of them answered."""
    def ask(job):
        file, (catalog, snapshot) = job
        with tempfile.NamedTemporaryFile("r", suffix=".tsv") as out:
            command = [program, "people", "--snapshot", snapshot, "--queries", file, "--catalog", catalog,
                       "--min-quality", "0", "--outcomes", out.name]
            for name, value in constants.items():
                command += ["--constant", f"{name}={value}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                if "no query of" in done.stderr:
                    return []
                sys.exit(done.stderr)
            lines = Path(out.name).read_text(encoding="utf-8").split("\n")[1:]
        rows = (line.split("\t") for line in lines if line)
        return [(query, kind == "present", outcome, int(quality)) for query, kind, outcome, quality, _ in rows]

    jobs = [(file, catalog) for file in files for catalog in catalogs]
    with ThreadPoolExecutor(2) as pool:
        return [row for rows in pool.map(ask, jobs) for row in rows]


def fold(query):
    return hashlib.sha256(query.encode()).digest()[0] % FOLDS


def figures(rows, least):
    """Shares: found and refused of what is there, refused of what is not, sure of right ones, sure and wrong of all."""
    there = [row for row in rows if row[1]]
    absent = [row for row in rows if not row[1]]
    right = [row for row in there if row[2].startswith("Right") and row[3] >= least]
    wrong = [row for row in rows if not row[2].startswith("Right") and row[3] >= max(least, SURE)]
    share = lambda some, of: some / of if of else 0.0
    return {
        "right": share(len(right), len(there)),
        "there, refused": share(sum(row[3] < least for row in there), len(there)),
        "not there, refused": share(sum(row[3] < least or row[2] == "Refused" for row in absent), len(absent)),
        "sure of right": share(sum(row[3] >= SURE for row in right), len(right)),
        "wrong and sure": share(len(wrong), len(rows)),
    }


def worth(rows, least):
    """What is asked for, as one number: right answers that look sure and refusals of what is not there; a wrong answer that
    looks sure costs WRONG_COST of them."""
    right = sum(row[2].startswith("Right") and row[3] >= max(least, SURE) for row in rows)
    refused = sum(not row[1] and (row[3] < least or row[2] == "Refused") for row in rows)
    wrong = sum(row[2] == "Wrong" and row[3] >= max(least, SURE) for row in rows)
    return (right + refused - WRONG_COST * wrong) / len(rows)


def best_threshold(rows):
    return max(least for least in range(101) if figures(rows, least)["there, refused"] <= REFUSED_MAX or least == 0)


def main():
    program, files, *catalogs = sys.argv[1:]
    files, catalogs = files.split(","), [catalog.split("=", 1) for catalog in catalogs]
    constants = {name: values[0] for name, values in TRIED.items()}

    def measure(tried):
        rows = answers(program, files, catalogs, tried)
        return worth(rows, best_threshold(rows))

    best, is_better = measure(constants), True
    while is_better:
        is_better = False
        for name, values in TRIED.items():
            for value in values:
                if value != constants[name] and (found := measure(constants | {name: value})) > best + 0.002:
                    best, is_better = found, True
                    constants[name] = value
    for name, value in constants.items():
        print(f"{name:<22} {value}")

    rows = answers(program, files, catalogs, constants)
    held_out, thresholds = [], []
    for number in range(FOLDS):
        least = best_threshold([row for row in rows if fold(row[0]) != number])
        thresholds.append(least)
        own = (row for row in rows if fold(row[0]) == number)
        # Below the threshold of its fold a query is refused, so that one threshold measures all.
        held_out += [row if row[3] >= least else (row[0], row[1], row[2], -1) for row in own]
    print(f"{'min_quality of folds':<22} {thresholds}")
    for name, value in figures(held_out, 0).items():
        print(f"{name:<22} {100 * value:5.1f} %")


if __name__ == "__main__":
    main()
