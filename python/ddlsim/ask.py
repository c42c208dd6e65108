"""Questions: each is one run of the program, with --json."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from . import _inputs, _program
from ._program import Folder, UsageError, listed, options
from ._progress import Shown
from .answers import Calibration, Collective, Diagnosis, Plan, Prediction, Validation

PathLike = Union[str, "os.PathLike[str]"]
#: A file, or its content.
Document = Union[PathLike, Mapping[str, Any]]
#: A number of GPUs, or several.
Gpus = Union[int, Iterable[int]]
#: The name of a strategy, a strategy as a scenario's file has it, or several of them.
Strategy = Union[str, Mapping[str, Any], Iterable[Union[str, Mapping[str, Any]]]]
DEFAULT_PRESET = "pytorch-ddp"


def _page(folder: Folder) -> str:
    file = folder.path / "page.html"
    return file.read_text() if file.is_file() else ""


def _data(folder: Optional[PathLike]) -> List[str]:
    return [] if folder is None else ["--data", os.fspath(folder)]


def _question(folder: Folder, scenario: Optional[Document], model: Any, cluster: Any, gpus: Optional[Gpus], strategy: Optional[Strategy],
              by_path: Optional[Mapping[str, Any]], data: Optional[PathLike], fields: Mapping[str, Any]) -> List[str]:
    """Words for a scenario, with what is other than in it; or for one that is made of a model and a cluster."""
    if "gpu" in fields and not isinstance(fields["gpu"], (str, os.PathLike)):
        raise UsageError("gpu is the name or the file of a GPU; did you mean gpus?")
    if scenario is None:
        made = _inputs.scenario_of_words(folder, model, cluster, gpus, strategy, fields, data)
        return [made, *_data(data), *_inputs.changes(by_path, {})]
    if isinstance(scenario, Mapping):
        scenario = folder.file_of(_inputs.document(dict(scenario), "scenario", folder), "scenario.json")
    words = [os.fspath(scenario), *_data(data), *_inputs.strategy_words(strategy), *_inputs.changes(by_path, fields)]
    return words + options({
        "gpus": None if gpus is None else _inputs.gpu_counts(gpus), "model": None if model is None else _inputs.model_word(model, folder),
        "cluster": None if cluster is None else _inputs.cluster_word(cluster, folder)})


def prediction_text(folder: Folder, scenario: Optional[Document] = None, *, model: Any = None, cluster: Any = None,
                    gpus: Optional[Gpus] = None, strategy: Optional[Strategy] = None, strategies: Optional[Strategy] = None,
                    fidelity: Optional[str] = None, sequence: Optional[int] = None, trace: Optional[PathLike] = None,
                    threads: Optional[int] = None, changes: Optional[Mapping[str, Any]] = None, data: Optional[PathLike] = None,
                    html: bool = False, shown: Optional[Shown] = None, **fields: Any) -> str:
    """What `ddlsim predict --json` prints; the arguments are those of predict()."""
    if strategy is not None and strategies is not None:
        raise UsageError("predict: strategy and strategies are the same argument; give one")
    words = ["predict", *_question(folder, scenario, model, cluster, gpus, strategy if strategies is None else strategies, changes, data, fields)]
    words += ["--json", *options({"fidelity": fidelity, "sequence": sequence, "trace": trace, "threads": threads,
                                  "html": folder.path / "page.html" if html else None})]
    return _program.run(words, folder, shown)


def predict(scenario: Optional[Document] = None, *, model: Any = None, cluster: Any = None, gpus: Optional[Gpus] = None,
            strategy: Optional[Strategy] = None, strategies: Optional[Strategy] = None, fidelity: Optional[str] = None,
            sequence: Optional[int] = None, trace: Optional[PathLike] = None, threads: Optional[int] = None,
            changes: Optional[Mapping[str, Any]] = None, data: Optional[PathLike] = None, progress: bool = True,
            **fields: Any) -> Prediction:
    """Throughput, iteration time and efficiency of each strategy at each number of GPUs, with 90 % intervals.

    scenario  a file (shipped ones by their path, e.g. "scenarios/iris-resnet50.json", from any folder) or a dict;
              without it a question is made of model and cluster
    model     a shipped name, a path, a ddlsim.Model, or a config of Transformers (with sequence=, tokens a sample)
    cluster   a shipped name, a path, or a ddlsim.Cluster
    gpus      8 or [8, 16]; without it those of the scenario, or 1, 2, 4 and so on
    strategy  "ring", {"name": "fsdp", "recompute": "full"}, or several of these; `strategies` is the same
    fidelity  default, full or formula
    trace     a file for the simulated iteration, for Perfetto
    changes   other values by JSON pointer: {"/input/loader": "dali"}
    data      a folder with platforms/ and scenarios/ instead of the shipped one
    progress  False: nothing shows how long it takes
    fields    other values of top-level fields: batch_per_gpu=64, precision="bf16", preset="pytorch-fsdp2"
    """
    with Folder() as folder, Shown("predict", progress) as shown:
        text = prediction_text(folder, scenario, model=model, cluster=cluster, gpus=gpus, strategy=strategy, strategies=strategies,
                               fidelity=fidelity, sequence=sequence, trace=trace, threads=threads, changes=changes, data=data,
                               html=True, shown=shown, **fields)
        return Prediction.of(text, _page(folder))


def collective(scenario: Optional[Document] = None, *, operation: str = "all-reduce", sizes: Optional[Iterable[str]] = None, model: Any = None,
               cluster: Any = None, gpus: Optional[Gpus] = None, strategy: Optional[Strategy] = None,
               changes: Optional[Mapping[str, Any]] = None, data: Optional[PathLike] = None, **fields: Any) -> Collective:
    """Time and bus bandwidth of a collective over size and GPUs, nothing else running. Sizes are like "64KiB"."""
    if scenario is None and model is None:
        model, fields = "resnet50_v1.5", {"batch_per_gpu": 1, **fields}  # no layer is computed
    with Folder() as folder:
        words = ["predict", *_question(folder, scenario, model, cluster, gpus, strategy, changes, data, fields), "--json"]
        words += options({"collective": operation, "sizes": None if sizes is None else list(sizes)})
        return Collective.of(_program.run(words, folder))


#: What the command calls it: the name in a request.
WORDS_OF_COMMAND = {"within": "deadline", "batch": "batch_per_gpu"}
LIMITS = ("deadline", "budget", "power", "nodes", "chance")
WHOLE = ("goal", "failures", "energy", "slow_node", "seed", "samples_of_parameters")


def _spelt_as_requests(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """The command's words under the names of a request. A budget without a unit is in US dollars, as there."""
    twice = [f"{word} and {name}" for word, name in WORDS_OF_COMMAND.items() if word in fields and name in fields]
    if twice:
        raise UsageError(f"plan: {', '.join(twice)} are the same argument; give one")
    made = {WORDS_OF_COMMAND.get(name, name): value for name, value in fields.items()}
    if re.fullmatch(r"[\d.,\s]+[kKMBGT]?\s*", str(made.get("budget", ""))):
        made["budget"] = f"{made['budget']} USD"
    return made


