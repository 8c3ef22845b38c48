"""DuckDB, in process, on a database file in its own compressed format, tables in the order that questions select by."""

import itertools
from pathlib import Path

import duckdb

import answers

OFFERS = """
CREATE TABLE offers AS
WITH latest AS (
    SELECT listing, max(day) AS last_day, arg_max(price, day) AS price,
           arg_max({'cents': list_price}, day).cents AS list_price,
           arg_max({'yes': in_stock}, day).yes AS in_stock, arg_max(promo, day) AS promo
    FROM observations GROUP BY listing
)
SELECT listings.*, latest.* EXCLUDE listing,
       CASE WHEN list_price > price AND list_price <= 5 * price
            THEN 100.0 * (list_price - price) / list_price END AS discount_pct
FROM listings JOIN latest USING (listing)
WHERE last_day >= $priced_from::DATE
ORDER BY country, category, price, product_uid
"""

ITEM = """
product_uid, entity_uid, product_id, product_name, brand, retailer, price, list_price, discount_pct, rating,
review_count, promo, in_stock, condition, members, observed_at, gtin, gpc_code, pack_count, pack_quantity, pack_unit,
match_suspect_reasons
"""

BEST_PRICE = f"""
SELECT {ITEM} FROM offers
WHERE country = $country AND entity = $entity
ORDER BY condition_rank, coalesce(NOT in_stock, false), price, product_uid
LIMIT $offers
"""

PAGE = f"""
SELECT {ITEM} FROM offers
WHERE country = $country AND category BETWEEN $low AND $high
ORDER BY price, product_uid
LIMIT $rows OFFSET $offset
"""

SHARE = """
SELECT brand, count(*) AS products, (sum(count(*)) OVER ())::BIGINT,
       min(min(observed_at)) OVER (), max(max(observed_at)) OVER ()
FROM offers
WHERE country = $country AND category BETWEEN $low AND $high AND brand IS NOT NULL
GROUP BY brand
ORDER BY products DESC, brand
"""

INFLATION = """
WITH cells AS MATERIALIZED (
    SELECT listing, (day - $monday::DATE) // 7 AS week, sum(price)::BIGINT AS total, count(*) AS days,
           arg_max(coalesce(in_stock, false), day) AS in_stock, arg_max(promo, day) AS promo,
           min(day) AS first_day, max(day) AS last_day
    FROM observations
    WHERE country = $country AND category BETWEEN $low AND $high AND day >= $from::DATE AND day < $to::DATE
    GROUP BY ALL
),
points AS MATERIALIZED (
    SELECT week, row_number() OVER (ORDER BY week) AS place, count(*) AS products, sum(days)::BIGINT AS observations,
           avg(total / days) AS average, min(total / days) AS lowest, max(total / days) AS highest,
           median(total / days) AS median, count(*) FILTER (in_stock) AS in_stock,
           count(*) FILTER (promo) AS promoted, min(first_day) AS first_day, max(last_day) AS last_day
    FROM cells GROUP BY week
),
changes AS (
    SELECT later.week, count(*) AS matched,
           exp(avg(ln(later.total * earlier.days / (earlier.total * later.days)))) AS factor
    FROM points
    JOIN points AS before ON before.place = points.place - 1
    JOIN cells AS later ON later.week = points.week
    JOIN cells AS earlier ON earlier.week = before.week AND earlier.listing = later.listing
    GROUP BY later.week
),
full_weeks AS (
    SELECT count(*) AS n, min(week) AS first, max(week) AS last FROM points
    WHERE products >= (SELECT median(products) / 2 FROM points)
),
ends AS (
    SELECT if(n < 2, (SELECT min(week) FROM points), first) AS first_week,
           if(n < 2, (SELECT max(week) FROM points), last) AS last_week
    FROM full_weeks
),
relatives AS (
    SELECT later.total * earlier.days AS num, earlier.total * later.days AS den
    FROM ends
    JOIN cells AS earlier ON earlier.week = first_week
    JOIN cells AS later ON later.week = last_week AND later.listing = earlier.listing
),
like_for_like AS (
    SELECT count(*), count(*) FILTER (100 * num > 101 * den), count(*) FILTER (100 * num < 99 * den),
           count(*) FILTER (num <= 2 * den AND 2 * num >= den),
           avg(ln(num / den)) FILTER (num <= 2 * den AND 2 * num >= den),
           stddev_samp(ln(num / den)) FILTER (num <= 2 * den AND 2 * num >= den),
           median(num / den) FILTER (num <= 2 * den AND 2 * num >= den),
           avg(num / den) FILTER (num <= 2 * den AND 2 * num >= den)
    FROM relatives
)
SELECT points.* EXCLUDE place, changes.* EXCLUDE week, first_week, last_week,
       (SELECT products FROM points WHERE week = first_week), like_for_like.*
FROM points LEFT JOIN changes USING (week) CROSS JOIN ends CROSS JOIN like_for_like
ORDER BY week
"""

