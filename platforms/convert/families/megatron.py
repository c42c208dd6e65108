"""NVIDIA's Megatron-LM: GPTs of 1.7 to 177 billion parameters by tensor, pipeline and data parallelism on H100; and its NeMo with
Megatron-Core: Llama 2 and 3 in 8 bits, sharded and in pipelines, on H100, B200, GB200 and GB300."""

from gpus import catalogue_name
from records import layout, step
from sink import context

MEGATRON_LM, NEMO = "megatron-lm-scaling.json", "megatron-bridge-nemo-tables.json"
SOURCES = (MEGATRON_LM, NEMO)


def convert(source, sink):
    {MEGATRON_LM: megatron_lm, NEMO: nemo}[source.name](source, sink)


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

CLUSTER_2021, TOKENS_2021 = "megatron-a100", 2048
ASSUMED_2021 = ("micro-batches are not stated and left open: the fastest are taken; the product of tensor and pipeline is stated, "
                "and assumed: tensor groups up to a node, then stages by 1F1B without interleaving; not stated and assumed: "
                "everything computed again, which the rate counts; gradients summed in fp32; heads")
FOLLOWS = "follows from the rate a GPU"
NO_SCALE = "no GPUs and no batch are stated"


def megatron_lm(source, sink):
    file = sink.open(source, CLUSTER, context(
        source, catalogue_name("H100-SXM5-80GB"), "nodes of 8 H100; network not stated",
        "Megatron-Core r0.8.0; data loading and logging included", "2024-07", "NVIDIA"))
    add_weak(source, file)
    add_strong(source, file)
    for key in ("mfu_pct", "aggregate_pflops"):
        sink.leave_out(source, f"/sets/{WEAK}/points/*/{key}", FOLLOWS)
    sink.leave_out(source, f"/sets/{STRONG}/points/*/aggregate_pflops", FOLLOWS)
    add_2021(source, sink)
    for key in ("pct_of_peak", "aggregate_pflops"):
        sink.leave_out(source, f"/sets/{OF_2021}/points/*/{key}", FOLLOWS)
    for key in ("mfu_pct", "hfu_pct"):
        sink.leave_out(source, f"/sets/{OF_2022}/points/*/{key}", NO_SCALE)


def flop_per_sample(layers, hidden, words):
    """Of both passes, as num_floating_point_operations() in megatron/training/training.py counts them."""
    return flop_per_sample_of(TOKENS, layers, hidden, words)


def flop_per_sample_of(tokens, layers, hidden, words):
    return 72 * tokens * layers * hidden ** 2 + 12 * tokens ** 2 * layers * hidden + 6 * tokens * hidden * words


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


def flop_with_recomputation(layers, hidden, words):
    """Of two forward passes and a backward pass, as Narayanan et al. (arXiv 2104.04473), equation 3, count them."""
    return 4 * flop_per_sample_of(TOKENS_2021, layers, hidden, words) // 3 - 2 * TOKENS_2021 * hidden * words


def add_2021(source, sink):
    of_all = source.document["sets"][OF_2021]
    file = sink.open(source, CLUSTER_2021, context(
        source, catalogue_name("A100-SXM4-80GB"), "Selene: nodes of 8 A100", "Megatron-LM of April 2021", "2021-04", "NVIDIA"))
    for p, point in enumerate(of_all["points"]):
        tensor = min(point["model_parallel"], PER_NODE)
        stages = point["model_parallel"] // tensor
        degrees = {"tensor": tensor} if tensor > 1 else {}
        pipeline = {"pipeline": stages, "schedule": "1f1b"} if stages > 1 else {}
        replicas = {} if degrees else {"data_parallel": "zero-1"}  # nothing else is model parallelism without degrees
        strategy = {"name": "model-parallel", "recompute": "full", **degrees, **pipeline, "micro_batches": "best", **replicas}
        step(file, f"/sets/{OF_2021}/points/{p}/tflops_per_gpu", f"a100-weak-{point['model'].lower()}",
             f"megatron_gpt_{point['model'].lower()}_seq{TOKENS_2021}", "fp16",
             number(point["global_batch_seqs"] / point["gpus"]), "megatron-lm", strategy, layout(point["gpus"], PER_NODE),
             wire_precision="fp32", data="real", unit="TFLOP/s", library="nccl", transport="nccl-ib", note=ASSUMED_2021,
             flop_per_sample=flop_with_recomputation(point["layers"], point["hidden"], of_all["vocab"]))


