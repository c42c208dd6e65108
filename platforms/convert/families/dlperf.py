"""DLPerf 2020: one machine room of 4 x 8 V100, nine stacks, ResNet-50 v1.5 and BERT-base."""

import re
from statistics import median

from gpus import catalogue_name
from names import DLPERF
from sink import context
from source import spread
from records import step
from strategies import plain

SOURCES = ("dlperf-v100.json",)

# NCCL of 2020 chooses rings or trees by itself.
PRESETS = {"MindSpore": "mindspore", "MXNet": "horovod", "PyTorch 1.5": "apex", "PyTorch 1.6": "pytorch-ddp",
           "TensorFlow 1.15": "horovod", "TensorFlow 2.3": "tf-multiworker", "PaddlePaddle": "paddle"}
SLUGS = {"MindSpore": "mindspore", "MXNet 1.6.0 gluon-nlp": "mxnet-nlp", "MXNet 1.6.0 gluon-cv": "mxnet-cv",
         "MXNet 1.6.0 (NGC": "mxnet-ngc", "PyTorch 1.5": "pytorch-ngc", "PyTorch 1.6": "pytorch",
         "TensorFlow 1.15": "tf1-ngc", "TensorFlow 2.3": "tf2", "PaddlePaddle": "paddle"}

GLUON = "gluon-cv with AMP waits for its input (no DALI), by the source's notes"
PADDLE = "Paddle with AMP waits for its input, by the source's notes"
WORKERS = "first table of a loader pair: 8 loader workers a process on 48 CPU threads; waits for its input"
NEAR = 0.00006  # a printed median of an even count of runs is rounded in its last digit


def convert(source, sink):
    document = source.document
    block = document["cluster"]
    machine = (f"{block['nodes']} nodes x {block['gpus_per_node']}, {block['intra_node']}; {block['network']}; "
               f"{block['cpu']}; driver {block['driver']}")
    file = sink.open(source, "dlperf-v100", context(
        source, catalogue_name(block["gpu"]), machine, f"CUDA {block['cuda']}; the stack stands in each record",
        "2020", "OneFlow, DLPerf", path="README.md and one README a stack"))
    for s, one in enumerate(document["series"]):
        add_series(file, source, s)
    repeats(file, source, sink)


def lookup(table, framework):
    return next(value for key, value in table.items() if framework.startswith(key))


def library_of(framework):
    """What NVIDIA's release notes list for the image, and what the wheel of PyTorch 1.6 was built with."""
    if "NGC 20.03" in framework:
        return "nccl 2.6.3"
    return "nccl 2.4.8" if framework.startswith("PyTorch 1.6") else None


def series_id(one):
    precision = "fp32" if one["precision"] == "fp32" else "amp"
    slug = lookup(SLUGS, one["framework"])
    return f"dlperf-{slug}-{DLPERF[one['model']]}-{precision}-b{one['batch_per_gpu']}-line{one['line']}"


def precision_of(one):
    if one["precision"] == "fp32":
        return "fp32"
    return "fp16" if "without amp" in one["variant"] else "amp"


def add_series(file, source, index):
    one = source.document["series"][index]
    waits = input_bound(one, source.document["series"])
    crosses = max(point["nodes"] for point in one["points"]) > 1
    for p, point in enumerate(one["points"]):
        runs = matching_runs(source.document, one, point)
        step(file, f"/series/{index}/points/{p}/images_per_sec", series_id(one), DLPERF[one["model"]],
             precision_of(one), one["batch_per_gpu"], lookup(PRESETS, one["framework"]), plain("all-reduce", library_of(one["framework"])),
             grid(point), data="synthetic" if one["data"] == "synthetic" else "real", library="nccl",
             transport="nccl-ib" if crosses else "unknown", statistic=one["kind"],
             repeats=len(runs) if runs else None, relative_spread=spread(runs) if runs else None,
             suspect=bool(waits) or None, software="; ".join(filter(None, [one["framework"], words(one)])), note=waits)


def grid(point):
    return {"gpus": point["gpus"], "nodes": point["nodes"], "gpus_per_node": point["gpus"] // point["nodes"]}


def words(one):
    """What the report's heading says beyond model, precision and batch: "with xla", "without dali", ..."""
    switches = r"(?:with|without|W/O)\s*(?:Graph Kernel Fusion|dynamic_loss_scaling|dali|xla|amp|clip)"
    others = r"(?:dynamic|static) loss scale|DALI\b|DataLoader"
    return ", ".join(re.findall(switches, one["variant"]) + re.findall(others, one["variant"])) or None


def input_bound(one, everything):
    mixed = one["precision"] != "fp32"
    if mixed and "gluon-cv" in one["framework"]:
        return GLUON
    if mixed and one["framework"].startswith("Paddle"):
        return PADDLE
    pair = [other["line"] for other in everything if (other["file"], other["variant"]) == (one["file"], one["variant"])]
    if one["framework"].startswith("PyTorch 1.6") and one["line"] == min(pair):
        return WORKERS
    return None


def matching_runs(document, one, point):
    """Repeated runs of a point: same report, same GPUs, and their median is the point's value."""
    for runs in document["run_repeats"]:
        values = runs["repeats_samples_per_sec"]
        same = (runs["file"], runs["gpus"], runs["nodes"]) == (one["file"], point["gpus"], point["nodes"])
        if same and near(values, point["images_per_sec"]):
            return values
    return None


def near(values, value):
    return value in values and abs(median(values) / value - 1) < 0.005 or abs(median(values) / value - 1) < NEAR


def repeats(file, source, sink):
    """Runs that became the spread of a point are spoken for; those of TensorFlow 2's BERT are a series of their own."""
    document = source.document
    known = {(one["file"], p["gpus"], id(matching_runs(document, one, p)))
             for one in document["series"] for p in one["points"]}
    matched, other = [], []
    for r, runs in enumerate(document["run_repeats"]):
        pointer = f"/run_repeats/{r}/repeats_samples_per_sec"
        if (runs["file"], runs["gpus"], id(runs["repeats_samples_per_sec"])) in known:
            matched.append(pointer)
        elif runs["file"] == "TensorFlow/bert/README.md":
            add_runs(file, pointer, runs)
        else:
            other.append((pointer, runs))
    sink.leave_out_each(source, "repeated runs of a point that is a record",
                        "kept as that record's repeats and relative_spread", matched)
    leave_out_rest(source, sink, other)


def add_runs(file, pointer, runs):
    batch = int(re.search(r"/bz(\d+)/", runs["run"]).group(1))
    values = runs["repeats_samples_per_sec"]
    step(file, pointer, f"dlperf-tf2-bert_base_seq128-fp32-b{batch}-runs", DLPERF["bert-base pretraining"], "fp32",
         batch, lookup(PRESETS, runs["framework"]),
         plain("all-reduce", library_of(runs["framework"])), grid(runs), data="real", library="nccl",
         transport="nccl-ib", statistic="median", repeats=len(values), relative_spread=spread(values),
         software=runs["framework"], note=f"runs of {runs['run']}, no table of this series")


FACES = "a face model whose last layer is cut over the GPUs: not data parallel, and no variant is named"
OTHERS = "other runs than the table's (another median), or GPU counts the table lacks"


def leave_out_rest(source, sink, other):
    for file in sorted({runs["file"] for _, runs in other}):
        sink.leave_out_each(source, f"repeated runs of {file}", FACES if "nsight" in file else OTHERS,
                            [pointer for pointer, runs in other if runs["file"] == file])
