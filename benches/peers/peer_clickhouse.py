"""ClickHouse, in process through chdb, on MergeTree tables whose sort keys are what questions select by."""

import json
from pathlib import Path

import chdb
from chdb import session

import answers

LISTINGS = """
CREATE TABLE listings
(
    listing Int32, country Int16, category Int32, platform Int16, condition_id Int16, condition_rank Int16,
    entity Int32, members Int32, brand_id Nullable(Int32), brand LowCardinality(Nullable(String)),
    retailer LowCardinality(String), condition LowCardinality(String), product_uid String, entity_uid String,
    product_id String, product_name String, gtin Nullable(String), gpc_code LowCardinality(Nullable(String)),
    match_suspect_reasons LowCardinality(Nullable(String)), rating Nullable(Float64), review_count Nullable(Int32),
    pack_count Nullable(Int32), pack_quantity Nullable(Float64), pack_unit LowCardinality(Nullable(String)),
    observed_at Nullable(DateTime64(6, 'UTC'))
)
ENGINE = MergeTree ORDER BY (country, category, listing)
"""

OBSERVATIONS = """
CREATE TABLE observations
(
    listing Int32, day Date, price Int32, list_price Nullable(Int32), in_stock Nullable(Bool), promo Bool,
    country Int16, category Int32, platform Int16, brand_id Nullable(Int32), condition_id Int16, entity Int32
)
ENGINE = MergeTree ORDER BY (country, category, listing, day)
"""

FILL = """
INSERT INTO {table} ({columns}) SELECT {columns} FROM file('{prepared}/{table}.parquet', Parquet)
"""

BRANDS = """
CREATE TABLE brands ENGINE = MergeTree ORDER BY brand_id
AS SELECT DISTINCT assumeNotNull(brand_id) AS brand_id, brand FROM listings WHERE brand IS NOT NULL
"""

# The second order is for the question about one product.
OFFERS = """
CREATE TABLE offers
ENGINE = MergeTree ORDER BY (country, category, price, product_uid)
AS WITH latest AS (
    SELECT listing, max(day) AS last_day, argMax(price, day) AS price, argMax(tuple(list_price), day).1 AS list_price,
           argMax(tuple(in_stock), day).1 AS in_stock, argMax(promo, day) AS promo
    FROM observations GROUP BY listing
)
SELECT listings.*, last_day, price, list_price, in_stock, promo,
       if(list_price > price AND list_price <= 5 * toInt64(price),
          100 * (list_price - price) / list_price, NULL) AS discount_pct
FROM listings INNER JOIN latest USING (listing)
WHERE last_day >= toDate('{priced_from}')
"""

BY_ENTITY = """
CREATE TABLE offers_by_entity ENGINE = MergeTree ORDER BY (country, entity) AS SELECT * FROM offers
"""

ITEM = """
product_uid, entity_uid, product_id, product_name, brand, retailer, price, list_price, discount_pct, rating,
review_count, promo, in_stock, condition, members, observed_at, gtin, gpc_code, pack_count, pack_quantity, pack_unit,
match_suspect_reasons
"""

BEST_PRICE = f"""
SELECT {ITEM} FROM offers_by_entity
WHERE country = {{country}} AND entity = {{entity}}
ORDER BY condition_rank, coalesce(NOT in_stock, false), price, product_uid
LIMIT {{offers}}
"""

PAGE = f"""
SELECT {ITEM} FROM offers
WHERE country = {{country}} AND {{shelf}}
ORDER BY price, product_uid
LIMIT {{rows}} OFFSET {{offset}}
"""

SHARE = """
SELECT brand, count() AS products, sum(count()) OVER (), min(min(observed_at)) OVER (), max(max(observed_at)) OVER ()
FROM offers
WHERE country = {country} AND {shelf} AND brand IS NOT NULL
GROUP BY brand
ORDER BY products DESC, brand
"""

