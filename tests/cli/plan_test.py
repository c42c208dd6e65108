"""`ddlsim plan`: what to buy, on one screen and for machines."""

import csv
import io
import json
import tempfile
from pathlib import Path

from program import SOURCE, Case, main, run

REQUEST = "scenarios/plans/imagenet-90-epochs.json"


class Plan(Case):
    def test_one_screen(self):
        result = run("plan", REQUEST)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertLessEqual(len(lines), 50)
        self.assertLessEqual(max(map(len, lines)), 120)
        for word in ("Take ", "Runner-up ", "Chance that it is the better choice", "Measure first, on ", "USD", "kWh"):
            self.assertIn(word, result.stdout)

    def test_json_and_csv_have_every_option_and_the_same_bytes_twice(self):
        first, second = run("plan", REQUEST, "--json"), run("plan", REQUEST, "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        plan = json.loads(first.stdout)
        rows = list(csv.DictReader(io.StringIO(run("plan", REQUEST, "--csv").stdout)))
        self.assertEqual(len(rows), len(plan["options"]))
        for row, option in zip(rows, plan["options"]):
            self.assertEqual(float(row["time_s"]), option["time_s"]["value"])
            self.assertEqual(float(row["cost_usd_high"]), option["cost_usd"]["high"])
            self.assertLessEqual(option["time_s"]["low"], option["time_s"]["value"])

    def test_markdown_has_a_row_for_each_option(self):
        text = run("plan", REQUEST, "--markdown").stdout
        options = json.loads(run("plan", REQUEST, "--json").stdout)["options"]
        self.assertEqual(sum(line.startswith("| ") for line in text.splitlines()), len(options) + 1)

    def test_another_deadline_needs_more_gpus(self):
        slow, fast = (json.loads(run("plan", REQUEST, "--json", "--set", f'/limits/deadline="{hours} h"').stdout)["options"][0]["gpus"]
                      for hours in (24, 3))
        self.assertGreater(fast, slow)

    def test_mistakes(self):
        self.refused(run("plan", "no-such-file.json"), 1, "no-such-file.json")
        self.refused(run("plan", REQUEST, "--set", "/candidates/1/cluster=ec2-p3.16xlarg"), 1, "ec2-p3.16xlarge")
        self.refused(run("plan", REQUEST, "--set", "/workload/epochs=-1"), 1, "/workload/epochs")
        self.assertEqual(run("plan", REQUEST, "--csv", "--markdown").returncode, 2)
        self.assertEqual(run("plan").returncode, 2)

    def test_every_shipped_request_is_answered(self):
        requests = sorted((Path(SOURCE) / "scenarios" / "plans").glob("*.json"))
        self.assertGreaterEqual(len(requests), 2)
        for request in requests:
            self.assertEqual(run("check", str(request)).returncode, 0)
            with tempfile.TemporaryDirectory() as folder:
                answer = Path(folder) / "plan.md"
                result = run("plan", str(request), "--quiet", "--markdown", "--output", str(answer))
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
                self.assertIn("Take ", answer.read_text())


if __name__ == "__main__":
    main()
