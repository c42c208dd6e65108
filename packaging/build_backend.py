"""The build backend of pyproject.toml: scikit_build_core.build, which says on the terminal how far it is.

pip keeps what a backend prints to itself, so that minutes of compiling look like nothing. While a wheel is built, the
lines that tell of a step also become a line on the terminal every few seconds.
"""

import os
import re
import threading
import time
from contextlib import contextmanager

from scikit_build_core.build import *  # noqa: F403
from scikit_build_core.build import build_editable as _build_editable
from scikit_build_core.build import build_wheel as _build_wheel

STEP = re.compile(rb"\[(\d+/\d+)\] |(fitting \S+) to its ")  # of ninja, and of `ddlsim calibrate --all`
BETWEEN_LINES_S = 5


def _copy(lines, pipe, terminal):
    """Passes all bytes on, and says on the terminal which step the last of them tells of."""
    told = 0.0
    while True:
        chunk = os.read(lines, 1 << 16)
        if not chunk:
            return
        os.write(pipe, chunk)
        steps = STEP.findall(chunk)
        if steps and time.monotonic() - told > BETWEEN_LINES_S:
            told = time.monotonic()
            compiled, fitted = steps[-1]
            what = b"ddlsim: compiled " + compiled if compiled else b"ddlsim: " + fitted
            try:
                os.write(terminal, b"\n  " + what)
            except OSError:  # the terminal is gone; the build goes on
                told = float("inf")


@contextmanager
def _steps_on_the_terminal():
    try:
        terminal = os.open("/dev/tty", os.O_WRONLY)
    except OSError:  # there is none: pip says every minute that it still runs
        yield
        return
    kept = [os.dup(1), os.dup(2)]
    lines, writer = os.pipe()
    os.dup2(writer, 1)
    os.dup2(writer, 2)
    os.close(writer)
    copying = threading.Thread(target=_copy, args=(lines, kept[0], terminal))
    copying.start()
    try:
        yield
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        copying.join()
        for descriptor in (*kept, lines, terminal):
            os.close(descriptor)


def build_wheel(*words, **more):
    with _steps_on_the_terminal():
        return _build_wheel(*words, **more)


def build_editable(*words, **more):
    with _steps_on_the_terminal():
        return _build_editable(*words, **more)
