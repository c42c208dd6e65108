"""Answers: the JSON of a command as a dict that pandas and notebooks can show."""

from __future__ import annotations

import html
import warnings
from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    import pandas


class Answer(Dict[str, Any]):
    """The JSON that the command prints, as a dict. docs/formats.md says what each key means; figures are in SI units."""

    #: The key whose list makes the rows of `to_pandas`.
    rows: str = ""

    def __init__(self, content: Dict[str, Any], page: str = "") -> None:
        super().__init__(content)
        for warning in self.get("warnings", []):
            warnings.warn(warning, stacklevel=4)  # of the line that asked
        self.page = page  #: HTML of the page with charts, which needs no network; "" where the command has none

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each entry; keys inside an entry become columns like "strategy.name". Needs pandas."""
        try:
            import pandas
        except ImportError as missing:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from missing
        return pandas.json_normalize(self[self.rows])

    def _repr_html_(self) -> str:
        """In a notebook: the page in a frame of its own, so that neither's styles reach the other."""
        if not self.page:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return (f'<iframe srcdoc="{html.escape(self.page, quote=True)}" sandbox="allow-scripts" '
                'style="width:100%;height:640px;border:0"></iframe>')

    def __repr__(self) -> str:
        return f"<ddlsim.{type(self).__name__}: {len(self[self.rows])} {self.rows}>"


class Prediction(Answer):
    """Of `predict`: a point for each strategy and number of GPUs."""

    rows = "points"

    @property
    def points(self) -> List[Dict[str, Any]]:
        return self["points"]


class Plan(Answer):
    """Of `plan`: an option for each candidate, strategy and scale; the first one is the choice."""

    rows = "options"

    @property
    def options(self) -> List[Dict[str, Any]]:
        return self["options"]


def _objects(rows: List[List[Any]], columns: List[Any], shared: List[Any]) -> List[Dict[str, Any]]:
    """Rows of a table of calibration.json as dicts: docs/formats.md, "Calibration"."""
    objects = []
    for row in rows:
        one: Dict[str, Any] = {}
        for column, value in zip(columns, row):
            if value is None:
                continue
            if isinstance(column, dict):
                [(column, inner)] = column.items()
                value = _objects(value, inner, shared)
            elif column.endswith("@"):
                column, value = column[:-1], shared[value]
            one[column] = value
        objects.append(one)
    return objects


class Calibration(Answer):
    """Of `calibrate`: parameters with their intervals, and what was excluded. The file's tables are lists of dicts here."""

    rows = "parameters"

    def __init__(self, content: Dict[str, Any], page: str = "") -> None:
        shared = content.get("shared", [])
        tables = {key: _objects(table["rows"], table["columns"], shared)
                  for key, table in content.items() if isinstance(table, dict) and "columns" in table}
        super().__init__({**{key: value for key, value in content.items() if key != "shared"}, "parameters": [], **tables}, page)

    @property
    def parameters(self) -> List[Dict[str, Any]]:
        return self["parameters"]


class Diagnosis(Answer):
    """Of `diagnose`: whether what was measured is normal, and causes with their chances."""

    rows = "causes"

    @property
    def normal(self) -> bool:
        return self["normal"]

    @property
    def causes(self) -> List[Dict[str, Any]]:
        return self["causes"]


class Validation(Answer):
    """Of `validate`: scores of each method in each split."""

    rows = "points"
