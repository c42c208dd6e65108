"""ddltrain built with MPICH beside Open MPI, and run by MPICH's mpirun: the job that a command starts by itself, the
words of a campaign, and what is told when the mpirun is another MPI's.

python3 mpich_test.py SOURCE_FOLDER BUILD_FOLDER     configures and builds ddltrain there; the first time takes minutes

Skipped (77) where MPICH is not installed (Debian: mpich libmpich-dev).
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
LIMIT_S = 600
SOURCE, BUILD = map(os.path.abspath, sys.argv[1:3])
PROGRAM = os.path.join(BUILD, "bin", "ddltrain")
QUICK = ["--cluster", "testbed", "--repetitions", "5", "--seconds", "1"]


def build():
    subprocess.run(["cmake", "--preset", "release", "-B", BUILD, "-DDDLSIM_BUILD_TESTS=OFF", "-DDDLSIM_BUILD_BENCHMARKS=OFF",
                    "-DDDLSIM_BUILD_TRAINER=ON", "-DMPI_CXX_COMPILER=mpicxx.mpich",
                    "-DMPIEXEC_EXECUTABLE=" + shutil.which("mpirun.mpich")],
                   cwd=SOURCE, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--target", "ddltrain"], check=True, stdout=subprocess.DEVNULL)


class WithMpich(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="ddltrain_mpich_")
        self.addCleanup(shutil.rmtree, self.folder)
        mpirun = os.path.join(self.folder, "mpirun")
        with open(mpirun, "w", encoding="utf-8") as file:  # no link: Hydra looks for its proxy beside itself
            file.write(f'#!/bin/sh\nexec {shutil.which("mpirun.mpich")} "$@"\n')
        os.chmod(mpirun, 0o755)
        self.path = self.folder + ":" + os.environ["PATH"]  # Debian's mpirun is Open MPI's
        self.file = os.path.join(self.folder, "run.jsonl")

    def run_program(self, *words, path=None):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=LIMIT_S, check=False,
                              env={**os.environ, "PATH": path or self.path})

    def records(self, *words):
        done = self.run_program(*words, "--output", self.file)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.file, encoding="utf-8") as lines:
            found = [json.loads(line) for line in lines]
        self.assertIn("MPICH", found[0]["software"])
        return found[1:]

    def test_two_ranks_train_by_the_ring(self):
        records = self.records("train", "--model", "lenet5", "--data", "digits", "--train-samples", "640", "--test-samples",
                               "100", "--ranks", "2", "--strategy", "ring", "--epochs", "2")
        losses = [record["value"] for record in records if record["record"] == "loss"]
        self.assertEqual(len(losses), 2)
        self.assertLess(losses[1], losses[0])
        step = records[-1]
        self.assertEqual((step["record"], step["gpus"], step["library"]), ("step", 2, "mpich"))
        self.assertNotIn("transport", step, "only Open MPI's settings leave no choice")

    def test_messages_are_timed(self):
        records = self.records("link", "--sizes", "4KiB,1MiB", *QUICK)
        self.assertEqual([record["size_bytes"] for record in records], [4096, 1048576])
        self.assertEqual({record["library"] for record in records}, {"mpich"})

    def test_collectives_give_the_right_sums(self):
        records = self.records("collectives", "--sizes", "64KiB", "--ranks", "2", "--operation",
                               "all-reduce,reduce-scatter,all-gather,broadcast", *QUICK)
        self.assertEqual(len(records), 7)  # the ring has no broadcast

    def test_a_campaign_starts_with_hydra(self):
        cluster = os.path.join(self.folder, "platforms", "here")
        os.makedirs(cluster)
        shutil.copy(os.path.join(SOURCE, "platforms", "cpu-2core", "cluster.json"), cluster)
        campaign = {"format": "ddltrain-campaign", "version": 1, "launcher": {"kind": "local"}, "nodes": [1], "repeats": 1,
                    "runs": [{"name": "links", "command": "link", "ranks_per_node": 2,
                              "arguments": ["--sizes", "4KiB", "--seconds", "1"]}]}
        with open(os.path.join(cluster, "campaign.json"), "w", encoding="utf-8") as file:
            json.dump(campaign, file)
        told = self.run_program("measure", "--cluster", "here", "--data", self.folder, "--dry-run")
        self.assertIn("-launcher fork", told.stdout + told.stderr)

    def test_another_mpis_mpirun_is_told(self):
        if "Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout:
            self.skipTest("the mpirun in PATH is not Open MPI's")
        done = self.run_program("link", "--sizes", "4KiB", *QUICK, "--output", self.file, path=os.environ["PATH"])
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("it is the mpirun of another MPI"), 1, done.stderr)


if __name__ == "__main__":
    lacking = [name for name in ("mpicxx.mpich", "mpirun.mpich") if shutil.which(name) is None]
    if lacking:
        print(f"skipped: no {' and no '.join(lacking)} (Debian: mpich libmpich-dev)")
        sys.exit(SKIPPED)
    build()
    unittest.main(argv=sys.argv[:1])
