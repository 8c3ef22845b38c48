"""Writes every collected answer as a TypeScript literal of the type that the generated client gives it.

Types are gone at run time: the compiler is who checks. Of each kind one literal is damaged, and has to be refused.
"""

import argparse
import json
from pathlib import Path
from typing import Any

PER_FILE = 25
HEAD = 'import type { components, paths } from "../src/schema.js";\n\n'


def type_of(entry: dict[str, Any]) -> str:
    """The type of an answer."""
    content = f'["content"][{json.dumps(entry["media"])}]'
    if entry["response"]:
        return f'components["responses"][{json.dumps(entry["response"])}]{content}'
    return f'paths[{json.dumps(entry["path"])}]["get"]["responses"][{entry["status"]}]{content}'


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    entries = [json.loads(line) for line in args.answers.read_text().splitlines()]
    args.out.mkdir(parents=True, exist_ok=True)
    lines, kinds = [], set()
    for at, entry in enumerate(entries):
        kind, body = type_of(entry), entry["body"]
        request = entry["request"].replace("\n", " ")[:150]
        lines.append(f"/* {entry['origin']} {request} */ export const answer{at}: {kind} = {json.dumps(body)};\n")
        if kind not in kinds:
            kinds.add(kind)
            first, *rest = body
            fewer = {field: body[field] for field in rest}
            lines.append(f"// @ts-expect-error Without {first}.\nexport const fewer{at}: {kind} = {json.dumps(fewer)};\n")
            more = {**body, "surplus": 1}
            lines.append(f"// @ts-expect-error With a surplus.\nexport const more{at}: {kind} = {json.dumps(more)};\n")
    for number, first_line in enumerate(range(0, len(lines), PER_FILE)):
        text = HEAD + "".join(lines[first_line : first_line + PER_FILE])
        (args.out / f"answers{number}.ts").write_text(text)
    print(f"TypeScript: {len(entries)} answers and {2 * len(kinds)} damaged ones as literals of {len(kinds)} types")


main()
