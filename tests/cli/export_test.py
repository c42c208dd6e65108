"""`ddlsim predict --trace` and `ddlsim export`: files for other tools."""

import collections
import json
import re
import xml.etree.ElementTree as xml

from program import SCENARIO, SOURCE, Case, main, run

SHOWN = 5e-9  # relative: --json has nine digits
EIGHT_SERVERS = ("--set", '/strategies/2/servers={"count":8}', "--set", "/strategies/2/placement=colocated")  # in place of a search
POINT = ("--gpus", "8", "--fidelity", "formula")


def picoseconds(microseconds):
    return round(microseconds * 1e6)


def iteration_s(*arguments):
    return json.loads(run("predict", SCENARIO, *arguments, "--json").stdout)["points"][0]["iteration_s"]


class Trace(Case):
    def trace(self, *arguments):
        file = self.folder / "trace.json"
        result = run("predict", SCENARIO, "--trace", file, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(file.read_text()), result

    def check(self, trace, shown_s):
        """Named tracks, nothing over another, the end and the sum of the parts are the iteration that is shown."""
        free, names, parts = collections.defaultdict(int), set(), 0
        for event in trace["traceEvents"]:
            track = event["pid"], event["tid"]
            if event["ph"] == "M":
                names.add((event["name"], *track))
                continue
            self.assertEqual(set(event), {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"})
            self.assertIn(("thread_name", *track), names)
            self.assertIn(("process_name", event["pid"], 0), names)
            self.assertGreaterEqual(picoseconds(event["ts"]), free[track])
            free[track] = picoseconds(event["ts"]) + picoseconds(event["dur"])
            parts += picoseconds(event["dur"]) if event["pid"] == 0 else 0
        self.assertAlmostEqual(max(free.values()) * 1e-12 / shown_s, 1, delta=SHOWN)
        self.assertAlmostEqual(parts / max(free.values()), 1, delta=1e-9)

    def test_every_strategy_of_the_point_that_is_shown(self):
        for strategy in ("ring", "auto", "ps"):
            for scale in (("--gpus", "1"), ("--gpus", "8"), POINT):
                trace, _ = self.trace("--strategy", strategy, *scale)
                self.check(trace, iteration_s("--strategy", strategy, *scale))

    def test_the_first_strategy_at_the_largest_scale_that_can_be(self):
        trace, result = self.trace("--gpus", "8,16,9999999", "--fidelity", "formula")
        self.assertEqual((trace["otherData"]["strategy"], trace["otherData"]["gpus"]), ("auto", 16))
        self.assertIn("trace.json: auto at 16 GPUs", result.stderr)
        self.assertIn("GPUs train about ", result.stdout)  # the prediction itself is told as ever

    def test_servers_have_a_track_each_way(self):
        trace, _ = self.trace("--strategy", "ps", *EIGHT_SERVERS, *POINT)
        names = {event["args"]["name"] for event in trace["traceEvents"] if event["name"] in ("thread_name", "process_name")}
        for name in ("iteration", "worker (8 ranks)", "parameter servers (8 colocated)", "server 0: push", "server 0: pull"):
            self.assertIn(name, names)

    def test_the_same_bytes_twice_and_no_other_file(self):
        self.trace(*POINT)
        before = (self.folder / "trace.json").read_bytes()
        self.trace(*POINT)
        self.assertEqual((self.folder / "trace.json").read_bytes(), before)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["trace.json"])

    def test_what_cannot_be_written(self):
        file = self.folder / "no" / "such" / "trace.json"
        self.refused(run("predict", SCENARIO, *POINT, "--trace", file), 1, "trace.json")
        file = self.folder / "trace.json"
        self.refused(run("predict", SCENARIO, "--gpus", "9999999", "--trace", file), 1, "--trace", "may grow to")
        self.refused(run("predict", SCENARIO, *POINT, "--trace", file, "--strategy", "rink"), 1, "rink", "did you mean ring?")
        self.refused(run("predict", SCENARIO, SCENARIO, *POINT, "--trace", file), 2, "--trace", "one scenario")
        self.refused(run("predict", SCENARIO, *POINT, "--trace", file, "--sweep", "/cluster=iris"), 2, "--sweep")
        self.assertFalse(file.exists())


def varint(data, at):
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def messages(data):
    """Those of a file, each with its length before it."""
    at = 0
    while at < len(data):
        length, at = varint(data, at)
        yield data[at:at + length]
        at += length


def fields(message):
    """By number: numbers and bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(message):
        tag, at = varint(message, at)
        value, at = varint(message, at)
        if tag & 7 == 2:
            value, at = message[at:at + value], at + value
        found[tag >> 3].append(value)
    return found


class Chakra(Case):
    def export(self, *arguments):
        result = run("export", "chakra", SCENARIO, "--output", self.folder / "et", *arguments)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        return {file.name: [fields(message) for message in messages(file.read_bytes())] for file in self.folder.iterdir()}

    def test_a_role_is_a_file(self):
        files = self.export("--gpus", "8", "--strategy", "ring")
        self.assertEqual(list(files), ["et.worker.et"])
        head, *nodes = files["et.worker.et"]
        self.assertEqual(head[1], [b"0.0.4"])
        self.assertEqual([node[1][0] for node in nodes], list(range(1, len(nodes) + 1)))
        self.assertEqual({node[3][0] for node in nodes}, {4, 7})  # COMP_NODE, COMM_COLL_NODE
        self.assertEqual(nodes[0][2], [b"forward"])
        measured = sum(node[7][0] for node in nodes if node[3] == [4]) * 1e-6
        point = json.loads(run("predict", SCENARIO, "--gpus", "8", "--strategy", "ring", "--json").stdout)["points"][0]
        self.assertAlmostEqual(measured, point["compute_s"], delta=1e-6)

    def test_servers_are_files_of_their_own(self):
        self.assertEqual(set(self.export("--gpus", "8", "--strategy", "ps", *EIGHT_SERVERS)),
                         {"et.worker.et"} | {f"et.server-{p}.et" for p in range(8)})

    def test_wrong_use(self):
        output = ("--output", self.folder / "et")
        self.refused(run("export", "chakra", SCENARIO), 2, "--output")
        self.refused(run("export", "chakar", SCENARIO, *output), 2, "chakar", "did you mean chakra?")
        self.refused(run("export", "chakra", SCENARIO, *output, "--strategy", "rink"), 1, "rink", "did you mean ring?")
        self.refused(run("export", "chakra", SCENARIO, *output, "--gpus", "9999999"), 1, "--gpus", "may grow to")
        self.refused(run("export", "chakra", SCENARIO, *output, "--gpus", "0"), 2, "--gpus")
        self.refused(run("export", "chakra", SCENARIO, "--output", self.folder / "no" / "et", "--gpus", "8"), 1, "et.worker.et")
        self.assertEqual(list(self.folder.iterdir()), [])


class SimGrid(Case):
    def test_the_cluster_is_its_nodes_in_leaves(self):
        file = self.folder / "iris.xml"
        result = run("export", "simgrid", SCENARIO, "--output", file, "--gpus", "192")
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        platform = xml.fromstring(file.read_text())
        self.assertEqual(platform.attrib["version"], "4.1")
        leaves = platform.findall("zone/cluster")
        self.assertEqual([leaf.attrib["radical"] for leaf in leaves], ["0-23", "24-47"])
        self.assertEqual({leaf.attrib["core"] for leaf in leaves}, {"4"})
        self.assertEqual(len(platform.findall("zone/link")), 2)
        self.assertTrue(all(re.fullmatch(r"[\d.e+]+Bps", leaf.attrib["bw"]) for leaf in leaves))

    def test_every_shipped_scenario(self):
        for scenario in sorted([*SOURCE.glob("scenarios/*-*.json"), *SOURCE.glob("scenarios/studies/*.json")]):
            file = self.folder / (scenario.stem + ".xml")
            asked = json.loads(scenario.read_text())
            largest = any(one["name"] == "model-parallel" for one in asked["strategies"])  # whose replica is of many GPUs
            result = run("export", "simgrid", scenario, "--output", file, "--gpus", str(max(asked["gpus"])) if largest else "4")
            self.assertEqual(result.returncode, 0, result.stderr)
            xml.fromstring(file.read_text())


if __name__ == "__main__":
    main()