def _request(folder: Folder, model: Any, clusters: Any, on: Any, gpus: Any, strategy: Any, preset: Optional[str], price: Any,
             fields: Mapping[str, Any], sequence: Optional[int], data: Optional[PathLike]) -> Mapping[str, Any]:
    """A request of ordinary arguments; each goes to the part of the file that has such a key. Where there is on=, or no
    batch, what nobody stated is as the command has it."""
    missing = [name for name, value in (("model", model), ("clusters", clusters if on is None else on)) if value is None]
    if missing:
        raise UsageError(f"plan: {' and '.join(missing)} missing; give a request, or model= and clusters=[...] (or on=, as the command)")
    if on is not None and clusters is not None:
        raise UsageError("plan: clusters and on are the same argument; give one")
    limits = {name: fields[name] for name in LIMITS if name in fields}
    whole = {name: fields[name] for name in WHOLE if name in fields}
    workload = {name: value for name, value in fields.items() if name not in limits and name not in whole}
    workload["model"] = _inputs.model_word(model, folder)
    made: Dict[str, Any] = {**({"limits": limits} if limits else {}), **whole}
    has_batch = any(name in workload for name in ("batch_per_gpu", "global_batch"))
    if on is None and (has_batch or not ("tokens" in workload or "samples" in workload)):
        return {**made, "workload": {"precision": "fp32", **workload},
                "candidates": _inputs.candidates(clusters, gpus, strategy, preset or DEFAULT_PRESET, price)}
    machines = _inputs.machine_words(clusters if on is None else on, folder)
    written = _inputs.plan_of_words(folder, machines, workload, sequence, data)
    usual = written["candidates"][0]
    if strategy is None:
        strategy, preset = usual["strategies"], preset or usual["preset"]
    several = clusters if on is None else [one["cluster"] for one in written["candidates"]]
    return {**written, **made, "workload": {**written["workload"], **workload},
            "candidates": _inputs.candidates(several, gpus, strategy, preset or DEFAULT_PRESET, price)}


