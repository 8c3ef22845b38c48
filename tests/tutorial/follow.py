"""Follows a page: runs its `sh` blocks in order, in one shell, and holds what they print against the block below.

A `sh` block has to succeed, command by command; the last command of a `sh fails` block has to fail. A `text` block
right below one is all that it prints, but for what `…` stands for. A `json` block is part of the JSON that it prints:
the keys that it shows, the first elements of a list, "…" for any text.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

FENCE = re.compile(r"^```(\w+)( fails)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(page: str) -> list[dict]:
    """The blocks that are run, each with its line and what it has to print."""
    found = []
    for fence in FENCE.finditer(page):
        language, fails, text = fence.groups()
        if language == "sh":
            line = page.count("\n", 0, fence.start()) + 1
            found.append({"line": line, "script": text, "fails": bool(fails), "expected": []})
        elif language in ("text", "json") and found:
            found[-1]["expected"].append((language, text))
    return found


def shell(blocks: list[dict], work: Path) -> str:
    """One script of all blocks; what each prints goes to a file of its own."""
    parts = ["set -eu"]
    for number, block in enumerate(blocks):
        parts.append(f"exec > '{work}/{number}.out' 2>&1")
        script = block["script"]
        # Without errexit the last command's status is what counts.
        parts.append(f"set +e\n{script}\ntest $? -ne 0 || exit 99\nset -e" if block["fails"] else script)
    parts.append(f"exec > '{work}/end.out' 2>&1")
    return "\n".join(parts)


def as_text(expected: str, printed: str) -> bool:
    """Whether all that was printed is what the page says."""

    def lines(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = ".*".join(re.escape(part) for part in lines(expected).split("…"))
    return re.fullmatch(pattern, lines(printed), re.DOTALL) is not None


def as_json(expected: object, printed: object) -> bool:
    """Whether what the page shows is part of what was printed."""
    match expected, printed:
        case dict(), dict():
            return all(key in printed and as_json(value, printed[key]) for key, value in expected.items())
        case list(), list():
            return len(expected) <= len(printed) and all(map(as_json, expected, printed))
        case "…", str():
            return True
        case _:
            return expected == printed


def holds(language: str, expected: str, printed: str) -> bool:
    if language == "text":
        return as_text(expected, printed)
    try:
        return as_json(json.loads(expected), json.loads(printed))
    except json.JSONDecodeError:
        return False


def on_free_ports(page: str) -> str:
    """The page with ports that are free: somebody may serve on its own."""
    with contextlib.ExitStack() as held:
        for address in set(re.findall(r"127\.0\.0\.1:\d+", page)):
            taken = held.enter_context(socket.socket())
            taken.bind(("127.0.0.1", 0))
            page = page.replace(address, f"127.0.0.1:{taken.getsockname()[1]}")
    return page


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--page", type=Path, required=True)
    arguments.add_argument("--work", type=Path, required=True)
    told = arguments.parse_args()
    blocks = steps(on_free_ports(told.page.read_text()))
    script = told.work / "script"
    script.write_text(shell(blocks, told.work))
    # A group of its own, so that servers which a failure left behind can be ended.
    running = subprocess.Popen(
        ["bash", str(script)], cwd=told.work / "home", stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        status = running.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGTERM)
    wrong = 0
    for number, block in enumerate(blocks):
        place = f"{told.page.name}:{block['line']}"
        output = told.work / f"{number}.out"
        if not output.exists():
            break
        printed = output.read_text()
        is_last = not (told.work / f"{number + 1}.out").exists() and not (told.work / "end.out").exists()
        if is_last and status != 0:
            print(f"{place} ended with {status}:\n{block['script']}\n{printed}")
            wrong += 1
        for language, expected in block["expected"]:
            if not holds(language, expected, printed):
                print(f"{place} prints something else. The page:\n{expected}\nThe program:\n{printed}")
                wrong += 1
    if status != 0 and wrong == 0:
        print(f"the shell ended with {status}")
        wrong += 1
    print(f"{len(blocks)} blocks, {sum(len(block['expected']) for block in blocks)} outputs, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
