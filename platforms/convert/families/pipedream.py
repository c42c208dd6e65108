"""PipeDream's profiles: forward and backward time of each layer of 12 networks."""

import re

from gpus import catalogue_name
from names import TORCHVISION
from records import layer
from sink import context

SOURCES = ("pipedream-layer-profiles.json",)
MACHINE = "GPU not stated: V100 by its fp32 rates; layers timed one by one, with a floor of about 0.3 ms a layer"

KINDS = {"Linear": "linear", "BatchNorm2d": "norm", "ReLU": "activation", "MaxPool2d": "pool", "AvgPool2d": "pool",
         "Dropout": "elementwise", "Add": "elementwise", "Concat": "elementwise", "View": "elementwise",
         "Size": "elementwise", "__getitem__": "elementwise"}


def convert(source, sink):
    document = source.document
    zero, loading = [], []
    file = sink.open(source, "single-gpu", context(
        source, catalogue_name("V100"), MACHINE, document["framework"], "2019", "PipeDream authors"))
    for place, entry in enumerate(document["files"]):
        table = file.table(f"pipedream-{entry['model']}", f"/files/{place}", TORCHVISION[entry["model"]], statistic="mean")
        for number, row in enumerate(source.table(entry["file"]), 1):
            pointers = [f"{entry['file']}#row={number}&column={column}" for column in ("fwd_ms", "bwd_ms")]
            if row["layer"] == "Input":
                loading += pointers
            else:
                zero += [p for p, column in zip(pointers, ("fwd_ms", "bwd_ms")) if float(row[column]) == 0]
                add_row(table, entry, row, [p for p in pointers if p not in zero])
    sink.leave_out_each(source, "rows named Input", "the time to load data, not a layer", loading)
    sink.leave_out_each(source, "times printed as 0.000 ms", "below the resolution of the profile", zero)
    sink.leave_out(source, "/files/*", "sums of the rows, and rates derived from them")


def add_row(table, entry, row, pointers):
    for pointer in pointers:
        direction = "forward" if pointer.endswith("fwd_ms") else "backward"
        layer(table, pointer, f"{row['node']} {row['layer'].split('(')[0]}", kind_of(row["layer"]), direction, "ms",
              {"gpu": "", "precision": "fp32", "batch": entry["batch"]},
              flop=conv_flop(row) if direction == "forward" else None, size_bytes=int(float(row["param_bytes"])))


def kind_of(words):
    name = words.split("(")[0]
    if name != "Conv2d":
        return KINDS[name]
    inputs, kernel, groups = shape_of(words)
    if groups > 1:
        return "depthwise" if groups == inputs else "conv"
    return {(1, 1): "conv1x1", (3, 3): "conv3x3"}.get(kernel, "conv")


def shape_of(words):
    inputs = int(re.search(r"Conv2d\((\d+),", words).group(1))
    kernel = tuple(map(int, re.search(r"kernel_size=\((\d+), (\d+)\)", words).groups()))
    groups = re.search(r"groups=(\d+)", words)
    return inputs, kernel, int(groups.group(1)) if groups else 1


def conv_flop(row):
    """FLOP of the whole batch: two for each input of each output element."""
    if not row["layer"].startswith("Conv2d"):
        return None
    inputs, kernel, groups = shape_of(row["layer"])
    return int(2 * inputs // groups * kernel[0] * kernel[1] * float(row["activation_bytes"]) / 4)
