"""Questions: each is one run of the program, with --json."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Iterable, Mapping, Union

from . import _program
from .answers import Calibration, Diagnosis, Plan, Prediction, Validation

PathLike = Union[str, "os.PathLike[str]"]
#: A file, or its content.
Document = Union[PathLike, Mapping[str, Any]]


class _Asked:
    """A folder for what a question needs and for the page that an answer shows; it is gone when the question is answered."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ddlsim-")
        self.folder = Path(self._folder.name)
        self.page = self.folder / "page.html"

    def __enter__(self) -> "_Asked":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def file_of(self, document: Document, name: str) -> str:
        """A dict becomes a file; own models and clusters that it names by path are looked for from the current folder."""
        if not isinstance(document, Mapping):
            return os.fspath(document)
        file = self.folder / name
        file.write_text(json.dumps(document))
        return str(file)

    def html(self) -> str:
        return self.page.read_text() if self.page.is_file() else ""


def _changes(changes: Mapping[str, Any] | None, fields: Mapping[str, Any]) -> list[str]:
    """{"/input/loader": "dali"} and batch_per_gpu=64 as --set. Values are JSON, so that "12 h" stays a text."""
    paths = {**{f"/{name}": value for name, value in fields.items()}, **(changes or {})}
    return [word for path, value in paths.items() for word in ("--set", f"{path}={json.dumps(_plain(value))}")]


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays, ranges and tuples as JSON knows them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (range, tuple, set)):
        return [_plain(one) for one in value]
    return value


def _listed(values: Iterable[Any]) -> str:
    return ",".join(str(_plain(value)) for value in values)


def _data(folder: PathLike | None) -> list[str]:
    return [] if folder is None else ["--data", os.fspath(folder)]


def predict(scenario: Document, *, gpus: Iterable[int] | None = None, strategies: Iterable[str] | None = None,
            cluster: str | None = None, fidelity: str | None = None, changes: Mapping[str, Any] | None = None,
            data: PathLike | None = None, **fields: Any) -> Prediction:
    """Throughput, iteration time and efficiency of each strategy at each number of GPUs, with 90 % intervals.

    scenario    a file (shipped ones by their path, e.g. "scenarios/iris-resnet50.json", from any folder) or a dict
    gpus        numbers of GPUs instead of the scenario's
    strategies  only these of the scenario's, by name
    cluster     instead of the scenario's
    fidelity    default, full or formula
    changes     other values by JSON pointer: {"/input/loader": "dali"}
    fields      other values of top-level fields: batch_per_gpu=64, precision="amp"
    data        a folder with platforms/ and scenarios/ instead of the shipped one
    """
    with _Asked() as asked:
        words = ["predict", asked.file_of(scenario, "scenario.json"), "--json", "--html", str(asked.page), *_data(data)]
        words += ["--gpus", _listed(gpus)] if gpus is not None else []
        words += ["--strategy", _listed(strategies)] if strategies is not None else []
        words += ["--cluster", cluster] if cluster is not None else []
        words += ["--fidelity", fidelity] if fidelity is not None else []
        return Prediction(json.loads(_program.run(words + _changes(changes, fields))), asked.html())


def plan(request: Document, *, changes: Mapping[str, Any] | None = None, data: PathLike | None = None,
         **fields: Any) -> Plan:
    """What to buy or rent for a training: time, cost and energy of each option, with 90 % intervals."""
    with _Asked() as asked:
        words = ["plan", asked.file_of(request, "request.json"), "--json", "--html", str(asked.page), *_data(data)]
        return Plan(json.loads(_program.run(words + _changes(changes, fields))), asked.html())


def calibrate(cluster: PathLike, *, output: PathLike | None = None, data: PathLike | None = None) -> Calibration:
    """A cluster's parameters from its measurements. Writes calibration.json only where `output` says, unlike the command."""
    with _Asked() as asked:
        file = asked.folder / "calibration.json" if output is None else os.fspath(output)
        words = ["calibrate", "--cluster", os.fspath(cluster), "--json", "--output", str(file)]
        return Calibration(json.loads(_program.run([*words, "--html", str(asked.page), *_data(data)])), asked.html())


def _options(fields: Mapping[str, Any]) -> list[str]:
    """gpus_per_node=8 as --gpus-per-node 8."""
    return [word for name, value in fields.items() for word in ("--" + name.replace("_", "-"), str(value))]


def diagnose(scenario: Document | None = None, *, steps: Mapping[int, float | str] | None = None, logs: Iterable[PathLike] = (),
             strategy: str | None = None, changes: Mapping[str, Any] | None = None, data: PathLike | None = None,
             **fields: Any) -> Diagnosis:
    """Is what was measured what a healthy cluster does, and what explains it if not?

    steps  times of an iteration by number of GPUs, in seconds or as text: {16: 0.64} or {16: "640 ms"}
    logs   whatever `ddlsim import` reads, records (.jsonl)
    fields of the scenario that are other than in it; without a scenario what the logs do not say, by the options of
           `ddlsim diagnose`: diagnose(logs=["all_reduce.log"], cluster="iris")
    """
    with _Asked() as asked:
        words = ["diagnose", *map(os.fspath, logs), "--json", *_data(data)]
        words += [asked.file_of(scenario, "scenario.json")] if scenario is not None else _options(fields)
        words += ["--strategy", strategy] if strategy is not None else []
        for gpus, time in (steps or {}).items():
            words += ["--step", f"{gpus}={time}" if isinstance(time, str) else f"{gpus}={float(time)!r} s"]
        return Diagnosis(json.loads(_program.run(words + _changes(changes, fields if scenario is not None else {}))))


def validate(measurements: Iterable[PathLike] = (), *, splits: Iterable[str] | None = None, cluster: str | None = None,
             own_only: bool = False, threads: int | None = None, data: PathLike | None = None) -> Validation:
    """The simulator and its baselines on measured series they did not see: the shipped ones and one's own (.jsonl)."""
    with _Asked() as asked:
        words = ["validate", "--json", "--html", str(asked.page), *_data(data)]
        for file in measurements:
            words += ["--measurements", os.fspath(file)]
        words += ["--split", _listed(splits)] if splits is not None else []
        words += ["--cluster", cluster] if cluster is not None else []
        words += ["--own-only"] if own_only else []
        words += ["--threads", str(threads)] if threads is not None else []
        return Validation(json.loads(_program.run(words)), asked.html())


def clusters() -> list[str]:
    """Names of the shipped clusters."""
    return _program.run(["complete", "predict", "--cluster", ""]).split()


def models() -> list[str]:
    """Names of the shipped models."""
    return _program.run(["complete", "new", "--model", ""]).split()
