"""Azure: Batch AI with Horovod on 8 x 4 K80, P40, P100, V100, Intel MPI over InfiniBand against NCCL over Ethernet; and the rate
at which a VM of the ND sizes reads its own NVMe disks."""

from gpus import catalogue_name
from names import TF_CNN
from records import layout, step
from sink import context
from strategies import NCCL_OF_2018, plain

CLUSTERS = {"azure-batchai-horovod-k80.json": "azure-nc24r-k80",
            "azure-batchai-horovod-p40.json": "azure-nd24rs-p40",
            "azure-batchai-horovod-p100.json": "azure-nc24rs-v2-p100",
            "azure-batchai-horovod-v100.json": "azure-nc24rs-v3-v100"}
SOURCES = (*CLUSTERS, "azure-nd-microbenchmarks.json")


def convert(source, sink):
    (batch_ai if source.name in CLUSTERS else disks)(source, sink)


# NCCL before 2.4 (January 2019) has rings only; these images are of mid-2018.
STACKS = {"mpi": {"strategy": {"name": "all-reduce"}, "algorithm": "unknown", "library": "intel-mpi",
                  "transport": "mpi-ib"},
          "nccl": {"strategy": plain("ring", NCCL_OF_2018), "algorithm": "ring", "library": "nccl",
                   "transport": "nccl-tcp"}}

ANOMALY = ("far below 8 and 32 GPUs, by 370 ms on P40 and P100 and 364 ms on V100 alike: reproducible, unexplained, perhaps a "
           "switch of algorithm in the library")
IRREGULAR = "the K80 charts of NCCL over TCP are irregular: siblings differ by a third"


def batch_ai(source, sink):
    block = source.document["cluster"]
    machine = f"{block['nodes']}, {block['gpus_per_node']} {block['gpu']} a node; {block['network']}"
    file = sink.open(source, CLUSTERS[source.name], context(
        source, catalogue_name(block["gpu"]), machine, source.document["framework"], "2018", "M. Salvaris, Microsoft"))
    for s, one in enumerate(source.document["sets"]):
        for p, point in enumerate(one["points"]):
            add_point(file, f"/sets/{s}/points/{p}/images_per_sec", one, point, block["gpus_per_node"])


def add_point(file, pointer, one, point, per_node):
    alone = "without Horovod" in point.get("note", "")
    suspect, caution = doubts(one, point)
    notes = [point.get("note"), caution, f"bar read within {one['axis_calibration_rel_err']} of its height"]
    step(file, pointer, one["id"], TF_CNN[one["model"]], one["precision"], one["batch_per_gpu"], "horovod",
         where=layout(point["gpus"], per_node), data=one["data"], origin=point["from"], synchronised=not alone,
         suspect=suspect or None, note="; ".join(filter(None, notes)), **STACKS[one["strategy"]])


def doubts(one, point):
    if one["strategy"] == "mpi" and one["model"] == "resnet152" and point["gpus"] == 16:
        return True, ANOMALY
    if one["strategy"] == "nccl" and "-k80-" in one["id"]:
        return False, IRREGULAR
    return False, None


GPUS = {"H100 80GB HBM3": "H100", "H200 141GB": "H200"}
READS = ("seq_read_1M", "seq_read_512k", "rand_read_1k", "seq_read_1k")


def disks(source, sink):
    for index, one in enumerate(source.document["series"]):
        add_disks(source, sink, index, one)
    for what in ("gemm", "attention"):
        sink.leave_out(source, f"/series/*/{what}/*", "a rate; a layer record holds a time, which would be computed")
    sink.leave_out(source, "/series/*/memory_TBps/*", "the rate of a GPU's own memory: no record holds it")
    sink.leave_out(source, "/series/*/copy_GBps/*", "the rate of copies between host and GPU, size not stated")
    sink.leave_out(source, "/series/*/local_disk_fio_GBps/*write*", "writes: input records are of reads")


def add_disks(source, sink, index, one):
    file = sink.open(source, "storage-systems", context(
        source, catalogue_name(GPUS.get(one["gpu"], one["gpu"])), f"Azure {one['vm']}, local NVMe disks; {one['cpu']}",
        "fio", "unknown", "Azure"))
    for what in READS:
        file.add("input", f"/series/{index}/local_disk_fio_GBps/{what}", series=f"{one['id']}-{what}",
                 note="fio on the VM's set of NVMe disks, their number not stated", what="storage", unit="GB/s")