INFLATION = """
WITH cells AS MATERIALIZED (
    SELECT listing, intDiv(day - toDate('{monday}'), 7) AS week, sum(price) AS total, toInt64(count()) AS days,
           argMax(coalesce(in_stock, false), day) AS in_stock, argMax(promo, day) AS promo,
           min(day) AS first_day, max(day) AS last_day
    FROM observations
    WHERE country = {country} AND {shelf} AND day >= toDate('{from}') AND day < toDate('{to}')
    GROUP BY listing, week
),
points AS MATERIALIZED (
    SELECT week, row_number() OVER (ORDER BY week) AS place, count() AS products, sum(days) AS observations,
           avg(total / days) AS average, min(total / days) AS lowest, max(total / days) AS highest,
           quantileExactInclusive(0.5)(total / days) AS median, countIf(in_stock) AS in_stock,
           countIf(promo) AS promoted, min(first_day) AS first_day, max(last_day) AS last_day
    FROM cells GROUP BY week
),
weeks AS (
    SELECT points.week AS week, before.week AS week_before
    FROM points INNER JOIN points AS before ON before.place = points.place - 1
),
later AS (SELECT listing, week, week_before, total, days FROM cells INNER JOIN weeks USING (week)),
changes AS (
    SELECT later.week AS week, count() AS matched,
           exp(avg(log(later.total * earlier.days / (earlier.total * later.days)))) AS factor
    FROM later INNER JOIN cells AS earlier ON earlier.listing = later.listing AND earlier.week = later.week_before
    GROUP BY week
),
ends AS MATERIALIZED (
    SELECT if(n < 2, (SELECT min(week) FROM points), first) AS first_week,
           if(n < 2, (SELECT max(week) FROM points), last) AS last_week
    FROM (
        SELECT count() AS n, min(week) AS first, max(week) AS last FROM points
        WHERE products >= (SELECT quantileExactInclusive(0.5)(products) / 2 FROM points)
    )
),
relatives AS (
    SELECT later.total * earlier.days AS num, earlier.total * later.days AS den,
           num <= 2 * den AND 2 * num >= den AS keep
    FROM (SELECT * FROM cells WHERE week = (SELECT first_week FROM ends)) AS earlier
    INNER JOIN (SELECT * FROM cells WHERE week = (SELECT last_week FROM ends)) AS later
    ON later.listing = earlier.listing
),
like_for_like AS (
    SELECT count() AS lfl_matched, countIf(100 * num > 101 * den) AS rising, countIf(100 * num < 99 * den) AS falling,
           countIf(keep) AS kept, avgIf(log(num / den), keep) AS log_mean,
           stddevSampStableIf(log(num / den), keep) AS log_deviation,
           quantileExactInclusiveIf(0.5)(num / den, keep) AS relative_median, avgIf(num / den, keep) AS relative_mean
    FROM relatives
)
SELECT points.week, products, observations, average, lowest, highest, median, in_stock, promoted, first_day, last_day,
       changes.matched, changes.factor, (SELECT first_week FROM ends), (SELECT last_week FROM ends),
       (SELECT products FROM points WHERE week = (SELECT first_week FROM ends)), like_for_like.*
FROM points LEFT JOIN changes ON changes.week = points.week CROSS JOIN like_for_like
ORDER BY points.week
"""

INDEX = """
WITH shelf AS (
    SELECT listing, day, price, platform, entity, condition_id FROM observations
    WHERE country = {country} AND {shelf} AND day >= toDate('{from}') AND day < toDate('{to}')
),
daily AS MATERIALIZED (
    SELECT day, countIf(platform = {platform}) AS products, avgIf(price, platform = {platform}) AS own_average,
           avg(price) AS all_average
    FROM shelf GROUP BY day HAVING products > 0
),
stable AS MATERIALIZED (
    SELECT listing FROM shelf WHERE platform = {platform}
    GROUP BY listing HAVING count() = (SELECT count() FROM daily)
),
stable_daily AS (
    SELECT day, avg(price) AS stable_average FROM shelf
    WHERE platform = {platform} AND listing IN (SELECT listing FROM stable) GROUP BY day
),
shared AS (
    SELECT entity FROM listings
    WHERE country = {country} AND {shelf} AND condition_id = 0 AND members > 1
    GROUP BY entity HAVING countIf(platform = {platform}) > 0 AND uniqExact(platform) > 1
),
lowest AS (
    SELECT entity, day, platform = {platform} AS own, log(min(price)) AS log FROM shelf
    WHERE condition_id = 0 AND entity IN (SELECT entity FROM shared)
    GROUP BY entity, day, platform
),
ratios AS (
    SELECT day, maxIf(log, own) - avgIf(log, NOT own) AS log FROM lowest
    GROUP BY entity, day HAVING countIf(own) > 0 AND countIf(NOT own) > 0
),
matched AS (
    SELECT day, exp(avg(log)) AS matched_index, count() AS matched_pairs
    FROM ratios WHERE abs(log) <= log(3) + 1e-12 GROUP BY day
)
SELECT day, products, own_average, all_average, (SELECT count() FROM stable), stable_average, matched_index,
       matched_pairs
FROM daily LEFT JOIN stable_daily USING (day) LEFT JOIN matched USING (day)
ORDER BY day
"""