def plan(request: Optional[Document] = None, *, model: Any = None, clusters: Any = None, on: Any = None, gpus: Optional[Gpus] = None,
         strategy: Optional[Strategy] = None, preset: Optional[str] = None, price: Optional[Mapping[str, Any]] = None,
         sequence: Optional[int] = None, threads: Optional[int] = None, changes: Optional[Mapping[str, Any]] = None,
         data: Optional[PathLike] = None, progress: bool = True, **fields: Any) -> Plan:
    """What to buy or rent for a training: time, cost and energy of each option, with 90 % intervals.

    request   a file or a dict; without it one is made of the other arguments
    model     as of predict(); beside a request, instead of its model
    clusters  names, paths or ddlsim.Cluster of what could be had, or candidates as a request has them
    on        the same in the words of the command: "p5,p6-b200" or "64 x 8 x H100, 8x400 Gb/s IB". With
              it, or without a batch, the command's defaults hold for what is not stated
    gpus, strategy, preset, price  of every cluster; auto with pytorch-ddp if not given, and of such a plan as the command
    fields    without a request: of the workload (tokens="300B", samples=1281167, epochs=90, batch_per_gpu=128 or
              global_batch=4096, precision="bf16"), of the limits (deadline="90 d" or within="90 d", budget="3M", power,
              nodes, chance), goal, failures, energy. With a request: other values of its top-level fields
    """
    with Folder() as folder, Shown("plan", progress) as shown:
        beside = options({"model": None if request is None or model is None else _inputs.model_word(model, folder), "sequence": sequence})
        if request is None:
            request = _request(folder, model, clusters, on, gpus, strategy, preset, price, _spelt_as_requests(fields), sequence, data)
            fields = {}
        else:
            stated = {"clusters": clusters, "on": on, "gpus": gpus, "strategy": strategy, "preset": preset, "price": price}
            unused = [name for name, value in stated.items() if value is not None]
            if unused:
                raise UsageError(f"plan: {', '.join(unused)} found beside a request, which states them; change the request by changes=")
        if isinstance(request, Mapping):
            request = folder.file_of(_inputs.document(_copied(request), "plan-request", folder), "request.json")
        words = ["plan", os.fspath(request), "--json", "--html", str(folder.path / "page.html"), *_data(data), *beside]
        words += [*options({"threads": threads}), *_inputs.changes(changes, fields)]
        return Plan.of(_program.run(words, folder, shown), _page(folder))