# System -> cluster, GPU, GPUs a node.
SYSTEMS = {"DGX-H100": ("megatron-h100", "H100-SXM5-80GB", 8), "DGX-B200": ("megatron-b200", "B200-SXM-180GB", 8),
           "DGX-B300": ("megatron-b300", "B300-SXM-288GB", 8), "DGX-GB200": ("megatron-gb200", "GB200-186GB", 4), "DGX-GB300": ("megatron-gb300", "GB300-279GB", 4)}
# Rows with context parallelism were asked about before they were records, and stay what nothing learns from.
HELD_OUT = {"megatron-h100": "held-out/megatron-h100-context"}
# Models with a layer table; each has its length.
MODELS = {"LLAMA2-7B": "llama_2_7b_seq4096", "LLAMA2-13B": "llama_2_13b_seq4096", "LLAMA2-70B": "llama_2_70b_seq4096",
          "LLAMA3-8B": "llama_3.1_8b_seq8192", "LLAMA3-70B": "llama_3_70b_seq8192", "GPT3-5B": "nemo_gpt3_5b_seq2048",
          "GPT3-20B": "nemo_gpt3_20b_seq2048", "Nemotron-8B": "nemotron_3_8b_seq4096",
          "Nemotron-22B": "nemotron_3_22b_seq4096"}
# Mixtures of experts; the length of a sequence completes the name.
MIXTURES = {"GPT OSS 120B": "gpt_oss_120b", "Qwen3-30B-a3B": "qwen3_30b_a3b", "Qwen3-235B-a22B": "qwen3_235b_a22b",
            "Nemotron-3-Nano": "nemotron_3_nano", "Nemotron-3-Super": "nemotron_3_super",
            "Nemotron-3-5-Lightning": "nemotron_3.5_lightning"}
SCALING = {"fp8": "one scale a tensor", "FP8": "one scale a tensor", "FP8-CS": "one scale a tensor",
           "FP8-CS (FP8-MX)": "one scale a tensor", "MXFP8": "one scale for 32 numbers (MXFP8)",
           "FP8-MX": "one scale for 32 numbers (MXFP8)", "NVFP4": "linear layers in 4 bits", "BF16": "16 bits"}
# Of the first rows MXFP8 became fp8, before there was a precision of that name.
PRECISIONS = {"MXFP8": "mxfp8", "FP8-MX": "mxfp8", "NVFP4": "nvfp4", "BF16": "bf16"}
# Recipes whose exchange of tokens runs beside compute: model, precision, systems, releases (scripts/performance/configs at tags v0.2.0
# to v0.5.0, perf_recipes at v0.6.0).
BESIDE_COMPUTE = (
    ("Qwen3-30B-a3B", "MXFP8", ("DGX-GB300", "DGX-GB200", "DGX-B300"), ("26.06", "26.06.01", "26.08")),
    ("Qwen3-30B-a3B", "FP8", ("DGX-H100",), ("26.02", "26.02.01")),
    ("Qwen3-30B-a3B", "FP8-CS", ("DGX-H100",), ("25.11",)),
    ("GPT OSS 120B", "MXFP8", ("DGX-GB300", "DGX-GB200"), ("26.06", "26.06.01", "26.08")),
    ("GPT OSS 120B", "BF16", ("DGX-GB200",), ("26.04", "26.04.01")))
ASSUMED_MIXTURE = ("routing forced balanced, no token dropped; from the recipes of the source's repository: gradients summed in bf16, "
                   "tokens sent once a GPU (HybridEP, DeepEP), experts whole on a GPU; not stated and assumed: nothing computed "
                   "again, the optimizer sharded over data parallel ranks")

ASSUMED_NEMO = ("not stated and assumed: gradients summed in fp32; nothing computed again; the optimizer sharded over data "
           "parallel ranks, which is Megatron-Core's distributed optimizer; tensor groups overlapped, as in NeMo's recipes")
ASSUMED_FSDP = "not stated and assumed: gradients summed in fp32; nothing computed again; gathered ahead as PyTorch does"

# Layouts that do not fit into memory as they are printed: no pipeline where the releases before and after have four stages,
# and micro-batches of four sequences where later releases have one.
SUSPECT = ("dgx-gb300-llama3-70b-nvfp4-batch256-26.02.01", "dgx-h100-gpt-oss-120b-bf16-batch512-25.11")

FINE_TUNING = "fine-tuning: adapters, or samples packed together"
NO_PRECISION = "precision not stated in the table"
NO_TABLE = "no layer table of the model is shipped"


