"""AIConfigurator's collectives inside a node or an NVLink domain: 2 to 8 GPUs of nine kinds, four operations, NCCL."""

import re
from pathlib import Path

from gpus import catalogue_name
from records import collective
from sink import context

# File of the source -> cluster whose nodes these are, and the GPU as the catalogue names it. The tables name no machine.
MACHINES = {"a100-sxm": ("azure-nd-a100-v4", "A100-SXM4-80GB"), "h100-sxm": ("dgx-h100", "H100-SXM5-80GB"),
            "h200-sxm": ("p5en", "H200-SXM-141GB"), "b200-sxm": ("dgx-b200", "B200-SXM-180GB"),
            "b300-sxm": ("dgx-b300", "B300-SXM-288GB"), "gb200": ("azure-nd-gb200-v6", "GB200-186GB"),
            "gb300": ("azure-nd-gb300-v6", "GB300-279GB"), "l40s": ("l40s-node", "L40S"),
            "rtx-pro-6000-server": ("rtx-pro-6000-node", "RTX-PRO-6000-Blackwell")}
SOURCES = tuple(f"kernels-2026/{name}.json" for name in MACHINES)
OPERATIONS = {"all_reduce": "all_reduce", "all_gather": "all_gather", "reduce_scatter": "reduce_scatter",
              "alltoall": "all_to_all"}
GPUS, SIZE, TIME = 1, 2, 3


def convert(source, sink):
    cluster, gpu = MACHINES[Path(source.name).stem]
    file = sink.open(source, cluster, context(
        source, catalogue_name(gpu), "GPUs of one node or NVLink domain; the machine is not named",
        "NCCL of several versions: see each record", "2026", "NVIDIA",
        {**source.document["source"], "path": "aic-core/src/aiconfigurator_core/systems/data"}))
    for t, table in enumerate(source.document["collective"]):
        version = re.search(r"[\d.]+", table["library"])[0]
        for r, row in enumerate(table["rows"]):
            add(file, f"/collective/{t}/rows/{r}/{TIME}", version, row)


def add(file, pointer, version, row):
    collective(file, pointer, f"nccl-{version}-{row[0]}-{row[GPUS]}ranks", row[GPUS], 1, row[SIZE], "us",
               operation=OPERATIONS[row[0]], library="nccl", statistic="mean", transport="unknown",
               software=f"NCCL {version}")
