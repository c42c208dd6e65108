"""The pages in a real browser without network: nothing in the console, the first chart above 450 pixels, no sideways scroll, figures
as in the JSON, controls, keys, one A4 in print, and what axe-core says of contrast, names and keyboard.

usage: browser_test.py DDLSIM SOURCE_FOLDER [CASE...]; ends with status 77 where there is no Chromium.
A copy of the page gets a probe after its own script, which plays the user and leaves what it saw in the document.
"""

import html
import json
import re
import shutil
import subprocess
import sys

from program import QUICK, SCENARIO, SOURCE, Case, main, run

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# axe-core as build/python-deep has it (tests/python/deep.txt); without it, that check is skipped.
AXE = next(SOURCE.glob("build/python-deep/lib/python*/site-packages/axe_core_python/axe.min.js"), None)
SKIPPED = 77
SEEN = re.compile(r'<pre id="seen">(.*?)</pre>', re.DOTALL)
FRAME = """<pre id="seen"></pre>AXE<script>
(async function () {
  const all = (what) => Array.from(document.querySelectorAll(what));
  const visible = (one) => one.getClientRects().length > 0;
  const key = (name) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
  const seen = {};
  try { PROBE } catch (error) { seen.error = String(error); }
  document.getElementById("seen").textContent = JSON.stringify(seen);
})();
</script></body>"""
SWEEP = ("--strategy", "auto,ring", "--sweep", "/batch_per_gpu=32,64,96,128", "--sweep", "/cluster=iris,dgx1-v100")
LAYOUT = """
  const root = document.documentElement, chart = all("svg.chart").find(visible);
  seen.top = Math.round(chart.getBoundingClientRect().top);
  seen.wider = root.scrollWidth - root.clientWidth;
  seen.texts = all("svg.chart text").filter(visible).filter((one) => {
    const own = one.getBoundingClientRect(), frame = one.ownerSVGElement.getBoundingClientRect();
    return own.left < frame.left - 1 || own.right > frame.right + 1;
  }).map((one) => one.textContent);
  document.body.style.width = "390px";
  seen.wider_than_390 = all("body *").filter(visible).filter((one) => !one.closest(".table") && !one.closest("svg"))
    .filter((one) => one.getBoundingClientRect().right > document.body.getBoundingClientRect().left + 391).map((one) => one.outerHTML.slice(0, 80));"""
CHECK = """
  for (const fold of all("details")) fold.open = true;
  await new Promise((done) => setTimeout(done, 100));
  const told = await axe.run({exclude: [["#seen"]]});
  seen.wrong = told.violations.map((one) => one.id + ": " + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" ; "));"""
DARK = "--blink-settings=preferredColorScheme=0"


