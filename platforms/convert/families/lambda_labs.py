"""Lambda's tf_cnn_benchmarks tables: boxes of 1-8 GPUs, with and without NVLink."""

from gpus import catalogue_name
from names import TF_CNN
from sink import context
from records import forward_or_train, layout, step
from strategies import plain

SOURCES = ("lambda-tf-single-node.json",)
CLUSTERS = {"RTX 3080": "lambda-rtx3080", "RTX A6000": "lambda-rtxa6000",
            "RTX 2080Ti": "lambda-rtx2080ti", "RTX 2080Ti NVLink": "lambda-rtx2080ti-nvlink",
            "RTX 8000": "lambda-rtx8000", "RTX 8000 NVLink": "lambda-rtx8000-nvlink",
            "Lambda Cloud RTX A6000": "lambda-cloud-rtxa6000", "V100 32GB": "lambda-v100-32gb",
            "GTX 1080Ti": "single-gpu"}
OTHER_MACHINES = {"RTX 3080": "the 2-GPU rows are of other machines than the 1-GPU rows"}
TF32 = "fp32 on a build that may use TF32"
AMPERE = ("RTX 3080", "RTX A6000", "Lambda Cloud RTX A6000")


def convert(source, sink):
    for s, one in enumerate(source.document["series"]):
        words = one["cluster"]["gpu"]
        file = sink.open(source, CLUSTERS[words], context(
            source, catalogue_name(words), f"{words}; {source.document['cluster']['intra_node']}",
            source.document["framework"], "unknown", "Lambda", path=source.document["source"]["files"]))
        for p, point in enumerate(one["points"]):
            add_point(file, f"/series/{s}/points/{p}/images_per_sec", one, point)


def add_point(file, pointer, one, point):
    words, model = one["cluster"]["gpu"], TF_CNN[one["model"]]
    series = f"lambda-{words.lower().replace(' ', '-')}-{model}-{one['precision']}-b{one['batch_per_gpu']}"
    tf32 = TF32 if one["precision"] == "fp32" and words in AMPERE else None
    note = "; ".join(filter(None, [OTHER_MACHINES.get(words), tf32])) or None
    if CLUSTERS[words] == "single-gpu":
        forward_or_train(file, pointer, series, model, one["precision"], one["batch_per_gpu"], "tf-replicated", "train",
                         note=note)
    else:
        step(file, pointer, series, model, one["precision"], one["batch_per_gpu"], "tf-replicated", plain("all-reduce"),
             layout(point["gpus"], 8), note=note)
