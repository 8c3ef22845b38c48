"""Runs the programs of docs/clients.md as they stand there, against a server that answers for nothing."""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Where the page's server listens.
PAGE_URL = "http://127.0.0.1:8080"
SNIPPET_SECONDS = 60


def blocks(page: str, language: str) -> list[str]:
    """The programs of one language."""
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def check(name: str, command: list[str], folder: Path) -> None:
    """Runs a program, which has to print something."""
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SNIPPET_SECONDS)
    if ran.returncode != 0 or not ran.stdout.strip():
        raise SystemExit(f"{name} ends with {ran.returncode}\n{ran.stdout}{ran.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--page", "--packages", "--node"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--url", required=True)
    args = parser.parse_args()
    page = args.page.read_text().replace(PAGE_URL, args.url)
    work = Path(tempfile.gettempdir())
    python, typescript = blocks(page, "python"), blocks(page, "ts")
    if len(python) < 2 or not typescript:
        raise SystemExit(f"{args.page} has {len(python)} programs in Python and {len(typescript)} in TypeScript")
    for at, program in enumerate(python):
        check(f"Python program {at + 1}", [sys.executable, "-c", program], work)
    # The package knows itself by its name.
    folder = args.packages / "page"
    folder.mkdir()
    for at, program in enumerate(typescript):
        (folder / f"page{at}.ts").write_text(program)
    tsc = [str(args.node), "node_modules/typescript/bin/tsc", "--strict", "--module", "nodenext", "--target", "es2022"]
    files = [f"page/{file.name}" for file in sorted(folder.glob("*.ts"))]
    ran = subprocess.run([*tsc, "--types", "node", *files], cwd=args.packages, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(ran.stdout)
    for file in files:
        check(f"TypeScript program {file}", [str(args.node), file.replace(".ts", ".js")], args.packages)
    print(f"{args.page.name}: {len(python)} programs in Python, {len(typescript)} in TypeScript")


main()
