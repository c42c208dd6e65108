"""Do the commands of README.md, docs/*.md and the studies run, and does the README show an answer of today's form? With --write: show today's answer.

usage: readme_test.py DDLSIM SOURCE_FOLDER [--write]

Commands are the lines "    ./run ddlsim ARGS", and "$ ./run ddlsim ARGS" at the top of a fenced block, which has the output below it (a last
line "..." stands for more). The form of a text is the text without its numbers, their units and its line breaks: a change of the model
moves numbers, and `./run release-docs` (this test with --write) puts those of a release into the README.

A document's commands run in order, in a folder of their own. One that names a file that is not there is about a file of the reader's
own, and one that takes minutes has a test of its own: of both only the options are checked. A link to a file of the project leads there.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DDLSIM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
WRITE = "--write" in sys.argv
COMMAND = re.compile(r"^(?:    |\$ )(\./run ddlsim .*)$", re.MULTILINE)
BLOCK = re.compile(r"```\n(\$ (\./run ddlsim [^\n]*)\n)(.*?)```", re.DOTALL)
PICTURE = re.compile(r"<!-- drawn by ddlsim (predict [^\n]*?) -->\n!\[[^\]]*\]\(([^)]+\.svg)\)")
LINK = re.compile(r"\[[^\]]*\]\(([\w./-]+)?(?:#([\w-]+))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
BLIND = re.compile(r"<!-- blind: begin -->\n(.*?)<!-- blind: end -->", re.DOTALL)
NUMBER = re.compile(r"[+-]?\d[\d.,]*(?:e[+-]?\d+)?(?:k|M)?(?: (?:ns|us|ms|s|min|h|B|[kMG]B)\b)?")
TAKES_MINUTES = ("./run ddlsim validate", "./run ddlsim calibrate --priors")
WRITTEN_BY = ("--output", "--html", "--svg", "--trace", "--layers")  # options whose file need not be there
DATA = ("scenarios", "platforms")
STUDIES = "scenarios/studies/README.md"
ANSWER_LINES = 20  # lines of output that the README shows at most
README_LINES = 115


def form(text):
    return " ".join(NUMBER.sub("#", text).split())


def make_folder(folder, data):
    """What a fresh checkout has for commands: ./run and the data."""
    folder.mkdir()
    for name in DATA:
        (folder / name).symlink_to(data / name)
    script = folder / "run"
    script.write_text(f'#!/bin/sh\nshift\nexec {shlex.quote(str(DDLSIM))} "$@"\n')
    script.chmod(0o755)


def answer(command, folder):
    """What the command prints. Exit status 3 is `diagnose` that found what it is asked to find."""
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=folder, timeout=900)
    if result.returncode not in (0, 3):
        sys.exit(f"{command}: exit {result.returncode}: {result.stderr}")
    return result.stdout


def names_a_file_of_the_readers_own(command, folder):
    words = shlex.split(command, comments=True)
    files = [word for before, word in zip(words, words[1:])
             if before not in WRITTEN_BY and re.fullmatch(r"FILE|[\w./-]+\.(?:json|jsonl|csv|log|txt)", word)]
    return any(not (folder / file).exists() for file in files)


def check_options(command):
    words = shlex.split(re.sub(r"[][]", " ", command), comments=True)[2:]
    names = [word for word in words if not word.startswith("-")]
    for part in (names[:2], names[:1]):
        help_text = subprocess.run([DDLSIM, *part, "--help"], capture_output=True, text=True, timeout=60)
        if help_text.returncode == 0:
            break
    for option in (word for word in words if word.startswith("--")):
        if not re.search(rf"{option}\b", help_text.stdout):
            sys.exit(f"{command}: {' '.join(part)} has no option {option}")


def check_commands(document, data):
    """What each command that can be run prints."""
    check_links(document)
    outputs, commands = {}, COMMAND.findall(document.read_text())
    folder = data / "-".join(document.relative_to(SOURCE).parts)
    make_folder(folder, data)
    for command in commands:
        check_options(command)
        if not command.startswith(TAKES_MINUTES) and not names_a_file_of_the_readers_own(command, folder):
            outputs[command] = answer(command, folder)
    print(f"{document.name}: ran {len(outputs)} of {len(commands)} commands", flush=True)
    return outputs


def anchors(document):
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(document.read_text())}


def check_links(document):
    for path, anchor in LINK.findall(document.read_text()):
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            sys.exit(f"{document.relative_to(SOURCE)}: nothing is at the link ({path}{'#' if anchor else ''}{anchor})")


def cut_as(shown, output):
    if not shown.endswith("...\n"):
        return output
    return "".join(line + "\n" for line in output.split("\n")[:shown.count("\n") - 1]) + "...\n"


def check_form(name, shown, today):
    a, b = form(shown.removesuffix("...\n")), form(today)
    if a != b and not (shown.endswith("...\n") and b.startswith(a)):
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        sys.exit(f"{name} shows another form than the program gives, here:\n  {a[max(0, at - 60):at + 60]}\n  {b[max(0, at - 60):at + 60]}\n"
                 "write it anew: ./run release-docs")


def texts_of(picture):
    """The words in it, each once: where labels stand, and how many marks there are, changes with the model."""
    return "\n".join(sorted({form(text) for text in re.findall(r">([^<>\n]+)<", picture.read_text())}))


def check_picture(text):
    for question, picture in PICTURE.findall(text):
        with tempfile.TemporaryDirectory() as folder:
            today = Path(folder) / "picture.svg"
            subprocess.run([DDLSIM, *shlex.split(question), "--quiet", "--svg", today], stdout=subprocess.DEVNULL, cwd=SOURCE, check=True)
            if WRITE:
                (SOURCE / picture).write_text(today.read_text())
            check_form(picture, texts_of(SOURCE / picture), texts_of(today))


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def best_baseline(cell):
    """"amdahl 22, linear 23" -> " (amdahl 22)"; nothing where no baseline answered."""
    found = re.findall(r"([^,]+?) (\d+)(?:,|$)", cell)
    return f" ({min(found, key=lambda each: int(each[1]))[0].strip()} {min(int(number) for _, number in found)})" if found else ""


def first_answers(table):
    """Five columns of the log's table, and of each question the first answer only: a later one was given with the first in sight."""
    header, _, *rows = table.splitlines()
    lines = ["| predicted | known before | points | mean error, % (best baseline) | inside the 90 % interval |", "|---|---|---|---|---|"]
    seen = set()
    for row in rows:
        of = dict(zip(cells(header), cells(row)))
        question = f"{of['source'].split(' (')[0]}: {of['what']}", of["known before"]
        if question not in seen:
            error = of["mean error, %"] + best_baseline(cells(row)[-1])
            lines.append(f"| {question[0]} | {question[1]} | {of['points']} | {error} | {of['held']} |")
        seen.add(question)
    return "\n".join(lines) + "\n"


