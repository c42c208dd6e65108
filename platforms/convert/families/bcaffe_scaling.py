"""B-Caffe on K80 nodes over 10GbE, the rates behind the MG-WFBP figures: three schedules of all-reduce."""

from names import BCAFFE
from records import layout, step
from sink import context
from strategies import plain

SOURCES = ("mgwfbp-bcaffe-k80-10gbe-scaling.json",)
CLUSTER = "hkbu-bcaffe-k80"

# B-Caffe's schedules under the names that HKBU gave them later; S-SGD with one all-reduce after backward is BSP. Its
# ResNet-50 is the Caffe model of the ResNet authors: stride in the first 1x1.
PRESETS = {"wfbp": "wfbp", "mg_wfbp": "mg-wfbp", "synceasgd": "bsp"}
MODELS = {"googlenet": BCAFFE, "resnet50": "resnet50_v1"}
MPI = {"strategy": plain("all-reduce", "open-mpi"), "library": "open-mpi", "transport": "mpi-tcp"}

DIES = "the rate of a node may be of a card with two dies: the source does not say"
TWICE = "the source multiplies its GoogLeNet figures by two and does not say why"
ALONE = "the same one-node figure for all schedules"


def convert(source, sink):
    block = source.document["cluster"]
    file = sink.open(source, CLUSTER, context(
        source, "K80", f"{block['nodes']} nodes, {block['gpu']}; {block['gpus_per_node']}; {block['network']}",
        source.document["framework"], "2018", "HKBU"))
    for s, one in enumerate(source.document["sets"]):
        for p, point in enumerate(one["points"]):
            add_point(file, f"/sets/{s}/points/{p}/images_per_sec", one, point["nodes"], point["from"])


def add_point(file, pointer, one, nodes, origin):
    """The rate of one node is suspect as the rate of one GPU, the scaling from it is not."""
    notes = [ALONE if nodes == 1 else None, DIES, TWICE if one["model"] == "googlenet" else None]
    step(file, pointer, one["id"], MODELS[one["model"]], one["precision"], one["batch_per_gpu"],
         PRESETS[one["method"]], where=layout(nodes, 1), data="real", origin=origin, synchronised=nodes > 1,
         suspect=nodes == 1 or None, note="; ".join(filter(None, notes)), **MPI)
