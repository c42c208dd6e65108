"""`ddlsim calibrate`: what it writes, and what predictions make of it."""

import json
import os
import shutil
import stat

from program import SOURCE, Case, lines_of_records, main, of_table, run


class Calibrate(Case):
    """On a copy of a few shipped files: one cluster, two series over Ethernet."""

    CLUSTER = "azure-nc24rs-v3-v100"

    def setUp(self):
        super().setUp()
        for name in ("platforms/gpus.json", "platforms/priors.json", "scenarios/presets.json", f"platforms/{self.CLUSTER}/cluster.json",
                     "scenarios/models/resnet50_v1.json", "scenarios/models/mobilenet_v2.json"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.folder / name)
        self.cluster = self.folder / "platforms" / self.CLUSTER
        (self.cluster / "measurements").mkdir()
        source = next((SOURCE / "platforms" / self.CLUSTER / "measurements").glob("*.jsonl"))
        lines = lines_of_records(source)
        series = ("azure-v100-resnet50-openmpi-nccl-tcp", "azure-v100-mobilenetv2-openmpi-nccl-tcp")
        kept = lines[:1] + [line for line in lines if json.loads(line).get("series") in series]
        (self.cluster / "measurements" / "few.jsonl").write_text("".join(kept))
        self.file = self.cluster / "calibration.json"

    def calibrate(self, *arguments):
        return run("calibrate", "--cluster", self.CLUSTER, "--data", self.folder, *arguments)

    def predict(self):
        scenario = {"format": "ddlsim-scenario", "version": 1, "name": "small", "model": "resnet50_v1", "batch_per_gpu": 64,
                    "precision": "fp32", "cluster": self.CLUSTER, "preset": "horovod", "transport": "nccl-tcp",
                    "gpus": [8, 32, 128], "strategies": [{"name": "ring"}], "efficiency_bound": 0.8, "seed": 1}
        file = self.write("small.json", json.dumps(scenario))
        result = run("predict", file, "--data", self.folder, "--json", "--fidelity", "formula")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["points"]

    def test_it_writes_the_file_and_prints_what_was_learnt(self):
        result = self.calibrate()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("learnt from 14 measured points in 2 series", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^Learnt, \d+ of \d+ parameters")
        self.assertLessEqual(len((result.stdout + result.stderr).splitlines()), 30)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)
        calibration = json.loads(self.file.read_text())
        self.assertEqual(calibration["cluster"], self.CLUSTER)
        self.assertEqual([name.split()[0] for name in calibration["files"]], [f"{self.CLUSTER}/few.jsonl"])
        self.assertRegex(calibration["inputs"], "^[0-9a-f]{16}$")
        self.assertTrue(any(of_table(calibration, "parameters", "identified")))
        checked = run("check", self.file, "--data", self.folder)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn(f"calibration of {self.CLUSTER}", " ".join(checked.stdout.split()))

    def test_details_follow_the_first_screen(self):
        first = self.calibrate("--quiet").stdout
        details = self.calibrate("--quiet", "--details").stdout
        self.assertTrue(details.startswith(first))
        for word in ("holds for", "width left", "series, furthest off first", "intra_efficiency"):
            self.assertIn(word, details[len(first):])
        self.refused(self.calibrate("--details", "--json"), 2, "--details")

    def test_a_second_run_gives_the_same_bytes(self):
        self.assertEqual(self.calibrate("--quiet").returncode, 0)
        first = self.file.read_bytes()
        again = self.calibrate("--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.file.read_bytes(), first)
        self.assertEqual(again.stdout.encode(), first)
        self.assertEqual(sorted(file.name for file in self.cluster.iterdir()), ["calibration.json", "cluster.json", "measurements"])

    def test_any_number_of_threads_gives_the_same_bytes(self):
        alone, *others = (self.calibrate("--json", "--threads", n).stdout for n in (1, 2, 5))
        self.assertIn("parameters", json.loads(alone))
        self.assertEqual(others, [alone, alone])

    def test_predictions_are_narrower_with_records_and_say_so(self):
        after = self.predict()
        self.assertEqual([point["evidence"] for point in after[:2]], ["calibrated", "calibrated"])
        self.assertEqual([point["extrapolated"] for point in after], [False, False, True])
        few = self.cluster / "measurements" / "few.jsonl"
        few.rename(self.folder / "few.jsonl")
        before = self.predict()
        (self.folder / "few.jsonl").rename(few)
        self.assertEqual({point["evidence"] for point in before}, {"assumed"})
        for wide, narrow in zip(before, after):
            widths = [point["iteration_s_high"] / point["iteration_s_low"] for point in (wide, narrow)]
            self.assertLess(widths[1], widths[0])
        records = map(json.loads, (self.cluster / "measurements/few.jsonl").read_text().splitlines())
        measured_s = 64 * 32 / next(record["value"] for record in records
                                    if record.get("gpus") == 32 and record["model"] == "resnet50_v1")
        self.assertLessEqual(after[1]["iteration_s_low"], measured_s)
        self.assertGreaterEqual(after[1]["iteration_s_high"], measured_s)

    def test_a_table_without_a_preset_is_learnt_from(self):
        (self.cluster / "measurements" / "few.jsonl").unlink()
        for name, given in (("unnamed", ()), ("my-framework", ("--set", "preset=my-framework"))):
            records = self.cluster / "measurements" / "rates.jsonl"
            rows = [f"resnet50_v1,64,{gpus},{rate},{transport}\n" for gpus, rate, transport in (
                (1, 350, ""), (4, 1250, "nccl-tcp"), (8, 2000, "nccl-tcp"), (16, 3700, "nccl-tcp"))]

            def import_rows(count):
                table = self.write("rates.csv", "model,batch_per_gpu,gpus,rate,transport\n" + "".join(rows[:count]))
                return run("import", "csv", table, "--cluster", self.CLUSTER, "--data", self.folder, "--machine", "a", "--software", "b",
                           "--date", "2024", "--who", "me", "--title", "rates", "--output", records, *given)
            scenario = json.dumps({
                "format": "ddlsim-scenario", "version": 1, "name": "small", "model": "resnet50_v1", "batch_per_gpu": 64,
                "precision": "fp32", "cluster": self.CLUSTER, "preset": name, "transport": "nccl-tcp", "gpus": [8, 32],
                "strategies": [{"name": "auto"}], "efficiency_bound": 0.8, "seed": 1})
            ask = ("predict", self.write("small.json", scenario), "--data", self.folder, "--json", "--fidelity", "formula")
            self.file.unlink(missing_ok=True)
            import_rows(1)
            wide = run(*ask)
            self.assertEqual(wide.returncode, 0, wide.stderr)
            self.assertEqual(wide.stderr.count(f'"{name}" is no preset: all-reduces'), 1)
            told = import_rows(len(rows))
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertEqual('"unnamed" is no preset' in told.stderr, not given)
            learnt = self.calibrate()
            self.assertEqual(learnt.returncode, 0, learnt.stderr)
            self.assertIn("learnt from 3 measured points in 1 series", learnt.stdout)
            self.assertIn("1 of a framework without a preset", learnt.stdout)
            narrow = run(*ask)
            for before, after in zip(json.loads(wide.stdout)["points"], json.loads(narrow.stdout)["points"]):
                ratio = [point["iteration_s_high"] / point["iteration_s_low"] for point in (before, after)]
                self.assertLess(ratio[1], ratio[0])
            self.assertEqual(json.loads(narrow.stdout)["points"][0]["evidence"], "calibrated")
        self.write("small.json", scenario.replace("my-framework", "my-framewrok"))
        self.refused(run(*ask), 1, "did you mean my-framework?")

    def test_parameters_that_cannot_go_together_are_refused(self):
        self.calibrate("--quiet")
        calibration = json.loads(self.file.read_text())
        key = "correlation_ten_thousandths"
        calibration[key] = [[9999 if (row + column) % 2 else -9999 for column in range(row)] for row in range(len(calibration[key]))]
        self.file.write_text(json.dumps(calibration))
        self.refused(run("check", self.file, "--data", self.folder), 1, f"calibration.json: /{key}: ", "not positive definite",
                     "run `ddlsim calibrate`")

    def test_an_unknown_cluster_offers_the_nearest(self):
        self.refused(run("calibrate", "--cluster", "azure-nc24rs-v3-v10", "--data", self.folder), 1, f"did you mean {self.CLUSTER}?")
        self.refused(run("calibrate", "--data", self.folder), 2, "--cluster")

    def test_nothing_measured_is_refused_and_leaves_nothing(self):
        (self.cluster / "measurements" / "few.jsonl").unlink()
        self.refused(self.calibrate(), 1, "no step record", "ddltrain")
        self.assertFalse(self.file.exists())

    def test_a_bad_record_is_told_and_the_old_calibration_stays(self):
        self.file.write_text("old")
        with (self.cluster / "measurements" / "few.jsonl").open("a") as records:
            records.write('{"record": "step", "gpus": 0}\n')
        self.refused(self.calibrate(), 1, "few.jsonl:18", "gpus")
        self.assertEqual(self.file.read_text(), "old")

    def test_elsewhere_by_output(self):
        elsewhere = self.folder / "mine.json"
        self.assertEqual(self.calibrate("--output", elsewhere, "--quiet").returncode, 0)
        self.assertTrue(json.loads(elsewhere.read_text())["parameters"])
        self.assertFalse(self.file.exists())

    def test_priors_are_learnt_from_sites_and_learning_again_changes_nothing(self):
        file = self.folder / "platforms" / "priors.json"
        before = json.loads(file.read_text())
        result = run("calibrate", "--priors", "--data", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("azure-batch-ai", result.stdout)
        written = file.read_bytes()
        learnt = json.loads(written)
        self.assertEqual(learnt["expected"], before["expected"])
        self.assertEqual([summary["site"] for summary in learnt["sites"]], ["azure-batch-ai"])
        names = {value["parameter"] for value in learnt["sites"][0]["values"]}
        self.assertIn("sync_share", names)
        self.assertNotIn("nic_efficiency", names)  # the rates of this cluster's NICs are assumed
        run("calibrate", "--priors", "--data", self.folder)
        self.assertEqual(file.read_bytes(), written)

    def test_a_cluster_or_priors_but_not_both(self):
        for arguments in ((), ("--priors", "--cluster", self.CLUSTER), ("--priors", "--kernels")):
            self.refused(run("calibrate", "--data", self.folder, *arguments), 2, "--priors")

    def with_kernels(self):
        """One GPU's tables; the file's content, and where it is."""
        file = self.folder / "platforms" / "kernels" / "h100-sxm.json"
        file.parent.mkdir()
        shutil.copy(SOURCE / "platforms" / "kernels" / "h100-sxm.json", file)
        return json.loads(file.read_text()), file

    def test_kernel_rates_are_fitted_and_written(self):
        self.with_kernels()
        result = run("calibrate", "--kernels", "--data", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^H100-SXM5-80GB +bf16 +0\.8\d+ ")
        self.assertNotIn("Note:", result.stdout)
        file = self.folder / "platforms" / "kernel-rates.json"
        rates = json.loads(file.read_text())
        self.assertEqual([one["gpu"] for one in rates["gpus"]], ["H100-SXM5-80GB"])
        checked = run("check", file, "--data", self.folder)
        self.assertIn("kernel rates: 1 GPUs", checked.stdout, checked.stderr)
        self.assertEqual(json.loads(run("calibrate", "--kernels", "--data", self.folder, "--json", "--output", file).stdout), rates)

    def test_kernel_times_in_another_unit_are_said_and_not_used(self):
        tables, file = self.with_kernels()
        tables["products"][1]["unit"] = "ms"
        file.write_text(json.dumps(tables))
        result = run("calibrate", "--kernels", "--data", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("/products/1: half of the times mean less than", " ".join(result.stdout.split()))
        self.assertNotRegex(result.stdout, r"(?m)^H100-SXM5-80GB +fp8 ")

    def test_no_kernel_tables(self):
        self.refused(run("calibrate", "--kernels", "--data", self.folder), 1, "no kernel table can be used")

    def test_a_folder_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.file.mkdir()  # root may write anywhere: a folder stands where the file should be
        else:
            self.cluster.chmod(stat.S_IRUSR | stat.S_IXUSR)
            self.addCleanup(self.cluster.chmod, stat.S_IRWXU)
        self.refused(self.calibrate(), 1, "calibration.json")
        self.assertFalse(self.file.is_file())
        self.assertEqual(sorted(file.name for file in self.cluster.iterdir() if file != self.file), ["cluster.json", "measurements"])


if __name__ == "__main__":
    main()
