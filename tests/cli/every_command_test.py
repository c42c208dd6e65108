"""Every command and every writer once, on small questions: for the sanitizer build, where the program takes ten times as long.

What the answers say is asked by the files beside this one.
"""

import json

from program import SCENARIO, SOURCE, Case, main, run

ONE_NODE = ("--gpus", "1,4")


class EveryCommand(Case):
    def done(self, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))
        return result

    def written(self, name):
        self.assertGreater((self.folder / name).stat().st_size, 0, name)

    def test_predict(self):
        self.assertIn("ring", self.done("predict", SCENARIO, *ONE_NODE, "--strategy", "ring,ps").stdout)
        said = self.done("predict", SCENARIO, *ONE_NODE, "--strategy", "ring", "--json")
        self.assertEqual([point["gpus"] for point in json.loads(said.stdout)["points"]], [1, 4])
        self.done("predict", SCENARIO, *ONE_NODE, "--strategy", "ring", "--csv", "--trace", self.folder / "trace.json")
        self.written("trace.json")
        self.done("predict", SCENARIO, *ONE_NODE, "--strategy", "ring", "--html", self.folder / "predict.html")
        self.written("predict.html")
        self.done("predict", SCENARIO, *ONE_NODE, "--strategy", "ring", "--sweep", "/batch_per_gpu=32,64", "--html",
                  self.folder / "sweep.html")
        self.written("sweep.html")

    def test_a_question_in_full_and_one_by_formula(self):
        for fidelity in ("full", "formula"):
            self.done("predict", SCENARIO, "--gpus", "8", "--strategy", "ring,ps", "--fidelity", fidelity, "--quiet")

    def test_diagnose_and_a_collective(self):
        slow = run("diagnose", SCENARIO, "--strategy", "auto", "--step", "4=3 s", "--json")
        self.assertEqual(slow.returncode, 3, slow.stderr)
        self.assertFalse(json.loads(slow.stdout)["normal"])
        self.done("diagnose", SCENARIO, "--strategy", "auto", "--step", "4=300 ms")
        self.done("predict", SCENARIO, "--collective", "all-reduce", "--gpus", "8", "--sizes", "1MiB")

    def test_export(self):
        self.done("export", "chakra", SCENARIO, "--gpus", "4", "--strategy", "ring", "--output", self.folder / "chakra")
        self.done("export", "simgrid", SCENARIO, "--gpus", "8", "--output", self.folder / "cluster.xml")

    def test_plan(self):
        request = json.loads((SOURCE / "scenarios" / "plans" / "imagenet-90-epochs.json").read_text())
        request["candidates"] = request["candidates"][1:2]
        request["limits"]["nodes"] = 4
        request = self.write("request.json", json.dumps(request))
        for form in ("--json", "--csv", "--markdown"):
            self.done("plan", request, "--quiet", form)
        self.done("plan", request, "--quiet", "--html", self.folder / "plan.html")
        self.written("plan.html")

    def test_import_and_validate(self):
        rates = self.write("rates.csv", "model,batch_per_gpu,gpus,gpus_per_node,rate\nvgg16,64,1,4,230\nvgg16,64,4,4,800\n"
                                        "vgg16,64,8,4,1400\n")
        self.done("import", "csv", rates, "--cluster", "my-cluster", "--output", self.folder / "rates.jsonl")
        self.done("validate", "--measurements", rates, "--cluster", "dlperf-v100", "--own-only", "--split", "T1", "--set",
                  "transport=nccl-ib", "--html", self.folder / "page.html")
        self.written("page.html")
        self.done("validate", "--cluster", "dell-c4140-v100", "--split", "new-T1", "--json")
        self.done("validate", "--collectives", "--cluster", "p4de")
        self.done("validate", "--ratios", "--cluster", "dell-c4140-v100")

    def test_explain(self):
        for words in ((), ("global", "batch"), ("batch", "--json")):
            self.done("explain", *words)
        self.refused(run("explain", "nonsense"), 2, "nonsense")

    def test_schema(self):
        for form in ((), ("--markdown",)):
            self.done("schema", "scenario", *form)
        self.refused(run("schema", "scenaro"), 1, "did you mean scenario?")

    def test_mistakes_of_every_command(self):
        none = self.folder / "none.json"
        for command in (("check", none), ("predict", none), ("plan", none), ("validate", "--thresholds", none),
                        ("calibrate", "--cluster", "irsi"), ("export", "chakra", none, "--output", none)):
            result = run(*command)
            self.assertEqual(result.returncode, 1, command)
            self.assertNotRegex(result.stderr, "Sanitizer|runtime error", command)  # a sanitizer ends with status 1, too
            self.assertEqual(result.stdout, "", command)


if __name__ == "__main__":
    main()
