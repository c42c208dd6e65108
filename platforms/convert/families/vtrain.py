"""vTrain's measured iterations: GPTs by Megatron-DeepSpeed on one node of eight A100, by tensor, pipeline and data groups."""

from gpus import catalogue_name
from records import layout, step
from sink import context

SOURCES = ("vtrain-a100-one-node.json",)

COLUMNS = ("gpus", "batch", "micro_batch", "hidden", "heads", "layers", "tokens", "tensor", "data", "pipeline", "ms")
VALUE = COLUMNS.index("ms")
# The smallest and the largest of eight models, in all layouts and batches; the others were asked blind, too, and are no records.
SHIPPED = ((1024, 12), (2048, 24))
NOTE = ("all layouts of two of the table's eight models; not stated by the table and assumed: fp16, everything computed again "
        "(the repository's configuration files), 1F1B without interleaving, gradients summed in fp16, the optimizer's state "
        "shared where data alone is parallel")


def convert(source, sink):
    file = sink.open(source, "vtrain-a100", context(
        source, catalogue_name("A100-SXM4-80GB"), "one node of 8 A100, NVLink 3 through NVSwitch",
        "Megatron-DeepSpeed", "2023", "VIA Research Group, KAIST"))
    rows = [(dict(zip(COLUMNS, row)), f"/rows/{r}/{VALUE}") for r, row in enumerate(source.document["rows"])]
    for row, pointer in sorted(rows, key=lambda one: order_of(one[0])):
        if (row["hidden"], row["layers"]) in SHIPPED:
            add(file, pointer, row)


def micro_batches_of(row):
    return row["batch"] // row["data"] // row["micro_batch"]


def order_of(row):
    """Rows of one strategy stand together, so that they share a line."""
    return (row["tensor"], row["pipeline"], row["data"], micro_batches_of(row), row["hidden"], row["micro_batch"])


def add(file, pointer, row):
    parallel = row["tensor"] > 1 or row["pipeline"] > 1
    strategy = {"name": "model-parallel" if parallel else "zero-1", "recompute": "full",
                "micro_batches": micro_batches_of(row)}
    for degree in ("tensor", "pipeline"):
        if row[degree] > 1:
            strategy[degree] = row[degree]
    if row["pipeline"] > 1:
        strategy["schedule"] = "1f1b"
    batch = row["batch"] / row["gpus"]
    layers = f"h{row['hidden']}-l{row['layers']}"
    step(file, pointer, f"{layers}-t{row['tensor']}-p{row['pipeline']}-d{row['data']}-b{row['batch']}-m{row['micro_batch']}",
         f"gpt_{layers.replace('-', '_')}_seq{row['tokens']}", "fp16", int(batch) if batch == int(batch) else batch,
         "megatron-deepspeed", strategy, layout(row["gpus"], 8), wire_precision="fp16", unit="ms", library="nccl",
         statistic="mean", note=NOTE)
