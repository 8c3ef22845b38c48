"""Runs the recipes of docs/export.md as they stand there and holds what they print against what the program answers.

Each runs in a directory of its own, with a copy of the exported tables, since some write beside them. What they ask is
asked of the program too: how much the snapshot holds, and what the recipes' product cost in October.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

# The window of the recipes; the day after the last one is the demo's now.
FROM, TO = "2026-10-01", "2026-10-31"
# Prices are answered in dollars, rounded once.
ROUNDING_CENTS = 0.5 + 1e-6
ANSWER_SECONDS = 60
RECIPE_SECONDS = 300
# Every heading below "Recipes" has to be there, with as many programs.
RECIPES = {"pyarrow": 1, "pandas": 1, "DuckDB": 1, "Polars": 1, "Iceberg": 1, "Delta": 2, "DuckLake": 1}
PLAIN = {pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("us")}


def recipes(page: str) -> list[tuple[str, str]]:
    """The Python blocks below "Recipes", with their headings."""
    found = []
    for section in page.split("\n## Recipes\n")[1].split("\n### ")[1:]:
        heading = section.split("\n", 1)[0]
        found += [(heading, block) for block in re.findall(r"```python\n(.*?)```", section, re.DOTALL)]
    return found


def answered(binary: Path, snapshots: Path, url: str, product_uid: str) -> list[float]:
    """What the recipes print, of the program itself."""
    snapshot = snapshots / (snapshots / "CURRENT").read_text().strip()
    said = subprocess.run([binary, "verify", snapshot], check=True, capture_output=True, text=True).stdout
    rows = [int(number) for number in re.search(r"(\d+) listings, (\d+) observations", said).groups()]
    query = f"country=ca&product_uid={product_uid}&from={FROM}&to={TO}"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    history = json.load(direct.open(f"{url}/v1/shopper/price-history?{query}", timeout=ANSWER_SECONDS))
    return [*rows, history["observation_count"], 100 * history["period_low"], 100 * history["period_avg"]]


def install_ducklake(packages: Path, home: Path) -> None:
    """Puts the extension where DuckDB looks for installed ones: it comes from PyPI and not from DuckDB's own server."""
    ((where,),) = duckdb.sql("PRAGMA platform").fetchall()
    (extension,) = packages.glob("duckdb_extension_ducklake/extensions/*/ducklake.duckdb_extension")
    target = home / ".duckdb" / "extensions" / extension.parent.name / where
    target.mkdir(parents=True)
    shutil.copy(extension, target)


def faults_of_types(tables: Path) -> list[str]:
    """Columns that pyarrow reads as anything but a plain type, in any file."""
    faults = []
    for path in sorted(tables.rglob("*.parquet")):
        for field in pq.read_schema(path):
            if field.type not in PLAIN:
                faults.append(f"{path.relative_to(tables)}: {field.name} is {field.type}")
    return faults


def fault_of_recipe(recipe: str, work: Path, tables: Path, env: dict[str, str], expected: list[float]) -> str | None:
    """What is wrong with what a recipe prints, if anything is."""
    shutil.copytree(tables, work / "tables")
    (work / "recipe.py").write_text(recipe)
    ran = subprocess.run(
        [sys.executable, "recipe.py"],
        cwd=work, env={**os.environ, **env}, capture_output=True, text=True, timeout=RECIPE_SECONDS,
    )
    if ran.returncode != 0:
        return f"ends with {ran.returncode}\n{ran.stdout}{ran.stderr}"
    try:
        printed = [float(word) for word in ran.stdout.split()]
    except ValueError:
        printed = []
    exact, mean = slice(0, 4), 4
    is_right = len(printed) == len(expected) and abs(printed[mean] - expected[mean]) <= ROUNDING_CENTS
    if not is_right or printed[exact] != [round(number) for number in expected[exact]]:
        return f"prints {ran.stdout!r}, and the program says {expected}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--url", required=True, help="a server over the demo")
    parser.add_argument("--page", type=Path, required=True, help="docs/export.md")
    parser.add_argument("--ducklake", type=Path, required=True, help="packages for DuckLake alone, which go before others")
    parser.add_argument("--work", type=Path, required=True, help="with snapshots and their exported tables")
    args = parser.parse_args()
    page = args.page.read_text()
    tables = args.work / "tables"
    found = recipes(page)
    counts = {heading: sum(heading == other for other, _ in found) for heading, _ in found}
    assert counts == RECIPES, f"the page has {counts}, and {RECIPES} are known"
    (product_uid,) = set(re.findall(r"\bp_[0-9a-z]+", page.split("\n## Recipes\n")[1]))

    expected = answered(args.binary, args.work / "snapshots", args.url, product_uid)
    print(f"the program, on {platform.system()} with Python {platform.python_version()}: {expected}")
    shown = page.split("\n## Recipes\n")[1].split("```\n")[1].split()
    faults = faults_of_types(tables)
    if [float(word) for word in shown[:4]] != [round(number) for number in expected[:4]]:
        faults.append(f"the page shows {shown}, and the program says {expected}")
    home = args.work / "home"
    install_ducklake(args.ducklake, home)
    for number, (heading, recipe) in enumerate(found):
        work = args.work / f"recipe-{number}"
        work.mkdir()
        begun = time.monotonic()
        env = {"HOME": str(home), "PYTHONPATH": str(args.ducklake) if heading == "DuckLake" else ""}
        fault = fault_of_recipe(recipe, work, tables, env, expected)
        print(f"{'FAILED' if fault else 'ok'}  {heading}, {time.monotonic() - begun:.1f} s", flush=True)
        if fault:
            faults.append(f"{heading}: {fault}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
