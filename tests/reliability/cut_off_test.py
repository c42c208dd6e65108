"""Killed at any moment a command leaves the old file or the new one, never half of one; the next run is as if nothing had been.

python3 cut_off_test.py DDLSIM SOURCE_FOLDER DDLTRAIN|none [CASE...]; DDLSIM_KILLS: kills of each command (2). Half of the
moments are random, half are when the file is being written: as soon as something is seen in its folder. Prints a table.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from work import CLUSTER, LIMIT_S, SOURCE, Case, kill, main, make_data, run, start

KILLS = int(os.environ.get("DDLSIM_KILLS", "2"))
DDLTRAIN = None if sys.argv[3] == "none" else Path(sys.argv[3]).resolve()
OLD = b"what was there before\n"
TABLE = []


class CutOff(Case):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()
        make_data(self.data)
        self.out = self.folder / "out"
        self.out.mkdir()

    def left_beside(self, name):
        return sorted(one.name for one in self.out.iterdir() if one.name != name)

    def wait_for_moment(self, process, random_s, name):
        """Until the time is up; without one, until the folder shows something new."""
        began = time.monotonic()
        while process.poll() is None:
            if random_s is None and self.left_beside(name):
                return
            if random_s is not None and time.monotonic() - began > random_s:
                return

    def finish(self, words):
        """Seconds of an undisturbed run."""
        began = time.monotonic()
        done = run(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return time.monotonic() - began

    def cut(self, name, *words):
        """Kills the command that writes out/NAME, again and again."""
        file = self.out / name
        words = [*words, "--data", self.data, "--quiet"]
        file.write_bytes(OLD)
        takes_s = self.finish(words)
        new = file.read_bytes()
        draw = random.Random(name)
        count = {"kills": 0, "old": 0, "new": 0, "temporary": 0}
        for number in range(KILLS):
            file.write_bytes(OLD)
            process = start(*words)
            self.wait_for_moment(process, draw.uniform(0, takes_s) if number % 2 == 0 else None, name)
            count["kills"] += process.poll() is None
            self.assertTrue(kill(process), f"{name}: processes were left behind")
            found = file.read_bytes()
            self.assertIn(found, (OLD, new), f"{name}: neither the old file nor the new one")
            count["old" if found == OLD else "new"] += 1
            left = self.left_beside(name)
            self.assertLessEqual(len(left), 1, left)
            for one in left:  # docs/trust.md
                self.assertRegex(one, rf"^\.{name}\.\w{{6}}$")
                (self.out / one).unlink()
                count["temporary"] += 1
        file.write_bytes(OLD)
        self.finish(words)
        self.assertEqual(file.read_bytes(), new)
        self.assertEqual([one.name for one in self.out.iterdir()], [name])
        TABLE.append((name, *count.values()))

    def interrupt(self, name, tasks, *words):
        """Sends SIGINT and SIGTERM in turns while tasks run: one line says how far it was, and nothing is written."""
        file = self.out / name
        words = [*words, "--data", self.data, "--threads", "1", "--output", file, "--quiet"]
        self.finish(words)
        draw = random.Random(name)
        told = 0
        for number in range(KILLS):
            ends_by = (signal.SIGINT, signal.SIGTERM)[number % 2]
            file.write_bytes(OLD)
            process = start(*words, stderr=subprocess.PIPE, text=True)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while process.poll() is None and len(children.read_text().split()) < 2:  # the fork server, and a task
                pass
            time.sleep(draw.uniform(0, 0.1))
            process.send_signal(ends_by)
            said = process.communicate(timeout=LIMIT_S)[1]
            self.assertTrue(kill(process), f"{name}: processes were left behind")
            if process.returncode in (0, 3):  # it was done before the signal
                continue
            told += 1
            self.assertEqual(process.returncode, -ends_by, said)
            self.assertRegex(said, rf"\Ainterrupted: \d+ of \d+ {tasks} were answered; nothing was written\n\Z")
            self.assertEqual(file.read_bytes(), OLD)
            self.assertEqual(self.left_beside(name), [])
        self.assertGreater(told, 0, "nothing could be interrupted")
        TABLE.append((f"{name}, interrupted", told, told, KILLS - told, 0))

    def test_the_fork_server_alone(self):
        """The process that forks simulations, the program's first child, is killed while the program waits for them."""
        file = self.out / "answer.json"
        words = ["predict", self.data / "question.json", "--json", "--output", file, "--data", self.data, "--quiet"]
        takes_s = self.finish(words)
        new = file.read_bytes()
        draw = random.Random("fork server")
        ended = 0
        for _ in range(KILLS):
            file.write_bytes(OLD)
            process = start(*words, stderr=subprocess.PIPE, text=True)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while process.poll() is None and not children.read_text():
                pass
            time.sleep(draw.uniform(0, takes_s))
            if process.poll() is None and (server := children.read_text().split()):
                os.kill(int(server[0]), signal.SIGKILL)
            told = process.communicate(timeout=LIMIT_S)[1]
            if process.returncode != 0:
                ended += 1
                self.assertEqual(process.returncode, 1, told)
                self.assertEqual(told, "the simulation process ended early: it was killed, by a person or for want of memory\n")
            self.assertEqual(file.read_bytes(), new if process.returncode == 0 else OLD)
            self.assertTrue(kill(process), "processes were left behind")
        TABLE.append(("answer.json, fork server killed", ended, ended, KILLS - ended, 0))

    def test_an_interrupted_sweep(self):
        batches = ",".join(map(str, range(16, 32)))
        self.interrupt("sweep.json", "questions", "predict", self.data / "question.json", "--sweep", f"/batch_per_gpu={batches}", "--json")

    def test_an_interrupted_plan(self):
        scales = ",".join(str(4 * nodes) for nodes in range(1, 11))
        self.interrupt("plan.json", "options", "plan", self.data / "request.json", "--set", f"/candidates/0/gpus=[{scales}]", "--set",
                       "/limits/nodes=40", "--json")

    def test_an_interrupted_validation(self):
        self.interrupt("validation.json", "parts", "validate", "--cluster", CLUSTER, "--split", "T1,T2", "--json")

    def test_an_ignored_interrupt_stays_ignored(self):
        """As in `ddlsim ... &` of a script, which a Ctrl-C at the terminal does not end."""
        file = self.out / "sweep.csv"
        process = start("predict", self.data / "question.json", "--sweep", "/batch_per_gpu=16,32,64,96", "--csv", "--data", self.data, "--output",
                        file, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(file.exists())

    def test_calibrate(self):
        self.cut("calibration.json", "calibrate", "--cluster", CLUSTER, "--output", self.out / "calibration.json")

    def test_kernel_rates(self):
        shutil.copytree(SOURCE / "platforms" / "kernels", self.data / "platforms" / "kernels")
        self.cut("rates.json", "calibrate", "--kernels", "--output", self.out / "rates.json")

    def test_predict(self):
        self.cut("answer.json", "predict", self.data / "question.json", "--json", "--output", self.out / "answer.json")

    def test_a_page(self):
        self.cut("page.html", "predict", self.data / "question.json", "--html", self.out / "page.html")

    def test_validate(self):
        self.cut("validation.html", "validate", "--cluster", CLUSTER, "--split", "T1", "--html", self.out / "validation.html")

    def test_the_layer_table_of_a_trace(self):
        self.cut("layers.json", "import", "kineto", SOURCE / "tests/fuzz/seeds/kineto-lenet5.json", "--cluster", CLUSTER, "--set",
                 "batch_per_gpu=16", "--layers", self.out / "layers.json", "--output", self.folder / "records.jsonl")

    def test_plan(self):
        self.cut("plan.json", "plan", self.data / "request.json", "--json", "--output", self.out / "plan.json")

    def test_a_sweep(self):
        self.cut("sweep.csv", "predict", self.data / "question.json", "--sweep", "/batch_per_gpu=16,32,64,96", "--csv", "--output",
                 self.out / "sweep.csv")

    def test_a_trace(self):
        self.cut("trace.json", "predict", self.data / "question.json", "--trace", self.out / "trace.json")


class Trainer(Case):
    """A file of records grows while it is measured: every line that is there is whole, the last one too."""

    def test_train(self):
        if DDLTRAIN is None:
            self.skipTest("ddltrain is not built")
        file = self.folder / "run.jsonl"
        words = ("train", "--data", "digits", "--train-samples", "320", "--test-samples", "50", "--epochs", "10000", "--strategy", "none",
                 "--output", file)
        draw = random.Random("train")
        lines = 0
        for _ in range(KILLS):
            file.unlink(missing_ok=True)
            process = start(*words, program=DDLTRAIN)
            while process.poll() is None and not (file.exists() and file.read_bytes().count(b"\n") > 1):
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.2))
            self.assertIsNone(process.poll(), "the training ended by itself")
            self.assertTrue(kill(process), "processes were left behind")
            text = file.read_text()
            self.assertTrue(text.endswith("\n"), text[-200:])
            lines += len([json.loads(line) for line in text.splitlines()])
            self.assertEqual([one.name for one in self.folder.iterdir()], [file.name])
        checked = run("check", file)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        TABLE.append((f"run.jsonl ({lines} whole lines)", KILLS, 0, KILLS, 0))


    def test_a_campaign_goes_on(self):
        """Killed again and again, it has all its records in the end, each once."""
        if DDLTRAIN is None:
            self.skipTest("ddltrain is not built")
        data, out = self.folder / "data", self.folder / "out"
        make_campaign(data)
        words = ("measure", "--cluster", "here", "--data", data, "--output", out)
        draw = random.Random("campaign")
        kills = 0
        for _ in range(max(1, KILLS // 4)):
            process = start(*words, program=DDLTRAIN)
            time.sleep(draw.uniform(0.2, 3))
            kills += process.poll() is None
            self.assertTrue(kill(process, patience_s=60), "processes were left behind")
            for file in [*out.glob("*.jsonl"), *out.glob("parts/*.jsonl")]:
                text = file.read_text()
                self.assertTrue(text.endswith("\n"), file)
                self.assertTrue([json.loads(line) for line in text.splitlines()], file)
        done = run(*words, program=DDLTRAIN)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(line) for line in (out / "train.jsonl").read_text().splitlines()]
        self.assertEqual(sorted(one["batch_per_gpu"] for one in records if one["record"] == "step"), [8, 16, 32])
        again = run(*words, program=DDLTRAIN)
        self.assertIn("0 of them to run", again.stderr)
        TABLE.append(("train.jsonl of a campaign", kills, 0, kills, 0))


def make_campaign(data):
    """Three trainings of LeNet-5 on this machine, a second each."""
    make_data(data)
    cluster = json.loads((data / "platforms" / CLUSTER / "cluster.json").read_text())
    cluster["name"] = "here"
    cluster["node"].update(gpu="", gpus=1, intra={"kind": "none"})
    for key in ("prices", "storage", "borrows"):
        cluster.pop(key, None)
    cluster["sources"] = {place: "a test" for place in ("/node", "/fabric", "/available", "/growth")}
    folder = data / "platforms" / "here"
    folder.mkdir()
    (folder / "cluster.json").write_text(json.dumps(cluster))
    arguments = ["--model", "lenet5", "--data", "digits", "--train-samples", "320", "--test-samples", "50", "--epochs", "2", "--strategy",
                 "none", "--anonymous"]
    (folder / "campaign.json").write_text(json.dumps({
        "format": "ddltrain-campaign", "version": 1, "launcher": {"kind": "local", "busy_cores": 1000},
        "runs": [{"name": "train", "command": "train", "nodes": [1], "ranks_per_node": 1, "arguments": arguments,
                  "each": {"--batch": ["8", "16", "32"]}}]}))


def tearDownModule():
    print("| file | killed while it ran | old | new | left a temporary file |\n|---|---|---|---|---|")
    for row in TABLE:
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main(more_arguments=1)
