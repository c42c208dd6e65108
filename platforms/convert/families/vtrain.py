"""vTrain's measured iterations: GPTs by Megatron-DeepSpeed on one node of eight A100, by tensor, pipeline and data groups."""

from gpus import catalogue_name
from records import layout, step
from sink import context

SOURCES = ("vtrain-a100-one-node.json",)

COLUMNS = ("gpus", "batch", "micro_batch", "hidden", "heads", "layers", "tokens", "tensor", "data", "pipeline", "ms")
VALUE = COLUMNS.index("ms")
NOTE = ("not stated by the table and assumed: fp16, everything computed again (the repository's configuration files), "
        "1F1B without interleaving, gradients summed in fp16, the optimizer's state shared where data alone is parallel")


def convert(source, sink):
    file = sink.open(source, "vtrain-a100", context(
        source, catalogue_name("A100-SXM4-80GB"), "one node of 8 A100, NVLink 3 through NVSwitch",
        "Megatron-DeepSpeed", "2023", "VIA Research Group, KAIST"))
    for r, row in enumerate(source.document["rows"]):
        add(file, f"/rows/{r}/{VALUE}", dict(zip(COLUMNS, row)))


def add(file, pointer, row):
    parallel = row["tensor"] > 1 or row["pipeline"] > 1
    strategy = {"name": "model-parallel" if parallel else "zero-1", "recompute": "full",
                "micro_batches": row["batch"] // row["data"] // row["micro_batch"]}
    for degree in ("tensor", "pipeline"):
        if row[degree] > 1:
            strategy[degree] = row[degree]
    if row["pipeline"] > 1:
        strategy["schedule"] = "1f1b"
    batch = row["batch"] / row["gpus"]
    series = f"gpt-h{row['hidden']}-l{row['layers']}-t{row['tensor']}-p{row['pipeline']}-d{row['data']}"
    step(file, pointer, f"{series}-b{row['batch']}-m{row['micro_batch']}",
         f"gpt_h{row['hidden']}_l{row['layers']}_seq{row['tokens']}", "fp16", int(batch) if batch == int(batch) else batch,
         "megatron-lm", strategy, layout(row["gpus"], 8), wire_precision="fp16", unit="ms", library="nccl",
         statistic="mean", note=NOTE)
