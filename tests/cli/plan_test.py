"""`ddlsim plan`: what to buy, on one screen and for machines."""

import csv
import io
import json

from program import SOURCE, Case, main, run

PLANS = SOURCE / "scenarios" / "plans"
REQUEST = PLANS / "imagenet-90-epochs.json"
QUICK = ("--set", "/limits/nodes=2", "--set", "/samples=40")


class Plan(Case):
    def test_every_shipped_request_is_answered_on_one_screen(self):
        requests = sorted(PLANS.glob("*.json"))
        self.assertGreaterEqual(len(requests), 2)
        for request in requests:
            self.assertEqual(run("check", request).returncode, 0)
            screen = run("plan", request, "--quiet")
            self.assertEqual((screen.returncode, screen.stderr), (0, ""))
            lines = screen.stdout.splitlines()
            self.assertLessEqual(len(lines), 20)
            self.assertLessEqual(max(map(len, lines)), 80)
            self.assertIn("Take ", screen.stdout)
            result = run("plan", request, "--quiet", "--details")
            lines = result.stdout.splitlines()
            self.assertLessEqual(len(lines), 50)
            self.assertLessEqual(max(map(len, lines)), 120)
            for word in ("Take ", "Runner-up ", "Chance that it is the better choice", "Measure first, on ", "USD", "kWh"):
                self.assertIn(word, " ".join(result.stdout.split()))

    def test_json_and_csv_have_every_option_and_the_same_bytes_twice(self):
        first, second = (run("plan", REQUEST, "--json", *QUICK) for _ in range(2))
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        plan = json.loads(first.stdout)
        rows = list(csv.DictReader(io.StringIO(run("plan", REQUEST, "--csv", *QUICK).stdout)))
        self.assertEqual(len(rows), len(plan["options"]))
        for row, option in zip(rows, plan["options"]):
            shown = "median" if option["simulated"] else "value"
            self.assertEqual(float(row["time_s"]), option["time_s"][shown])
            self.assertEqual(float(row["cost_usd_high"]), option["cost_usd"]["high"])
            self.assertLessEqual(option["time_s"]["low"], option["time_s"]["value"])

    def test_any_number_of_threads_gives_the_same_bytes(self):
        alone, *others = (run("plan", REQUEST, "--json", *QUICK, "--threads", n).stdout for n in (1, 2, 5))
        self.assertIn("chance", alone)
        self.assertEqual(others, [alone, alone])

    def test_markdown_goes_to_a_file_with_a_row_for_each_option(self):
        answer = self.folder / "plan.md"
        result = run("plan", REQUEST, "--quiet", "--markdown", "--output", answer, *QUICK)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        rows = run("plan", REQUEST, "--csv", *QUICK).stdout.splitlines()
        self.assertEqual(sum(line.startswith("| ") for line in answer.read_text().splitlines()), len(rows))

    def test_another_deadline_needs_more_gpus(self):
        slow, fast = (json.loads(run("plan", REQUEST, "--json", *QUICK, "--set", f'/limits/deadline="{hours} h"').stdout)
                      for hours in (24, 9))
        self.assertGreater(fast["options"][0]["gpus"], slow["options"][0]["gpus"])

    def test_a_purchase_in_one_line_is_the_request_that_new_plan_writes(self):
        words = ("--on", "p5,2 x 8 x H100, 8x400 Gb/s IB", "--tokens", "1B", "--within", "9d", "--budget", "3M",
                 "--gpus", "8,16")
        typed = run("plan", "llama_3.1_8b_seq8192", *words, "--json", "--set", "/samples=40", "--quiet")
        self.assertEqual(typed.returncode, 0, typed.stderr)
        options = json.loads(typed.stdout)["options"]
        self.assertEqual({option["gpus"] for option in options}, {8, 16})
        self.assertEqual({option["cluster"] for option in options}, {"p5", "2x8-h100"})
        file = self.folder / "mine.json"
        made = run("new", "plan", file, "--model", "llama_3.1_8b_seq8192", *words)
        self.assertEqual(made.returncode, 0, made.stderr)
        read = run("plan", file, "--json", "--set", "/samples=40", "--quiet")
        self.assertEqual(json.loads(read.stdout)["options"], options)

    def test_a_price_in_one_line_is_what_a_budget_is_judged_by(self):
        words = ("--on", "iris,p5,2 x 8 x H100, 8x400 Gb/s IB", "--tokens", "1B", "--within", "90d", "--budget", "3M", "--gpus", "16")
        asked = ("llama_3.1_8b_seq8192", *words, "--price", "p5=50", "--price", "3=60")
        answer = json.loads(run("plan", *asked, "--json", "--set", "/samples=40", "--quiet").stdout)
        prices = {machine["candidate"]: machine["usd_per_node_hour"] for machine in answer["machines"]}
        self.assertEqual(prices, {"iris": None, "p5": 50, "2x8-h100": 60})
        file = self.folder / "mine.json"
        self.assertEqual(run("new", "plan", file, "--model", *asked).returncode, 0)
        self.assertEqual(json.loads(file.read_text())["candidates"][2]["price"]["usd_per_node_hour"], 60)
        dearer = json.loads(run("plan", file, "--json", "--set", "/samples=40", "--quiet", "--price", "p5=100").stdout)
        self.assertEqual([machine["usd_per_node_hour"] for machine in dearer["machines"]], [None, 100, 60])

    def test_mistakes_of_words_are_told_under_their_options(self):
        words = ("plan", "llama_3.1_8b_seq8192", "--on", "64 x 8 x H100,4 x 8 x H10000, 8x400 Gb/s IB,p55", "--tokens", "1B", "--within", "two months")
        result = run(*words)
        self.refused(result, 1, "--within: ", '--on: "64 x 8 x H100": network: missing', "H10000", "p55")
        for word in ("--gpu:", "--network:", "plan.json"):
            self.assertNotIn(word, result.stderr)
        for option, value in (("--precision", "fp99"), ("--chance", "0.2")):
            result = run("plan", "llama_3.1_8b_seq8192", "--on", "p5", "--tokens", "1B", option, value)
            self.refused(result, 1, f"{option}: ")
            self.assertNotIn(".json", result.stderr)
        self.refused(run("plan", "llama_3.1_8b_seq8192", "--tokens", "1B"), 1, "--on: missing; it names the machines")
        self.refused(run("plan", "llama_3.1_8b_seq8192"), 1, "--on: missing; it names the machines")
        self.refused(run("plan", "llama_3.1_8b_seq8192", "--on", "p5", "--tokens", "1B", "--price", "p6=3"), 1, '--price: no machine is called "p6"', "1 p5")

    def test_exit_3_where_nothing_keeps_the_limits(self):
        self.assertEqual(run("plan", REQUEST, *QUICK, "--set", '/limits/budget="1 USD"', "--quiet").returncode, 3)

    def test_mistakes(self):
        self.refused(run("plan", "llama_3.1_8b_seq8192", "--on", "p5"), 1, "--tokens")
        self.refused(run("plan", "llama_3.1_8b_seq8192", "--on", "p55", "--tokens", "1B"), 1, "p5")
        self.refused(run("plan", "no-such-model", "--on", "p5", "--tokens", "1B"), 1, "no-such-model")
        self.refused(run("plan", "llama_3.1_8b_seq8192", "--on", "4 x 8 x H100", "--tokens", "1B"), 1, "8x400 Gbps ib")
        self.refused(run("plan", "no-such-file.json"), 1, "no-such-file.json")
        self.refused(run("plan", REQUEST, "--set", "/candidates/1/cluster=ec2-p3.16xlarg"), 1, "ec2-p3.16xlarge")
        self.refused(run("plan", REQUEST, "--set", "/workload/epochs=-1"), 1, "/workload/epochs")
        self.refused(run("plan", REQUEST, "--set", "/limits/power=1 W"), 1, "no option of the request can be")
        self.assertEqual(run("plan", REQUEST, "--csv", "--markdown").returncode, 2)
        self.assertEqual(run("plan").returncode, 2)


if __name__ == "__main__":
    main()
