"""Turns what a caller gives into files and words of the program: models, clusters, scenarios and requests."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional

from . import _program
from ._program import Folder, UsageError, listed, plain

LAYOUTS = "model-parallel"  # its degrees are not said by its name, so that `ddlsim new` cannot make it
PRESET_OF_LAYOUTS = "megatron-lm"
ANY_MODEL = "lenet5"  # for `ddlsim new`, which reads no config; nothing that it chooses depends on the model


def is_path(name: str) -> bool:
    """The program takes a name with a slash, or of JSON, as a path."""
    return "/" in name or name.endswith(".json")


def _absolute(value: Any) -> str:
    """A path does not depend on the folder of the scenario that names it."""
    name = os.fspath(value)
    return os.path.abspath(name) if is_path(name) or isinstance(value, os.PathLike) else name


def config_content(config: Any) -> Any:
    """A config object of Transformers as the content of its file, with the names of earlier versions beside today's."""
    if not hasattr(config, "to_dict"):
        return config
    content = {key: value for key, value in config.to_dict().items() if key != "architectures" or value}
    also = {old: content[new] for old, new in getattr(config, "attribute_map", {}).items() if new in content and old not in content}
    return {**content, **also}


def _refuse_other(value: Any, what: str, given: str) -> None:
    if not isinstance(value, (str, os.PathLike, Mapping)):
        raise UsageError(f"{what}: {type(value).__name__} found; give {given}")


def model_word(model: Any, folder: Folder) -> str:
    """A name, a path, a table of layers (ddlsim.Model) or a config of Transformers."""
    model = config_content(model)
    _refuse_other(model, "model", "a name, a path, a config, or what ddlsim.from_torch(module, example) returns")
    if not isinstance(model, Mapping):
        return _absolute(model)
    is_table = model.get("format") == "ddlsim-model"
    return folder.file_of(model, f"{model['name']}.json" if is_table else "config.json")


def cluster_word(cluster: Any, folder: Folder) -> str:
    """A name, a path, or the content of cluster.json (ddlsim.Cluster)."""
    _refuse_other(cluster, "cluster", "a name, a path, or what ddlsim.new_cluster(...) returns")
    if not isinstance(cluster, Mapping):
        return _absolute(cluster)
    inside = folder.path / str(cluster.get("name", "cluster"))
    inside.mkdir(exist_ok=True)
    (inside / "cluster.json").write_text(json.dumps(cluster))
    return str(inside)


def gpu_counts(gpus: Any) -> Any:
    """8, [8, 16] or "best" as the file has it."""
    gpus = plain(gpus)
    return [gpus] if isinstance(gpus, int) else gpus


def strategy_list(strategy: Any) -> List[Dict[str, Any]]:
    """"ring", {"name": "ps", "servers": "best"} or several of these."""
    several = [strategy] if isinstance(strategy, (str, Mapping)) else list(strategy)
    return [{"name": one} if isinstance(one, str) else dict(one) for one in several]


def document(content: Mapping[str, Any], kind: str, folder: Folder) -> Dict[str, Any]:
    """A scenario or request of a dict: with its form and a name, its models and clusters as files."""
    made = {"format": f"ddlsim-{kind}", "version": 1, "name": "question", **content}
    for holder in (made, made.get("workload", {})):
        if isinstance(holder, Mapping) and "model" in holder:
            holder["model"] = model_word(holder["model"], folder)  # type: ignore[index]
    for holder in (made, *made.get("candidates", [])):
        if "cluster" in holder:
            holder["cluster"] = cluster_word(holder["cluster"], folder)
        if "gpus" in holder:
            holder["gpus"] = gpu_counts(holder["gpus"])
        if "strategies" in holder:
            holder["strategies"] = strategy_list(holder["strategies"])
    result: Dict[str, Any] = plain_tree(made)
    return result


def plain_tree(value: Any) -> Any:
    """What JSON can say, of what numpy and Python have besides."""
    if isinstance(value, Mapping):
        return {key: plain_tree(one) for key, one in value.items()}
    value = plain(value)
    return [plain_tree(one) for one in value] if isinstance(value, list) else value


