"""Which product, shelf, retailer and days are asked about: chosen from the data, the same for everybody.

The shelf is the leaf category with most priced listings; the pages come from it too or, where it holds too few for
offset 1,000, from the nearest category above that holds enough, or else the largest root. The retailer is the one with
most observations on the shelf and the product the one with most retailers, both of the same country.
"""

import argparse
import datetime
import json
import sys
from pathlib import Path

import polars as pl

from tables import COUNTRIES

PRICED_DAYS = 90
PAGE_ROWS = 20
DEEP_OFFSET = 1000
OFFERS_MAX = 50


def choose(tables: Path, prepared: Path, days: int) -> dict:
    """The one set of questions for this data."""
    categories = pl.read_parquet(tables / "categories.parquet").to_dicts()
    listings = pl.read_parquet(prepared / "listings.parquet")
    observations = pl.scan_parquet(prepared / "observations.parquet")
    as_of = observations.select(pl.col("day").max()).collect().item() + datetime.timedelta(days=1)
    seen = observations.group_by("listing").agg(pl.col("day").max().alias("last"), pl.len().alias("observed"))
    listings = listings.join(seen.collect(), on="listing")
    priced = listings.filter(pl.col("last") >= as_of - datetime.timedelta(days=PRICED_DAYS))

    leaves = [node["category"] for node in categories if node["category"] == node["last"]]
    shelves = priced.filter(pl.col("category").is_in(leaves)).group_by("country", "category")
    shelf = shelves.len().sort(-pl.col("len").cast(pl.Int64), "country", "category").row(0, named=True)
    country, node = shelf["country"], categories[shelf["category"]]
    home = priced.filter(pl.col("country") == country)

    page = node
    while count(home, page) <= DEEP_OFFSET + PAGE_ROWS and page["parent"] is not None:
        page = categories[page["parent"]]
    if count(home, page) <= DEEP_OFFSET + PAGE_ROWS:
        page = max((node for node in categories if node["parent"] is None), key=lambda root: count(home, root))
    if count(home, page) <= DEEP_OFFSET:
        print(f"no category holds {DEEP_OFFSET} listings: the page there is empty", file=sys.stderr)

    on_shelf = home.filter(pl.col("category") == node["category"])
    retailer = on_shelf.group_by("retailer", "platform").agg(pl.col("observed").sum())
    retailer = retailer.sort(-pl.col("observed").cast(pl.Int64), "retailer").row(0, named=True)
    products = home.group_by("entity", "entity_uid").agg(pl.col("retailer").n_unique().alias("retailers"))
    product = products.sort(-pl.col("retailers").cast(pl.Int64), "entity").row(0, named=True)
    start = as_of - datetime.timedelta(days=days)
    return {
        "country": country,
        "country_key": COUNTRIES[country],
        "as_of": as_of.isoformat(),
        "priced_from": (as_of - datetime.timedelta(days=PRICED_DAYS)).isoformat(),
        "from": start.isoformat(),
        "to": as_of.isoformat(),
        # Weeks are counted from the Monday on or before the first day.
        "monday": (start - datetime.timedelta(days=start.weekday())).isoformat(),
        "entity": product["entity"],
        "entity_uid": product["entity_uid"],
        "offers_max": OFFERS_MAX,
        "shelf": [node["category"], node["last"]],
        "shelf_slug": node["slug"],
        "page": [page["category"], page["last"]],
        "page_slug": page["slug"],
        "page_rows": PAGE_ROWS,
        "deep_offset": DEEP_OFFSET,
        "platform": retailer["platform"],
        "retailer": retailer["retailer"],
        "size": {
            "listings": listings.height,
            "observations": int(listings["observed"].sum()),
            "shelf_listings": count(home, node),
            "shelf_observations": int(on_shelf["observed"].sum()),
            "page_listings": count(home, page),
        },
    }


def count(listings: pl.DataFrame, node: dict) -> int:
    """Listings in a category with everything below it."""
    return listings.filter(pl.col("category").is_between(node["category"], node["last"])).height


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, required=True, help="what pricebook export wrote")
    parser.add_argument("--prepared", type=Path, required=True, help="what tables.py wrote")
    parser.add_argument("--days", type=int, required=True, help="length of the windows")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.write_text(json.dumps(choose(args.tables, args.prepared, args.days), indent=1) + "\n")


if __name__ == "__main__":
    main()
