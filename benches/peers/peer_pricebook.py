"""pricebook itself, asked over a socket on loopback, and its JSON in the form that answers are compared in.

A request is written and its body read with bare socket calls on one kept connection, so that little more than the
server and the kernel is measured.
"""

import json
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import urlencode

READY_SECONDS_MAX = 60


class Peer:
    """A server on a free port, and one connection to it."""

    def __init__(self, binary: Path, snapshots: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        listen = f"127.0.0.1:{port}"
        # Nobody pays and nobody is counted: the seven runs are one client's.
        command = [binary, "serve", "--snapshots", snapshots, "--listen", listen, "--rate", "0", "--payments", "off"]
        self.log = (snapshots / "serve.log").open("w+")
        self.server = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        self.socket = self.connect(port)
        version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True)
        self.version = version.stdout.strip()

    def connect(self, port: int) -> socket.socket:
        """A connection, once the server listens."""
        deadline = time.monotonic() + READY_SECONDS_MAX
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection
            except OSError:
                if self.server.poll() is not None or time.monotonic() > deadline:
                    self.log.seek(0)
                    raise RuntimeError(f"the server did not start: {self.log.read()}") from None
                time.sleep(0.05)

    def load(self, _prepared: Path, _question: dict) -> None:
        """The snapshot is loaded already."""

    def get(self, path: str, parameters: dict):
        """A call that sends a request and returns the bytes of its body."""
        request = f"GET {path}?{urlencode(parameters)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

        def call() -> bytes:
            self.socket.sendall(request)
            received = bytearray()
            while (split := received.find(b"\r\n\r\n")) < 0:
                received += self.receive()
            head = bytes(received[:split]).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            while len(received) < split + 4 + length:
                received += self.receive()
            body = bytes(received[split + 4 :])
            if not head.startswith(b"http/1.1 200"):
                raise RuntimeError(f"{request.decode().splitlines()[0]}: {body.decode()}")
            return body

        return call

    def receive(self) -> bytes:
        """What has arrived; an error when the server hung up."""
        part = self.socket.recv(1 << 20)
        if not part:
            raise RuntimeError("the server closed the connection")
        return part

    def queries(self, question: dict) -> dict:
        """Each question as a call that returns its body."""
        country = {"country": question["country_key"]}
        shelf = {"category": question["shelf_slug"]} | country
        page = {"category": question["page_slug"], "limit": question["page_rows"]} | country
        window = shelf | {"from": question["from"], "to": question["to"]}
        product = {"entity_uid": question["entity_uid"], "limit": question["offers_max"]} | country
        landscape = "/v1/marketing/competitive-landscape"
        return {
            "best price": self.get("/v1/shopper/best-price", product | {"strict": "true"}),
            "page at 0": self.get(landscape, page),
            "page at 1,000": self.get(landscape, page | {"cursor": question["deep_offset"]}),
            "share of shelf": self.get("/v1/marketing/share-of-shelf", shelf),
            "inflation": self.get("/v1/analyst/inflation", window | {"granularity": "weekly"}),
            "retailer index": self.get("/v1/analyst/retailer-index", window | {"retailer": question["retailer"]}),
            # One window over all of it.
            "price index": self.get(
                "/v1/analyst/price-index", window | {"granularity": "weekly", "window_periods": 61}
            ),
            "price bands": self.get("/v1/analyst/price-bands", {"node": shelf["category"]} | country),
            "promo": self.get("/v1/marketing/promo-intelligence", window),
        }

    def close(self) -> None:
        self.socket.close()
        self.server.terminate()
        self.server.wait()
        self.log.close()


def instant(text: str | None) -> str | None:
    """An instant as the peers print it."""
    return None if text is None else text.replace("T", " ").removesuffix("Z").split(".")[0]


def observed(answer: dict) -> dict:
    """Oldest and newest observation behind an answer."""
    meta = answer["meta"]
    return {f"observed_{end}": instant(meta[f"price_observed_at_{end}"]) for end in ("min", "max")}


def best_price(answer: dict) -> dict:
    """Offers; what only the best one carries is compared for that one."""
    fields = "product_uid product_name retailer price in_stock condition observed_at".split()
    offers = [answer["best_price"] | {"observed_at": answer["best_price"]["scraped_at"]}, *answer["other_prices"]]
    shown = [{name: offer[name] for name in fields} for offer in offers]
    for offer, row in zip(offers, shown):
        row["observed_at"] = instant(row["observed_at"])
        row |= pack(offer)
    resolved, best = answer["resolved_product"], answer["best_price"]
    shown[0] |= {name: resolved[name] for name in ("product_id", "brand", "gtin")}
    shown[0] |= {"list_price": best["list_price"], "discount_pct": best["savings_pct"]}
    shown[0] |= {"members": answer["member_count"], "gpc_code": code(answer["gpc"])}
    shown[0]["match_suspect_reasons"] = " ".join(answer["match_suspect_reasons"]) or None
    return {"offers": shown, "retailers": answer["retailers_compared"]}


