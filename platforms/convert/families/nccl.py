"""nccl-tests tables published in documentation, repositories and issues: until Ampere, and of Hopper and Blackwell machines."""

import re

from gpus import catalogue_name
from records import collective
from sink import context

OLDER, NEWER = "nccl-allreduce.json", "nccl-2026-hopper-blackwell.json"
SOURCES = (OLDER, NEWER)

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
# Clusters whose tables were measured with one software, and of which no two are of one curve.
ONE_FILE = ("aws-2x1", "dgx-a100")
OPERATIONS = {"all_reduce float32": "all_reduce", "reduce float32": "reduce", "reducescatter float32": "reduce_scatter"}
WORDS = {"V100-32GB": "V100-SXM2-32GB", "T4 (g4dn.metal)": "T4", "not stated": ""}


def convert(source, sink):
    {OLDER: until_ampere, NEWER: hopper_and_blackwell}[source.name](source, sink)


def until_ampere(source, sink):
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
        {"title": where.get("title", "nccl-tests output"), **where}), None if cluster in ONE_FILE else one["id"])
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


# Series -> cluster, and the transport across its nodes: EFA and TCPXO leave the CPU's sockets out, TCPX does not.
NEWER_CLUSTERS = {"h100-p5-x2-efa": ("p5", "nccl-ib"), "h100-p5-x2-efa-2023": ("p5", "nccl-ib"),
                  "h100-p5-x1-aws-batch": ("p5", "unknown"), "gb200-nvl72-x1rack": ("gb200-nvl72", "unknown"),
                  "b200-gcp-a4-x2-roce": ("gcp-a4-b200", "nccl-ib"), "b200-lambda-x2-ib": ("lambda-b200", "nccl-ib"),
                  "h100-nebius-x2-ib": ("nebius-h100", "nccl-ib"),
                  "h100-gcp-a3mega-x2-tcpxo-allgather": ("gcp-a3mega-h100", "nccl-ib"),
                  "h100-gcp-a3high-x2-tcpx-allgather": ("gcp-a3high-h100", "nccl-tcp")}
NEWER_WORDS = {"H100-80GB": "H100", "B200-180GB": "B200"}
# Points that their own table contradicts: series, bytes -> why.
DOUBTED = {("b200-lambda-x2-ib", 524288): "an outlier: the same size in place takes half of it, as 1 MiB does"}

BUS_RATE = "the bus rate in place is all the page prints; a record holds a time, which would have to be computed"
REASONS = {"a100-nd-a100-v4-x1": BUS_RATE, "h100-nd-h100-v5-x1-nvls": BUS_RATE, "h200-nd-h200-v5-x1-nvls": BUS_RATE,
           "gb200-ib-between-nvl-partitions-12": "rates without times, and the NIC's rate is not stated",
           "h100-roce-x2-low": "rates without times, and its poster calls them too low",
           "h100-nccl-rules": "what to expect, in words: no run of one size",
           "b200-x1": "a lower bound in words: neither size nor time",
           "h100-4node-nvls": "rates in words over a range of sizes, no times"}


def hopper_and_blackwell(source, sink):
    for index, one in enumerate(source.document["series"]):
        if one["id"] in REASONS:
            sink.leave_out(source, f"/series/{index}/*", REASONS[one["id"]])
        else:
            add_newer_series(source, sink, index, one)
    sink.leave_out(source, "/series/*/time_us_inplace", "the same size in place: one of the two is kept")
    sink.leave_out(source, "/series/*gbps*", "a rate that follows from size and time")


def add_newer_series(source, sink, index, one):
    cluster, transport = NEWER_CLUSTERS[one["id"]]
    block, where = one["cluster"], one["source"]
    machine = "; ".join(str(block[key]) for key in ("gpu", "nodes", "intra_node", "network") if block.get(key))
    version = f"NCCL {one['nccl']}, nccl-tests" if "nccl" in one else "nccl-tests"
    file = sink.open(source, cluster, context(
        source, catalogue_name(NEWER_WORDS.get(block["gpu"], block["gpu"])), machine, version, "unknown",
        where["repo"].split("/")[0], where), one["id"])
    for p, point in enumerate(one["points"]):
        pointer = f"/series/{index}/points/{p}/time_us"
        if point["bytes"] == 0:
            sink.leave_out(source, pointer, "0 bytes: NCCL returns without a message")
        else:
            add_newer_point(file, pointer, one, point, transport)


def add_newer_point(file, pointer, one, point, transport):
    operation, _, rest = one["collective"].partition(" float32")
    doubt = DOUBTED.get((one["id"], point["bytes"]))
    series_note = one.get("note") if not any(one["id"] == series for series, _ in DOUBTED) else None
    notes = (rest.strip(" ()"), series_note, doubt)
    collective(file, pointer, f"{one['id']}-{point['ranks']}ranks", point["ranks"], one["cluster"]["nodes"],
               point["bytes"], "us", operation=operation, library="nccl", statistic="mean", transport=transport,
               suspect=True if doubt else None, note="; ".join(filter(None, notes)) or None)