def nemo(source, sink):
    left = {}
    for pointer, one, point in rows(source):
        why = reason_against(one, point)
        if why:
            left.setdefault(why, []).append(pointer)
        else:
            add_nemo(source, sink, pointer, one, point)
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
    if of_either(one, point, "precision") not in SCALING:
        return NO_PRECISION
    if model_of(one, point) not in (*MODELS, *MIXTURES):
        return NO_TABLE
    return None


def is_beside_compute(one, point):
    words = (model_of(one, point), of_either(one, point, "precision"), one["system"], one["release"].split(" ")[0])
    return any(words[0] == model and words[1] == precision and words[2] in systems and words[3] in releases
               for model, precision, systems, releases in BESIDE_COMPUTE)


def experts_of(one, point):
    """Where experts are and how tokens reach them."""
    whole = {"expert_tensor": 1} if point["tp"] > 1 else {}
    exchange = {} if model_of(one, point) == "Qwen3-235B-a22B" else {"expert_exchange": "deepep"}
    beside = {"expert_overlap": True} if is_beside_compute(one, point) else {}
    return {"expert": point["ep"], "expert_imbalance": 1, **whole, **exchange, **beside}


def strategy_of(one, point):
    replicas = point["gpus"] // (point["tp"] * point["pp"] * point["cp"])
    micro_batches = {"micro_batches": point["global_batch_seqs"] // (replicas * point["micro_batch_seqs"])}
    if point.get("fsdp"):
        return {"name": "fsdp", **micro_batches}
    mixes = model_of(one, point) in MIXTURES
    if point["tp"] == point["pp"] == point["cp"] == 1 and not mixes:
        return {"name": "zero-1", **micro_batches}
    experts = experts_of(one, point) if mixes else {}
    tensor = {"tensor": point["tp"], "tensor_overlap": True} if point["tp"] > 1 else {}
    pipeline = {"pipeline": point["pp"], "schedule": "1f1b"} if point["pp"] > 1 else {}
    if (point["vp"] or 1) > 1:
        pipeline |= {"schedule": "interleaved", "virtual_stages": point["vp"]}
    context = {"context": point["cp"]} if point["cp"] > 1 else {}
    return {"name": "model-parallel", **tensor, **context, **experts, **pipeline, **micro_batches, "data_parallel": "zero-1"}


def part_of(one, point, cluster):
    """The file of the cluster: rows that were asked about later have files of their own."""
    if model_of(one, point) in MIXTURES:
        return "mixtures"
    if model_of(one, point).startswith("Nemotron"):
        return "nemotron"
    if of_either(one, point, "precision") == "NVFP4":
        return "nvfp4"
    return one["part"] if cluster.startswith("held-out/") else None


def add_nemo(source, sink, pointer, one, point):
    cluster, gpu, per_node = SYSTEMS[one["system"]]
    cluster = HELD_OUT.get(cluster, cluster) if point["cp"] > 1 else cluster
    file = sink.open(source, cluster, context(
        source, catalogue_name(gpu), f"{one['system']}: nodes of {per_node}; network and racks not stated",
        "Megatron-Core by NeMo's container", "2024-07" if one["part"] else "2026", "NVIDIA",
        where=one["where"]), part=part_of(one, point, cluster))
    strategy = strategy_of(one, point)
    precision = of_either(one, point, "precision")
    mixes = model_of(one, point) in MIXTURES
    assumed = ASSUMED_MIXTURE if mixes else ASSUMED_FSDP if strategy["name"] == "fsdp" else ASSUMED_NEMO
    model = f"{MIXTURES[model_of(one, point)]}_seq{point['seq_len']}" if mixes else MODELS[model_of(one, point)]
    name = PRECISIONS.get(precision, "fp8") if mixes or precision == "NVFP4" else "fp8"
    words = (one["system"], model_of(one, point), precision.split(" ")[0], f"batch{point['global_batch_seqs']}",
             one["release"].split(" ")[0])
    series = "-".join(words).lower().replace(" ", "-")
    suspect = {"suspect": True} if series in SUSPECT else {}
    step(file, pointer, series, model, name,
         number(point["global_batch_seqs"] / point["gpus"]), "megatron-lm", strategy, layout(point["gpus"], per_node),
         wire_precision="bf16" if mixes else "fp32", data="unknown",
         unit="tokens/s/GPU", tokens_per_sample=point["seq_len"], library="nccl", transport="nccl-ib",
         software=one["release"], statistic="unknown", note=f"{SCALING[precision]}; {assumed}", **suspect)
