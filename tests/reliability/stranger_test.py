"""Files of strangers: what they name, how large they are, and what of them comes into pages, tables and terminals.

python3 stranger_test.py DDLSIM SOURCE_FOLDER [CASE...]; docs/trust.md says in words what is held here.
"""
import csv
import io
import json
import os
import resource
from collections import Counter
from html.parser import HTMLParser
from xml.etree import ElementTree

from work import CLUSTER, Case, main, make_data, run

FORMULA = "=cmd|' /C calc'!A0"
MARKUP = "<script>alert(1)</script>"
ESCAPE = "\x1b[31mred"
PASSWORDS = "/etc/passwd"
MOST_BYTES = 2 << 30
MOST_S = 60  # of CPU; the largest takes 10


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = Counter()

    def handle_starttag(self, tag, attrs):
        self.found[tag] += 1


def tags_of(page):
    """How many elements of each kind a browser finds."""
    tags = Tags()
    tags.feed(page.read_text())
    return tags.found


def within_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


class Stranger(Case):
    def setUp(self):
        super().setUp()
        self.data = make_data(self.folder / "data")
        self.question = json.loads((self.data / "question.json").read_text())

    def write(self, name, content):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    def ask(self, *words, **changes):
        self.question.update(changes)
        return self.predict(self.write("asked.json", self.question), *words)

    def predict(self, file, *words, **more):
        return run("predict", file, "--data", self.data, "--quiet", *words, **more)


class Paths(Stranger):
    def test_names_do_not_leave_the_data_folder(self):
        for name in ("..", "../..", "."):
            self.refused(self.ask(cluster=name), 1, "/cluster" if "/" in name else "cluster")
        for words in (("calibrate", "--cluster", ".."), ("validate", "--cluster", ".."), ("calibrate", "--cluster", "../../etc")):
            self.refused(run(*words, "--data", self.data), 1)
        request = json.loads((self.data / "request.json").read_text())
        for name in ("..", "../../etc", "/etc"):
            request["candidates"][0]["cluster"] = name
            self.refused(run("plan", self.write("plan.json", request), "--data", self.data), 1, "cluster")

    def test_a_path_is_read_as_a_model_and_nothing_of_another_file_is_shown(self):
        for path in (PASSWORDS, "../" * 20 + PASSWORDS[1:], "/dev/zero", "/dev/stdin", "/proc/self/environ", "/proc/self/mem", "/"):
            before = cpu_s()
            told = self.ask(model=path)
            self.refused(told, 1, "/model")
            self.assertLess(len(told.stderr), 1000)
            self.assertNotIn("/bin/", told.stderr)
            self.assertNotIn("PATH=", told.stderr)
            self.assertLess(cpu_s() - before, MOST_S)
        self.question["model"] = "resnet50_v1"
        for path in ("/etc", PASSWORDS, "../" * 20 + "etc"):
            self.refused(self.ask(cluster=path), 1, "/cluster")

    def test_no_file_names_a_place_to_write(self):
        """Names that become files are of letters, digits and a few marks."""
        self.refused(self.ask(name="../../a"), 1, "/name")
        before = sorted(self.folder.rglob("*"))
        self.ask(name="small")
        self.assertEqual(sorted(self.folder.rglob("*")), before)


class Names(Stranger):
    """A model of a stranger with tensors, a note of a strategy, and files of hostile names."""

    def hostile(self, name):
        def layer(called):
            return {"name": called, "kind": "linear", "forward_flop_per_sample": 1e9, "activation_bytes_per_sample": 1e6,
                    "tensors": [{"name": called, "shape": [10000000], "bytes": 40000000}]}

        model = {"format": "ddlsim-model", "version": 1, "name": "theirs", "title": name, "source": name, "sample": "image 3x2x2", "parameters": 30000000,
                 "layers": [layer(name), {"repeat": 2, "layers": [layer(name + "{i}")]}]}
        self.write("theirs.json", model)
        strategies = [{"name": "ring", "note": name},
                      {"name": "ps", "servers": {"count": 2}, "placement": "dedicated", "sharding": "bytes", "note": name}]
        self.question.update(model="./theirs.json", strategies=strategies, one_gpu_samples_per_s=300)
        self.question.pop("transport", None)
        return self.write("asked.json", self.question)

    def test_a_spreadsheet_sees_no_formula(self):
        for begin in ("=", "+", "-", "@", "\t", "\r"):
            name = begin + FORMULA
            file = self.hostile(name)
            for words in ((), ("--sweep", "/batch_per_gpu=8,16"), ("--collective", "all-reduce", "--sizes", "1MiB")):
                told = self.predict(file, "--csv", *words)
                self.assertEqual(told.returncode, 0, told.stderr)
                cells = [cell for row in csv.reader(io.StringIO(told.stdout)) for cell in row]
                self.assertFalse([cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and not is_number(cell)], (begin, words))

    def test_a_file_of_a_formula_s_name_is_no_formula_in_a_sweep(self):
        file = self.write("=1+1.json", self.question)
        told = self.predict(file, "--csv", "--sweep", "/batch_per_gpu=8,16")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("\"'=1+1 ", told.stdout)

    def test_no_terminal_is_steered(self):
        file = self.hostile(ESCAPE)
        page = self.folder / "page.html"
        for words in ((), ("--markdown",), ("--csv",), ("--json",), ("--html", page), ("--strategy", "ps")):
            told = self.predict(file, *words)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertNotIn("\x1b", told.stdout + told.stderr, words)
        self.assertNotIn("\x1b", page.read_text())

    def test_markup_stays_text(self):
        file = self.hostile(MARKUP)
        page, trace = self.folder / "page.html", self.folder / "trace.json"
        told = self.predict(file, "--markdown", "--html", page, "--trace", trace)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertNotIn("<script>alert", told.stdout)
        self.assertNotIn("<script>alert", page.read_text())
        plain = self.folder / "plain.html"
        self.predict(self.hostile("plain"), "--html", plain)
        self.assertEqual(tags_of(page), tags_of(plain))
        json.loads(trace.read_text())
        platform = self.folder / "platform.xml"
        told = run("export", "simgrid", file, "--data", self.data, "--gpus", "8", "--output", platform)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertNotIn("<script>", platform.read_text())
        ElementTree.fromstring(platform.read_text().split("]>")[-1].split("dtd\">")[-1])


