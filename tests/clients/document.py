"""The OpenAPI document, as far as the clients' tests read it."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"


class Document:
    """The description of the interface."""

    def __init__(self, path: Path) -> None:
        self.root: dict[str, Any] = json.loads(path.read_text())

    def follow(self, node: dict[str, Any]) -> dict[str, Any]:
        """The object that a reference leads to, or the object itself."""
        while "$ref" in node:
            place: Any = self.root
            for part in node["$ref"].removeprefix("#/").split("/"):
                place = place[part.replace("~1", "/").replace("~0", "~")]
            node = place
        return node

    def operation(self, path: str) -> dict[str, Any] | None:
        """What GET does at a path."""
        found: dict[str, Any] | None = self.root["paths"].get(path, {}).get("get")
        return found

    def operations(self) -> list[tuple[str, dict[str, Any]]]:
        """Every path with what GET does there."""
        return [(path, item["get"]) for path, item in self.root["paths"].items()]

    def response(self, path: str, status: int) -> dict[str, Any] | None:
        """A response of the operation at a path."""
        found = (self.operation(path) or {"responses": {}})["responses"].get(str(status))
        return self.follow(found) if found else None

    def codes(self) -> dict[str, str]:
        """The code of each error, by the name of the response that stands for it among the components."""
        codes = {}
        for name, response in self.root["components"]["responses"].items():
            content = self.follow(response).get("content", {})
            if PROBLEM_JSON in content:
                codes[name] = self.code_of(content[PROBLEM_JSON]["schema"])
        return codes

    def code_of(self, schema: dict[str, Any]) -> str:
        """The code that a problem's schema allows."""
        error = self.follow(self.follow(schema)["properties"]["error"])
        code = self.follow(error["properties"]["code"])
        (only,) = [code["const"]] if "const" in code else code["enum"]
        return str(only)

    def schema_name(self, response: str) -> str:
        """The name of the schema of a response among the components."""
        schema = self.root["components"]["responses"][response]["content"][PROBLEM_JSON]["schema"]
        return str(schema["$ref"].rsplit("/", 1)[-1])

    def constructed(self, schema: dict[str, Any]) -> Any:
        """A value that a schema allows: its example where it has one, every property where it is an object."""
        schema = self.follow(schema)
        for key in ("const", "example", "default"):
            if key in schema:
                return schema[key]
        for key in ("examples", "enum"):
            if key in schema:
                return schema[key][0]
        for key in ("oneOf", "anyOf"):
            if key in schema:
                return self.constructed(schema[key][0])
        kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
        if kind == "object":
            return {name: self.constructed(of) for name, of in schema.get("properties", {}).items()}
        if kind == "array":
            return [self.constructed(schema["items"])] * schema.get("minItems", 1)
        texts = {"date": "2026-10-31", "date-time": "2026-10-31T00:00:00Z", "uri-reference": "/v1"}
        plain = {"string": texts.get(schema.get("format", ""), "a text"), "integer": 1, "number": 1.5, "boolean": True}
        return plain[kind]


def query_of(request: str) -> dict[str, str]:
    """The parameters of a request."""
    return dict(parse_qsl(urlsplit(request).query, keep_blank_values=True))


def path_of(request: str) -> str:
    """The path of a request."""
    return urlsplit(request).path
