"""Shows how far a question is: in a notebook and on a terminal by a line that goes away, in the log of a job by a line now and then."""

from __future__ import annotations

import sys
import time
from typing import Any, Optional

PATIENCE_S = 1.0  # shorter questions show nothing
BETWEEN_LINES_S = 15.0  # of a log, as the program has it


def _notebook() -> Optional[Any]:
    """IPython's display, where this is a notebook's kernel."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is None or not hasattr(running, "kernel"):
        return None
    from IPython.display import display

    return display


class Shown:
    """What is shown of one call. `wanted` is False for silence."""

    def __init__(self, what: str, wanted: bool = True) -> None:
        self.what = what
        self._begun = time.monotonic()
        self._display = _notebook()
        self._is_wanted = wanted
        self._is_log = self._display is None and not sys.stderr.isatty()
        self._last = self._begun
        self._line: Any = None

    def __enter__(self) -> "Shown":
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")

    def passed_s(self) -> float:
        return time.monotonic() - self._begun

    def tick(self) -> None:
        """While one question is asked."""
        self._say(f"{self.what}: {self.passed_s():.0f} s")

    def count(self, done: int, all_of: int) -> None:
        """While one of many is answered after another."""
        left = f", {self.passed_s() / done * (all_of - done):.0f} s left" if 0 < done < all_of else ""
        self._say(f"{self.what}: {done} of {all_of}{left}")

    def _say(self, text: str) -> None:
        if self._is_wanted and self._is_log:
            self._log(text)
        elif self._is_wanted and self.passed_s() >= PATIENCE_S:
            self._write(text)

    def _log(self, text: str) -> None:
        if time.monotonic() - self._last >= BETWEEN_LINES_S:
            self._last = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    def _write(self, text: str) -> None:
        if not text and self._line is None:
            return
        if self._display is None:
            sys.stderr.write(f"\r\033[K{text}")
            sys.stderr.flush()
            self._line = self
        elif self._line is None:
            self._line = self._display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._line.update({"text/plain": text}, raw=True)
