"""The first screen of each command: twenty lines of eighty columns at most, the verdict first, and what is wrongly typed."""

import json
import re

from program import SCENARIO, SOURCE, Case, main, run

LINES, COLUMNS = 20, 80
SCENARIOS = sorted(file for file in (SOURCE / "scenarios").glob("*.json") if file.stem not in ("inputs", "presets"))
PASCAL = SOURCE / "scenarios" / "pascal-servers-or-horovod.json"
SLOW = (PASCAL, "--strategy", "auto", "--step", "4=530 ms", "--step", "16=820 ms")
LISTS = ("models", "gpus", "clusters", "presets", "inputs", "convergence")


class Screens(Case):
    def screen(self, *command, code=0):
        result = run(*command, "--quiet", cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stderr)
        lines = result.stdout.splitlines()
        self.assertLessEqual(len(lines), LINES, f"{command}:\n{result.stdout}")
        self.assertLessEqual(max(map(len, lines)), COLUMNS, f"{command}:\n{result.stdout}")
        return result.stdout

    def test_every_shipped_scenario_is_answered_on_a_screen(self):
        for scenario in SCENARIOS:
            text = " ".join(self.screen("predict", scenario, "--fidelity", "formula").split())
            for words in (" train", "(90 %: ", "Where the time goes at ", "How sure: ", "Measure next: ", "--details"):
                self.assertIn(words, text)

    def test_seven_commands(self):
        self.screen("plan", SOURCE / "scenarios" / "plans" / "extend-iris.json", "--set", "/samples=40")
        self.screen("diagnose", *SLOW, code=3)
        self.screen("calibrate", "--cluster", "iris", "--output", "mine.json")
        self.screen("validate", "--cluster", "azure-nc24rs-v2-p100", "--split", "T2")
        self.screen("check", *SCENARIOS)
        for what in LISTS:
            self.screen("list", what)
        llamas = self.screen("list", "models", "llama")
        self.assertIn("llama_2_7b_seq4096", llamas)
        for length in re.findall(r"sequence of (\d+)", llamas):
            self.assertIn(int(length), (4096, 8192, 32768, 65536, 131072, 262144))
        self.assertNotIn("(7)", run("list", "clusters", "p").stdout)

    def test_the_verdict_comes_first_and_is_that_of_the_json(self):
        text = self.screen("predict", SCENARIO, "--strategy", "auto", "--gpus", "8,96", "--fidelity", "formula")
        answer = json.loads(run("predict", SCENARIO, "--strategy", "auto", "--gpus", "8,96", "--fidelity", "formula", "--json").stdout)
        self.assertEqual((answer["available_gpus"], answer["at_hand_gpus"], answer["unit"]), (96, 96, "images"))
        rate = re.search(r"Your 96 GPUs train about ([\d,]+) images/s", text)
        self.assertAlmostEqual(float(rate[1].replace(",", "")) / answer["points"][1]["samples_per_s"], 1, delta=0.005)
        self.assertTrue(answer["strategies"][0]["at_hand"]["equally_fast"])

    def test_a_model_that_no_gpu_holds_grows_against_the_gpus_at_hand(self):
        llm = SOURCE / "scenarios" / "h100-mpt-13b-fsdp.json"
        answer = json.loads(run("predict", llm, "--strategy", "fsdp", "--gpus", "8,32", "--fidelity", "formula", "--json").stdout)
        first = answer["strategies"][0]
        self.assertEqual(first["efficient_against_gpus"], 32)
        self.assertGreater(first["largest_efficient_gpus"], 32)
        point = answer["points"][1]
        self.assertLess(point["flop_utilisation_causal"], point["flop_utilisation"])
        self.assertLess(point["tokens_per_s_low"], point["tokens_per_s"])
        text = self.screen("predict", llm, "--gpus", "8,32", "--fidelity", "formula")
        for word in ("tokens/s", "MFU", "memory"):
            self.assertIn(word, text)

    def test_a_plan_says_what_would_keep_limits_and_why_a_row_is_there(self):
        request = SOURCE / "scenarios" / "plans" / "extend-iris.json"
        command = ("plan", request, "--set", "/samples=40", "--set", '/limits/deadline="2 h"', "--set", '/limits/budget="1 USD"')
        text = " ".join(self.screen(*command, code=3).split())
        for words in ("Nothing keeps 2 h, 1 USD ", "Nearest: "):
            self.assertIn(words, text)
        plan = json.loads(run(*command, "--json").stdout)
        self.assertFalse(plan["limits_met"])
        late = json.loads(run("plan", request, "--set", "/samples=40", "--set", '/limits/deadline="5 min"', "--json").stdout)
        relief = late["would_keep_limits"][0]
        self.assertEqual(relief["remedy"], "time")
        kept = run("plan", request, "--set", "/samples=40", "--set", f"/limits/deadline=\"{relief['deadline_s']} s\"", "--json")
        self.assertEqual(kept.returncode, 0, kept.stderr)
        self.assertTrue(any("fastest" in option["reasons"] for option in late["options"]))

    def test_a_plan_prints_what_it_ranks(self):
        request = SOURCE / "scenarios" / "plans" / "extend-iris.json"
        text = self.screen("plan", request, "--set", "/samples=40")
        plan = json.loads(run("plan", request, "--set", "/samples=40", "--json").stdout)
        energies = [option["energy_kwh"]["median"] for option in plan["options"] if option.get("chance", 0) >= plan["limits"]["chance"]]
        self.assertEqual(energies, sorted(energies))
        first = plan["options"][0]
        self.assertIn(f"{first['gpus']:,} V100", text)
        self.assertEqual([machine["gpu"] for machine in plan["machines"]][0], "V100-SXM2-16GB")


    def test_a_model_that_no_gpu_holds_gets_the_option_that_would_work_and_no_empty_picture(self):
        asked = ("--set", "/model=llama_2_13b_seq4096", "--set", "/batch_per_gpu=1", "--gpus", "8,64", "--fidelity", "formula")
        text = self.screen("predict", SCENARIO, "--strategy", "auto", *asked, code=3)
        line = "Try: --set '/strategies/0={\"name\": \"model-parallel\", \"layout\": \"best\"}'\n"
        self.assertIn(line, text)
        option = line.split("'")[1]
        self.assertIn("GPUs train about", run("predict", SCENARIO, "--set", "/cluster=p5", "--set", "/precision=bf16", "--set", option, *asked).stdout)
        self.assertNotIn("Try: ", self.screen("predict", SCENARIO, "--strategy", "auto", "--gpus", "8", "--set", "/batch_per_gpu=4096", code=3))
        for more in ((), ("--sweep", "/batch_per_gpu=1,2")):
            drawn = run("predict", SCENARIO, "--strategy", "auto", *asked, *more, "--svg", "none.svg", cwd=self.folder)
            self.assertIn("none.svg is not written", drawn.stderr)
            self.assertFalse((self.folder / "none.svg").exists())


