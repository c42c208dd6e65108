"""`ddlsim predict`: one scenario, many at once, and what varies them."""

import csv
import json
import re
import tempfile
from pathlib import Path

from program import QUICK, SCENARIO, Case, main, run


class Predict(Case):
    def test_table(self):
        result = run("predict", SCENARIO, *QUICK, "--details")
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("ring with pytorch-ddp over nccl-ib", "Best servers", "A poor parameter server", "+ unexplained", "per GPU bought", "efficiency", "assumed", "transferred", "Measure next", "90 %"):
            self.assertIn(word, result.stdout)

    def test_ranks_on_some_of_a_nodes_gpus_count_only_those(self):
        result = run("predict", SCENARIO, "--gpus", "8", "--fidelity", "formula", "--set", "/gpus_per_node=2", "--details")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("(48 GPUs available, growth to 32768)", " ".join(result.stdout.split()))
        self.assertRegex(result.stdout, r"(?m)^ +8 +4 ")
        many = run("predict", SCENARIO, "--gpus", "8", "--set", "/gpus_per_node=9")
        self.refused(many, 1, "/gpus_per_node", "9 GPUs a node are more than iris has (4)")

    def test_the_table_has_every_figure_of_the_json_with_its_interval_in_120_columns(self):
        scenario = ("predict", SCENARIO, "--gpus", "1,8,4096", "--fidelity", "formula")
        text, points = run(*scenario, "--details").stdout, json.loads(run(*scenario, "--json").stdout)["points"]
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

    def test_a_point_that_is_not_run_message_by_message_is_told_under_the_table(self):
        result = run("predict", SCENARIO, "--gpus", "8,1024", "--strategy", "ps", "--details")
        self.assertIn("Communication at 1024 GPUs is simplified, or by formula: ", result.stdout)
        self.assertNotIn("message by message", run("predict", SCENARIO, "--gpus", "8,1024", "--strategy", "ring", "--details").stdout)

    def test_json_is_the_same_bytes_twice_and_has_the_fields(self):
        first, second = run("predict", SCENARIO, *QUICK, "--json"), run("predict", SCENARIO, *QUICK, "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        prediction = json.loads(first.stdout)
        self.assertEqual(len(prediction["points"]), 8)
        self.assertEqual({(point["gpus"] == 1, point["fidelity"]) for point in prediction["points"]},
                         {(True, "classes"), (False, "formula")})  # one GPU alone sends nothing

    def test_default_and_full_agree_on_the_ring(self):
        full, classes = (json.loads(run("predict", SCENARIO, "--strategy", "ring", "--gpus", "8,12", "--fidelity",
                                       fidelity, "--json").stdout)["points"]
                        for fidelity in ("full", "default"))
        for a, b in zip(full[:2], classes[:2]):
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
        scenario["model"] = "resnet50_v16"
        self.refused(run("predict", self.write("s.json", json.dumps(scenario))), 1, "resnet50_v16", "resnet50_v1.5")
        for option, near, command in (("/model=resnet5", "resnet50_v1", "models"), ("/cluster=azure", "azure-nc24r-k80", "clusters")):
            result = run("predict", SCENARIO, "--set", option, *QUICK)
            self.refused(result, 1, near, f"`ddlsim list {command}`")
            self.assertLess(len(result.stderr), 300)

    def test_beyond_growth_is_a_row(self):
        result = run("predict", SCENARIO, "--gpus", "8,9999999", "--fidelity", "formula", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        points = json.loads(result.stdout)["points"]
        self.assertEqual([("error" in point) for point in points[:2]], [False, True])


class Processors(Case):
    """Clusters without a GPU, asked as a user asks."""

    def ask(self, cluster, *more):
        return run("predict", SCENARIO, "--set", f"/cluster={cluster}", "--set", '/strategies=[{"name":"auto"}]', "--gpus", "1,2", *more)

    def test_one_processor_is_what_its_own_records_say(self):
        for model, batch, text in (("lenet5", 64, "one processor"), ("alexnet", 16, "measured here")):
            result = self.ask("cpu-2core", "--set", f"/model={model}", "--set", f"/batch_per_gpu={batch}", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            prediction = json.loads(result.stdout)
            self.assertIn(text, prediction["one_gpu"]["text"])
            self.assertIn("no GPU is named", prediction["one_gpu"]["text"])
            self.assertEqual([point["gpus"] for point in prediction["points"] if "error" not in point], [1, 2])
            self.assertEqual(prediction["strategies"][0]["transport"], "shm")  # one machine: not named in the scenario

    def test_without_a_record_the_rate_is_asked_for(self):
        lenet = ("--set", "/model=lenet5", "--set", "/batch_per_gpu=64")
        self.refused(self.ask("testbed", *lenet), 1, "names no GPU", "/one_gpu_samples_per_s")
        result = self.ask("testbed", *lenet, "--set", "/one_gpu_samples_per_s=1000", "--set", "/preset=pytorch-gloo", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        prediction = json.loads(result.stdout)
        self.assertEqual(prediction["strategies"][0]["transport"], "gloo-tcp")
        self.assertGreater(prediction["points"][1]["iteration_s"], prediction["points"][0]["iteration_s"])

    def test_servers_that_nobody_counts_are_the_presets(self):
        points = [json.loads(run("predict", SCENARIO, "--set", "/preset=tf-ps", "--set", strategies, "--gpus", "8", "--json").stdout)["points"]
                  for strategies in ('/strategies=[{"name":"ps"}]', '/strategies=[{"name":"ps","servers":{"per_node":1},"placement":"colocated"}]')]
        self.assertEqual(points[0][0]["iteration_s"], points[1][0]["iteration_s"])
        text = run("predict", SCENARIO, "--set", "/preset=tf-ps", "--set", '/strategies=[{"name":"ps"}]', "--gpus", "8", "--details").stdout
        self.assertIn("ps(1 a node colocated, bytes) over", text)
        self.assertIn("leaves servers, placement, sharding of this strategy open", text)
        self.assertNotIn("unknown", text)

    def test_a_preset_of_one_machine_ends_with_its_node(self):
        result = run("predict", SCENARIO, "--set", "/preset=pytorch-dp", "--set", '/strategies=[{"name":"auto"}]', "--gpus", "1,4,8", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        points = json.loads(result.stdout)["points"]
        self.assertEqual(["error" in point for point in points], [False, False, True])
        self.assertIn("shm stays inside one", points[2]["error"])


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

    def test_any_number_of_threads_gives_the_same_bytes(self):
        for form in ("--json", "--csv", "--quiet"):
            one, two = (run("predict", SCENARIO, *self.AXES, form, "--threads", threads) for threads in ("1", "3"))
            self.assertEqual(one.stdout, two.stdout)
            self.assertIn("irsi", one.stdout)
        alone, *others = (run("predict", SCENARIO, "--gpus", "1,8", "--strategy", "ring", "--json", "--threads", n).stdout for n in (1, 2, 5))
        self.assertIn("iteration_s_low", alone)
        self.assertEqual(others, [alone, alone])

    def test_csv_rows_have_all_columns_and_a_table_has_a_line_a_strategy(self):
        rows = list(csv.DictReader(run("predict", SCENARIO, *self.AXES, "--csv").stdout.splitlines()))
        self.assertEqual(len(rows), 4 * 8 + 2)
        self.assertEqual({None} & set().union(*rows), set())
        self.assertNotIn(None, {value for row in rows for value in row.values()})
        self.assertEqual({row["scenario"].split("=")[1][:4] for row in rows if row["error"]}, {"64 /", "4096"})
        header, *table = run("predict", SCENARIO, SCENARIO, *QUICK, "--details").stdout.splitlines()
        self.assertEqual(header.count("(90 %)"), 3)
        self.assertEqual(len([line for line in table if line.startswith("iris-resnet50  ")]), 2 * 4)

    def test_nothing_that_can_be_is_a_failure_and_a_malformed_axis_wrong_use(self):
        result = run("predict", SCENARIO, "--sweep", "/cluster=irsi,irsa", *QUICK)
        self.assertEqual(result.returncode, 1)
        self.assertIn("irsi", result.stdout)
        self.refused(run("predict", SCENARIO, "--sweep", "batch"), 2, "--sweep")
        self.refused(run("predict", SCENARIO, "--threads", "0"), 2, "--threads")


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
        names = ("/model=resnet50_v9", "/precision=fp33", "/cluster=irs", "/gpu=V10", "/preset=horovd")
        self.refused(run("predict", SCENARIO, *(word for name in names for word in ("--set", name))), 1,
                     '/model: no model is called "resnet50_v9"', '/precision: "fp33" found', '/cluster: no cluster is called "irs"',
                     '/gpu: no GPU is called "V10"', '/preset: no preset is called "horovd"')  # all mistakes at once
        self.refused(run("predict", SCENARIO, "--set", "batch"), 2, "NAME=VALUE")

    def test_strategy_picks(self):
        result = run("predict", SCENARIO, *QUICK, "--json", "--strategy", "ring")
        self.assertEqual(len(json.loads(result.stdout)["strategies"]), 1)
        self.refused(run("predict", SCENARIO, *QUICK, "--strategy", "rink"), 1, "rink", "ring")

    def test_best_servers_are_searched_and_named(self):
        best = ("--set", '/strategies=[{"name": "ps", "preset": "tf-ps", "servers": "best"}]')
        result = run("predict", SCENARIO, *QUICK, *best, "--details")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"Best servers, by samples/s per node bought: \d+ at 8 GPUs \((colocated|dedicated), (bytes|round-robin|pieces)\)")
        points = json.loads(run("predict", SCENARIO, *QUICK, *best, "--json").stdout)["points"]
        self.assertEqual([point["strategy"]["servers"] for point in points], ["best", "best"])
        self.assertNotIn("best_servers", points[0])  # one GPU has none
        found = points[1]["best_servers"]
        self.assertAlmostEqual(points[1]["samples_per_s_per_node_bought"] * (points[1]["nodes"] + points[1]["server_nodes"]),
                               points[1]["samples_per_s"], delta=1e-6 * points[1]["samples_per_s"])
        row = list(csv.DictReader(run("predict", SCENARIO, *QUICK, *best, "--csv").stdout.splitlines()))[1]
        self.assertEqual(row["best_servers"], f"{found['servers']['count']} {found['placement']}, {found['sharding']}")

    def test_the_best_layout_is_in_every_form_of_the_answer(self):
        best = ("--set", '/strategies=[{"name": "model-parallel", "tensor": "best", "pipeline": "best", "micro_batches": 4}]')
        result = run("predict", SCENARIO, *QUICK, *best, "--csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(result.stdout.splitlines()))
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))
        self.assertEqual(rows[0]["best_layout"], "")  # one GPU has none
        layout = rows[1]["best_layout"]
        self.assertRegex(layout, r"^tensor \d+, \d+ stages?, 4 micro-batches$")
        self.assertIn(f"Best layout at 8 GPUs: {layout}, of ", run("predict", SCENARIO, *QUICK, *best, "--markdown").stdout)
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.html"
            run("predict", SCENARIO, *QUICK, *best, "--html", page)
            self.assertIn(f"Best layout at 8 GPUs: {layout}, of ", page.read_text())

    def test_servers_that_no_search_can_find_are_refused(self):
        def with_strategy(strategy):
            return run("predict", SCENARIO, *QUICK, "--set", f"/strategies=[{strategy}]")
        slip = with_strategy('{"name": "ps", "servers": "bst"}')
        self.refused(slip, 1, "/strategies/0/servers", '"bst" found; did you mean "best"?')
        none = with_strategy('{"name": "ring", "servers": "best"}')
        self.refused(none, 1, '/strategies/0/servers: has no meaning with "name": "ring"')
        self.assertEqual(none.stderr.count("/strategies/"), 1)

    def test_a_library_that_does_not_run_over_the_transport_is_named_with_its_strategy(self):
        mpi = run("predict", SCENARIO, *QUICK, "--set", '/strategies=[{"name": "auto"}, {"name": "auto", "library": "open-mpi 4.1"}]')
        self.refused(mpi, 1, "/strategies/1/library", "open-mpi 4.1 has no all-reduce over nccl-ib")

    def test_what_does_not_fit_in_memory_is_a_row(self):
        result = run("predict", SCENARIO, *QUICK, "--json", "--set", "/batch_per_gpu=4096")
        self.assertEqual(result.returncode, 3, result.stderr)
        for point in json.loads(result.stdout)["points"]:
            self.assertIn("V100-SXM2-16GB", point["error"])
        screen = run("predict", SCENARIO, *QUICK, "--set", "/batch_per_gpu=4096")
        self.assertEqual(screen.returncode, 3, screen.stderr)
        self.assertIn("None of the scales asked for is possible.", screen.stdout)
        table = run("predict", SCENARIO, *QUICK, "--set", "/batch_per_gpu=4096", "--details").stdout
        self.assertEqual(table.count("8 GPUs cannot be: 4096 samples"), 4)


if __name__ == "__main__":
    main()
