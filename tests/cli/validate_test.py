"""`ddlsim validate` and `ddlsim import`: shipped series, tables of one's own, thresholds."""

import json

from program import SOURCE, Case, main, run


class ImportAndValidate(Case):
    RATES = {1: 230, 2: 430, 4: 800, 8: 1400, 16: 2500}

    def table(self):
        rows = "".join(f"vgg16,64,{gpus},4,{rate}\n" for gpus, rate in self.RATES.items())
        return self.write("rates.csv", "model,batch_per_gpu,gpus,gpus_per_node,rate\n" + rows)

    def test_a_typed_table_becomes_a_scored_series(self):
        records = self.folder / "rates.jsonl"
        imported = run("import", "csv", self.table(), "--cluster", "my-cluster", "--output", records)
        self.assertEqual(imported.returncode, 0, imported.stderr)
        said = run("import", "csv", self.table(), "--cluster", "my-cluster", "--set", "transport=nccl-ib", "--who", "me")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual({json.loads(line).get("transport") for line in said.stdout.splitlines()[1:]}, {"nccl-ib"})
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
        self.assertIn("3 points of 1 series", page.read_text())
        self.assertIn("Predicted against measured times, T1", page.read_text())

    def test_tables_of_all_reduces_are_scored_size_by_size(self):
        told = run("validate", "--collectives", "--cluster", "p4de")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertRegex(told.stdout, r"(?m)^below 16 KiB +1 +\d+")
        points = json.loads(run("validate", "--collectives", "--cluster", "p4de", "--json").stdout)["points"]
        self.assertEqual({(point["cluster"], point["ranks"]) for point in points}, {("p4de", 16)})
        self.assertNotIn(256 << 20, {point["size_bytes"] for point in points})
        mixed = run("validate", "--collectives", "--split", "T1")
        self.assertEqual(mixed.returncode, 2)
        self.assertIn("--split", mixed.stderr)

    def test_speed_ups_without_a_base_rate_have_a_table_of_their_own(self):
        told = run("validate", "--ratios", "--cluster", "dell-c4140-v100")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertRegex(told.stdout, r"(?m)^dell-c4140-v100 +1 +\d")
        record = {"record": "speed_up", "series": "mine", "origin": "run", "transport": "nccl-ib", "library": "nccl",
                  "statistic": "unknown", "model": "resnet50_v1.5", "precision": "fp32", "wire_precision": "fp32",
                  "batch_per_gpu": 64, "preset": "horovod", "strategy": {"name": "ring"}, "gpus": 16, "nodes": 4,
                  "gpus_per_node": 4, "base_gpus": 1, "base_nodes": 1, "trust": "A", "value": 0.9, "unit": "efficiency"}
        context = {"record": "context", "version": 1, "cluster": "iris", "machine": "iris", "software": "x",
                   "date": "unknown", "gpu": "V100-SXM2-16GB", "who": "me", "source": {"title": "mine"}, "emulated": False}
        mine = self.write("mine.jsonl", json.dumps(context) + "\n" + json.dumps(record) + "\n")
        answer = run("validate", "--ratios", "--cluster", "iris", "--measurements", mine, "--json").stdout
        ratio, = json.loads(answer)["ratios"]
        self.assertEqual((ratio["series"], ratio["measured"]), ("mine", 14.4))
        mixed = run("validate", "--ratios", "--split", "T1")
        self.assertEqual(mixed.returncode, 2)
        self.assertIn("--split", mixed.stderr)
        both = run("validate", "--ratios", "--collectives")
        self.assertEqual(both.returncode, 2)

    def test_a_series_that_the_simulator_cannot_answer_says_why(self):
        odd = self.write("odd.csv", self.table().read_text().replace("vgg16", "my-net"))
        told = run("validate", "--measurements", odd, "--cluster", "iris", "--own-only", "--split", "T1", "--details")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("ddlsim does not answer: model my-net has no layer table", told.stderr)
        self.assertRegex(told.stdout, r"refused, % +100.0 +0.0")
        stack = run("validate", "--measurements", self.table(), "--cluster", "iris", "--own-only", "--split", "T1", "--set", "preset=my-stack")
        self.assertNotIn("does not answer", stack.stderr)  # all-reduces of a stack of its own
        quiet = run("validate", "--measurements", odd, "--cluster", "iris", "--own-only", "--split", "T1", "--details", "--quiet")
        self.assertEqual((quiet.stdout, quiet.stderr), (told.stdout, ""))

    def test_a_series_inside_one_node_is_told_what_it_lacks(self):
        table = self.write("one-node.csv", "model,batch_per_gpu,gpus,gpus_per_node,rate\n"
                                           "vgg16,64,1,4,230\nvgg16,64,2,4,430\nvgg16,64,4,4,800\n")
        told = run("validate", "--measurements", table, "--cluster", "iris", "--own-only", "--split", "T1")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("nothing to predict: 3 scales, all inside one node, and a test predicts from one node to more; "
                      "give a run on two nodes or more", told.stderr)
        self.assertNotIn("larger scale", told.stderr)

    def test_an_unknown_cluster_is_told_once(self):
        rows = "vgg16,64,1,230\nvgg16,64,4,800\nvgg16,64,8,1400\n"
        table = self.write("plain.csv", "model,batch_per_gpu,gpus,rate\n" + rows)
        told = run("validate", "--measurements", table, "--cluster", "irsi", "--own-only")
        self.refused(told, 1, "plain.csv:1: gpus_per_node: found no column nodes or gpus_per_node, and no cluster 'irsi' is",
                     "did you mean 'iris'?")
        self.assertEqual(len(told.stderr.splitlines()), 1)

    def test_one_cluster_only(self):
        result = run("validate", "--cluster", "dell-c4140-v100", "--split", "T1", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual({point["cluster"] for point in json.loads(result.stdout)["points"]}, {"dell-c4140-v100"})
        self.refused(run("validate", "--cluster", "dell-c4140-v1000"), 1, "dell-c4140-v1000", "dell-c4140-v100")

    def test_what_cannot_be_meant(self):
        self.refused(run("validate", "--own-only"), 2, "--measurements")
        self.refused(run("validate", "--set", "transport=nccl-ib"), 2, ".csv")
        self.refused(run("validate", "--cluster", "iris", "--thresholds", "thresholds.json"), 2, "--thresholds")
        self.refused(run("validate", "--bar", "accuracy.json"), 2, "--bar is called --thresholds now")
        self.refused(run("validate", "--measurements", self.table()), 1, "rates.csv", "cluster")
        self.refused(run("validate", "--measurements", self.folder / "none.csv", "--cluster", "iris"), 1, "none.csv")
        self.refused(run("validate", "--thresholds", self.folder / "none.json"), 1, "none.json")

    def test_a_bad_table_tells_every_mistake(self):
        table = self.write("bad.csv", "model,batch_per_gpu,gpus,rate\nvgg16,64,0,230\nvgg16,64,two,430\n")
        self.refused(run("import", "csv", table, "--cluster", "mine"), 1, "bad.csv:2", "bad.csv:3")


class OneMeasuredCluster(Case):
    """On a data folder with one measured cluster."""

    SPLITS = "T1,T2"

    def setUp(self):
        super().setUp()
        data = self.folder / "data"
        (data / "platforms").mkdir(parents=True)
        for name in ("gpus.json", "priors.json", "dell-c4140-v100"):
            (data / "platforms" / name).symlink_to(SOURCE / "platforms" / name)
        (data / "scenarios").symlink_to(SOURCE / "scenarios")
        self.arguments = ("--data", data, "--split", self.SPLITS, "--quiet")
        self.thresholds = self.folder / "accuracy.json"

    def validate(self, *arguments):
        return run("validate", *self.arguments, *arguments)


class Thresholds(OneMeasuredCluster):
    """Accuracy that was reached may not be lost again."""

    def test_a_figure_may_rise_by_its_noise_floor_and_no_more(self):
        made = self.validate("--update-thresholds", self.thresholds)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        text, reached = self.thresholds.read_text(), json.loads(self.thresholds.read_text())
        self.assertEqual(list(reached["splits"]), ["T1", "T2"])
        held = self.validate("--thresholds", self.thresholds)
        self.assertEqual((held.returncode, held.stderr, held.stdout), (0, "", made.stdout))

        tight = json.loads(text)
        tight["splits"]["T1"]["figures"]["mean_error"] -= 0.3
        tight["splits"]["T3"] = tight["splits"]["T2"]  # not run, not looked at
        self.thresholds.write_text(json.dumps(tight))
        broken = self.validate("--thresholds", self.thresholds)
        self.assertEqual((broken.returncode, len(broken.stderr.splitlines())), (1, 1), broken.stderr)
        self.assertIn("T1: mean error rose", broken.stderr)

        tight["splits"]["T1"]["noise_floor"] = {"mean_error": 0.4}
        self.thresholds.write_text(json.dumps(tight))
        self.assertEqual(self.validate("--thresholds", self.thresholds).returncode, 0)
        self.assertEqual(self.validate("--update-thresholds", self.thresholds).returncode, 0)
        updated = json.loads(self.thresholds.read_text())
        self.assertEqual(updated["splits"]["T1"]["noise_floor"], {"mean_error": 0.4})
        self.assertEqual(updated["splits"]["T1"]["figures"], reached["splits"]["T1"]["figures"])

    def test_thresholds_of_other_sites_ask_nothing_of_this_one(self):
        self.thresholds.write_text(json.dumps({"format": "ddlsim-accuracy", "version": 2, "method": "ddlsim",
                                        "unit": "percent", "sites": ["elsewhere"], "splits": {}}))
        result = self.validate("--thresholds", self.thresholds, "--json")
        self.assertEqual((result.returncode, json.loads(result.stdout)["points"]), (0, []))


class Ablation(OneMeasuredCluster):
    """With and without a part."""

    SPLITS = "new-T1"

    def test_a_part_is_left_out_and_compared_site_by_site(self):
        told = self.validate("--without", "line,interference")
        self.assertEqual(told.returncode, 0, told.stderr)
        for text in ("without line", "without interference", "dell-mlperf", "mean of sites", "noise floor"):
            self.assertIn(text, told.stdout)
        points = json.loads(self.validate("--without", "interference", "--json").stdout)["points"]
        self.assertTrue(points)
        for point in points:
            with_it, without = point["methods"]["ddlsim"], point["methods"]["without interference"]
            self.assertNotEqual(with_it, without)

    def test_placebos_give_the_noise_floor(self):
        told = self.validate("--placebo", "2")
        self.assertEqual(told.returncode, 0, told.stderr)
        for text in ("placebo 1", "placebo 2", "noise floor"):
            self.assertIn(text, told.stdout)
        self.assertEqual(told.stdout, self.validate("--placebo", "2").stdout)

    def test_an_unknown_site_is_refused_with_the_nearest(self):
        wrong = self.validate("--sites", "dell-mlperv")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("did you mean dell-mlperf?", wrong.stderr)

    def test_an_unknown_part_is_refused_with_the_nearest(self):
        wrong = self.validate("--without", "nic_eficiency,lines")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("did you mean nic_efficiency?", wrong.stderr)
        self.assertIn("did you mean line?", wrong.stderr)
        self.assertEqual(self.validate("--without", "line", "--placebo", "1").returncode, 2)


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
    main()
