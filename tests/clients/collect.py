"""Asks running servers whatever the clients have to be able to read, and writes what came back, a line for each.

Every request of the golden answers and every example of the document is asked; every error is provoked that can be, and
the others are made from their schemas, so that no code of the document is left out.
"""

import argparse
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from document import JSON, PROBLEM_JSON, Document, path_of

ASK = "/v1/shopper/best-price?q=tofu&country=ca"
# Answers with the document, for which no client has types.
OWN_PATH = "/openapi.json"
TARGET_BYTES = 4096
ASKED_UNTIL_LIMITED = 10
# What takes two requests at one instant, an old ledger or a broken server.
NOT_PROVOKED = {"PAYMENT_IN_PROGRESS", "ANSWER_EXPIRED", "INTERNAL", "UNAVAILABLE"}


class Collector:
    """Answers, with where they come from."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.entries: list[dict[str, Any]] = []

    def add(self, origin: str, request: str, status: int, media: str, body: Any) -> None:
        """Takes an answer down; one that is no JSON is none that the clients read."""
        path = path_of(request)
        is_problem = status >= 400
        code = body.get("error", body)["code"] if is_problem else None
        described = self.document.response(path, status)
        # A refusal of a path that is not in the document is described among the components alone.
        response = None
        if described is None or media not in described.get("content", {}):
            (response,) = [name for name, other in self.document.codes().items() if other == code]
        entry = {"origin": origin, "request": request, "path": path, "status": status, "media": media}
        self.entries.append({**entry, "code": code, "response": response, "body": body})

    def ask(self, origin: str, http: httpx.Client, request: str, expected: int, **how: Any) -> None:
        """Asks a server and takes its answer down."""
        answer = http.request(how.pop("method", "GET"), request, **how)
        if answer.status_code != expected:
            raise SystemExit(f"{origin}: {request} is answered {answer.status_code}, not {expected}: {answer.text}")
        self.add(origin, request, expected, answer.headers["content-type"].split(";")[0], answer.json())


def ask_golden(collector: Collector, free: httpx.Client, golden: Path) -> None:
    """Every request of the golden answers."""
    for line in golden.read_text().splitlines():
        entry = json.loads(line)
        request = entry["request"]
        if request.endswith("&quote=true"):
            # The document names the other way to the same quote.
            request = "/v1/public/quote?request=" + quote(request.removesuffix("&quote=true"), safe="")
        collector.ask("golden", free, request, entry["status"])


def ask_examples(collector: Collector, free: httpx.Client) -> None:
    """Every request that the document has as an example, and every answer that it shows."""
    seen = set()
    for path, operation in collector.document.operations():
        if path == OWN_PATH:
            continue
        for request in operation.get("x-example-requests", []):
            collector.ask("example", free, request, 200)
        for status, response in operation["responses"].items():
            for media, content in collector.document.follow(response).get("content", {}).items():
                for shown in examples_of(collector.document, content) if media in (JSON, PROBLEM_JSON) else []:
                    # Operations share most of their refusals.
                    key = json.dumps([content["schema"], shown])
                    if key not in seen:
                        seen.add(key)
                        collector.add("document", path, int(status), media, shown)


def examples_of(document: Document, content: dict[str, Any]) -> list[Any]:
    """The values of a media type's examples."""
    named = [document.follow(example)["value"] for example in content.get("examples", {}).values()]
    return named + ([content["example"]] if "example" in content else [])


def provoke(collector: Collector, free: httpx.Client, sandbox: httpx.Client, limited: httpx.Client) -> None:
    """Every error that a client can bring about."""
    collector.ask("error", free, "/v1/shopper/best-price?limit=0", 400)
    collector.ask("error", free, "/v1/public/coverage?limit=none", 400)
    collector.ask("error", sandbox, ASK, 402)
    collector.ask("error", sandbox, ASK, 402, headers={"payment-signature": "e30="})
    collector.ask("error", free, "/v1/nothing", 404)
    collector.ask("error", free, "/v1/shopper/best-price?q=zzzzqqqq", 404)
    collector.ask("error", free, "/v1/shopper/best-price?q=tofu&country=ca&retailer=nobody", 404)
    collector.ask("error", free, "/v1/social/topic-trends", 404)
    collector.ask("error", free, ASK, 405, method="POST")
    collector.ask("error", free, f"/v1/shopper/best-price?q={'a' * TARGET_BYTES}", 414)
    if "NOT_ACCEPTABLE" in collector.document.codes().values():
        collector.ask("error", free, ASK, 406, headers={"accept": "image/png"})
    for _ in range(ASKED_UNTIL_LIMITED):
        if limited.get("/v1/public/retailers").status_code == 429:
            break
    collector.ask("error", limited, "/v1/public/retailers", 429)


def construct(collector: Collector) -> None:
    """The errors that were not provoked, as their schemas have them."""
    seen = {entry["code"] for entry in collector.entries if entry["origin"] != "document"}
    for name, code in collector.document.codes().items():
        if code not in seen:
            if code not in NOT_PROVOKED:
                raise SystemExit(f"{code} was not provoked: say in collect.py how it is")
            content = collector.document.root["components"]["responses"][name]["content"][PROBLEM_JSON]
            shown = examples_of(collector.document, content)
            body = shown[0] if shown else collector.document.constructed(content["schema"])
            collector.add("constructed", ASK, body["status"], PROBLEM_JSON, body)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--document", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--golden", type=Path, nargs="+", required=True)
    for name in ("--free", "--sandbox", "--limited"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    collector = Collector(Document(args.document))
    free, sandbox, limited = (httpx.Client(base_url=url, timeout=60) for url in (args.free, args.sandbox, args.limited))
    for golden in args.golden:
        ask_golden(collector, free, golden)
    ask_examples(collector, free)
    provoke(collector, free, sandbox, limited)
    construct(collector)
    args.out.write_text("".join(json.dumps(entry) + "\n" for entry in collector.entries))
    counts = {origin: 0 for origin in ("golden", "example", "document", "error", "constructed")}
    for entry in collector.entries:
        counts[entry["origin"]] += 1
    print(", ".join(f"{count} {origin}" for origin, count in counts.items()))


main()
