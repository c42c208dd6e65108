"""The program's help, exit codes, `check` and `list`."""

import os
import pty
import subprocess
import tempfile

from program import DDLSIM, QUICK, SCENARIO, SOURCE, Case, main, run


def at_terminal(*words, **environment):
    """Standard output, and what standard error shows on a terminal."""
    master, slave = pty.openpty()
    with tempfile.TemporaryFile("w+") as out:  # a pipe would be full before it is read
        asked = subprocess.Popen([DDLSIM, *map(str, words)], stdout=out, stderr=slave, env=os.environ | environment)
        os.close(slave)
        shown = b""
        try:
            while part := os.read(master, 4096):
                shown += part
        except OSError:  # how a terminal says that nobody has its other end
            pass
        os.close(master)
        asked.wait(timeout=60)
        out.seek(0)
        return out.read(), shown.decode()


class Use(Case):
    def test_help_is_on_standard_output(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        for command in ("check", "list", "explain", "schema", "predict", "validate", "import", "export"):
            self.assertIn(command, result.stdout)

    def test_help_of_every_command_has_examples_and_fits_120_columns(self):
        commands = ("check", "list", "explain", "schema", "predict", "calibrate", "validate", "import", "export")
        for result in [run("--help")] + [run(command, "--help") for command in commands]:
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"\n(Examples?|Begin with):\n  ddlsim ")
            self.assertNotIn(" TEXT:", result.stdout)
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 120)

    def test_examples_of_help_are_commands_that_are_understood(self):
        examples = [line.split("      ")[0].split() for command in ("check", "list", "explain", "schema", "predict", "calibrate", "validate", "import", "export")
                    for line in run(command, "--help").stdout.splitlines() if line.startswith("  ddlsim ")]
        self.assertGreater(len(examples), 10)
        for _, *arguments in examples:
            result = run(*arguments, "--data", self.folder, cwd=self.folder)  # an empty folder: nothing is computed
            self.assertIn(result.returncode, (0, 1), (arguments, result.stderr))

    def test_options_of_every_command_may_stand_before_it(self):
        before = run("--data", self.folder, "--quiet", "list", "clusters")
        after = run("list", "clusters", "--data", self.folder, "--quiet")
        self.assertEqual((before.returncode, before.stdout, before.stderr), (after.returncode, after.stdout, after.stderr))
        self.assertNotEqual(before.stdout, run("list", "clusters").stdout)
        self.assertIn("--data FOLDER", run("--help").stdout)
        self.refused(run("--data"), 2, "--data")

    def test_nothing_is_coloured(self):
        for arguments in (("list", "gpus"), ("check", SCENARIO), ("predict", SCENARIO, *QUICK)):
            result = run(*arguments)
            self.assertNotIn("\x1b", result.stdout + result.stderr)

    def test_a_bar_on_a_terminal_alone(self):
        """Whether it shows depends on the machine's speed; what it may show does not."""
        sweep = ("predict", SCENARIO, *QUICK, "--strategy", "ring", "--sweep", "/batch_per_gpu=" + ",".join(map(str, range(16, 40))),
                 "--csv")
        plain = run(*sweep)
        self.assertEqual(plain.stderr, "")
        wiped = r"(\r\x1b\[K\[=* *\] \d+ of 24 questions(, [\d.]+ (s|min|h) left)?)*(\r\x1b\[K)?"
        for no_color in ({}, {"NO_COLOR": "1"}):
            out, shown = at_terminal(*sweep, **no_color)
            self.assertEqual(out, plain.stdout)
            self.assertRegex(shown, rf"\A{wiped}\Z")
            self.assertTrue(shown == "" or shown.endswith("\r\x1b[K"), shown)
        self.assertEqual(at_terminal(*sweep, "--quiet"), (plain.stdout, ""))

    def test_version(self):
        result = run("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^\d+\.\d+\.\d+\n$")

    def test_wrong_use_is_2(self):
        self.refused(run(), 2)
        self.refused(run("predikt", SCENARIO), 2, "predikt", "predict")
        self.refused(run("predict", SCENARIO, "--no-such"), 2, "--no-such")
        self.refused(run("predict", SCENARIO, "--fidelity", "ful"), 2, "--fidelity", "\"ful\" found", "did you mean full?")
        self.refused(run("predict", SCENARIO, "--fidelity", "screening"), 2, "\"screening\" found", "did you mean formula?")
        self.refused(run("predict", SCENARIO, "--fidelity", "auto"), 2, "\"auto\" found", "did you mean default?")
        self.refused(run("predict", SCENARIO, "--gpus", "1,0"), 2, "--gpus: 0 found, a whole number above 0 expected")
        self.refused(run("predict", SCENARIO, "--gpus", "1.5"), 2, "--gpus: \"1.5\" found, a whole number above 0 expected")
        self.refused(run("list", "planets"), 2, "planets")
        self.refused(run("predict", SCENARIO, "--gpus", "0"), 2)
        self.refused(run("import", "csv", "x.csv", "--set", "transport"), 2, "NAME=VALUE")


class Check(Case):
    def test_every_shipped_document(self):
        files = [SCENARIO, SOURCE / "platforms/gpus.json", SOURCE / "platforms/priors.json", SOURCE / "scenarios/presets.json",
                 SOURCE / "scenarios/inputs.json"]
        files += sorted(SOURCE.glob("platforms/*/cluster.json")) + sorted(SOURCE.glob("platforms/held-out/*/cluster.json"))
        files += sorted(SOURCE.glob("scenarios/models/*.json"))
        result = run("check", "--details", *files)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), len(files))

    def test_every_shipped_record(self):
        files = sorted(SOURCE.glob("platforms/*/measurements/*.jsonl"))
        self.assertGreater(len(files), 50)
        held_out = sorted(SOURCE.glob("platforms/held-out/*/measurements/*.jsonl"))
        self.assertGreater(len(held_out), 30)
        ratios = sorted(SOURCE.glob("platforms/*/ratios/*.jsonl"))
        self.assertGreater(len(ratios), 4)
        files += held_out + ratios
        result = run("check", "--details", *files)
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
        for what, name in (("models", "resnet50_v1.5"), ("gpus", "V100-SXM2-16GB"), ("clusters", "iris"), ("presets", "horovod"),
                           ("inputs", "pytorch-dataloader"), ("inputs", "beegfs"), ("inputs", "parquet"), ("inputs", "mnist")):
            result = run("list", what, name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(name, result.stdout)
            self.assertIn(name, run("list", what, "--details").stdout)
            self.assertEqual(result.stderr, "")

    def test_held_out_clusters_are_not_among_them(self):
        listed = run("list", "clusters", "--details").stdout
        for folder in SOURCE.glob("platforms/held-out/*"):
            self.assertNotIn(folder.name, listed)


if __name__ == "__main__":
    main()
