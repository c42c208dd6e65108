"""Answers: the JSON of a command as an object with attributes, a table, a picture, and a view for notebooks."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Type, TypeVar

from . import _program, _view
from ._record import Record, record_of

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

Own = TypeVar("Own", bound="Answer")


class Shape:
    """What every answer can do: be drawn, and be looked at in a notebook."""

    def plot(self, axes: "Optional[Axes]" = None, **options: Any) -> "Axes":
        """The main chart by matplotlib, on these axes or on new ones. A prediction's takes y="efficiency" and the like."""
        from . import _plot

        return _plot.draw(self, axes, **options)

    def _repr_html_(self) -> str:
        """In a notebook: the verdict, the picture and a small table."""
        return _view.html_of(self)


class Answer(Shape, Record):
    """The JSON that the command prints: `answer.points[0].samples_per_s`, or by keys. docs/formats.md says what each means;
    figures are in SI units."""

    #: The key whose list makes the rows of `to_pandas`.
    rows: str = ""
    #: HTML of the page with charts, which needs no network; "" where there is none.
    page: str = ""

    @classmethod
    def of(cls: Type[Own], text: str, page: str = "") -> Own:
        """Of what the command printed. Warnings in it become Python's, at the line that asked."""
        made = cls(record_of(text))
        made.__dict__["page"] = page
        for warning in made.get("warnings", []):
            warnings.warn(warning, stacklevel=3)
        return made

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each entry; keys inside an entry become columns like "strategy.name". Needs pandas."""
        return _program.pandas().json_normalize(self[self.rows])

    def __repr__(self) -> str:
        return f"<ddlsim.{type(self).__name__}: {' '.join(_view.verdict(self))}>"


class Prediction(Answer):
    """Of `predict`: a point for each strategy and number of GPUs."""

    rows = "points"

    @property
    def points(self) -> List[Record]:
        found: List[Record] = self.get("points", [])
        return found

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each point; one with the error where the question has no answer."""
        return super().to_pandas() if "points" in self else _program.pandas().DataFrame([{"error": self["error"]}])

    @property
    def point(self) -> Record:
        """The only point, of a question about one strategy on one number of GPUs."""
        if len(self.points) != 1:
            raise _program.UsageError(f"{len(self.points)} points; take one of .points, or .fastest")
        return self.points[0]

    @property
    def fastest(self) -> Record:
        """The point with the most samples/s at the largest number of GPUs that has an answer."""
        answered = [one for one in self.points if "error" not in one]
        if "error" in self:
            raise _program.Error(self["error"])
        if not answered:
            raise _program.Error("no point has an answer; .points say why")
        most = max(one["gpus"] for one in answered)
        return max((one for one in answered if one["gpus"] == most), key=lambda one: one["samples_per_s"])


class Collective(Answer):
    """Of a collective alone: time and bus bandwidth by strategy, size and GPUs."""

    rows = "answers"

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each strategy, size and number of GPUs."""
        return _program.pandas().json_normalize(self["answers"], "points", ["strategy", "preset", "transport", "library"])


class Plan(Answer):
    """Of `plan`: an option for each candidate, strategy and scale; the first one is the choice."""

    rows = "options"

    @property
    def options(self) -> List[Record]:
        found: List[Record] = self["options"]
        return found

    @property
    def choice(self) -> Record:
        return self.options[0]


def _objects(rows: List[List[Any]], columns: List[Any], shared: List[Any]) -> List[Dict[str, Any]]:
    """Rows of a table of calibration.json as dicts: docs/formats.md, "Calibration"."""
    objects: List[Dict[str, Any]] = []
    for row in rows:
        one: Dict[str, Any] = Record()
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

    def __init__(self, content: Dict[str, Any]) -> None:
        shared = content.get("shared", [])
        tables = {key: _objects(table["rows"], table["columns"], shared)
                  for key, table in content.items() if isinstance(table, dict) and "columns" in table}
        super().__init__({**{key: value for key, value in content.items() if key != "shared"}, "parameters": [], **tables})

    @property
    def parameters(self) -> List[Record]:
        found: List[Record] = self["parameters"]
        return found


class Diagnosis(Answer):
    """Of `diagnose`: whether what was measured is normal, and causes with their chances."""

    rows = "causes"

    @property
    def normal(self) -> bool:
        return bool(self["normal"])

    @property
    def causes(self) -> List[Record]:
        found: List[Record] = self["causes"]
        return found


class Validation(Answer):
    """Of `validate`: scores of each method in each split."""

    rows = "points"
