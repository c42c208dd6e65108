"""Ranks whose clocks differ, as hosts' do: no record changes but in the date, which is rank 0's.

python3 clocks_test.py DDLTRAIN SHIFTED_CLOCK

SHIFTED_CLOCK (shifted_clock.cpp) gives one rank other clocks. Steps and messages are timed by each rank's own monotonic
clock, and no moment is sent to another rank.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SHIFTED_CLOCK = (os.path.abspath(word) for word in sys.argv[1:3])
LIMIT_S = 250
DAY_S = 86400
TRAINING = ("train", "--ranks", "2", "--data", "digits", "--train-samples", "320", "--test-samples", "50", "--epochs", "2")
LONGEST_S = 60  # of a step or message on a busy machine: far below every shift
SHIFTS = {
    "a wall clock that is a day behind": {"SHIFTED_WALL_S": -DAY_S},
    "a wall clock that jumps by an hour at every reading": {"SHIFTED_WALL_S": 3600, "SHIFTED_JUMPS": 1},
    "a host that has been up for longer": {"SHIFTED_MONOTONIC_S": 1000000},
}


def records_of(words, rank=None, shift=()):
    """All records of a job in which that rank has other clocks."""
    with tempfile.TemporaryDirectory(prefix="ddltrain_") as folder:
        file = os.path.join(folder, "run.jsonl")
        environment = dict(os.environ)
        if rank is not None:
            environment |= {"LD_PRELOAD": SHIFTED_CLOCK, "SHIFTED_RANK": str(rank)}
            environment |= {name: str(value) for name, value in dict(shift).items()}
        done = subprocess.run([PROGRAM, *words, "--output", file], capture_output=True, text=True, timeout=LIMIT_S,
                              check=False, env=environment)
        if done.returncode != 0 or "ddltrain:" in done.stderr:
            raise AssertionError(done.stdout + done.stderr)
        with open(file) as lines:
            return [json.loads(line) for line in lines]


def without_times(record):
    """What two runs of one job have in common: all but times, what is said of their spread, and where the file is."""
    of_one_run = ("date", "source", "nodes", "value", "samples_s", "relative_spread", "note", "suspect", "repeats")
    kept = {name: value for name, value in record.items() if name not in of_one_run}
    return kept | ({"value": record["value"]} if record["record"] == "loss" else {})


class Clocks(unittest.TestCase):
    def check(self, words, rank, shift, right):
        """The records are those of clocks that agree, and all times are ones that can be."""
        found = records_of(words, rank, shift)
        self.assertEqual([without_times(record) for record in found], [without_times(record) for record in right])
        for record in found:
            if record.get("unit") == "s":
                for time_s in [record["value"], *record.get("samples_s", [])]:
                    self.assertTrue(0 < time_s < LONGEST_S, record)
        return found

    def check_all(self, *words, ranks=(1,)):
        right = records_of(words)
        for name, shift in SHIFTS.items():
            for rank in ranks:
                with self.subTest(clock=name, rank=rank, words=words):
                    self.check(words, rank, shift, right)

    def test_training_by_a_ring(self):
        self.check_all(*TRAINING, ranks=(0, 1))

    def test_training_as_horovod_does_whose_cycles_are_of_time(self):
        self.check_all(*TRAINING, "--grouping", "fusion")

    def test_training_with_servers(self):
        self.check_all(*TRAINING, "--strategy", "ps")

    def test_messages_and_collectives(self):
        cluster = ("--cluster", "testbed", "--sizes", "1KiB,1MiB", "--seconds", "0.2")
        self.check_all("link", *cluster)
        self.check_all("collectives", *cluster)

    def test_the_date_is_rank_0s(self):
        dates = [records_of(TRAINING, rank, {"SHIFTED_WALL_S": -DAY_S})[0]["date"] for rank in (0, 1)]
        self.assertLess(dates[0], dates[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
