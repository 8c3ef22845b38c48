"""Measures one peer, in a process of its own: loads it, warms it, times every question and writes times and answers.

A time ends when the complete answer is in the client's memory, in the form in which the peer hands it out: rows of
Python values, a frame, or the bytes of a body. Turning that into the common form is not timed.
"""

import argparse
import importlib
import json
import signal
import statistics
import sys
import time
from pathlib import Path

import answers

WARM_RUNS = 3
RUNS = 7
PEERS = ["pricebook", "duckdb", "clickhouse", "postgres", "polars"]

# Exit code of a peer that is not there, in contrast to one that fails.
NOT_INSTALLED = 3


def timed(call) -> tuple[float, object]:
    """Seconds that a call took, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def ask(name: str, call, module, question: dict) -> dict:
    """The median time of a question and its answer; an error is told and stops nothing."""
    try:
        for _ in range(WARM_RUNS):
            call()
        runs = [timed(call) for _ in range(RUNS)]
        result = runs[-1][1]
        answer = module.answer(name, result, question)
    except Exception as error:  # A peer's failure is a finding, whatever its type.
        return {"error": f"{type(error).__name__}: {error}"}
    seconds = [seconds for seconds, _ in runs]
    return {"median_seconds": statistics.median(seconds), "seconds": seconds, "answer": answer}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("--prepared", type=Path, required=True, help="what tables.py wrote")
    parser.add_argument("--questions", type=Path, required=True, help="what questions.py wrote")
    parser.add_argument("--work", type=Path, required=True, help="an empty directory for the peer's own files")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--bin", type=Path, help="the pricebook program, to measure that one")
    parser.add_argument("--snapshots", type=Path, help="its snapshots")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    # Told to stop, it still closes its peer.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    question = json.loads(args.questions.read_text())
    own = (args.bin, args.snapshots) if args.peer == "pricebook" else (args.work, args.threads)
    try:
        module = importlib.import_module(f"peer_{args.peer}")
        peer = module.Peer(*own)
    except ImportError as missing:
        print(missing, file=sys.stderr)
        sys.exit(NOT_INSTALLED)
    try:
        load_seconds, _ = timed(lambda: peer.load(args.prepared, question))
        calls = peer.queries(question)
        asked = [name for name in answers.QUESTIONS if name in calls]
        results = {name: ask(name, calls[name], module, question) for name in asked}
    finally:
        peer.close()
    report = {"version": peer.version, "load_seconds": load_seconds, "questions": results}
    args.out.write_text(json.dumps(report, indent=1, default=str) + "\n")


if __name__ == "__main__":
    main()
