"""`ddlsim validate --blind`: records that nothing has learnt from, and the log that only grows."""

import json
import subprocess

from program import SOURCE, Case, main, run

LOG = SOURCE / "validate" / "blind.jsonl"
CONTEXT = {"record": "context", "version": 1, "cluster": "bnl-edr-k80", "gpu": "K80", "machine": "planted by a test",
           "software": "none", "date": "2026-11-29", "who": "a test", "source": {"title": "planted"}, "emulated": False}
STEP = {"record": "step", "series": "planted", "origin": "table", "from": "/0", "transport": "nccl-ib", "library": "nccl",
        "statistic": "mean", "model": "resnet50_v1.5", "precision": "fp32", "wire_precision": "fp32", "batch_per_gpu": 64,
        "preset": "pytorch-ddp",
        "strategy": {"name": "ring"}, "algorithm": "unknown", "gpus_per_node": 4, "synchronised": True,
        "data": "synthetic", "mode": "train", "unit": "s"}


def git(*arguments):
    return subprocess.run(["git", "-C", str(SOURCE), *arguments], capture_output=True, text=True, check=False)


def lines_of(steps):
    return "".join(json.dumps(record) + "\n" for record in (CONTEXT, *steps))


class Blind(Case):
    def setUp(self):
        super().setUp()
        if git("rev-parse", "HEAD").returncode != 0:
            self.skipTest("the sources are no git checkout, and a blind score names a commit")
        self.log = self.folder / "blind.jsonl"

    def blind(self, *arguments):
        return run("validate", "--blind", *arguments, "--blind-log", self.log, "--quiet")

    def planted(self, factor=1.0):
        scales = ((1, 1, 1.9), (2, 1, 2.0), (4, 1, 2.1), (8, 2, 2.3))
        return self.write("planted.jsonl", lines_of({**STEP, "gpus": gpus, "nodes": nodes, "value": factor * seconds}
                                                    for gpus, nodes, seconds in scales))

    def test_a_file_gives_a_line_for_each_state_of_knowledge(self):
        told = self.blind(self.planted())
        self.assertEqual(told.returncode, 0, told.stderr)
        entries = [json.loads(line) for line in self.log.read_text().splitlines()]
        self.assertEqual([(one["known"], one["points"]) for one in entries],
                         [("nothing", 4), ("one GPU", 3), ("one node", 1)])
        self.assertEqual(told.stdout.count("| planted | training steps |"), 3)
        self.assertEqual({one["file"] for one in entries}, {"planted.jsonl"})
        self.assertTrue(all(one["refused"] == 0 and one["half_width"] > 0 for one in entries))
        shown = run("validate", "--blind", "--blind-log", self.log)
        self.assertEqual(shown.stdout, told.stdout)

    def test_what_was_asked_is_not_asked_again_of_the_same_model(self):
        self.assertEqual(self.blind(self.planted(), "--one-node-known").returncode, 0)
        before = self.log.read_bytes()
        again = self.blind(self.planted(), "--one-node-known")
        self.assertEqual(again.returncode, 1)
        self.assertIn("before", again.stderr)
        self.assertEqual(self.log.read_bytes(), before)
        other = self.blind(self.planted(2.0), "--one-node-known", "--form-in-sight")
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertTrue(self.log.read_bytes().startswith(before))
        self.assertIn("form chosen in sight", other.stdout)

    def test_records_of_the_platforms_are_refused(self):
        for shipped in ("dell-c4140-v100", "held-out/cpu-16core"):
            records = next((SOURCE / "platforms" / shipped / "measurements").glob("*.jsonl"))
            refused = self.blind(records)
            self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (1, 1), refused.stderr)
            self.assertIn("nothing has learnt from", refused.stderr)
            self.assertFalse(self.log.exists())

    def test_what_is_about_shipped_series_does_not_go_with_it(self):
        for other in (("--split", "T1"), ("--without", "line"), ("--collectives",), ("--cluster", "iris")):
            self.refused(run("validate", *other, "--blind", self.planted()), 2, "--blind")

    def test_a_log_that_was_edited_is_refused_before_anything_is_asked(self):
        self.assertEqual(self.blind(self.planted(), "--one-node-known").returncode, 0)
        self.log.write_text(self.log.read_text().replace('"held":', '"held": '))
        for arguments in ((), (self.planted(2.0),)):
            refused = self.blind(*arguments)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("the log was edited", refused.stderr)

    def test_the_shipped_log_is_whole_and_every_commit_only_added_to_it(self):
        shown = run("validate", "--blind")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        now = LOG.read_text()
        for commit in git("log", "--format=%H", "--", "validate/blind.jsonl").stdout.split():
            self.assertTrue(now.startswith(git("show", f"{commit}:validate/blind.jsonl").stdout), commit)


if __name__ == "__main__":
    main()
