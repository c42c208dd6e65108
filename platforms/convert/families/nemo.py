"""NVIDIA's NeMo with Megatron-Core: Llama 2 and 3 in 8 bits, sharded and in pipelines, on H100, B200, GB200 and GB300."""

from gpus import catalogue_name
from records import layout, step
from sink import context

SOURCES = ("megatron-bridge-nemo-tables.json",)

# System -> cluster, GPU, GPUs a node.
SYSTEMS = {"DGX-H100": ("megatron-h100", "H100-SXM5-80GB", 8), "DGX-B200": ("megatron-b200", "B200-SXM-180GB", 8),
           "DGX-GB200": ("megatron-gb200", "GB200-186GB", 4), "DGX-GB300": ("megatron-gb300", "GB300-279GB", 4)}
# Rows with context parallelism were asked about before they were records, and stay what nothing learns from.
HELD_OUT = {"megatron-h100": "held-out/megatron-h100-context"}
# Models with a layer table; each has its length.
MODELS = {"LLAMA2-7B": "llama_2_7b_seq4096", "LLAMA2-13B": "llama_2_13b_seq4096", "LLAMA2-70B": "llama_2_70b_seq4096",
          "LLAMA3-8B": "llama_3.1_8b_seq8192", "LLAMA3-70B": "llama_3_70b_seq8192"}
SCALING = {"fp8": "one scale a tensor", "FP8": "one scale a tensor", "FP8-CS": "one scale a tensor",
           "FP8-CS (FP8-MX)": "one scale a tensor", "MXFP8": "one scale for 32 numbers (MXFP8)"}

ASSUMED = ("not stated and assumed: gradients summed in fp32; nothing computed again; the optimizer sharded over data "
           "parallel ranks, which is Megatron-Core's distributed optimizer; tensor groups overlapped, as in NeMo's recipes")
ASSUMED_FSDP = "not stated and assumed: gradients summed in fp32; nothing computed again; gathered ahead as PyTorch does"

FINE_TUNING = "fine-tuning: adapters, or samples packed together"
NO_PRECISION = "precision not stated in the table"
NO_TABLE = "no layer table of the model is shipped: mixtures of experts, hybrids, GPT-3 and Nemotron"
FOUR_BITS = "linear layers in 4 bits: no precision of this format"


def convert(source, sink):
    left = {}
    for pointer, one, point in rows(source):
        why = reason_against(one, point)
        if why:
            left.setdefault(why, []).append(pointer)
        else:
            add(source, sink, pointer, one, point)
    for why, pointers in left.items():
        sink.leave_out_each(source, f"rows: {why.split(':')[0]}", why, pointers)
    for sets in ("sets", "sets_nemo"):
        sink.leave_out(source, f"/{sets}/*/points/*/model_tflops_per_gpu", "by a rule that the page does not give")
    sink.leave_out(source, "/sets/*/second_precision_in_parentheses/*", "texts of two figures; the first is a record")


def rows(source):
    """Each rate with what holds for its set and for its point."""
    nemo = {"release": "24.07 NeMo Container", "where": source.document["source_nemo"], "part": "24.07"}
    for name, of_all in (("sets", {"where": None, "part": None}), ("sets_nemo", nemo)):
        for s, one in enumerate(source.document[name]):
            common = {**of_all, **one}
            for p, point in enumerate(one["points"]):
                if "tokens_per_sec_per_gpu" in point:
                    yield f"/{name}/{s}/points/{p}/tokens_per_sec_per_gpu", common, point


def of_either(one, point, key, default=None):
    return point.get(key, one.get(key, default))


def model_of(one, point):
    return of_either(one, point, "model").replace("_", "-")


def reason_against(one, point):
    if of_either(one, point, "task", "Pre-Training").split(" ")[0] != "Pre-Training":
        return FINE_TUNING
    if model_of(one, point) not in MODELS:
        return NO_TABLE
    precision = of_either(one, point, "precision")
    if precision not in SCALING:
        return NO_PRECISION if precision.startswith("not in") else FOUR_BITS
    return None


def strategy_of(point):
    replicas = point["gpus"] // (point["tp"] * point["pp"] * point["cp"])
    micro_batches = {"micro_batches": point["global_batch_seqs"] // (replicas * point["micro_batch_seqs"])}
    if point.get("fsdp"):
        return {"name": "fsdp", **micro_batches}
    if point["tp"] == point["pp"] == point["cp"] == 1:
        return {"name": "zero-1", **micro_batches}
    tensor = {"tensor": point["tp"], "tensor_overlap": True} if point["tp"] > 1 else {}
    pipeline = {"pipeline": point["pp"], "schedule": "1f1b"} if point["pp"] > 1 else {}
    if (point["vp"] or 1) > 1:
        pipeline |= {"schedule": "interleaved", "virtual_stages": point["vp"]}
    context = {"context": point["cp"]} if point["cp"] > 1 else {}
    return {"name": "model-parallel", **tensor, **context, **pipeline, **micro_batches, "data_parallel": "zero-1"}


def add(source, sink, pointer, one, point):
    cluster, gpu, per_node = SYSTEMS[one["system"]]
    cluster = HELD_OUT.get(cluster, cluster) if point["cp"] > 1 else cluster
    file = sink.open(source, cluster, context(
        source, catalogue_name(gpu), f"{one['system']}: nodes of {per_node}; network and racks not stated",
        "Megatron-Core by NeMo's container", "2024-07" if one["part"] else "2026", "NVIDIA",
        where=one["where"]), part=one["part"])
    strategy = strategy_of(point)
    precision = of_either(one, point, "precision")
    assumed = ASSUMED_FSDP if strategy["name"] == "fsdp" else ASSUMED
    model = MODELS[model_of(one, point)]
    words = (one["system"], model_of(one, point), precision.split(" ")[0], f"batch{point['global_batch_seqs']}",
             one["release"].split(" ")[0])
    step(file, pointer, "-".join(words).lower(), model, "fp8", number(point["global_batch_seqs"] / point["gpus"]),
         "megatron-lm", strategy, layout(point["gpus"], per_node), wire_precision="fp32", data="unknown",
         unit="tokens/s/GPU", tokens_per_sample=point["seq_len"], library="nccl", transport="nccl-ib",
         software=one["release"], statistic="unknown", note=f"{SCALING[precision]}; {assumed}")


def number(value):
    return int(value) if value == int(value) else value
