"""Has every peer measured, one after the other, holds the answers together and prints one table."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import answers
from measure import NOT_INSTALLED, PEERS, RUNS

HERE = Path(__file__).resolve().parent
MEASURE_SECONDS_MAX = 3600
DIFFERENCES_SHOWN_MAX = 5


def measure(peer: str, args: argparse.Namespace) -> dict:
    """The report of one peer, or why there is none."""
    work = args.work / peer
    work.mkdir()
    out = work / "report.json"
    command = [sys.executable, HERE / "measure.py", peer, "--prepared", args.work / "prepared"]
    command += ["--questions", args.work / "questions.json", "--work", work, "--threads", str(args.threads)]
    command += ["--bin", args.bin, "--snapshots", args.snapshots, "--out", out]
    environment = os.environ | {"POLARS_MAX_THREADS": str(args.threads)}
    print(f"measuring {peer}", file=sys.stderr, flush=True)
    with subprocess.Popen(command, env=environment, stdout=sys.stderr, stderr=subprocess.PIPE, text=True) as process:
        try:
            _, said = process.communicate(timeout=MEASURE_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            # It stops its own server on the way out.
            process.terminate()
            process.communicate()
            return {"failed": f"took more than {MEASURE_SECONDS_MAX} seconds"}
    if process.returncode != 0:
        return {"skipped" if process.returncode == NOT_INSTALLED else "failed": said.strip()}
    return json.loads(out.read_text())


def disagreements(reports: dict) -> dict:
    """Where answers differ from the server's, by peer and question."""
    own = reports["pricebook"]["questions"]
    found = {}
    for peer, report in reports.items():
        for name, result in report.get("questions", {}).items():
            faults = [result["error"]] if "error" in result else []
            if not faults and "answer" in own[name]:
                faults = answers.differences(own[name]["answer"], result["answer"])
            if faults:
                found.setdefault(peer, {})[name] = faults
    return found


def milliseconds(seconds: float) -> str:
    """A time with three significant digits."""
    value = 1000 * seconds
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def table(reports: dict, faults: dict) -> str:
    """Medians in milliseconds, and how many times as long a peer takes as the server."""
    heads = ["question", *(report.get("version", peer) for peer, report in reports.items())]
    lines = [heads]
    for name in answers.QUESTIONS:
        line, own = [name], reports["pricebook"]["questions"][name].get("median_seconds")
        for peer, report in reports.items():
            seconds = report.get("questions", {}).get(name, {}).get("median_seconds")
            ratio = f" ({seconds / own:,.1f}×)" if own and seconds and peer != "pricebook" else ""
            wrong = " !" if name in faults.get(peer, {}) else ""
            line.append("–" if seconds is None else milliseconds(seconds) + ratio + wrong)
        lines.append(line)
    loads = (report.get("load_seconds") for report in reports.values())
    lines.append(["load, seconds", *("–" if not load else f"{load:.1f}" for load in loads)])
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    text.insert(1, "-|-".join("-" * width for width in widths))
    return "\n".join(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="holds prepared/ and questions.json")
    parser.add_argument("--bin", type=Path, required=True, help="the pricebook program")
    parser.add_argument("--snapshots", type=Path, required=True, help="the directory of the snapshot to serve")
    parser.add_argument("--threads", type=int, required=True, help="cores for the server and for each peer")
    parser.add_argument("--peers", default=",".join(PEERS[1:]), help="which peers, separated by commas")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    args = parser.parse_args()
    question = json.loads((args.work / "questions.json").read_text())
    # The processes started from here inherit it: everybody runs on the same cores.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.threads])

    reports = {peer: measure(peer, args) for peer in ["pricebook", *filter(None, args.peers.split(","))]}
    for peer, report in reports.items():
        for state in ("skipped", "failed"):
            if state in report:
                print(f"{state.upper()} {peer}: {report[state]}", file=sys.stderr)
    if "questions" not in reports["pricebook"]:
        return 1
    faults = disagreements(reports)
    if args.json:
        for report in reports.values():
            for result in report.get("questions", {}).values():
                result.pop("answer", None)
        print(json.dumps({"question": question, "peers": reports, "disagreements": faults}, indent=1))
    else:
        size = question["size"]
        print(
            f"{size['listings']:,} listings, {size['observations']:,} observations; shelf {question['shelf_slug']} of"
            f" {size['shelf_listings']:,} listings, {size['shelf_observations']:,} observations; {args.threads} cores;"
            f" medians of {RUNS} warm runs in milliseconds (× pricebook's)\n\n{table(reports, faults)}"
        )
    for peer, names in faults.items():
        for name, lines in names.items():
            for line in lines[:DIFFERENCES_SHOWN_MAX]:
                print(f"DISAGREES {peer}, {name}: {line}", file=sys.stderr)
    measured = [peer for peer, report in reports.items() if "questions" in report]
    if not faults and len(measured) > 1:
        print(f"all answers of {', '.join(measured)} agree", file=sys.stderr)
    return 1 if faults or any("failed" in report for report in reports.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
