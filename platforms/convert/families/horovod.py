"""Horovod README of 2017: parameter servers against all-reduce on the same 4 x 4 Pascal GPUs. Rates of September, and
speed-ups of August."""

from names import TF_CNN
from sink import context
from records import layout, speed_up, step
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
LATER_NOTE = "the table of September 2017 has 0.6 times one GPU for the same set-up"
ASSUMED = {"batch_per_gpu": "not stated in this table; assumed by this project's converter: 64, as in the README's "
                            "table of September 2017",
           "precision": "not stated; assumed by this project's converter: fp32, as in the table of September 2017"}

# The table of August 2017: (preset, strategy, library, transport).
ON_CPU = ("horovod", plain("all-reduce"), "open-mpi")
ON_GPU = ("horovod", plain("ring", NCCL_OF_2017), "nccl")
EARLIER = {
    "Distributed TensorFlow": (*SETUPS["Distributed TensorFlow"], "grpc"),
    "Distributed TensorFlow (vars. on CPU)": (*SETUPS["Distributed TensorFlow (variables on CPU)"], "grpc"),
    "TCP Horovod on CPU": (*ON_CPU, "mpi-tcp"), "RDMA Horovod on CPU": (*ON_CPU, "mpi-ib"),
    "TCP Horovod on GPU (NCCL)": (*ON_GPU, "nccl-tcp"), "RDMA Horovod on GPU (NCCL)": (*ON_GPU, "nccl-ib"),
}


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
    add_speed_ups(source, sink, machine, block["gpus_per_node"])


def add_speed_ups(source, sink, machine, per_node):
    """Of 16 GPUs over one, rounded to 0.1: the table of a month earlier."""
    document = source.document
    earlier = document["earlier_version"]
    public = {**document["source"], "title": "Horovod README, speed-ups on 16 GPUs (Aug 2017)",
              "commit": earlier["commit"]}
    file = sink.open(source, CLUSTERS["16"], context(source, "", machine, document["framework"], "2017-08",
                                                     "Horovod authors, Uber", public), folder="ratios")
    for name, of_models in earlier["speedups"].items():
        preset, strategy, library, transport = EARLIER[name]
        for model in of_models:
            disputed = preset == "tf-ps" and model == "vgg16"
            notes = [PS_NOTE if preset == "tf-ps" else None, LATER_NOTE if disputed else None]
            speed_up(file, f"/earlier_version/speedups/{pointer_part(name)}/{model}",
                     f"horovod-2017-08-{short(name)}-{model}", TF_CNN[model], "fp32", 64, preset, strategy, layout(16, per_node), 1, "B", library=library,
                     transport=transport, suspect=disputed or None, note="; ".join(filter(None, notes)) or None,
                     assumed=ASSUMED)


def pointer_part(name):
    return name.replace("~", "~0").replace("/", "~1")


def short(name):
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())


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
