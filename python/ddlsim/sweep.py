"""Many questions: every combination of values, asked by any concurrent.futures.Executor."""

from __future__ import annotations

import itertools
import json
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _program
from ._collect import collected, name_of, text_of
from ._inputs import is_path
from ._program import Error, Folder, Refusal, UsageError
from ._progress import Shown
from ._view import verdict
from .answers import Prediction, Shape
from .ask import Document, prediction_text

if TYPE_CHECKING:
    import pandas

PathLike = Union[str, "os.PathLike[str]"]


def answer_text(arguments: Mapping[str, Any], name: str) -> str:
    """One question, in a worker. A refusal is an entry of the answers, as the program has it."""
    with Folder() as folder:
        try:
            return prediction_text(folder, **{"threads": 1, **arguments})
        except Refusal as refused:
            return json.dumps({"scenario": name, "error": str(refused)}, indent=1) + "\n"


def _rooted(arguments: Mapping[str, Any]) -> Dict[str, Any]:
    """Paths of a question as a worker in another folder finds them; a shipped scenario keeps its short path."""
    made = dict(arguments)
    for name in ("scenario", "model", "cluster", "data", "trace"):
        value = made.get(name)
        if isinstance(value, (str, os.PathLike)) and os.path.exists(value) and (name != "cluster" or is_path(os.fspath(value))):
            made[name] = os.path.abspath(value)
    return made


class Sweep(Shape):
    """Answers of a sweep, in the order of the combinations: `values` of each, and its `predictions`. One that the program
    refuses has no points, and its `error` says why."""

    def __init__(self, values: Sequence[Dict[str, Any]], texts: Sequence[str]) -> None:
        self.values = list(values)
        self.texts = list(texts)  #: as the program printed them
        self.predictions = [Prediction.of(text) for text in texts]
        refused = [f"{one['scenario']}: {one['error']}" for one in self.predictions if "error" in one]
        if refused and len(refused) == len(texts):
            raise Error(f"sweep, {refused[0]}")
        if refused:
            warnings.warn(f"{len(refused)} of {len(texts)} questions have no answer; {refused[0]}", stacklevel=3)

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Tuple[Dict[str, Any], Prediction]]:
        return iter(zip(self.values, self.predictions))

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each point, with the values that were varied first."""
        rows = []
        for values, one in self:
            table = one.to_pandas()
            for place, (name, value) in enumerate(values.items()):
                column = name if name not in table.columns else f"asked {name}"
                table.insert(place, column, [text_of(value)] * len(table))
            rows.append(table)
        return _program.pandas().concat(rows, ignore_index=True)

    def save(self, file: PathLike) -> Path:
        """Writes all answers as `ddlsim predict --sweep --json` does, whole or not at all."""
        path = Path(file)
        body = ",\n".join(text.rstrip("\n") for text in self.texts)
        _program.write_whole(path, f'{{\n "format": "ddlsim-predictions",\n "version": 1,\n "predictions": [\n{body}\n ]\n}}\n')
        return path

    def __repr__(self) -> str:
        return f"<ddlsim.Sweep: {verdict(self)[0]}>"


def _arguments(values: Mapping[str, Any], fixed: Mapping[str, Any]) -> Dict[str, Any]:
    """Arguments of predict(); a name with a slash is a path in the scenario."""
    by_path = {name: value for name, value in values.items() if name.startswith("/")}
    named = {name: value for name, value in values.items() if not name.startswith("/")}
    twice = sorted(set(named) & set(fixed))
    if twice:
        raise UsageError(f"sweep: {', '.join(twice)} given as one value and as several; give one of the two")
    made = {**fixed, **named}
    if by_path:
        made["changes"] = {**(fixed.get("changes") or {}), **by_path}
    return made


def _combinations(values: Mapping[str, Iterable[Any]]) -> List[Dict[str, Any]]:
    lists = {}
    for name, several in values.items():
        if isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Iterable):
            raise UsageError(f"sweep: {name} has {several!r}; give a list of values, like {{{name!r}: [{several!r}]}}")
        lists[name] = list(several)
        if not lists[name]:
            raise UsageError(f"sweep: {name} has no values; give one or more")
    return [dict(zip(lists, one)) for one in itertools.product(*lists.values())]


def _cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def sweep(values: Mapping[str, Iterable[Any]], scenario: Optional[Document] = None, *, executor: Optional[Any] = None,
          progress: bool = True, **arguments: Any) -> Sweep:
    """Predicts every combination of values; the answers do not depend on the executor.

    values     arguments of predict() or paths in the scenario, with several values each:
               {"gpus": [8, 64], "strategy": ["ring", "tree"], "/input/loader": ["dali", "pytorch"]}
    executor   any with `submit`, such as concurrent.futures.ProcessPoolExecutor, mpi4py.futures.MPIPoolExecutor,
               dask's client.get_executor() or submitit's; the cores of this machine if not given. Workers see the same files
    progress   False: nothing shows how many are answered
    arguments  of predict(), the same for all
    """
    combinations = _combinations(values)
    fixed = arguments if scenario is None else {"scenario": scenario, **arguments}
    asked = [_rooted(_arguments(one, fixed)) for one in combinations]
    own = ThreadPoolExecutor(_cores()) if executor is None else None
    try:
        with Shown("sweep", progress) as shown:
            submit = (executor or own).submit  # type: ignore[union-attr]
            futures = [submit(answer_text, one, name_of(values)) for one, values in zip(asked, combinations)]
            return Sweep(combinations, collected(futures, combinations, shown))
    finally:
        if own is not None:
            own.shutdown()