INDEX = """
WITH shelf AS MATERIALIZED (
    SELECT listing, day, price, platform, entity, condition_id FROM observations
    WHERE country = $country AND category BETWEEN $low AND $high AND day >= $from::DATE AND day < $to::DATE
),
daily AS MATERIALIZED (
    SELECT day, count(*) FILTER (platform = $platform) AS products,
           avg(price) FILTER (platform = $platform) AS own_average, avg(price) AS all_average
    FROM shelf GROUP BY day HAVING products > 0
),
stable AS MATERIALIZED (
    SELECT listing FROM shelf WHERE platform = $platform
    GROUP BY listing HAVING count(*) = (SELECT count(*) FROM daily)
),
stable_daily AS (SELECT day, avg(price) AS stable_average FROM shelf SEMI JOIN stable USING (listing) GROUP BY day),
shared AS (
    SELECT entity FROM listings
    WHERE country = $country AND category BETWEEN $low AND $high AND condition_id = 0 AND members > 1
    GROUP BY entity HAVING bool_or(platform = $platform) AND count(DISTINCT platform) > 1
),
lowest AS (
    SELECT entity, day, platform, ln(min(price)) AS log FROM shelf SEMI JOIN shared USING (entity)
    WHERE condition_id = 0 GROUP BY ALL
),
ratios AS (
    SELECT day, max(log) FILTER (platform = $platform) - avg(log) FILTER (platform <> $platform) AS log
    FROM lowest GROUP BY entity, day
),
matched AS (
    SELECT day, exp(avg(log)) AS matched_index, count(*) AS matched_pairs
    FROM ratios WHERE abs(log) <= ln(3) + 1e-12 GROUP BY day
)
SELECT day, products, own_average, all_average, (SELECT count(*) FROM stable), stable_average, matched_index,
       matched_pairs
FROM daily LEFT JOIN stable_daily USING (day) LEFT JOIN matched USING (day)
ORDER BY day
"""

BANDS = """
WITH shelf AS MATERIALIZED (
    SELECT price, ln(price) AS x, observed_at FROM offers
    WHERE country = $country AND category BETWEEN $low AND $high AND condition_id = 0
),
levels AS MATERIALIZED (
    SELECT count(*) AS n, quantile_cont(x, [0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95, 0.25, 0.75]) AS q,
           min(observed_at) AS first, max(observed_at) AS last
    FROM shelf
)
SELECT any_value(n), any_value(q[1]), any_value(q[2]), any_value(q[3]), any_value(q[4]), any_value(q[5]),
       any_value(q[6]), any_value(q[7]), median(abs(x - q[4])), any_value(q[9] - q[8]),
       count(*) FILTER (price <= round(exp(q[2]))), count(*) FILTER (price <= round(exp(q[3]))),
       count(*) FILTER (price <= round(exp(q[5]))), count(*) FILTER (price <= round(exp(q[6]))),
       any_value(first), any_value(last)
FROM shelf CROSS JOIN levels
"""

PROMO = """
WITH shelf AS (
    SELECT brand_id, promo, day, price, list_price,
           list_price > price AND list_price <= 5 * price AS believed, list_price > 5 * price AS suspect
    FROM observations
    WHERE country = $country AND category BETWEEN $low AND $high AND brand_id IS NOT NULL
      AND day >= $from::DATE AND day < $to::DATE
),
tallies AS (
    SELECT brand_id, count(*) AS total, count(*) FILTER (promo) AS promotional, count(*) FILTER (suspect) AS suspects,
           avg(100.0 * (list_price - price) / list_price) FILTER (believed) AS depth,
           max(100.0 * (list_price - price) / list_price) FILTER (believed) AS deepest,
           min(day) AS first_day, max(day) AS last_day
    FROM shelf GROUP BY brand_id
)
SELECT brand, tallies.* EXCLUDE brand_id FROM tallies JOIN brands USING (brand_id)
ORDER BY total DESC, brand
LIMIT 200
"""


class Peer:
    """A DuckDB database file and a connection to it."""

    def __init__(self, work: Path, threads: int) -> None:
        self.connection = duckdb.connect(str(work / "peers.duckdb"))
        self.connection.execute(f"SET threads = {threads}")
        self.version = f"DuckDB {duckdb.__version__}"

    def load(self, prepared: Path, question: dict) -> None:
        """Tables from Parquet; the file order is the sort order."""
        execute = self.connection.execute
        for table in ("listings", "observations"):
            execute(f"CREATE TABLE {table} AS FROM read_parquet('{prepared / table}.parquet')")
        execute("CREATE TABLE brands AS SELECT DISTINCT brand_id, brand FROM listings WHERE brand IS NOT NULL")
        execute(OFFERS, {"priced_from": question["priced_from"]})
        execute("CREATE INDEX offers_by_entity ON offers (entity)")
        execute("CHECKPOINT")
        execute("ANALYZE")

    def queries(self, question: dict) -> dict:
        """Each question as a call that returns its rows."""
        shelf = dict(zip(("low", "high"), question["shelf"])) | {"country": question["country"]}
        page = dict(zip(("low", "high"), question["page"])) | {"country": question["country"]}
        page["rows"] = question["page_rows"] + 1
        window = shelf | {"from": question["from"], "to": question["to"]}
        product = {"country": question["country"], "entity": question["entity"], "offers": question["offers_max"] + 1}
        numbers = itertools.count()

        def run(sql: str, parameters: dict):
            """A prepared statement: planned once where DuckDB can."""
            name = f"question_{next(numbers)}"
            self.connection.execute(f"PREPARE {name} AS {sql}")
            arguments = ", ".join(f'"{key}" := {value!r}' for key, value in parameters.items())
            return lambda: self.connection.execute(f"EXECUTE {name}({arguments})").fetchall()

        return {
            "best price": run(BEST_PRICE, product),
            "page at 0": run(PAGE, page | {"offset": 0}),
            "page at 1,000": run(PAGE, page | {"offset": question["deep_offset"]}),
            "share of shelf": run(SHARE, shelf),
            "inflation": run(INFLATION, window | {"monday": question["monday"]}),
            "retailer index": run(INDEX, window | {"platform": question["platform"]}),
            "price bands": run(BANDS, shelf),
            "promo": run(PROMO, window),
        }

    def close(self) -> None:
        self.connection.close()


def answer(name: str, rows: list[tuple], question: dict) -> dict:
    """Rows in the form of answers.py."""
    return answers.QUESTIONS[name](rows, question)
