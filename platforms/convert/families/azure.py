"""Azure Batch AI, Horovod on 8 x 4 K80, P40, P100, V100: Intel MPI over InfiniBand against NCCL over Ethernet."""

from gpus import catalogue_name
from names import TF_CNN
from sink import context
from records import layout, step
from strategies import NCCL_OF_2018, plain

CLUSTERS = {"azure-batchai-horovod-k80.json": "azure-nc24r-k80",
            "azure-batchai-horovod-p40.json": "azure-nd24rs-p40",
            "azure-batchai-horovod-p100.json": "azure-nc24rs-v2-p100",
            "azure-batchai-horovod-v100.json": "azure-nc24rs-v3-v100"}
SOURCES = tuple(CLUSTERS)

# NCCL before 2.4 (January 2019) has rings only; these images are of mid-2018.
STACKS = {"mpi": {"strategy": {"name": "all-reduce"}, "algorithm": "unknown", "library": "intel-mpi",
                  "transport": "mpi-ib"},
          "nccl": {"strategy": plain("ring", NCCL_OF_2018), "algorithm": "ring", "library": "nccl",
                   "transport": "nccl-tcp"}}

ANOMALY = ("far below 8 and 32 GPUs, by 370 ms on P40 and P100 and 364 ms on V100 alike: reproducible, unexplained, perhaps a "
           "switch of algorithm in the library")
IRREGULAR = "the K80 charts of NCCL over TCP are irregular: siblings differ by a third"


def convert(source, sink):
    block = source.document["cluster"]
    machine = f"{block['nodes']}, {block['gpus_per_node']} {block['gpu']} a node; {block['network']}"
    file = sink.open(source, CLUSTERS[source.name], context(
        source, catalogue_name(block["gpu"]), machine, source.document["framework"], "2018", "M. Salvaris, Microsoft"))
    for s, one in enumerate(source.document["sets"]):
        for p, point in enumerate(one["points"]):
            add_point(file, f"/sets/{s}/points/{p}/images_per_sec", one, point, block["gpus_per_node"])


def add_point(file, pointer, one, point, per_node):
    alone = "without Horovod" in point.get("note", "")
    suspect, caution = doubts(one, point)
    notes = [point.get("note"), caution, f"bar read within {one['axis_calibration_rel_err']} of its height"]
    step(file, pointer, one["id"], TF_CNN[one["model"]], one["precision"], one["batch_per_gpu"], "horovod",
         where=layout(point["gpus"], per_node), data=one["data"], origin=point["from"], synchronised=not alone,
         suspect=suspect or None, note="; ".join(filter(None, notes)), **STACKS[one["strategy"]])


def doubts(one, point):
    if one["strategy"] == "mpi" and one["model"] == "resnet152" and point["gpus"] == 16:
        return True, ANOMALY
    if one["strategy"] == "nccl" and "-k80-" in one["id"]:
        return False, IRREGULAR
    return False, None
