"""torchtitan's Llama 3.1 8B by PyTorch's FSDP2: the run on H200, whose peak is known. Nothing learns from it."""

from gpus import catalogue_name
from records import layout, step
from sink import context

SOURCES = ("torchtitan-llama3.json",)

HELD = "held-out/torchtitan-h200"
SET = "tt-llama3-8b-h200-32gpu"
PER_NODE = 8

NO_PEAK = ("the GPU is an H100 of 96 GB with HBM2e and 500 W, whose peak nobody states: between those of the SXM and "
           "the NVL card, by the page")
NOTE = ("linear layers in 8 bits, one scale a tensor; parameters gathered in 8 bits, which no strategy here does; "
        "torch.compile; one line of a log, the 100th iteration; not stated and assumed: gradients summed in fp32, "
        "torchtitan's default; what is computed again: its llama3_8b.toml of that commit")


def convert(source, sink):
    for index, one in enumerate(source.document["sets"]):
        rows = [f"/sets/{index}/points/{p}/tokens_per_sec_per_gpu" for p in range(len(one["points"]))]
        if one["id"] == SET:
            add(source, sink, index, one)
        else:
            sink.leave_out_each(source, f"rows of {one['id']}", NO_PEAK, rows)


def add(source, sink, index, one):
    machine = f"8 {one['cluster']['gpu']} a node; network: {one['cluster']['network']}"
    software = source.document["source"]["versions"].rsplit("H200: ", 1)[1]
    file = sink.open(source, HELD, context(source, catalogue_name("H200-SXM-141GB"), machine, software, "2025-06",
                                           "Trainy and WhiteFiber", where=one["source"]))
    for number, point in enumerate(one["points"]):
        step(file, f"/sets/{index}/points/{number}/tokens_per_sec_per_gpu", one["id"], "llama_3.1_8b_seq8192", "fp8",
             one["micro_batch_seqs"], "pytorch-fsdp2", {"name": "fsdp", "recompute": "alternate-matmuls"},
             layout(point["gpus"], PER_NODE), wire_precision="fp32", data="real", unit="tokens/s/GPU",
             tokens_per_sample=one["seq_len"], library="nccl", transport="nccl-ib", note=NOTE)
