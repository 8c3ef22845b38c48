"""One form for everybody's answers, and what makes two of them the same.

Peers return rows; the functions here give them names and do the arithmetic on a handful of figures that a client
would do (a quotient, a chain of nine weekly changes, the labels of two weeks). Nothing here loops over listings or
observations. Figures stay unrounded; the server's are rounded, so the two may differ by half of its last digit.

The name of a figure says what it is: `*price` is money, `*_pct` a percentage (both with two decimals), `*_index` and
`*_rate` a ratio (four). All other fields must be equal.
"""

import datetime
import math

MATCHED_MIN = 10
HALF_DIGITS = {"price": 0.005, "_pct": 0.005, "_index": 0.00005, "_rate": 0.00005}
# For the binary fractions on both sides.
SLACK = 1e-9

ITEM = (
    "product_uid entity_uid product_id product_name brand retailer price list_price discount_pct rating review_count"
    " promo in_stock condition members observed_at gtin gpc_code pack_count pack_quantity pack_unit"
    " match_suspect_reasons"
).split()
BEST_ONLY = "product_id brand gtin list_price discount_pct members gpc_code match_suspect_reasons".split()
SHARE = "brand products total observed_min observed_max".split()
PROMO = "brand total promotional suspect depth_pct deepest_pct first_day last_day".split()
POINT = (
    "week products observations average lowest highest median in_stock promoted first_day last_day matched factor"
).split()
LIKE_FOR_LIKE = (
    "first_week last_week first_products lfl_matched rising falling kept log_mean log_deviation relative_median"
    " relative_mean"
).split()
INDEX = ("day products own_average all_average stable_products stable_average matched_index matched_pairs").split()
PRICE_INDEX = "week products index low high outliers chained fixed geks tpd".split()
BANDS = (
    "products p05 p20 p40 median p60 p80 p95 deviation quartiles upto_20 upto_40 upto_60 upto_80 observed_min"
    " observed_max"
).split()


def records(names: list[str], rows) -> list[dict]:
    """Rows as dictionaries; a wrong number of columns is an error."""
    return [dict(zip(names, row, strict=True)) for row in rows]


def money(cents) -> float | None:
    """Cents in currency."""
    return None if cents is None or math.isnan(cents) else float(cents) / 100


def instant(value) -> str | None:
    """An instant or day as text without its zone."""
    return None if value is None else str(value).replace("T", " ").removesuffix("Z").split(".")[0]


def item(row: dict) -> dict:
    """An offer as the answers show it."""
    truth = {name: None if row[name] is None else bool(row[name]) for name in ("promo", "in_stock")}
    cents = {"price": money(row["price"]), "list_price": money(row["list_price"])}
    return row | truth | cents | {"observed_at": instant(row["observed_at"])}


def best_price(rows, _question) -> dict:
    """Offers of one product, the best first; some fields are told of the best one only."""
    offers = [item(row) for row in records(ITEM, rows)]
    for offer in offers:
        del offer["rating"], offer["review_count"], offer["promo"], offer["entity_uid"]
    for offer in offers[1:]:
        for name in BEST_ONLY:
            del offer[name]
    return {"offers": offers, "retailers": len({offer["retailer"] for offer in offers})}


def page(rows, question) -> dict:
    """A page; one row more than it shows was asked for."""
    items = [item(row) for row in records(ITEM, rows)]
    for row in items:
        row["linked"] = row["members"] > 1
        del row["members"], row["gtin"], row["match_suspect_reasons"]
    return {"items": items[: question["page_rows"]], "has_more": len(items) > question["page_rows"]}


def share_of_shelf(rows, _question) -> dict:
    """Every brand of the shelf."""
    shares = records(SHARE, rows)
    brands = [
        {"brand": row["brand"], "products": row["products"], "share_pct": 100 * row["products"] / row["total"]}
        for row in shares
    ]
    return {"brands": brands, **observed(shares[0]["observed_min"], shares[0]["observed_max"])}


def observed(first, last) -> dict:
    """Oldest and newest observation behind an answer."""
    return {"observed_min": instant(first), "observed_max": instant(last)}


