"""The pages in a real browser without network: their script runs, controls switch curves, keys read values, nothing is in the console.

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
SKIPPED = 77
SEEN = re.compile(r'<pre id="seen">(.*?)</pre>', re.DOTALL)
FRAME = """<pre id="seen"></pre><script>//<![CDATA[
(function () {
  function all(what) { return Array.prototype.slice.call(document.querySelectorAll(what)); }
  function visible(one) { return one.getClientRects().length > 0; }
  function shown(what) { return all(what).filter(visible).length; }
  function key(name) { document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true })); }
  var tip = document.getElementById("tip"), seen = {};
  PROBE
  document.getElementById("seen").textContent = JSON.stringify(seen);
})();
//]]></script></body>"""
SWEEP = ("--strategy", "ring,ps", "--sweep", "/batch_per_gpu=32,64", "--sweep", "/cluster=iris,dgx1-v100")
COUNTS = 'seen.NAME = [shown("figure g[data-k]"), shown(".legend li[data-k]"), shown("tr[data-k][id]"), document.getElementById("chosen").textContent];'


class Browser(Case):
    def visit(self, page, probe, fragment="", *options):
        """What the probe saw, and what the console said."""
        copy = self.folder / "probed.html"
        copy.write_text(page.read_text().replace("</body>", FRAME.replace("PROBE", probe)))
        result = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
                                 f"--user-data-dir={self.folder / 'profile'}", "--window-size=1200,900", *options,
                                 "--virtual-time-budget=2000", "--dump-dom", f"file://{copy}{fragment}"],
                                capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        seen = SEEN.search(result.stdout)
        self.assertIsNotNone(seen, result.stdout[-2000:])
        console = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
        return json.loads(html.unescape(seen[1]) or "null"), console

    def page_of(self, *arguments):
        page = self.folder / "page.html"
        result = run(*arguments, "--html", page, "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        return page

    def test_the_console_would_tell_a_mistake(self):
        _, console = self.visit(self.write("plain.html", '<!DOCTYPE html><html><body><div id="tip"></div></body></html>'),
                                "setTimeout(function () { no_such_function(); }, 0);")
        self.assertIn("no_such_function", " ".join(console))

    def test_controls_switch_what_charts_and_tables_show(self):
        page = self.page_of("predict", SCENARIO, *QUICK, *SWEEP)
        curves = page.read_text().count("<li data-k=")
        choose = 'select.value = "VALUE"; select.dispatchEvent(new Event("change", { bubbles: true }));'
        probe = "".join((
            "seen.visible = visible(document.getElementById('pick'));",
            COUNTS.replace("NAME", "first"),
            'var select = document.querySelector("select[name=d0]");',
            choose.replace("VALUE", ""), COUNTS.replace("NAME", "every"),
            choose.replace("VALUE", "1"), COUNTS.replace("NAME", "second"),
            "seen.keys = all('figure g[data-k]').filter(visible).map(function (one) { return one.getAttribute('data-k'); });",
            "seen.hash = window.location.hash;"))
        seen, console = self.visit(page, probe)
        self.assertEqual(console, [])
        self.assertTrue(seen["visible"])
        half = curves // 2  # at first: more than eight curves are not told apart
        self.assertEqual(seen["first"], [2 * half, half, 2 * half, f"{half} of {curves} curves"])
        self.assertEqual(seen["every"], [2 * curves, curves, 2 * curves, f"{curves} of {curves} curves"])
        self.assertEqual(seen["second"], seen["first"])
        self.assertEqual({one.split()[0] for one in seen["keys"]}, {"1"})
        self.assertTrue(seen["hash"].startswith("#d0=1&d1="), seen["hash"])

    def test_the_address_chooses_a_curve(self):
        page = self.page_of("predict", SCENARIO, *QUICK, *SWEEP)
        curves = page.read_text().count("<li data-k=")
        seen, console = self.visit(page, COUNTS.replace("NAME", "chosen"), "#d0=1&d1=0&d9=7&d2=99&x")
        self.assertEqual(console, [])
        self.assertEqual(seen["chosen"][3], f"{curves // 4} of {curves} curves")

    def test_keys_and_pointer_read_a_points_values(self):
        page = self.page_of("predict", SCENARIO, *QUICK)
        probe = """
  seen.hidden = tip.hidden;
  document.querySelector("svg.points").focus();
  key("ArrowRight"); seen.one = tip.textContent;
  key("ArrowRight"); seen.two = tip.textContent; seen.on = all(".on").length;
  key("Escape"); seen.away = tip.hidden;
  var mark = document.querySelector("[data-p]"), box = mark.getBoundingClientRect();
  mark.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: box.left, clientY: box.top }));
  seen.pointer = tip.textContent; seen.label = mark.getAttribute("aria-label");"""
        seen, console = self.visit(page, probe)
        self.assertEqual(console, [])
        self.assertTrue(seen["hidden"] and seen["away"])
        self.assertIn("GPUs: 1\n", seen["one"])
        self.assertIn("GPUs: 8\n", seen["two"])
        self.assertEqual(seen["on"], 2)  # the same point in both charts
        self.assertEqual(seen["pointer"], seen["one"])
        self.assertIn("samples/s (90 %)", seen["label"])

    def test_keys_step_over_outlines_of_what_was_measured(self):
        page = self.page_of("predict", SOURCE / "scenarios" / "pascal-vgg16.json", "--gpus", "1,16", "--fidelity", "formula",
                            "--strategy", "auto")
        self.assertGreater(page.read_text().count("dot k0 ring"), 0)
        probe = """
  document.querySelector("svg.points").focus();
  seen.steps = ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"].map(function (name) {
    key(name);
    return tip.textContent.match(/GPUs: ([0-9]+)/)[1];
  });"""
        seen, console = self.visit(page, probe)
        self.assertEqual((console, seen), ([], {"steps": ["1", "16", "1", "16"]}))

    def test_every_page_is_quiet_and_fits_a_narrow_screen(self):
        plan = ("plan", SOURCE / "scenarios" / "plans" / "imagenet-90-epochs.json", "--set", "/limits/nodes=2", "--set", "/samples=40")
        calibrate = ("calibrate", "--cluster", "azure-nc24rs-v2-p100", "--output", self.folder / "calibration.json")
        for command in (("predict", SCENARIO, *QUICK), ("predict", SCENARIO, *QUICK, *SWEEP), plan, calibrate):
            page = self.page_of(*command)
            probe = """
  seen.wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  seen.texts = all("svg.points text").filter(function (one) {
    var own = one.getBoundingClientRect(), frame = one.ownerSVGElement.getBoundingClientRect();
    return own.left < frame.left - 1 || own.right > frame.right + 1;
  }).map(function (one) { return one.textContent; });"""
            for width in (1400, 500):
                seen, console = self.visit(page, probe, "", f"--window-size={width},900")
                self.assertEqual((console, seen), ([], {"wider": 0, "texts": []}), (command[0], width))


if __name__ == "__main__":
    if BROWSER is None:
        print("no chromium, chromium-browser or google-chrome is installed: the pages were not looked at in a browser")
        sys.exit(SKIPPED)
    main()