def pack(row: dict) -> dict:
    """The pack of an offer."""
    pack = row["pack"] or {}
    return {f"pack_{name}": pack.get(name) for name in ("count", "quantity", "unit")}


def code(gpc: dict | None) -> str | None:
    """The code of a product type."""
    return gpc and gpc["code"]


def page(answer: dict) -> dict:
    """Items of a page."""
    names = "product_uid entity_uid product_id product_name brand retailer price list_price discount_pct".split()
    names += "review_count in_stock condition".split()
    items = [
        {name: item[name] for name in names}
        | {"rating": item["star_rating"], "promo": item["promo_flag"], "observed_at": instant(item["observed_at"])}
        | {"linked": item["match_type"] == "entity", "gpc_code": code(item["gpc"])}
        | pack(item)
        for item in answer["items"]
    ]
    return {"items": items, "has_more": answer["has_more"]}


def share_of_shelf(answer: dict) -> dict:
    """Brands of a shelf."""
    brands = [
        {"brand": row["brand"], "products": row["product_count"], "share_pct": row["share_pct"]}
        for row in answer["brands"]
    ]
    return {"brands": brands, **observed(answer)}


POINT = {
    "date": "date",
    "products": "product_count",
    "observations": "observation_count",
    "average_price": "avg_price",
    "lowest_price": "min_price",
    "highest_price": "max_price",
    "median_price": "median_price",
    "in_stock": "in_stock_count",
    "promoted": "promo_count",
    "matched": "matched_basket_size",
    "change_pct": "change_pct",
}


def inflation(answer: dict) -> dict:
    """Points and the like-for-like block."""
    plain = "matched rising falling stable trimmed match_rate periods change_pct median_pct arithmetic_pct".split()
    low, high = answer["lfl_ci95_pct"] or (None, None)
    block = {name: answer[f"lfl_{name}"] for name in plain} | {"low_pct": low, "high_pct": high}
    return {
        "points": [{ours: point[theirs] for ours, theirs in POINT.items()} for point in answer["time_series"]],
        "overall_change_pct": answer["overall_change_pct"],
        "naive_change_pct": answer["naive_overall_change_pct"],
        "like_for_like": block,
        **observed(answer),
    }


def retailer_index(answer: dict) -> dict:
    """Points by day."""
    names = {
        "date": "date",
        "products": "product_count",
        "retailer_price": "retailer_avg_price",
        "shelf_price": "category_avg_price",
        "price_index": "price_index",
        "stable_price": "stable_avg_price",
        "matched_index": "matched_index",
        "matched_pairs": "matched_pairs",
    }
    points = [{ours: point[theirs] for ours, theirs in names.items()} for point in answer["time_series"]]
    return {"points": points, "stable_products": answer["stable_basket_size"]}


def price_index(answer: dict) -> dict:
    """Points of the panel, and all four methods."""
    points = []
    for point in answer["time_series"]:
        if point["index"] is not None:
            low, high = point["ci95"] or (None, None)
            names = {"date": point["date"], "products": point["product_count"], "price_index": point["index"]}
            points.append(names | {"low_index": low, "high_index": high})
    names = {"chained": "jevons_chained", "fixed": "jevons_fixed", "geks": "geks_jevons", "tpd": "tpd"}
    last = {f"{ours}_index": answer["methods"][theirs] for ours, theirs in names.items()}
    return {"points": points, "outliers": answer["panel"]["outliers"], **last}


def price_bands(answer: dict) -> dict:
    """Spread, band and tiers."""
    prices, band, tiers = answer["price_range"], answer["band"], answer["tiers"]
    return {
        "products": answer["products"],
        "low_price": prices["p05"],
        "median_price": prices["median"],
        "high_price": prices["p95"],
        "half_width_pct": band["half_width_pct"],
        "lower_price": band["example"]["lower"],
        "upper_price": band["example"]["upper"],
        "edge_price": [tier["upper_bound"] for tier in tiers[:-1]],
        "tiers": [tier["products"] for tier in tiers],
        **observed(answer),
    }


def promo(answer: dict) -> dict:
    """Promotions by brand."""
    names = {
        "brand": "brand",
        "total": "total_observations",
        "promotional": "promo_observations",
        "frequency_pct": "promo_frequency_pct",
        "depth_pct": "avg_promo_depth_pct",
        "deepest_pct": "max_promo_depth_pct",
        "suspect": "suspect_list_prices",
    }
    brands = [{ours: row[theirs] for ours, theirs in names.items()} for row in answer["brands"]]
    return {"brands": brands, **observed(answer)}


def answer(name: str, body: bytes, _question: dict) -> dict:
    """A body in the form of answers.py."""
    forms = {
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
    return forms[name](json.loads(body))
