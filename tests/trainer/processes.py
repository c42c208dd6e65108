"""Processes of one test case, told from all others by the program file they run: a copy of the case's own."""
import os
import shutil
import subprocess
import tempfile
import time
import unittest

LIMIT_S = 250  # far above what anything here takes, on a busy machine too; a hang must not hold up the rest


def ranks_of(program):
    """Process ids that run this file."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") == program:
                found.append(int(pid))
        except OSError:
            pass  # ended meanwhile
    return found


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""  # ended meanwhile


def process_of_rank(program, rank):
    """The process id of that rank; None while there is none."""
    word = f"OMPI_COMM_WORLD_RANK={rank}\0".encode()
    found = [pid for pid in ranks_of(program) if word in environment_of(pid)]
    return found[0] if found else None


def lines_in(file):
    """Whole lines of a file that is being written; 0 while there is none."""
    if not os.path.exists(file):
        return 0
    with open(file) as lines:
        return lines.read().count("\n")


def wait_for_lines(file, count):
    """Returns whether the file has come to hold so many whole lines."""
    end = time.time() + LIMIT_S
    while time.time() < end and lines_in(file) < count:
        time.sleep(0.05)
    return lines_in(file) >= count


class OwnProgram(unittest.TestCase):
    """A case with a folder, a file for records, and a copy of the program; it fails when processes are left behind."""

    ORIGINAL = ""  # the program to copy

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="ddltrain_")
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = os.path.join(self.folder, "run.jsonl")
        self.program = os.path.join(self.folder, "ddltrain")
        shutil.copy(self.ORIGINAL, self.program)

    def tearDown(self):
        for _ in range(600):
            if not ranks_of(self.program):
                return
            time.sleep(0.1)
        self.fail("processes were left behind")

    def run_badly(self, status, *words, **more):
        """What the program told: one line, and this exit status."""
        done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=LIMIT_S, check=False, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr

    def start(self, *words):
        """A job under way, whose standard error is a pipe."""
        return subprocess.Popen([self.program, *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
