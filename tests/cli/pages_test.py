"""`--html` of plan, predict and calibrate: pages as a user writes them. What stands in them is asked by tests/*/..._html_test.cpp."""

import json
import shutil
from xml.etree import ElementTree

from program import QUICK, SCENARIO, SOURCE, Case, lines_of_records, main, of_table, run

REQUEST = SOURCE / "scenarios" / "plans" / "imagenet-90-epochs.json"
CLUSTER = "azure-nc24rs-v3-v100"
HOSTILE = "b<&>\"'</script>]]>-->"


def loaded_from(tree):
    """What a browser would fetch of the page, or run of an attribute."""
    found = [one.tag for one in tree.iter() if one.tag in ("link", "img", "iframe", "object", "embed", "base", "use", "image")]
    for one in tree.iter():
        found += [f"{one.tag} {name}" for name in one.attrib if name in ("src", "srcset", "data", "xlink:href", "style", "action")]
        found += [f"{one.tag} {name}" for name in one.attrib if name.startswith("on")]
        if not one.get("href", "#").startswith("#"):
            found.append(f"{one.tag} href")
    for part in ("url(", "@import", "://"):
        found += [part for style in tree.iter("style") if part in style.text]
        found += [part for script in tree.iter("script") if part in script.text]
    return found


class Page(Case):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "page.html"

    def written(self, *arguments, code=0):
        result = run(*arguments, "--html", self.page)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(f"wrote {self.page}\n", result.stderr)
        tree = ElementTree.parse(self.page)
        self.assertEqual(loaded_from(tree), [])
        self.assertEqual([file.name for file in self.folder.iterdir() if file.name.startswith("page")], ["page.html"])
        return result, tree

    def rows(self, tree):
        """The rows that marks stand for; every mark has one."""
        rows = {row.get("id"): "".join(row.itertext()) for row in tree.iter("tr") if row.get("id")}
        for mark in tree.iter():
            if mark.get("data-p"):
                self.assertIn("p" + mark.get("data-p"), rows)
        return rows

    def text(self, tree):
        return " ".join(" ".join(tree.getroot().itertext()).split())


class Predict(Page):
    def test_the_answer_stays_what_it_is_and_stands_in_the_page(self):
        ask = ("predict", SCENARIO, *QUICK, "--json")
        result, tree = self.written(*ask)
        self.assertEqual(result.stdout, run(*ask).stdout)
        answer = json.loads(result.stdout)
        rows = list(self.rows(tree).values())
        self.assertEqual(len(rows), len(answer["points"]))
        for row, point in zip(rows, answer["points"]):
            self.assertIn(point["bottleneck"], row)
            self.assertIn(str(point["gpus"]), row)
        text = self.text(tree)
        for strategy in answer["strategies"]:
            self.assertIn(strategy["measure_next"]["what"], text)
            self.assertIn(strategy["preset"], text)
        for file in answer["produced_by"]["files"]:
            self.assertIn(file["fnv1a"], text)
        first = self.page.read_bytes()
        self.written(*ask)
        self.assertEqual(self.page.read_bytes(), first)

    def test_a_sweep_has_a_control_for_each_axis_and_every_case(self):
        ask = ("predict", SCENARIO, *QUICK, "--strategy", "ring,ps", "--sweep", "/batch_per_gpu=32,64", "--sweep",
               "/cluster=iris,dgx1-v100,nowhere", "--csv")
        result, tree = self.written(*ask)
        self.assertEqual(result.stdout, run(*ask).stdout)
        names = [label.text for label in tree.iter("label")]
        self.assertEqual(names[:2], ["batch_per_gpu", "cluster"])
        options = [[option.text for option in select.iter("option")] for select in tree.iter("select")]
        self.assertEqual(options[:2], [["all 2", "32", "64"], ["all 2", "iris", "dgx1-v100"]])
        self.assertIn("hidden", tree.find(".//form").keys())
        could = [line for line in result.stdout.splitlines()[1:] if "nowhere" not in line]
        self.assertEqual(len(self.rows(tree)), len(could))
        self.assertIn("nowhere", self.text(tree))
        self.assertEqual(run(*ask, "--threads", 1, "--html", self.folder / "again.html").returncode, 0)
        self.assertEqual(self.page.read_bytes(), (self.folder / "again.html").read_bytes())

    def test_a_sweep_of_files_without_an_answer_is_a_page_that_says_so(self):
        bad = self.write("bad.json", "{")
        _, tree = self.written("predict", bad, bad, code=1)
        self.assertIn("bad.json", self.text(tree))

    def test_hostile_names_stay_text(self):
        file = self.folder / f"{HOSTILE.replace('/', '')}.json"
        scenario = json.loads(SCENARIO.read_text())
        scenario["strategies"] = [{"name": "ring", "note": HOSTILE}]
        file.write_text(json.dumps(scenario))
        _, tree = self.written("predict", file, *QUICK)
        self.assertIn(HOSTILE, self.text(tree))
        _, tree = self.written("predict", file, SCENARIO, *QUICK)
        self.assertIn(file.stem, self.text(tree))

    def test_a_folder_that_is_not_there(self):
        for more in ((), ("--sweep", "/batch_per_gpu=32,64")):
            result = run("predict", SCENARIO, *QUICK, *more, "--html", self.folder / "none" / "page.html")
            self.refused(result, 1, "none")
        self.assertEqual(list(self.folder.iterdir()), [])


