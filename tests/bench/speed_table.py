"""The speed table of docs/how-it-works.md: each row in a process of its own, so that its peak memory is its own.

usage: speed_table.py DDLSIM_BENCH DOCUMENT [--write]
"""

import datetime
import json
import platform
import re
import subprocess
import sys
from pathlib import Path

BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"
ROWS = [  # benchmark, words, to reach
    ("ring/classes/1024/real_time", "100 MB ring, 1,024 ranks, one of each class", "5 ms"),
    ("ring/classes/16384/real_time", "the same, 16,384 ranks", "5 ms"),
    ("ring/formula/16384", "the same by the formula", "1 ms"),
    ("ring/full/1024/iterations:1/real_time", "1,024 ranks, full: 2.1 million messages", "6 s"),
    ("iteration/a_ring_a_tensor_1024_by_default/real_time", "ResNet-50 iteration, one all-reduce a tensor, overlapped, 1,024 ranks, one of each class", "15 ms"),
    ("iteration/a_ring_a_tensor_1024_formula", "the same by the formulas", ""),
    ("servers/1024_workers_64_dedicated_overlapped/real_time", "synchronous parameter server, 1,024 workers, 64 servers, ResNet-50 tensor by tensor, one of each class", "20 ms"),
    ("servers/16384_nodes_1_colocated_2_to_1/real_time", "16,384 nodes, one colocated server, 2:1 fat-tree, one of each class", ""),
    ("curve/ring_and_one_server", "whole curve 1..65,536 GPUs, 17 scales, ring and one server, with intervals, knee and what to measure next", "2 s, 200 MB"),
    ("curve/a_server_a_node", "the same for one unlike server a node, 16,384 at the end", ""),
    ("scenario/iris_four_strategies_65536/real_time", "`scenarios/iris-resnet50`: 1 to 65,536 GPUs, four strategies, with start-up", "1 s, 100 MB"),
    ("scenario/llm_point/real_time", "Llama 3.1 8B by FSDP on 64 H100, one point, with start-up", "0.2 s beside start-up"),
    ("scenario/llm_four_scales_five_layouts/real_time", "`scenarios/p5-llama-3.1-8b-pipeline`: five layouts at four scales", "5 s"),
    ("scenario/double_trees_in_full/real_time", "`scenarios/k80-inception-ps`: double trees, every message", "5 s"),
    ("calibrate_cluster/iris/real_time", "`calibrate --cluster iris`", "2 s"),
    ("calibrate_cluster/megatron_h100/real_time", "`calibrate --cluster megatron-h100`", "2 s"),
    ("sweep/iterations:1/real_time", "200 scenarios of ring and one server, 8 scales, two cores", "20 s"),
]


def measure(program, name):
    """(seconds, MB): median of three runs."""
    result = subprocess.run(
        [program, f"--benchmark_filter=^{name}$", "--benchmark_format=json", "--benchmark_repetitions=3"],
        capture_output=True, text=True, check=True)
    rows = json.loads(result.stdout)["benchmarks"]
    median = next(row for row in rows if row.get("aggregate_name") == "median")
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[median["time_unit"]]
    return median["real_time"] * unit, max(row["peak_MB"] for row in rows if "peak_MB" in row)


def words(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def table(program):
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()).group(1)
    lines = [f"Median of three runs, {datetime.date.today()}, one core of {cpu}, {platform.freedesktop_os_release()['PRETTY_NAME']}:", "",
             "| work | takes | peak memory | to reach |", "|---|---|---|---|"]
    for name, text, goal in ROWS:
        seconds, megabytes = measure(program, name)
        lines.append(f"| {text} | {words(seconds)} | {megabytes:.0f} MB | {goal} |")
    return "\n".join(lines)


def main():
    text = table(sys.argv[1])
    print(text)
    if "--write" in sys.argv:
        document = Path(sys.argv[2])
        before, rest = document.read_text().split(BEGIN)
        document.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
