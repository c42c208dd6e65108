"""`ddltrain train` as a user runs it: it learns, it writes records, and it ends in clear words when something breaks.

python3 train_command_test.py DDLTRAIN DDLSIM
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

import processes
from processes import LIMIT_S

DDLTRAIN, DDLSIM = (os.path.abspath(path) for path in sys.argv[1:3])
FEW_DIGITS = ("--data", "digits", "--train-samples", "320", "--test-samples", "50")


def train(*words, program=DDLTRAIN, **more):
    return subprocess.run([program, "train", *words], capture_output=True, text=True, timeout=LIMIT_S, **more)


def records(file):
    with open(file) as lines:
        text = lines.read()
    assert text.endswith("\n"), "the last line is whole"
    return [json.loads(line) for line in text.splitlines()]


class Train(processes.OwnProgram):
    ORIGINAL = DDLTRAIN

    def run_well(self, *words):
        done = train(*words, "--output", self.file, program=self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        check = subprocess.run([DDLSIM, "check", self.file], capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        return records(self.file)

    def run_badly(self, status, *words, **more):
        return super().run_badly(status, "train", *words, **more)

    def learns(self, *strategy):
        written = self.run_well("--model", "lenet5", "--data", "digits", "--epochs", "3", "--ranks", "2", *strategy)
        losses = [one for one in written if one["record"] == "loss"]
        self.assertEqual([one["epoch"] for one in losses], [1, 2, 3])
        self.assertLess(losses[2]["value"], losses[0]["value"])
        self.assertGreater(losses[2]["accuracy"], 0.9)
        (step,) = [one for one in written if one["record"] == "step"]
        self.assertEqual((step["gpus"], step["nodes"], step["gpus_per_node"]), (2, 1, 2))
        self.assertTrue(step["synchronised"])
        return step

    def test_ring_learns(self):
        step = self.learns("--strategy", "ring")
        self.assertEqual((step["strategy"], step["algorithm"]), ({"name": "ring"}, "ring"))
        self.assertEqual(step["repeats"], 375 - 2)  # 8000 / 64 steps an epoch, the first two are not counted

    def test_parameter_server_learns(self):
        step = self.learns("--strategy", "ps", "--train-samples", "4000", "--test-samples", "500")
        self.assertEqual(step["strategy"], {"name": "ps", "servers": {"count": 1}, "placement": "dedicated",
                                            "sharding": "bytes"})

    def test_one_rank_is_the_base_of_a_speed_up(self):
        written = self.run_well("--data", "digits", "--train-samples", "200", "--test-samples", "50", "--strategy", "none")
        self.assertEqual([one["record"] for one in written], ["context", "loss", "step"])
        self.assertEqual((written[2]["gpus"], written[2]["synchronised"]), (1, False))

    def test_settings_are_recorded(self):
        context, *_, step = self.run_well("--ranks", "2", "--steps", "4", "--threads", "2", "--lr", "0.01", "--momentum",
                                          "0.8", "--weight-decay", "0.001", "--lr-schedule", "2:0.94", "--lr-warm-up", "1",
                                          "--broadcast-buffers", "off")
        wanted = {"compute_threads": "2", "learning_rate": "0.01", "momentum": "0.8", "weight_decay": "0.001",
                  "learning_rate_schedule": "2:0.94", "learning_rate_warm_up_epochs": "1", "broadcast_buffers": "off"}
        self.assertLessEqual(wanted.items(), context["settings"].items())
        self.assertIn("2 compute threads", context["software"])
        self.assertEqual(step["series"], "lenet5-synthetic-ring-buckets-own-buffers-2-threads-b32")

    def test_usual_settings(self):
        context, *_, step = self.run_well("--ranks", "2", "--steps", "4")
        self.assertLessEqual({"compute_threads": "1", "learning_rate": "0.05", "weight_decay": "0",
                              "broadcast_buffers": "on"}.items(), context["settings"].items())
        self.assertEqual(step["series"], "lenet5-synthetic-ring-buckets-b32")

    def test_asynchronous_workers_share_the_usual_learning_rate(self):
        words = ("--ranks", "2", "--steps", "4", "--strategy", "ps-async")
        self.assertEqual(self.run_well(*words)[0]["settings"]["learning_rate"], "0.025")
        self.assertEqual(self.run_well(*words, "--lr", "0.04")[0]["settings"]["learning_rate"], "0.04")

    def test_same_seed_same_losses(self):
        words = (*FEW_DIGITS, "--steps", "5", "--ranks", "2", "--strategy", "ps", "--servers", "2")
        first = [one["value"] for one in self.run_well(*words) if one["record"] == "loss"]
        again = [one["value"] for one in self.run_well(*words) if one["record"] == "loss"]
        self.assertEqual(first, again)

    def test_killed_rank(self):
        job = self.start("train", *FEW_DIGITS, "--epochs", "10000", "--ranks", "2", "--output", self.file)
        self.assertTrue(processes.wait_for_lines(self.file, 4))
        os.kill(processes.process_of_rank(self.program, 1), signal.SIGKILL)
        _, told = job.communicate(timeout=LIMIT_S)
        self.assertEqual(job.returncode, 1)
        self.assertEqual(len(told.strip().splitlines()), 1, told)
        self.assertRegex(told, r"rank 1 on host \S+ died of signal 9")
        self.assertGreater(len(records(self.file)), 2)

    def test_loss_that_is_no_number(self):
        told = self.run_badly(1, *FEW_DIGITS, "--ranks", "2", "--lr", "1e30", "--output", self.file)
        self.assertRegex(told, r"loss of step \d+ is -?(nan|inf) on rank \d on host \S+; a lower --lr")
        self.assertEqual(records(self.file)[0]["record"], "context")

    def test_loss_that_is_ignored(self):
        written = self.run_well("--ranks", "2", "--steps", "6", "--lr", "1e30", "--ignore-loss")
        self.assertEqual([one["record"] for one in written], ["context", "step"])

    def test_out_of_memory(self):
        told = self.run_badly(1, "--model", "mobilenet_v2", "--batch", "2147483647", "--strategy", "none")  # 1.3 PB
        self.assertRegex(told, r"allocate memory: .*; a smaller --batch takes less memory$")

    def test_full_disk(self):
        told = self.run_badly(1, *FEW_DIGITS, "--ranks", "2", "--output", "/dev/full")
        self.assertIn("/dev/full: No space left on device", told)

    def job_of_two(self, first, second):
        command = ["mpirun", "-q", "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated"]
        return subprocess.run([*command, "-np", "1", *first, ":", "-np", "1", *second], capture_output=True, text=True,
                              timeout=LIMIT_S)

    def test_other_program_on_one_rank(self):
        other = os.path.join(self.folder, "other")
        shutil.copy(DDLTRAIN, other)
        with open(other, "ab") as file:
            file.write(b"x")  # another build: one byte is enough
        done = self.job_of_two([self.program, "train", "--ranks", "2"], [other, "train", "--ranks", "2"])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^ddltrain: rank 1 on host \S+ runs ddltrain \S+ build \w+, but rank 0")

    def test_other_arguments_on_one_rank(self):
        done = self.job_of_two([self.program, "train"], [self.program, "train", "--batch", "7"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("rank 1", done.stderr)
        self.assertIn("--batch 7", done.stderr)

    def test_without_gpu(self):
        for words in (("--device", "cuda"), ("--device", "cuda", "--backend", "nccl", "--ranks", "2")):
            done = train("--steps", "1", *words, program=self.program)
            if done.returncode != 0:  # there is no GPU
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, "no GPU can be used|the NVIDIA driver is too old|has compute capability")
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_wrong_use(self):
        # before any rank is started, and by a rank; train_options_test.cpp has the other sentences
        self.assertIn("unknown --strategy \"rong\"", self.run_badly(2, "--strategy", "rong"))
        self.assertIn("3 colocated servers on 2 workers",
                      self.run_badly(2, "--ranks", "2", "--strategy", "ps", "--placement", "colocated", "--servers", "3"))
        self.assertIn("use --data synthetic", self.run_badly(2, "--model", "mobilenet_v2", *FEW_DIGITS))
        self.assertIn("train-images-idx3-ubyte", self.run_badly(1, "--data", self.folder))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
