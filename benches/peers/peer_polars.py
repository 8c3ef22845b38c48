"""Polars, in process, on frames in memory; a shelf is a slice of a frame that is sorted by it, found by bisection."""

import datetime
import math
from pathlib import Path

import numpy
import polars as pl
from polars import col

import answers
import index_numbers

ITEM = answers.ITEM
OBSERVED = "listing day price list_price in_stock promo platform brand_id condition_id entity".split()
# Products of a period that an index looks at.
PRODUCTS_MIN = 10
# Country and category as one number, so that one sorted column finds a shelf.
PLACES = 1 << 24


def place() -> pl.Expr:
    return (col("country").cast(pl.Int32) * PLACES + col("category")).alias("place")


def believed() -> pl.Expr:
    return (col("list_price") > col("price")) & (col("list_price") <= 5 * col("price").cast(pl.Int64))


def depth() -> pl.Expr:
    return 100 * (col("list_price") - col("price")) / col("list_price")


class Peer:
    """Frames in memory."""

    def __init__(self, _work: Path, threads: int) -> None:
        if pl.thread_pool_size() != threads:
            raise RuntimeError(f"Polars runs on {pl.thread_pool_size()} threads; set POLARS_MAX_THREADS")
        self.version = f"Polars {pl.__version__}"

    def load(self, prepared: Path, question: dict) -> None:
        """Reads the tables and derives the offers."""
        listings = pl.read_parquet(prepared / "listings.parquet")
        observations = pl.read_parquet(prepared / "observations.parquet")
        last = ["last_day", "price", "list_price", "in_stock", "promo"]
        latest = observations.rename({"day": "last_day"}).group_by("listing", maintain_order=True).last()
        offers = listings.join(latest.select("listing", *last), on="listing")
        offers = offers.filter(col("last_day") >= datetime.date.fromisoformat(question["priced_from"]))
        offers = offers.with_columns(place(), pl.when(believed()).then(depth()).alias("discount_pct"))
        self.offers = offers.sort("place", "price", "product_uid")
        self.by_entity = offers.with_columns(col("entity").cast(pl.Int32)).sort("entity")
        self.listings = listings.with_columns(place()).sort("place")
        self.observations = observations.select(place(), *OBSERVED).with_columns(col("place").set_sorted())
        self.brands = listings.select("brand_id", "brand").drop_nulls().unique()

    def shelf(self, frame: pl.DataFrame, question: dict, bounds: str = "shelf") -> pl.LazyFrame:
        """The rows of a shelf."""
        low, high = (question["country"] * PLACES + category for category in question[bounds])
        start = frame["place"].search_sorted(low, side="left")
        end = frame["place"].search_sorted(high, side="right")
        return frame.slice(start, end - start).lazy()

    def window(self, question: dict) -> pl.LazyFrame:
        """The observations of the shelf in the window."""
        first, end = (datetime.date.fromisoformat(question[name]) for name in ("from", "to"))
        return self.shelf(self.observations, question).filter((col("day") >= first) & (col("day") < end))

    def best_price(self, question: dict) -> pl.DataFrame:
        entity = self.by_entity["entity"]
        start = entity.search_sorted(question["entity"], side="left")
        end = entity.search_sorted(question["entity"], side="right")
        offers = self.by_entity.slice(start, end - start).lazy().filter(col("country") == question["country"])
        out = (~col("in_stock")).fill_null(False)
        offers = offers.sort("condition_rank", out, "price", "product_uid")
        return offers.head(question["offers_max"] + 1).select(ITEM).collect()

    def page(self, question: dict, offset: int) -> pl.DataFrame:
        offers = self.shelf(self.offers, question, "page")
        # One leaf is in price order already.
        if question["page"][0] != question["page"][1]:
            wanted = offset + question["page_rows"] + 1
            offers = offers.select(ITEM).bottom_k(wanted, by=["price", "product_uid"]).sort("price", "product_uid")
        return offers.slice(offset, question["page_rows"] + 1).select(ITEM).collect()

    def share(self, question: dict) -> pl.DataFrame:
        offers = self.shelf(self.offers, question).filter(col("brand").is_not_null())
        first, last = col("observed_at").min().alias("first"), col("observed_at").max().alias("last")
        brands = offers.group_by("brand").agg(pl.len().cast(pl.Int64).alias("products"), first, last)
        shown = ["brand", "products", col("products").sum().alias("total"), col("first").min(), col("last").max()]
        return brands.sort(["products", "brand"], descending=[True, False]).select(shown).collect()

    def inflation(self, question: dict) -> pl.DataFrame:
        monday = datetime.date.fromisoformat(question["monday"])
        week = ((col("day") - pl.lit(monday)).dt.total_days() // 7).cast(pl.Int32).alias("week")
        # Rows of a listing are in the order of their days, so that the last of a week is its last day.
        cells = (
            self.window(question)
            .group_by("listing", week)
            .agg(
                col("price").cast(pl.Int64).sum().alias("total"),
                pl.len().cast(pl.Int64).alias("days"),
                col("in_stock").last().fill_null(False),
                col("promo").last(),
                col("day").first().alias("first_day"),
                col("day").last().alias("last_day"),
            )
        )
        cells = cells.with_columns((col("total") / col("days")).alias("mean")).collect()
        points = (
            cells.lazy()
            .group_by("week")
            .agg(
                pl.len().cast(pl.Int64).alias("products"),
                col("days").sum().alias("observations"),
                col("mean").mean().alias("average"),
                col("mean").min().alias("lowest"),
                col("mean").max().alias("highest"),
                col("mean").median().alias("median"),
                col("in_stock").sum().cast(pl.Int64),
                col("promo").sum().cast(pl.Int64).alias("promoted"),
                col("first_day").min(),
                col("last_day").max(),
            )
        )
        points = points.sort("week").collect()
        full = points.filter(col("products") >= col("products").median() / 2)
        full = points if full.height < 2 else full
        first_week, last_week = full["week"][0], full["week"][-1]
        first_products = points.filter(col("week") == first_week)["products"][0]
        figures = (first_week, last_week, first_products, *self.like_for_like(cells, first_week, last_week))
        block = map(pl.lit, figures)
        return points.join(self.changes(cells, points), on="week", how="left", maintain_order="left").select(
            pl.all(), *(figure.alias(f"block_{at}") for at, figure in enumerate(block))
        )

    @staticmethod
    def changes(cells: pl.DataFrame, points: pl.DataFrame) -> pl.DataFrame:
        """Matched products and their geometric mean change from each week to the one before it."""
        weeks = points.select("week", col("week").shift(1).alias("before")).lazy().drop_nulls()
        later = cells.lazy().select("listing", "week", "total", "days").join(weeks, on="week")
        earlier = cells.lazy().select("listing", "week", "total", "days")
        both = later.join(earlier, left_on=["listing", "before"], right_on=["listing", "week"], suffix="_before")
        relative = col("total") * col("days_before") / (col("total_before") * col("days"))
        matched = pl.len().cast(pl.Int64).alias("matched")
        return both.group_by("week").agg(matched, relative.log().mean().exp().alias("factor")).collect()

    @staticmethod
    def like_for_like(cells: pl.DataFrame, first_week: int, last_week: int) -> tuple:
        """The figures of the matched basket."""
        ends = [cells.lazy().filter(col("week") == week) for week in (first_week, last_week)]
        both = (
            ends[0]
            .join(ends[1], on="listing", suffix="_last")
            .select((col("total_last") * col("days")).alias("num"), (col("total") * col("days_last")).alias("den"))
        )
        both = both.with_columns((col("num") / col("den")).alias("relative"))
        kept = (col("num") <= 2 * col("den")) & (2 * col("num") >= col("den"))
        relative, log = col("relative").filter(kept), col("relative").log().filter(kept)
        figures = {
            "matched": pl.len().cast(pl.Int64),
            "rising": (100 * col("num") > 101 * col("den")).sum().cast(pl.Int64),
            "falling": (100 * col("num") < 99 * col("den")).sum().cast(pl.Int64),
            "kept": kept.sum().cast(pl.Int64),
            "log_mean": log.mean(),
            "log_deviation": log.std(),
            "relative_median": relative.median(),
            "relative_mean": relative.mean(),
        }
        return both.select(figure.alias(f"lfl_{name}") for name, figure in figures.items()).collect().row(0)

    def retailer_index(self, question: dict) -> pl.DataFrame:
        own = col("platform") == question["platform"]
        shelf = self.window(question).select("listing", "day", "price", "platform", "entity", "condition_id")
        daily = shelf.group_by("day").agg(
            own.sum().cast(pl.Int64).alias("products"),
            col("price").filter(own).mean().alias("own_average"),
            col("price").mean().alias("all_average"),
        )
        daily = daily.filter(col("products") > 0).sort("day").collect()
        counted = shelf.filter(own).with_columns(pl.len().over("listing").alias("observed"))
        stable = (
            counted.filter(col("observed") == daily.height)
            .group_by("day")
            .agg(pl.len().cast(pl.Int64).alias("stable_products"), col("price").mean().alias("stable_average"))
        )
        new = col("condition_id") == 0
        listings = self.shelf(self.listings, question).filter(new & (col("members") > 1))
        shared = listings.group_by("entity").agg(own.any().alias("own"), col("platform").n_unique().alias("several"))
        shared = shared.filter(col("own") & (col("several") > 1)).select("entity")
        lowest = shelf.filter(new).join(shared, on="entity", how="semi")
        lowest = lowest.group_by("entity", "day", "platform").agg(col("price").min().log().alias("log"))
        level = col("log").filter(own).first() - col("log").filter(~own).mean()
        ratios = lowest.group_by("entity", "day").agg(level.alias("log"))
        matched = (
            ratios.filter(col("log").abs() <= math.log(3) + 1e-12)
            .group_by("day")
            .agg(col("log").mean().exp().alias("matched_index"), pl.len().cast(pl.Int64).alias("matched_pairs"))
        )
        whole = daily.lazy().join(stable, on="day", how="left").join(matched, on="day", how="left")
        return (
            whole.sort("day")
            .select(
                "day",
                "products",
                "own_average",
                "all_average",
                "stable_products",
                "stable_average",
                "matched_index",
                "matched_pairs",
            )
            .collect()
        )

    def price_index(self, question: dict) -> pl.DataFrame:
        monday = datetime.date.fromisoformat(question["monday"])
        week = ((col("day") - pl.lit(monday)).dt.total_days() // 7).cast(pl.Int32).alias("week")
        cells = self.window(question).group_by("listing", week).agg(col("price").mean().log().alias("x"))
        off = (col("x") - col("x").median().over("listing")).abs()
        cells = cells.with_columns((off > math.log(3) + 1e-12).alias("is_error")).collect()
        uids = self.shelf(self.listings, question).select("listing", "product_uid").collect()
        kept = cells.filter(~col("is_error")).join(uids, on="listing")
        panel = kept.pivot(on="week", index="product_uid", values="x").sort("product_uid")
        weeks = sorted(int(name) for name in panel.columns[1:])
        x = panel.select(map(str, weeks)).to_numpy()
        counts = (~numpy.isnan(x)).sum(axis=0)
        full = counts >= PRODUCTS_MIN
        first = numpy.flatnonzero(full & (2 * counts >= numpy.median(counts[full])))[0]
        at = [place for place in numpy.flatnonzero(full) if place >= first]
        logs, half = index_numbers.geks_with_interval(x[:, at])
        return pl.DataFrame(
            {
                "week": [weeks[place] for place in at],
                "products": counts[at],
                "index": numpy.exp(logs),
                "low": numpy.exp(logs - half),
                "high": numpy.exp(logs + half),
            }
        ).with_columns(
            pl.lit(int(cells["is_error"].sum())).alias("outliers"),
            *(pl.lit(math.exp(last)).alias(name) for name, last in index_numbers.last_of_each(x[:, at]).items()),
        )

    def price_bands(self, question: dict) -> pl.DataFrame:
        shelf = self.shelf(self.offers, question).filter(col("condition_id") == 0)
        shelf = shelf.select("price", "observed_at", col("price").log().alias("x"))
        level = lambda p: col("x").quantile(p, "linear")
        edges = [col("price").le(level(p).exp().round()).sum().cast(pl.Int64) for p in (0.2, 0.4, 0.6, 0.8)]
        figures = [pl.len().cast(pl.Int64), *map(level, (0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95))]
        figures += [(col("x") - level(0.5)).abs().median(), level(0.75) - level(0.25), *edges]
        figures += [col("observed_at").min(), col("observed_at").max()]
        return shelf.select(figure.alias(str(at)) for at, figure in enumerate(figures)).collect()

    def promo(self, question: dict) -> pl.DataFrame:
        shelf = self.window(question).filter(col("brand_id").is_not_null())
        tallies = shelf.group_by("brand_id").agg(
            pl.len().cast(pl.Int64).alias("total"),
            col("promo").sum().cast(pl.Int64).alias("promotional"),
            (col("list_price") > 5 * col("price").cast(pl.Int64)).sum().cast(pl.Int64).alias("suspect"),
            depth().filter(believed()).mean().alias("depth"),
            depth().filter(believed()).max().alias("deepest"),
            col("day").min().alias("first_day"),
            col("day").max().alias("last_day"),
        )
        named = tallies.join(self.brands.lazy(), on="brand_id").drop("brand_id").select("brand", pl.exclude("brand"))
        return named.sort(["total", "brand"], descending=[True, False]).head(200).collect()

    def queries(self, question: dict) -> dict:
        """Each question as a call that returns its frame."""
        return {
            "best price": lambda: self.best_price(question),
            "page at 0": lambda: self.page(question, 0),
            "page at 1,000": lambda: self.page(question, question["deep_offset"]),
            "share of shelf": lambda: self.share(question),
            "inflation": lambda: self.inflation(question),
            "retailer index": lambda: self.retailer_index(question),
            "price index": lambda: self.price_index(question),
            "price bands": lambda: self.price_bands(question),
            "promo": lambda: self.promo(question),
        }

    def close(self) -> None:
        """Nothing is held outside the process."""


def answer(name: str, frame: pl.DataFrame, question: dict) -> dict:
    """A frame in the form of answers.py."""
    return answers.QUESTIONS[name](frame.rows(), question)
