"""MXNet's own tables: 256 K80 with dist_device_sync, and one GPU against batch size."""

from gpus import catalogue_name
from names import MXNET_SYMBOL
from sink import context
from records import forward_or_train, layout, step
from strategies import servers

SCALING = "mxnet-readme-k80-256gpu-dist-device-sync.json"
SCORING = "mxnet-readme-k80-single-inference.json"
SWEEP = "mxnet-perf-single-gpu-batch-sweep.json"
SOURCES = (SCALING, SCORING, SWEEP)

# kvstore dist_device_sync: gradients of a node are summed on its GPUs, then go to one server a worker host; arrays of
# a million elements and more are cut over all servers.
DIST_DEVICE_SYNC = servers({"per_node": 1}, "colocated", "split", True, "cpu")


def convert(source, sink):
    {SCALING: scaling, SCORING: scoring, SWEEP: sweep}[source.name](source, sink)


def scaling(source, sink):
    block = source.document["cluster"]
    file = sink.open(source, "ec2-p2.16xlarge", context(
        source, "K80", f"{block['nodes']}, {block['gpus_per_node']} x {block['gpu']} a node; {block['network']}",
        source.document["framework"], "2017", "MXNet authors"))
    for s, one in enumerate(source.document["sets"]):
        for p, point in enumerate(one["points"]):
            step(file, f"/sets/{s}/points/{p}/images_per_sec", one["id"], MXNET_SYMBOL[one["model"]], one["precision"],
                 one["batch_per_gpu"], "mxnet-kvstore", DIST_DEVICE_SYNC, layout(point["gpus"], block["gpus_per_node"]),
                 data="unknown", library="ps-lite", note=f"model of {one['model_mb_stated']} MB by the source")


def scoring(source, sink):
    document = source.document
    file = sink.open(source, "single-gpu", context(source, "K80", "one K80 die", document["framework"], "2017",
                                                   "MXNet authors"))
    for p, point in enumerate(document["points"]):
        model = MXNET_SYMBOL[point["model"]]
        forward_or_train(file, f"/points/{p}/images_per_sec", f"mxnet-k80-scoring-{model}", model,
                         document["precision"], document["batch_per_gpu"], "mxnet", "forward", data="unknown")
    sink.leave_out(source, "/points/*/memory_mb", "memory of scoring: no record holds memory")


def sweep(source, sink):
    document = source.document
    for era, year in (("mxnet2017", "2017-05"), ("mxnet120", "2018")):
        sets = [(s, one) for s, one in enumerate(document["sets"]) if one["id"].startswith(era)]
        file = sink.open(source, "single-gpu", context(source, "", document["cluster"]["gpu"],
                                                       sets[0][1]["framework"], year, "MXNet authors"), year)
        for s, one in sets:
            add_curve(file, s, one)


def add_curve(file, index, one):
    note = "form of the card not stated" if one["gpu"] == "P100" else None
    for p, point in enumerate(one["points"]):
        forward_or_train(file, f"/sets/{index}/points/{p}/images_per_sec", f"{one['id']}-b{point['batch_per_gpu']}",
                         MXNET_SYMBOL[one["model"]], one["precision"], point["batch_per_gpu"], "mxnet", one["mode"],
                         gpu=catalogue_name(one["gpu"]), note=note)
