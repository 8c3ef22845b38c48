"""PostgreSQL, a server of its own on a Unix socket, rows in shelf order, with the indexes that its users would make."""

import datetime
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import polars as pl
import psycopg

import answers

COPY_ROWS = 500_000
START_SECONDS_MAX = 60

# What a machine for this database would be given; without durability, which no question depends on.
SETTINGS = {
    "listen_addresses": "''",
    "shared_buffers": "'2GB'",
    "effective_cache_size": "'8GB'",
    "work_mem": "'256MB'",
    "maintenance_work_mem": "'512MB'",
    "max_wal_size": "'8GB'",
    "random_page_cost": "1.1",
    "jit": "off",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
}

TYPES = {
    pl.Boolean: "boolean",
    pl.Int16: "smallint",
    pl.Int32: "integer",
    pl.UInt32: "integer",
    pl.Float64: "double precision",
    pl.String: "text",
    pl.Date: "date",
    pl.Datetime: "timestamp",
}

OFFERS = """
CREATE TABLE offers AS
WITH latest AS (
    SELECT DISTINCT ON (listing) listing, day AS last_day, price, list_price, in_stock, promo
    FROM observations ORDER BY listing, day DESC
)
SELECT listings.*, last_day, price, list_price, in_stock, promo,
       CASE WHEN list_price > price AND list_price <= 5 * price::bigint
            THEN 100.0::float8 * (list_price - price) / list_price END AS discount_pct
FROM listings JOIN latest USING (listing)
WHERE last_day >= %(priced_from)s::date
ORDER BY country, category, price, product_uid
"""

# The shelf's observations are read from a covering index alone.
INDEXES = """
ALTER TABLE listings ADD PRIMARY KEY (listing);
ALTER TABLE observations ADD PRIMARY KEY (listing, day);
ALTER TABLE offers ADD PRIMARY KEY (listing);
CREATE INDEX ON listings (country, category);
CREATE INDEX ON observations (country, category, day)
    INCLUDE (listing, price, list_price, in_stock, promo, platform, brand_id, condition_id, entity);
CREATE INDEX ON offers (country, category, price, product_uid);
CREATE INDEX ON offers (country, category, brand);
CREATE INDEX ON offers (country, entity);
CREATE TABLE brands AS SELECT DISTINCT brand_id, brand FROM listings WHERE brand IS NOT NULL;
ALTER TABLE brands ADD PRIMARY KEY (brand_id);
"""

ITEM = """
product_uid, entity_uid, product_id, product_name, brand, retailer, price, list_price, discount_pct, rating,
review_count, promo, in_stock, condition, members, observed_at, gtin, gpc_code, pack_count, pack_quantity, pack_unit,
match_suspect_reasons
"""

BEST_PRICE = f"""
SELECT {ITEM} FROM offers
WHERE country = %(country)s AND entity = %(entity)s
ORDER BY condition_rank, coalesce(NOT in_stock, false), price, product_uid
LIMIT %(offers)s
"""

PAGE = f"""
SELECT {ITEM} FROM offers
WHERE country = %(country)s AND {{shelf}}
ORDER BY price, product_uid
LIMIT %(rows)s OFFSET %(offset)s
"""

SHARE = """
SELECT brand, count(*) AS products, (sum(count(*)) OVER ())::bigint,
       min(min(observed_at)) OVER (), max(max(observed_at)) OVER ()
FROM offers
WHERE country = %(country)s AND {shelf} AND brand IS NOT NULL
GROUP BY brand
ORDER BY products DESC, brand
"""

