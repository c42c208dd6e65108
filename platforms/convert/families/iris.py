"""ULHPC tutorials: Horovod on one and two V100 of Iris; link tests of its processor nodes are left out."""

from gpus import catalogue_name
from records import layout, step
from sink import context
from strategies import plain

SOURCES = ("iris-ulhpc-tutorials.json",)

# keras.applications has the stride in the first 1x1, torchvision in the 3x3; both end in ten classes here.
MODELS = {"iris-tf2-keras-resnet50-cifar224": "resnet50_v1_10classes",
          "iris-pytorch-resnet50-cifar224": "resnet50_v1.5_10classes"}
GLOBAL_BATCH = 256
HOROVOD = {"preset": "horovod", "strategy": plain("all-reduce"), "library": "nccl"}
KERAS = "batch by the log's 195 steps an epoch; the stored script says 128; resizing of images is in the step"
PYTORCH = "50,000 images over the time of the last epoch; images come from one loader process a GPU"


def convert(source, sink):
    block = source.document["cluster"]
    file = sink.open(source, "iris", context(
        source, catalogue_name("Tesla V100"), f"{block['gpu']}; {block['intra_node_link']}; {block['network']}",
        source.document["framework"], "2023", "ULHPC, University of Luxembourg"))
    keras, pytorch = source.document["sets"][:2]
    for p, point in enumerate(keras["points"]):
        if point.get("rank") != "second":
            add(file, f"/sets/0/points/{p}/iter_ms", keras, point["gpus"], "ms", KERAS)
    for gpus in ("1", "2"):
        add(file, f"/sets/1/images_per_sec_derived/{gpus}", pytorch, int(gpus), "samples/s", PYTORCH)
    leave_out(source, sink)


def add(file, pointer, one, gpus, unit, note):
    step(file, pointer, one["id"], MODELS[one["id"]], "fp32", GLOBAL_BATCH // gpus, where=layout(gpus, 4), data="real",
         origin="text", unit=unit, suspect=True, note=f"waits for its input to an unknown degree; {note}", **HOROVOD)


def leave_out(source, sink):
    sink.leave_out(source, "/sets/0/points/2/iter_ms", "the second rank's line of the same run")
    sink.leave_out(source, "/sets/*/epoch_s", "the same run as the record beside it")
    sink.leave_out(source, "/sets/1/points/2/*", "follows from two records")
    sink.leave_out(source, "/sets/2/*", "a one-sided get between nodes without GPUs asks and answers, and many are in "
                   "flight: no record holds it")
    sink.leave_out(source, "/sets/3/*", "the cluster is not stated, and MPI did not use its fabric")
    sink.leave_out(source, "/sets/4/*", "no GPU")
