"""The program behind the package: where it is, one run of it, and its refusals as exceptions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import NoReturn, Sequence

WRONG_USE = 2
NOT_NORMAL = 3  # of diagnose: an answer, not a mistake


class Error(RuntimeError):
    """A file, a name or a figure is wrong: the message says where, what was found, what was expected and what to do."""


class UsageError(Error, ValueError):
    """Arguments that do not go together, or that there are none of."""


@lru_cache(maxsize=None)
def program() -> str:
    """The path of ddlsim: that of this package, else the one of PATH. Raises FileNotFoundError where there is none."""
    own = Path(__file__).parent / "bin" / "ddlsim"
    found = str(own) if own.is_file() else shutil.which("ddlsim")
    if found is None:
        raise FileNotFoundError("no program ddlsim: install this package with pip, or put ddlsim on PATH")
    return found


def run(arguments: Sequence[str]) -> str:
    """What the program prints. Raises Error with its message when it refuses. An interrupt ends the program too."""
    done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode in (0, NOT_NORMAL):
        return done.stdout
    message = done.stderr.strip() or f"ddlsim ended with {done.returncode} and said nothing"
    raise (UsageError if done.returncode == WRONG_USE else Error)(message)


def version() -> str:
    """Of the program: "0.1.0"."""
    return run(["--version"]).split()[-1]


def main() -> NoReturn:
    """The command `ddlsim` of an environment: becomes the program."""
    os.execv(program(), [program(), *sys.argv[1:]])
