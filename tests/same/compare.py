"""Sends the same requests to two servers and compares status, headers and body of every answer, then the documents that
derive from the route table: OpenAPI, reference, forms, discovery and the tools of MCP.

Usage: compare.py BEFORE_URL AFTER_URL REQUESTS SEED. Values of parameters are drawn from the OpenAPI document and from
answers of the first server. Fields that the clock decides are left out of the comparison."""
import collections
import difflib
import http.client
import json
import random
import re
import sys
import urllib.parse

before, after, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
draw = random.Random(seed)
CLOCK = re.compile(rb'"(computed_at|freshness_seconds)":("[^"]*"|[0-9]+)')
# The address of a file of the pages follows from the content of all of them.
CLOCK_OF_PAGES = re.compile(rb"(?<=/assets/)[0-9a-f]{16}|\d{4}-\d\d-\d\dT[\d:]+\.\d+Z|(?<=freshness seconds</a></dt><dd>)\d+")
HEADERS = ("content-type", "etag", "cache-control", "link", "vary")
ACCEPTS = ["application/json"] * 12 + ["text/csv", "application/x-ndjson", "image/png"]


# How often a parameter is given that need not be.
SHARES = {"country": 0.95, "category": 0.6, "from": 0.03, "to": 0.03}


class Server:
    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=120)

    def get(self, target, accept="application/json"):
        self.connection.request("GET", target, headers={"Accept": accept, "X-Request-Id": "same"})
        answer = self.connection.getresponse()
        body = CLOCK.sub(rb'"\1":0', answer.read())
        return answer.status, [answer.headers.get(name) for name in HEADERS], body

    def document(self, target):
        """A document without the server's own address and its clock."""
        if target == "/mcp":
            message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            self.connection.request("POST", target, message, headers)
        else:
            self.connection.request("GET", target, headers={"X-Request-Id": "same"})
        answer = self.connection.getresponse()
        address = f"{self.connection.host}:{self.connection.port}".encode()
        body = CLOCK.sub(rb'"\1":0', answer.read().replace(address, b"ADDRESS"))
        return answer.status, CLOCK_OF_PAGES.sub(b"CLOCK", body)


first, second = Server(before), Server(after)


def ask(target):
    status, _, body = first.get(target)
    return json.loads(body) if status == 200 else {}


def values_of(answer, names):
    """All strings in an answer under one of these names."""
    if isinstance(answer, dict):
        for name, value in answer.items():
            if name in names and isinstance(value, str):
                yield value
            yield from values_of(value, names)
    elif isinstance(answer, list):
        for value in answer:
            yield from values_of(value, names)


document = ask("/openapi.json")
pools = {}
for country in ("us", "ca"):
    pool = pools[country] = collections.defaultdict(set)
    for page in ("categories?limit=1000&", "retailers?", "brands?limit=1000&", "coverage?limit=1000&"):
        answer = ask(f"/v1/public/{page}country={country}")
        pool["category"] |= set(values_of(answer, {"slug", "category", "gpc_code"}))
        pool["department"] |= set(values_of(answer, {"department", "category_root"}))
        pool["retailer"] |= set(values_of(answer, {"retailer", "platform"}))
        pool["brand"] |= set(values_of(answer, {"brand"}))
    for category in sorted(pool["category"])[:60]:
        for page in ("shopper/deal-finder", "marketing/competitive-landscape", "analyst/price-change-leaders"):
            scope = urllib.parse.urlencode({"category": category, "country": country, "limit": 50})
            answer = ask(f"/v1/{page}?{scope}")
            pool["product_uid"] |= set(values_of(answer, {"product_uid"}))
            pool["entity_uid"] |= set(values_of(answer, {"entity_uid"}))
            pool["q"] |= set(values_of(answer, {"product_name"}))
    pools[country] = {name: sorted(values) for name, values in pool.items() if values}
everyday = ["milk", "red wine", "gaming mouse", "tofu", "toilet paper", "lait", "graphics card", "ketchup", "4k monitor",
            "headphones", "eau gazeuse", "ddr4 16gb", "usb c cable", "brocoli", "rhum", "nintendo switch", "under $5 tea"]


