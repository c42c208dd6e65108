"""DeepBench: convolution and matrix-multiplication kernels on one GPU."""

from gpus import catalogue_name
from records import layer
from sink import context

SOURCES = ("deepbench-kernels.json",)
PASSES = (("fwd_ms", "forward"), ("bwd_inputs_ms", "backward-data"), ("bwd_params_ms", "backward-weights"))
# Pseudo fp16 stores fp16 and computes in fp32; mixed is fp16 input with fp32 accumulation on tensor cores.
PRECISIONS = {"fp32": "fp32", "pseudo_fp16": "fp16", "mixed_fp16_fp32acc": "amp"}


def convert(source, sink):
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
