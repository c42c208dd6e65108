#!/usr/bin/env python3
"""Has docs/formats.md the keys that the tables of fields have?

usage: field_lists.py DDLSIM ROOT [--write]     --write puts today's lists into the page

A list stands between "<!-- keys of KIND: begin -->" and "<!-- keys of KIND: end -->".
"""
import pathlib
import re
import subprocess
import sys

LIST = re.compile(r"(<!-- keys of ([\w-]+): begin -->\n)(.*?)(<!-- keys of \2: end -->)", re.DOTALL)


def main():
    ddlsim, root = sys.argv[1:3]
    page = pathlib.Path(root) / "docs" / "formats.md"
    stale = []

    def today(block):
        command = [ddlsim, "schema", block.group(2), "--markdown"]
        keys = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if keys != block.group(3):
            stale.append(block.group(2))
        return block.group(1) + keys + block.group(4)

    text = page.read_text()
    kinds = [block.group(2) for block in LIST.finditer(text)]
    written = LIST.sub(today, text)
    if "--write" in sys.argv:
        page.write_text(written)
        return 0
    for kind in stale:
        print(f"docs/formats.md: the keys of {kind} are not those of its table; run tests/formats/field_lists.py --write")
    print(f"{len(kinds)} lists of keys, {len(stale)} of them stale")
    return 1 if stale or not kinds else 0


if __name__ == "__main__":
    sys.exit(main())
