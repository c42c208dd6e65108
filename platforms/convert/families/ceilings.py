"""Software ceilings posted in issues, storage and loader rates; and sources that hold no measurement of a run: facts, constants, fits
and abstracts, which are left out whole."""

import re

from records import collective
from sink import context

ISSUES, STORAGE = "transport-efficiency-issues.json", "storage-dataloading.json"
NO_RUNS = {
    "hardware-facts.json": "facts of devices and machines, not measurements; they stand in gpus.json and cluster.json",
    "hardware-facts-2026.json": "facts of devices and machines, with prices and peaks; they stand in gpus.json and "
                                "cluster.json, but for devices only announced or without a peak or memory size",
    "iris-cluster-spec.json": "facts of a machine, not measurements; they stand in iris/cluster.json",
    "large-scale-imagenet-records.json": "abstracts only: no rate, no time of an iteration, no variant; the two "
                                         "efficiencies name neither network nor node, and no preset is of their all-reduces",
    "mgwfbp-alpha-beta.json": "fitted constants, not measurements; their labels are doubtful",
    "nccl-tuning-constants.json": "constants of a library, not measurements",
}
SOURCES = (ISSUES, STORAGE, *NO_RUNS)
UNITS = {"mb_per_s": "MB/s", "gbit_per_s": "Gbps"}


def convert(source, sink):
    if source.name in NO_RUNS:
        sink.leave_out(source, "*", NO_RUNS[source.name])
    else:
        {ISSUES: issues, STORAGE: storage}[source.name](source, sink)


def issues(source, sink):
    reference = sink.open(source, "transport-ceilings", context(
        source, "", "many machines: see each record's note", "see each record's note", "unknown", "GitHub users"))
    box = sink.open(source, "nccl-4x-pcie", context(
        source, "", "one node, 4 GPUs over PCIe, GPU not named", "nccl-tests", "2020", "NVIDIA/nccl issue 445"))
    for p, point in enumerate(source.document["points"]):
        add_issue(reference, box, p, point)
    sink.leave_out(source, "/points/*/gb_per_s_range", "a range, not a figure")
    sink.leave_out(source, "/points/*/seconds", "bytes or machine not stated")
    sink.leave_out(source, "/points/*/time_us", "time of an update on a server's CPU: no record holds it")


def add_issue(reference, box, index, point):
    where = f"/points/{index}/"
    if "bytes" in point:
        collective(box, where + "time_us", "nccl-issue445-4x-pcie", 4, 1, point["bytes"], "us", library="nccl")
        return
    for key, unit in UNITS.items():
        if key in point:
            add_rate(reference, where + key, index, point, unit)
    key_size = re.match(r"send of a (\d+) MB key", point.get("what", ""))
    if key_size:
        reference.add("point_to_point", where + "time_us", series=f"issues-point{index}", library="ps-lite", origin="text",
                  note=note_of(point), size_bytes=int(key_size.group(1)) * 1_000_000, unit="us")


def add_rate(reference, pointer, index, point, unit):
    repeated = isinstance(point[pointer.rsplit("/", 1)[1]], list)
    reference.add("server", pointer, series=f"issues-point{index}", origin=point["from"], library=library_of(point),
              statistic="median" if repeated else "unknown", repeats=3 if repeated else None,
              transport=transport_of(point), note=note_of(point), what=what_of(point), unit=unit)


def note_of(point):
    about = "approximate; " if point.get("approx") else ""
    return f"{about}{point['transport']}: {point['what']}; {point['url']}"


def library_of(point):
    names = {"TensorFlow": "grpc", "NCCL": "nccl", "BytePS": "byteps", "Ray": "ray"}
    return next(library for word, library in names.items() if point["transport"].startswith(word))


def transport_of(point):
    if "gdr" in point["transport"]:
        return "unknown"
    return {"grpc": "grpc", "nccl": "nccl-tcp"}.get(library_of(point), "unknown")


def what_of(point):
    """NCCL: a channel of a ring; a process that adds to another's variable: push; else a server both ways."""
    if library_of(point) == "nccl":
        return "channel"
    return "push" if re.search(r"adding|same test|plain grpc|GPUDirect", point["what"]) else "push-pull"


def storage(source, sink):
    for s, one in enumerate(source.document["series"]):
        if one["id"] == "mlperf-storage-v1.0-resnet50":
            add_storage(source, sink, s, one)
        elif one["id"] == "ffcv-data-loading":
            add_loader(source, sink, s, one)
    same = "the same figures as series of dlperf-v100.json, where they are records"
    sink.leave_out(source, "/series/1/points/*", "constants that emulate a GPU, not measurements of one")
    sink.leave_out(source, "/series/3/points/*", same)
    sink.leave_out(source, "/series/4/points/*", same)
    sink.leave_out(source, "/series/5/points/*", "time to open a file: no record holds it")


def add_storage(source, sink, index, one):
    file = sink.open(source, "storage-systems", context(
        source, "", one["what"], "DLIO", "2024", "MLPerf Storage submitters",
        {"title": "MLPerf Storage v1.0", **one["source"]}, one["source"]["files"]), "mlperf")
    for p, point in enumerate(one["points"]):
        note = f"{point['size']}: {point['hosts']} hosts, {point['num_accelerators']} emulated {point['emulated_gpu']}"
        for key, unit in (("samples_per_sec", "samples/s"), ("io_MB_per_sec", "MB/s")):
            file.add("input", f"/series/{index}/points/{p}/{key}", series=f"mlperf-storage-{p}", origin="text",
                     note=note, what="storage", unit=unit)


def add_loader(source, sink, index, one):
    file = sink.open(source, "storage-systems", context(source, "", one["what"], "FFCV", "2022", "FFCV authors",
                                                        {"title": "FFCV benchmarks", **one["source"]}), "ffcv")
    for p, point in enumerate(one["points"]):
        file.add("input", f"/series/{index}/points/{p}/images_per_sec", series=f"ffcv-{p}", note=point["size"],
                 what="loader", unit="samples/s")
