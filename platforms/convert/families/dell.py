"""Dell's papers on its own servers: four P100 in a C4130; the rest gives no batch or no base rate."""

from gpus import catalogue_name
from names import BCAFFE
from records import layout, step
from sink import context
from strategies import plain

P100, READY, SCALE_OUT = ("dell-p100-c4130-2016.json", "dell-ready-solutions-ai-v1-in-node.json",
                          "dell-scaleout-in-node.json")
SOURCES = (P100, READY, SCALE_OUT)
RATIO = "a ratio whose base is not stated"

# NV-Caffe trains BVLC's GoogLeNet, with its auxiliary heads; MXNet's has none, and sees images of 256 here.
SETS = {"dell-p100-nvcaffe-googlenet": (BCAFFE, "nv-caffe", None),
        "dell-p100-mxnet-googlenet": ("googlenet_256", "mxnet", "kvstore type not stated")}


def convert(source, sink):
    {P100: four_p100, READY: ready, SCALE_OUT: scale_out}[source.name](source, sink)


def four_p100(source, sink):
    block = source.document["cluster"]
    file = sink.open(source, "dell-c4130-p100", context(
        source, catalogue_name(block["gpu"]), f"{block['node']}, {block['gpus_per_node']} x {block['gpu']}; "
        f"{block['intra_node_link']}", source.document["framework"], "2016-10", "Dell EMC HPC Innovation Lab",
        path=source.document["source"]["page"]))
    for s, one in enumerate(source.document["sets"]):
        for p, point in enumerate(one["points"]):
            if one["id"] in SETS and point["gpus"] > 0:
                add_point(file, f"/sets/{s}/points/{p}/images_per_sec", one, point["gpus"])
    sink.leave_out(source, "/sets/0/points/0/*", "no GPU")
    sink.leave_out(source, "/sets/*_s", "the same run as images_per_sec, with its start")
    sink.leave_out(source, "/sets/2/*", RATIO)
    sink.leave_out(source, "/sets/3/*", "follows from two records")


def add_point(file, pointer, one, gpus):
    model, preset, caution = SETS[one["id"]]
    batch = one["batch_per_gpu"] if "global_batch" not in one else one["global_batch"] // gpus
    note = "; ".join(filter(None, ["fp32 presumed", caution]))
    step(file, pointer, one["id"], model, "fp32", batch, preset, plain("all-reduce"), layout(gpus, 4), data="real",
         origin="plot", note=note)


def ready(source, sink):
    sink.leave_out(source, "/sets/0/*", "batch not stated, and precision of two of three")
    sink.leave_out(source, "/sets/1/*", RATIO)


def scale_out(source, sink):
    sink.leave_out(source, "*", RATIO)
