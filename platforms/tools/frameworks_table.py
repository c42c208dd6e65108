#!/usr/bin/env python3
"""Holds predictions to the records of platforms/held-out: the tables of docs/frameworks.md.

usage: frameworks_table.py DDLSIM ROOT [--write]   (without --write: says whether the tables are as docs/frameworks.md has them)

Each run on several hosts is predicted twice, with the rate of the framework's own single process:
  priors       nothing else was measured
  calibrated   with the links, servers and collectives of the same testbed (Open MPI), and the runs of the other frameworks, but none
               of its own; runs that were measured later teach nothing about those that were there
"""
import dataclasses
import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import document_table

FACTS_OF = {"testbed-frameworks": "testbed", "testbed-frameworks-200m": "testbed-200m"}  # the same links, measured with Open MPI
LATER = "horovod"  # measured a day after the others: what was said of these stays what it was
BEGIN, END = "<!-- frameworks: begin -->\n", "<!-- frameworks: end -->\n"


@dataclasses.dataclass
class Run:
    """The repeats of one run at one number of hosts."""
    cluster: str
    file: str        # "alexnet-mxnet-ps"
    steps: list      # records
    accuracies: list # of the last epochs

    @property
    def record(self):
        return self.steps[0]

    @property
    def software(self):
        return self.file.split("-")[1]

    @property
    def computes(self):
        """Whose single process tells the compute."""
        return {"mpi": "pytorch", "horovod": self.file.split("-")[-1]}.get(self.software, self.software)

    @property
    def alone(self):
        return self.file.endswith("-alone")

    @property
    def measured_s(self):
        return statistics.median(step["value"] for step in self.steps)


def training_files(folder):
    return [file for file in sorted((folder / "measurements").glob("*.jsonl")) if not file.name.startswith("loader-")]


def read_runs(folder):
    runs = []
    for file in training_files(folder):
        by_workers, accuracy = {}, None
        for record in map(json.loads, file.read_text().splitlines()):
            if record["record"] == "loss":
                accuracy = record.get("accuracy")
            if record["record"] == "step":
                run = by_workers.setdefault(record["gpus"], Run(folder.name, file.stem, [], []))
                run.steps.append(record)
                if accuracy is not None:
                    run.accuracies.append(accuracy)
        runs += by_workers.values()
    return runs


