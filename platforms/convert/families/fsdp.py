"""PyTorch's FSDP: MosaicML's llm-foundry, MPT of 125M to 70B parameters on A100 and H100; and torchtitan's Llama 3.1 8B by FSDP2
on H100 of 96 GB, and on H200, which nothing learns from."""

from gpus import catalogue_name
from records import layout, step
from sink import context

FOUNDRY, TORCHTITAN = "llm-foundry-mpt-fsdp.json", "torchtitan-llama3.json"
SOURCES = (FOUNDRY, TORCHTITAN)


def convert(source, sink):
    {FOUNDRY: llm_foundry, TORCHTITAN: torchtitan}[source.name](source, sink)


CLUSTERS = {"a100_40gb": "mosaic-a100-40gb", "a100_80gb": "mosaic-a100-80gb", "h100_80gb": "mosaic-h100-80gb"}
GPUS = {"a100_40gb": "A100-SXM4-40GB", "a100_80gb": "A100-SXM4-80GB", "h100_80gb": "H100-SXM5-80GB"}
PRECISIONS = {"bf16": "bf16", "amp_bf16": "bf16", "amp_fp8": "fp8"}
# Composer's mixed precision (composer/trainer/mosaic_fsdp_utils.py): PURE sums gradients in what is computed with,
# DEFAULT in fp32.
WIRE = {"PURE": "bf16", "DEFAULT": "fp32"}
PER_NODE = 8
TOKENS = 2048
LENGTHS = (512, TOKENS, 8192, 32768)

LENGTH = "every length is a model of its own, and layer tables of 512, 2048, 8192 and 32768 tokens are shipped; asked blind"
OUTLIER = {("mpt-1b", "a100_40gb", 32): "far below 16 GPUs of the same series, unexplained, by the source's notes"}
MICRO = ("a micro-batch, {} of which make the table's global batch: each gathers and scatters for itself, so that its "
         "time is its part of the iteration; the update of the parameters is in it")


def llm_foundry(source, sink):
    other_lengths = []
    sets = source.document["sets"]
    crossing = {(one["gpu"], series_of(one, point["micro_batch_seqs"])) for one in sets for point in one["points"]
                if point["gpus"] > PER_NODE}
    for index, one in enumerate(sets):
        rows = [f"/sets/{index}/points/{p}/tokens_per_sec" for p in range(len(one["points"]))]
        if one["seq_len"] not in LENGTHS:
            other_lengths += rows
        else:
            add_set(source, sink, index, one, crossing)
    sink.leave_out_each(source, "rows of other lengths", LENGTH, other_lengths)
    for key in ("tokens_per_sec_per_gpu", "seqs_per_sec", "mfu_pct", "hfu_pct", "model_tflops_per_gpu"):
        sink.leave_out(source, f"/sets/*/points/*/{key}", "follows from the rate of tokens")


def file_of(source, sink, gpu, tokens):
    document = source.document
    network = document["cluster"]["network"][gpu]
    stack = document["framework"]
    software = f"{stack['stack']}; {stack['attention']} attention, {stack['optimizer']}; {stack['sweep_file']}"
    return sink.open(source, CLUSTERS[gpu], context(
        source, catalogue_name(GPUS[gpu]), f"8 GPUs a node (assumed by the source); network: {network}", software,
        "2023", "MosaicML", path=document["source"]["path"]), part=None if tokens == TOKENS else "lengths")


def series_of(one, micro_batch):
    again = "-full-recompute" if one["activation_checkpointing"] else ""
    gpu = one["gpu"].replace("_", "-")
    precision = f"{one['precision']}-{one['mp_mode'].lower()}"
    return f"{gpu}-{one['model']}-seq{one['seq_len']}-{precision}{again}-micro{micro_batch}"


def strategy_of(one):
    return {"name": "fsdp", "recompute": "full"} if one["activation_checkpointing"] else {"name": "fsdp"}


def add_set(source, sink, index, one, crossing):
    file = file_of(source, sink, one["gpu"], one["seq_len"])
    for p, point in enumerate(one["points"]):
        doubt = OUTLIER.get((one["model"], one["gpu"], point["gpus"]))
        micro_batch = point["micro_batch_seqs"]
        notes = filter(None, (MICRO.format(point["grad_accum"]) if point["grad_accum"] > 1 else None, doubt))
        series = series_of(one, micro_batch)
        step(file, f"/sets/{index}/points/{p}/tokens_per_sec", series,
             f"{one['model'].replace('-', '_')}_seq{one['seq_len']}", PRECISIONS[one["precision"]], micro_batch,
             "pytorch-fsdp", strategy_of(one), layout(point["gpus"], PER_NODE), wire_precision=WIRE[one["mp_mode"]],
             data="unknown", unit="tokens/s", tokens_per_sample=one["seq_len"], library="nccl",
             transport="nccl-ib" if (one["gpu"], series) in crossing else "unknown", statistic="unknown",
             suspect=True if doubt else None, note="; ".join(notes) or None)


# Set -> cluster, GPU, words of the source on its software, when and by whom.
TITAN = {"tt-llama3-8b-h200-32gpu": ("held-out/torchtitan-h200", "H200-SXM-141GB", "H200: ", "2025-06", "Trainy and WhiteFiber"),
         "tt-llama3-8b-fsdp-8gpu": ("torchtitan-h100", "H100-SXM5-96GB", "December 2024: ", "2024-12", "Meta")}
