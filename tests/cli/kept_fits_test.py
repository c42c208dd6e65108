"""Calibrations as a cache: what the first question of a cluster says, keeps and answers, and what becomes of what is kept."""

import json
import os
import shutil
import subprocess

from program import DDLSIM, SOURCE, Case, lines_of_records, main, run


class KeptFits(Case):
    """A copy of a few shipped files: one cluster with two records of a series, one without records; a cache of its own."""

    CLUSTER = "azure-nc24rs-v3-v100"
    SERIES = "azure-v100-mobilenetv2-openmpi-nccl-tcp"

    def setUp(self):
        super().setUp()
        for name in ("platforms/gpus.json", "platforms/priors.json", "scenarios/presets.json", f"platforms/{self.CLUSTER}/cluster.json",
                     "platforms/gcp-a3ultra-h200/cluster.json", "scenarios/models/mobilenet_v2.json"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.folder / name)
        cluster = self.folder / "platforms" / self.CLUSTER
        (cluster / "measurements").mkdir()
        source = next((SOURCE / "platforms" / self.CLUSTER / "measurements").glob("*.jsonl"))
        lines = lines_of_records(source)
        self.records = cluster / "measurements" / "few.jsonl"
        self.records.write_text("".join(lines[:1] + [line for line in lines if json.loads(line).get("series") == self.SERIES]))
        self.written = cluster / "calibration.json"
        self.kept = self.folder / "cache"
        before = os.environ.get("DDLSIM_CACHE")
        os.environ["DDLSIM_CACHE"] = str(self.kept)
        self.addCleanup(lambda: os.environ.update(DDLSIM_CACHE=before) if before else os.environ.pop("DDLSIM_CACHE", None))
        scenario = {"format": "ddlsim-scenario", "version": 1, "name": "small", "model": "mobilenet_v2", "batch_per_gpu": 64,
                    "precision": "fp32", "cluster": self.CLUSTER, "preset": "horovod", "transport": "nccl-tcp",
                    "gpus": [8, 32], "strategies": [{"name": "ring"}], "efficiency_bound": 0.8, "seed": 1,
                    "one_gpu_samples_per_s": 800}
        self.question = ["predict", self.write("small.json", json.dumps(scenario)), "--data", self.folder, "--json",
                         "--fidelity", "formula"]

    def ask(self, *more):
        done = run(*self.question, *more, told=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def files(self):
        return sorted(self.kept.glob("*.json"))

    def test_the_first_question_says_that_it_fits_and_the_next_does_not(self):
        first = self.ask()
        self.assertRegex(first.stderr, rf"^fitting {self.CLUSTER} to its \d+ records, kept in {self.kept}\n$")
        self.assertEqual([file.name.rsplit("-", 1)[0] for file in self.files()], [self.CLUSTER])
        self.assertIn("calibrated", {point["evidence"] for point in json.loads(first.stdout)["points"]})
        second = self.ask()
        self.assertEqual((second.stdout, second.stderr), (first.stdout, ""))
        kept = self.files()[0].read_bytes()
        shutil.rmtree(self.kept)
        self.assertEqual((self.ask("--quiet").stdout, self.ask().stderr), (first.stdout, ""))
        self.assertEqual(self.files()[0].read_bytes(), kept)
        self.assertEqual(run("check", self.files()[0], "--data", self.folder).returncode, 0)

    def test_two_at_once_answer_the_same_and_one_fits(self):
        words = [DDLSIM, *map(str, self.question)]
        both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        said = [process.communicate(timeout=1800) for process in both]
        self.assertEqual(said[0][0], said[1][0])
        self.assertEqual(sorted(error.count("fitting") for _, error in said), [0, 1])
        self.assertEqual(len(self.files()), 1)
        self.assertEqual(self.ask().stdout, said[0][0])

    def test_a_sweep_fits_once(self):
        done = run("predict", self.question[1], "--data", self.folder, "--sweep", "/batch_per_gpu=32,64", "--fidelity", "formula", told=True)
        self.assertEqual(done.stderr.count("fitting"), 1, done.stderr)

    def test_records_that_changed_are_fitted_anew_and_the_former_ones_are_known_again(self):
        before = self.ask()
        content = self.records.read_text()
        self.records.write_text(content + "\n")
        self.assertEqual(self.ask().stderr.count("fitting"), 1)
        self.assertEqual(len(self.files()), 2)
        self.records.write_text(content)
        self.assertEqual((self.ask().stdout, self.ask().stderr), (before.stdout, ""))

    def test_a_file_that_a_user_had_written_holds_until_something_changes(self):
        fitted = self.ask()
        shutil.rmtree(self.kept)
        self.assertEqual(run("calibrate", "--cluster", self.CLUSTER, "--data", self.folder, "--quiet").returncode, 0)
        self.assertTrue(self.written.exists())
        self.assertEqual((self.ask().stdout, self.ask().stderr), (fitted.stdout, ""))
        self.assertFalse(self.kept.exists())
        self.records.write_text(self.records.read_text() + "\n")
        again = self.ask()
        self.assertEqual(again.stderr.count("\n"), 1)
        self.assertIn("calibration.json was fitted to other files, or by another model", again.stderr)
        self.assertEqual(json.loads(again.stdout)["points"], json.loads(fitted.stdout)["points"])

    def test_a_kept_file_that_was_cut_off_is_fitted_anew(self):
        fitted = self.ask()
        file = self.files()[0]
        whole = file.read_bytes()
        file.write_bytes(whole[:len(whole) // 2])
        again = self.ask()
        self.assertEqual((again.stdout, again.stderr.count("\n")), (fitted.stdout, 1))
        self.assertIn(f"; {file} is damaged", again.stderr)
        self.assertEqual(file.read_bytes(), whole)

    def test_a_place_that_cannot_be_written_costs_time_alone(self):
        fitted = self.ask()
        shutil.rmtree(self.kept)
        self.kept.write_text("a file")
        again = self.ask()
        self.assertEqual((again.stdout, again.stderr.count("\n")), (fitted.stdout, 1))
        self.assertIn("cannot be written", again.stderr)

    def test_a_cluster_without_records_is_not_fitted(self):
        done = run(*self.question, "--cluster", "gcp-a3ultra-h200", "--set", "/transport=nccl-ib",
                   "--set", "/precision=fp16", told=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(self.kept.exists())

    def test_all_are_fitted_for_a_package(self):
        made = self.folder / "made"
        done = run("calibrate", "--all", "--data", self.folder, "--output", made, told=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"1 calibration in {made}", done.stderr)
        self.assertEqual([file.read_bytes() for file in made.iterdir()], [file.read_bytes() for file in self.files()])
        self.refused(run("calibrate", "--all", "--priors"), 2, "--priors")


if __name__ == "__main__":
    main()
