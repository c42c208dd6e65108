"""Is what the documents show what the program prints? With --write: make it so.

usage: readme_test.py DDLSIM SOURCE_FOLDER [--whole] [--write]

Checked in README.md and docs/*.md are fenced blocks whose first line is "$ ./run ddlsim ARGS" (a last line "..." stands for the rest
of the output) and the accuracy tables between their comments (those of docs/accuracy.md by accuracy_tables.py). The validation behind the
tables also has to hold validate/accuracy.json.

The whole validation takes half an hour of processor time. Without --whole only sites never seen are validated anew: rows of other splits
are compared with validate/accuracy.json, whose figures the whole validation holds. --write validates all.
"""

import json
import re
import shlex
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from accuracy_tables import SPLITS as NEW_SPLITS
from accuracy_tables import with_tables

DDLSIM, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
BLOCK = re.compile(r"```\n(\$ \./run ddlsim ([^\n]*)\n)(.*?)```", re.DOTALL)
TABLE = re.compile(r"(<!-- accuracy: begin -->\n)(.*?)(<!-- accuracy: end -->)", re.DOTALL)
OTHER_TABLE = re.compile(r"(<!-- other accuracy: begin -->\n)(.*?)(<!-- other accuracy: end -->)", re.DOTALL)
SPLITS = (*NEW_SPLITS, "as-shipped", "as-shipped-without")
OTHER_SPLITS = ("T1", "T2", "T3", "leave-one-model-out", "leave-one-strategy-out", "leave-one-cluster-out")
WHOLE = "--whole" in sys.argv or "--write" in sys.argv
FIRST_SCREEN = 25  # lines of output that the README shows at most


@lru_cache(maxsize=None)
def run(arguments):
    result = subprocess.run([DDLSIM, *shlex.split(arguments)], capture_output=True, text=True, cwd=SOURCE, timeout=4500)
    if result.returncode not in (0, 3):  # 3: diagnose found what it is asked to find
        sys.exit(f"ddlsim {arguments}: exit {result.returncode}: {result.stderr}")
    return result.stdout


def shown_output(match):
    output, shown = run(match.group(2)), match.group(3)
    if not shown.endswith("...\n"):
        return output
    return "".join(line + "\n" for line in output.split("\n")[:shown.count("\n") - 1]) + "...\n"


def validated_row(validation, split):
    methods = validation["methods"]
    scores = validation["overall"][split]
    most = max(scores[method]["points"] for method in methods)
    cells = []
    for method in methods:
        error, points = scores[method]["mean_error"], scores[method]["points"]
        cells.append("-" if error is None else f"{100 * error:.1f}{'*' if points < most else ''}")
    refused = 100 * scores["ddlsim"]["refused"] / most
    held = 100 * scores["ddlsim"]["coverage"]
    return f"| {split} | {most} | {refused:.0f} % | " + " | ".join(cells) + f" | {held:.0f} % |"


def barred_row(methods, split, shown):
    """The row as it is shown, but for figures of which validate/accuracy.json, two digits after the point, knows better."""
    figures = json.loads((SOURCE / "validate" / "accuracy.json").read_text())["splits"][split]["figures"]
    cells = re.search(rf"^\| {split} \|.*$", shown, re.MULTILINE)[0].split(" | ")
    own = 3 + methods.index("ddlsim")
    if abs(float(cells[own].rstrip("*")) - figures["mean_error"]) > 0.05 + 0.006:
        cells[own] = f"{figures['mean_error']:.1f}"
    if abs(max(0, 90 - float(cells[-1].split()[0])) - figures["uncovered"]) > 0.5 + 0.006:
        cells[-1] = f"{90 - figures['uncovered']:.0f} % |"
    return " | ".join(cells)


@lru_cache(maxsize=None)
def validation():
    """One run, of minutes, serves all tables and the bar."""
    splits = "" if WHOLE else f"--split {','.join(NEW_SPLITS)}"
    bar = "--bar validate/accuracy.json" if (SOURCE / "validate" / "accuracy.json").exists() else ""
    return json.loads(run(f"validate --json --quiet {splits} {bar}"))


def accuracy_table(splits, shown):
    methods = validation()["methods"]
    head = ["| mean error, % | points | refused | " + " | ".join(methods) + " | held |", "|---|---|---|" + "---|" * (len(methods) + 1)]
    rows = [validated_row(validation(), split) if WHOLE or split in NEW_SPLITS else barred_row(methods, split, shown) for split in splits]
    return "\n".join(head + rows) + "\n\n`*`: not every point answered.\n"


def as_it_should_be(text):
    text = BLOCK.sub(lambda match: "```\n" + match.group(1) + shown_output(match) + "```", text)
    text = TABLE.sub(lambda match: match.group(1) + accuracy_table(SPLITS, match.group(2)) + match.group(3), text)
    text = OTHER_TABLE.sub(lambda match: match.group(1) + accuracy_table(OTHER_SPLITS, match.group(2)) + match.group(3), text)
    return with_tables(text, validation)


def check(document):
    """Writes the document anew, or ends with the first line that is wrong."""
    name, text = document.relative_to(SOURCE), document.read_text()
    right = as_it_should_be(text)
    if right == text:
        print(f"{name}: {len(BLOCK.findall(text))} blocks of output are what the program prints")
        return
    if "--write" in sys.argv:
        document.write_text(right)
        return
    for number, (a, b) in enumerate(zip(text.split("\n"), right.split("\n")), 1):
        if a != b:
            sys.exit(f"{name}:{number}: shows\n  {a}\nand the program prints\n  {b}\nmake it true: python3 tests/cli/readme_test.py "
                     "build/release/bin/ddlsim . --write")
    sys.exit(f"{name}: the program prints more, or fewer, lines than it shows")


def main():
    readme = SOURCE / "README.md"
    text = readme.read_text()
    blocks = BLOCK.findall(text)
    if not blocks or not TABLE.search(text):
        sys.exit(f"README.md: found {len(blocks)} blocks of real output; expected a prediction, and the accuracy table")
    longest = max(shown.count("\n") for _, _, shown in blocks)
    if longest > FIRST_SCREEN:
        sys.exit(f"README.md: shows {longest} lines of output; {FIRST_SCREEN} at most, more in docs/")
    for document in sorted((SOURCE / "docs").glob("*.md")) + [readme]:  # the README's table takes minutes
        check(document)


if __name__ == "__main__":
    main()
