"""One GPU alone: Torch7 on Maxwell and Pascal cards, three frameworks on V100 and Turing, Caffe's own page on Kepler cards."""

import re

from gpus import catalogue_name
from names import BCAFFE, TORCH7, U39KUN
from records import forward_or_train
from sink import context

CNN, U39, CAFFE = "cnn-benchmarks-single-gpu.json", "u39kun-v100-single-gpu.json", "caffe-k20-k40-single-gpu.json"
SOURCES = (CNN, U39, CAFFE)


def convert(source, sink):
    {CNN: torch7, U39: three_frameworks, CAFFE: caffe}[source.name](source, sink)


MODES = (("forward", "fwd_ms"), ("train", "iter_ms"))
NO_UPDATE = "forward and backward only, no update of the weights"


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


WORDS = {"K40c with cuDNN": "K40"}
UNLISTED = ("Titan (Kepler)", "GTX 770")


def gpu_of(words):
    return catalogue_name(WORDS.get(words, words.split(",")[0]))


def caffe(source, sink):
    file = sink.open(source, "single-gpu", context(source, "", "K20, K40 and K40c: see each record's note",
                                                   source.document["framework"], "2014", "BVLC"))
    caffenet, googlenet = source.document["sets"][:2]
    for p, point in enumerate(caffenet["points"]):
        if point["gpu"] in UNLISTED:
            sink.leave_out(source, f"/sets/0/points/{p}/*", "the GPU catalogue has no such card")
        else:
            add_caffe(file, f"/sets/0/points/{p}/iter_ms", f"{caffenet['id']}-{slug(point['gpu'])}", "caffenet", 256,
                      point["gpu"], "train", "real")
    for mode, column in (("forward", "forward_ms"), ("train", "iter_ms")):
        add_caffe(file, f"/sets/1/points/0/{column}", f"{googlenet['id']}-{mode}", BCAFFE, 128,
                  googlenet["points"][0]["gpu"], mode, "synthetic", "no update of the weights; ")
    leave_out_caffe(source, sink)


def slug(words):
    return "-".join(words.lower().replace(",", "").split())


def add_caffe(file, pointer, series, model, batch, words, mode, data, caution=""):
    forward_or_train(file, pointer, series, model, "fp32", batch, "caffe", mode, gpu=gpu_of(words), unit="ms",
                     data=data, origin="text", note=f"{caution}{words}")


def leave_out_caffe(source, sink):
    sink.leave_out(source, "/sets/*/images_per_sec", "follows from iter_ms")
    sink.leave_out(source, "/sets/*/train_s_per_20_iter", "iter_ms is a twentieth of it")
    sink.leave_out(source, "/sets/*/test_*", "batch of the test not stated")
    sink.leave_out(source, "/sets/1/*/backward_ms", "what iter_ms has beside forward_ms")
