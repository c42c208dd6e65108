"""`--html` and `--svg` of every command that answers: files as a user gets them. tests/viewer asks what stands in charts and pages, and
browser_test.py what a browser makes of them."""

import html
import json
import re
import shutil
from html.parser import HTMLParser
from xml.etree import ElementTree

from program import QUICK, SCENARIO, SOURCE, Case, lines_of_records, main, run

HOSTILE = "</script><b onmouseover=alert(1)>'\"&{{answer}}"
REQUEST = SOURCE / "scenarios" / "plans" / "imagenet-90-epochs.json"
CLUSTER = "azure-nc24rs-v3-v100"
ANSWER = re.compile(r'<script type="application/json" class="answer">(.*?)</script>', re.DOTALL)
LOADING = {"link", "img", "iframe", "object", "embed", "base", "use", "image", "video", "audio", "source"}


class Loaded(HTMLParser):
    """What a browser would fetch of the page, or run of an attribute; and the page's text."""

    def __init__(self, text):
        super().__init__()
        self.found, self.said, self.inside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found += [tag] if tag in LOADING else []
        self.found += [f"{tag} {name}" for name, value in attributes if name.startswith("on") or name in ("src", "href", "srcset", "action", "style")]
        self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        self.said += [] if self.inside and self.inside[-1] in ("script", "style") else [data]


class Page(Case):
    def setUp(self):
        super().setUp()
        self.page, self.chart = self.folder / "page.html", self.folder / "chart.svg"

    def written(self, *arguments, code=0, drawn=True):
        """The result, the page and its text; all that is asked of every page. Where nothing is `drawn`, no picture is written."""
        result = run(*arguments, "--html", self.page, "--svg", self.chart)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(f"wrote {self.page}\n", result.stderr)
        self.assertIn(f"wrote {self.chart}\n" if drawn else f"{self.chart} is not written: ", result.stderr)
        self.assertEqual(self.chart.exists(), drawn)
        text = self.page.read_text()
        loaded = Loaded(text)
        self.assertEqual(loaded.found, [])
        for part in ("@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML", "eval("):
            self.assertNotIn(part, text)
        if drawn:
            self.assertEqual(ElementTree.parse(self.chart).getroot().tag, "{http://www.w3.org/2000/svg}svg")
        return result, text, " ".join("".join(loaded.said).split())

    def same_json(self, *ask, code=0):
        """The page has the very bytes of --json, and --json is what it is without the page."""
        result, page, text = self.written(*ask, "--json", code=code)
        self.assertEqual(result.stdout, run(*ask, "--json").stdout)
        self.assertEqual(ANSWER.search(page)[1].replace("\\u003c", "<"), result.stdout)
        return json.loads(result.stdout), page, text


class Predict(Page):
    def test_the_answer_stays_what_it_is_and_stands_in_the_page(self):
        ask = ("predict", SCENARIO, *QUICK)
        answer, page, text = self.same_json(*ask)
        self.assertEqual(page.count("<svg"), 6)  # three charts at two widths
        screen = " ".join(run(*ask, "--quiet").stdout.split())
        figure = re.search(r"train about ([0-9,.kM]+ images/s) \(90 %: ([0-9,. to]+)\)", screen)
        self.assertIn(f"<em>{figure[1]}</em>", page)
        self.assertIn(f"90 % interval: {figure[2]}.", text.replace("\u00a0", " "))
        for strategy in answer["strategies"]:
            self.assertIn(strategy["one_gpu"]["text"], text)
        first = self.page.read_bytes()
        self.written(*ask)
        self.assertEqual(self.page.read_bytes(), first)

    def test_a_sweep_has_every_case(self):
        ask = ("predict", SCENARIO, *QUICK, "--strategy", "ring,ps", "--sweep", "/batch_per_gpu=32,64", "--sweep",
               "/cluster=iris,dgx1-v100,nowhere")
        result, page, text = self.written(*ask, "--csv")
        self.assertEqual(result.stdout, run(*ask, "--csv").stdout)
        self.assertEqual(page.count('<template class="swept">'), 6)
        sweep = json.loads(re.search(r'id="sweep">(.*?)</script>', page, re.DOTALL)[1])
        self.assertEqual(sweep["names"], ["batch_per_gpu", "cluster"])
        self.assertEqual([one["values"] for one in sweep["answers"]][:3], [["32", "iris"], ["32", "dgx1-v100"], ["32", "nowhere"]])
        self.assertIn("nowhere", sweep["answers"][2]["error"])
        self.assertIn("No answer", text)
        self.assertIn(">64, dgx1-v100<", self.chart.read_text())
        self.assertEqual(run(*ask, "--threads", 1, "--html", self.folder / "again.html").returncode, 0)
        self.assertEqual(self.page.read_bytes(), (self.folder / "again.html").read_bytes())

    def test_a_sweep_of_files_without_an_answer_is_a_page_that_says_so(self):
        bad = self.write("bad.json", "{")
        _, _, text = self.written("predict", bad, bad, code=1, drawn=False)
        self.assertIn("bad.json", text)

    def test_hostile_names_stay_text(self):
        file = self.folder / f"{HOSTILE.replace('/', '')}.json"
        scenario = json.loads(SCENARIO.read_text())
        scenario["strategies"] = [{"name": "ring", "note": HOSTILE}]
        file.write_text(json.dumps(scenario))
        _, page, _ = self.written("predict", file, *QUICK)
        self.assertNotIn("<b onmouse", page)
        _, page, text = self.written("predict", file, SCENARIO, *QUICK)
        self.assertNotIn("<b onmouse", page)
        self.assertIn(file.stem, html.unescape(text))

    def test_a_folder_that_is_not_there(self):
        for option in ("--html", "--svg"):
            for more in ((), ("--sweep", "/batch_per_gpu=32,64")):
                result = run("predict", SCENARIO, *QUICK, *more, option, self.folder / "none" / "page.html")
                self.refused(result, 1, "none")
        self.assertEqual(list(self.folder.iterdir()), [])


