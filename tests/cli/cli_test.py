"""The program as a user runs it: standard output, standard error, exit code, files left behind.

usage: cli_test.py DDLSIM SOURCE_FOLDER [CASE...]
"""

import csv
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

DDLSIM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SCENARIO = SOURCE / "scenarios" / "iris-resnet50.json"
QUICK = ["--gpus", "1,8", "--fidelity", "closed-form"]


def run(*arguments, cwd=None):
    return subprocess.run([DDLSIM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=600)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        file = self.folder / name
        file.write_text(content)
        return file

    def refused(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)


class Use(Case):
    def test_help_is_on_standard_output(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        for command in ("check", "list", "predict", "validate", "import"):
            self.assertIn(command, result.stdout)

    def test_version(self):
        result = run("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^\d+\.\d+\.\d+\n$")

    def test_wrong_use_is_2(self):
        self.refused(run(), 2)
        self.refused(run("predikt", SCENARIO), 2, "predikt", "predict")
        self.refused(run("predict", SCENARIO, "--no-such"), 2, "--no-such")
        self.refused(run("list", "planets"), 2, "planets")
        self.refused(run("predict", SCENARIO, "--gpus", "0"), 2)
        self.refused(run("import", "csv", "x.csv", "--set", "transport"), 2, "NAME=VALUE")


class Check(Case):
    def test_every_shipped_document(self):
        files = [SCENARIO, SOURCE / "platforms/gpus.json", SOURCE / "platforms/priors.json", SOURCE / "scenarios/presets.json"]
        files += sorted(SOURCE.glob("platforms/*/cluster.json")) + sorted(SOURCE.glob("scenarios/models/*.json"))
        result = run("check", *files)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), len(files))

    def test_every_shipped_record(self):
        files = sorted(SOURCE.glob("platforms/*/measurements/*.jsonl"))
        self.assertGreater(len(files), 50)
        result = run("check", *files)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), len(files))

    def test_a_bad_file_does_not_stop_the_others(self):
        bad = self.write("bad.json", '{"format": "ddlsim-scenario", "version": 1, "nmae": "x"}')
        result = run("check", bad, SCENARIO)
        self.assertEqual(result.returncode, 1)
        self.assertIn("iris-resnet50", result.stdout)
        self.assertIn("nmae", result.stderr)
        self.assertIn("name", result.stderr)

    def test_what_is_not_a_file(self):
        self.refused(run("check", self.folder / "none.json"), 1, "none.json")
        self.refused(run("check", self.folder), 1, "folder")
        self.refused(run("check", self.write("empty.json", "")), 1, "empty.json")


class List(Case):
    def test_each_list_names_what_is_shipped(self):
        for what, name in (("models", "resnet50_v1.5"), ("gpus", "V100-SXM2-16GB"), ("clusters", "iris"), ("presets", "horovod")):
            result = run("list", what)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(name, result.stdout)
            self.assertEqual(result.stderr, "")

    def test_the_readme_counts_what_is_shipped(self):
        counts = [len(run("list", what).stdout.splitlines()) - 1 for what in ("models", "gpus", "clusters", "presets")]
        self.assertIn("{} models, {} GPUs, {} clusters and {} presets".format(*counts), " ".join((SOURCE / "README.md").read_text().split()))


