"""PyTorch: matrix products and convolutions of the shapes in a measurement file of kernels. It trains nothing."""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.processors import Disturbance, own_cpu_s  # noqa: E402
from common.failure import Failure, end_on_failure  # noqa: E402
from common.job import this_job  # noqa: E402
from common.kernel_shapes import read_shapes  # noqa: E402
from common.records import RecordFile, add_record_options, context, rounded, settings_here  # noqa: E402

NAME = "pytorch-kernels"
PRECISIONS = {"cpu": ("fp32", "bf16"), "cuda": ("fp32", "tf32", "bf16", "fp16")}
MEANS = 5            # whose median is told
WARM_UP = 2          # launches that are not timed: the library chooses a kernel and gets its memory
MOST_LAUNCHES = 200  # of a mean: queued at once


def read_options(words):
    parser = argparse.ArgumentParser(prog=NAME, allow_abbrev=False)
    parser.add_argument("--shapes", required=True, help="measurement file whose tables of layers have them")
    parser.add_argument("--device", default="cpu", choices=list(PRECISIONS))
    parser.add_argument("--precision", default="fp32", choices=PRECISIONS["cuda"])
    parser.add_argument("--limit", type=int, default=0, help="the file's first so many shapes; 0 does not limit")
    parser.add_argument("--seconds", type=float, default=0.1, help="that a kernel is timed, roughly")
    parser.add_argument("--threads", type=int, default=1, help="that a processor computes with")
    parser.add_argument("--gpu", default="", help="the GPU's name in the catalogue, for the records")
    parser.add_argument("--seed", type=int, default=1)
    add_record_options(parser)
    options = parser.parse_args(words)
    if options.precision not in PRECISIONS[options.device]:
        there = ", ".join(PRECISIONS[options.device])
        raise Failure(f"--precision {options.precision}: {options.device} has {there}", 2)
    if min(options.limit, options.seed) < 0 or options.threads < 1 or not options.seconds > 0:
        raise Failure("--seconds must be above 0, --threads at least 1, --limit, --seed 0", 2)
    if this_job().ranks > 1:
        raise Failure("kernels are timed by one rank", 2)
    return options


def kernels(torch, shape, options):
    """(pass, what launches it) of a shape, on random numbers."""
    types = {"bf16": torch.bfloat16, "fp16": torch.float16}
    numbers = {"dtype": types.get(options.precision, torch.float32), "device": options.device}
    if shape.kind == "gemm":
        m, n, k, first, second = shape.numbers  # a row of ours is a column of cuBLAS'
        left = torch.randn(k, m, **numbers) if first == "N" else torch.randn(m, k, **numbers).t()
        right = torch.randn(n, k, **numbers) if second == "N" else torch.randn(k, n, **numbers).t()
        out = torch.empty(n, m, **numbers)
        return [("forward", lambda: torch.mm(right, left, out=out))]
    width, height, channels, filters, wide, high, pad_x, pad_y, step_x, step_y = shape.numbers
    stride, padding = (step_y, step_x), (pad_y, pad_x)
    x = torch.randn(int(shape.batch), channels, height, width, **numbers)
    weights = torch.randn(filters, channels, high, wide, **numbers)

    def forward():
        return torch.nn.functional.conv2d(x, weights, stride=stride, padding=padding)

    def backward(*wanted):
        convolution = (stride, padding, (1, 1), False, (0, 0), 1)
        return torch.ops.aten.convolution_backward(gradient, x, weights, None, *convolution, wanted)

    gradient = torch.randn_like(forward())
    launches = {"forward": forward, "backward-data": lambda: backward(True, False, False),
                "backward-weights": lambda: backward(False, True, False)}
    return [(name, launches[name]) for name in shape.passes]


class Timer:
    """Seconds of launches: between two events of the GPU's queue, or by a processor's clock."""

    def __init__(self, torch, device):
        self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)] if device == "cuda" else None

    def seconds(self, launch, count):
        begin = time.perf_counter()
        if self._events:
            self._events[0].record()
        for _ in range(count):
            launch()
        if not self._events:
            return time.perf_counter() - begin
        self._events[1].record()
        self._events[1].synchronize()
        return self._events[0].elapsed_time(self._events[1]) / 1e3

    def means(self, launch, budget_s):
        """(MEANS means of a launch's seconds, launches of each)"""
        self.seconds(launch, WARM_UP)
        one_s = self.seconds(launch, WARM_UP) / WARM_UP
        count = max(1, min(MOST_LAUNCHES, int(budget_s / MEANS / one_s)))
        return [self.seconds(launch, count) / count for _ in range(MEANS)], count


class KernelRecords:
    def __init__(self, options, torch):
        self.options = options
        self._host = {} if options.anonymous else {"host": this_job().hosts[0]}
        gpu = f", CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}" if options.device == "cuda" else ""
        settings = {**settings_here(), "compute_threads": str(options.threads)}
        head = context(options, NAME, f"PyTorch {torch.__version__}{gpu}", settings, self._host)
        self._file = RecordFile(options.output)
        self._file.write({**head, "gpu": options.gpu} if options.gpu else head)

    def shape(self, shape, times, suspect, note):
        """A table of one layer; `times`: pass -> means of its launches."""
        layer = {"name": [shape.layer], "kind": [shape.kind], "flop_per_sample": [shape.flop() / shape.batch], **shape.size()}
        timing = {"precision": self.options.precision, "batch": shape.batch, "count": MEANS, **({"suspect": True} if suspect else {})}
        for name, means in times.items():
            median = statistics.median(means)
            timing[name] = {"time_us": [rounded(1e6 * median, 5)], "spread": [rounded(statistics.pstdev(means) / median, 2)]}
        self._file.write({"record": "layers", "series": f"kernels-{shape.kind[:4]}", "origin": "run", "device": self.options.device,
                          **self._host, "library": "libtorch", "statistic": "median", "note": note, "model": "kernel",
                          "layers": layer, "timings": [timing]})


def time_shape(torch, shape, timer, options, records):
    times, notes, doubts = {}, [], []
    for name, launch in kernels(torch, shape, options):
        clock, own_s = Disturbance(), own_cpu_s()
        times[name], launches = timer.means(launch, options.seconds)
        others, suspect = clock.since(own_cpu_s() - own_s)
        by_clock = options.device == "cpu"  # a GPU's kernels wait for no process of the host
        notes.append(f"{name}: {len(times[name])} means of {launches} launches queued" + (f", {others}" if by_clock else ""))
        doubts.append(suspect and by_clock)
        median = statistics.median(times[name])
        print(f"{shape.layer}, batch {shape.batch}, {name}: {1e3 * median:.4g} ms, {shape.flop() / median / 1e9:.4g} GFLOP/s",
              flush=True)
    records.shape(shape, times, any(doubts), "; ".join(notes))


def main():
    options = read_options(sys.argv[1:])
    shapes = read_shapes(options.shapes, options.limit)
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    import torch
    if options.device == "cuda" and not torch.cuda.is_available():
        raise Failure("--device cuda; PyTorch finds no GPU here", 2)
    torch.manual_seed(options.seed)
    torch.backends.cudnn.benchmark = False  # cuDNN's first guess, as a framework without it
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = options.precision == "tf32"
    records, timer = KernelRecords(options, torch), Timer(torch, options.device)
    for shape in shapes:
        try:
            time_shape(torch, shape, timer, options, records)
        except RuntimeError as error:  # no memory, or no such kernel
            raise Failure(f"{shape.kind} \"{shape.layer}\", batch {shape.batch}: {' '.join(str(error).split())}")


if __name__ == "__main__":
    end_on_failure(NAME, main)