def scenario_of_words(folder: Folder, model: Any, cluster: Any, gpus: Any, strategy: Any, fields: Mapping[str, Any],
                      data: Optional[Any]) -> str:
    """Writes the scenario that `ddlsim new scenario` makes of a model and a cluster, with these fields."""
    missing = [name for name, value in (("model", model), ("cluster", cluster)) if value is None]
    if missing:
        raise UsageError(f"predict: {' and '.join(missing)} missing; give a scenario, or model= and cluster= "
                         "(ddlsim.models() and ddlsim.clusters() are the shipped ones)")
    strategies = strategy_list("auto" if strategy is None else strategy)
    names = [str(one.get("name", "")) for one in strategies]
    preset = fields.get("preset") or (PRESET_OF_LAYOUTS if names[:1] == [LAYOUTS] else None)
    words = ["new", "scenario", str(folder.path / "question"), "--quiet", *_program.options({
        "model": ANY_MODEL, "cluster": cluster_word(cluster, folder), "gpus": None if gpus is None else gpu_counts(gpus),
        "strategy": list(dict.fromkeys("auto" if name == LAYOUTS else name for name in names)), "batch": 1,
        "precision": fields.get("precision"), "preset": preset, "data": data})]
    _program.run(words, folder)
    file = folder.path / "question.json"
    content = {**json.loads(file.read_text()), "model": model_word(model, folder)}
    if "batch_per_gpu" not in fields:
        del content["batch_per_gpu"]  # another field may say it, or the program says that it is missing
    chosen = {one["name"]: one for one in content["strategies"]}  # one may have a preset of its own
    content["strategies"] = [{**chosen.get(name, {}), **one} for name, one in zip(names, strategies)]
    file.write_text(json.dumps(plain_tree({**content, **fields})))
    return str(file)


def changes(by_path: Optional[Mapping[str, Any]], fields: Mapping[str, Any]) -> List[str]:
    """{"/input/loader": "dali"} and batch_per_gpu=64 as --set. Values are JSON, so that "12 h" stays a text."""
    paths = {**{f"/{name}": value for name, value in fields.items()}, **(by_path or {})}
    return [word for path, value in paths.items() for word in ("--set", f"{path}={json.dumps(plain_tree(value))}")]


def strategy_words(strategy: Any) -> List[str]:
    """Names choose among a scenario's strategies; dicts take their place."""
    if strategy is None:
        return []
    if isinstance(strategy, str):
        return ["--strategy", strategy]
    several = [strategy] if isinstance(strategy, Mapping) else list(strategy)
    if all(isinstance(one, str) for one in several):
        return ["--strategy", listed(several)]
    return changes({"/strategies": strategy_list(several)}, {})


def is_scenario(file: Any) -> bool:
    """Whether a file given beside logs is the question and no log. Shipped ones are found by their path."""
    name = os.fspath(file)
    if name.startswith("scenarios/"):
        return True
    if not name.endswith(".json") or not os.path.isfile(name):
        return False
    with open(name, errors="replace") as opened:
        return '"ddlsim-scenario"' in opened.read(4096)


def candidates(clusters: Any, gpus: Any, strategy: Any, preset: Optional[str], price: Optional[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """Of a plan: each cluster is a name, a path, its content, or a candidate as the request has it."""
    several = [clusters] if isinstance(clusters, (str, os.PathLike, Mapping)) else list(clusters)
    made = []
    for one in several:
        candidate: Dict[str, Any] = dict(one) if isinstance(one, Mapping) and "cluster" in one else {"cluster": one}
        candidate.setdefault("preset", preset)
        candidate.setdefault("strategies", strategy_list("auto" if strategy is None else strategy))
        for name, value in (("gpus", None if gpus is None else gpu_counts(gpus)), ("price", price)):
            if value is not None:
                candidate.setdefault(name, value)
        made.append(candidate)
    return made


def machine_words(machines: Any, folder: Folder) -> List[str]:
    """For --on: the clusters of candidates, or what a caller says there."""
    several = [machines] if isinstance(machines, (str, os.PathLike, Mapping)) else list(machines)
    clusters = [one["cluster"] if isinstance(one, Mapping) and "cluster" in one else one for one in several]
    return [one if isinstance(one, str) and not is_path(one) or "," in str(one) else cluster_word(one, folder) for one in clusters]


def plan_of_words(folder: Folder, machines: List[str], workload: Mapping[str, Any], sequence: Optional[int],
                  data: Optional[Any]) -> Dict[str, Any]:
    """The request that `ddlsim new plan` writes."""
    file = folder.path / "words.json"
    known = ("tokens", "samples", "epochs", "global_batch", "precision")
    words = ["new", "plan", str(file), "--model", workload["model"], *_program.repeated("--on", machines), "--quiet"]
    words += _program.options({**{name: workload.get(name) for name in known}, "batch": workload.get("batch_per_gpu"),
                               "sequence": sequence, "data": data})
    _program.run(words, folder)
    made: Dict[str, Any] = json.loads(file.read_text())
    del made["name"]
    return made
