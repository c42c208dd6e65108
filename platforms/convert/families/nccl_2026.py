"""nccl-tests tables of Hopper and Blackwell machines."""

from gpus import catalogue_name
from records import collective
from sink import context

SOURCES = ("nccl-2026-hopper-blackwell.json",)

# Series -> cluster, and the transport across its nodes: EFA and TCPXO leave the CPU's sockets out, TCPX does not.
CLUSTERS = {"h100-p5-x2-efa": ("p5", "nccl-ib"), "h100-p5-x2-efa-2023": ("p5", "nccl-ib"),
            "h100-p5-x1-aws-batch": ("p5", "unknown"), "gb200-nvl72-x1rack": ("gb200-nvl72", "unknown"),
            "b200-gcp-a4-x2-roce": ("gcp-a4-b200", "nccl-ib"), "b200-lambda-x2-ib": ("lambda-b200", "nccl-ib"),
            "h100-nebius-x2-ib": ("nebius-h100", "nccl-ib"),
            "h100-gcp-a3mega-x2-tcpxo-allgather": ("gcp-a3mega-h100", "nccl-ib"),
            "h100-gcp-a3high-x2-tcpx-allgather": ("gcp-a3high-h100", "nccl-tcp")}
WORDS = {"H100-80GB": "H100", "B200-180GB": "B200"}
# Points that their own table contradicts: series, bytes -> why.
DOUBTED = {("b200-lambda-x2-ib", 524288): "an outlier: the same size in place takes half of it, as 1 MiB does"}

BUS_RATE = "the bus rate in place is all the page prints; a record holds a time, which would have to be computed"
REASONS = {"a100-nd-a100-v4-x1": BUS_RATE, "h100-nd-h100-v5-x1-nvls": BUS_RATE, "h200-nd-h200-v5-x1-nvls": BUS_RATE,
           "gb200-ib-between-nvl-partitions-12": "rates without times, and the NIC's rate is not stated",
           "h100-roce-x2-low": "rates without times, and its poster calls them too low",
           "h100-nccl-rules": "what to expect, in words: no run of one size",
           "b200-x1": "a lower bound in words: neither size nor time",
           "h100-4node-nvls": "rates in words over a range of sizes, no times"}


def convert(source, sink):
    for index, one in enumerate(source.document["series"]):
        if one["id"] in REASONS:
            sink.leave_out(source, f"/series/{index}/*", REASONS[one["id"]])
        else:
            add_series(source, sink, index, one)
    sink.leave_out(source, "/series/*/time_us_inplace", "the same size in place: one of the two is kept")
    sink.leave_out(source, "/series/*gbps*", "a rate that follows from size and time")


def add_series(source, sink, index, one):
    cluster, transport = CLUSTERS[one["id"]]
    block, where = one["cluster"], one["source"]
    machine = "; ".join(str(block[key]) for key in ("gpu", "nodes", "intra_node", "network") if block.get(key))
    version = f"NCCL {one['nccl']}, nccl-tests" if "nccl" in one else "nccl-tests"
    file = sink.open(source, cluster, context(
        source, catalogue_name(WORDS.get(block["gpu"], block["gpu"])), machine, version, "unknown",
        where["repo"].split("/")[0], where), one["id"])
    for p, point in enumerate(one["points"]):
        pointer = f"/series/{index}/points/{p}/time_us"
        if point["bytes"] == 0:
            sink.leave_out(source, pointer, "0 bytes: NCCL returns without a message")
        else:
            add_point(file, pointer, one, point, transport)


def add_point(file, pointer, one, point, transport):
    operation, _, rest = one["collective"].partition(" float32")
    doubt = DOUBTED.get((one["id"], point["bytes"]))
    series_note = one.get("note") if not any(one["id"] == series for series, _ in DOUBTED) else None
    notes = (rest.strip(" ()"), series_note, doubt)
    collective(file, pointer, f"{one['id']}-{point['ranks']}ranks", point["ranks"], one["cluster"]["nodes"],
               point["bytes"], "us", operation=operation, library="nccl", statistic="mean", transport=transport,
               suspect=True if doubt else None, note="; ".join(filter(None, notes)) or None)
