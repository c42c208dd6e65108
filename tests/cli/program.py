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

DDLSIM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SCENARIO = SOURCE / "scenarios" / "iris-resnet50.json"
QUICK = ["--gpus", "1,8", "--fidelity", "screening"]
FITTING = re.compile(r"^fitting [^\n]*\n", re.MULTILINE)


def run(*arguments, cwd=None, told=False):
    """Which test is the first to ask of a cluster is chance: the line that says that it is fitted is left out, but where it is `told`."""
    done = subprocess.run([DDLSIM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=1800)
    if not told:
        done.stderr = FITTING.sub("", done.stderr)
    return done


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
