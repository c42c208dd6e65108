#!/usr/bin/env python3
"""Lets libFuzzer feed every reader and every question: ./run fuzz [SECONDS [TARGET...]]

usage: fuzz.py FOLDER_OF_PROGRAMS FOLDER_OF_WORK SECONDS [TARGET...]

SECONDS, of all targets together, are shared among them. Good inputs come from the tables (tests/fuzz/readers.cpp,
trainer_readers.cpp, answers.cpp); what is found on the way is kept in FOLDER_OF_WORK/corpus and used again, what breaks a target in
FOLDER_OF_WORK/found. Exit code 1 where something broke.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

PROGRAMS = ("fuzz_readers", "fuzz_trainer", "fuzz_answers")
LIMIT_S = 60  # that an input may take: under the sanitizers, beside other work, ten times as long as for a user
MOST_MB = 2048  # of memory, that of the sanitizers included
LONGEST_INPUT = 16384


def targets_of(program):
    return subprocess.run([program, "--targets"], capture_output=True, text=True, check=True).stdout.split()


def figure(log, name):
    found = re.search(rf"stat::{name}:\s+(\d+)", log)
    return int(found[1]) if found else 0


class Fuzzing:
    def __init__(self, programs, work, seconds, wanted):
        self.work = pathlib.Path(work).resolve()
        self.rows = [(programs / name, target) for name in PROGRAMS if (programs / name).exists()
                     for target in targets_of(programs / name) if not wanted or target in wanted]
        unknown = set(wanted) - {target for _, target in self.rows}
        if unknown or not self.rows:
            sys.exit(f"fuzz.py: no target {' '.join(sorted(unknown))}; fuzz_readers, fuzz_trainer and fuzz_answers --targets list them")
        self.seconds = max(1, seconds // len(self.rows))

    def seeds(self, program):
        folder = self.work / "seeds"
        subprocess.run([program, f"--seeds={folder}"], check=True)
        return folder

    def feed(self, program, target):
        """Returns the table's row, and whether something broke."""
        corpus, found, temporary = (self.work / name / target for name in ("corpus", "found", "tmp"))
        for folder in (corpus, found, temporary):
            folder.mkdir(parents=True, exist_ok=True)
        words = [program, f"--target={target}", f"-max_total_time={self.seconds}", f"-timeout={LIMIT_S}", f"-rss_limit_mb={MOST_MB}",
                 f"-max_len={LONGEST_INPUT}", "-print_final_stats=1", f"-artifact_prefix={found}/", corpus, self.seeds(program) / target]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", env={**os.environ, "TMPDIR": str(temporary)})
        shutil.rmtree(temporary)
        if done.returncode != 0:
            (found / "log").write_text(done.stderr)
        row = [target, f"{figure(done.stderr, 'number_of_executed_units'):,}", str(self.seconds),
               f"{figure(done.stderr, 'average_exec_per_sec'):,}", str(figure(done.stderr, "peak_rss_mb")),
               "nothing" if done.returncode == 0 else f"{found}/log"]
        return row, done.returncode != 0

    def run(self):
        print("| target | inputs | seconds | a second | MB | found |\n|---|---|---|---|---|---|")
        broken = False
        for program, target in self.rows:
            row, broke = self.feed(program, target)
            print(f"| {' | '.join(row)} |", flush=True)
            broken = broken or broke
        return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(Fuzzing(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3]), sys.argv[4:]).run())