class Plan(Page):
    QUICK = ("--set", "/limits/nodes=2", "--set", "/samples=40")

    def test_the_plan_stays_what_it_is_and_stands_in_the_page(self):
        plan, page, text = self.same_json("plan", REQUEST, *self.QUICK)
        for words in [*plan["prices"], *plan["warnings"]]:
            self.assertIn(" ".join(words.split()), text.replace("\u00a0", " "))
        self.assertIn("<h1>Take <em>", page)
        self.assertIn(f"{plan['options'][0]['gpus']} ", re.search(r"<em>(.*?)</em>", page)[1])

    def test_hostile_names_and_a_wrong_folder(self):
        request = json.loads(REQUEST.read_text())
        request["candidates"] = request["candidates"][:1]
        request["candidates"][0]["price"] = {"kind": "on-demand", "usd_per_node_hour": 20, "source": HOSTILE}
        file = self.write("request.json", json.dumps(request))
        result = run("plan", file, *self.QUICK, "--html", self.folder / "none" / "page.html")
        self.refused(result, 1, "none")
        _, page, text = self.written("plan", file, *self.QUICK, code=3)  # what it costs keeps no limit
        self.assertIn(HOSTILE, text)
        self.assertIn('<em class="bad">Nothing keeps</em>', page)


class Diagnose(Page):
    def test_the_verdict_stands_in_the_page(self):
        ask = ("diagnose", SCENARIO, "--strategy", "ring", "--step", "8=1 s", "--step", "16=1.2 s")
        answer, page, _ = self.same_json(*ask, code=3)
        self.assertEqual(answer["verdict"], "not normal")
        self.assertIn('<em class="bad">Not normal</em>', page)
        self.assertIn("What explains it", page)

    def test_a_page_of_logs_that_grow_is_refused(self):
        self.assertEqual(run("diagnose", SCENARIO, "a.log", "--follow", "--html", self.page).returncode, 2)


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
        self.ask = ("calibrate", "--cluster", CLUSTER, "--data", self.data)

    def test_the_calibration_stays_what_it_is_and_stands_in_the_page(self):
        calibration, page, text = self.same_json(*self.ask)
        for file in calibration["files"]:
            self.assertIn(file, text)
        self.assertIn(f"{100 * calibration['quality']['fit_error']:.1f}&#160;%", page)

    def test_wrong_use_and_a_wrong_folder(self):
        self.refused(run(*self.ask, "--json", "--html", self.folder / "none" / "page.html"), 1, "none")
        self.assertFalse((self.data / "platforms" / CLUSTER / "calibration.json").exists())
        for option in ("--html", "--svg"):
            self.assertEqual(run("calibrate", "--priors", option, self.page).returncode, 2)


if __name__ == "__main__":
    main()
