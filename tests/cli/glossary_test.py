"""`ddlsim explain` has an entry for each label that a command prints."""

import functools
import re

from program import SOURCE, Case, main, run

HAS_NO_NUMBER = re.compile(r"(?:[^\d]|90 %)+")
SENTENCE = re.compile(r"^([A-Z][a-z]+(?:[ -][a-z]+){0,2}): ", re.MULTILINE)
PLAIN = {"note", "more", "what"}
VALUES_OF = ("dominates", "evidence")  # last columns, whose cells are labels, too
PREDICT = "scenarios/iris-resnet50.json"
COMMANDS = (
    ("predict", PREDICT, "--gpus", "1,8,96", "--why"),
    ("predict", PREDICT, "--gpus", "8,64", "--strategy", "ring", "--sweep", "/batch_per_gpu=32,64", "--fidelity", "formula"),
    ("predict", PREDICT, "--collective", "all-reduce", "--strategy", "auto", "--gpus", "4,64", "--sizes", "64KiB,4MiB"),
    ("predict", "scenarios/pascal-servers-or-horovod.json", "--fidelity", "formula", "--details"),
    ("predict", "scenarios/p5-llama-3.1-8b-pipeline.json", "--gpus", "8,64", "--fidelity", "formula", "--details"),
    ("predict", "scenarios/a100-resnet50-from-lustre.json", "--gpus", "8,32", "--fidelity", "formula", "--details"),
    ("predict", "scenarios/iris-vgg16-shared.json", "--gpus", "16", "--details"),
    ("plan", "scenarios/plans/extend-iris.json"),
    ("diagnose", "scenarios/pascal-servers-or-horovod.json", "--strategy", "auto", "--step", "4=530 ms", "--step", "16=820 ms", "--details"),
    ("calibrate", "--cluster", "azure-nc24rs-v2-p100", "--output", "mine.json", "--details"),
    ("calibrate", "--kernels", "--output", "rates.json"),
    ("validate", "--cluster", "azure-nc24rs-v2-p100", "--split", "T2"),
    ("predict", PREDICT, "--gpus", "8,96", "--fidelity", "formula", "--details"),
    ("predict", "scenarios/h100-mpt-13b-fsdp.json", "--gpus", "8,32", "--fidelity", "formula"),
    ("predict", "scenarios/h100-mpt-13b-fsdp.json", "--gpus", "8,32", "--fidelity", "formula", "--details"),
    ("plan", "scenarios/plans/extend-iris.json", "--details"),
    ("validate", "--cluster", "azure-nc24rs-v2-p100", "--split", "T2", "--details"),
    *(("list", what, "--details") for what in ("models", "gpus", "clusters", "presets", "inputs", "convergence")),
    *(("list", what) for what in ("models", "gpus", "clusters", "presets", "inputs", "convergence")),
)


def cells(line):
    return [cell for cell in re.split(r" {2,}", line.strip()) if cell]


def bare(label):
    """'+ exposed' -> 'exposed', 'iteration (90 %)' -> 'iteration', 'mean error, %' -> 'mean error'."""
    return re.sub(r"\s*\([^)]*\)|^\+ |,.*| %$", "", label).strip().lower()


def is_head(lines, number):
    """A line of three cells or more without a number above one with numbers, but not one of several rows of words."""
    head, row = lines[number], lines[number + 1]
    above = cells(lines[number - 1]) if number else []
    return (len(cells(head)) >= 3 and HAS_NO_NUMBER.fullmatch(head) and len(cells(row)) >= 3
            and (number == 0 or (re.search(r"\d", row) and (len(above) < 3 or re.search(r"\d", lines[number - 1])))))


def labels(text):
    """Heads of tables, cells of the columns in VALUES_OF, and words before a colon at the beginning of a line."""
    found = {match.lower() for match in SENTENCE.findall(text)}
    lines = text.splitlines()
    for number in range(len(lines) - 1):
        if is_head(lines, number):
            heads = cells(lines[number])
            found.update(bare(each) for each in heads)
            for below in lines[number + 1:] if heads[-1] in VALUES_OF else []:
                if not re.search(r"\d", below) or len(cells(below)) < 3:
                    break
                found.update(cells(below)[-1].split(", "))
    return found - PLAIN - {"", "-"}


@functools.cache
def is_explained(term):
    return run("explain", "--", term).returncode == 0


def has_entry(label):
    """Some tables have one blank between two heads."""
    return is_explained(label) or all(map(is_explained, label.split()))


class Glossary(Case):
    def test_each_label_that_a_command_prints_has_an_entry(self):
        missing = {}
        for folder in ("scenarios", "platforms"):
            (self.folder / folder).symlink_to(SOURCE / folder)
        for command in COMMANDS:
            printed = run(*command, cwd=self.folder).stdout
            self.assertTrue(printed, command)
            missing.update({label: " ".join(command) for label in labels(printed) if not has_entry(label)})
        self.maxDiff = None
        self.assertEqual(missing, {}, "write an entry into docs/glossary.md, or name the label in the bracket of one")


if __name__ == "__main__":
    main()