# The stock and promotion of a week's last day: the largest of day and bits put into one number.
INFLATION = """
WITH cells AS MATERIALIZED (
    SELECT listing, (day - %(monday)s::date) / 7 AS week, sum(price) AS total, count(*) AS days,
           max((day - %(monday)s::date) * 4 + (in_stock IS TRUE)::int * 2 + promo::int) AS last_bits,
           min(day) AS first_day, max(day) AS last_day
    FROM observations
    WHERE country = %(country)s AND {shelf} AND day >= %(from)s::date AND day < %(to)s::date
    GROUP BY 1, 2
),
points AS MATERIALIZED (
    SELECT week, row_number() OVER (ORDER BY week) AS place, count(*) AS products, sum(days)::bigint AS observations,
           avg(total::float8 / days) AS average, min(total::float8 / days) AS lowest,
           max(total::float8 / days) AS highest,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY total::float8 / days) AS median,
           count(*) FILTER (WHERE last_bits & 2 <> 0) AS in_stock,
           count(*) FILTER (WHERE last_bits & 1 <> 0) AS promoted,
           min(first_day) AS first_day, max(last_day) AS last_day
    FROM cells GROUP BY week
),
changes AS (
    SELECT later.week, count(*) AS matched,
           exp(avg(ln((later.total * earlier.days)::float8 / (earlier.total * later.days)))) AS factor
    FROM points
    JOIN points AS before ON before.place = points.place - 1
    JOIN cells AS later ON later.week = points.week
    JOIN cells AS earlier ON earlier.week = before.week AND earlier.listing = later.listing
    GROUP BY later.week
),
full_weeks AS (
    SELECT count(*) AS n, min(week) AS first, max(week) AS last FROM points
    WHERE products >= (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY products) / 2 FROM points)
),
ends AS (
    SELECT CASE WHEN n < 2 THEN (SELECT min(week) FROM points) ELSE first END AS first_week,
           CASE WHEN n < 2 THEN (SELECT max(week) FROM points) ELSE last END AS last_week
    FROM full_weeks
),
relatives AS (
    SELECT later.total * earlier.days AS num, earlier.total * later.days AS den,
           (later.total * earlier.days)::float8 / (earlier.total * later.days) AS relative
    FROM ends
    JOIN cells AS earlier ON earlier.week = first_week
    JOIN cells AS later ON later.week = last_week AND later.listing = earlier.listing
),
kept AS (
    SELECT count(*) AS kept, avg(ln(relative)) AS log_mean, stddev_samp(ln(relative)) AS log_deviation,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY relative) AS relative_median, avg(relative) AS relative_mean
    FROM relatives WHERE num <= 2 * den AND 2 * num >= den
),
moved AS (
    SELECT count(*) AS matched, count(*) FILTER (WHERE 100 * num > 101 * den) AS rising,
           count(*) FILTER (WHERE 100 * num < 99 * den) AS falling
    FROM relatives
)
SELECT points.week, products, observations, average, lowest, highest, median, in_stock, promoted, first_day, last_day,
       changes.matched, factor, first_week, last_week, (SELECT products FROM points WHERE week = first_week),
       moved.matched, rising, falling, kept, log_mean, log_deviation, relative_median, relative_mean
FROM points LEFT JOIN changes USING (week) CROSS JOIN ends CROSS JOIN moved CROSS JOIN kept
ORDER BY points.week
"""

