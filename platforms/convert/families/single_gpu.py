"""One GPU alone: Torch7 on Maxwell and Pascal cards, three frameworks on V100 and Turing."""

import re

from gpus import catalogue_name
from names import TORCH7, U39KUN
from sink import context
from records import forward_or_train

CNN, U39 = "cnn-benchmarks-single-gpu.json", "u39kun-v100-single-gpu.json"
SOURCES = (CNN, U39)
MODES = (("forward", "fwd_ms"), ("train", "iter_ms"))
NO_UPDATE = "forward and backward only, no update of the weights"


def convert(source, sink):
    {CNN: torch7, U39: three_frameworks}[source.name](source, sink)


def torch7(source, sink):
    document = source.document
    file = sink.open(source, "single-gpu", context(source, "", f"{document['cluster']['gpu']}; {NO_UPDATE}",
                                                   document["framework"], "2017", "J. Johnson"))
    cpu = []
    for p, point in enumerate(document["points"]):
        if point["gpu"].startswith("CPU"):
            cpu += [f"/points/{p}/{column}" for column in ("fwd_ms", "bwd_ms", "iter_ms")]
            continue
        model, gpu = TORCH7[point["model"]], catalogue_name(point["gpu"])
        cudnn = f"cudnn{point['cudnn']}" if point["cudnn"] else "no-cudnn"
        for mode, column in MODES:
            forward_or_train(file, f"/points/{p}/{column}", f"cnn-benchmarks-{model}-{gpu.lower()}-{cudnn}-{mode}",
                             model, document["precision"], document["batch_per_gpu"], "torch7", mode, gpu=gpu,
                             unit="ms", note=cudnn)
    sink.leave_out_each(source, "rows of a CPU", "no GPU", cpu)
    sink.leave_out(source, "/points/*/bwd_ms", "the difference of two records: iter_ms and fwd_ms")


def three_frameworks(source, sink):
    document = source.document
    file = sink.open(source, "single-gpu", context(source, "", f"{document['cluster']['gpu']}; {NO_UPDATE}",
                                                   "PyTorch, TensorFlow, Caffe2: version in each record's note", "2019",
                                                   "u39kun"))
    for p, point in enumerate(document["points"]):
        _, stack, bits = point["section"].split(" / ")
        name, version = stack.replace("Tensorflow", "TensorFlow").split(" ")
        model, gpu = U39KUN[name][point["model"]], catalogue_name(point["gpu"])
        precision = {"32-bit": "fp32", "16-bit": "fp16"}[bits]
        cuda = re.search(r"CUDA ([\d.]+)", point["gpu"])
        box = f"{gpu.lower()}-cuda{cuda.group(1)}" if cuda else gpu.lower()
        for mode, column in MODES:
            forward_or_train(file, f"/points/{p}/{column}",
                             f"u39kun-{name.lower()}{version}-{model}-{precision}-{box}-{mode}", model, precision,
                             document["batch_per_gpu"], name.lower(), mode, gpu=gpu, unit="ms",
                             note=f"{stack}, {point['gpu']}")
