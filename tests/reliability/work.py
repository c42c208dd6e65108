"""What the tests of this folder share: a small data folder, and the program in a process that can be killed.

A test file is started as: python3 FILE DDLSIM SOURCE_FOLDER [DDLTRAIN] [CASE...]
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "platforms" / "convert"))
from common_lines import line, unfold  # noqa: E402

DDLSIM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
CLUSTER = "azure-nc24rs-v3-v100"
SERIES = ("azure-v100-resnet50-openmpi-nccl-tcp", "azure-v100-mobilenetv2-openmpi-nccl-tcp")
LIMIT_S = 300  # far above what anything here takes; a hang must not hold up the rest

QUESTION = {"format": "ddlsim-scenario", "version": 1, "name": "small", "model": "resnet50_v1", "batch_per_gpu": 64, "precision": "fp32",
            "cluster": CLUSTER, "preset": "horovod", "transport": "nccl-tcp", "gpus": [4, 8], "strategies": [{"name": "ring"}],
            "seed": 1, "samples": 40}
REQUEST = {"format": "ddlsim-plan-request", "version": 1, "name": "small-plan",
           "workload": {"model": "resnet50_v1", "samples": 1e6, "epochs": 3, "batch_per_gpu": 64, "precision": "fp32"},
           "goal": "cost", "limits": {"deadline": "10 h", "nodes": 2},
           "candidates": [{"cluster": CLUSTER, "preset": "horovod", "strategies": [{"name": "ring"}], "gpus": [4, 8],
                           "price": {"kind": "on-demand", "usd_per_node_hour": 12, "source": "typed"}}], "seed": 1, "samples": 40}


def make_data(folder):
    """A few shipped files: one cluster with two of its series, two models."""
    for name in ("platforms/gpus.json", "platforms/priors.json", "scenarios/presets.json", "scenarios/inputs.json",
                 f"platforms/{CLUSTER}/cluster.json", "scenarios/models/resnet50_v1.json", "scenarios/models/mobilenet_v2.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, folder / name)
    shipped = [record for _, record in unfold(next((SOURCE / "platforms" / CLUSTER / "measurements").glob("*.jsonl")).read_text().splitlines())]
    records = folder / "platforms" / CLUSTER / "measurements" / "few.jsonl"
    records.parent.mkdir()
    records.write_text("".join(line(one) + "\n" for one in shipped if one["record"] == "context" or one["series"] in SERIES))
    (folder / "question.json").write_text(json.dumps(QUESTION))
    (folder / "request.json").write_text(json.dumps(REQUEST))
    return folder


def run(*words, program=DDLSIM, **more):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=LIMIT_S, **more)


def start(*words, program=DDLSIM, stderr=subprocess.DEVNULL, **more):
    """In a session of its own, so that whatever it starts is found."""
    return subprocess.Popen([program, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                            start_new_session=True, **more)


def running_in(session):
    """Processes of that session that are neither gone nor zombies that their parent has not asked for."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # ended meanwhile
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(pid))
    return found


def kill(process, patience_s=10):
    """SIGKILL to the program alone. Returns whether all that it had started ended by itself."""
    process.kill()
    process.wait()
    end = time.monotonic() + patience_s
    while left := running_in(process.pid):
        if time.monotonic() > end:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            return False
        time.sleep(0.005)
    return True


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def refused(self, result, code, *words):
        """One message, without a word on standard output."""
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)


def main(more_arguments=0):
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3 + more_arguments:]])