INDEX = """
WITH shelf AS MATERIALIZED (
    SELECT listing, day, price, platform, entity, condition_id FROM observations
    WHERE country = %(country)s AND {shelf} AND day >= %(from)s::date AND day < %(to)s::date
),
daily AS MATERIALIZED (
    SELECT day, count(*) FILTER (WHERE platform = %(platform)s) AS products,
           avg(price) FILTER (WHERE platform = %(platform)s) AS own_average, avg(price) AS all_average
    FROM shelf GROUP BY day HAVING count(*) FILTER (WHERE platform = %(platform)s) > 0
),
stable AS MATERIALIZED (
    SELECT listing FROM shelf WHERE platform = %(platform)s
    GROUP BY listing HAVING count(*) = (SELECT count(*) FROM daily)
),
stable_daily AS (
    SELECT day, avg(price) AS stable_average FROM shelf WHERE listing IN (SELECT listing FROM stable) GROUP BY day
),
shared AS (
    SELECT entity FROM listings
    WHERE country = %(country)s AND {shelf} AND condition_id = 0 AND members > 1
    GROUP BY entity HAVING bool_or(platform = %(platform)s) AND count(DISTINCT platform) > 1
),
lowest AS (
    SELECT entity, day, platform, ln(min(price)::float8) AS log
    FROM shelf WHERE condition_id = 0 AND entity IN (SELECT entity FROM shared)
    GROUP BY entity, day, platform
),
ratios AS (
    SELECT day, max(log) FILTER (WHERE platform = %(platform)s)
                - avg(log) FILTER (WHERE platform <> %(platform)s) AS log
    FROM lowest GROUP BY entity, day
),
matched AS (
    SELECT day, exp(avg(log)) AS matched_index, count(*) AS matched_pairs
    FROM ratios WHERE abs(log) <= ln(3::float8) + 1e-12 GROUP BY day
)
SELECT day, products, own_average::float8, all_average::float8, (SELECT count(*) FROM stable), stable_average::float8,
       matched_index, matched_pairs
FROM daily LEFT JOIN stable_daily USING (day) LEFT JOIN matched USING (day)
ORDER BY day
"""

BANDS = """
WITH shelf AS MATERIALIZED (
    SELECT price, ln(price::float8) AS x, observed_at FROM offers
    WHERE country = %(country)s AND {shelf} AND condition_id = 0
),
levels AS MATERIALIZED (
    SELECT count(*) AS n, min(observed_at) AS first, max(observed_at) AS last,
           percentile_cont(ARRAY[0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95, 0.25, 0.75]) WITHIN GROUP (ORDER BY x) AS q
    FROM shelf
)
SELECT n, q[1], q[2], q[3], q[4], q[5], q[6], q[7],
       (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(x - q[4])) FROM shelf), q[9] - q[8],
       (SELECT count(*) FROM shelf WHERE price <= round(exp(q[2]))),
       (SELECT count(*) FROM shelf WHERE price <= round(exp(q[3]))),
       (SELECT count(*) FROM shelf WHERE price <= round(exp(q[5]))),
       (SELECT count(*) FROM shelf WHERE price <= round(exp(q[6]))), first, last
FROM levels
"""

PROMO = """
WITH tallies AS (
    SELECT brand_id, count(*) AS total, count(*) FILTER (WHERE promo) AS promotional,
           count(*) FILTER (WHERE list_price > 5 * price::bigint) AS suspects,
           avg(100::float8 * (list_price - price) / list_price)
               FILTER (WHERE list_price > price AND list_price <= 5 * price::bigint) AS depth,
           max(100::float8 * (list_price - price) / list_price)
               FILTER (WHERE list_price > price AND list_price <= 5 * price::bigint) AS deepest,
           min(day) AS first_day, max(day) AS last_day
    FROM observations
    WHERE country = %(country)s AND {shelf} AND brand_id IS NOT NULL
      AND day >= %(from)s::date AND day < %(to)s::date
    GROUP BY brand_id
)
SELECT brand, total, promotional, suspects, depth, deepest, first_day, last_day
FROM tallies JOIN brands USING (brand_id)
ORDER BY total DESC, brand
LIMIT 200
"""


