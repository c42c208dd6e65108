"""Kernels and operators on one GPU: DeepBench's convolutions and matrix multiplications, TrioSim's sample traces of an H100."""

from gpus import catalogue_name
from names import TORCHVISION
from records import layer
from sink import context

DEEPBENCH, TRIOSIM = "deepbench-kernels.json", "triosim-h100-ops.json"
SOURCES = (DEEPBENCH, TRIOSIM)


def convert(source, sink):
    {DEEPBENCH: deepbench, TRIOSIM: triosim}[source.name](source, sink)


PASSES = (("fwd_ms", "forward"), ("bwd_inputs_ms", "backward-data"), ("bwd_params_ms", "backward-weights"))
# Pseudo fp16 stores fp16 and computes in fp32; mixed is fp16 input with fp32 accumulation on tensor cores.
PRECISIONS = {"fp32": "fp32", "pseudo_fp16": "fp16", "mixed_fp16_fp32acc": "amp"}


def deepbench(source, sink):
    entries = source.document["files"]
    file = sink.open(source, "single-gpu", context(
        source, "", " | ".join(dict.fromkeys(machine_of(entry) for entry in entries)), source.document["framework"], "unknown",
        "Baidu Research"))
    for entry in entries:
        for number, row in enumerate(source.table(entry["file"]), 1):
            {"conv": add_conv, "gemm": add_gemm}[entry["kind"]](file, entry, f"{entry['file']}#row={number}", row)


def machine_of(entry):
    specs = "; ".join(f"{key.strip()}: {value}" for key, value in entry["specs"].items() if value)
    return f"{entry['gpu']} ({entry['xlsx']}, sheet {entry['sheet']}); {specs}"


def add_conv(file, entry, place, row):
    n, c, k, r, s = (int(row[key]) for key in ("n", "c", "k", "filter_w", "filter_h"))
    name = (f"{row['w']}x{row['h']}x{c} k{k} f{r}x{s} p{row['pad_w']}x{row['pad_h']} "
            f"s{row['stride_w']}x{row['stride_h']}")
    kind = {(1, 1): "conv1x1", (3, 3): "conv3x3"}.get((r, s), "conv")
    flop = 2 * n * c * k * r * s * out(row, "w") * out(row, "h")
    for column, direction in PASSES:
        if row[column]:
            layer(table_of(file, "conv", n), f"{place}&column={column}", name, kind, direction, "ms", timing_of(entry, n),
                  flop=flop, size_bytes=4 * c * k * r * s)


def out(row, axis):
    """Outputs along one axis of the image."""
    reach = int(row[axis]) + 2 * int(row[f"pad_{axis}"]) - int(row[f"filter_{axis}"])
    return reach // int(row[f"stride_{axis}"]) + 1


def add_gemm(file, entry, place, row):
    m, n, k = (int(row[key]) for key in ("m", "n", "k"))
    layer(table_of(file, "gemm", n), f"{place}&column=time_ms", f"m{m} n{n} k{k} {row['a_trans']}{row['b_trans']}", "gemm",
          "forward", "ms", timing_of(entry, n), flop=2 * m * n * k)


def table_of(file, kind, batch):
    """One a batch: nearly every kernel was timed at one batch only."""
    return file.table(f"deepbench-{kind}", "/files", "kernel", part=batch)


def timing_of(entry, batch):
    return {"gpu": catalogue_name(entry["gpu"]), "precision": PRECISIONS[entry["precision"]], "batch": batch}


OPERATORS = (("onv", "conv"), ("atch_norm", "norm"), ("BatchNorm", "norm"), ("elu", "activation"), ("ool", "pool"),
             ("MeanBackward", "pool"), ("linear", "linear"), ("Addmm", "linear"), ("entropy", "loss"),
             ("NllLoss", "loss"), ("Softmax", "loss"), ("ones_like", "loss"))


def triosim(source, sink):
    document = source.document
    file = sink.open(source, "single-gpu", context(
        source, catalogue_name("H100"), f"{document['cluster']['gpu']}; profiler overhead not removed",
        document["framework"], "2024", "TrioSim authors", path=document["source"]["files"]))
    for s, one in enumerate(document["series"]):
        table = file.table(f"triosim-h100-{one['model']}", f"/series/{s}", TORCHVISION[one["model"]])
        for p, point in enumerate(one["points"]):
            kind = next((kind for word, kind in OPERATORS if word in point["op"]), "elementwise")
            name = point["op"].rsplit(": ", 1)[-1].removeprefix("aten::")
            precision = "tf32" if kind == "conv" else "fp32"  # the default of PyTorch 2.1, by the source
            layer(table, f"/series/{s}/points/{p}/cuda_time_us", f"{p} {name}", kind, point["stage"], "us",
                  {"gpu": "", "precision": precision, "batch": one["batch_per_gpu"]})
    sink.leave_out(source, "*cuda_time_no_overlap_us",
                   "the same operator less what overlaps others; one of the two is kept")
    sink.leave_out(source, "/series/*/sum_us_by_stage/*", "sums of the rows")
