"""Runs docs/python.ipynb and keeps its outputs, so that who opens it sees them.

usage: DDLSIM_PROGRAM=PROGRAM execute_notebook.py SOURCE
"""

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

TIMEOUT_S = 600


def main():
    source = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "ddlsim").symlink_to(os.environ["DDLSIM_PROGRAM"])
        os.environ["PATH"] = os.pathsep.join([folder, os.environ["PATH"]])
        os.environ["PYTHONPATH"] = str(source / "python")
        file = source / "docs/python.ipynb"
        notebook = nbformat.read(file, as_version=4)
        NotebookClient(notebook, timeout=TIMEOUT_S, kernel_name="python3", record_timing=False).execute()
    for cell in notebook.cells:
        cell.get("metadata", {}).pop("execution", None)
        # progress lines are gone at the end, but for their empty texts
        cell["outputs"] = [one for one in cell.get("outputs", []) if one.get("data", {}) != {"text/plain": ""}] if cell.cell_type == "code" else []
        if cell.cell_type != "code":
            del cell["outputs"]
    nbformat.write(notebook, file)


if __name__ == "__main__":
    main()
