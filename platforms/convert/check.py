"""`convert.py --check`: whether the committed files are what the sources say."""

from pathlib import Path

from common_lines import unfold
from source import value_of


def differences(texts, platforms):
    """A line for each file that is missing, differs, or that no source writes any more."""
    found = []
    for path, text in texts.items():
        committed = Path(platforms) / path
        if not committed.is_file():
            found.append(f"{path}: missing; run convert.py")
        elif committed.read_text(encoding="utf-8") != text:
            found.append(f"{path}: differs from what convert.py writes")
    return found + stale(texts, platforms)


def stale(texts, platforms):
    sources = {record["source"]["file"] for path, text in texts.items() if path.endswith(".jsonl")
               for _, record in unfold(text.splitlines()) if record["record"] == "context"}
    found = []
    places = ("*/measurements/*.jsonl", "*/ratios/*.jsonl", "held-out/*/measurements/*.jsonl")
    for file in sorted(file for place in places for file in Path(platforms).glob(place)):
        path = file.relative_to(platforms).as_posix()
        if path not in texts and next(read_lines(file))[1]["source"].get("file") in sources:
            found.append(f"{path}: no source writes it any more; delete it")
    return found


def wrong_values(sources, texts, platforms):
    """A line for each committed record whose value is not the figure at its pointer. Tables of layers have no pointer a
    value: they are compared as text."""
    found = []
    for path in texts:
        file = Path(platforms) / path
        if not path.endswith(".jsonl") or not file.is_file():
            continue
        for number, record in read_lines(file):
            if record["record"] == "context":
                source, table = origin_of(sources, record["source"]["file"])
            elif record["record"] != "layers" and not agrees(source, table, record):
                found.append(f"{path}:{number}: {record['value']} is not the figure at {record['from']}")
    return found


def origin_of(sources, file):
    """The source that a context's file belongs to, and the file again where it is a table beside the source."""
    if file in sources:
        return sources[file], ""
    return next(source for source in sources.values() if file in source.tables()), file


def agrees(source, table, record):
    try:
        return value_of(source, table, record) == record["value"]
    except (LookupError, ValueError):
        return False


def read_lines(file):
    return unfold(file.read_text(encoding="utf-8").splitlines())
