"""The program's help, exit codes, `check` and `list`."""

from program import SCENARIO, SOURCE, Case, main, run


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


if __name__ == "__main__":
    main()
