"""B-Caffe's GoogLeNet logs: backward time of each layer and, over 10GbE, all-reduce time of each tensor."""

from names import BCAFFE
from records import collective, layer
from sink import context

SOURCES = ("bcaffe-googlenet-layer-traces.json",)
BATCH = 64  # of a worker, from the script's configuration: not in the log
FC_ELEMENTS = 1_000_000  # in this GoogLeNet the tensors of a million elements and more are the fully connected layers


def convert(source, sink):
    document = source.document
    for entry in document["files"]:
        file = sink.open(source, "hkbu-osu-10gbe", context(
            source, "K80", f"{document['cluster']['gpu']}; {document['cluster']['network']}; {entry['desc']}",
            document["framework"], entry["date"], "HKBU", path=entry["log"], table=entry["file"]),
            log_name(entry))
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
