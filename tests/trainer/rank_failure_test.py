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
        """What is told of a job, a rank of which is stopped once it is well under way."""
        job = self.start(*words, "--stall-limit", "20", "--output", self.file)
        self.assertTrue(processes.wait_for_lines(self.file, 2), "a record is there")
        os.kill(processes.process_of_rank(self.program, rank), signal.SIGSTOP)  # mpirun ends it too
        _, told = job.communicate(timeout=processes.LIMIT_S)
        self.assertEqual(job.returncode, 1, told)
        self.assertEqual(told.count("ddltrain:"), 1, told)
        return told

    @unittest.skipUnless(os.environ.get("DDLTRAIN_STOPPED_RANKS"),
                         "a rank stopped between two sizes or epochs is not watched; set DDLTRAIN_STOPPED_RANKS to try")
    def test_a_stopped_rank_is_named(self):
        told = self.stopped(1, "link", *CLUSTER, "--sizes", ",".join(["1MiB"] * 1000), "--seconds", "3600")
        self.assertRegex(told, r"rank 1 on host \S+ does not answer, and the job has not got on for \d+ s")

    @unittest.skipUnless(os.environ.get("DDLTRAIN_STOPPED_RANKS"),
                         "a rank stopped between two sizes or epochs is not watched; set DDLTRAIN_STOPPED_RANKS to try")
    def test_the_stopped_first_rank_is_named(self):
        told = self.stopped(0, "train", "--data", "digits", "--train-samples", "320", "--test-samples", "50", "--epochs",
                            "100000", "--ranks", "2")
        self.assertRegex(told, r"rank 0 on host \S+ does not answer")

    def test_wrong_use_of_one_option(self):
        told = self.run_badly(2, "link", *CLUSTER, "--sizes", "7")
        self.assertIn("is not a number of whole fp32 elements", told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