class Predict(Case):
    def test_table(self):
        result = run("predict", SCENARIO, *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("ring over nccl-ib", "efficiency", "assumed", "transferred", "Measure next", "90 %"):
            self.assertIn(word, result.stdout)

    def test_the_table_has_every_figure_of_the_json_with_its_interval_in_120_columns(self):
        scenario = ("predict", SCENARIO, "--gpus", "1,8,4096", "--fidelity", "closed-form")
        text, points = run(*scenario).stdout, json.loads(run(*scenario, "--json").stdout)["points"]
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        units = {"us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "": 1, "k": 1e3, "M": 1e6, "%": 1e-2}
        rows = re.findall(r"^ *(\d+) +[\d+]+ " + 3 * r" +([\d.]+) ?(us|ms|s|min|k|M|%|) \(([\d.]+)\.\.([\d.]+)\)", text, re.MULTILINE)
        self.assertEqual(len(rows), len(points))
        for gpus, *cells in rows:
            point = points.pop(0)
            self.assertEqual(int(gpus), point["gpus"])
            for name in ("iteration_s", "samples_per_s", "efficiency"):
                value, unit, low, high = cells[:4]
                del cells[:4]
                for end, shown, least in (("", value, 5e-4), ("_low", low, 5e-3), ("_high", high, 5e-3)):
                    # half a step of the last digit shown: of four (an efficiency has tenths of a percent), of three of a bound
                    self.assertAlmostEqual(float(shown) * units[unit], point[name + end],
                                           delta=max(least * point[name + end], 5e-3 * units[unit], 5e-3 * (name == "efficiency")))

    def test_an_approximation_is_told_under_the_table(self):
        result = run("predict", SCENARIO, "--gpus", "8,1024", "--strategy", "ps")
        self.assertIn("Communication approximated at 1024 GPUs (closed-form: ", result.stdout)
        self.assertNotIn("approximated", run("predict", SCENARIO, "--gpus", "8,1024", "--strategy", "ring").stdout)

    def test_json_is_the_same_bytes_twice_and_has_the_fields(self):
        first, second = run("predict", SCENARIO, *QUICK, "--json"), run("predict", SCENARIO, *QUICK, "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        prediction = json.loads(first.stdout)
        self.assertEqual(len(prediction["points"]), 8)
        self.assertEqual({point["fidelity"] for point in prediction["points"]}, {"closed-form"})

    def test_full_and_closed_form_agree_on_the_ring(self):
        full, closed = (json.loads(run("predict", SCENARIO, "--gpus", "8,12", "--fidelity", fidelity, "--json").stdout)["points"]
                        for fidelity in ("full", "closed-form"))
        for a, b in zip(full[:2], closed[:2]):
            self.assertAlmostEqual(a["iteration_s"] / b["iteration_s"], 1, delta=1e-6)

    def test_output_is_whole_or_not_there(self):
        output = self.folder / "prediction.json"
        result = run("predict", SCENARIO, *QUICK, "--json", "--output", output)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertIn("prediction.json", result.stderr)
        before = output.read_bytes()
        self.refused(run("predict", self.folder / "none.json", "--json", "--output", output), 1)
        self.assertEqual(output.read_bytes(), before)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["prediction.json"])
        self.refused(run("predict", SCENARIO, *QUICK, "--output", self.folder / "no" / "such" / "folder.json"), 1, "folder.json")

    def test_quiet_says_nothing_on_standard_error(self):
        result = run("predict", SCENARIO, *QUICK, "--quiet", "--output", self.folder / "x.txt")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_unknown_names_offer_the_nearest(self):
        scenario = json.loads(SCENARIO.read_text())
        scenario["model"] = "resnet50_v15"
        self.refused(run("predict", self.write("s.json", json.dumps(scenario))), 1, "resnet50_v15", "resnet50_v1.5")
        self.refused(run("predict", SCENARIO, "--cluster", "irsi", *QUICK), 1, "irsi", "iris")

    def test_beyond_growth_is_a_row(self):
        result = run("predict", SCENARIO, "--gpus", "8,9999999", "--fidelity", "closed-form", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        points = json.loads(result.stdout)["points"]
        self.assertEqual([("error" in point) for point in points[:2]], [False, True])


class Sweep(Case):
    AXES = ("--sweep", "/batch_per_gpu=64,4096", "--sweep", "/cluster=iris,dgx1-v100,irsi", *QUICK)

    def test_every_combination_is_a_scenario_and_what_cannot_be_is_a_row(self):
        result = run("predict", SCENARIO, *self.AXES, "--json", "--strategy", "ring")
        self.assertEqual(result.returncode, 0, result.stderr)
        predictions = json.loads(result.stdout)["predictions"]
        self.assertEqual(len(predictions), 6)
        self.assertEqual(predictions[1]["cluster"], "dgx1-v100")
        self.assertIn("iris", predictions[2]["error"])  # irsi: did you mean
        self.assertIn("GB", predictions[3]["points"][0]["error"])  # 4096 samples do not fit
        self.assertEqual(predictions[0]["scenario"], "iris-resnet50 /batch_per_gpu=64 /cluster=iris")

    def test_any_number_of_jobs_gives_the_same_bytes(self):
        for form in ("--json", "--csv", "--quiet"):
            one, two = (run("predict", SCENARIO, *self.AXES, form, "--jobs", jobs) for jobs in ("1", "3"))
            self.assertEqual(one.stdout, two.stdout)
            self.assertIn("irsi", one.stdout)

    def test_csv_rows_have_all_columns_and_a_table_has_a_line_a_strategy(self):
        rows = list(csv.DictReader(run("predict", SCENARIO, *self.AXES, "--csv").stdout.splitlines()))
        self.assertEqual(len(rows), 4 * 8 + 2)
        self.assertEqual({None} & set().union(*rows), set())
        self.assertNotIn(None, {value for row in rows for value in row.values()})
        self.assertEqual({row["scenario"].split("=")[1][:4] for row in rows if row["error"]}, {"64 /", "4096"})
        header, *table = run("predict", SCENARIO, SCENARIO, *QUICK).stdout.splitlines()
        self.assertEqual(header.count("(90 %)"), 3)
        self.assertEqual(len([line for line in table if line.startswith("iris-resnet50  ")]), 2 * 4)

    def test_nothing_that_can_be_is_a_failure_and_a_malformed_axis_wrong_use(self):
        result = run("predict", SCENARIO, "--sweep", "/cluster=irsi,irsa", *QUICK)
        self.assertEqual(result.returncode, 1)
        self.assertIn("irsi", result.stdout)
        self.refused(run("predict", SCENARIO, "--sweep", "batch"), 2, "--sweep")
        self.refused(run("predict", SCENARIO, "--jobs", "0"), 2, "--jobs")


class Vary(Case):
    def test_csv_has_a_row_a_point(self):
        result = run("predict", SCENARIO, *QUICK, "--csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(result.stdout.splitlines()))
        self.assertEqual([row["gpus"] for row in rows], ["1", "8"] * 4)
        self.assertEqual({None} & {value for row in rows for value in row.values()}, set())

    def test_set_changes_the_scenario_before_it_is_checked(self):
        result = run("predict", SCENARIO, *QUICK, "--json", "--set", "/batch_per_gpu=64", "--set", "/cluster=dgx1-v100")
        self.assertEqual(json.loads(result.stdout)["batch_per_gpu"], 64)
        self.refused(run("predict", SCENARIO, "--set", "/batch_per_gpu=-1"), 1, "/batch_per_gpu", "-1")
        self.refused(run("predict", SCENARIO, "--set", "/no/where=1"), 1, "--set", "/no/where")
        self.refused(run("predict", SCENARIO, "--set", "batch"), 2, "NAME=VALUE")

    def test_strategy_picks(self):
        result = run("predict", SCENARIO, *QUICK, "--json", "--strategy", "ring")
        self.assertEqual(len(json.loads(result.stdout)["strategies"]), 1)
        self.refused(run("predict", SCENARIO, *QUICK, "--strategy", "rink"), 1, "rink", "ring")

    def test_what_does_not_fit_in_memory_is_a_row(self):
        result = run("predict", SCENARIO, *QUICK, "--json", "--set", "/batch_per_gpu=4096")
        self.assertEqual(result.returncode, 0, result.stderr)
        for point in json.loads(result.stdout)["points"]:
            self.assertIn("V100-SXM2-16GB", point["error"])
        table = run("predict", SCENARIO, *QUICK, "--set", "/batch_per_gpu=4096").stdout
        self.assertEqual(table.count("8 GPUs cannot be: 4096 samples"), 4)


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
        lines = source.read_text().splitlines(keepends=True)
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
        result = run("predict", file, "--data", self.folder, "--json", "--fidelity", "closed-form")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["points"]

    def test_it_writes_the_file_and_prints_what_was_learnt(self):
        result = self.calibrate()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("14 points of 2 series", result.stdout)
        self.assertIn("learnt, with 90 %", result.stdout)
        calibration = json.loads(self.file.read_text())
        self.assertEqual(calibration["cluster"], self.CLUSTER)
        self.assertEqual([name.split()[0] for name in calibration["files"]], ["few.jsonl"])
        self.assertTrue(any(one["identified"] for one in calibration["parameters"]))
        checked = run("check", self.file, "--data", self.folder)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn(f"calibration of {self.CLUSTER}", checked.stdout)

    def test_a_second_run_gives_the_same_bytes(self):
        self.assertEqual(self.calibrate("--quiet").returncode, 0)
        first = self.file.read_bytes()
        again = self.calibrate("--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.file.read_bytes(), first)
        self.assertEqual(again.stdout.encode(), first)
        self.assertEqual(sorted(file.name for file in self.cluster.iterdir()), ["calibration.json", "cluster.json", "measurements"])

    def test_predictions_are_narrower_with_it_and_say_so(self):
        before = self.predict()
        self.assertEqual({point["evidence"] for point in before}, {"assumed"})
        self.assertEqual(self.calibrate("--quiet").returncode, 0)
        after = self.predict()
        self.assertEqual([point["evidence"] for point in after], ["calibrated", "calibrated", "extrapolated"])
        for wide, narrow in zip(before, after):
            widths = [point["iteration_s_high"] / point["iteration_s_low"] for point in (wide, narrow)]
            self.assertLess(widths[1], widths[0])
        measured_s = 64 * 32 / next(record["value"] for record in map(json.loads, (self.cluster / "measurements/few.jsonl").open())
                                    if record.get("gpus") == 32 and record["model"] == "resnet50_v1")
        self.assertLessEqual(after[1]["iteration_s_low"], measured_s)
        self.assertGreaterEqual(after[1]["iteration_s_high"], measured_s)

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

    def test_a_folder_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.file.mkdir()  # root may write anywhere: a folder stands where the file should be
        else:
            self.cluster.chmod(stat.S_IRUSR | stat.S_IXUSR)
            self.addCleanup(self.cluster.chmod, stat.S_IRWXU)
        self.refused(self.calibrate(), 1, "calibration.json")
        self.assertFalse(self.file.is_file())
        self.assertEqual(sorted(file.name for file in self.cluster.iterdir() if file != self.file), ["cluster.json", "measurements"])


class ImportAndValidate(Case):
    RATES = {1: 230, 2: 430, 4: 800, 8: 1400, 16: 2500}

    def table(self):
        rows = "".join(f"vgg16,64,{gpus},4,{rate}\n" for gpus, rate in self.RATES.items())
        return self.write("rates.csv", "model,batch_per_gpu,gpus,gpus_per_node,rate\n" + rows)

    def test_a_typed_table_becomes_a_scored_series(self):
        records = self.folder / "rates.jsonl"
        imported = run("import", "csv", self.table(), "--cluster", "my-cluster", "--output", records)
        self.assertEqual(imported.returncode, 0, imported.stderr)
        checked = json.loads(run("validate", "--measurements", records, "--own-only", "--json").stdout)
        mine = checked["points"]
        self.assertEqual({point["cluster"] for point in mine}, {"my-cluster"})
        self.assertEqual({(point["split"], point["gpus"]) for point in mine if point["split"] in ("T1", "T2", "T3")},
                         {("T1", 8), ("T1", 16), ("T2", 16)})
        for point in mine:
            self.assertAlmostEqual(point["measured_s"], 64 * point["gpus"] / self.RATES[point["gpus"]])
        kept = next(point for point in mine if (point["split"], point["gpus"]) == ("T2", 16))
        self.assertAlmostEqual(kept["methods"]["straight-line"]["predicted_s"], 64 * 8 / 1400)

    def test_one_command_scores_a_table_and_draws_the_page(self):
        page = self.folder / "page.html"
        result = run("validate", "--measurements", self.table(), "--cluster", "dlperf-v100", "--own-only", "--set",
                     "transport=nccl-ib", "--set", "preset=pytorch-ddp", "--split", "T1,T2", "--json", "--html", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no column strategy", result.stderr)
        points = json.loads(result.stdout)["points"]
        self.assertEqual([(point["split"], point["gpus"]) for point in points], [("T1", 8), ("T1", 16), ("T2", 16)])
        for point in points:
            self.assertIn("ddlsim", point["methods"])
        tree = ElementTree.parse(page)
        self.assertEqual([row.get("id") for row in tree.iter("tr") if row.get("id")], ["p0", "p1", "p2"])
        self.assertEqual(len([mark for mark in tree.iter("circle")]), 4 * 3)
        self.assertNotIn("http", page.read_text())

    def test_a_series_that_the_simulator_cannot_answer_says_why(self):
        odd = self.write("odd.csv", self.table().read_text().replace("vgg16", "my-net"))
        told = run("validate", "--measurements", odd, "--cluster", "iris", "--own-only", "--split", "T1")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("ddlsim does not answer: model my-net has no layer table", told.stderr)
        self.assertIn("no answer to any point: ddlsim, uncalibrated", told.stdout)
        quiet = run("validate", "--measurements", odd, "--cluster", "iris", "--own-only", "--split", "T1", "--quiet")
        self.assertEqual((quiet.stdout, quiet.stderr), (told.stdout, ""))

    def test_one_cluster_only(self):
        result = run("validate", "--cluster", "ec2-p2.xlarge", "--split", "T1", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual({point["cluster"] for point in json.loads(result.stdout)["points"]}, {"ec2-p2.xlarge"})
        self.refused(run("validate", "--cluster", "ec2-p2.xlrage"), 1, "ec2-p2.xlrage", "ec2-p2.xlarge")

    def test_what_cannot_be_meant(self):
        self.refused(run("validate", "--own-only"), 2, "--measurements")
        self.refused(run("validate", "--set", "transport=nccl-ib"), 2, ".csv")
        self.refused(run("validate", "--cluster", "iris", "--bar", "bar.json"), 2, "--bar")
        self.refused(run("validate", "--measurements", self.table()), 1, "rates.csv", "cluster")
        self.refused(run("validate", "--measurements", self.folder / "none.csv", "--cluster", "iris"), 1, "none.csv")
        self.refused(run("validate", "--bar", self.folder / "none.json"), 1, "none.json")

    def test_a_bad_table_tells_every_mistake(self):
        table = self.write("bad.csv", "model,batch_per_gpu,gpus,rate\nvgg16,64,0,230\nvgg16,64,two,430\n")
        self.refused(run("import", "csv", table, "--cluster", "mine"), 1, "bad.csv:2", "bad.csv:3")


class Bar(Case):
    """On a data folder with one measured cluster: what one takes from it, one may not lose again."""

    def setUp(self):
        super().setUp()
        data = self.folder / "data"
        (data / "platforms").mkdir(parents=True)
        for name in ("gpus.json", "priors.json", "ec2-p2.xlarge"):
            (data / "platforms" / name).symlink_to(SOURCE / "platforms" / name)
        (data / "scenarios").symlink_to(SOURCE / "scenarios")
        self.arguments = ("--data", data, "--split", "T1,T2", "--quiet")
        self.bar = self.folder / "accuracy.json"

    def validate(self, *arguments):
        return run("validate", *self.arguments, *arguments)

    def test_the_bar_holds_only_tightens_and_breaks(self):
        made = self.validate("--update-bar", self.bar)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        text, reached = self.bar.read_text(), json.loads(self.bar.read_text())
        self.assertEqual(list(reached["splits"]), ["T1", "T2"])
        held = self.validate("--bar", self.bar)
        self.assertEqual((held.returncode, held.stderr, held.stdout), (0, "", made.stdout))

        loose = json.loads(text)
        loose["splits"]["T1"]["figures"]["mean_error"] += 5
        del loose["splits"]["T2"]["clusters"]["ec2-p2.xlarge"]
        self.bar.write_text(json.dumps(loose))
        self.assertEqual(self.validate("--update-bar", self.bar).returncode, 0)
        self.assertEqual(self.bar.read_text(), text)

        tight = json.loads(text)
        tight["splits"]["T1"]["figures"]["mean_error"] -= 0.06
        tight["splits"]["T2"]["clusters"]["ec2-p2.xlarge"] -= 0.06
        tight["splits"]["T3"] = tight["splits"]["T2"]  # not run, not looked at
        self.bar.write_text(json.dumps(tight))
        for option in ("--bar", "--update-bar"):
            broken = self.validate(option, self.bar)
            self.assertEqual((broken.returncode, len(broken.stderr.splitlines())), (1, 2), broken.stderr)
            self.assertIn("T1: mean error rose", broken.stderr)
            self.assertIn("T2: mean error of ec2-p2.xlarge rose", broken.stderr)
            self.assertEqual(json.loads(self.bar.read_text()), tight)


class Validate(Case):
    def test_shipped_series(self):
        result = run("validate", "--split", "T1,T2", "--cluster", "azure-nc24rs-v2-p100", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        validation = json.loads(result.stdout)
        self.assertIn("ddlsim", validation["methods"])
        for split in ("T1", "T2"):
            for method in validation["methods"]:
                score = validation["overall"][split][method]
                for name in ("points", "mean_error", "median_error", "worst_error", "coverage", "interval_score"):
                    self.assertIn(name, score)


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