class Forms(Case):
    def test_a_request_for_an_allocation_has_scaling_gpu_hours_and_sources(self):
        result = run("predict", SCENARIO, "--strategy", "auto", "--gpus", "8,96", "--fidelity", "formula", "--markdown", "--template", "allocation")
        self.assertEqual(result.returncode, 0, result.stderr)
        for words in ("# Request for allocation: ", "## What is asked for", "## Scaling", "GPU-hours for a million images", "## How sure", "## Sources", "priors.json"):
            self.assertIn(words, result.stdout)
        self.assertEqual(run("predict", SCENARIO, "--template", "allocation").returncode, 2)

    def test_tokens_mfu_and_memory_are_in_csv_and_markdown(self):
        llm = (SOURCE / "scenarios" / "h100-mpt-13b-fsdp.json", "--strategy", "fsdp", "--gpus", "8,32", "--fidelity", "formula")
        header, row, *_ = run("predict", *llm, "--csv").stdout.splitlines()
        cells = dict(zip(header.split(","), row.split(",")))
        point = json.loads(run("predict", *llm, "--json").stdout)["points"][0]
        self.assertEqual(float(cells["tokens_per_s"]), point["tokens_per_s"])
        self.assertEqual(float(cells["flop_utilisation_causal"]), point["flop_utilisation_causal"])
        self.assertEqual(float(cells["peak_memory_bytes"]), point["memory"]["peak_bytes"])
        self.assertIn("| tokens/s (90 %) | MFU | MFU, causal | efficiency (90 %) | peak memory a GPU |", run("predict", *llm, "--markdown").stdout)

    def test_a_range_of_gpus_has_two_scales_an_octave(self):
        answer = json.loads(run("predict", SCENARIO, "--strategy", "auto", "--gpus", "1,8..96", "--fidelity", "formula", "--json").stdout)
        self.assertEqual([point["gpus"] for point in answer["points"]], [1, 8, 12, 16, 24, 32, 48, 64, 96])
        self.refused(run("predict", SCENARIO, "--gpus", "96..8"), 2, "--gpus", "8..4096")


class Typed(Case):
    def test_what_is_wrongly_typed_works_or_says_what_to_type(self):
        self.refused(run("predict", SCENARIO, "--gpu", "8"), 2, "predict has no option --gpu; did you mean --gpus?")
        self.refused(run("calibrate", "iris"), 2, "--cluster iris")
        self.assertEqual(run("help", "predict").stdout, run("predict", "--help").stdout)
        self.assertEqual(run("help").stdout, run("--help").stdout)
        log = self.write("log.csv", "gpus,iteration_ms\n4,530\n")
        told = run("diagnose", PASCAL, "--strategy", "auto", "--set", "/seed=2", log)
        self.assertNotIn("NAME=VALUE", told.stderr)
        self.assertNotEqual(told.returncode, 2, told.stderr)


if __name__ == "__main__":
    main()
