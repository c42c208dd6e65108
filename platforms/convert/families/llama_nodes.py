"""Llama 3.1 8B by NeMo and Megatron-Core on one node: Azure's H100, two H100 NVL over PCIe and over a bridge, eight RTX PRO 6000."""

from gpus import catalogue_name
from records import layout, step
from sink import context

AZURE, NVL, RTX = "azure-h100-llama31-8b.json", "h100-nvl-mlperf-llama31-8b.json", "rtxpro6000-mlperf-llama31-8b.json"
SOURCES = (AZURE, NVL, RTX)
MODEL, TOKENS = "llama_3.1_8b_seq8192", 8192

COMMON = "gradients summed in fp32, nothing computed again, the optimizer sharded"
AZURE_NOTE = ("one run; not printed and assumed: context groups of 2 and micro-batches of one sequence (NVIDIA-NeMo/Megatron-Bridge "
              "scripts/performance: LLAMA3_8B_PRETRAIN_CONFIG_H100_BF16), " + COMMON)
NVL_NOTE = "one run each; not stated and assumed: the fastest micro-batches that fit, no overlap of tensor groups, " + COMMON
SHORT = "a test of 200 steps; "
RTX_NOTE = "from the time and the samples to the target: evaluation and start are in it; not stated and assumed: " + COMMON

# Link -> cluster.
CLUSTERS = {"pcie": "tta-h100-nvl-pcie", "nvlink bridge": "tta-h100-nvl-bridge"}


def convert(source, sink):
    {AZURE: azure, NVL: nvl, RTX: rtx}[source.name](source, sink)


def azure(source, sink):
    file = sink.open(source, "azure-nd-h100-v5", context(
        source, catalogue_name("H100-SXM5-80GB"), "ND96isr H100 v5", source.document["framework"], "2026", "azcluster"))
    point = source.document["sets"][0]["points"][0]
    gpus, batch, context_group = point["gpus"], point["global_batch_seqs"], 2
    strategy = {"name": "model-parallel", "context": context_group, "micro_batches": batch * context_group // gpus,
                "data_parallel": "zero-1"}
    step(file, "/sets/0/points/0/iter_ms", source.document["sets"][0]["id"], MODEL, "bf16", batch // gpus, "megatron-lm",
         strategy, layout(gpus, 8), wire_precision="fp32", unit="ms", library="nccl", note=AZURE_NOTE)
    for key in ("tokens_per_sec", "tokens_per_sec_per_gpu", "model_tflops_per_gpu"):
        sink.leave_out(source, f"/sets/0/points/*/{key}", "follows from the time of a step")
    sink.leave_out(source, "/sets/1/points/*/busbw_gbps", "one size on two nodes, as a rate of the bus")


def nvl(source, sink):
    one = source.document["sets"][0]
    for p, point in enumerate(one["points"]):
        short = point.get("precision", "").startswith("fp8")
        precision = "fp8" if short else one["precision"]
        file = sink.open(source, CLUSTERS[point["link"]], context(
            source, catalogue_name("H100-NVL-94GB"), f"2 H100 NVL, {point['link']}", source.document["framework"],
            "2026-05", "TTA"))
        strategy = {"name": "model-parallel", "tensor": one["tp"], "micro_batches": "best", "data_parallel": "zero-1"}
        step(file, f"/sets/0/points/{p}/iter_ms", f"{CLUSTERS[point['link']]}-{precision}", MODEL, precision,
             one["global_batch_seqs"] // point["gpus"], "megatron-lm", strategy, layout(point["gpus"], 2),
             wire_precision="fp32", data="real", unit="ms", library="nccl", note=(SHORT if short else "") + NVL_NOTE)


def rtx(source, sink):
    file = sink.open(source, "tta-rtxpro6000", context(
        source, catalogue_name("RTX PRO 6000"), f"8 cards, {source.document['cluster']['intra_node_link']}",
        source.document["framework"], "2026", "TTA"))
    one = source.document["sets"][0]
    for p, point in enumerate(one["points"]):
        step(file, f"/sets/0/points/{p}/samples_per_sec_derived", f"{one['id']}-run{point['run']}", MODEL, "fp8",
             one["global_batch_seqs"] // point["gpus"], "megatron-lm",
             {"name": "zero-1", "micro_batches": one["grad_accum"]}, layout(point["gpus"], 8), wire_precision="fp32",
             data="real", unit="samples/s", library="nccl", note=RTX_NOTE)
