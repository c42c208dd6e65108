"""The measuring commands when a rank fails: the whole job ends, with one message and status 1.

python3 rank_failure_test.py DDLTRAIN
"""
import os
import signal
import sys
import unittest

import processes

MEASURED = ("collectives", "link", "server")
CLUSTER = ("--cluster", "testbed")
# Epochs of five steps: much of the time no step is under way.
ENDLESS = ("--data", "digits", "--train-samples", "320", "--test-samples", "50", "--epochs", "100000")


class RankFailure(processes.OwnProgram):
    ORIGINAL = os.path.abspath(sys.argv[1])

    def test_a_file_that_cannot_be_written(self):
        for command in MEASURED:
            told = self.run_badly(1, command, *CLUSTER, "--output", "/nodir/x")
            self.assertIn("cannot write /nodir/x: No such file or directory", told)
        self.assertIn("/nodir/x", self.run_badly(1, "layers", "lenet5", *CLUSTER, "--output", "/nodir/x"))

    def test_a_full_disk(self):
        for command in MEASURED:
            told = self.run_badly(1, command, *CLUSTER, "--output", "/dev/full")
            self.assertIn("/dev/full: No space left on device", told)
        self.assertIn("/dev/full", self.run_badly(1, "layers", "lenet5", *CLUSTER, "--output", "/dev/full"))

    def test_a_killed_rank(self):
        for command in MEASURED:
            if os.path.exists(self.file):
                os.remove(self.file)
            # More points than the case will see.
            job = self.start(command, *CLUSTER, "--sizes", ",".join(["1MiB"] * 1000), "--seconds", "3600",
                             "--repetitions", "20", "--output", self.file)
            self.assertTrue(processes.wait_for_lines(self.file, 2), "a record is there")
            os.kill(processes.process_of_rank(self.program, 1), signal.SIGKILL)
            _, told = job.communicate(timeout=processes.LIMIT_S)
            self.assertEqual(job.returncode, 1, told)
            self.assertRegex(told, r"rank 1 on host \S+ died of signal 9")
            self.assertEqual(told.count("ddltrain:"), 1, told)

    def stopped(self, rank, *words):
        """What is told of a job, a rank of which is stopped somewhere in it."""
        job = self.start(*words, "--stall-limit", "20", "--output", self.file)
        self.assertTrue(processes.wait_for_lines(self.file, 2), "a record is there")
        os.kill(processes.process_of_rank(self.program, rank), signal.SIGSTOP)  # the launcher ends it with the others
        _, told = job.communicate(timeout=processes.LIMIT_S)
        self.assertEqual(job.returncode, 1, told)
        self.assertEqual(told.count("ddltrain:"), 1, told)
        self.assertRegex(told, rf"ddltrain: rank {rank} on host \S+ has not answered for \d+ s; the job has ended")

    def test_a_rank_stopped_while_links_are_timed(self):
        self.stopped(1, "link", *CLUSTER, "--sizes", ",".join(["1MiB"] * 1000), "--seconds", "3600")

    def test_the_first_rank_stopped_while_it_trains_or_judges(self):
        self.stopped(0, "train", *ENDLESS, "--ranks", "2")

    def test_a_worker_stopped_that_nobody_waits_for(self):
        self.stopped(1, "train", *ENDLESS, "--ranks", "2", "--strategy", "ps-async")

    def test_wrong_use_of_one_option(self):
        told = self.run_badly(2, "link", *CLUSTER, "--sizes", "7")
        self.assertIn("is not a number of whole fp32 elements", told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
