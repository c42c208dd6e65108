#!/usr/bin/env python3
"""Does every schema that names strategies list the all-reduces of sim/formats/collectives.def?

usage: strategy_names.py [--write] [ROOT]     --write puts the names into the schemas
"""
import pathlib
import re
import sys

SCHEMAS = ("measurement",)
# The all-reduces stand between the first of them and what is no algorithm: "all-reduce" in records, "auto" in questions.
LISTED = re.compile(r'"ring"(?:,\s*"[a-z0-9-]+")*?(?=,\s*"(?:all-reduce|auto)")')


def names_of(table):
    """The names in files, in the order of the table's rows."""
    return re.findall(r'^DDLSIM_ALL_REDUCE\(\w+, "([a-z0-9-]+)"\)', table, re.MULTILINE)


def with_names(schema, names):
    """The schema's text with these names in its list, separated as they were."""

    def listed(match):
        separator = re.search(r",\s*", match.group(0))
        return (separator.group(0) if separator else ", ").join(f'"{name}"' for name in names)

    text, lists = LISTED.subn(listed, schema)
    if lists != 1:
        sys.exit(f"found {lists} lists of strategies, expected one; look at LISTED in {__file__}")
    return text


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    root = pathlib.Path(words[0] if words else pathlib.Path(__file__).parents[2]) / "sim/formats"
    names = names_of((root / "collectives.def").read_text())
    stale = 0
    for schema in (root / "schemas" / f"{name}.schema.json" for name in SCHEMAS):
        text = with_names(schema.read_text(), names)
        if text == schema.read_text():
            continue
        if "--write" in sys.argv:
            schema.write_text(text)
            continue
        stale += 1
        print(f"{schema.name}: found other all-reduces than in collectives.def; run tests/formats/strategy_names.py --write")
    print(f"{len(names)} all-reduces, {len(SCHEMAS)} schemas, {stale} of them stale")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
