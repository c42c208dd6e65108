"""Answers of many questions from an executor, or one sentence on which of them has none, and why."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence

from ._program import Error
from ._progress import Shown


def text_of(value: Any) -> Any:
    """A value in a table: of a dict or list its text."""
    if isinstance(value, Mapping) and "name" in value:
        return value["name"]
    return json.dumps(value) if isinstance(value, (dict, list, tuple)) else value


def _is_answered(future: Any) -> bool:
    try:
        return bool(future.done() and future.exception() is None)
    except Exception:  # it was cancelled, or is of a kind that knows no such thing
        return False


def _cancel(futures: Sequence[Any]) -> None:
    for future in futures:
        if hasattr(future, "cancel"):
            future.cancel()


def name_of(question: Mapping[str, Any]) -> str:
    """Its values: "gpus=8, strategy=ring"."""
    return ", ".join(f"{name}={text_of(value)}" for name, value in question.items())


def _first_sentence(failed: Exception) -> str:
    lines = str(failed).strip().splitlines() or ["it said nothing"]
    return lines[0].split(". ")[0].rstrip(".")


def _failure(failed: Exception, question: Mapping[str, Any], far: str) -> Error:
    """Says which question has no answer, and why."""
    if isinstance(failed, Error):
        return type(failed)(f"sweep, {name_of(question)}: {failed}")
    return Error(f"sweep, {name_of(question)}: the executor's worker failed ({type(failed).__name__}: {_first_sentence(failed)}); {far}; ask again, "
                 "with fewer workers if memory ran out")


@contextmanager
def _last_words(words: Callable[[], str]) -> Iterator[None]:
    """A line on standard error when SIGTERM ends this process, as a scheduler does, or a launcher of ranks that has lost one."""
    is_free = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    own = os.getpid()

    def end(number: int, _: Any) -> None:
        try:
            if os.getpid() == own:  # a worker that was forked has this function too
                os.write(2, (words() + "\n").encode())  # print() may be at work where the signal came
        finally:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    if is_free:
        signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        if is_free:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def collected(futures: Sequence[Any], questions: Sequence[Dict[str, Any]], shown: Shown) -> List[str]:
    """Results in their order. The first failure ends the others; what was answered is not kept."""
    texts: List[str] = []

    def far() -> str:
        return f"{max(len(texts), sum(map(_is_answered, futures)))} of {len(futures)} questions were answered, and nothing was written"

    try:
        with _last_words(lambda: f"sweep, {name_of(questions[min(len(texts), len(questions) - 1)])}: SIGTERM has ended the sweep; {far()}"):
            for future in futures:
                texts.append(future.result())
                shown.count(len(texts), len(futures))
        return texts
    except KeyboardInterrupt:
        said = f"sweep: {far()}"
        _cancel(futures)
        raise KeyboardInterrupt(said) from None
    except Exception as failed:
        failure = _failure(failed, questions[len(texts)], far())
        _cancel(futures)
        raise failure from failed