def _copied(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """As deep as models and clusters stand, so that the caller's stays as it is."""
    made = dict(content)
    if isinstance(made.get("workload"), Mapping):
        made["workload"] = dict(made["workload"])
    if "candidates" in made:
        made["candidates"] = [dict(one) for one in made["candidates"]]
    return made


def calibrate(cluster: PathLike, *, output: Optional[PathLike] = None, threads: Optional[int] = None, data: Optional[PathLike] = None,
              progress: bool = True) -> Calibration:
    """A cluster's parameters from its measurements. Writes calibration.json only where `output` says, unlike the command."""
    with Folder() as folder, Shown("calibrate", progress) as shown:
        file = folder.path / "calibration.json" if output is None else os.fspath(output)
        words = ["calibrate", "--cluster", os.fspath(cluster), "--json", "--output", str(file), "--html", str(folder.path / "page.html")]
        return Calibration.of(_program.run([*words, *options({"threads": threads}), *_data(data)], folder, shown), _page(folder))


def diagnose(*files: Document, scenario: Optional[Document] = None, steps: Optional[Mapping[int, Union[float, str]]] = None,
             logs: Iterable[PathLike] = (), strategy: Optional[str] = None, model: Any = None, cluster: Any = None,
             level: Optional[float] = None, mapping: Optional[Mapping[str, str]] = None, changes: Optional[Mapping[str, Any]] = None,
             threads: Optional[int] = None, data: Optional[PathLike] = None, progress: bool = True, **fields: Any) -> Diagnosis:
    """Is what was measured what a healthy cluster does, and what explains it if not?

    files    logs or tables of any kind that `ddlsim import` reads, records (.jsonl), and the scenario, if there is one
    steps    times of an iteration by number of GPUs, in seconds or as text: {16: 0.64} or {16: "640 ms"}
    mapping  names of a table's columns, ours first: {"batch_per_gpu": "bs"}
    fields   with a scenario other values of its fields; without one what the logs do not say, by the options of
             `ddlsim diagnose`: diagnose("all_reduce.log", cluster="iris", gpus_per_node=4)
    """
    several = [*files, *logs]
    if scenario is None:
        scenario = next((one for one in several if isinstance(one, Mapping) or _inputs.is_scenario(one)), None)
        several = [one for one in several if one is not scenario]
    with Folder() as folder, Shown("diagnose", progress) as shown:
        words = ["diagnose", *map(os.fspath, several), "--json", *_data(data)]  # type: ignore[arg-type]
        if isinstance(scenario, Mapping):
            scenario = folder.file_of(_inputs.document(dict(scenario), "scenario", folder), "scenario.json")
        words += [*_inputs.changes(changes, fields), os.fspath(scenario)] if scenario is not None else options(fields)
        words += options({"strategy": strategy, "level": level, "threads": threads,
                          "model": None if model is None else _inputs.model_word(model, folder),
                          "cluster": None if cluster is None else _inputs.cluster_word(cluster, folder),
                          "map": [f"{ours}={theirs}" for ours, theirs in mapping.items()] if mapping else None})
        for gpus, time in (steps or {}).items():
            words += ["--step", f"{gpus}={time}" if isinstance(time, str) else f"{gpus}={float(time)!r} s"]
        return Diagnosis.of(_program.run(words, folder, shown))


def validate(measurements: Iterable[PathLike] = (), *, splits: Optional[Iterable[str]] = None, sites: Optional[Iterable[str]] = None,
             cluster: Optional[str] = None, own_only: bool = False, threads: Optional[int] = None, data: Optional[PathLike] = None,
             progress: bool = True) -> Validation:
    """The simulator and its baselines on measured series they did not see: the shipped ones and one's own (.jsonl)."""
    with Folder() as folder, Shown("validate", progress) as shown:
        words = ["validate", "--json", "--html", str(folder.path / "page.html"), *_data(data)]
        words += _program.repeated("--measurements", measurements)
        words += options({"split": splits and listed(list(splits)), "sites": sites and listed(list(sites)), "cluster": cluster,
                          "own_only": own_only, "threads": threads})
        return Validation.of(_program.run(words, folder, shown), _page(folder))
