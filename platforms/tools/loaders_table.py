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
LOADERS = {"pytorch": "pytorch-dataloader", "tensorflow": "tf-data", "tensorflow-keras": "keras"}  # of scenarios/inputs.json
AT_ONCE = 1e6  # samples a second of the GPU: nothing but input takes time
CLUSTER = "testbed-frameworks"
SERIES = re.compile(r"([\w-]+)-loader-(\w+?)(?:-http-(\d+)m)?(-undecoded)?(?:-threads)?-w(\d+)")
TCP_SHARE = 1448 / 1514  # of a full Ethernet frame as Linux' tbf counts it: 14 of Ethernet, 20 of IP, 32 of TCP (RFC 9293, 7323)


def parts_of(series):
    """(software, format, link's Mbit/s or none, does it decode, workers) of pytorch-loader-files[-http-100m][-undecoded]-w2."""
    software, form, link, undecoded, workers = SERIES.fullmatch(series).groups()
    return software, form, int(link) if link else None, not undecoded, int(workers)


def link_Bps(link):  # noqa: N802: a unit
    return TCP_SHARE * link * 1e6 / 8


def question(record, root, node_samples_per_s=None):
    software, form, link, decodes, workers = parts_of(record["series"])
    given = {"bytes_per_sample": re.search(r"pictures of (\d+) bytes", record["note"])[1] + " B", "format": form}
    given.update({"read_bandwidth": f"{link_Bps(link)} B/s"} if link else {"storage": "local-nvme"}, readers_per_node=workers)
    if decodes:
        given["loader"] = LOADERS[software]
    if node_samples_per_s:
        given["loader_samples_per_s"] = node_samples_per_s
    elif decodes:
        given["cores_per_node"] = workers
    return {"format": "ddlsim-scenario", "version": 1, "name": "question", "model": "resnet50_v1.5", "batch_per_gpu": 32,
            "precision": "fp32", "cluster": str(root / "platforms" / "held-out" / CLUSTER), "preset": "pytorch-gloo", "gpus": [1],
            "strategies": [{"name": "auto"}], "one_gpu_samples_per_s": AT_ONCE, "input": given}


def predicted(ddlsim, root, *asked):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "question.json")
        file.write_text(json.dumps(question(*asked)))
        return json.loads(call(ddlsim, root, "predict", file, "--json"))["points"][0]


def from_disk(record, records):
    """Samples a second of the same loader and workers that decode what a disk gives at once."""
    software, form, link, decodes, workers = parts_of(record["series"])
    if not link or not decodes:
        return None
    others = (other for other in records if parts_of(other["series"]) == (software, form, None, True, workers))
    return next(other["value"] for other in others if ("-threads-" in other["series"]) == ("-threads-" in record["series"]))


def row(ddlsim, root, record, records):
    point = predicted(ddlsim, root, record, root)
    low, high = point["samples_per_s_low"], point["samples_per_s_high"]
    held = "yes" if low <= record["value"] <= high else "no"
    if high < 1.001 * low:  # the asker's own figures are taken as exact, and here nothing else counts
        held = f"no width: {100 * (record['value'] / point['samples_per_s'] - 1):+.1f} %"
    given, told = from_disk(record, records), ""
    if given:
        told = f"{predicted(ddlsim, root, record, root, given)['samples_per_s']:,.0f}"
    return (f"| {record['series']} | {record['value']:,.0f} (spread {100 * record['relative_spread']:.1f} %) | "
            f"{point['samples_per_s']:,.0f} ({low:,.0f} .. {high:,.0f}) | {held} | {told} |\n")


def connections(storages):
    """What one connection got of each link."""
    links = {}
    for record in storages:
        links.setdefault(int(re.search(r"-http-(\d+)m-", record["series"])[1]), []).append(record["value"])
    return "".join(f"Of a link of {link} Mbit/s one connection got {' and '.join(f'{value / 1e6:.2f}' for value in values)} MB/s; "
                   f"TCP's share of it is {link_Bps(link) / 1e6:.2f}.\n" for link, values in sorted(links.items()))


def main():
    ddlsim, root = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    files = sorted((root / "platforms" / "held-out" / CLUSTER / "measurements").glob("loader-*.jsonl"))
    inputs = [record for file in files for record in map(json.loads, file.read_text().splitlines()) if record["record"] == "input"]
    records = [record for record in inputs if record["what"] == "loader"]
    text = ("| loader | measured, samples/s | predicted, samples/s (90 %) | held | predicted, given what it decodes from the disk |\n"
            "|---|---|---|---|---|\n")
    text += "".join(row(ddlsim, root, record, records) for record in records)
    text += "\n" + connections(record for record in inputs if record["what"] == "storage")
    document_table.put(root / "docs" / "frameworks.md", BEGIN, END, text)


if __name__ == "__main__":
    main()
