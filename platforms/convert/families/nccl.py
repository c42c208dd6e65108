"""nccl-tests tables published in documentation, repositories and issues."""

import re

from gpus import catalogue_name
from records import collective
from sink import context

SOURCES = ("nccl-allreduce.json",)

# Series -> cluster, and the transport across its nodes (EFA and RoCE are RDMA: nccl-ib).
CLUSTERS = {"a100-p4de-x2": ("p4de", "nccl-ib"), "a100-1x8-sxm4": ("dgx-a100", None),
            "a100-1x8-reduce": ("dgx-a100", None), "a100-1x8-reducescatter": ("dgx-a100", None),
            "aws-2x1-tcp": ("aws-2x1", "nccl-tcp"),
            "aws-2x1-efa": ("aws-2x1", "nccl-ib"), "t4-g4dn-2x1-efa": ("g4dn-metal-t4", "nccl-ib"),
            "v100-p3dn-x2-efa-ring": ("p3dn", "nccl-ib"), "v100-1x8-nvlink": ("dgx1-v100", None),
            "v100-1x4-pcie-path": ("v100-4x-pcie", None), "v100-2x1-10g-class": ("v100-2x1-10g", "unknown"),
            "v100-pcie-1x2-shm": ("v100-2x2-roce40", None), "v100-pcie-2x2-cx3-roce": ("v100-2x2-roce40", "nccl-ib"),
            "v100-p3dn-x2-efa-issue33": ("p3dn", "nccl-ib"), "a100-p4d-1to4-efa": ("p4d", "nccl-ib"),
            "v100-4x8-tcp100": ("v100-4x8-tcp100", "nccl-tcp")}
BOARDS = {"dgx-a100": "make of the box not named: 8 x A100 on NVSwitch",
          "dgx1-v100": "make of the box not named: 8 x V100 as a hybrid cube mesh"}
OPERATIONS = {"all_reduce float32": "all_reduce", "reduce float32": "reduce", "reducescatter float32": "reduce_scatter"}
WORDS = {"V100-32GB": "V100-SXM2-32GB", "T4 (g4dn.metal)": "T4", "not stated": ""}


def convert(source, sink):
    for s, one in enumerate(source.document["series"]):
        if one["id"] in CLUSTERS:
            add_series(source, sink, s, one)
    sink.leave_out(source, "/series/*/time_us_inplace", "the same size in place: one of the two is kept")
    stem = {one["id"]: f"/series/{s}/*" for s, one in enumerate(source.document["series"])}
    sink.leave_out(source, stem["ml-engineering-4n"], "GPU and fabric not stated, rates of two digits and no times")
    sink.leave_out(source, stem["gcp-32gbe-tcp"], "a peak rate over sizes: kept as a ceiling, from "
                   "transport-efficiency-issues.json")
    sink.leave_out(source, "/series/*gbps", "a rate that follows from size and time")
    sink.leave_out(source, "/series/*/extra/*", "a link's own test, not a collective")


def add_series(source, sink, index, one):
    cluster, transport = CLUSTERS[one["id"]]
    block = one["cluster"]
    gpu = block["gpu"].split(" (adapter")[0]
    gpu = catalogue_name(WORDS.get(gpu, gpu)) if WORDS.get(gpu, gpu) else ""
    machine = "; ".join(str(block[key]) for key in ("gpu", "nodes", "intra_node", "network") if block.get(key))
    where = one["source"]
    file = sink.open(source, cluster, context(
        source, gpu, BOARDS.get(cluster, machine), software(one), "unknown", where.get("title", where.get("repo", "")),
        {"title": where.get("title", "nccl-tests output"), **where}), one["id"])
    for p, point in enumerate(one["points"]):
        add_point(file, f"/series/{index}/points/{p}/time_us", one, point, transport)


def software(one):
    """With the library's version where the source states it, in a field or in words."""
    stated = re.match(r"[\d.]+", one.get("nccl", "")) or re.search(r"(?<=, NCCL )[\d.]+", one.get("note", ""))
    return f"NCCL {stated[0]}, nccl-tests" if stated else "nccl-tests"


def add_point(file, pointer, one, point, transport):
    per_node = one["cluster"]["gpus_per_node"]
    nodes = -(-point["ranks"] // per_node) if isinstance(per_node, int) else one["cluster"]["nodes"]
    doubted = "sub-optimal" in one.get("note", "") and nodes > 2
    notes = [one.get("note"), one.get("nccl"), one.get("settings")]
    collective(file, pointer, f"{one['id']}-{point['ranks']}ranks", point["ranks"], nodes, point["bytes"], "us",
               operation=OPERATIONS[one["collective"]], library="nccl", statistic="mean",
               algorithm="ring" if "ring only" in one.get("nccl", "") else "unknown",
               transport=transport if transport and nodes > 1 else "unknown", suspect=doubted or None,
               note="; ".join(filter(None, notes)) or None)
