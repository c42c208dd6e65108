"""B-Caffe of HKBU: GoogLeNet's logs, with backward time of each layer and, over 10GbE, all-reduce time of each tensor; and the
rates behind the MG-WFBP figures, of three schedules of all-reduce on K80 nodes."""

from names import BCAFFE
from records import collective, layer, layout, step
from sink import context
from strategies import plain

TRACES, SCALING = "bcaffe-googlenet-layer-traces.json", "mgwfbp-bcaffe-k80-10gbe-scaling.json"
SOURCES = (TRACES, SCALING)


def convert(source, sink):
    {TRACES: traces, SCALING: scaling}[source.name](source, sink)


BATCH = 64  # of a worker, from the script's configuration: not in the log
FC_ELEMENTS = 1_000_000  # in this GoogLeNet the tensors of a million elements and more are the fully connected layers


def traces(source, sink):
    document = source.document
    for entry in document["files"]:
        file = sink.open(source, "hkbu-osu-10gbe", context(
            source, "K80", f"{document['cluster']['gpu']}; {document['cluster']['network']}; {entry['desc']}",
            document["framework"], entry["date"], "HKBU", path=entry["log"], table=entry["file"]))
        add_trace(source, sink, file, entry)
    sink.leave_out(source, "*column=merged_comm_us", "the bytes of a merged message are not in the log")
    sink.leave_out(source, "*column=comm_us",
                   "node count not stated, or weight and bias in one message, whose bytes are not in the log")
    sink.leave_out(source, "/files/*", "sums of the rows")


def log_name(entry):
    return entry["log"].split("/")[1].removesuffix(".log")


def add_trace(source, sink, file, entry):
    series = f"bcaffe-{log_name(entry)}"
    last = str(entry["dumps"] - 1)
    single = entry["nodes"] in (2, 4) and "per tensor" in entry["desc"]
    skipped, twice = [], []
    for number, row in enumerate(source.table(entry["file"]), 1):
        backward, comm = (f"{entry['file']}#row={number}&column={column}" for column in ("backward_us", "comm_us"))
        if row["dump"] != last:
            skipped += [backward, comm]
        else:
            add_tensor(file, series, entry, row, backward, comm if single else None, twice)
    sink.leave_out_each(source, f"{entry['file']}: print-outs before the last",
                        "an earlier print-out of the same log, or the state before measurement", skipped)
    sink.leave_out_each(source, f"{entry['file']}: backward time in bias rows",
                        "the weight row of the layer has it", twice)


def add_tensor(file, series, entry, row, backward, comm, twice):
    elements = int(row["size_elements"])
    if int(row["param_id"]) % 2 == 0:
        table = file.table(f"{series}-layers", f"{entry['file']}#column=backward_us", BCAFFE,
                           note="batch from the script, not in the log")
        layer(table, backward, f"parameter {row['param_id']}", "linear" if elements >= FC_ELEMENTS else "conv", "backward",
              "us", {"gpu": "", "precision": "fp32", "batch": BATCH}, size_bytes=4 * elements)
    else:
        twice.append(backward)
    if comm:
        collective(file, comm, f"{series}-allreduce", entry["nodes"], entry["nodes"], 4 * elements, "us",
                   library="open-mpi", transport="mpi-tcp")


CLUSTER = "hkbu-bcaffe-k80"

# B-Caffe's schedules under the names that HKBU gave them later; S-SGD with one all-reduce after backward is BSP. Its
# ResNet-50 is the Caffe model of the ResNet authors: stride in the first 1x1.
PRESETS = {"wfbp": "wfbp", "mg_wfbp": "mg-wfbp", "synceasgd": "bsp"}
MODELS = {"googlenet": BCAFFE, "resnet50": "resnet50_v1"}
MPI = {"strategy": plain("all-reduce", "open-mpi"), "library": "open-mpi", "transport": "mpi-tcp"}

DIES = "the rate of a node may be of a card with two dies: the source does not say"
TWICE = "the source multiplies its GoogLeNet figures by two and does not say why"
ALONE = "the same one-node figure for all schedules"


def scaling(source, sink):
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
