"""`ddlsim-mpi`: the same bytes as ddlsim from any number of ranks.

Started as: python3 FILE DDLSIM SOURCE_FOLDER, with ddlsim-mpi beside ddlsim.
"""

import json
import os
import signal
import subprocess
import time

from program import DDLSIM, SOURCE, Case, main, run

MPIRUN = ["mpirun", "-q", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader",
          "--mca", "plm", "isolated", "--mca", "oob_tcp_if_include", "lo"]
PROGRAM = DDLSIM.parent / "ddlsim-mpi"
SWEEP = ["predict", SOURCE / "scenarios/pascal-vgg16.json", "--sweep", "/batch_per_gpu=16,32,64", "--gpus", "8,64",
         "--strategy", "ring", "--fidelity", "formula", "--csv", "--quiet"]


def words(ranks, *arguments):
    return [*MPIRUN, "-np", str(ranks), PROGRAM, *map(str, arguments)]


def on_ranks(ranks, *arguments):
    return subprocess.run(words(ranks, *arguments), capture_output=True, text=True, timeout=300, check=False)


class Ranks(Case):
    def test_a_sweep_has_the_same_bytes_from_any_number_of_ranks(self):
        alone = run(*SWEEP).stdout
        self.assertEqual(len(alone.splitlines()), 1 + 3 * 2)
        for ranks in (1, 2, 4):
            dealt = on_ranks(ranks, *SWEEP)
            self.assertEqual((dealt.returncode, dealt.stdout), (0, alone), dealt.stderr)

    def test_a_validation_too(self):
        question = ("validate", "--split", "T2", "--cluster", "dell-c4140-v100", "--json", "--quiet")
        self.assertEqual(on_ranks(3, *question).stdout, run(*question).stdout)

    def test_a_plan_too(self):
        question = ("plan", SOURCE / "scenarios/plans/extend-iris.json", "--set", "/samples=40", "--set", "/candidates/0/gpus=[32,64]",
                    "--set", "/candidates/1/gpus=[64]", "--json", "--quiet")
        alone = run(*question, "--threads", "1").stdout
        self.assertEqual(sum(option["simulated"] for option in json.loads(alone)["options"]), 3)
        self.assertEqual(run(*question).stdout, alone)
        for ranks in (1, 2, 4):
            dealt = on_ranks(ranks, *question)
            self.assertEqual((dealt.returncode, dealt.stdout), (0, alone), dealt.stderr)

    def test_what_ranks_had_finished_is_gone_on_from(self):
        """The last task of a journal is lost in the middle: it is done again by ranks that never saw the journal."""
        answer, journal = self.folder / "answer.csv", self.folder / "answer.csv.unfinished"
        job = subprocess.Popen(words(3, *SWEEP, "--output", answer), start_new_session=True, stderr=subprocess.DEVNULL)
        try:
            while job.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 2):
                time.sleep(0.005)
        finally:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
        self.assertFalse(answer.exists(), "the sweep was done before it could be cut off")
        journal.write_bytes(journal.read_bytes()[:-7])
        went_on = on_ranks(4, *SWEEP, "--output", answer, "--resume")
        self.assertEqual(went_on.returncode, 0, went_on.stderr)
        self.assertEqual(answer.read_text(), run(*SWEEP).stdout)
        self.assertEqual(os.listdir(self.folder), ["answer.csv"])

    def test_a_command_that_is_not_dealt_out_is_answered_once(self):
        question = ("predict", SOURCE / "scenarios/pascal-vgg16.json", "--gpus", "8", "--fidelity", "formula", "--quiet")
        self.assertEqual(on_ranks(3, *question).stdout, run(*question).stdout)
        self.assertEqual(on_ranks(3, "--version").stdout, run("--version").stdout)

    def test_files_are_written_once(self):
        answer = self.folder / "answer.csv"
        self.assertEqual(on_ranks(3, *SWEEP, "--output", answer).returncode, 0)
        self.assertEqual(answer.read_text(), run(*SWEEP).stdout)
        self.assertEqual(os.listdir(self.folder), ["answer.csv"])

    def test_a_mistake_is_told_once(self):
        for arguments, code in (((*SWEEP[:1], self.folder / "none.json"), 1), (("predict",), 2)):
            told = on_ranks(3, *arguments)
            self.assertEqual((told.returncode, told.stderr), (code, run(*arguments).stderr))
        self.assertEqual(on_ranks(3, *SWEEP[:-2], "--set", "/precision=fp3").stdout.count("fp3"),
                         run(*SWEEP[:-2], "--set", "/precision=fp3").stdout.count("fp3"))

    def test_the_job_ends_when_a_rank_dies(self):
        many = [*SWEEP[:2], "--sweep", "/batch_per_gpu=" + ",".join(map(str, range(16, 128))), "--gpus", "8,64"]
        job = subprocess.Popen(words(3, *many), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            os.kill(self.a_rank_of(job), signal.SIGKILL)
            out, err = job.communicate(timeout=30)
        finally:
            job.kill()
        self.assertNotEqual(job.returncode, 0)
        self.assertEqual(out, "")

    def a_rank_of(self, job):
        """The last process of ddlsim-mpi that mpirun started, once it has a child that works."""
        for _ in range(300):
            ranks = children_of(job.pid)
            if len(ranks) == 3 and any(children_of(rank) for rank in ranks):
                return ranks[-1]
            time.sleep(0.1)
        self.fail("no rank worked within half a minute")


def children_of(process):
    told = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(word) for word in told.stdout.split()]


if __name__ == "__main__":
    main()
