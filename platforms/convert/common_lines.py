"""Lines of a measurement file without what neighbours repeat: docs/formats.md, "Fields that records share"."""

import json
import sys
from pathlib import Path

MOST_RECORDS = 80  # of one line of shared fields; a longer run has the next
LINE_BYTES = len('{"record":"common","next":12,"fields":{}}\n')


def line(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def size_of(record):
    return len(line(record).encode())


def shared(one, other):
    return {key: value for key, value in one.items() if key in other and line(other[key]) == line(value)}


def runs(records):
    """Where to cut the records so that the file is shortest: for each run how many there are, and what they share."""
    least, cut = [0] + [float("inf")] * len(records), [None] * (len(records) + 1)
    sizes = [size_of(record) + 1 for record in records]
    for first in range(len(records)):
        common, of_run = records[first], 0
        for last in range(first, min(len(records), first + MOST_RECORDS)):
            common = shared(common, records[last])
            of_run += sizes[last]
            count = last - first + 1
            # a field takes a comma in each record, and none of those where it stands for all
            saved = sum(size_of({key: value}) - 1 for key, value in common.items()) * (count - 1) - LINE_BYTES
            bytes_ = least[first] + of_run - max(0, saved)
            if bytes_ < least[last + 1]:
                least[last + 1], cut[last + 1] = bytes_, (first, common if saved > 0 else {})
            if not common:
                break
    end = len(records)
    found = []
    while end > 0:
        first, common = cut[end]
        found.append((end - first, common))
        end = first
    return reversed(found)


def fold(records):
    """The file's lines: contexts as they are, each run of records after what these share."""
    lines, waiting = [], []

    def put():
        at = 0
        for count, common in runs(waiting):
            if common:
                lines.append(line({"record": "common", "next": count, "fields": common}))
            lines.extend(line({key: value for key, value in record.items() if key not in common})
                         for record in waiting[at:at + count])
            at += count
        waiting.clear()

    for record in records:
        if record["record"] != "context":
            waiting.append(record)
            continue
        put()
        lines.append(line(record))
    put()
    return lines


def unfold(lines):
    """(number of the line, record) for contexts and records, each with all of its fields."""
    left, common = 0, {}
    for number, text in enumerate(lines, 1):
        record = json.loads(text)
        if record.get("record") == "common":
            left, common = record["next"], record["fields"]
        else:
            yield number, {**common, **record} if left > 0 else record
            left -= 1


def main(files):
    """Writes files of own runs anew, without what neighbours repeat."""
    for file in map(Path, files):
        records = [record for _, record in unfold(file.read_text(encoding="utf-8").splitlines())]
        file.write_text("\n".join(fold(records)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