class Plan(Page):
    QUICK = ("--set", "/limits/nodes=2", "--set", "/samples=40")

    def test_the_plan_stays_what_it_is_and_stands_in_the_page(self):
        ask = ("plan", REQUEST, "--json", *self.QUICK)
        result, tree = self.written(*ask)
        self.assertEqual(result.stdout, run(*ask).stdout)
        plan = json.loads(result.stdout)
        rows = list(self.rows(tree).values())
        self.assertEqual(len(rows), len(plan["options"]))
        for row, option in zip(rows, plan["options"]):
            self.assertTrue(row.startswith(option["candidate"]), row)
        text = self.text(tree)
        for words in [*plan["prices"], *plan["warnings"], *(one["why"] for one in plan["refused"])]:
            self.assertIn(" ".join(words.split()), text)
        self.assertIn("Take ", text)

    def test_hostile_names_and_a_wrong_folder(self):
        request = json.loads(REQUEST.read_text())
        request["candidates"] = request["candidates"][:1]
        request["candidates"][0]["price"] = {"kind": "on-demand", "usd_per_node_hour": 20, "source": HOSTILE}
        file = self.write("request.json", json.dumps(request))
        result = run("plan", file, *self.QUICK, "--html", self.folder / "none" / "page.html")
        self.refused(result, 1, "none")
        _, tree = self.written("plan", file, *self.QUICK, code=3)  # what it costs keeps no limit
        self.assertIn(HOSTILE, self.text(tree))


class Calibrate(Page):
    """On a copy of one cluster with one series."""

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        for name in ("platforms/gpus.json", "platforms/priors.json", "scenarios/presets.json",
                     f"platforms/{CLUSTER}/cluster.json", "scenarios/models/resnet50_v1.json"):
            (self.data / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.data / name)
        measurements = self.data / "platforms" / CLUSTER / "measurements"
        measurements.mkdir()
        lines = lines_of_records(next((SOURCE / "platforms" / CLUSTER / "measurements").glob("*.jsonl")))
        kept = lines[:1] + [line for line in lines if json.loads(line).get("series") == "azure-v100-resnet50-openmpi-nccl-tcp"]
        (measurements / "few.jsonl").write_text("".join(kept))
        self.ask = ("calibrate", "--cluster", CLUSTER, "--data", self.data, "--json")

    def test_the_calibration_stays_what_it_is_and_stands_in_the_page(self):
        result, tree = self.written(*self.ask)
        self.assertEqual(result.stdout, run(*self.ask).stdout)
        calibration = json.loads(result.stdout)
        rows = list(self.rows(tree).values())
        self.assertEqual(len(rows), len(calibration["parameters"]["rows"]))
        for name in of_table(calibration, "parameters", "name@"):
            self.assertTrue(any(row.startswith(name) for row in rows), name)
        text = self.text(tree)
        for words in [*calibration["files"], *of_table(calibration, "series", "name")]:
            self.assertIn(" ".join(words.split()), text)

    def test_wrong_use_and_a_wrong_folder(self):
        self.refused(run(*self.ask, "--html", self.folder / "none" / "page.html"), 1, "none")
        self.assertFalse((self.data / "platforms" / CLUSTER / "calibration.json").exists())
        self.assertEqual(run("calibrate", "--priors", "--html", self.page).returncode, 2)


if __name__ == "__main__":
    main()
