"""The text of `convert.py --left-out`: what became records, and what did not and why, a source at a time."""

from collections import Counter

HEADER = """# Published measurements: what was converted and what was left out

A figure is one measured number of a source; a pattern names figures by
their pointer (`*` stands for anything). Every figure of every source is counted here or is in a record.
"""


def render(sink, counts, strangers):
    parts = [HEADER]
    for name in sorted(counts):
        parts.append(section(name, len(sink.used.get(name, ())), sink.left_out.get(name, []), counts[name]))
    if strangers:
        parts.append("## Files no converter reads\n\n" + "".join(f"- {name}\n" for name in strangers))
    return "\n".join(parts)


def section(name, used, left_out, counts):
    text = f"## {name}\n\n{used} figures became records.\n"
    if not left_out:
        return text
    rows = Counter()
    for entry, count in zip(left_out, counts):
        rows[(what_of(entry), entry.why)] += count
    table = "".join(f"| {what} | {count} | {why} |\n" for (what, why), count in rows.items())
    return f"{text}\n| left out | figures | why |\n|---|---|---|\n{table}"


def what_of(entry):
    return f"`{entry.what}`" if entry.pointers is None else entry.what
