"""MLPerf Training v0.6-v1.0, ResNet-50: rates in the log lines of V100 and A100 systems up to 64 GPUs."""

import re

from gpus import catalogue_name
from names import MLPERF
from sink import context
from records import step

SOURCES = ("mlperf-resnet50.json",)

# Word in the system's name -> cluster.
CLUSTERS = {"dgx1": "dgx1-v100", "dgx2": "dgx2-v100", "dgxa100": "dgx-a100", "G492": "dgx-a100",
            "C4140": "dell-c4140-v100", "DSS8440": "dell-dss8440-a100", "XE8545": "dell-xe8545-a100"}
MAIN_GPU = {"dgx1-v100": "V100-SXM2-16GB", "dgx2-v100": "V100-SXM3-32GB", "dgx-a100": "A100-SXM4-40GB",
            "dell-c4140-v100": "V100-SXM2-32GB", "dell-dss8440-a100": "A100-PCIe-40GB",
            "dell-xe8545-a100": "A100-SXM4-80GB"}
MACHINE = {"dgx1-v100": "NVIDIA DGX-1, 8 V100", "dgx2-v100": "NVIDIA DGX-2 and DGX-2H, 16 V100",
           "dgx-a100": "NVIDIA DGX A100, 8 A100 of 40 or 80 GB; GIGABYTE G492-ZD2",
           "dell-c4140-v100": "Dell C4140, 4 V100", "dell-dss8440-a100": "Dell DSS8440, 8 A100 or V100S",
           "dell-xe8545-a100": "Dell XE8545, 4 A100"}
RANGE = "median of log lines over five runs, training only"
BOARD = "GIGABYTE G492-ZD2, the same HGX A100 board"


def convert(source, sink):
    for p, point in enumerate(source.document["points"]):
        if "images_per_sec" in point:
            add_point(source, sink, p, point)
    sink.leave_out(source, "/points/*/time_to_train*", "time to train: with evaluations and start, and by convergence")
    sink.leave_out(source, "/points/*/epoch_time_s", "the rate of the same lines is a record")


def cluster_of(point):
    return next(cluster for word, cluster in CLUSTERS.items() if word in point["system"])


def add_point(source, sink, index, point):
    cluster = cluster_of(point)
    document = source.document
    repository = f"mlcommons/training_results_{point['round']}"
    where = {"title": document["source"]["title"], "repo": "mlcommons/training_results_v0.6, _v0.7, _v1.0",
             "commit": ", ".join(commit for name, commit in document["source"]["repos"].items() if "v0.5" not in name),
             "path": document["source"]["files"]}
    file = sink.open(source, cluster, context(source, MAIN_GPU[cluster], MACHINE[cluster],
                                              document["framework"], "unknown", "MLPerf submitters", where))
    base = re.sub(r"^\d+x(?=[A-Z])|_n\d+(?=_)", "", point["system"])
    series = f"mlperf-{point['round']}-{point['org'].lower()}-{base}-b{point['batch_per_gpu']:g}"
    notes = [f"{repository}, {point['org']} {point['system']}", point.get("compute_network"), RANGE,
             BOARD if "G492" in base else None]
    step(file, f"/points/{index}/images_per_sec", series, MLPERF, "amp", point["batch_per_gpu"], "horovod",
         {"name": "all-reduce"}, {key: point[key] for key in ("gpus", "nodes", "gpus_per_node")},
         wire_precision="fp16", origin="text", gpu=catalogue_name(point["gpu"]), data="real", library="nccl",
         transport="nccl-ib" if "IB" in point.get("compute_network", "") else "unknown",
         statistic="median", repeats=point["runs"], note="; ".join(filter(None, notes)))