class Sizes(Stranger):
    """Neither 2 GB of memory nor time without bound, whatever the numbers in the files are."""

    def bounded(self, words, codes=(0, 1)):
        before = cpu_s()
        told = run(*words, preexec_fn=within_memory)
        took_s = cpu_s() - before
        self.assertIn(told.returncode, codes, told.stderr[-2000:])
        self.assertNotRegex(told.stderr, "bad_alloc|Sanitizer|terminate called|std::", words)
        self.assertLess(took_s, MOST_S, words)
        return told

    def asked(self, *words, codes=(0, 1, 3), **changes):
        file = self.write("asked.json", {**self.question, **changes})
        return self.bounded(("predict", file, "--data", self.data, "--quiet", *words), codes)

    def test_documents(self):
        for name, text in (("deep", "[" * 1_000_000), ("closed", "[" * 100_000 + "]" * 100_000), ("objects", '{"a":' * 500_000),
                           ("long", '{"format": "' + "x" * 60_000_000 + '"}'), ("keys", "{" + ",".join(f'"k{i}":0' for i in range(500_000)) + "}"),
                           ("numbers", "[" + "0," * 10_000_000 + "0]"), ("empty", "[" + "{}," * 20_000_000 + "{}]"), ("digits", '{"version": ' + "9" * 5_000_000 + "}")):
            file = self.write(name + ".json", text)
            told = self.bounded(("check", file), codes=(1,))
            self.assertLess(len(told.stderr), 20_000, name)

    def test_more_work_than_anybody_asks_for_is_refused(self):
        told = self.asked(gpus=list(range(1, 2001)), samples=100_000, codes=(1,))
        self.assertIn("samples", told.stderr)

    def test_the_largest_machine(self):
        cluster = json.loads((self.data / "platforms" / CLUSTER / "cluster.json").read_text())
        cluster["name"] = "theirs"
        cluster["growth"]["max_nodes"] = 2_500_000
        self.write("theirs/cluster.json", cluster)
        servers = {"name": "ps", "servers": {"count": 1}, "placement": "dedicated", "sharding": "bytes"}
        for strategy, gpus in (({"name": "ring"}, 10_000_000), ({"name": "tree"}, 10_000_000), ({"name": "auto"}, 10_000_000),
                               (servers, 1_000_000)):  # 10,000,000 keep the bounds too, in most of a minute
            told = self.asked("--fidelity", "formula", cluster="./theirs", gpus=[gpus], strategies=[strategy], codes=(0,))
            self.assertIn(f"{gpus:,}", told.stdout)

    def test_names_without_end(self):
        for field in ("model", "cluster", "preset", "transport", "precision", "unknown"):
            self.asked(**{field: "x" * 10_000_000}, codes=(1,))
        self.asked(name="x" * 10_000_000)
        self.asked(strategies=[{"name": "ring", "note": "x" * 10_000_000}])
        self.asked(strategies=[{"name": "ring", "note": str(i)} for i in range(50_000)], codes=(1,))
        self.asked(neighbours=[{"name": f"n{i}", "nodes": 2, "compute": "1 ms", "all_reduce": "1 MB"} for i in range(50_000)])


def cpu_s():
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def is_number(cell):
    try:
        float(cell)
        return True
    except ValueError:
        return False


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    main()
