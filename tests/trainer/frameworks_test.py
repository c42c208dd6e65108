#!/usr/bin/env python3
"""Real frameworks trained by ddltrain framework. usage: frameworks_test.py DDLTRAIN DDLSIM ROOT ENVIRONMENT [CASE...]

ENVIRONMENT: pytorch, mxnet, tensorflow, horovod or horovod-tensorflow; where it is not installed the test says so and is skipped.
"""
import ast
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from framework_runs import DDLTRAIN, DIGITS, ENVIRONMENT, ROOT, SAME_LOSS, Frameworks, skip  # noqa: E402
from processes import LIMIT_S  # noqa: E402
from transformer_cases import Transformers  # noqa: E402

SAME_DIGITS = """
import numpy as np
from common.digits import draw_digits
from common.random_bits import BatchOrder
images, labels = draw_digits(50, 1)
numbers = (images.reshape(-1).astype(np.float64) * 255 + 0.5).astype(np.int64).tolist() + labels.tolist()
hash = 0xcbf29ce484222325
for number in numbers:
    hash = (hash ^ number) * 0x100000001b3 % 2**64
order = BatchOrder(100, 4, 3, 7)
print(hex(hash), order.batch(0, 0).tolist(), order.batch(9, 2).tolist())
"""

# A clock that only waiting moves, and is 1 ms late: what each parameter's gradient is ready at, in s after forward began.
READY = """
import torch
from common.models import NETWORKS
from common.replay import LayerTime, Replay
from common.torch_replay import WaitingModel
class Clock:
    time_s = 5.0
    def now(self):
        return self.time_s
    def sleep(self, left_s):
        self.time_s += left_s + 0.001
clock, network, ready = Clock(), NETWORKS["lenet5"], []
names = [layer.name for layer in network.layers if layer.name]
layers = [LayerTime(name, 0.1, 0.2) for name in names]
layers.insert(1, LayerTime("pool1", 0.05, 0.05))
model = WaitingModel(network, 1, Replay(layers, 2, clock.now, clock.sleep))
for name, parameter in model.named_parameters():
    parameter.register_hook(lambda gradient, name=name: ready.append((name, round(clock.time_s - begin_s, 6))))
for _ in range(2):
    ready.clear()
    begin_s = clock.time_s
    model.zero_grad(set_to_none=True)
    loss = model(None)
    forward_s = clock.time_s - begin_s
    loss.backward()
    clock.time_s += 1
print(round(forward_s, 6), sorted(ready, key=lambda one: one[1])[0::2])
print(all(p.grad.shape == p.shape and float(p.grad.abs().sum()) == 0 for p in model.parameters()), float(loss))
"""

PASSES = ("forward", "backward", "backward-data", "backward-weights", "optimizer")