def promo(rows, _question) -> dict:
    """Promotions by brand."""
    brands = records(PROMO, rows)
    first = min(str(row.pop("first_day")) for row in brands)
    last = max(str(row.pop("last_day")) for row in brands)
    for row in brands:
        row["frequency_pct"] = 100 * row["promotional"] / row["total"]
        row["depth_pct"], row["deepest_pct"] = (number(row[name]) for name in ("depth_pct", "deepest_pct"))
    return {"brands": brands, **observed(f"{first} 00:00:00", f"{last} 00:00:00")}


def number(value) -> float | None:
    """A figure, or none."""
    return None if value is None or math.isnan(value) else float(value)


def inflation(rows, question) -> dict:
    """Points by week, and the like-for-like block, which every row repeats."""
    rows = records(POINT + LIKE_FOR_LIKE, rows)
    monday = datetime.date.fromisoformat(question["monday"])
    start = datetime.date.fromisoformat(question["from"])
    dates = [max(start, monday + datetime.timedelta(days=7 * row["week"])) for row in rows]
    points, chained, all_matched = [], 1.0, True
    for at, row in enumerate(rows):
        factor, matched = None, at > 0 and (row["matched"] or 0)
        if at:
            all_matched &= matched >= MATCHED_MIN
            factor = row["factor"] if matched >= MATCHED_MIN else row["average"] / rows[at - 1]["average"]
            chained *= factor
        points.append(
            {
                "date": dates[at].isoformat(),
                "products": row["products"],
                "observations": row["observations"],
                "average_price": money(row["average"]),
                "lowest_price": money(row["lowest"]),
                "highest_price": money(row["highest"]),
                "median_price": money(row["median"]),
                "in_stock": row["in_stock"],
                "promoted": row["promoted"],
                "matched": matched if at else None,
                "change_pct": 100 * (factor - 1) if at else None,
            }
        )
    several = len(rows) > 1
    naive = 100 * (rows[-1]["average"] / rows[0]["average"] - 1) if several else None
    days = [str(day) for row in rows for day in (row["first_day"], row["last_day"])]
    return {
        "points": points,
        "overall_change_pct": 100 * (chained - 1) if several and all_matched else None,
        "naive_change_pct": naive,
        "like_for_like": like_for_like(rows[0], dict(zip((row["week"] for row in rows), dates))),
        **observed(f"{min(days)} 00:00:00", f"{max(days)} 00:00:00"),
    }


def like_for_like(row: dict, dates: dict) -> dict:
    """The change of the products priced in the first and the last full week."""
    matched, kept = row["lfl_matched"], row["kept"]
    block = {
        "matched": matched,
        "rising": row["rising"],
        "falling": row["falling"],
        "stable": matched - row["rising"] - row["falling"],
        "trimmed": matched - kept,
        "match_rate": matched / row["first_products"],
        "periods": [label(dates[row[week]]) for week in ("first_week", "last_week")],
    }
    if matched < MATCHED_MIN or kept < MATCHED_MIN:
        names = ("change_pct", "low_pct", "high_pct", "median_pct", "arithmetic_pct")
        return block | dict.fromkeys(names)
    mean, margin = row["log_mean"], 1.96 * row["log_deviation"] / math.sqrt(kept)
    return block | {
        "change_pct": 100 * math.expm1(mean),
        "low_pct": 100 * math.expm1(mean - margin),
        "high_pct": 100 * math.expm1(mean + margin),
        "median_pct": 100 * (row["relative_median"] - 1),
        "arithmetic_pct": 100 * (row["relative_mean"] - 1),
    }


