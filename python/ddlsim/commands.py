"""The other commands of the program with ordinary arguments: clusters and GPUs of one's own, logs, exports, words."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Iterable, List, Mapping, Optional, Union

from . import _inputs, _program
from ._program import Folder, options
from ._record import Record, record_of

PathLike = Union[str, "os.PathLike[str]"]


class Cluster(Record):
    """The content of cluster.json: `ddlsim schema cluster --markdown`."""

    def save(self, folder: PathLike) -> Path:
        """Writes FOLDER/cluster.json, whole or not at all; the cluster has the name of its folder."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        _program.write_whole(path / "cluster.json", json.dumps({**self, "name": path.name}, indent=2) + "\n")
        return path

    def __repr__(self) -> str:
        return f"<ddlsim.Cluster {self.get('name', '')}>"


def new_cluster(name: str = "my-cluster", *, gpu: Optional[str] = None, gpus_per_node: Optional[int] = None, nodes: Optional[int] = None,
                network: Union[str, Iterable[str], None] = None, links: Optional[str] = None, most_nodes: Optional[int] = None,
                data: Optional[PathLike] = None, **more: Any) -> Cluster:
    """A cluster of a few words, to be predicted with or saved; nothing is written.

    network  "8x400 Gbps ib" or several of these; links: "nvswitch 370 GB/s 0.6 us"
    more     from_machine=True, slurm="nodes.txt", topology="topo.txt" and the other options of `ddlsim new cluster`
    """
    with Folder() as folder:
        words = ["new", "cluster", str(folder.path / name), "--quiet", *_program.repeated("--network", network)]
        words += options({"gpu": gpu, "gpus_per_node": gpus_per_node, "nodes": nodes, "links": links, "most_nodes": most_nodes, "data": data, **more})
        _program.run(words, folder)
        return Cluster(record_of((folder.path / name / "cluster.json").read_text()))


def new_gpu(name: str, *, like: Optional[str] = None, **figures: Any) -> Record:
    """A GPU of one's own: new_gpu("my-gpu", like="H100", bf16="800 TFLOP/s", memory="94 GB")."""
    with Folder() as folder:
        _program.run(["new", "gpu", str(folder.path / name), "--quiet", *options({"like": like, **figures})], folder)
        return record_of((folder.path / f"{name}.json").read_text())


def new_scenario(name: str = "question", *, model: Any = None, cluster: Any = None, gpus: Any = None, strategy: Any = None,
                 data: Optional[PathLike] = None, **fields: Any) -> Record:
    """The question that predict() makes of these arguments, as a dict to look at and to change."""
    with Folder() as folder:
        file = _inputs.scenario_of_words(folder, model, cluster, gpus, strategy, fields, data)
        made = record_of(Path(file).read_text())
        for key, given in (("model", model), ("cluster", cluster)):
            made[key] = given if isinstance(given, Mapping) else made[key]
        made["name"] = name
        return made


def records(*files: PathLike, kind: Optional[str] = None, mapping: Optional[Mapping[str, str]] = None, sets: Optional[Mapping[str, Any]] = None,
            output: Optional[PathLike] = None, **facts: Any) -> List[Record]:
    """Measurement records of a log or table, as `ddlsim import` makes them.

    kind     csv, nccl-tests, steps, mllog, ...; guessed from the file if not given
    mapping  names of a table's columns, ours first: {"batch_per_gpu": "bs"}
    sets     what holds for every row: {"transport": "nccl-ib"}
    facts    cluster="iris", gpu=, machine=, software=, date=, who=, title=
    """
    words = ["import", *([kind] if kind else []), *(os.fspath(one) for one in files)]
    words += options({"map": [f"{ours}={theirs}" for ours, theirs in mapping.items()] if mapping else None, "output": output, **facts})
    words += _program.repeated("--set", [f"{name}={value}" for name, value in (sets or {}).items()])
    text = _program.run(words) if output is None else _program.run(words) or Path(output).read_text()
    return [record_of(line) for line in text.splitlines() if line.strip()]


def export(form: str, scenario: Any, output: PathLike, *, gpus: Optional[int] = None, strategy: Optional[str] = None,
           cluster: Any = None, changes: Optional[Mapping[str, Any]] = None, data: Optional[PathLike] = None) -> None:
    """For other tools: the iteration for chakra, or the cluster for simgrid."""
    with Folder() as folder:
        if isinstance(scenario, Mapping):
            scenario = folder.file_of(_inputs.document(dict(scenario), "scenario", folder), "scenario.json")
        words = ["export", form, os.fspath(scenario), *_inputs.changes(changes, {})]
        words += options({"output": output, "gpus": gpus, "strategy": strategy, "data": data,
                          "cluster": None if cluster is None else _inputs.cluster_word(cluster, folder)})
        _program.run(words, folder)


def check(*files: PathLike, data: Optional[PathLike] = None) -> str:
    """What is in files of any kind; all mistakes of all files are one Error."""
    return _program.run(["check", *(os.fspath(one) for one in files), *options({"data": data})])


def explain(term: str = "") -> Any:
    """What a word of an answer means; all words if none is given."""
    return json.loads(_program.run(["explain", *term.split(), "--json"]), object_hook=Record)


def schema(kind: str, *, markdown: bool = False) -> Any:
    """Which keys a kind of file or answer may have: a JSON schema, or a table in Markdown."""
    text = _program.run(["schema", kind, *options({"markdown": markdown})])
    return text if markdown else json.loads(text)


def command(name: str, *words: Any, **given: Any) -> str:
    """Any command as text: command("predict", "scenarios/iris-resnet50.json", gpus=[8, 64], markdown=True)."""
    return _program.run([name, *map(str, words), *options(given)])


def clusters() -> List[str]:
    """Names of the shipped clusters."""
    return _program.run(["complete", "predict", "--cluster", ""]).split()


def models() -> List[str]:
    """Names of the shipped models."""
    return _program.run(["complete", "new", "--model", ""]).split()


def gpus() -> List[str]:
    """Names of the GPUs of the catalogue."""
    return _program.run(["complete", "new", "--gpu", ""]).split()


def presets() -> List[str]:
    """Names of the frameworks."""
    return _program.run(["complete", "new", "--preset", ""]).split()
