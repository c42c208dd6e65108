#!/usr/bin/env python3
"""platforms/priors.json is what `ddlsim calibrate --priors` writes, byte for byte.

Usage: committed_test.py DDLSIM SOURCE_FOLDER
"""

import difflib
import pathlib
import subprocess
import sys
import tempfile

MOST_LINES = 12  # of the difference: which parameters moved shows in the first ones
MOST_LETTERS = 160


def main(program: str, source: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder) / "written.json"
        run = subprocess.run([program, "calibrate", "--priors", "--data", source, "--output", str(written)],
                             capture_output=True, text=True)
        if run.returncode != 0:
            print(run.stderr, end="")
            return 1
        before, after = (pathlib.Path(source) / "platforms" / "priors.json").read_bytes(), written.read_bytes()
    if before == after:
        return 0
    print("platforms/priors.json is not what the command writes. Run\n"
          "    ./run ddlsim calibrate --priors\n"
          "look at what moved with `git diff`, and commit it. It moves when records, priors or the fit change.")
    lines = difflib.unified_diff(before.decode().splitlines(), after.decode().splitlines(), "committed", "written",
                                 lineterm="", n=0)
    for line, _ in zip(lines, range(MOST_LINES)):
        print(line[:MOST_LETTERS])
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