class Pytorch(Transformers, Frameworks):
    def layer_table(self, *precisions):
        """The file with a table of that profile's layers, with a timing in each of these precisions."""
        file = os.path.join(self.folder, "table.jsonl")
        names = [layer["name"] for layer in self.PROFILE["layers"]]
        times = {"time_us": [1000] * len(names)}
        table = {"record": "layers", "series": "one", "model": "lenet5", "layers": {"name": names, "kind": ["conv"] * len(names)},
                 "timings": [{"precision": one, "batch": 8, "forward": times, "backward": times} for one in precisions]}
        pathlib.Path(file).write_text(json.dumps({"record": "context"}) + "\n" + json.dumps(table) + "\n")
        return file

    def layer_records(self, *passes):
        """The same in the old form: a line for each of these passes of each layer."""
        file = os.path.join(self.folder, "layers.jsonl")
        context = {"record": "context"}
        layers = [{"record": "layer", "series": "one", "model": "lenet5", "layer": layer["name"], "batch": 8.0, "pass": one, "value": 0.001}
                  for layer in self.PROFILE["layers"] for one in passes]
        pathlib.Path(file).write_text("".join(json.dumps(record) + "\n" for record in [context, *layers]))
        return file

    def test_gradients_of_a_replay_are_ready_when_the_profile_says(self):
        done = subprocess.run([ROOT / "build" / "frameworks" / "pytorch" / "bin" / "python3", "-c", READY], capture_output=True,
                              text=True, check=True, cwd=ROOT / "trainer" / "frameworks")
        # forward 2 x (5 x 0.1 + 0.05); then fc3, fc2, fc1, conv2 2 x 0.2 each; conv1 after pool1's 2 x 0.05. Each 1 ms late, once
        ready = [("fc3_", 1.501), ("fc2_", 1.901), ("fc1_", 2.301), ("conv2_", 2.701), ("conv1_", 3.201)]
        forward_s, told = done.stdout.splitlines()[0].split(" ", 1)
        self.assertEqual(float(forward_s), 1.101)
        self.assertEqual([(re.match("[a-z]+[0-9]_", name)[0], time_s) for name, time_s in ast.literal_eval(told)], ready)
        self.assertEqual(done.stdout.splitlines()[1], "True 0.0")

    def test_a_replay_waits_and_is_labelled(self):
        self.replay("pytorch-ddp", self.profile(), "--ranks", "2", "--time-scale", "3")
        self.replay("pytorch-ddp", self.layer_records("forward", "backward-data", "backward-weights"), "--strategy", "none")
        self.replay("pytorch-ddp", self.layer_table("fp32"), "--strategy", "none")

    def test_a_replay_that_cannot_be_is_one_message(self):
        replay = ["pytorch-ddp", "--batch", "8", "--strategy", "none", "--replay"]
        layers = self.PROFILE["layers"]
        self.assertIn("a profile at batch 8, not 16", self.refused("pytorch-ddp", "--batch", "16", "--replay", self.profile()))
        self.assertIn("a profile of alexnet, not of lenet5", self.refused(*replay, self.profile(model="alexnet")))
        self.assertIn("no time for layer conv1", self.refused(*replay, self.profile(layers=layers[1:])))
        self.assertIn("is expected", self.refused(*replay, self.profile(layers=layers[::-1])))
        self.assertIn("is no profile", self.refused(*replay, self.profile(layers=[{"name": "conv1"}])))
        self.assertIn("lenet5 at batch 8, not 16", self.refused("pytorch-ddp", "--batch", "16", "--replay", self.layer_records("forward")))
        self.assertIn("lenet5 at batch 8, not 16", self.refused("pytorch-ddp", "--batch", "16", "--replay", self.layer_table("fp32")))
        self.assertIn("timed more than once", self.refused(*replay, self.layer_table("fp32", "amp")))
        self.assertIn("learns nothing", self.refused(*replay, self.profile(), "--data", "digits"))
        self.assertIn("--time-scale 0", self.refused(*replay, self.profile(), "--time-scale", "0"))
        self.assertIn("give it with --replay", self.refused("pytorch-ddp", "--time-scale", "2"))

    def test_digits_and_their_order_are_those_of_ddltrain(self):
        done = subprocess.run([ROOT / "build" / "frameworks" / "pytorch" / "bin" / "python3", "-c", SAME_DIGITS], capture_output=True,
                              text=True, check=True, cwd=ROOT / "trainer" / "frameworks")
        self.assertEqual(done.stdout, "0x96b5ff1451c8f4ea [67, 94, 52, 26] [87, 0, 51, 43]\n")

    def test_two_ranks_learn_as_one_process(self):
        step = self.hold_to_one_process("pytorch-ddp", "--ranks", "2")
        self.assertEqual((step["gpus"], step["preset"], step["library"], step["transport"]), (2, "pytorch-gloo", "gloo", "gloo-tcp"))
        self.assertIn("buckets 246824 bytes", step["note"])  # all of LeNet-5's 61,706 parameters

    def test_a_rank_that_dies_ends_the_job_with_one_message(self):
        self.kill_a_rank("pytorch-ddp", "--ranks", "2")

    def test_wrong_words_are_told_once(self):
        self.assertIn("--global-batch 64 is not a multiple of the 3 workers",
                      self.refused("pytorch-ddp", "--ranks", "3", "--global-batch", "64"))
        self.assertIn("on processors it does nothing", self.refused("pytorch-ddp", "--strategy", "data-parallel"))
        self.assertIn('no framework is called "pytorch-dpp"; did you mean pytorch-ddp?', self.refused("pytorch-dpp"))
        self.assertIn("starts with", self.told_of_idx(b"\0\0\x08\x01" + bytes(12)))
        self.assertIn("its header says", self.told_of_idx(b"\0\0\x08\x03" + b"\0\0\0\x05" * 3 + b"short"))

    def told_of_idx(self, images):
        pathlib.Path(self.folder, "train-images-idx3-ubyte").write_bytes(images)
        done = subprocess.run([DDLTRAIN, "framework", "pytorch-ddp", "--strategy", "none", "--data", self.folder],
                              capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd=ROOT)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_a_loader_reads_pictures(self):
        self.load("pytorch-loader", "files")
        self.load("pytorch-loader", "files", "off")
        self.assertIn("at least four batches a worker", self.refused("pytorch-loader", "--pictures", "64"))
        self.assertIn("whole numbers by commas", self.refused("pytorch-loader", "--workers", "two"))
        self.assertIn("by one rank", self.refused("pytorch-loader", "--ranks", "2"))

    def test_a_loader_reads_from_a_server(self):
        self.load_from_a_server("pytorch-loader")
        self.assertIn("needs one more that serves", self.refused("pytorch-loader", "--servers", "1"))

    def test_kernels_are_timed(self):
        shapes = [("gemm", "m48 n16 k32 NN", 16, ["forward"], 2 * 48 * 16 * 32),
                  ("gemm", "m16 n8 k4 TT", 8, ["forward"], 2 * 16 * 8 * 4),
                  ("conv", "9x7x1 k5 f3x2 p0x0 s2x1", 2, ["forward", "backward-weights"], 2 * 2 * 5 * 4 * 6 * 3 * 2),  # 4 x 6 places
                  ("conv3x3", "8x8x4 k6 f3x3 p1x1 s1x1", 1, ["forward", "backward-data", "backward-weights"], 2 * 6 * 64 * 4 * 9)]
        wanted = [(kind, layer, batch, one) for kind, layer, batch, passes, _ in shapes for one in passes]
        self.write_shapes(wanted)
        for precision in ("fp32", "bf16"):
            tables = self.train("pytorch-kernels", "--shapes", self.shapes, "--seconds", "0.01", "--precision", precision)[1:]
            flop = {layer: count for _, layer, _, _, count in shapes}
            told = []
            for table in tables:
                (layer,), (kind,), (timing,) = table["layers"]["name"], table["layers"]["kind"], table["timings"]
                told += [(kind, layer, timing["batch"], one) for one in PASSES if one in timing]
                self.assertEqual((table["record"], table["model"], table["device"]), ("layers", "kernel", "cpu"))
                self.assertEqual((timing["count"], timing["precision"]), (5, precision))
                self.assertEqual(table["layers"]["flop_per_sample"], [flop[layer] / timing["batch"]])
                self.assertEqual(table["layers"].get("size_bytes"), {"conv": [4 * 5 * 6], "conv3x3": [4 * 4 * 6 * 9]}.get(kind))
                self.assertTrue(all(len(timing[one]["time_us"]) == 1 and timing[one]["time_us"][0] > 0
                                    for one in PASSES if one in timing))
            self.assertEqual(told, wanted)
            self.write_records(tables)  # shapes of tables are those of lines
        self.assertEqual(len(self.train("pytorch-kernels", "--shapes", self.shapes, "--seconds", "0.01", "--limit", "3")), 1 + 3)

    def test_kernels_that_cannot_be_timed_are_one_message(self):
        for kind, layer in (("gemm", "m48 n16 k32"), ("gemm", "m0 n16 k32 NN"), ("conv", "8x8x4 k6 f9x9 p0x0 s1x1"),
                            ("conv", "8x8x4 k6 f3x3 p1x1 s0x1"), ("norm", "8x8x4 k6 f3x3 p1x1 s1x1")):
            self.write_shapes([("gemm", "m4 n4 k4 NN", 4, "forward"), (kind, layer, 16, "forward")])
            told = self.refused("pytorch-kernels", "--shapes", self.shapes)
            self.assertIn(f'{self.shapes}:3: {kind} "{layer}"', told)
            self.assertIn("a kernel is expected", told)
        self.write_shapes([])
        self.assertIn("has no times of layers", self.refused("pytorch-kernels", "--shapes", self.shapes))
        self.assertIn("cpu has fp32, bf16", self.refused("pytorch-kernels", "--shapes", self.shapes, "--precision", "tf32"))
        self.assertIn("No such file", self.refused("pytorch-kernels", "--shapes", self.shapes + "2"))

    def write_shapes(self, shapes):
        self.shapes = os.path.join(self.folder, "shapes.jsonl")
        self.write_records([{"record": "layer", "series": "one", "model": "kernel", "value": 1,
                             **dict(zip(("kind", "layer", "batch", "pass"), shape))} for shape in shapes])

    def write_records(self, records):
        pathlib.Path(self.shapes).write_text("".join(json.dumps(record) + "\n" for record in [{"record": "context"}, *records]))

    def test_a_campaign_starts_it(self):
        cluster = pathlib.Path(self.folder, "platforms", "here")
        cluster.mkdir(parents=True)
        (cluster / "cluster.json").write_text((ROOT / "platforms" / "cpu-2core" / "cluster.json").read_text()
                                              .replace('"cpu-2core"', '"here"'))
        run = {"name": "ddp", "command": "framework", "ranks_per_node": 2,
               "arguments": ["pytorch-ddp", "--data", "digits", "--train-samples", "512", "--anonymous"]}
        (cluster / "campaign.json").write_text(json.dumps(
            {"format": "ddltrain-campaign", "version": 1, "launcher": {"kind": "local"}, "nodes": [1], "runs": [run]}))
        done = subprocess.run([DDLTRAIN, "measure", "--cluster", "here", "--data", self.folder], capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (cluster / "measurements" / "ddp.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["record"] for line in lines], ["context", "loss", "step"])
        self.assertEqual(json.loads(lines[0])["cluster"], "here")


# When each layer's gradient is ready, in s after forward began: MXNet's own threads wait.
MXNET_READY = """
import time
from mxnet import autograd
from common.models import NETWORKS
from common.replay import LayerTime, Replay
from common.mxnet_replay import WaitingBlock
network = NETWORKS["lenet5"]
layers = [LayerTime(layer.name, 0.05, 0.1) for layer in network.layers if layer.name]
net = WaitingBlock(network, 1, Replay(layers, 1))
begin_s = time.monotonic()
with autograd.record():
    value = net(None)
value.backward()
for parameter in reversed(list(net.collect_params().values())):
    parameter.grad().wait_to_read()
    print(parameter.grad().size, time.monotonic() - begin_s)
"""


class Mxnet(Frameworks):
    def test_gradients_of_a_replay_are_ready_when_the_profile_says(self):
        self.hold_to_profile("mxnet", MXNET_READY)

    def test_a_replay_waits_and_is_labelled(self):
        self.replay("mxnet-kvstore", self.profile(), "--ranks", "2", "--servers", "1")

    def test_workers_and_a_server_learn_as_one_process(self):
        step = self.hold_to_one_process("mxnet-kvstore", "--ranks", "2", "--servers", "1")
        self.assertEqual((step["gpus"], step["preset"], step["library"]), (2, "mxnet-kvstore", "ps-lite"))
        self.assertEqual(step["strategy"], {"name": "ps", "servers": {"count": 1}, "placement": "dedicated", "sharding": "split"})

    def test_asynchronous_workers_do_not_wait(self):
        records = self.train("mxnet-kvstore", *DIGITS, "--ranks", "2", "--servers", "1", "--placement", "colocated",
                             "--strategy", "ps-async", "--global-batch", "64")
        self.assertEqual(records[-2]["strategy"]["name"], "ps-async")
        self.assertRegex(records[-2]["note"], r"^the servers took [0-9.e-]+ processor seconds a step; others kept ")
        self.hold_server(records[-1], "mxnet-kvstore", 14)  # of 16 steps without the warm-up
        self.assertLess(self.losses(records)[-1], self.losses(records)[0])


# The same in a graph, whose operations have no order but that of what they need.
TENSORFLOW_READY = """
import numpy as np
import tensorflow as tf
from common import tensorflow_network as tn
from common.models import NETWORKS
from common.replay import LayerTime, Replay
network = NETWORKS["lenet5"]
layers = [LayerTime(layer.name, 0.05, 0.1) for layer in network.layers if layer.name]
with tf.Graph().as_default():
    begin_s = tf.timestamp()
    with tf.control_dependencies([begin_s]):
        parameters = [tf.identity(value) for _, value in tn.starts(network, 1)]
    loss = tn.loss_of(network, parameters, None, None, Replay(layers, 1))
    ready = []
    for gradient in tf.compat.v1.gradients(loss, parameters)[::-1]:
        with tf.control_dependencies([gradient]):
            ready.append((tf.size(gradient), tf.timestamp() - begin_s))
    session = tf.compat.v1.Session()
    session.run(ready)  # the first is slow
    for size, time_s in session.run(ready):
        print(size, time_s)
"""


# Of a picture of 500 x 375.
CROPS = """
import json
import numpy as np
from tensorflow_keras_loader import crop_box
generator = np.random.RandomState(1)
print(json.dumps([crop_box(generator, 500, 375) for _ in range(2000)]))
"""


class Tensorflow(Frameworks):
    def test_gradients_of_a_replay_are_ready_when_the_profile_says(self):
        self.hold_to_profile("tensorflow", TENSORFLOW_READY)

    def test_a_replay_waits_and_is_labelled(self):
        self.replay("tensorflow-mirrored", self.profile(), "--ranks", "2", "--time-scale", "3")
        self.replay("tensorflow-servers", self.profile(), "--ranks", "2", "--servers", "1")
        self.replay("tensorflow-sync-servers", self.profile(), "--ranks", "2", "--servers", "1")

    def test_keras_fits_as_one_process_and_as_two(self):
        step = self.hold_to_one_process("tensorflow-keras", "--ranks", "2")
        self.assertEqual((step["gpus"], step["preset"], step["transport"]), (2, "tf-multiworker", "grpc"))
        self.assertEqual((step["strategy"]["name"], step["repeats"]), ("all-reduce", 14))  # of 16 steps without the warm-up

    def test_keras_stops_within_an_epoch(self):
        records = self.train("tensorflow-keras", *DIGITS, "--strategy", "none", "--batch", "64", "--steps", "11")
        self.assertEqual([record["step"] for record in records if record["record"] == "loss"], [8, 11])
        self.assertEqual((records[-1]["repeats"], records[-1]["synchronised"]), (9, False))
        self.assertIn("2 ranks were started", self.refused("tensorflow-keras", "--strategy", "none", "--ranks", "2"))

    def test_synchronous_servers_and_mirrored_workers_learn_as_one_process(self):
        alone = self.losses(self.train("tensorflow-mirrored", *DIGITS, "--batch", "64"))
        keras = self.losses(self.train("tensorflow-keras", *DIGITS, "--strategy", "none", "--batch", "64"))
        servers = self.train("tensorflow-sync-servers", *DIGITS, "--ranks", "2", "--servers", "1", "--global-batch", "64")
        mirrored = self.losses(self.train("tensorflow-mirrored", *DIGITS, "--ranks", "2", "--global-batch", "64"))
        for several in (keras, self.losses(servers), mirrored):
            self.assertEqual(len(several), 2)
            for one, other in zip(alone, several):
                self.assertAlmostEqual(one, other, delta=SAME_LOSS)
        self.assertEqual(servers[-1]["strategy"],
                         {"name": "ps", "servers": {"count": 1}, "placement": "dedicated", "sharding": "round-robin"})

    def test_a_loader_reads_pictures(self):
        self.load("tensorflow-loader", "files")
        self.load("tensorflow-loader", "tfrecord")
        self.load("tensorflow-loader", "files", "off")
        self.load("tensorflow-loader", "tfrecord", "off")

    def test_keras_own_workers_read_pictures(self):
        self.load("tensorflow-keras-loader", "files")
        self.load("tensorflow-keras-loader", "files", "off")
        self.load("tensorflow-keras-loader", "files", "on", "threads")
        self.load_from_a_server("tensorflow-keras-loader")

    def test_crops_lie_within_the_picture(self):
        done = subprocess.run([ROOT / "build" / "frameworks" / "tensorflow" / "bin" / "python3", "-c", CROPS], capture_output=True,
                              text=True, check=True, cwd=ROOT / "trainer" / "frameworks")
        shares, ratios = [], []
        for left, top, right, bottom in json.loads(done.stdout):
            self.assertTrue(0 <= left < right <= 500 and 0 <= top < bottom <= 375)
            shares.append((right - left) * (bottom - top) / (500 * 375))
            ratios.append((right - left) / (bottom - top))
        # whole pixels: half of one at each end of a side of 100 or more; 2,000 draws reach the ends within some percent
        self.assertTrue(0.079 < min(shares) < 0.1 and 0.9 < max(shares) <= 1, (min(shares), max(shares)))
        self.assertTrue(0.74 < min(ratios) < 0.76 and 1.3 < max(ratios) < 1.35, (min(ratios), max(ratios)))

    def test_asynchronous_workers_beside_their_server(self):
        """Ranks are bound to a core each here: with a thread a core two workers waited for each other for ever."""
        records = self.train("tensorflow-servers", *DIGITS, "--ranks", "2", "--servers", "1", "--placement", "colocated",
                             "--global-batch", "64")
        self.assertIn("the servers took", records[-2]["note"])
        self.assertEqual((records[-2]["strategy"]["name"], records[-2]["gpus"]), ("ps-async", 2))
        self.hold_server(records[-1], "tf2-ps", 8)  # of the second epoch

    def test_a_loader_reads_from_a_server(self):
        self.load_from_a_server("tensorflow-loader")
        self.assertIn("use --format files", self.refused("tensorflow-loader", "--ranks", "1", "--servers", "1", "--storage", "http",
                                                         "--format", "tfrecord"))

    def test_colocated_servers(self):
        records = self.train("tensorflow-sync-servers", *DIGITS, "--ranks", "2", "--servers", "2", "--placement", "colocated",
                             "--global-batch", "64")
        self.assertEqual(records[-1]["strategy"]["placement"], "colocated")
        self.assertLess(self.losses(records)[-1], self.losses(records)[0])


class Horovod(Frameworks):
    def test_two_ranks_learn_as_one_process(self):
        step = self.hold_to_one_process("horovod-pytorch", "--ranks", "2")
        self.assertEqual((step["gpus"], step["preset"], step["library"]), (2, "horovod", "open-mpi"))
        self.assertRegex(step["software"], "^Horovod 0[.]28[.]1, PyTorch 1[.]13")
        self.assertIn("fusion buffer 134217728 bytes, cycle 1 ms", step["note"])

    def test_a_replay_waits_and_is_labelled(self):
        self.replay("horovod-pytorch", self.profile(), "--ranks", "2")

    def test_wrong_words_are_told_once(self):
        self.assertIn("2 ranks were started", self.refused("horovod-pytorch", "--strategy", "none", "--ranks", "2"))


class HorovodTensorflow(Frameworks):
    def test_two_ranks_learn_as_one_process(self):
        step = self.hold_to_one_process("horovod-tensorflow", "--ranks", "2")
        self.assertEqual((step["gpus"], step["preset"], step["library"]), (2, "horovod", "open-mpi"))
        self.assertRegex(step["software"], "^Horovod 0[.]28[.]1, TensorFlow 2[.]15")
        self.assertIn("fusion buffer 134217728 bytes, cycle 1 ms", step["note"])

    def test_a_replay_waits_and_is_labelled(self):
        self.replay("horovod-tensorflow", self.profile(), "--ranks", "2")

    def test_wrong_words_are_told_once(self):
        self.assertIn("2 ranks were started", self.refused("horovod-tensorflow", "--strategy", "none", "--ranks", "2"))


if __name__ == "__main__":
    if not (ROOT / "build" / "frameworks" / ENVIRONMENT / "bin" / "python3").exists():
        skip(f"build/frameworks/{ENVIRONMENT} is not there; install it with ./run frameworks {ENVIRONMENT}")
    unittest.main(argv=[sys.argv[0], ENVIRONMENT.title().replace("-", ""), *sys.argv[5:]])