BANDS = """
WITH shelf AS (
    SELECT price, log(price) AS x, observed_at FROM offers
    WHERE country = {country} AND {shelf} AND condition_id = 0
),
(SELECT quantilesExactInclusive(0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95, 0.25, 0.75)(x) FROM shelf) AS q
SELECT count(), q[1], q[2], q[3], q[4], q[5], q[6], q[7], quantileExactInclusive(0.5)(abs(x - q[4])), q[9] - q[8],
       countIf(price <= round(exp(q[2]))), countIf(price <= round(exp(q[3]))), countIf(price <= round(exp(q[5]))),
       countIf(price <= round(exp(q[6]))), min(observed_at), max(observed_at)
FROM shelf
"""

PROMO = """
WITH tallies AS (
    SELECT brand_id, count() AS total, countIf(promo) AS promotional,
           countIf(list_price > 5 * toInt64(price)) AS suspects,
           avgIf(100 * (list_price - price) / list_price,
                 list_price > price AND list_price <= 5 * toInt64(price)) AS depth,
           maxIf(100 * (list_price - price) / list_price,
                 list_price > price AND list_price <= 5 * toInt64(price)) AS deepest,
           min(day) AS first_day, max(day) AS last_day
    FROM observations
    WHERE country = {country} AND {shelf} AND brand_id IS NOT NULL AND day >= toDate('{from}') AND day < toDate('{to}')
    GROUP BY brand_id
)
SELECT brand, tallies.* EXCEPT (brand_id) FROM tallies INNER JOIN brands ON brands.brand_id = tallies.brand_id
ORDER BY total DESC, brand
LIMIT 200
"""


def shelf_is(bounds: list[int]) -> str:
    """The condition on the category; equality, where it is one leaf, lets the sort key give the order."""
    low, high = bounds
    return f"category = {low}" if low == high else f"category BETWEEN {low} AND {high}"


class Peer:
    """A chdb session with its data in a directory."""

    def __init__(self, work: Path, threads: int) -> None:
        self.session = session.Session(str(work / "data"))
        self.version = f"ClickHouse {chdb.engine_version}"
        for setting in (
            f"max_threads = {threads}",
            # A common table that is read twice is computed once.
            "enable_materialized_cte = 1",
            # What a join does not find is null, as the standard has it.
            "join_use_nulls = 1",
            "output_format_json_quote_64bit_integers = 0",
        ):
            self.session.query(f"SET {setting}")

    def load(self, prepared: Path, question: dict) -> None:
        """Tables from Parquet, each merged into one part."""
        query = self.session.query
        for table, schema in {"listings": LISTINGS, "observations": OBSERVATIONS}.items():
            query(schema)
            described = json.loads(query(f"DESCRIBE TABLE {table}", "JSON").bytes())["data"]
            columns = ", ".join(column["name"] for column in described)
            query(FILL.format(table=table, columns=columns, prepared=prepared))
        for statement in (BRANDS, OFFERS, BY_ENTITY):
            query(statement.format(priced_from=question["priced_from"]))
        for table in ("listings", "observations", "offers", "offers_by_entity"):
            query(f"OPTIMIZE TABLE {table} FINAL")

    def queries(self, question: dict) -> dict:
        """Each question as a call that returns the bytes of its rows."""
        page = question | {"rows": question["page_rows"] + 1}
        product = question | {"offers": question["offers_max"] + 1}

        def run(sql: str, values: dict, bounds: list[int] = question["shelf"]):
            text = sql.format(**values | {"shelf": shelf_is(bounds)})
            return lambda: self.session.query(text, "JSONCompact").bytes()

        return {
            "best price": run(BEST_PRICE, product),
            "page at 0": run(PAGE, page | {"offset": 0}, question["page"]),
            "page at 1,000": run(PAGE, page | {"offset": question["deep_offset"]}, question["page"]),
            "share of shelf": run(SHARE, question),
            "inflation": run(INFLATION, question),
            "retailer index": run(INDEX, question),
            "price bands": run(BANDS, question),
            "promo": run(PROMO, question),
        }

    def close(self) -> None:
        self.session.close()


def answer(name: str, body: bytes, question: dict) -> dict:
    """A body in the form of answers.py."""
    return answers.QUESTIONS[name](json.loads(body)["data"], question)