# Technique -> end of the series' name, note, precision, line of the log.
COMPILED = "torch.compile; "
EIGHT = "linear layers in 8 bits, one scale a tensor; parameters gathered in 8 bits, which no strategy here does; "
TECHNIQUES = {None: ("", EIGHT + COMPILED, "fp8", 100), "FSDP": ("-eager", "", "bf16", 90),
              "FSDP + torch.compile": ("-compiled", COMPILED, "bf16", 90),
              "FSDP + torch.compile + Float8": ("-compiled-float8", EIGHT + COMPILED, "fp8", 90)}

# Sets beside tensor and context groups. Everything in a block is computed again with context groups; else what torchtitan calls
# selective.
LAYOUTS = {"tt-llama3-8b-fsdp-cp-8gpu": "2024-12", "tt-llama3-8b-tp8-64gpu": "2025-06"}
MONTHS = {"2024-12": "December 2024: ", "2025-06": "June 2025: "}
GATHERED = "keys and values gathered, torchtitan's default rotation at that commit; "
SCALES = {"float8 tensorwise": "one scale a tensor", "float8 rowwise": "one scale a row"}
NOTE = ("one line of a log, the {}th iteration; not stated and assumed: gradients summed in fp32, "
        "torchtitan's default; what is computed again: its llama3_8b.toml of that commit")


def torchtitan(source, sink):
    for index, one in enumerate(source.document["sets"]):
        if one["id"] in TITAN:
            add(source, sink, index, one)
        else:
            add_layouts(source, sink, index, one)


def file_of_layouts(source, sink, one):
    date = LAYOUTS[one["id"]]
    of = source.document["cluster"]
    software = source.document["source"]["versions"].split(MONTHS[date], 1)[1].split(";", 1)[0]
    return sink.open(source, "torchtitan-h100", context(
        source, catalogue_name("H100-SXM5-96GB"), f"8 {of['gpu']} a node; network: {of['network']}", software, date, "Meta",
        where=one["source"]), part=f"layouts-{date}")


def context_row(point):
    """Strategy, batch a GPU, tokens, precision and note of a row with one sequence a context group."""
    group = point["cp"]
    beside = {"context": group, "data_parallel": "fsdp"} if group > 1 else {}
    strategy = {"name": "model-parallel" if group > 1 else "fsdp", "recompute": "full", **beside}
    return strategy, 1 / group if group > 1 else 1, point["seq_len"], "fp8", EIGHT + (GATHERED if group > 1 else "") + COMPILED


def tensor_row(one, point):
    """The same of a row of tensor groups of 8."""
    scaling, groups = point["technique"].split(", ")
    overlap = {"tensor_overlap": True} if groups == "async TP" else {}
    strategy = {"name": "model-parallel", "tensor": 8, **overlap, "recompute": "alternate-matmuls", "data_parallel": "fsdp"}
    precision = "bf16" if scaling == "bf16" else "fp8"
    words = EIGHT.replace("one scale a tensor", SCALES[scaling]) if precision == "fp8" else ""
    return strategy, one["micro_batch_seqs"] / 8, 8192, precision, words + COMPILED


def add_layouts(source, sink, index, one):
    file = file_of_layouts(source, sink, one)
    of_log = NOTE.format(90) if LAYOUTS[one["id"]] == "2024-12" else NOTE.replace("the {}th iteration", "not stated which")
    for number, point in enumerate(one["points"]):
        strategy, batch, tokens, precision, words = context_row(point) if "cp" in point else tensor_row(one, point)
        kind = f"-seq{tokens}" if "cp" in point else "-" + point["technique"].replace(", ", "-").replace(" ", "-").lower()
        step(file, f"/sets/{index}/points/{number}/tokens_per_sec_per_gpu", one["id"] + kind, f"llama_3.1_8b_seq{tokens}",
             precision, batch, "pytorch-fsdp2", strategy, layout(point["gpus"], PER_NODE), wire_precision="fp32", data="real",
             unit="tokens/s/GPU", tokens_per_sample=tokens, library="nccl",
             transport="nccl-ib" if point["gpus"] > PER_NODE else None, note=words + of_log)


def add(source, sink, index, one):
    cluster, gpu, words, date, who = TITAN[one["id"]]
    of = one.get("cluster", source.document["cluster"])
    machine = f"8 {of['gpu']} a node; network: {of['network']}"
    software = source.document["source"]["versions"].split(words, 1)[1].split(";", 1)[0]
    file = sink.open(source, cluster, context(source, catalogue_name(gpu), machine, software, date, who, where=one["source"]))
    for number, point in enumerate(one["points"]):
        kind, words, precision, iteration = TECHNIQUES[point.get("technique")]
        step(file, f"/sets/{index}/points/{number}/tokens_per_sec_per_gpu", one["id"] + kind, "llama_3.1_8b_seq8192", precision,
             one["micro_batch_seqs"], "pytorch-fsdp2", {"name": "fsdp", "recompute": "alternate-matmuls"},
             layout(point["gpus"], PER_NODE), wire_precision="fp32", data="real", unit="tokens/s/GPU",
             tokens_per_sample=one["seq_len"], library="nccl", transport="nccl-ib" if cluster.startswith("held-out/") else None,
             note=words + NOTE.format(iteration))
