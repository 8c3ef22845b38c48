"""Reads every collected answer with the generated Python client, and writes it again: nothing may be lost or unknown.

Requests that were answered are also asked through the client's own functions, whose parameters are typed.
"""

import argparse
import datetime
import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import httpx
import pricebook_client.api
import pricebook_client.models
from document import Document, query_of
from pricebook_client import Client

# What differs between two answers to one request.
VOLATILE = {"computed_at", "freshness_seconds"}
SHOWN = 20


def operations() -> dict[str, ModuleType]:
    """The module of each operation, by its name."""
    found = {}
    for package in pkgutil.iter_modules(pricebook_client.api.__path__, "pricebook_client.api."):
        for module in pkgutil.iter_modules(importlib.import_module(package.name).__path__, package.name + "."):
            found[module.name.rsplit(".", 1)[-1]] = importlib.import_module(module.name)
    return found


def snake(operation_id: str) -> str:
    """getBestPrice is get_best_price."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in operation_id)


def read(document: Document, modules: dict[str, ModuleType], entry: dict[str, Any]) -> Any:
    """What the client makes of an answer."""
    if entry["response"]:
        model = getattr(pricebook_client.models, document.schema_name(entry["response"]))
        return model.from_dict(entry["body"])
    operation = document.operation(entry["path"]) or {}
    module = modules[snake(operation["operationId"])]
    response = httpx.Response(entry["status"], headers={"content-type": entry["media"]}, json=entry["body"])
    client = Client("http://nowhere.invalid", raise_on_unexpected_status=True)
    return module._parse_response(client=client, response=response)


def fault_of(read_again: Any, body: Any, place: str = "") -> str | None:
    """The first difference between what was read and what was sent."""
    if isinstance(body, dict) and isinstance(read_again, dict):
        for key in body.keys() | read_again.keys():
            if key not in body or key not in read_again:
                return f"{place}/{key} is {'made up' if key in read_again else 'lost'}"
            if fault := fault_of(read_again[key], body[key], f"{place}/{key}"):
                return fault
        return None
    if isinstance(body, list) and isinstance(read_again, list) and len(body) == len(read_again):
        faults = (fault_of(one, other, f"{place}/{at}") for at, (one, other) in enumerate(zip(read_again, body)))
        return next((fault for fault in faults if fault), None)
    is_same = type(read_again) is type(body) or {type(read_again), type(body)} == {int, float}
    return None if is_same and (read_again == body or same_instant(read_again, body)) else (
        f"{place} is {read_again!r}, and was {body!r}"
    )


def same_instant(one: Any, other: Any) -> bool:
    """Whether two texts are one instant: 00:00Z and 00:00+00:00 are."""
    try:
        instants = [datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (one, other)]
    except (AttributeError, ValueError):
        return False
    return instants[0] == instants[1]


def unknown(model: Any, place: str = "") -> str | None:
    """The first field that the client has no type for."""
    if isinstance(model, list):
        return next((fault for item in model if (fault := unknown(item, place))), None)
    if not attrs.has(type(model)):
        return None
    fields = [field.name for field in attrs.fields(type(model))]
    extra = getattr(model, "additional_properties", {})
    if len(fields) > 1 and extra:
        return f"{place}/{next(iter(extra))} has no type"
    parts = ((field, getattr(model, field)) for field in fields if field != "additional_properties")
    return next((fault for field, part in parts if (fault := unknown(part, f"{place}/{field}"))), None)


def check_read(document: Document, modules: dict[str, ModuleType], entry: dict[str, Any]) -> str | None:
    """What is wrong with how an answer is read, if anything is."""
    try:
        model = read(document, modules, entry)
    except Exception as error:
        return f"is not read: {type(error).__name__} {error}"
    if not attrs.has(type(model)):
        return f"is read as {type(model).__name__}"
    again = model.to_dict()
    if fault := fault_of(again, entry["body"]) or unknown(model):
        return fault
    return None


def check_refused(document: Document, modules: dict[str, ModuleType], entry: dict[str, Any]) -> str | None:
    """Whether an answer without its first field is taken: then the client would take anything."""
    first, *rest = entry["body"]
    damaged = {**entry, "body": {field: entry["body"][field] for field in rest}}
    return f"is read without {first}" if check_read(document, modules, damaged) is None else None


def typed(schema: dict[str, Any], annotation: str, text: str) -> Any:
    """A parameter as its type has it."""
    if "datetime.date" in annotation:
        return datetime.datetime.fromisoformat(text) if "T" in text else datetime.date.fromisoformat(text)
    made: dict[str, Callable[[str], Any]] = {"integer": int, "number": float, "boolean": "true".__eq__}
    return made.get(schema.get("type", ""), str)(text)


def check_asked(document: Document, module: ModuleType, client: Client, entry: dict[str, Any]) -> str | None:
    """Whether the client's function gets the answer that the request as it was written got."""
    operation = document.operation(entry["path"]) or {}
    listed = [document.follow(parameter) for parameter in operation["parameters"]]
    schemas = {parameter["name"]: document.follow(parameter["schema"]) for parameter in listed}
    signature = inspect.signature(module.sync_detailed).parameters
    arguments = {}
    for name, text in query_of(entry["request"]).items():
        argument = name if name in signature else name + "_"
        arguments[argument] = typed(schemas[name], str(signature[argument].annotation), text)
    try:
        answer = module.sync_detailed(client=client, **arguments)
    except Exception as error:
        return f"cannot be asked: {type(error).__name__} {error}"
    if answer.status_code != entry["status"]:
        return f"is answered {answer.status_code} through the client: {answer.content.decode()}"
    return fault_of(lasting(answer.parsed.to_dict()), lasting(entry["body"]))


def lasting(body: Any) -> Any:
    """What two answers to one request have in common."""
    if isinstance(body, dict):
        return {key: lasting(value) for key, value in body.items() if key not in VOLATILE}
    return [lasting(item) for item in body] if isinstance(body, list) else body


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--document", type=Path, required=True)
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--url", required=True)
    args = parser.parse_args()
    document, modules = Document(args.document), operations()
    client = Client(args.url, timeout=httpx.Timeout(60))
    entries = [json.loads(line) for line in args.answers.read_text().splitlines()]
    faults = []
    asked = 0
    for entry in entries:
        found = [check_read(document, modules, entry), check_refused(document, modules, entry)]
        # The description of the interface is no answer of it, and has no type of its own.
        is_asked = entry["origin"] in ("golden", "example") and entry["status"] == 200
        if is_asked:
            asked += 1
            module = modules[snake((document.operation(entry["path"]) or {})["operationId"])]
            found.append(check_asked(document, module, client, entry))
        faults += [f"{entry['origin']} {entry['status']} {entry['request'][:150]} {fault}" for fault in found if fault]
    print(f"Python: {len(entries)} answers read, {asked} asked through the client, {len(faults)} faults")
    for fault in faults[:SHOWN]:
        print("  " + fault)
    raise SystemExit(1 if faults else 0)


main()
