#!/usr/bin/env python3
"""Holds the input term of predictions to the loaders' records of platforms/held-out: a table of docs/frameworks.md.

usage: loaders_table.py DDLSIM ROOT [--write]   (without --write: says whether the table is as docs/frameworks.md has it)

A question whose GPU computes in no time waits for input only, so that its rate is the loader's.
"""
import json
import pathlib
import re
import sys
import tempfile

from frameworks_table import call

import document_table

BEGIN, END = "<!-- loaders: begin -->\n", "<!-- loaders: end -->\n"
LOADERS = {"pytorch": "pytorch-dataloader", "tensorflow": "tf-data"}  # of scenarios/inputs.json
AT_ONCE = 1e6  # samples a second of the GPU: nothing but input takes time
CLUSTER = "testbed-frameworks"


def question(record, root):
    software, _, form, workers = record["series"].split("-")  # pytorch-loader-files-w2
    given = {"bytes_per_sample": re.search(r"pictures of (\d+) bytes", record["note"])[1] + " B", "storage": "local-nvme", "format": form,
             "loader": LOADERS[software], "cores_per_node": int(workers[1:])}
    return {"format": "ddlsim-scenario", "version": 1, "name": "question", "model": "resnet50_v1.5", "batch_per_gpu": 32,
            "precision": "fp32", "cluster": str(root / "platforms" / "held-out" / CLUSTER), "preset": "pytorch-gloo", "gpus": [1],
            "strategies": [{"name": "auto"}], "one_gpu_samples_per_s": AT_ONCE, "input": given}


def row(ddlsim, root, record):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "question.json")
        file.write_text(json.dumps(question(record, root)))
        point = json.loads(call(ddlsim, root, "predict", file, "--json"))["points"][0]
    low, high = point["samples_per_s_low"], point["samples_per_s_high"]
    held = "yes" if low <= record["value"] <= high else "no"
    return (f"| {record['series']} | {record['value']:.0f} (spread {100 * record['relative_spread']:.1f} %) | "
            f"{point['samples_per_s']:.0f} ({low:.0f} .. {high:.0f}) | {held} |\n")


def main():
    ddlsim, root = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    files = sorted((root / "platforms" / "held-out" / CLUSTER / "measurements").glob("loader-*.jsonl"))
    records = [record for file in files for record in map(json.loads, file.read_text().splitlines()) if record["record"] == "input"]
    text = "| loader | measured, samples/s | predicted, samples/s (90 %) | held |\n|---|---|---|---|\n"
    text += "".join(row(ddlsim, root, record) for record in records)
    document_table.put(root / "docs" / "frameworks.md", BEGIN, END, text)


if __name__ == "__main__":
    main()
