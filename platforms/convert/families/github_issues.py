"""Training rates that users posted in GitHub issues: p3.16xlarge, M40 with servers, V100 over RoCE, BytePS, K80."""

from gpus import catalogue_name
from names import TF_CNN
from sink import context
from records import forward_or_train, layout, step
from strategies import NCCL_OF_2018, plain, servers, tf_distributed, tf_local

SOURCES = ("github-issue-measurements.json",)

SECOND_HAND = "second-hand: typed by the poster, read in an excerpt of the thread"
DEFAULT_BATCH = "batch not stated: the default of tf_cnn_benchmarks"
FP32 = "fp32 presumed"
RING = {"preset": "horovod", "strategy": plain("ring", NCCL_OF_2018), "algorithm": "ring", "library": "nccl"}
OVER_TCP = {**RING, "transport": "nccl-tcp"}
OVER_ROCE = {**RING, "transport": "nccl-ib"}

# Horovod 0.16.4 of July 2019 with an unnamed NCCL: rings or trees. The issue's command has --horovod_device=cpu for
# one of its runs, so what summed is not certain either.
HOROVOD_2019 = {"preset": "horovod", "strategy": plain("all-reduce"), "library": "unknown", "transport": "unknown"}
# A series has one transport, also at its points inside a node.
OVER_GRPC = {"preset": "tf-ps", "library": "grpc", "transport": "grpc"}
BYTEPS = {"preset": "byteps", "strategy": servers({"count": 2}, "dedicated", "hash"), "library": "byteps",
          "transport": "unknown"}

# Series -> cluster, and what the source leaves to the reader. ResNets of tf_cnn_benchmarks have 64 images a GPU.
P3 = {"cluster": "ec2-p3.16xlarge", "date": "2018", "per_node": 8, "precision": "fp32", "batch": 64,
      "data": "synthetic", "stack": OVER_TCP}
SETS = {
    "horovod-issue-396-resnet50": {**P3, "note": f"{DEFAULT_BATCH}; {FP32}; data presumed synthetic"},
    "horovod-issue-396-resnet101": {**P3, "note": f"a second user; tool presumed; {DEFAULT_BATCH}; {FP32}; "
                                                  "data presumed synthetic"},
    "aws-samples-issue-2-resnet50": {**P3, "precision": "fp16", "batch": 256, "data": "real", "model": "resnet50_v1.5",
                                     "note": "fp16 by the script's recipe, of fp32 weights; the script has the stride "
                                             "in the 3x3"},
    "tf-benchmarks-issue-29-m40": {"cluster": "m40-2x4-10g", "date": "2017", "per_node": 4, "precision": "fp32",
                                   "batch": 64, "data": "synthetic"},
    "horovod-issue-416-v100-roce40": {"cluster": "v100-2x8-roce40", "date": "2018", "per_node": 8, "precision": "fp32",
                                      "batch": 64, "data": "synthetic", "stack": OVER_ROCE,
                                      "note": "data presumed synthetic; tool presumed tf_cnn_benchmarks"},
    "tf-benchmarks-issue-211-p2.8xlarge": {"cluster": "ec2-p2.8xlarge", "date": "2018", "per_node": 8,
                                           "precision": "fp32", "batch": 64, "data": "real"},
    "byteps-issue-29-2x1-v100": {"cluster": "v100-2x1-vm25", "date": "2019-07", "per_node": 1, "precision": "fp32",
                                 "batch": 32, "data": "synthetic", "note": "rate of both GPUs together, as it reads"},
}
UNKNOWN_COUNT = {"unknown": True}
M40_NOTES = {1: "variables on the GPU: the script's default", 2: "server count not stated"}
WAITS = "the poster traced the fall at 8 GPUs to the processors that prepare images"

