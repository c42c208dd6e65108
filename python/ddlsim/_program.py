"""The program behind the package: where it is, one run of it, and its refusals as exceptions."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, List, Mapping, NoReturn, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from ._progress import Shown

WRONG_USE = 2
NOT_NORMAL = 3  # of diagnose: an answer, not a mistake


class Error(RuntimeError):
    """A file, a name or a figure is wrong: the message says where, what was found, what was expected and what to do."""


class UsageError(Error, ValueError):
    """Arguments that do not go together, or that there are none of."""


class Refusal(Error):
    """What the program says of a question that it read and cannot answer."""


@lru_cache(maxsize=None)
def program() -> str:
    """The path of ddlsim: that of this package, else the one of PATH. Raises FileNotFoundError where there is none."""
    own = Path(__file__).parent / "bin" / "ddlsim"
    found = str(own) if own.is_file() else shutil.which("ddlsim")
    if found is None:
        raise FileNotFoundError("no program ddlsim: install this package with pip, or put ddlsim on PATH")
    return found


class Folder:
    """A folder for what a run reads and writes; it is gone after it, and messages do not name it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ddlsim-")
        self.path = Path(self._folder.name)

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def file_of(self, document: Any, name: str) -> str:
        """A path stays; a dict becomes a file. Own models and clusters that it names by path are looked for from the
        current folder."""
        if not isinstance(document, Mapping):
            return os.fspath(document)
        file = self.path / name
        file.write_text(json.dumps(document))
        return str(file)

    def without(self, text: str) -> str:
        """A message without the name of this folder."""
        return text.replace(f"{self.path}/", "")


def _ended(code: int) -> str:
    """What to say of a program that said nothing."""
    if code < 0:
        return f"ddlsim was ended by signal {-code} ({signal.Signals(-code).name}); nothing was written"
    return f"ddlsim ended with {code} and said nothing"


def _wait(running: "subprocess.Popen[str]", shown: "Optional[Shown]") -> Tuple[str, str]:
    """What the program prints; says every second that it still runs. An interrupt ends the program too."""
    try:
        while True:
            try:
                return running.communicate(timeout=1 if shown else None)
            except subprocess.TimeoutExpired:
                assert shown
                shown.tick()
    except BaseException:
        running.terminate()
        running.wait()
        raise


def run(arguments: Sequence[str], folder: Optional[Folder] = None, shown: "Optional[Shown]" = None) -> str:
    """What the program prints. Raises Error with its message when it refuses."""
    with subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as running:
        out, message = _wait(running, shown)
    if running.returncode in (0, NOT_NORMAL):
        return out
    message = message.strip() if running.returncode > 0 else ""
    if not message:
        raise Error(_ended(running.returncode))
    raise (UsageError if running.returncode == WRONG_USE else Refusal)(folder.without(message) if folder else message)


def options(values: Mapping[str, Any]) -> List[str]:
    """gpus_per_node=8 as --gpus-per-node 8; a flag by True, a list by commas; None and False are left out."""
    words: List[str] = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        words.append("--" + name.rstrip("_").replace("_", "-"))
        if value is not True:
            words.append(listed(value))
    return words


def repeated(name: str, values: Any) -> List[str]:
    """An option that may be given several times."""
    several = [] if values is None else [values] if isinstance(values, (str, os.PathLike)) else list(values)
    return [word for value in several for word in (name, os.fspath(value))]


def listed(value: Any) -> str:
    """A value, or several by commas."""
    value = plain(value)
    return ",".join(map(str, value)) if isinstance(value, list) else os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def plain(value: Any) -> Any:
    """numpy's numbers and arrays, ranges and tuples as JSON knows them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (range, tuple, set, frozenset)):
        return [plain(one) for one in value]
    return value


def write_whole(file: Path, text: str) -> None:
    """Writes a file, or leaves what was there: a reader never sees half of it."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "w") as written:
            written.write(text)
        os.chmod(name, 0o644)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise


def pandas() -> Any:
    try:
        import pandas as found
    except ImportError as missing:
        raise ImportError("to_pandas() needs pandas: pip install 'ddlsim[pandas]'") from missing
    return found


def version() -> str:
    """Of the program: "0.2.0"."""
    return run(["--version"]).split()[-1]


def main() -> NoReturn:
    """The command `ddlsim` of an environment: becomes the program."""
    os.execv(program(), [program(), *sys.argv[1:]])
