"""Azure's microbenchmarks of its ND sizes: the rate at which a VM reads its own NVMe disks."""

from gpus import catalogue_name
from sink import context

SOURCES = ("azure-nd-microbenchmarks.json",)
GPUS = {"H100 80GB HBM3": "H100", "H200 141GB": "H200"}
READS = ("seq_read_1M", "seq_read_512k", "rand_read_1k", "seq_read_1k")


def convert(source, sink):
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
        "fio", "unknown", "Azure"), one["id"])
    for what in READS:
        file.add("input", f"/series/{index}/local_disk_fio_GBps/{what}", series=f"{one['id']}-{what}",
                 note="fio on the VM's set of NVMe disks, their number not stated", what="storage", unit="GB/s")
