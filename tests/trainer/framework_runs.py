"""What the tests of each framework share: how a script is run, and what its records must say. The test's command line is
frameworks_test.py's."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from processes import LIMIT_S, OwnProgram, environment_of, wait_for_lines

DDLTRAIN, DDLSIM, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
ENVIRONMENT = sys.argv[4]
DIGITS = ["--data", "digits", "--train-samples", "512", "--test-samples", "100", "--epochs", "2"]
# One process adds a batch's gradients in one sum, two workers in two and then those: fp32's rounding (6e-8 of a value), which 16
# steps multiply. The first epochs' losses were alike to four digits; a worker left out moves them by more than 1e-2.
SAME_LOSS = 1e-3


def skip(cause):
    print(f"skipped: {cause}")
    sys.exit(0)


class Frameworks(OwnProgram):
    ORIGINAL = DDLTRAIN
    PROFILE = {"format": "ddltrain-profile", "version": 1, "model": "lenet5", "gpu": "V100-SXM2-16GB", "precision": "fp32", "batch": 8,
               "source": "this test", "layers": [{"name": name, "forward_s": 0.001, "backward_s": 0.002}
                                                 for name in ("conv1", "pool1", "conv2", "fc1", "fc2", "fc3")]}

    def profile(self, **changed):
        """The file of a profile, 18 ms a step."""
        file = os.path.join(self.folder, "profile.json")
        pathlib.Path(file).write_text(json.dumps({**self.PROFILE, **changed}))
        return file

    def train(self, name, *words):
        """The records of a run."""
        done = subprocess.run([DDLTRAIN, "framework", name, *words, "--output", self.file], capture_output=True, text=True,
                              timeout=LIMIT_S, check=False, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        checked = subprocess.run([DDLSIM, "check", self.file], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        with open(self.file) as lines:
            return [json.loads(line) for line in lines]

    def hold_server(self, server, preset, steps):
        """A push and a pull of each of LeNet-5's ten tensors by each of two workers."""
        self.assertEqual((server["record"], server["what"], server["preset"]), ("server", "training", preset))
        self.assertEqual((server["workers"], server["nodes"], server["repeats"]), (2, 1, steps))
        self.assertEqual((server["bytes"], server["messages"]), (246824 * 2 * 2 * steps, 10 * 2 * 2 * steps))
        self.assertGreater(server["processor_s"], 0)
        self.assertRegex(server["note"], r"^others kept [0-9.]+ cores busy(, after this process)?$")

    def load(self, name, form, decode="on", kind=""):
        """Two counts of workers read a few pictures. kind: of workers, where it is not the script's first."""
        disk = pathlib.Path(self.folder, "disk")
        disk.mkdir(exist_ok=True)
        records = self.train(name, "--pictures", "64", "--batch", "8", "--repeats", "2", "--format", form, "--workers", "1,2",
                             "--folder", str(disk), "--decode", decode, *(["--workers-are", kind] if kind else []))
        self.assertEqual([record["record"] for record in records], ["context", "input", "input"])
        form += ("" if decode == "on" else "-undecoded") + (f"-{kind}" if kind else "")
        for record, workers in zip(records[1:], (1, 2)):
            self.assertEqual((record["series"], record["what"], record["repeats"]), (f"{name}-{form}-w{workers}", "loader", 2))
            size = int(re.search(r"64 JPEG pictures of (\d+) bytes", record["note"])[1])
            self.assertAlmostEqual(size, 114660, delta=10000)  # ImageNet's mean (scenarios/inputs.json)
        self.assertEqual(os.listdir(disk), [])  # the pictures are gone

    def load_from_a_server(self, name):
        few = ["--pictures", "64", "--batch", "8", "--repeats", "2", "--workers", "1,2", "--storage", "http"]
        for decode, words in (("on", []), ("off", ["--decode", "off", "--link-rate", "100"])):
            records = self.train(name, *few, "--servers", "1", *words)[1:]
            begin, made = (f"{name}-files-http", "decoded, cropped") if decode == "on" else \
                (f"{name}-files-http-100m", "over a link of 100 Mbit/s, not decoded")
            undecoded = "" if decode == "on" else "-undecoded"
            self.assertEqual([(record["series"], record["what"]) for record in records],
                             [(f"{begin}-storage", "storage"), (f"{begin}{undecoded}-w1", "loader"), (f"{begin}{undecoded}-w2", "loader")])
            self.assertTrue(all(made in record["note"] and record["repeats"] == 2 for record in records[1:]))
        self.assertIn("needs one more that serves", self.refused(name, *few))

    def replay(self, name, file, *words):
        """Six steps that wait 18 ms each."""
        context, step = self.train(name, "--batch", "8", "--steps", "6", "--replay", file, *words)
        self.assertEqual((context["emulated"], step["record"], "device" in step), (True, "step", False))
        self.assertTrue(all(sample >= 0.018 * 0.9999 for sample in step["samples_s"]), step)  # written with four digits

    def hold_to_profile(self, environment, text):
        """The program `text` prints LeNet-5's gradients, last first: size and time ready, of layers of 50 ms forward and 100 backward."""
        done = subprocess.run([ROOT / "build" / "frameworks" / environment / "bin" / "python3", "-c", text], capture_output=True,
                              text=True, check=True, cwd=ROOT / "trainer" / "frameworks")
        ready = [(int(size), float(time_s)) for size, time_s in map(str.split, done.stdout.splitlines())]
        self.assertEqual([size for size, _ in ready], [10, 840, 84, 10080, 120, 48000, 16, 2400, 6, 150])
        for number, (_, time_s) in enumerate(ready):
            self.assertGreaterEqual(time_s, 0.25 + 0.1 * (number // 2 + 1))
        self.assertGreater(ready[-1][1] - ready[0][1], 0.1)  # 0.4 where no thread is late

    def losses(self, records):
        return [record["value"] for record in records if record["record"] == "loss"]

    def hold_to_one_process(self, name, *shared_words):
        alone = self.losses(self.train(name, *DIGITS, "--strategy", "none", "--global-batch", "64"))
        records = self.train(name, *DIGITS, *shared_words, "--global-batch", "64")
        self.assertEqual((len(alone), records[0]["emulated"]), (2, False))
        for one, several in zip(alone, self.losses(records)):
            self.assertAlmostEqual(one, several, delta=SAME_LOSS)
        return records[-1]

    def kill_a_rank(self, name, *words):
        """The job's only message when the script of rank 1 is killed."""
        job = subprocess.Popen([DDLTRAIN, "framework", name, "--data", "digits", "--epochs", "500", "--output", self.file, *words],
                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=ROOT)
        self.assertTrue(wait_for_lines(self.file, 2))
        scripts = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                   if b'DDLTRAIN_JOB={"rank":1' in environment_of(pid) and self.file.encode() in self.words_of(pid)]
        os.kill(min(scripts), signal.SIGKILL)
        told = job.communicate(timeout=LIMIT_S)[1]
        self.assertEqual(job.returncode, 1, told)
        self.assertEqual(told, f"ddltrain: {name} of rank 1 died of signal 9 (Killed); the job has ended. Records written so far "
                               "are kept.\n")
        for _ in range(100):
            if not any(self.file.encode() in self.words_of(pid) for pid in filter(str.isdigit, os.listdir("/proc"))):
                return
            time.sleep(0.1)
        self.fail("processes were left behind")

    @staticmethod
    def words_of(pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return file.read()
        except OSError:
            return b""  # ended meanwhile

    def refused(self, *words):
        done = subprocess.run([DDLTRAIN, "framework", *words], capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd=ROOT)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr


# The same figures stand in data_test.cpp.
