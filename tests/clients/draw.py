"""Executes the notebook in the working directory, and looks whether it drew what it is for."""

import sys

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

CELL_SECONDS = 120


def main(path: str) -> None:
    notebook = nbformat.read(path, as_version=4)
    if any(cell.get("outputs") for cell in notebook.cells):
        raise SystemExit(f"{path} is kept without outputs")
    # The kernel is spoken to over sockets of the file system: nobody else hears it.
    config = Config(KernelManager={"transport": "ipc"})
    NotebookClient(notebook, timeout=CELL_SECONDS, kernel_name="python3", config=config).execute()
    nbformat.write(notebook, f"executed-{path}")
    data = [output["data"] for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    charts = sum("image/png" in output for output in data)
    tables = sum("text/html" in output for output in data)
    if not charts or not tables:
        raise SystemExit(f"{path} made {tables} tables and {charts} charts")
    print(f"{path}: {tables} tables, {charts} charts")


main(sys.argv[1])
