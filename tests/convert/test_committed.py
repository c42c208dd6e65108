"""The committed records of published tables: they parse, have their keys, and none comes from another's place."""

import sys
import unittest
from collections import Counter
from pathlib import Path

PLATFORMS = Path(__file__).resolve().parents[2] / "platforms"
sys.dont_write_bytecode = True
sys.path.insert(0, str(PLATFORMS / "convert"))

from common_lines import unfold  # noqa: E402
from sink import follows  # noqa: E402

HEAD = {"record", "series", "from"}
KEYS = {
    "step": {"model", "precision", "batch_per_gpu", "preset", "strategy", "gpus", "nodes", "synchronised", "data", "value",
             "unit"},
    "collective": {"operation", "ranks", "nodes", "size_bytes", "value", "unit"},
    "point_to_point": {"size_bytes", "value", "unit"},
    "layers": {"model", "layers", "timings"},
    "server": {"what", "value", "unit"},
    "input": {"what", "value", "unit"},
    "loss": {"model", "epoch", "step", "value"},
    "speed_up": {"model", "precision", "wire_precision", "batch_per_gpu", "preset", "strategy", "gpus", "nodes",
                 "gpus_per_node", "base_gpus", "base_nodes", "trust", "value", "unit"},
}
CONTEXT = {"record", "version", "cluster", "gpu", "machine", "software", "date", "who", "source", "emulated"}
LARGEST_BYTES = 1 << 20
BARE = {"resnet50", "resnet101", "resnet152", "inception3", "inception", "bert_base", "bert_large", "bert"}
# Fields in which points of one step series may not differ: they differ in GPUs.
SAME = ("model", "precision", "wire_precision", "batch_per_gpu", "preset", "data", "mode", "transport", "library",
        "gpu")


def files():
    return sorted([*PLATFORMS.glob("*/measurements/*.jsonl"), *PLATFORMS.glob("*/ratios/*.jsonl")])


def read(file):
    return [record for _, record in unfold(file.read_text(encoding="utf-8").splitlines())]


def times_us(table):
    return [time for timing in table["timings"] for one in timing.values() if isinstance(one, dict)
            for time in one["time_us"] if time is not None]


def figures(record):
    return times_us(record) if record["record"] == "layers" else [record["value"]]


def published(lines):
    """Whether a file was converted from a published source; own runs carry no pointer."""
    return all("from" in record for record in lines if record["record"] != "context")


def records_of(lines):
    """Each record with its number in the file, the first context's being 1."""
    return [(number, record) for number, record in enumerate(lines, 1) if record["record"] != "context"]


def places_of(lines):
    """Where each figure stands: in which source, and at which pointer. A pointer to the rows of a table is of many."""
    source = None
    for record in lines:
        if record["record"] == "context":
            source = record["source"]["file"]
        elif record["record"] != "layers" and not record["from"].endswith("/rows"):
            yield source, record["from"]


class CommittedRecords(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.documents = {file: lines for file, lines in ((file, read(file)) for file in files()) if published(lines)}

    def test_there_are_records(self):
        self.assertGreater(sum(len(figures(record)) for lines in self.documents.values() for _, record in records_of(lines)),
                           10_000)

    def test_context_stands_first_and_names_its_cluster(self):
        for file, lines in self.documents.items():
            with self.subTest(file=file.name):
                self.assertEqual(lines[0]["record"], "context")
                for context in (one for one in lines if one["record"] == "context"):
                    self.assertEqual(set(context), CONTEXT)
                    self.assertEqual(context["cluster"], file.parents[1].name)
                self.assertTrue((file.parents[1] / "cluster.json").is_file())

    def test_records_have_their_keys(self):
        for file, lines in self.documents.items():
            for number, record in records_of(lines):
                missing = (HEAD | KEYS[record["record"]]) - set(record)
                said = [key for key in record if record["record"] != "layers" and follows(record, key)]
                self.assertFalse(said, f"{file.name}:{number} states {said}, which follow where they are left out")
                self.assertFalse(missing, f"{file.name}:{number} lacks {missing}")

    def test_pointers_are_unique(self):
        for file, lines in self.documents.items():
            places = Counter(places_of(lines))
            twice = [place for place, count in places.items() if count > 1]
            self.assertFalse(twice, f"{file.name}: {twice[:3]}")

    def test_tables_have_each_layer_once(self):
        for file, lines in self.documents.items():
            for table in (one for one in lines if one["record"] == "layers"):
                layers = table["layers"]
                self.assertEqual(len(set(layers["name"])), len(layers["name"]), file.name)
                lists = [*layers.values(), *(one["time_us"] for timing in table["timings"] for one in timing.values()
                                             if isinstance(one, dict))]
                self.assertEqual({len(one) for one in lists}, {len(layers["name"])}, file.name)
                self.assertGreaterEqual(len(times_us(table)), len(layers["name"]), file.name)

    def test_values_are_positive_numbers(self):
        for file, lines in self.documents.items():
            for number, record in records_of(lines):
                for value in figures(record):
                    good = isinstance(value, (int, float)) and value > 0
                    self.assertTrue(good or record["record"] == "loss", f"{file.name}:{number}: {value}")

    def test_models_are_variants(self):
        named = {record["model"] for lines in self.documents.values() for record in lines if "model" in record}
        self.assertFalse(named & BARE)

    def test_tensorflows_ssd_of_nvidia_is_another_network_than_pytorchs(self):
        for file in self.documents:
            if file.name != "nvidia-dle.jsonl":
                continue
            for record in self.documents[file]:
                if "/Detection/SSD" in record.get("note", ""):
                    tensorflow = record["note"].startswith("TensorFlow, ")
                    self.assertEqual(record["model"], "ssd320_fpn" if tensorflow else "ssd300")

    def test_files_are_small(self):
        for file in self.documents:
            self.assertLess(file.stat().st_size, LARGEST_BYTES, file.name)

    def test_step_series_differ_in_gpus_only(self):
        """Either the batch of a GPU is the same at all scales, or, where the work is fixed, the batch of all GPUs. Weak
        scaling of model parallelism grows the model with the GPUs."""
        seen, batches = {}, {}
        for file, lines in self.documents.items():
            for record in (one for one in lines if one["record"] == "step"):
                grown = {"model"} if record["strategy"]["name"] == "model-parallel" else set()
                about = (file.name, file.parents[1].name,
                         *(record.get(key) for key in SAME if key not in {"batch_per_gpu"} | grown))
                self.assertEqual(seen.setdefault(record["series"], about), about, record["series"])
                batch = record["batch_per_gpu"]
                batches.setdefault(record["series"], []).append((batch, None if batch is None else batch * record["gpus"]))
        for series, of_points in batches.items():
            self.assertTrue(any(len({kind[i] for kind in of_points}) == 1 for i in range(2)), series)

    def test_a_step_series_has_each_scale_once(self):
        scales = Counter((record["series"], record["gpus"], record["synchronised"]) for lines in self.documents.values()
                         for record in lines if record["record"] == "step")
        self.assertFalse([scale for scale, count in scales.items() if count > 1])


if __name__ == "__main__":
    unittest.main()