def program(name: str) -> str:
    """A program of the newest PostgreSQL that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    path = str(found[-1]) if found else shutil.which(name)
    if path is None:
        # As a missing package does.
        raise ImportError("PostgreSQL is not installed; install the package postgresql")
    return path


def shelf_is(bounds: list[int]) -> str:
    """The condition on the category; equality, where it is one leaf, lets an index give the order."""
    return "category = %(low)s" if bounds[0] == bounds[1] else "category BETWEEN %(low)s AND %(high)s"


class Peer:
    """A PostgreSQL server with its data in a directory of its own, and one connection."""

    def __init__(self, _work: Path, threads: int) -> None:
        initdb, pg_ctl = program("initdb"), program("pg_ctl")
        self.home = Path(tempfile.mkdtemp(prefix="pricebook-peers-"))
        # PostgreSQL refuses to run as root; its packages bring a user.
        self.user = []
        if os.geteuid() == 0:
            shutil.chown(self.home, "postgres")
            self.user = ["runuser", "-u", "postgres", "--"]
        data = self.home / "data"
        self.run(
            initdb, "--pgdata", data, "--username", "peers", "--auth", "trust", "--no-locale", "--encoding", "UTF8"
        )
        settings = SETTINGS | {
            "unix_socket_directories": f"'{self.home}'",
            "max_parallel_workers_per_gather": str(threads - 1),
            "max_parallel_workers": str(threads),
        }
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self.stop = [pg_ctl, "--pgdata", data, "--mode", "immediate", "stop"]
        self.run(pg_ctl, "--pgdata", data, "--log", self.home / "log", "-t", START_SECONDS_MAX, "-o", options, "start")
        self.connection = psycopg.connect(host=str(self.home), user="peers", dbname="postgres", autocommit=True)
        version = self.connection.info.server_version
        self.version = f"PostgreSQL {version // 10000}.{version % 10000}"

    def run(self, *command) -> None:
        """Runs a command as the server's user; what it says counts only when it fails."""
        whole = [*self.user, *map(str, command)]
        done = subprocess.run(whole, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]}: {done.stderr.strip()}")

    def load(self, prepared: Path, question: dict) -> None:
        """Tables by COPY, then indexes and statistics."""
        for table in ("listings", "observations"):
            frame = pl.read_parquet(prepared / f"{table}.parquet")
            columns = ", ".join(f"{name} {TYPES[kind.base_type()]}" for name, kind in frame.schema.items())
            with self.connection.cursor() as cursor:
                cursor.execute(f"CREATE UNLOGGED TABLE {table} ({columns})")
                with cursor.copy(f"COPY {table} FROM STDIN (FORMAT csv)") as copy:
                    for rows in frame.iter_slices(COPY_ROWS):
                        copy.write(rows.write_csv(include_header=False))
        with self.connection.cursor() as cursor:
            # A utility statement takes no bound parameters: the client writes the day into it.
            psycopg.ClientCursor(self.connection).execute(OFFERS, {"priced_from": question["priced_from"]})
            cursor.execute(INDEXES)
            cursor.execute("VACUUM ANALYZE")

    def queries(self, question: dict) -> dict:
        """Each question as a call that returns its rows."""
        shelf = dict(zip(("low", "high"), question["shelf"])) | {"country": question["country"]}
        page = dict(zip(("low", "high"), question["page"])) | {"country": question["country"]}
        page["rows"] = question["page_rows"] + 1
        days = {name: datetime.date.fromisoformat(question[name]) for name in ("from", "to", "monday")}
        window = shelf | days
        product = {"country": question["country"], "entity": question["entity"], "offers": question["offers_max"] + 1}

        def run(sql: str, parameters: dict, bounds: list[int] = question["shelf"], prepare: bool = True):
            text = sql.replace("{shelf}", shelf_is(bounds))
            return lambda: self.connection.execute(text, parameters, prepare=prepare).fetchall()

        def plan(sql: str, parameters: dict):
            """A long query, for which a plan that knows its parameters is worth its millisecond."""
            return run(sql, parameters, prepare=False)

        return {
            "best price": run(BEST_PRICE, product),
            "page at 0": run(PAGE, page | {"offset": 0}, question["page"]),
            "page at 1,000": run(PAGE, page | {"offset": question["deep_offset"]}, question["page"]),
            "share of shelf": run(SHARE, shelf),
            "inflation": plan(INFLATION, window),
            "retailer index": plan(INDEX, window | {"platform": question["platform"]}),
            "price bands": run(BANDS, shelf),
            "promo": plan(PROMO, window),
        }

    def close(self) -> None:
        self.connection.close()
        self.run(*self.stop)
        shutil.rmtree(self.home)


def answer(name: str, rows: list[tuple], question: dict) -> dict:
    """Rows in the form of answers.py."""
    return answers.QUESTIONS[name](rows, question)
