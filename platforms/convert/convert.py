#!/usr/bin/env python3
"""Turns a folder of published measurement tables into platforms/CLUSTER/measurements/SOURCE.jsonl, and tables of kernels
into platforms/kernels/GPU.json.

    convert.py SOURCE_FOLDER [--platforms DIR] [--check | --left-out]
    convert.py SOURCE_FOLDER --before-import DIR

The second line writes records of sources that are to be asked blind (`ddlsim validate --blind`) before they are imported.
Same input, same bytes. --check writes nothing: it compares with the files there, and reads every committed record's
value again at its pointer; exit status 1 when anything differs. --left-out writes nothing either: it prints what became
no record, and why.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from check import differences, wrong_values  # noqa: E402
from coverage import account  # noqa: E402
from families import aiconfigurator, azure, bcaffe, ceilings, collectives, dell, dlperf, fsdp  # noqa: E402
from families import github_issues, hkbu, horovod, iris, kernel_tables, kernels, lambda_labs, megatron  # noqa: E402
from families import mlperf, mxnet, nccl, nvidia_examples, pipedream, piz_daint  # noqa: E402
from families import llama_nodes, single_gpu, tensorflow, vtrain  # noqa: E402
from left_out import render  # noqa: E402
from sink import Sink  # noqa: E402
from source import Source  # noqa: E402

FAMILIES = (azure, hkbu, horovod, tensorflow, mxnet, dlperf, nvidia_examples, mlperf, lambda_labs, single_gpu,
            collectives, nccl, pipedream, bcaffe, kernels, kernel_tables, ceilings, github_issues, iris, dell,
            fsdp, llama_nodes, megatron, piz_daint, vtrain)

# Not imported yet: validate/blind.jsonl says how they were asked.
BEFORE_IMPORT = (aiconfigurator,)


def convert(folder, families=FAMILIES):
    """(path below platforms/ -> text, sources, what became no record)"""
    families_of = {}  # several may read one source
    for family in families:
        for name in family.SOURCES:
            families_of.setdefault(name, []).append(family)
    strangers = sorted(path.name for path in Path(folder).glob("*.json") if path.name not in families_of)
    sink, sources, counts = Sink(), {}, {}
    for name in sorted(families_of):
        sources[name] = Source(folder, name)
        for family in families_of[name]:
            family.convert(sources[name], sink)
        counts[name] = account(sources[name], sink.used.get(name, set()), sink.left_out.get(name, []))
    texts = {path: file.text() for path, file in sink.files.items()}
    return texts, sources, render(sink, counts, strangers)


def write(texts, platforms):
    for path, text in texts.items():
        target = Path(platforms) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("source_folder", help="folder with the published tables")
    parser.add_argument("--platforms", default=str(Path(__file__).resolve().parent.parent), help="where clusters live")
    parser.add_argument("--check", action="store_true", help="compare with the files there instead of writing")
    parser.add_argument("--before-import", metavar="DIR", help="write what is to be asked blind into this folder")
    parser.add_argument("--left-out", action="store_true", help="print what became no record, and why, instead of writing")
    arguments = parser.parse_args()
    if arguments.before_import:
        write(convert(arguments.source_folder, BEFORE_IMPORT)[0], arguments.before_import)
        return 0
    texts, sources, left_out = convert(arguments.source_folder)
    if arguments.left_out:
        print(left_out, end="")
        return 0
    if not arguments.check:
        write(texts, arguments.platforms)
        return 0
    found = differences(texts, arguments.platforms) + wrong_values(sources, texts, arguments.platforms)
    print("\n".join(found) if found else f"{len(texts)} files are as converted")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