def misspelled(text):
    words = text.split()
    draw.shuffle(words)
    words = words[: draw.randint(1, 6)]
    at = draw.randrange(len(words)) if words else 0
    if words and len(words[at]) > 3:
        cut = draw.randrange(len(words[at]))
        words[at] = words[at][:cut] + words[at][cut + 1 :]
    return " ".join(words) or "x"


def resolved(schema):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def value(parameter, country):
    name, pool, schema = parameter["name"], pools[country], resolved(parameter["schema"])
    options = [example["value"] for example in parameter.get("examples", {}).values()]
    options += schema.get("enum", [])
    options += [choice["const"] for choice in schema.get("oneOf", []) if "const" in choice]
    if "default" in parameter["schema"]:
        options.append(parameter["schema"]["default"])
    if name in ("from", "to"):
        return f"2026-{draw.randint(1, 10):02}-{draw.randint(1, 28):02}"
    if name == "q" and "q" in pool:
        return draw.choice([draw.choice(pool["q"]), misspelled(draw.choice(pool["q"])), draw.choice(everyday)])
    if schema.get("type") in ("integer", "number") and draw.random() < 0.7:
        low, high = schema.get("minimum", 0), min(schema.get("maximum", 40), 40)
        return draw.randint(int(low), int(high)) if schema["type"] == "integer" else round(draw.uniform(low, high), 2)
    if name == "country":
        return country
    values = pool.get({"node": "category", "parent": "category"}.get(name, name))
    if values and draw.random() < 0.9:
        return draw.choice(values)
    return draw.choice(options) if options else draw.choice(["", "x", "5", "true", "2026-01-05"])


def request():
    path, country = draw.choice(routes), draw.choice(sorted(pools))
    parameters = [
        document["components"]["parameters"][one["$ref"].rsplit("/", 1)[1]] if "$ref" in one else one
        for one in document["paths"][path]["get"].get("parameters", [])
    ]
    query = [one for one in parameters if one["in"] == "query"]
    # Those that name the product exclude each other.
    names = [one["name"] for one in query if one["name"] in ("q", "product_uid", "entity_uid", "gtin")]
    chosen = draw.choice(names) if names else None
    pairs = [
        (one["name"], value(one, country))
        for one in query
        if one.get("required") or one["name"] == chosen
        or (one["name"] not in names and draw.random() < SHARES.get(one["name"], 0.1))
    ]
    pairs = [(name, str(one).lower() if isinstance(one, bool) else one) for name, one in pairs]
    return path + ("?" + urllib.parse.urlencode(pairs) if pairs else ""), draw.choice(ACCEPTS)


routes = [path for path in document["paths"] if path.startswith("/v1/")]
statuses, different = collections.Counter(), []
for number in range(count):
    target, accept = request()
    one, other = first.get(target, accept), second.get(target, accept)
    statuses[one[0]] += 1
    if one != other:
        different.append((target, accept, one, other))
print(count, "requests of seed", seed, "over", len(routes), "routes; answers by status:", dict(sorted(statuses.items())))
for target, accept, one, other in different[:10]:
    at = next((at for at, (a, b) in enumerate(zip(one[2], other[2])) if a != b), 0)
    print(f"DIFFERENT: {target} as {accept}")
    for side, answer in (("before", one), ("after", other)):
        print(f"  {side}: {answer[0]} {answer[1]} … {answer[2][max(0, at - 60) : at + 100]!r}")
names = [path.removeprefix("/v1/") for path in routes]
documents = ["/openapi.json", "/llms.txt", "/.well-known/x402", "/reference.md", "/problems.md", "/mcp", "/", "/explore"]
documents += [f"/{page}" for name in names for page in (f"reference/{name}", f"reference/{name}.md", f"explore/{name}")]
unequal = []
for target in documents:
    (status, one), (other_status, other) = first.document(target), second.document(target)
    if (status, one) != (other_status, other):
        unequal.append(target)
        cut = re.compile(rb"(?<=[,>}.])")
        lines = [[line.decode(errors="replace") for line in cut.split(text)] for text in (one, other)]
        print(f"DIFFERENT: {target}", *list(difflib.unified_diff(*lines, lineterm="", n=0))[2:40], sep="\n  ")
print(len(documents), "documents compared")
if different or unequal:
    sys.exit(f"{len(different)} answers and {len(unequal)} documents differ")
