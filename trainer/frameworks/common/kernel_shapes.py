"""Shapes of matrix products and convolutions, as measurement files of kernels say them."""
import dataclasses
import json
import re

from common.failure import Failure
from common.replay import pass_times

CONV_PASSES = ("forward", "backward-data", "backward-weights")
PASSES = {"gemm": ("forward",), **dict.fromkeys(("conv", "conv1x1", "conv3x3"), CONV_PASSES)}
GEMM = re.compile(r"m(\d+) n(\d+) k(\d+) ([NT])([NT])")  # cuBLAS' words: by columns, T is transposed
CONV = re.compile(r"(\d+)x(\d+)x(\d+) k(\d+) f(\d+)x(\d+) p(\d+)x(\d+) s(\d+)x(\d+)")  # width x height x channels
FP32_BYTES = 4


@dataclasses.dataclass
class Shape:
    layer: str     # as the file says it
    kind: str
    batch: float
    numbers: list  # of the text
    passes: list   # that the file has

    def flop(self):
        """Of each pass."""
        if self.kind == "gemm":
            m, n, k = self.numbers[:3]
            return 2 * m * n * k
        columns, rows = self.places()
        channels, filters, wide, high = self.numbers[2:6]
        return 2 * int(self.batch) * filters * columns * rows * channels * wide * high

    def places(self):
        """(columns, rows) of what a convolution gives"""
        width, height, _, _, wide, high, pad_x, pad_y, step_x, step_y = self.numbers
        return (width + 2 * pad_x - wide) // step_x + 1, (height + 2 * pad_y - high) // step_y + 1

    def size(self):
        """Of a convolution's weights in fp32, as a table of it says it."""
        _, _, channels, filters, wide, high = (*self.numbers, 0)[:6]
        return {} if self.kind == "gemm" else {"size_bytes": [FP32_BYTES * channels * filters * wide * high]}


def shape_of(time):
    """Throws ValueError where the PassTime is none of a kernel."""
    kind, layer, batch, one_pass = time.kind, time.layer, time.batch, time.direction
    found = (GEMM if kind == "gemm" else CONV).fullmatch(str(layer))
    whole = isinstance(batch, int) or isinstance(batch, float) and batch.is_integer()
    if found is None or not whole or batch < 1 or one_pass not in PASSES.get(kind, ()):
        raise ValueError(f"{kind} \"{layer}\", batch {batch}, {one_pass}")
    shape = Shape(layer, kind, batch, [int(word) if word.isdigit() else word for word in found.groups()], [one_pass])
    positive = shape.numbers[:3] if kind == "gemm" else shape.numbers[:6] + shape.numbers[8:]
    if min(positive) < 1 or kind != "gemm" and min(shape.places()) < 1:
        raise ValueError(f"{kind} \"{layer}\", which computes nothing,")
    return shape


def read_shapes(file, limit):
    """In the file's order, each once with all its passes."""
    shapes = {}
    number = 1
    try:
        with open(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                for time in pass_times(json.loads(line)):
                    shape = shape_of(time)
                    known = shapes.setdefault((shape.layer, shape.batch), shape)
                    known.passes += [one for one in shape.passes if one not in known.passes]
    except OSError as error:
        raise Failure(f"--shapes {file}: {error.strerror}", 2)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise Failure(f"{file}:{number}: {error} found; a kernel is expected, as \"m1760 n16 k1760 NN\" or \"700x161x1 "
                      "k32 f20x5 p0x0 s2x2\" (width x height x channels, filters, their size, padding, stride)", 2)
    if not shapes:
        raise Failure(f"{file} has no times of layers", 2)
    return list(shapes.values())[:limit or None]
