"""The tables that every peer loads, made once from the tables that `pricebook export` wrote.

Peers get them as a careful user would keep them: in shelf order, words that are grouped by as small integers, and on
every observation the attributes of its listing that questions select by (a join saved, and sort keys made possible).
"""

import argparse
from pathlib import Path

import polars as pl

COUNTRIES = ["ca", "us"]
CONDITIONS = ["new", "refurbished", "used", "unknown"]
# Order in which offers are compared: new or unknown, then refurbished, then used.
CONDITION_RANKS = [0, 1, 2, 0]


def code(words: list[str], column: str, dtype=pl.Int16) -> pl.Expr:
    """The place of a word in a list."""
    return pl.col(column).replace_strict(words, range(len(words)), return_dtype=dtype)


def listings(tables: Path) -> pl.DataFrame:
    """Listings with codes beside their words; `members` are the listings of the entity in the country."""
    frame = pl.read_parquet(tables / "listings", hive_partitioning=False)
    retailers = frame["retailer"].unique().sort().to_list()
    brands = frame["brand"].drop_nulls().unique().sort().to_list()
    signed = ["listing", "entity", "category", "review_count", "pack_count"]
    return frame.with_columns(pl.col(signed).cast(pl.Int32)).with_columns(
        code(COUNTRIES, "country").alias("country"),
        code(retailers, "retailer").alias("platform"),
        code(brands, "brand", pl.Int32).alias("brand_id"),
        code(CONDITIONS, "condition").alias("condition_id"),
        pl.col("condition").replace_strict(CONDITIONS, CONDITION_RANKS, return_dtype=pl.Int16).alias("condition_rank"),
        pl.len().over("country", "entity").cast(pl.Int32).alias("members"),
    )


def observations(tables: Path, listings: pl.DataFrame) -> pl.LazyFrame:
    """Observations in the order of their listings, which is that of the shelves."""
    keys = ["listing", "country", "category", "platform", "brand_id", "condition_id", "entity"]
    frame = pl.scan_parquet(tables / "observations", hive_partitioning=False)
    cents = [pl.col(f"{name}_cents").cast(pl.Int32).alias(name) for name in ("price", "list_price")]
    rows = frame.select(pl.col("listing").cast(pl.Int32), "day", *cents, "in_stock", "promo")
    return rows.join(listings.lazy().select(keys), on="listing", how="left", maintain_order="left")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, required=True, help="what pricebook export wrote")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    frame = listings(args.tables)
    frame.write_parquet(args.out / "listings.parquet")
    observations(args.tables, frame).sink_parquet(args.out / "observations.parquet", maintain_order=True)


if __name__ == "__main__":
    main()
