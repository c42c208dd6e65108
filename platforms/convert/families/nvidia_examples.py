"""NVIDIA DeepLearningExamples 2018-2024: training tables of model READMEs on DGX-1, DGX-2 and DGX A100."""

import re

from gpus import catalogue_name
from names import NVIDIA_EXAMPLES, NVIDIA_EXAMPLES_OF
from sink import context
from records import layout, step

SOURCES = ("nvidia-dle.json",)

# (words in the table's hardware, cluster, GPU of that box, GPUs a node), the first that fits.
MACHINES = ((r"DGX.?2V? |16x V100 32", "dgx2-v100", "V100-SXM3-32GB", 16),
            (r"DGX.?1.*32G", "dgx1-v100", "V100-SXM2-32GB", 8), (r"DGX.?1", "dgx1-v100", "V100-SXM2-16GB", 8),
            (r"A100.*40GB", "dgx-a100", "A100-SXM4-40GB", 8), (r"A100.*80GB", "dgx-a100", "A100-SXM4-80GB", 8))
PRESETS = {"PyTorch": "apex", "TensorFlow": "horovod", "TensorFlow2": "horovod", "MxNet": "horovod",
           "PaddlePaddle": "paddle"}
MACHINE = {"dgx1-v100": "NVIDIA DGX-1, 8 x V100 16 GB or 32 GB", "dgx2-v100": "NVIDIA DGX-2, 16 x V100 32 GB",
           "dgx-a100": "NVIDIA DGX A100, 8 x A100 40 GB or 80 GB"}

LARGE = "size of BERT not in the table: large, by its rate and the repository's default"
NO_BATCH = ("no single batch a GPU in the table (none at all, two phases, or a global batch in accumulated parts): "
            "no time of an iteration follows")
TOKENS = "rates in tokens or of no stated unit: no time of an iteration follows"


def convert(source, sink):
    files, seen, reasons = {}, {}, {}
    for s, one in enumerate(source.document["series"]):
        why = reason_to_leave(one) or twin(one, seen)
        if why:
            reasons.setdefault((one["model"], why), []).extend(pointers(s, one))
        else:
            add_series(file_of(files, source, sink, one), s, one)
    for (model, why), found in sorted(reasons.items()):
        sink.leave_out_each(source, f"series of {model}", why, found)


def pointers(index, one):
    return [f"/series/{index}/points/{p}/images_per_sec" for p in range(len(one["points"]))]


def reason_to_leave(one):
    if any(word in one["model"] for word in ("Translation/", "Transformer-XL", "NCF", "Tacotron2")):
        return TOKENS
    if batch_of(one) is None:
        return NO_BATCH
    if "hardware" not in one:
        return "the table's heading names no machine"
    if model_of(one) is None:
        return "no variant: several networks under one name, or BERT with no sequence length"
    return None


def twin(one, seen):
    """A README keeps old tables: the same rates of the same set-up are kept once, from the first version."""
    key = (one["model"], one["framework"], one["precision"], batch_of(one), machine_of(one)[2],
           tuple((point["gpus"], point["images_per_sec"]) for point in one["points"]))
    return "the same rates as an earlier version of the table" if seen.setdefault(key, one) is not one else None


def batch_of(one):
    words = one.get("batch_per_gpu") or ""
    if words.isdigit():
        return int(words)
    two = re.fullmatch(r"(\d+) \((?:FP32|TF)\) / (\d+) \(AMP\)", words)
    return int(two.group(2 if "mixed" in one["precision"] else 1)) if two else None


def model_of(one):
    if one["model"] == "LanguageModeling/BERT" and "Pre-training" in one["heading"] and "seq_len" in one:
        return f"bert_large_seq{one['seq_len']}"
    return NVIDIA_EXAMPLES_OF.get((one["framework"], one["model"]), NVIDIA_EXAMPLES.get(one["model"]))


def machine_of(one):
    return next(machine for machine in MACHINES if re.search(machine[0], one["hardware"]))


def file_of(files, source, sink, one):
    cluster, gpu = machine_of(one)[1:3]
    if cluster not in files:
        main = next(machine[2] for machine in MACHINES[::-1 if cluster != "dgx-a100" else 1] if machine[1] == cluster)
        files[cluster] = sink.open(source, cluster, context(
            source, main, MACHINE[cluster], "versions stand in the README of each commit", "unknown",
            "NVIDIA", path="README.md of each model; commit, file and line in each record's note"))
    return files[cluster]


def add_series(file, index, one):
    _, cluster, gpu, per_node = machine_of(one)
    model, batch = model_of(one), batch_of(one)
    precision = "amp" if "mixed" in one["precision"] else one["precision"].split()[0]
    box = gpu.lower().replace("-sxm2", "").replace("-sxm3", "").replace("-sxm4", "")
    xla = "-xla" if "XLA" in one["precision"] else ""
    series = f"dle-{one['framework'].lower()}-{model}-{precision}{xla}-b{batch}-{box}-{one['date']}-line{one['line']}"
    notes = [f"{one['framework']}, {one['file']}:{one['line']} at {one['commit']}", "XLA" if xla else None,
             LARGE if model.startswith("bert") else None]
    for pointer, point in zip(pointers(index, one), one["points"]):
        step(file, pointer, series, model, precision, batch, PRESETS[one["framework"]], {"name": "all-reduce"},
             layout(point["gpus"], per_node), gpu=catalogue_name(gpu), data="real", library="nccl",
             note="; ".join(filter(None, notes)))