LEFT_OUT = {
    "tf-issue-5683-*": "batch not stated, and no tool whose default is known: the poster's own script",
    "horovod-issue-779-*": "batch and precision not stated; 872 images/s a GPU is far from what the default batch gives "
                           "in fp32, and which batch in fp16 nobody says",
    "horovod-issue-288-*": "model, precision and batch of these figures are not in the excerpt",
    "mxnet-issue-4968-*": "GPU and depth of the network not stated",
    "tf-issue-10723-*": "GPU, model and batch are not in the excerpt",
    "byteps-issue-188-*": "batch not stated, and no tool whose default is known",
    "byteps-issue-237-*": "a rate in MB/s whose rule is not stated, of which its maintainers say that it holds the set-up "
                          "of tensors",
}


def convert(source, sink):
    for s, one in enumerate(source.document["sets"]):
        if one["id"] in SETS:
            add_set(source, sink, s, one)
        elif one["id"].startswith("tf-benchmarks-issue-212"):
            add_alone(source, sink, s, one)
        else:
            sink.leave_out(source, f"/sets/{s}/*", reason(one["id"]))


def reason(name):
    return next(why for pattern, why in LEFT_OUT.items() if name.startswith(pattern.removesuffix("*")))


def open_file(source, sink, one, cluster, date):
    block = one["cluster"]
    machine = "; ".join(str(block[key]) for key in ("gpu", "nodes", "intra_node_link", "network") if block.get(key))
    issue = one["source"]["url"].removeprefix("https://github.com/")
    repository, number = issue.split("/issues/")
    return sink.open(source, cluster, context(
        source, catalogue_name(block["gpu"]), machine, one["framework"], date, "GitHub users",
        {"title": f"{repository} issue {number}", "repo": repository, "path": one["source"]["url"]}), one["id"])


def add_set(source, sink, index, one):
    told = SETS[one["id"]]
    file = open_file(source, sink, one, told["cluster"], told["date"])
    for p, point in enumerate(one["points"]):
        where = layout(point["gpus"], told["per_node"])
        suspect, caution = doubts(one["id"], point)
        notes = [told.get("note"), caution, SECOND_HAND]
        step(file, f"/sets/{index}/points/{p}/images_per_sec", series_of(one, point),
             told.get("model") or TF_CNN[one["model"]], told["precision"], told["batch"], where=where,
             data=told["data"], origin=point["from"], suspect=suspect or None, note="; ".join(filter(None, notes)),
             **(told.get("stack") or stack_of(one, point, where["nodes"])))


def series_of(one, point):
    return f"{one['id']}-{point['system'].lower()}" if "system" in point else one["id"]


def stack_of(one, point, nodes):
    """Preset, strategy and what carried the bytes, where they change inside a set."""
    if "system" in point:
        return BYTEPS if point["system"] == "BytePS" else HOROVOD_2019
    if nodes > 1:
        return {**OVER_GRPC, "strategy": tf_distributed("distributed_replicated", UNKNOWN_COUNT)}
    device = "cpu" if "/cpu" in one["strategy_detail"] else "gpu"
    of_servers = OVER_GRPC if one["cluster"]["nodes"] != 1 else {"preset": "tf-ps", "library": "tensorflow"}
    return {**of_servers, "strategy": tf_local(device)}


def doubts(name, point):
    """Whether a point is suspect, and what to say of it alone."""
    if name == "tf-benchmarks-issue-29-m40":
        return False, M40_NOTES[point["nodes"]]
    if name == "tf-benchmarks-issue-211-p2.8xlarge" and point["gpus"] == 8:
        return True, WAITS
    if name == "horovod-issue-396-resnet50" and point["gpus"] == 4:
        return False, "a p3.8xlarge, which has 4 GPUs"
    if name == "aws-samples-issue-2-resnet50" and point["gpus"] == 64:
        return False, "approximate by the poster's words"
    return False, None


def add_alone(source, sink, index, one):
    file = open_file(source, sink, one, "single-gpu", "2018")
    for p, point in enumerate(one["points"]):
        if "images_per_sec" in point:
            forward_or_train(file, f"/sets/{index}/points/{p}/images_per_sec", f"{one['id']}-b{point['batch_per_gpu']}",
                             TF_CNN[one["model"]], one["precision"], point["batch_per_gpu"], "tf-ps", "train",
                             origin=point["from"], note=SECOND_HAND)
    sink.leave_out(source, f"/sets/{index}/*", "a ratio whose count of GPUs is not stated")