def label(day: datetime.date) -> str:
    """The ISO week of a day."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"


def retailer_index(rows, _question) -> dict:
    """One retailer against its shelf, by day."""
    rows = records(INDEX, rows)
    several = len(rows) > 1
    points = [
        {
            "date": str(row["day"]),
            "products": row["products"],
            "retailer_price": money(row["own_average"]),
            "shelf_price": money(row["all_average"]),
            "price_index": float(row["own_average"]) / float(row["all_average"]),
            "stable_price": money(row["stable_average"]) if several and row["stable_products"] else None,
            "matched_index": number(row["matched_index"]) if (row["matched_pairs"] or 0) >= MATCHED_MIN else None,
            "matched_pairs": row["matched_pairs"] or 0,
        }
        for row in rows
    ]
    return {"points": points, "stable_products": (rows[0]["stable_products"] or 0) if several else None}


def price_index(rows, question) -> dict:
    """Points by week with their interval, and the last of each method, which every row repeats."""
    rows = records(PRICE_INDEX, rows)
    monday = datetime.date.fromisoformat(question["monday"])
    start = datetime.date.fromisoformat(question["from"])
    points = [
        {
            "date": max(start, monday + datetime.timedelta(days=7 * row["week"])).isoformat(),
            "products": row["products"],
            "price_index": row["index"],
            "low_index": number(row["low"]),
            "high_index": number(row["high"]),
        }
        for row in rows
    ]
    last = {f"{method}_index": rows[0][method] for method in ("chained", "fixed", "geks", "tpd")}
    return {"points": points, "outliers": rows[0]["outliers"], **last}


def price_bands(rows, _question) -> dict:
    """Spread, band and tiers, from quantiles of ln cents and the products up to each edge."""
    row = records(BANDS, rows)[0]
    price = {name: math.exp(row[name]) for name in ("p05", "p20", "p40", "median", "p60", "p80", "p95")}
    deviation = 1.4826 * row["deviation"] or row["quartiles"] / 1.349
    width = min(max(100 * (math.exp(0.5 * deviation) - 1), 5.0), 100.0)
    edges, below = [], 0
    for name in ("20", "40", "60", "80"):
        if row[f"upto_{name}"] > below:
            edges.append((round(price[f"p{name}"]), row[f"upto_{name}"]))
            below = row[f"upto_{name}"]
    if below == row["products"]:
        edges.pop()
    counts = [0] + [upto for _, upto in edges] + [row["products"]]
    factor = 1 + width / 100
    return {
        "products": row["products"],
        "low_price": money(price["p05"]),
        "median_price": money(price["median"]),
        "high_price": money(price["p95"]),
        "half_width_pct": width,
        "lower_price": money(price["median"] / factor),
        "upper_price": money(price["median"] * factor),
        "edge_price": [money(edge) for edge, _ in edges],
        "tiers": [after - before for before, after in zip(counts, counts[1:])],
        **observed(row["observed_min"], row["observed_max"]),
    }


QUESTIONS = {
    "best price": best_price,
    "page at 0": page,
    "page at 1,000": page,
    "share of shelf": share_of_shelf,
    "inflation": inflation,
    "retailer index": retailer_index,
    "price index": price_index,
    "price bands": price_bands,
    "promo": promo,
}


def differences(ours, theirs, name: str = "") -> list[str]:
    """Where two answers differ, as a path and both values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = ours.keys() | theirs.keys()
        parts = ((ours.get(key, "absent"), theirs.get(key, "absent"), f"{name}.{key}") for key in sorted(keys))
        return [fault for part in parts for fault in differences(*part)]
    if isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return [f"{name} has {len(ours)} rows here and {len(theirs)} there"]
        parts = ((a, b, f"{name}[{at}]") for at, (a, b) in enumerate(zip(ours, theirs)))
        return [fault for part in parts for fault in differences(*part)]
    return [] if same(name, ours, theirs) else [f"{name} is {ours!r} here and {theirs!r} there"]


def same(name: str, ours, theirs) -> bool:
    """Whether two values say the same."""
    half = next((half for suffix, half in HALF_DIGITS.items() if name.rstrip("[0123456789]").endswith(suffix)), 0)
    both = (int, float)
    if isinstance(ours, bool) or isinstance(theirs, bool) or not isinstance(ours, both) or not isinstance(theirs, both):
        return ours == theirs
    return abs(ours - theirs) <= half + SLACK * max(1.0, abs(ours))
