"""AIConfigurator's times of matrix products and of attention on one GPU: platforms/kernels/NAME.json, a file a GPU."""

import json
from itertools import groupby
from pathlib import Path

from families.aiconfigurator import MACHINES, SOURCES  # noqa: F401

PRECISIONS = {"bfloat16": "bf16", "fp8": "fp8", "fp8_block": "fp8-block", "nvfp4": "nvfp4"}
FEWEST_TOKENS = 1024  # products of fewer are of inference, and the fit of a training step leaves them out
HEAD_SIZES = (64, 128)
COMMON_GROUPS = (1, 4, 8)  # query heads a key head; the others differ by nothing


def convert(source, sink):
    name = Path(source.name).stem
    sink.files[f"kernels/{name}.json"] = KernelFile(source.document, MACHINES[name][1])


class KernelFile:
    """One file in the making."""

    def __init__(self, document, gpu):
        block = document["source"]
        self._head = {"format": "ddlsim-kernels", "version": 1, "gpu": gpu,
                      "source": {"title": block["title"], "repository": block["repo"], "commit": block["commit"],
                                 "licence": block["licence"], "date": block["accessed"][:10]}}
        self._products = [table(one, {"precision": PRECISIONS[one["dtype"]]}, product_rows(one)) for one in document["gemm"]]
        self._attention = [table(one, {}, attention_rows(one)) for one in document["attention"]]

    def text(self):
        head = json.dumps(self._head, indent=1)[:-2]
        return f'{head},\n "products": {tables_text(self._products)},\n "attention": {tables_text(self._attention)}\n}}\n'


def table(one, first, rows):
    return {**first, "software": one["software"].replace("vllm", "vLLM"), "kernel": " ".join(one["kernels"]), "path": one["path"],
            "unit": "us"}, rows


def product_rows(one):
    return [row for row in one["rows"] if row[0] >= FEWEST_TOKENS]


def attention_rows(one):
    rows = [row for row in one["rows"] if row[4] in HEAD_SIZES and row[2] // row[3] in COMMON_GROUPS]
    return [row for i, row in enumerate(rows) if row[:5] not in [other[:5] for other in rows[:i]]]  # some stand twice


def tables_text(tables):
    return "[" + ",".join(table_text(*one) for one in tables) + "\n ]"


def table_text(head, rows):
    """The rows of one size of batch, or of tokens, on each line."""
    lines = (",".join(json.dumps(row, separators=(",", ":")) for row in same) for _, same in groupby(rows, lambda row: row[:2]))
    return "\n  " + json.dumps(head)[:-1] + ', "rows": [\n' + ",\n".join(lines) + "]}"
