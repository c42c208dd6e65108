"""One file of published tables, and the figures in it, addressed by pointer.

A pointer is a JSON pointer (RFC 6901) into the file itself, "/sets/0/points/3/images_per_sec", or a cell of a table
beside it, "deepbench/gemm-m40-fp32.csv#row=12&column=time_ms" (row 1 is the first below the header). A record whose
context names the table as its file has only the second half of that, "#row=12&column=time_ms".
"""

import csv
import json
import statistics
from pathlib import Path


class Source:
    def __init__(self, folder, name):
        self.folder = Path(folder)
        self.name = name
        self.document = json.loads((self.folder / name).read_text(encoding="utf-8"))
        self._tables = {}

    def table(self, relative):
        """Rows of a CSV file beside the JSON file, as dictionaries by column."""
        if relative not in self._tables:
            with open(self.folder / relative, encoding="utf-8", newline="") as file:
                self._tables[relative] = list(csv.DictReader(file))
        return self._tables[relative]

    def tables(self):
        """CSV files that the source names."""
        return [entry["file"] for entry in self.document.get("files", []) if entry["file"].endswith(".csv")]

    def figure(self, pointer):
        """The number (or list of numbers) at a pointer; raises LookupError when there is none."""
        found = self._cell(pointer) if "#" in pointer else resolve(self.document, pointer)
        if isinstance(found, bool) or not isinstance(found, (int, float, list)):
            raise LookupError(f"{self.name}: {pointer}: {found!r} is not a figure")
        return found

    def _cell(self, pointer):
        file, _, place = pointer.partition("#")
        parts = dict(part.split("=", 1) for part in place.split("&"))
        return number(self.table(file)[int(parts["row"]) - 1][parts["column"]])


def resolve(document, pointer):
    """What a JSON pointer points at."""
    place = document
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        place = place[int(part)] if isinstance(place, list) else place[part]
    return place


def number(text):
    """A CSV cell as a number: integers stay integers."""
    value = float(text)
    return int(value) if value.is_integer() and "." not in text else value


def central(figure, statistic):
    """The one value a record carries: the figure itself, or the median or mean of repeated runs."""
    if not isinstance(figure, list):
        return figure
    if statistic not in ("median", "mean"):
        raise ValueError(f"repeated runs need the statistic median or mean, not {statistic}")
    middle = statistics.median(figure) if statistic == "median" else statistics.fmean(figure)
    return round(middle, 9)


def value_of(source, table, record):
    """What a record carries: the figure at its pointer, over that of its base where it names one."""
    statistic = record.get("statistic", "unknown")
    value = central(source.figure(table + record["from"]), statistic)
    if "base_from" not in record:
        return value
    return round(value / central(source.figure(table + record["base_from"]), statistic), 9)


def spread(repeats):
    """Standard deviation of repeated runs over their mean, or None where there are fewer than three."""
    if len(repeats) < 3:
        return None
    return round(statistics.stdev(repeats) / statistics.fmean(repeats), 6)