def call(ddlsim, root, *words):
    done = subprocess.run([ddlsim, *words, "--data", root, "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"ddlsim {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def copy_records(source, cluster, folder):
    """As records of the cluster: links that are alike are measured once."""
    lines = source.read_text().splitlines(keepends=True)
    context = json.loads(lines[0])
    context["cluster"] = cluster
    (folder / "measurements" / source.name).write_text(json.dumps(context) + "\n" + "".join(lines[1:]))


def known_cluster(root, cluster, folder, software, computes, calibrated):
    """A copy of the cluster that knows nothing of the software's own runs on several hosts."""
    held_out = root / "platforms" / "held-out" / cluster
    (folder / "measurements").mkdir(parents=True)
    shutil.copy(held_out / "cluster.json", folder)
    for file in training_files(held_out):
        one = Run(cluster, file.stem, [], [])
        own_process = one.alone and one.software == computes
        if own_process or (calibrated and (one.alone or one.software not in (software, LATER))):
            copy_records(file, cluster, folder)
    if calibrated:
        for file in sorted((root / "platforms" / FACTS_OF[cluster] / "measurements").glob("*.jsonl")):
            copy_records(file, cluster, folder)


def scenario_of(run, alone):
    record = run.record
    strategy = dict(record["strategy"])
    if strategy["name"] == "all-reduce":
        strategy["name"] = "auto"
    scenario = {"format": "ddlsim-scenario", "version": 1, "name": "question", "model": record["model"],
                "batch_per_gpu": record["batch_per_gpu"], "precision": record["precision"], "cluster": f"./{run.cluster}",
                "preset": record["preset"], "gpus": [record["gpus"]], "strategies": [strategy], "series": alone.record["series"]}
    if record["transport"] != "unknown":
        scenario["transport"] = record["transport"]
    return scenario


def predictions(ddlsim, root, runs, software, computes, cluster, calibrated):
    """{(file, workers): point} of the software's runs on several hosts, where `computes` computes."""
    points = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        known_cluster(root, cluster, folder / cluster, software, computes, calibrated)
        if calibrated:
            call(ddlsim, root, "calibrate", "--cluster", folder / cluster)
        for run in runs:
            if run.cluster != cluster or (run.software, run.computes) != (software, computes) or run.alone:
                continue
            alone = next(one for one in runs if one.cluster == cluster and one.file ==
                         f"{run.record['model']}-{computes}-alone")
            (folder / "question.json").write_text(json.dumps(scenario_of(run, alone)))
            answer = json.loads(call(ddlsim, root, "predict", folder / "question.json", "--json"))
            points[run.file, run.record["gpus"]] = answer["points"][0]
    return points


def milliseconds(seconds):
    return f"{1e3 * seconds:,.0f}" if seconds >= 0.1 else f"{1e3 * seconds:.1f}"


def predicted_text(point, measured_s):
    held = point["iteration_s_low"] <= measured_s <= point["iteration_s_high"]
    return (f"{milliseconds(point['iteration_s'])} ({milliseconds(point['iteration_s_low'])} .. "
            f"{milliseconds(point['iteration_s_high'])})", "yes" if held else "no")


def times_text(run):
    times = [step["value"] for step in run.steps]
    return f"{milliseconds(run.measured_s)} ({milliseconds(min(times))} .. {milliseconds(max(times))})"


def accuracy_text(run):
    return f"{100 * min(run.accuracies):.1f} .. {100 * max(run.accuracies):.1f} %" if run.accuracies else ""


def row(run, priors, calibrated):
    strategy = run.record["strategy"]
    servers = f", {strategy['servers']['count']} servers" if "servers" in strategy else ""
    cells = [run.file, strategy["name"] + servers, str(run.record["gpus"]), times_text(run), *predicted_text(priors, run.measured_s),
             *predicted_text(calibrated, run.measured_s), accuracy_text(run)]
    return "| " + " | ".join(cells) + " |\n"


def score_text(what, pairs):
    """pairs: (point, measured)"""
    errors = [abs(math.log(point["iteration_s"] / measured)) for point, measured in pairs]
    held = sum(point["iteration_s_low"] <= measured <= point["iteration_s_high"] for point, measured in pairs)
    return f"{what} {100 * statistics.mean(errors):.1f} % off in the mean, {held} of {len(pairs)} held"


def busy_text(runs):
    found = [float(re.search(r"others kept ([0-9.]+) cores busy", step["note"])[1]) for run in runs for step in run.steps]
    suspect = sum(step.get("suspect", False) for run in runs for step in run.steps)
    return (f"Other processes kept {min(found):.1f} to {max(found):.1f} of two cores busy meanwhile, after the ranks; {suspect} of "
            f"{len(found)} step records are suspect.")


def cluster_text(ddlsim, root, cluster, runs):
    """A cluster's two tables."""
    title = json.loads((root / "platforms" / "held-out" / cluster / "cluster.json").read_text())["title"]
    several = [run for run in runs if not run.alone]
    priors, calibrated = {}, {}
    for who in sorted({(run.software, run.computes) for run in several}):
        priors.update(predictions(ddlsim, root, runs, *who, cluster, calibrated=False))
        calibrated.update(predictions(ddlsim, root, runs, *who, cluster, calibrated=True))
    keys = [(run.file, run.record["gpus"]) for run in several]
    text = (f"`{cluster}`: {title}. {busy_text(runs)}\n\n"
            "| run | strategy | workers | step, ms: median of the repeats (least .. most) | priors alone, ms (90 %) | held "
            "| calibrated without its own runs, ms (90 %) | held | test accuracy |\n|---|---|---|---|---|---|---|---|---|\n")
    text += "".join(row(run, priors[key], calibrated[key]) for run, key in zip(several, keys))
    scores = [score_text(what, [(points[key], run.measured_s) for run, key in zip(several, keys)])
              for what, points in (("Priors alone:", priors), ("Calibrated:", calibrated))]
    text += f"\n{'. '.join(scores)}.\n\n| single process | step, ms | test accuracy |\n|---|---|---|\n"
    return text + "".join(f"| {run.file} | {times_text(run)} | {accuracy_text(run)} |\n" for run in runs if run.alone)


def main():
    ddlsim, root = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    folders = [root / "platforms" / "held-out" / cluster for cluster in FACTS_OF]
    text = "\n".join(cluster_text(ddlsim, root, folder.name, read_runs(folder)) for folder in folders)
    document_table.put(root / "docs" / "frameworks.md", BEGIN, END, text)


if __name__ == "__main__":
    main()
