"""TensorFlow's performance page (May 2017) and the CSCS report of the same script: K80 and P100, parameter servers."""

import re

from gpus import catalogue_name
from names import TF_CNN
from sink import context
from records import layout, step
from strategies import NCCL_OF_2017, plain, tf_distributed, tf_local

CLUSTERS = {"tf-benchmarks-p100-dgx1.json": "dgx1-p100",
            "tf-benchmarks-k80-gce.json": "gce-k80",
            "tf-benchmarks-k80-ec2-p2.8xlarge.json": "ec2-p2.8xlarge",
            "tf-benchmarks-k80-ec2-distributed-ps.json": "ec2-p2.8xlarge",
            "bugliarello-aws-p2.xlarge-k80.json": "ec2-p2.xlarge",
            "bugliarello-aws-p2.8xlarge-k80.json": "ec2-p2.8xlarge"}
SOURCES = tuple(CLUSTERS)

BEST_OF_SWEEP = "mode and server count are the best of a sweep of this point"


def convert(source, sink):
    document = source.document
    report = source.name.startswith("bugliarello")
    block = document["cluster"]
    machine = (f"{block['gpus_per_node']} x {block['gpu']} a node, {block['intra_node_link']}; "
               f"{block['network'] or 'one node'}")
    file = sink.open(source, CLUSTERS[source.name], context(
        source, catalogue_name(block["gpu"]), machine, document["framework"], "2017-09" if report else "2017-05",
        "E. Bugliarello, CSCS" if report else "TensorFlow authors"))
    for s, one in enumerate(document["sets"]):
        for p, point in enumerate(one["points"]):
            add_point(file, f"/sets/{s}/points/{p}/images_per_sec", one, point, block["gpus_per_node"])


def add_point(file, pointer, one, point, per_node):
    where = layout(point["gpus"], per_node)
    note = BEST_OF_SWEEP if "num_ps" in point else None
    step(file, pointer, one["id"], TF_CNN[one["model"]], one["precision"], one["batch_per_gpu"], where=where,
         data="synthetic" if one["data"] == "synthetic" else "real", origin=point["from"], statistic="mean", repeats=5,
         note=note, **stack(one, point, where["nodes"]))


def stack(one, point, nodes):
    """Preset, strategy and what carried the bytes, from the point's own mode or the set's words."""
    if "num_ps" in point:
        strategy = tf_distributed(point["variable_update"], {"count": point["num_ps"]})
        return {"preset": "tf-ps", "strategy": strategy, "library": "grpc", "transport": "grpc"}
    words = one["strategy_detail"]
    if "distributed_replicated" in words:
        strategy = tf_distributed("distributed_replicated", {"count": stated_servers(one, nodes)})
        return {"preset": "tf-ps", "strategy": strategy, "library": "grpc", "transport": "grpc"}
    if "replicated" in words:
        return replicated("without NCCL" not in words)
    device = re.search(r"parameter_server(?: local_parameter_device=|/)(cpu|gpu)", words).group(1)
    return {"preset": "tf-ps", "strategy": tf_local(device), "library": "tensorflow"}


def replicated(nccl):
    """variable_update=replicated: NCCL of 2017 has rings only; without it TensorFlow adds up and copies by itself."""
    if nccl:
        return {"preset": "tf-replicated", "strategy": plain("ring", NCCL_OF_2017), "algorithm": "ring", "library": "nccl"}
    return {"preset": "tf-replicated", "strategy": plain("all-reduce"), "library": "tensorflow"}


def stated_servers(one, nodes):
    """"#PS = #instances except: InceptionV3 8 instances/6 PS; ResNet-50 batch32 8 instances/4 PS; ..." """
    for model, batch, instances, count in re.findall(r"(\w+(?:-\d+)?)(?: batch(\d+))? (\d+) instances/(\d+) PS",
                                                     one["strategy_detail"]):
        same = model.lower().replace("-", "") == one["model"].replace("_", "")
        if same and batch in ("", str(one["batch_per_gpu"])) and int(instances) == nodes:
            return int(count)
    return nodes
