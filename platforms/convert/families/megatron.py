"""NVIDIA's Megatron-LM: GPTs of 1.7 to 177 billion parameters by tensor, pipeline and data parallelism on H100."""

from gpus import catalogue_name
from records import layout, step
from sink import context

SOURCES = ("megatron-lm-scaling.json",)

CLUSTER = "megatron-h100"
PER_NODE = 8
TOKENS = 4096
WEAK, STRONG, OF_2021, OF_2022 = range(4)  # sets of the source
MODEL_177B = {"layers": 96, "hidden": 12288}
TENSOR_177B, PIPELINE_177B = 8, 6

ASSUMED = ("micro-batches are not stated and left open: the fastest are taken; not stated and assumed: gradients summed "
           "in fp32, Megatron-LM's default with bf16; bf16 itself; nodes of 8")
ASSUMED_177B = ("read from a plot, to 0.6 %; tensor 8 and 6 stages at every scale, as the source has them at 2,304 "
                "GPUs; 1F1B without interleaving; ")

PRODUCT = ("only the product of tensor and pipeline is stated, and everything is computed again, which pipelines here "
           "do not simulate")
FOLLOWS = "follows from the rate a GPU"
NO_SCALE = "no GPUs and no batch are stated"


def convert(source, sink):
    file = sink.open(source, CLUSTER, context(
        source, catalogue_name("H100-SXM5-80GB"), "nodes of 8 H100; network not stated",
        "Megatron-Core r0.8.0; data loading and logging included", "2024-07", "NVIDIA"))
    add_weak(source, file)
    add_strong(source, file)
    for key in ("mfu_pct", "aggregate_pflops"):
        sink.leave_out(source, f"/sets/{WEAK}/points/*/{key}", FOLLOWS)
    sink.leave_out(source, f"/sets/{STRONG}/points/*/aggregate_pflops", FOLLOWS)
    for key in ("tflops_per_gpu", "pct_of_peak", "aggregate_pflops"):
        sink.leave_out(source, f"/sets/{OF_2021}/points/*/{key}", PRODUCT)
    for key in ("mfu_pct", "hfu_pct"):
        sink.leave_out(source, f"/sets/{OF_2022}/points/*/{key}", NO_SCALE)


def flop_per_sample(layers, hidden, words):
    """Of both passes, as num_floating_point_operations() in megatron/training/training.py counts them."""
    return 72 * TOKENS * layers * hidden ** 2 + 12 * TOKENS ** 2 * layers * hidden + 6 * TOKENS * hidden * words


def number(value):
    return int(value) if value == int(value) else value


def add(source, file, pointer, series, name, shape, gpus, batch, degrees, note, origin):
    words = source.document["sets"][WEAK]["vocab"]
    strategy = {"name": "model-parallel", **degrees, "micro_batches": "best", "data_parallel": "zero-1"}
    step(file, pointer, series, f"megatron_gpt_{name.lower()}_seq{TOKENS}", "bf16", number(batch / gpus), "megatron-lm",
         strategy, layout(gpus, PER_NODE), wire_precision="fp32", data="real", unit="TFLOP/s",
         flop_per_sample=flop_per_sample(shape["layers"], shape["hidden"], words), library="nccl",
         transport="nccl-ib", origin=origin, note=note)


def add_weak(source, file):
    for p, point in enumerate(source.document["sets"][WEAK]["points"]):
        degrees = {} if point["tp"] == 1 else {"tensor": point["tp"], "tensor_overlap": True}
        add(source, file, f"/sets/{WEAK}/points/{p}/tflops_per_gpu", "h100-weak", point["model"], point, point["gpus"],
            point["global_batch_seqs"], degrees, ASSUMED, "table")


def add_strong(source, file):
    batch = source.document["sets"][STRONG]["global_batch_seqs"]
    for p, point in enumerate(source.document["sets"][STRONG]["points"]):
        degrees = {"tensor": TENSOR_177B, "tensor_overlap": True, "pipeline": PIPELINE_177B, "schedule": "1f1b"}
        add(source, file, f"/sets/{STRONG}/points/{p}/tflops_per_gpu", "h100-177b-strong", "177b", MODEL_177B,
            point["gpus"], batch, degrees, ASSUMED_177B + ASSUMED, "plot")
