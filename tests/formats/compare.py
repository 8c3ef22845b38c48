"""Holds every form of every answer against its JSON, as pyarrow and DuckDB read it, and runs the page's recipes.

Which requests there are, the server's own description says; which columns an answer has and of which type,
docs/formats.md says. Rows are flattened here by the rule of that page, not by the program's code.
"""

import argparse
import json
import platform
import re
import subprocess
import sys
import urllib.error
import urllib.request
from datetime import date, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet as pq

ANSWER_SECONDS = 60
RECIPE_SECONDS = 120
CSV, NDJSON = "text/csv", "application/x-ndjson"
ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
TYPES = {
    "string": (pa.string(), "VARCHAR"),
    "JSON text": (pa.string(), "VARCHAR"),
    "date": (pa.date32(), "DATE"),
    "timestamp": (pa.timestamp("us", "UTC"), "TIMESTAMPTZ"),
    "int64": (pa.int64(), "BIGINT"),
    "double": (pa.float64(), "DOUBLE"),
    "boolean": (pa.bool_(), "BOOLEAN"),
}


class Table:
    """What the page says of a route: the fields that hold its rows, and its columns with their types."""

    def __init__(self, section: str):
        self.rows = re.findall(r"`([a-z_]+)`", re.search(r"^Rows: (.*)$", section, re.MULTILINE)[1])
        self.columns = dict(re.findall(r"^\| `([a-z0-9_]+)` \| ([A-Za-z0-9 ]+) \|", section, re.MULTILINE))

    def schema(self) -> pa.Schema:
        return pa.schema([(name, TYPES[kind][0]) for name, kind in self.columns.items()])

    def expected(self, answer: dict) -> list[list]:
        """The rows of an answer, as every reader has to see them."""
        rows = []
        for field in self.rows:
            found = answer.get(field)
            rows += found if isinstance(found, list) else [] if found is None else [found]
        return [self.row(answer, row) for row in rows]

    def row(self, answer: dict, row: dict) -> list:
        cells = flat(row, row, "")
        for name in ("country", "currency"):
            if name in answer:
                cells.setdefault(name, answer[name])
        # Of an object that is null there are no fields to ask for.
        unknown = {name for name, value in cells.items() if value is not None} - self.columns.keys()
        assert not unknown, f"there is no column for {unknown}"
        return [typed(cells.get(name), kind) for name, kind in self.columns.items()]


def flat(row: dict, part: dict, prefix: str) -> dict:
    cells = {}
    for name, value in part.items():
        if isinstance(value, dict):
            cells |= flat(row, value, f"{prefix}{name}_")
        else:
            column = prefix + name
            cells[f"{prefix}_{name}" if prefix and column in row else column] = value
    return cells


def typed(value, kind: str):
    if value is None:
        return None
    read = {"date": date.fromisoformat, "timestamp": datetime.fromisoformat, "double": float}
    return read.get(kind, lambda same: same)(value)


def told(table: pa.Table, columns: dict[str, str]) -> list[list]:
    """The rows of a table of Arrow."""
    rows = table.to_pylist()
    return [[read(row[name], kind) for name, kind in columns.items()] for row in rows]


def read(value, kind: str):
    """A cell that a reader has as text, or whose parts it took for times."""
    if kind == "JSON text" and value is not None:
        instant = lambda time: time.strftime("%Y-%m-%dT%H:%M:%SZ")
        return json.loads(value if isinstance(value, str) else json.dumps(value, default=instant))
    return date.fromisoformat(value) if kind == "date" and isinstance(value, str) else value


