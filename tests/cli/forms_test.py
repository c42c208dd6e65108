"""Other forms of `ddlsim predict`: all-reduces alone, Markdown, and what was measured beside the prediction."""

import csv
import io
import json

from program import QUICK, SOURCE, Case, main, run

SCENARIO = SOURCE / "scenarios" / "pascal-servers-or-horovod.json"


class Collectives(Case):
    def test_text_json_and_csv_say_the_same(self):
        question = ("predict", SCENARIO, "--collective", "all-reduce", "--gpus", "4,64", "--sizes", "16MiB,64KiB")
        text = run(*question)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.assertIn("GB/s of bus bandwidth", text.stdout)
        points = json.loads(run(*question, "--json").stdout)["answers"][0]["points"]
        rows = list(csv.DictReader(io.StringIO(run(*question, "--csv").stdout)))
        self.assertEqual(len(points), 4)
        self.assertEqual([float(row["time_s_high"]) for row in rows], [point["time_s_high"] for point in points])
        for point in points:
            ranks = point["gpus"]
            self.assertAlmostEqual(point["bus_Bps"], 2 * (ranks - 1) / ranks * point["size_bytes"] / point["time_s"],
                                   delta=1e-8 * point["bus_Bps"])  # both are printed with nine digits

    def test_mistakes(self):
        collective = ("predict", SCENARIO, "--collective", "all-reduce")
        self.refused(run(*collective, "--gpus", "1"), 1, "nothing to all-reduce")
        self.refused(run(*collective, "--strategy", "ps"), 1, "only parameter servers and sharded strategies found")
        self.refused(run(*collective, "--sizes", "7 parsecs"), 1, "--sizes")
        for wrong in (("--trace", "t.json"), ("--sweep", "/batch_per_gpu=1,2"), ("--html", "p.html")):
            self.assertEqual(run(*collective, *wrong).returncode, 2, wrong)
        self.assertEqual(run("predict", SCENARIO, "--sizes", "1MiB").returncode, 2)
        self.assertEqual(run("predict", SCENARIO, "--collective", "broadcast").returncode, 2)


class Markdown(Case):
    def test_an_answer_for_a_proposal(self):
        result = run("predict", SCENARIO, "--gpus", "4,16", "--markdown")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "## pascal-servers-or-horovod")
        self.assertTrue(any(line.startswith("Fastest at 16 GPUs") for line in lines))
        tables = [line for line in lines if line.startswith("|")]
        self.assertEqual(len(tables), 3 * 4)  # a head, a rule and two scales for each strategy
        widths = {line.count("|") for line in tables}
        self.assertLessEqual(widths, {9, 10})  # measured where there are records
        points = json.loads(run("predict", SCENARIO, "--gpus", "4,16", "--json").stdout)["points"]
        for point in points:
            self.assertTrue(any(line.startswith(f"| {point['gpus']} |") and point["bottleneck"] in line for line in tables))

    def test_a_point_that_cannot_be_and_wrong_use(self):
        text = run("predict", SCENARIO, "--strategy", "auto", "--gpus", "16,99999", "--markdown").stdout
        self.assertIn("| cannot be: 99999 GPUs are more than horovod-pascal may grow to", text)
        self.assertEqual(len({line.count("|") for line in text.splitlines() if line.startswith("|")}), 1)
        for wrong in (("--csv",), ("--sweep", "/batch_per_gpu=32,64"), ("--collective", "all-reduce")):
            self.assertEqual(run("predict", SCENARIO, "--markdown", *wrong).returncode, 2, wrong)


class Measured(Case):
    def test_why_says_in_five_sentences_what_each_answer_rests_on(self):
        plain = run("predict", SCENARIO, "--strategy", "auto", *QUICK, "--details")
        text = run("predict", SCENARIO, "--strategy", "auto", *QUICK, "--why")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertEqual(text.stdout.count("\nWhy, at 8 GPUs:\n1. One GPU's time, "), 1)
        self.assertLessEqual(set(plain.stdout.splitlines()), set(text.stdout.splitlines()))
        answer = json.loads(run("predict", SCENARIO, "--strategy", "auto", *QUICK, "--why", "--json").stdout)
        why = answer["strategies"][0]["why"]
        self.assertEqual(len(why), 5)
        self.assertRegex(why[4], r"\(\w+\), \d+ %: ")
        for wrong in (["--csv"], ["--sweep", "/batch_per_gpu=32,64"], ["--collective", "all-reduce"]):
            self.refused(run("predict", SCENARIO, "--why", *wrong), 2, "--why")

    def test_a_record_stands_beside_its_point(self):
        result = run("predict", SCENARIO, "--strategy", "auto", "--gpus", "4,16", "--json")
        four, sixteen = json.loads(result.stdout)["points"]
        self.assertNotIn("measured", four)
        measured = sixteen["measured"]
        self.assertEqual(measured["inside"], sixteen["iteration_s_low"] <= measured["iteration_s"] <= sixteen["iteration_s_high"])
        row = list(csv.DictReader(io.StringIO(run("predict", SCENARIO, "--strategy", "auto", "--gpus", "16", "--csv").stdout)))[0]
        self.assertEqual(float(row["measured_s"]), measured["iteration_s"])
        text = run("predict", SCENARIO, "--strategy", "auto", "--gpus", "4,16", "--details").stdout
        self.assertIn(" ms, inside" if measured["inside"] else " ms, ", text)


if __name__ == "__main__":
    main()
