"""JSON whose keys are attributes, too."""

from __future__ import annotations

import difflib
import json
from typing import Any, Dict, List


class Record(Dict[str, Any]):
    """An object of JSON: `answer.points[0].samples_per_s` is `answer["points"][0]["samples_per_s"]`. Figures are in SI units."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            pass
        if name.startswith("__"):
            raise AttributeError(name)
        near = difflib.get_close_matches(name, list(self), 3) or list(self)[:8]
        raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(near)}")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *(key for key in self if key.isidentifier())]


def record_of(text: str) -> Record:
    """A text of JSON; every object in it is a Record."""
    content: Record = json.loads(text, object_hook=Record)
    return content