def by_pyarrow(table: Table, form: str, file: Path) -> pa.Table:
    schema = table.schema()
    match form:
        case "csv":
            return pa.csv.read_csv(
                file,
                parse_options=pa.csv.ParseOptions(newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(
                    column_types=schema, strings_can_be_null=True, quoted_strings_can_be_null=False
                ),
            )
        case "ndjson":
            if file.stat().st_size == 0:
                return schema.empty_table()
            # Lists stand in a line as lists, and pyarrow takes no text for a date there.
            known = [field for field in schema if table.columns[field.name] != "JSON text"]
            known = [field.with_type(pa.string()) if field.type == pa.date32() else field for field in known]
            return pa.json.read_json(file, parse_options=pa.json.ParseOptions(explicit_schema=pa.schema(known)))
        case "arrow":
            with pa.ipc.open_stream(file) as stream:
                return stream.read_all()
        case _:
            return pq.read_table(file)


def by_duckdb(table: Table, form: str, file: Path) -> pa.Table:
    types = ", ".join(f"'{name}': '{TYPES[kind][1]}'" for name, kind in table.columns.items())
    match form:
        case "csv":
            source = f"read_csv('{file}', header=true, nullstr='', allow_quoted_nulls=false, columns={{{types}}})"
        case "ndjson":
            kinds = {name: "JSON" if kind == "JSON text" else TYPES[kind][1] for name, kind in table.columns.items()}
            lists = ", ".join(f"'{name}': '{kind}'" for name, kind in kinds.items())
            source = f"read_json('{file}', format='newline_delimited', columns={{{lists}}})"
        case "arrow":
            stream = pa.ipc.open_stream(file).read_all()
            source = "stream"
        case _:
            source = f"read_parquet('{file}')"
    duckdb.sql("SET TimeZone = 'UTC'")
    return duckdb.sql(f"SELECT * FROM {source}").to_arrow_table()


def faults_of(table: Table, answer: dict, form: str, file: Path) -> list[str]:
    """How a form of an answer differs from its JSON, as either reader has it."""
    faults = []
    expected = table.expected(answer)
    for reader in (by_pyarrow, by_duckdb):
        try:
            found = reader(table, form, file)
        except Exception as error:
            faults.append(f"{reader.__name__}: {type(error).__name__}: {error}")
            continue
        # What pyarrow is told of a line of JSON comes before what it finds out.
        if form == "ndjson" and set(found.column_names) == set(table.columns):
            found = found.select(list(table.columns))
        if found.column_names != list(table.columns):
            faults.append(f"{reader.__name__}: columns {found.column_names}")
            continue
        if reader is by_pyarrow and form in ("arrow", "parquet"):
            if not found.schema.equals(table.schema()):
                faults.append(f"{reader.__name__}: schema {found.schema}")
            head = {name: value for name, value in answer.items() if name not in table.rows}
            said = json.loads(found.schema.metadata[b"pricebook"])
            # Two answers differ in their time.
            for part in (head, said):
                for name in ("computed_at", "freshness_seconds"):
                    part.get("meta", {}).pop(name, None)
            if said != head:
                faults.append(f"{reader.__name__}: head {said}")
        rows = told(found, table.columns)
        if rows != expected:
            pairs = [(one, other) for one, other in zip(rows, expected) if one != other]
            faults.append(f"{reader.__name__}: {len(rows)} rows for {len(expected)}: {pairs[:1]}")
    return faults


def get(url: str, form: str = "application/json") -> bytes:
    """What a server answers in a form."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, headers={"Accept": form})
    try:
        with direct.open(request, timeout=ANSWER_SECONDS) as answer:
            assert answer.headers.get_content_type() == form, answer.headers["Content-Type"]
            return answer.read()
    except urllib.error.HTTPError as refused:
        raise RuntimeError(f"{url} is answered {refused.code}: {refused.read().decode()}") from refused


def fault_of_recipe(recipe: str, shown: str, url: str, work: Path) -> str | None:
    """What is wrong with what a recipe prints, if anything is."""
    (work / "recipe.py").write_text(recipe.replace("http://localhost:8080", url))
    command = [sys.executable, "recipe.py"]
    ran = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=RECIPE_SECONDS)
    if ran.returncode != 0:
        return f"a recipe ends with {ran.returncode}\n{ran.stdout}{ran.stderr}"
    return None if ran.stdout == shown else f"a recipe prints\n{ran.stdout}and the page shows\n{shown}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True, help="a server over the demo")
    parser.add_argument("--page", type=Path, required=True, help="docs/formats.md")
    parser.add_argument("--work", type=Path, required=True, help="a folder for files")
    args = parser.parse_args()
    page = args.page.read_text()
    sections = page.split("<!-- derived: columns -->")[1].split("<!-- end -->")[0].split("\n### ")[1:]
    tables = {section.split("\n", 1)[0]: Table(section) for section in sections}
    forms = {"csv": CSV, "ndjson": NDJSON, "arrow": ARROW, "parquet": PARQUET}
    faults, answers, rows = [], 0, 0
    paths = json.loads(get(f"{args.url}/openapi.json"))["paths"]
    requests = [target for path in paths.values() for target in path["get"].get("x-example-requests", [])]
    for target in requests:
        table = tables.get(target.split("?")[0])
        if table is None:
            continue
        answer = json.loads(get(args.url + target))
        answers, rows = answers + 1, rows + len(table.expected(answer))
        for form, media_type in forms.items():
            file = args.work / f"answer.{form}"
            file.write_bytes(get(args.url + target, media_type))
            faults += [f"{target} as {form}, {fault}" for fault in faults_of(table, answer, form, file)]
    recipes = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", page, re.DOTALL)
    for recipe, shown in recipes:
        fault = fault_of_recipe(recipe, shown, args.url, args.work)
        faults += [fault] if fault else []
    print(
        f"{answers} answers of {len(tables)} routes with {rows} rows, each in {len(forms)} forms, and {len(recipes)}"
        f" recipes; pyarrow {pa.__version__}, DuckDB {duckdb.__version__}, {platform.system()}"
    )
    assert answers >= len(tables) > 10 and rows > 100 and len(recipes) > 2, "too little was compared"
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
