"""TrioSim's sample traces: GPU time of each operator of one iteration on an H100."""

from gpus import catalogue_name
from names import TORCHVISION
from records import layer
from sink import context

SOURCES = ("triosim-h100-ops.json",)
OPERATORS = (("onv", "conv"), ("atch_norm", "norm"), ("BatchNorm", "norm"), ("elu", "activation"), ("ool", "pool"),
             ("MeanBackward", "pool"), ("linear", "linear"), ("Addmm", "linear"), ("entropy", "loss"),
             ("NllLoss", "loss"), ("Softmax", "loss"), ("ones_like", "loss"))


def convert(source, sink):
    document = source.document
    file = sink.open(source, "single-gpu", context(
        source, catalogue_name("H100"), f"{document['cluster']['gpu']}; profiler overhead not removed",
        document["framework"], "2024", "TrioSim authors", path=document["source"]["files"]))
    for s, one in enumerate(document["series"]):
        table = file.table(f"triosim-h100-{one['model']}", f"/series/{s}", TORCHVISION[one["model"]])
        for p, point in enumerate(one["points"]):
            kind = next((kind for word, kind in OPERATORS if word in point["op"]), "elementwise")
            name = point["op"].rsplit(": ", 1)[-1].removeprefix("aten::")
            precision = "tf32" if kind == "conv" else "fp32"  # the default of PyTorch 2.1, by the source
            layer(table, f"/series/{s}/points/{p}/cuda_time_us", f"{p} {name}", kind, point["stage"], "us",
                  {"gpu": "", "precision": precision, "batch": one["batch_per_gpu"]})
    sink.leave_out(source, "*cuda_time_no_overlap_us",
                   "the same operator less what overlaps others; one of the two is kept")
    sink.leave_out(source, "/series/*/sum_us_by_stage/*", "sums of the rows")
