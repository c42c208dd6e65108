"""`./run` before its program answers: what it says of packages and of the build, and that a failure is shown whole.

usage: run_test.py SOURCE_FOLDER

Programs that it calls are stand-ins, the first on the path; they print what the real ones do.
"""

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN = Path(sys.argv[1]).resolve() / "run"

FAKES = {
    "dpkg-query": '[ "${!#}" != "$MISSING" ] && echo "install ok installed"',
    "sudo": '[ "$1" = -v ] || "$@"',
    "apt-get": """
if [ "$1" = install ]; then
  echo "dlstatus:1:40.25:Retrieving file 1 of 2 (3s remaining)"; sleep 1.2
  echo "pmstatus:libfmt-dev:amd64:62.5000:Unpacking libfmt-dev:amd64 (9.1.0)"; sleep 1.2
fi
[ -z "$NO_NETWORK" ] || { echo "E: Unable to fetch some archives"; exit 100; }""",
    "cmake": """
if [ "$1" = --preset ]; then [ -f CMakePresets.json ]; exit; fi
echo "[0/2] Re-checking globbed directories..."
echo "[119/236] Building CXX object one.cpp.o"
echo "[120/236] Building CXX object two.cpp.o"; sleep 1.3
if [ -n "$MISTAKE" ]; then
  echo "two.cpp:1:1: error: expected ';'"; seq 1 5000; exit 1
fi
mkdir -p "$2/bin"
printf '#!/bin/sh\\necho "answer to $* in $PWD"\\n' >"$2/bin/ddlsim"
chmod +x "$2/bin/ddlsim" """,
}


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.fakes = self.folder / "fakes"
        self.fakes.mkdir()
        for name, text in FAKES.items():
            (self.fakes / name).write_text(f"#!/bin/bash\n{text}\n")
            (self.fakes / name).chmod(0o755)
        self.tree = self.folder / "ddlsim"
        self.tree.mkdir()
        shutil.copy(RUN, self.tree / "run")
        (self.tree / "CMakePresets.json").write_text("{}")

    def run_program(self, line_s=1, stderr=subprocess.PIPE, **variables):
        environment = {"MISSING": "", "NO_NETWORK": "", "MISTAKE": "", "DDLSIM_RUN_LINE_S": str(line_s)} | variables
        environment["PATH"] = f"{self.fakes}:{os.environ['PATH']}"
        return subprocess.run([self.tree / "run", "ddlsim", "predict", "x.json"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=stderr, text=True, env=os.environ | environment, timeout=60)

    def test_the_first_command_says_how_far_the_build_is_and_answers(self):
        result = self.run_program()
        self.assertEqual((result.returncode, result.stdout), (0, f"answer to predict x.json in {self.folder}\n"))
        self.assertEqual(result.stderr, "building ddlsim (once) ...\nbuilding 120 of 236\nanswering ...\n")

    def test_what_takes_less_than_a_line_s_time_says_nothing_in_between(self):
        self.assertEqual(self.run_program(line_s=15).stderr, "building ddlsim (once) ...\nanswering ...\n")

    def test_a_program_that_is_built_answers_without_a_word(self):
        self.run_program()
        result = self.run_program(line_s=15)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("answer to", result.stdout)

    def test_packages_are_named_with_how_far_they_are(self):
        result = self.run_program(MISSING="libfmt-dev")
        self.assertEqual(result.stderr.splitlines()[:3],
                         ["installing: libfmt-dev", "fetching packages: 40 %", "installing packages: 62 %"])

    def test_on_a_terminal_it_is_one_live_line_that_goes_before_the_answer(self):
        reading, terminal = pty.openpty()
        result = self.run_program(stderr=terminal, MISSING="libfmt-dev")
        os.close(terminal)
        shown = b""
        try:
            while piece := os.read(reading, 4096):
                shown += piece
        except OSError:  # the end of what a terminal shows
            pass
        os.close(reading)
        self.assertEqual(result.returncode, 0)
        shown = shown.decode()
        for words in ("fetching packages: 40 %", "installing packages: 62 %", "building 120 of 236"):
            self.assertIn(f"\r\x1b[K{words}", shown)
        left = [re.sub(r".*\x1b\[K", "", line) for line in shown.split("\r\n")]
        self.assertEqual(left, ["installing: libfmt-dev", "building ddlsim (once) ...", "answering ...", ""])

    def test_a_failed_build_shows_all_that_it_printed(self):
        result = self.run_program(MISTAKE="yes")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("[119/236] Building CXX object one.cpp.o\n", result.stderr)
        self.assertIn("error: expected ';'\n", result.stderr)
        self.assertTrue(result.stderr.endswith("\n4999\n5000\n"))

    def test_packages_that_cannot_be_fetched_end_it_with_apts_own_words(self):
        result = self.run_program(MISSING="libfmt-dev", NO_NETWORK="yes")
        self.assertEqual(result.returncode, 100)
        self.assertIn("E: Unable to fetch some archives\n", result.stderr)
        self.assertNotIn("building", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
