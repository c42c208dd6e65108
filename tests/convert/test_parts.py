"""The converter's parts on small sources of their own: pointers, repeats, coverage, comparison with committed files."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "platforms" / "convert"))

import check  # noqa: E402
import coverage  # noqa: E402
from common_lines import fold, line, unfold  # noqa: E402
from families import nvidia_examples, tensorflow  # noqa: E402
from gpus import catalogue_name  # noqa: E402
from layer_tables import LayerTable, in_us  # noqa: E402
from records import layer, layout, speed_up, step  # noqa: E402
from sink import Sink, context  # noqa: E402
from source import Source, central, resolve, spread  # noqa: E402

DOCUMENT = {"id": "toy", "source": {"title": "toy"}, "files": [{"file": "rows.csv"}],
            "points": [{"gpus": 1, "images_per_sec": 10.5}, {"gpus": 2, "images_per_sec": [19.0, 21.0, 20.0]}]}


class WithToySource(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        Path(self.folder.name, "toy.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
        Path(self.folder.name, "rows.csv").write_text("name,time_ms\na,1.5\nb,2\n", encoding="utf-8")
        self.source = Source(self.folder.name, "toy.json")

    def convert(self, sink, statistic="median"):
        file = sink.open(self.source, "box", context(self.source, "", "m", "s", "2020", "w"))
        for index, gpus in enumerate((1, 2)):
            step(file, f"/points/{index}/images_per_sec", "toy", "vgg16", "fp32", 8, "horovod", {"name": "ring"},
                 layout(gpus, 4), statistic=statistic)
        return {file.path: file.text()}


class Contexts(WithToySource):
    def test_a_file_goes_on_under_another_context(self):
        sink = Sink()
        for machine in ("a", "a", "b"):
            file = sink.open(self.source, "box", context(self.source, "", machine, "s", "2020", "w"))
        lines = [json.loads(one) for one in file.text().splitlines()]
        self.assertEqual([one["machine"] for one in lines], ["a", "b"])
        self.assertEqual(list(sink.files), [file.path])


class Pointers(WithToySource):
    def test_json_pointer_with_escapes(self):
        self.assertEqual(resolve({"a/b": [{"c~d": 7}]}, "/a~1b/0/c~0d"), 7)

    def test_cell_of_a_table(self):
        self.assertEqual(self.source.figure("rows.csv#row=2&column=time_ms"), 2)

    def test_what_is_no_figure_is_refused(self):
        for pointer in ("/id", "/points/9/images_per_sec", "/points/0/memory_mb"):
            with self.assertRaises(LookupError):
                self.source.figure(pointer)


class CommonLines(unittest.TestCase):
    CONTEXT = {"record": "context", "machine": "a"}

    def test_records_come_back_whole_and_in_turn(self):
        series = [{"record": "step", "series": name, "note": "the same words in each", "gpus": gpus, "value": 1.5 * gpus}
                  for name in ("first", "second") for gpus in range(1, 9)]
        series[3]["note"] = "other words"
        records = [self.CONTEXT, *series, {**self.CONTEXT, "machine": "b"}, {"record": "loss", "value": 1}]
        lines = fold(records)
        self.assertEqual([record for _, record in unfold(lines)], records)
        self.assertEqual([json.loads(lines[number - 1]).get("gpus") for number, record in unfold(lines) if "gpus" in record],
                         [record["gpus"] for record in series])
        self.assertLess(len("".join(lines)), 0.6 * len("".join(map(line, records))))

    def test_what_saves_nothing_stays_as_it_is(self):
        records = [self.CONTEXT, {"record": "step", "gpus": 1}, {"record": "step", "gpus": 2}]
        self.assertEqual(fold(records), list(map(line, records)))

    def test_true_is_not_one(self):
        records = [{"record": "step", "note": "n" * 99, "gpus": value} for value in (1, True, 1.0)]
        self.assertEqual([line(record) for _, record in unfold(fold(records))], list(map(line, records)))


class Repeats(unittest.TestCase):
    def test_median_and_mean(self):
        self.assertEqual(central([4.0, 1.0, 2.0], "median"), 2.0)
        self.assertEqual(central([4.0, 1.0, 1.0], "mean"), 2.0)
        self.assertEqual(central(3.5, "unknown"), 3.5)

    def test_a_list_without_statistic_is_refused(self):
        with self.assertRaises(ValueError):
            central([1.0, 2.0, 3.0], "unknown")

    def test_spread_is_deviation_over_mean(self):
        self.assertEqual(spread([9.0, 10.0, 11.0]), 0.1)
        self.assertIsNone(spread([1.0, 2.0]))


class Coverage(WithToySource):
    def test_all_figures_are_found(self):
        self.assertEqual(sorted(coverage.figures(self.source)), [
            "/points/0/images_per_sec", "/points/1/images_per_sec",
            "rows.csv#row=1&column=time_ms", "rows.csv#row=2&column=time_ms"])

    def test_a_forgotten_figure_stops_the_run(self):
        sink = Sink()
        self.convert(sink)
        with self.assertRaisesRegex(ValueError, "rows.csv#row=1"):
            coverage.account(self.source, sink.used["toy.json"], [])

    def test_a_reason_for_nothing_stops_the_run(self):
        sink = Sink()
        self.convert(sink)
        sink.leave_out(self.source, "rows.csv*", "not needed")
        self.assertEqual(coverage.account(self.source, sink.used["toy.json"], sink.left_out["toy.json"]), [2])
        sink.leave_out(self.source, "/none/*", "nothing")
        with self.assertRaisesRegex(ValueError, "/none/"):
            coverage.account(self.source, sink.used["toy.json"], sink.left_out["toy.json"])

    def test_a_figure_becomes_one_record_only(self):
        sink = Sink()
        self.convert(sink)
        with self.assertRaisesRegex(ValueError, "two records"):
            self.convert(sink)


class Comparison(WithToySource):
    def setUp(self):
        super().setUp()
        self.texts = self.convert(Sink())
        self.path = Path(self.folder.name, *self.texts)
        self.path.parent.mkdir(parents=True)
        self.path.write_text(self.texts[self.path.relative_to(self.folder.name).as_posix()], encoding="utf-8")

    def compare(self):
        sources = {"toy.json": self.source}
        return (check.differences(self.texts, self.folder.name),
                check.wrong_values(sources, self.texts, self.folder.name))

    def test_equal_files_and_values(self):
        self.assertEqual(self.compare(), ([], []))

    def test_a_speed_up_is_one_figure_over_another(self):
        sink = Sink()
        file = sink.open(self.source, "box", context(self.source, "", "m", "s", "2020", "w"), folder="ratios")
        speed_up(file, "/points/1/images_per_sec", "toy", "vgg16", "fp32", 8, "horovod", {"name": "ring"}, layout(2, 4),
                 1, "B", statistic="median", base_from="/points/0/images_per_sec")
        self.assertEqual(file.path, "box/ratios/toy.jsonl")
        self.assertIn(f'"value":{round(20 / 10.5, 9)}', file.text())
        self.assertEqual(sink.used["toy.json"], {"/points/0/images_per_sec", "/points/1/images_per_sec"})
        self.path = Path(self.folder.name, file.path)
        self.path.parent.mkdir(parents=True)
        self.path.write_text(file.text(), encoding="utf-8")
        self.texts = {file.path: file.text()}
        self.assertEqual(self.compare()[1], [])

    def test_a_changed_value_is_told_twice(self):
        self.path.write_text(self.path.read_text(encoding="utf-8").replace("10.5", "10.6"), encoding="utf-8")
        differences, values = self.compare()
        self.assertEqual(len(differences), 1)
        self.assertRegex(values[0], r":3: 10.6 is not the figure at /points/0/images_per_sec")

    def test_a_missing_and_a_stale_file(self):
        self.path.rename(self.path.with_name("old.jsonl"))
        differences, _ = self.compare()
        self.assertRegex(differences[0], "missing")
        self.assertRegex(differences[1], "old.jsonl: no source writes it")


class Tables(WithToySource):
    TIMING = {"gpu": "", "precision": "fp32", "batch": 4}

    def table(self, file):
        return file.table("toy", "/files/0", "tiny", statistic="mean")

    def test_times_of_a_series_are_one_table(self):
        sink = Sink()
        file = sink.open(self.source, "box", context(self.source, "", "m", "s", "2020", "w"))
        layer(self.table(file), "rows.csv#row=1&column=time_ms", "conv1", "conv", "forward", "ms", self.TIMING, flop=80)
        layer(self.table(file), "rows.csv#row=2&column=time_ms", "relu1", "activation", "backward", "ms", self.TIMING, size_bytes=7)
        _, record = map(json.loads, file.text().splitlines())
        self.assertEqual(record, {
            "record": "layers", "series": "toy", "from": "/files/0", "origin": "table", "statistic": "mean", "model": "tiny",
            "layers": {"name": ["conv1", "relu1"], "kind": ["conv", "activation"], "flop_per_sample": [20, 0], "size_bytes": [0, 7]},
            "timings": [{"precision": "fp32", "batch": 4, "forward": {"time_us": [1500, None]}, "backward": {"time_us": [None, 2000]}}]})
        self.assertEqual(sink.used["toy.json"], {"rows.csv#row=1&column=time_ms", "rows.csv#row=2&column=time_ms"})

    def test_a_time_that_stands_again_begins_another_timing(self):
        table = LayerTable({"series": "toy"}, "kernel", None)
        for time_us in (1, 2, 3):
            table.add({"name": "k", "kind": "gemm", "flop_per_sample": 1, "size_bytes": 0}, self.TIMING, "forward", time_us)
        self.assertEqual([timing["forward"]["time_us"] for timing in table.record()["timings"]], [[1], [2], [3]])

    def test_times_have_five_digits(self):
        self.assertEqual([in_us(1.2345678, "ms"), in_us(0.1, "us"), in_us(123456.7, "us"), in_us(2, "s")], [1234.6, 0.1, 123460, 2000000])


class Words(unittest.TestCase):
    def test_layout_fills_nodes(self):
        self.assertEqual(layout(3, 4), {"gpus": 3, "nodes": 1, "gpus_per_node": 3})
        self.assertEqual(layout(32, 4), {"gpus": 32, "nodes": 8, "gpus_per_node": 4})

    def test_gpus_by_name_alias_and_words(self):
        self.assertEqual(catalogue_name("Tesla K80 (one GK210 die)"), "K80")
        self.assertEqual(catalogue_name("RTX 2080Ti NVLink"), "RTX-2080-Ti")
        with self.assertRaises(LookupError):
            catalogue_name("abacus")

    def test_one_folder_name_is_another_network_by_framework(self):
        for framework, model in (("TensorFlow", "ssd320_fpn"), ("PyTorch", "ssd300")):
            self.assertEqual(nvidia_examples.model_of({"model": "Detection/SSD", "framework": framework}), model)

    def test_server_counts_by_the_stated_rule(self):
        words = "#PS = #instances except: InceptionV3 8 instances/6 PS; ResNet-50 batch32 8 instances/4 PS"
        cases = (("inception_v3", 64, 8, 6), ("resnet50", 32, 8, 4), ("resnet50", 64, 8, 8), ("inception_v3", 64, 4, 4))
        for model, batch, nodes, expected in cases:
            one = {"model": model, "batch_per_gpu": batch, "strategy_detail": words}
            self.assertEqual(tensorflow.stated_servers(one, nodes), expected)


if __name__ == "__main__":
    unittest.main()
