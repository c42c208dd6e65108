"""What the tests of the program share: one run of it, a folder of a test's own, and what a refusal looks like.

A test file is started as: python3 FILE DDLSIM SOURCE_FOLDER [CASE...]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "platforms" / "convert"))
from common_lines import line, unfold  # noqa: E402

DDLSIM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SCENARIO = SOURCE / "scenarios" / "iris-resnet50.json"
QUICK = ["--gpus", "1,8", "--fidelity", "formula"]
FITTING = re.compile(r"^fitting [^\n]*\n", re.MULTILINE)


def run(*arguments, cwd=None, told=False):
    """Which test is the first to ask of a cluster is chance: the line that says that it is fitted is left out, but where it is `told`."""
    done = subprocess.run([DDLSIM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=1800)
    if not told:
        done.stderr = FITTING.sub("", done.stderr)
    return done


def lines_of_records(file):
    """Lines of a measurement file, with all fields in each."""
    return [line(record) + "\n" for _, record in unfold(file.read_text().splitlines())]


def of_table(calibration, table, column):
    """What a table of calibration.json has in that column, where it says anything."""
    at = calibration[table]["columns"].index(column)
    cells = [row[at] for row in calibration[table]["rows"] if len(row) > at and row[at] is not None]
    return [calibration["shared"][cell] for cell in cells] if column.endswith("@") else cells


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        file = self.folder / name
        file.write_text(content)
        return file

    def refused(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)


def main():
    os.environ.pop("NO_COLOR", None)
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]])