def check_blind_table(text):
    """Every row that the README shows is one of the log: the log may have grown since the last release."""
    log = subprocess.run([DDLSIM, "validate", "--blind", "--data", SOURCE], capture_output=True, text=True, check=True).stdout
    rows = first_answers(log)
    shown = BLIND.search(text).group(1)
    if WRITE:
        return BLIND.sub(lambda match: match.group(0).replace(match.group(1) + "<!-- blind: end", rows + "<!-- blind: end"), text)
    strangers = [row for row in shown.splitlines() if row not in rows.splitlines()]
    if strangers or not shown:
        sys.exit(f"README.md: the blind table has a row that validate/blind.jsonl does not give: {strangers}\nwrite it anew: ./run release-docs")
    return text


def check_readme(document, outputs):
    text = document.read_text()
    blocks = BLOCK.findall(text)
    if len(blocks) != 1 or not PICTURE.search(text) or not BLIND.search(text):
        sys.exit("README.md: expected one block of output, its picture, and the marks of the blind table")
    _, command, shown = blocks[0]
    if shown.count("\n") > ANSWER_LINES:
        sys.exit(f"README.md: shows {shown.count(chr(10))} lines of output; {ANSWER_LINES} at most")
    if text.count("\n") > README_LINES:
        sys.exit(f"README.md: has {text.count(chr(10))} lines; {README_LINES} at most")
    text = check_blind_table(text)
    if WRITE:
        written = BLOCK.sub(lambda match: "```\n" + match.group(1) + cut_as(shown, outputs[command]) + "```", text)
        document.write_text(written)
    else:
        check_form("README.md", shown, outputs[command])
    check_picture(text)


def main():
    with tempfile.TemporaryDirectory() as data:
        for name in DATA:  # copied, because `calibrate` writes beside its records
            shutil.copytree(SOURCE / name, Path(data) / name)
        check_readme(SOURCE / "README.md", check_commands(SOURCE / "README.md", Path(data)))
        for document in [] if WRITE else [*sorted((SOURCE / "docs").glob("*.md")), SOURCE / STUDIES]:
            if BLOCK.search(document.read_text()):
                sys.exit(f"{document.relative_to(SOURCE)}: shows output, which a change of the model moves; show the command, and say in words what it answers")
            check_commands(document, Path(data))


if __name__ == "__main__":
    main()
