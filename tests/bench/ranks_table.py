"""A plan of 10,000 candidates by ddlsim and by 1, 2 and 4 ranks of ddlsim-mpi: the same bytes, how long it takes.

usage: python3 tests/bench/ranks_table.py build/release/bin [RUNS]
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BIN, RUNS = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 1
SOURCE = Path(__file__).resolve().parents[2]
MPIRUN = ["mpirun", "-q", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
SCALES = range(1, 1251)  # GPUs: with two strategies on each of four clusters 10,000 candidates


def request():
    asked = json.loads((SOURCE / "scenarios/plans/imagenet-90-epochs.json").read_text())
    del asked["limits"]["nodes"]
    for candidate in asked["candidates"]:
        candidate |= {"gpus": list(SCALES), "strategies": [{"name": "auto"}, {"name": "ring"}]}
    return asked


def timed(words):
    """Standard output, seconds."""
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, check=True)
    return done.stdout, time.monotonic() - began


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "plan.json")
        file.write_text(json.dumps(request()))
        question = ["plan", file, "--json", "--quiet"]
        rows = {"ddlsim --threads 1": [BIN / "ddlsim", *question, "--threads", "1"], "ddlsim": [BIN / "ddlsim", *question]}
        for ranks in (1, 2, 4):
            rows[f"{ranks} rank{'s' if ranks > 1 else ''}"] = [*MPIRUN, "-np", str(ranks), BIN / "ddlsim-mpi", *question]
        first = None
        print("| by | takes |\n|---|---|", flush=True)
        for name, words in rows.items():
            runs = [timed(words) for _ in range(RUNS)]
            first = first or runs[0][0]
            assert all(run[0] == first for run in runs), f"{name}: other bytes"
            took = sorted(run[1] for run in runs)[RUNS // 2]
            print(f"| {name} | {took:.0f} s |", flush=True)
    plan = json.loads(first)
    simulated = sum(option["simulated"] for option in plan["options"])
    print(f"\n{len(plan['options'])} options, {simulated} simulated, {len(plan['refused'])} refused; {len(first)} bytes, the same from all")


if __name__ == "__main__":
    main()
