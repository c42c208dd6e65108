"""Where converted records go: one file a (cluster, source), and a list of what was left out and why."""

from fnmatch import fnmatchcase
from pathlib import Path

from common_lines import fold, line
from layer_tables import LayerTable
from source import value_of

HEAD = ("record", "series", "from", "origin", "gpu", "transport", "library", "software", "statistic", "repeats",
        "relative_spread", "suspect", "note")
UNKNOWN = {"transport": "unknown", "library": "unknown", "statistic": "unknown"}
LEFT_OUT = (*UNKNOWN, "algorithm")  # where they are unknown, as readers then take them for


def follows(record, key):
    """Whether a reader takes the field for what it is where a line leaves it out (docs/formats.md, Measurements)."""
    if key in LEFT_OUT:
        return record[key] == "unknown"
    if key == "origin":
        return record[key] == ("table" if "from" in record else "run")
    if record["record"] != "step":
        return False
    return {"wire_precision": "fp32" if record["precision"] == "fp32" else "unknown", "mode": "train",
            "gpus_per_node": -(-record["gpus"] // record["nodes"])}.get(key) == record[key]


class MeasurementFile:
    """One platforms/CLUSTER/measurements/NAME.jsonl in the making, or one of another folder of the cluster."""

    def __init__(self, sink, source, cluster, path):
        self.path = path
        self._cluster = cluster.removeprefix("held-out/")
        self._leaves_out = self._cluster == cluster  # held-out files stay as they were when they were asked
        self.records = []
        self._sink, self._source = sink, source
        self._context, self._tables = None, {}

    def go_on(self, context):
        """What is added from here on is of this context."""
        if context != self._context:
            self.records.append({"record": "context", "version": 1, "cluster": self._cluster, **context})
        self._context = context
        self._table = context["source"]["file"] if context["source"]["file"] != self._source.name else ""

    def add(self, record_kind, pointer, **fields):
        """One record; its value is read at the pointer, over that at `base_from` where there is one. Fields that are
        None are absent."""
        head = {"record": record_kind, "from": pointer.removeprefix(self._table), "origin": "table", **UNKNOWN}
        record = {**head, **{key: value for key, value in fields.items() if value is not None}}
        record["value"] = value_of(self._source, "", {**record, "from": pointer})
        if record["value"] <= 0:
            raise ValueError(f"{self._source.name}: {pointer}: {record['value']} is not a measurement")
        order = [key for key in HEAD if key in record] + [key for key in record if key not in HEAD]
        if self._leaves_out:
            order = [key for key in order if not follows(record, key)]
        self._sink.use(self._source, pointer)
        if "base_from" in record:
            self._sink.use_as_base(self._source, record["base_from"])
        self.records.append({key: record[key] for key in order})

    def table(self, series, place, model, part="", **head):
        """The layer table of that series and part, begun where it is first asked for; `place` is where in the source its
        times stand."""
        if (series, part) not in self._tables:
            head = {"series": series, "from": place.removeprefix(self._table), "origin": "table", **head}
            self._tables[series, part] = LayerTable(head, model, self._figure)
            self.records.append(self._tables[series, part])
        return self._tables[series, part]

    def _figure(self, pointer):
        """A time of a table."""
        value = value_of(self._source, "", {"from": pointer})
        if value <= 0:
            raise ValueError(f"{self._source.name}: {pointer}: {value} is not a measurement")
        self._sink.use(self._source, pointer)
        return value

    def text(self):
        records = [one.record() if isinstance(one, LayerTable) else one for one in self.records]
        return "\n".join(fold(records) if self._leaves_out else map(line, records)) + "\n"


class LeftOut:
    """Figures of a source that are not converted: all that match a pattern, or a set of pointers."""

    def __init__(self, what, why, pointers):
        self.what, self.why, self.pointers = what, why, pointers

    def covers(self, pointer):
        return fnmatchcase(pointer, self.what) if self.pointers is None else pointer in self.pointers


class Sink:
    def __init__(self):
        self.files = {}      # path below platforms/ -> MeasurementFile
        self.used = {}       # source name -> pointers that became records
        self.left_out = {}   # source name -> [LeftOut]

    def open(self, source, cluster, context, part=None, folder="measurements"):
        """The file of one source in one cluster, or in "held-out/NAME", from which nothing learns; `part` names a piece of a
        source that is of other software, or too large for one file. Speed-ups are in the folder "ratios", which nothing
        learns from either."""
        name = Path(source.name).stem + (f"-{part}" if part else "")
        path = f"{cluster}/{folder}/{name}.jsonl"
        file = self.files.setdefault(path, MeasurementFile(self, source, cluster, path))
        file.go_on(context)
        return file

    def use(self, source, pointer):
        pointers = self.used.setdefault(source.name, set())
        if pointer in pointers:
            raise ValueError(f"{source.name}: {pointer} became two records")
        pointers.add(pointer)

    def use_as_base(self, source, pointer):
        """Several speed-ups may have one base."""
        self.used.setdefault(source.name, set()).add(pointer)

    def leave_out(self, source, pattern, why):
        """Figures whose pointer matches the pattern (* and ? as in a shell) are not converted, for this reason."""
        self.left_out.setdefault(source.name, []).append(LeftOut(pattern, why, None))

    def leave_out_each(self, source, what, why, pointers):
        """The same for a list of pointers that no pattern tells apart; `what` names them. An empty list is no entry."""
        if pointers:
            self.left_out.setdefault(source.name, []).append(LeftOut(what, why, frozenset(pointers)))


def context(source, gpu, machine, software, date, who, where=None, path=None, table=None):
    """The first line of a file, without its cluster. `where` is a block with the public source, if not the file's;
    `table` the CSV file that all records of the file point into, if they do."""
    block = where or source.document["source"]
    public = {"title": block.get("title", source.document["source"].get("title", "")),
              "repository": block.get("repo", ""), "path": path or block.get("path", block.get("file", "")),
              "commit": block.get("commit", ""), "file": table or source.name}
    return {"gpu": gpu, "machine": machine, "software": software, "date": date, "who": who, "source": public,
            "emulated": False}
