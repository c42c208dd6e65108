#!/usr/bin/env python3
"""What frameworks' servers took of the processors, by the records of platforms/servers-2core: a table of docs/frameworks.md.

usage: server_costs_table.py ROOT [--write]   (without --write: says whether the table is as docs/frameworks.md has it)

Of each stack and number of workers two networks are known, one of large tensors and one of small ones. Processor seconds that are
a x bytes + b x messages in both give a and b.
"""
import json
import pathlib
import statistics
import sys

import document_table

BEGIN, END = "<!-- server costs: begin -->\n", "<!-- server costs: end -->\n"
CLUSTER = "servers-2core"
LARGE, SMALL = "alexnet", "lenet5"


def runs_of(root):
    """{(script, workers): {network: [records of the repeats]}}"""
    runs = {}
    for file in sorted((root / "platforms" / CLUSTER / "measurements").glob("*.jsonl")):
        for record in map(json.loads, file.read_text().splitlines()):
            if record["record"] == "server":
                network, script = record["series"].split("-synthetic-")
                script = script.rsplit("-1-colocated", 1)[0]
                runs.setdefault((script, record["workers"]), {}).setdefault(network, []).append(record)
    return runs


def middle(records, of):
    """median (least .. most)"""
    values = sorted(of(record) for record in records)
    return f"{statistics.median(values):.3g} ({values[0]:.3g} .. {values[-1]:.3g})"


def parts(networks):
    """Seconds a byte and a message that give the medians of both networks."""
    large, small = (sorted(networks[name], key=lambda record: record["processor_s"] / record["bytes"]) for name in (LARGE, SMALL))
    one, other = (rows[len(rows) // 2] for rows in (large, small))
    determinant = one["bytes"] * other["messages"] - one["messages"] * other["bytes"]
    byte_s = (one["processor_s"] * other["messages"] - one["messages"] * other["processor_s"]) / determinant
    message_s = (one["bytes"] * other["processor_s"] - other["bytes"] * one["processor_s"]) / determinant
    return byte_s, message_s


def row(key, networks):
    script, workers = key
    byte_s, message_s = parts(networks)
    return (f"| {script} | {workers} | {middle(networks[LARGE], lambda one: 1e9 * one['processor_s'] / one['bytes'])} | "
            f"{middle(networks[SMALL], lambda one: 1e6 * one['processor_s'] / one['messages'])} | {1e9 * byte_s:.3g} | {1e6 * message_s:.3g} | "
            f"{middle(networks[LARGE], lambda one: one['bytes'] / one['processor_s'] / 1e9)} | "
            f"{middle(networks[LARGE], lambda one: one['value'] / 1e9)} |\n")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    text = ("| run | workers | AlexNet: s a GB | LeNet-5: us a message | both: s a GB | and us a message | one core's GB/s | "
            "seen to serve, GB/s |\n|---|---|---|---|---|---|---|---|\n")
    text += "".join(row(*one) for one in sorted(runs_of(root).items()))
    document_table.put(root / "docs" / "frameworks.md", BEGIN, END, text)


if __name__ == "__main__":
    main()
