"""Are the documents' pictures what their scripts draw of the program's answers? With --write: draw them anew.

usage: pictures_test.py DDLSIM SOURCE_FOLDER [--write]

Before a picture in README.md or docs/*.md stands how it is drawn:
    <!-- drawn by docs/draw_trace.py: predict ARGS -->      a script that reads a trace
    <!-- drawn by docs/draw_curve.py: predict ARGS -->      one that reads --json
    ![text](picture.svg)
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

DDLSIM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+\.svg)\)")
DRAWN = re.compile(r"<!-- drawn by (docs/\w+\.py): predict ([^\n]*?) -->\n!\[[^\]]*\]\(([^)]+\.svg)\)")


def output_of(*command, text=None):
    result = subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, cwd=SOURCE, timeout=600)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}: {result.stderr}")
    return result.stdout


def drawn(script, arguments):
    predict = (DDLSIM, "predict", *shlex.split(arguments), "--quiet")
    if script == "docs/draw_curve.py":
        return output_of(sys.executable, script, text=output_of(*predict, "--json"))
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        output_of(*predict, "--trace", trace)
        return output_of(sys.executable, script, trace)


def check(document):
    name, text = document.relative_to(SOURCE), document.read_text()
    explained = {picture for _, _, picture in DRAWN.findall(text)}
    for picture in PICTURE.findall(text):
        if picture not in explained:
            sys.exit(f"{name}: nothing says how {picture} is drawn; put a comment before it as {__file__} explains")
    for script, arguments, picture in DRAWN.findall(text):
        file, right = document.parent / picture, drawn(script, arguments)
        if "--write" in sys.argv:
            file.write_text(right)
        elif not file.exists() or file.read_text() != right:
            sys.exit(f"{name}: {picture} is not what {script} draws today; look at it after: python3 tests/cli/pictures_test.py "
                     "build/release/bin/ddlsim . --write")
        else:
            print(f"{name}: {picture} is what {script} draws")
    return len(explained)


def main():
    if sum(check(document) for document in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]) == 0:
        sys.exit("no document has a picture; expected one in README.md")


if __name__ == "__main__":
    main()
