"""Horovod README of September 2017: parameter servers against all-reduce on the same 4 x 4 Pascal GPUs."""

from names import TF_CNN
from sink import context
from records import layout, step
from strategies import NCCL_OF_2017, plain, servers

SOURCES = ("horovod-readme-2017-pascal-ps-vs-allreduce.json",)
CLUSTERS = {"16": "horovod-pascal"}

# The servers' count and mode are not stated. tf_cnn_benchmarks runs --variable_update=parameter_server by default
# (every GPU sends its own gradients) and keeps variables on the GPU unless told otherwise. NCCL 2.0 has rings only.
UNKNOWN_SERVERS = {"unknown": True}
SETUPS = {
    "Distributed TensorFlow": ("tf-ps", servers(UNKNOWN_SERVERS, on_node_reduce=False, device="gpu"), "grpc"),
    "Distributed TensorFlow (variables on CPU)": ("tf-ps", servers(UNKNOWN_SERVERS, on_node_reduce=False), "grpc"),
    "(allreduce on CPU)": ("horovod", plain("all-reduce"), "open-mpi"),
    "(allreduce on GPU with NCCL)": ("horovod", plain("ring", NCCL_OF_2017), "nccl"),
}

PS_NOTE = "server count and placement not stated; mode taken as the script's default, parameter_server"
VGG_NOTE = "the August 2017 table has 2.3-2.4 times one GPU for the same set-up, this one 0.6"


def convert(source, sink):
    document = source.document
    block = document["clusters"]["16"]
    machine = (f"{block['nodes']} nodes x {block['gpus_per_node']}, {block['gpu']}, {block['network']} "
               f"{block['network_gbps']} Gbit/s")
    file = sink.open(source, CLUSTERS["16"], context(source, "", machine, document["framework"], "2017-09",
                                                     "Horovod authors, Uber"))
    for s, one in enumerate(document["sets"]):
        for p, point in enumerate(one["points"]):
            add_point(file, f"/sets/{s}/points/{p}/images_per_sec", one, point, block["gpus_per_node"])
    sink.leave_out(source, "/earlier_version/speedups/*",
                   "speed-ups rounded to 0.1, not rates; the same set-ups a month earlier")


def setup_of(text):
    if text in SETUPS:
        return SETUPS[text]
    return next(found for key, found in SETUPS.items() if key.startswith("(") and text.endswith(key))


def transport_of(setup, library):
    if library == "grpc":
        return "grpc"
    return ("nccl-" if library == "nccl" else "mpi-") + ("ib" if setup.startswith("RDMA") else "tcp")


def add_point(file, pointer, one, point, per_node):
    preset, strategy, library = setup_of(one["setup"])
    alone = point["gpus"] == 1
    disputed = preset == "tf-ps" and one["model"] == "vgg16" and not alone
    notes = [PS_NOTE if preset == "tf-ps" else None, VGG_NOTE if disputed else None,
             "one figure for all set-ups" if alone else None]
    step(file, pointer, one["id"], TF_CNN[one["model"]], one["precision"], one["batch_per_gpu"], preset, strategy,
         layout(point["gpus"], per_node), algorithm="ring" if library == "nccl" else "unknown", data="unknown",
         synchronised=not alone, library=library, transport=transport_of(one["setup"], library),
         suspect=disputed or None, note="; ".join(filter(None, notes)) or None)
