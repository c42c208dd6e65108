"""NVIDIA DeepLearningExamples 2018-2024: training tables of model READMEs on DGX-1, DGX-2 and DGX A100."""

import re

from gpus import catalogue_name
from names import NVIDIA_EXAMPLES, NVIDIA_EXAMPLES_OF
from sink import context
from records import layout, speed_up, step

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
# batch_size of PyTorch/Classification/ConvNets/configs.yml at 097c7ff, by platform and precision.
CONFIGS = {
    "Classification/ConvNets/resnet50v1.5": {("DGX1V", "amp"): 256, ("DGX1V", "fp32"): 112, ("DGXA100", "amp"): 256,
                                             ("DGXA100", "tf32"): 256},
    "Classification/ConvNets/resnext101-32x4d": {("DGX1V", "amp"): 128, ("DGX1V", "fp32"): 64, ("DGXA100", "amp"): 128,
                                                 ("DGXA100", "tf32"): 128},
    "Classification/ConvNets/se-resnext101-32x4d": {("DGX1V", "amp"): 112, ("DGX1V", "fp32"): 64,
                                                    ("DGXA100", "amp"): 128, ("DGXA100", "tf32"): 128}}
DEFAULT_BATCH = ("not in the table; assumed by this project's converter: batch_size of configs.yml beside the README, at "
                 "097c7ff of the repository, which may be another than the table's")
TOKENS = "rates in tokens or of no stated unit: no time of an iteration follows"


def convert(source, sink):
    files, ratios, seen, reasons = {}, {}, {}, {}
    for s, one in enumerate(source.document["series"]):
        why = reason_to_leave(one) or twin(one, seen)
        if why == NO_BATCH and default_batch(one) and not twin(one, seen):
            add_speed_ups(file_of(ratios, source, sink, one, "ratios"), s, one)
        elif why:
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


def default_batch(one):
    """What configs.yml has for the table's machine and precision, of the networks whose variant the folder names."""
    batches = CONFIGS.get(one["model"]) if one["framework"] == "PyTorch" and "hardware" in one else None
    if batches is None or not {1} < {point["gpus"] for point in one["points"]}:
        return None
    platform = next((name for words, name in (("DGX.?1", "DGX1V"), ("A100", "DGXA100"))
                     if re.search(words, one["hardware"])), None)
    return batches.get((platform, "amp" if "mixed" in one["precision"] else one["precision"].split()[0]))


def file_of(files, source, sink, one, folder="measurements"):
    cluster, gpu = machine_of(one)[1:3]
    if cluster not in files:
        main = next(machine[2] for machine in MACHINES[::-1 if cluster != "dgx-a100" else 1] if machine[1] == cluster)
        files[cluster] = sink.open(source, cluster, context(
            source, main, MACHINE[cluster], "versions stand in the README of each commit", "unknown",
            "NVIDIA", path="README.md of each model; commit, file and line in each record's note"), folder=folder)
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


def add_speed_ups(file, index, one):
    """The rates of one table over that of one GPU: of a batch that the table does not state."""
    _, _, gpu, per_node = machine_of(one)
    precision = "amp" if "mixed" in one["precision"] else one["precision"].split()[0]
    model, batch = model_of(one), default_batch(one)
    box = gpu.lower().replace("-sxm2", "").replace("-sxm4", "")
    base = next(p for p, point in enumerate(one["points"]) if point["gpus"] == 1)
    for pointer, point in zip(pointers(index, one), one["points"]):
        if point["gpus"] > 1:
            speed_up(file, pointer, f"dle-{model}-{precision}-{box}-{one['date']}-line{one['line']}", model, precision,
                     batch, "apex", {"name": "all-reduce"}, layout(point["gpus"], per_node), 1, "B",
                     gpu=catalogue_name(gpu), library="nccl", base_from=pointers(index, one)[base],
                     note=f"{one['framework']}, {one['file']}:{one['line']} at {one['commit']}",
                     assumed={"batch_per_gpu": DEFAULT_BATCH})