class Browser(Case):
    def browse(self, *arguments):
        return subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
                               f"--user-data-dir={self.folder / 'profile'}", *arguments], capture_output=True, text=True, timeout=300)

    def visit(self, page, probe, fragment="", *options, axe=False):
        """What the probe saw; the console must be empty."""
        seen, console = self.visit_told(page, probe, fragment, *options, axe=axe)
        self.assertEqual(console, [])
        self.assertNotIn("error", seen)
        return seen

    def visit_told(self, page, probe, fragment="", *options, axe=False):
        copy = self.folder / "probed.html"
        script = f"<script>{AXE.read_text()}</script>" if axe else ""
        frame = FRAME.replace("PROBE", probe).replace("AXE", script, 1)
        text = page.read_text()
        end = text.rindex("</body>") if "</body>" in text else len(text)
        copy.write_text(text[:end] + frame)
        result = self.browse("--window-size=1280,900", "--virtual-time-budget=4000", *options, "--dump-dom", f"file://{copy}{fragment}")
        self.assertEqual(result.returncode, 0, result.stderr)
        seen = SEEN.search(result.stdout)
        self.assertIsNotNone(seen, result.stdout[-2000:])
        return json.loads(html.unescape(seen[1]) or "{}"), [line for line in result.stderr.splitlines() if "CONSOLE" in line]

    def page_of(self, *arguments, code=0):
        page = self.folder / f"page-{len(list(self.folder.glob('page-*')))}.html"
        result = run(*arguments, "--html", page, "--quiet")
        self.assertEqual(result.returncode, code, result.stderr)
        return page

    def all_pages(self):
        table = self.write("rates.csv", "".join(["model,gpus,batch_per_gpu,precision,rate\n"] + [
            f"resnet50_v1.5,{gpus},64,fp32,{rate}\n" for gpus, rate in ((1, 360), (4, 1380), (8, 2700), (16, 5200), (32, 9900))]))
        yield "predict", self.page_of("predict", SCENARIO, *QUICK)
        yield "language model", self.page_of("predict", SOURCE / "scenarios" / "h100-mpt-13b-fsdp.json", "--fidelity", "formula")
        yield "sweep", self.page_of("predict", SCENARIO, *QUICK, *SWEEP)
        yield "plan", self.page_of("plan", SOURCE / "scenarios" / "plans" / "imagenet-90-epochs.json", "--set", "/limits/nodes=2", "--set",
                                   "/samples=40")
        yield "diagnose", self.page_of("diagnose", SCENARIO, "--strategy", "ring", "--step", "8=1 s", "--step", "16=1.2 s", code=3)
        yield "calibrate", self.page_of("calibrate", "--cluster", "azure-nc24rs-v2-p100", "--output", self.folder / "calibration.json")
        yield "validate", self.page_of("validate", "--measurements", table, "--cluster", "dlperf-v100", "--own-only", "--set",
                                       "transport=nccl-ib", "--set", "preset=pytorch-ddp", "--split", "T1,T2")

    def test_the_console_would_tell_a_mistake(self):
        _, console = self.visit_told(self.write("plain.html", "<!DOCTYPE html><html><body></body></html>"),
                                     "setTimeout(function () { no_such_function(); }, 0);")
        self.assertIn("no_such_function", " ".join(console))

    def test_every_page_is_quiet_fits_and_prints_on_one_sheet(self):
        for name, page in self.all_pages():
            with self.subTest(name):
                seen = self.visit(page, LAYOUT)
                self.assertLess(seen["top"], 450)
                self.assertEqual((seen["wider"], seen["texts"]), (0, []))
                seen = self.visit(page, LAYOUT, "", "--window-size=500,900")
                self.assertEqual((seen["wider"], seen["texts"], seen["wider_than_390"]), (0, [], []))
                paper = self.folder / "page.pdf"
                self.assertEqual(self.browse("--no-pdf-header-footer", "--virtual-time-budget=3000", f"--print-to-pdf={paper}",
                                             f"file://{page}").returncode, 0)
                self.assertEqual(re.findall(rb"/Count (\d+)", paper.read_bytes()), [b"1"])
                box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", paper.read_bytes())
                self.assertAlmostEqual(float(box[1]), 595, delta=1)
                self.assertAlmostEqual(float(box[2]), 842, delta=1)

    def test_axe_finds_nothing_wrong(self):
        if AXE is None:
            self.skipTest("no axe-core (tests/python/deep.txt)")
        for name, page in self.all_pages():
            for options in ((), (DARK,), ("--window-size=500,900",)):
                with self.subTest(name, options=options):
                    self.assertEqual(self.visit(page, CHECK, "", *options, axe=True)["wrong"], [])

    def test_figures_of_the_page_are_those_of_the_json(self):
        ask = ("predict", SCENARIO, *QUICK)
        answer = json.loads(run(*ask, "--json", "--quiet").stdout)
        seen = self.visit(self.page_of(*ask), """
  const fold = all("details").find((one) => one.textContent.startsWith("All figures"));
  fold.open = true;
  await new Promise((done) => setTimeout(done, 50));
  seen.rows = Array.from(fold.querySelectorAll("tbody tr")).map((row) => Array.from(row.children).map((cell) => cell.innerText));
  seen.said = document.querySelector(".said").textContent;
  seen.head = document.querySelector(".time h2").textContent;
  seen.title = document.querySelector("h1").textContent;""")
        points = [point for point in answer["points"] if "error" not in point]
        self.assertEqual(len(seen["rows"]), len(points))
        for row, point in zip(seen["rows"], points):
            self.assertEqual(int(row[0].replace(",", "")), point["gpus"])
            shown = [float(figure) for figure in re.findall(r"[0-9.]+", row[2].replace(",", ""))]
            factor = 1000 if "k" in row[2].split("\n")[0] else 1
            self.assertAlmostEqual(shown[0] * factor / point["samples_per_s"], 1, delta=0.006)
            self.assertAlmostEqual(int(re.match(r"\d+", row[3])[0]), 100 * point["efficiency"], delta=0.51)
        at_hand = next(point for point in points if point["gpus"] == answer["at_hand_gpus"])
        for text in (seen["said"], seen["title"]):
            rate = float(re.search(r"([0-9,.]+) images/s", text)[1].replace(",", ""))
            self.assertAlmostEqual(rate / at_hand["samples_per_s"], 1, delta=0.006)
        self.assertAlmostEqual(float(re.search(r"of ([0-9.]+) ms", seen["head"])[1]) / 1000 / at_hand["iteration_s"], 1, delta=0.006)

    def test_controls_show_another_answer_at_once_and_the_address_keeps_it(self):
        page = self.page_of("predict", SCENARIO, *QUICK, *SWEEP)
        answers = json.loads(run("predict", SCENARIO, *QUICK, *SWEEP, "--json", "--quiet").stdout)["predictions"]
        probe = """
  seen.first = document.querySelector("h1").textContent;
  const slider = document.querySelector("#pick input[type=range]");
  const start = performance.now();
  slider.value = 3; slider.dispatchEvent(new Event("input", {bubbles: true}));
  all("#pick input[type=radio]")[1].click();
  seen.ms = performance.now() - start;
  seen.second = document.querySelector("h1").textContent;
  seen.what = document.querySelector("header.what b").textContent;
  seen.hash = location.hash;
  const gpus = document.getElementById("gpus");
  gpus.value = 0; gpus.dispatchEvent(new Event("input", {bubbles: true}));
  const price = document.getElementById("price");
  price.value = 2; price.dispatchEvent(new Event("input", {bubbles: true}));
  seen.said = document.querySelector(".said").textContent;
  seen.last = location.hash;"""
        seen = self.visit(page, probe)
        self.assertLess(seen["ms"], 1000)
        self.assertNotEqual(seen["first"], seen["second"])
        self.assertIn("dgx1-v100", seen["what"])
        self.assertEqual(seen["hash"], "#batch_per_gpu=128&cluster=dgx1-v100")
        last = answers[-1]
        point = next(point for point in last["points"] if point["gpus"] == last["at_hand_gpus"])
        rate = float(re.search(r"about ([0-9,.]+) images/s", seen["second"])[1].replace(",", ""))
        self.assertAlmostEqual(rate / point["samples_per_s"], 1, delta=0.006)
        self.assertIn("2 USD an hour", seen["said"])
        self.assertEqual(seen["last"], seen["hash"] + "&gpus=1&price=2")
        kept = self.visit(page, probe.split("const slider")[0] + 'seen.said = document.querySelector(".said").textContent;', seen["last"])
        self.assertEqual((kept["first"], kept["said"]), (seen["second"], seen["said"]))
        wrong = self.visit(page, probe.split("const slider")[0], "#batch_per_gpu=7&cluster=%3Cb%3E&gpus=x")
        self.assertEqual(wrong["first"], seen["first"])

    def test_keys_and_pointer_read_a_points_values(self):
        seen = self.visit(self.page_of("predict", SCENARIO, *QUICK), """
  const tip = document.getElementById("tip"), chart = document.querySelector("svg.wide");
  seen.hidden = tip.hidden;
  chart.focus();
  key("ArrowRight"); seen.one = tip.textContent;
  key("ArrowRight"); seen.two = tip.textContent; seen.on = all(".hit.on").length;
  key("Escape"); seen.away = tip.hidden;
  const hit = chart.querySelector(".hit"), box = hit.getBoundingClientRect();
  chart.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: box.left + 7, clientY: box.top + 7}));
  seen.pointer = tip.textContent;""")
        self.assertTrue(seen["hidden"] and seen["away"])
        self.assertRegex(seen["one"], r", 1 GPU: \d+ % \(\d+ to \d+ %\)")
        self.assertRegex(seen["two"], r", 8 GPUs: \d+ % \(\d+ to \d+ %\)")
        self.assertEqual(seen["on"], 1)
        self.assertIn("GPU", seen["pointer"])

    def test_figures_to_take_away(self):
        seen = self.visit(self.page_of("predict", SCENARIO, *QUICK), """
  seen.files = [];
  HTMLAnchorElement.prototype.click = function () { seen.files.push(this.download); };
  for (const button of all(".tools button").slice(1)) button.click();
  for (let i = 0; i < 100 && seen.files.length < 3; ++i) await new Promise((done) => setTimeout(done, 100));
  seen.svg = shownChart(document.querySelector("main"));
  seen.csv = toCsv([{a: 1, b: {c: "=1+1"}}, {a: 'x"y'}]);""", "", "--virtual-time-budget=15000")
        self.assertEqual(sorted(name.rsplit(".", 1)[1] for name in seen["files"]), ["csv", "png", "svg"])
        self.assertIn("<style", seen["svg"])
        self.assertEqual(seen["csv"], 'a,b.c\n1,\'=1+1\n"x""y",\n')

    def test_a_file_that_was_cut_says_so(self):
        text = self.page_of("predict", SCENARIO, *QUICK).read_text()
        at = text.index('class="answer">') + 3000
        probe = "seen.said = all('[role=alert]').filter(visible).map((one) => one.textContent);"
        spoilt = self.write("spoilt.html", text[:at] + text[at + 500:])
        self.assertIn("cannot be read", " ".join(self.visit(spoilt, probe)["said"]))
        cut = self.browse("--virtual-time-budget=4000", "--dump-dom", f"file://{self.write('cut.html', text[:at])}")
        self.assertNotIn(".cut { display: none }</style>\n</body>", cut.stdout)
        self.assertIn("This file is cut off", cut.stdout)

    def test_hostile_names_are_text_in_the_browser(self):
        name = "<img src=x onerror=document.title=1>"
        page = self.page_of("predict", SCENARIO, *QUICK, "--strategy", "ring")
        text = page.read_text().replace('"in_words":"', '"in_words":"\\u003c/script>' + name).replace('"in_words": "', '"in_words": "\\u003c/script>' + name)
        seen = self.visit(self.write("hostile.html", text), """
  for (const fold of all("details")) fold.open = true;
  await new Promise((done) => setTimeout(done, 50));
  seen.images = all("img").length; seen.text = document.body.textContent.includes("onerror"); seen.title = document.title;""")
        self.assertEqual((seen["images"], seen["text"]), (0, True))
        self.assertNotEqual(seen["title"], "1")

    def test_ten_thousand_points_open_within_a_second(self):
        page = self.page_of("predict", SCENARIO, *QUICK).read_text()
        found = re.search(r'class="answer">(.*?)</script>', page, re.DOTALL)
        answer = json.loads(found[1])
        each = len(answer["points"]) // len(answer["strategies"])
        answer["points"] = [dict(answer["points"][i * each], gpus=gpus + 1) for i in range(len(answer["strategies"])) for gpus in range(2500)]
        many = self.write("many.html", page[:found.start(1)] + json.dumps(answer).replace("<", "\\u003c") + page[found.end(1):])
        # Without virtual time: the script has run, so that all but the folds stands there.
        copy = self.write("timed.html", many.read_text().replace("</body>", '<pre id="seen"></pre><script>document.getElementById("seen")'
                          '.textContent = JSON.stringify({ms: performance.now()});</script></body>'))
        result = self.browse("--dump-dom", f"file://{copy}")
        self.assertLess(json.loads(SEEN.search(result.stdout)[1])["ms"], 1000)


if __name__ == "__main__":
    if BROWSER is None:
        print("no chromium, chromium-browser or google-chrome is installed: the pages were not looked at in a browser")
        sys.exit(SKIPPED)
    main()
