"""HKBU ddl-benchmarks 2020: seven schedules of ResNet-50 and BERT on 10GbE and on IP over InfiniBand."""

from names import HKBU
from sink import context
from records import layout, step
from strategies import plain, servers

SOURCES = ("hkbu-ddl-benchmarks-2020.json",)
CLUSTERS = {10: "hkbu-2020", 100: "hkbu-2020-ipoib"}

# Schedules over all-reduce: NCCL 2.4 chooses rings or trees by itself. Schedules over servers all run in BytePS
# (4.096 MB parts hashed to the servers); ByteScheduler-PS is BytePS as it is, with its priorities.
PRESETS = {"BSP-A2A": "bsp", "WFBP-A2A": "wfbp", "MG-WFBP": "mg-wfbp", "ByteScheduler-A2A": "bytescheduler",
           "BSP-PS": "byteps-bsp", "WFBP-PS": "byteps-wfbp", "ByteScheduler-PS": "byteps"}
ALL_REDUCE = {"strategy": plain("all-reduce", "nccl 2.4"), "library": "nccl", "transport": "nccl-tcp"}
BYTEPS = {"strategy": servers({"per_node": 1}, "dedicated", "hash"), "library": "byteps", "transport": "unknown"}

ALONE = "one-GPU figure: a constant of the plot script, the same for all schedules"
SAME_AS_10GBE = ("equal to its 10GbE sibling within about 2 % from 8 GPUs on: the run probably used 10GbE")
SIBLING_LIMIT = 0.02  # largest difference from the 10GbE sibling, a point, of a series that probably ran there


def convert(source, sink):
    sets = source.document["sets"]
    files = {gbps: open_file(source, sink, gbps) for gbps in CLUSTERS}
    for s, one in enumerate(sets):
        copied = one["network_gbps"] == 100 and equals_sibling(one, sets)
        for p, point in enumerate(one["points"]):
            add_point(files[one["network_gbps"]], f"/sets/{s}/points/{p}/images_per_sec", one, point, copied)


def open_file(source, sink, gbps):
    block = source.document["cluster"]
    network = next(one["network"] for one in source.document["sets"] if one["network_gbps"] == gbps)
    machine = f"8 nodes x 4 GPUs (model not stated), {block['intra_node_link']}; {network}"
    return sink.open(source, CLUSTERS[gbps], context(source, "", machine, source.document["framework"], "2020-05-29",
                                                     "HKBU High Performance Machine Learning Lab"))


def equals_sibling(one, sets):
    """Whether a set on the fast fabric has the rates of the same set on the slow one, wherever both cross nodes."""
    sibling = next(other for other in sets if other["network_gbps"] == 10
                   and (other["model"], other["method"]) == (one["model"], one["method"]))
    pairs = zip(one["points"], sibling["points"])
    return all(abs(a["images_per_sec"] / b["images_per_sec"] - 1) < SIBLING_LIMIT for a, b in pairs if a["gpus"] > 4)


def add_point(file, pointer, one, point, copied):
    stack = BYTEPS if one["method"].endswith("PS") else ALL_REDUCE
    repeated = "stdev" in point
    notes = [None if repeated else ALONE, SAME_AS_10GBE if copied else None]
    step(file, pointer, one["id"], HKBU[one["model"]], one["precision"], one["batch_per_gpu"],
         PRESETS[one["method"]], where=layout(point["gpus"], 4), data=one["data"], synchronised=repeated,
         statistic="mean" if repeated else "unknown", repeats=5 if repeated else None,
         relative_spread=round(point["stdev"] / point["images_per_sec"], 6) if repeated else None,
         suspect=copied or None, note="; ".join(filter(None, notes)) or None, **stack)
