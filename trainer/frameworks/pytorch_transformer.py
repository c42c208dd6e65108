"""PyTorch: steps of decoder-only transformers on one GPU, forward and backward, by their layer tables. Of a model whose blocks
do not fit into memory, runs with fewer blocks tell what each takes."""
import argparse
import contextlib
import dataclasses
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.decoder_shape import RECOMPUTED, read_decoder, recomputed, sharded  # noqa: E402
from common.processors import Disturbance, own_cpu_s  # noqa: E402
from common.failure import Failure, end_on_failure  # noqa: E402
from common.job import this_job  # noqa: E402
from common.records import RecordFile, add_record_options, context, rounded, settings_here  # noqa: E402

NAME = "pytorch-transformer"
PRECISIONS = {"cpu": ("fp32", "bf16"), "cuda": ("fp32", "bf16", "fp8")}
WARM_UP = 3          # steps that are not timed: memory, compilation, choices of kernels
STEPS = 3            # at least, of one count of blocks
MOST_STEPS = 100
HOST_PACED = 0.9     # of the time until the GPU had done all; as long the host took to give it


def whole_numbers(text):
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise Failure(f"\"{text}\" found; give whole numbers above 0, by commas", 2)
    return numbers


def read_options(words):
    parser = argparse.ArgumentParser(prog=NAME, allow_abbrev=False)
    parser.add_argument("--models", required=True, help="names in scenarios/models or files of layer tables, by commas")
    parser.add_argument("--batch", default="1", help="sequences a step, by commas")
    parser.add_argument("--blocks", default="",
                        help="two counts by a comma: runs of so many blocks tell what all take; left out: all run")
    parser.add_argument("--tensor", type=int, default=1,
                        help="a rank's part of a tensor group of so many; exchanges are copies, and there is no record")
    parser.add_argument("--recompute", default="none", choices=RECOMPUTED,
                        help="what backward computes again of each block; alternate-matmuls: torchtitan's \"selective, op\"")
    parser.add_argument("--shards", type=int, default=1,
                        help="rank 0 of so many under FSDP2; the others are not there, and there is no record")
    parser.add_argument("--head-width", type=int, default=128, help="numbers of an attention head")
    parser.add_argument("--device", default="cpu", choices=list(PRECISIONS))
    parser.add_argument("--precision", default="bf16", choices=PRECISIONS["cuda"])
    parser.add_argument("--compile", action="store_true", help="blocks by torch.compile")
    parser.add_argument("--attention", default="first", choices=("first", "cudnn"),
                        help="PyTorch's first choice of kernels, or cuDNN's")
    parser.add_argument("--seconds", type=float, default=0.5, help="that the steps of a count of blocks are timed, roughly")
    parser.add_argument("--threads", type=int, default=1, help="that a processor computes with")
    parser.add_argument("--gpu", default="", help="the GPU's name in the catalogue, for the records")
    parser.add_argument("--seed", type=int, default=1)
    add_record_options(parser)
    options = parser.parse_args(words)
    options.batch = whole_numbers(options.batch)
    options.blocks = whole_numbers(options.blocks) if options.blocks else []
    check_options(options)
    return options


def check_options(options):
    if options.precision not in PRECISIONS[options.device]:
        raise Failure(f"--precision {options.precision}: {options.device} has {', '.join(PRECISIONS[options.device])}", 2)
    if options.blocks and (len(options.blocks) != 2 or options.blocks[0] >= options.blocks[1]):
        raise Failure("--blocks takes two counts, the smaller first, as 2,4", 2)
    if min(options.threads, options.tensor, options.shards, options.head_width) < 1 or options.seed < 0 or not options.seconds > 0:
        raise Failure("--seconds must be above 0, --threads, --tensor, --shards, --head-width at least 1, --seed 0", 2)
    if this_job().ranks > 1:
        raise Failure("transformers are timed by one rank", 2)


def check_shape(shape, options):
    """Whether heads and layers can be cut as asked for."""
    heads = shape.width // options.head_width
    if shape.width % options.head_width or shape.keys % options.head_width:
        raise Failure(f"--head-width {options.head_width} does not divide the {shape.width} numbers of {shape.model}'s "
                      f"queries and {shape.keys} of its keys", 2)
    if heads % options.tensor or shape.tokens % options.tensor:
        raise Failure(f"--tensor {options.tensor} does not divide the {heads} heads and {shape.tokens} tokens of "
                      f"{shape.model}", 2)
    if options.blocks and options.blocks[1] > shape.blocks:
        raise Failure(f"--blocks {options.blocks[1]}: {shape.model} has {shape.blocks}", 2)


@dataclasses.dataclass
class Times:
    """Seconds of steps, and what the host took to give the GPU one."""
    step_s: list
    host_s: float

    @property
    def median_s(self):
        return statistics.median(self.step_s)

    @property
    def host_paced(self):
        return self.host_s > HOST_PACED * self.median_s


class Clock:
    """Times steps one by one: between events of the GPU's queue, or by a processor's clock."""

    def __init__(self, torch, device):
        self._torch, self._gpu = torch, device == "cuda"

    def _now(self):
        if not self._gpu:
            return time.perf_counter()
        event = self._torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def _wait(self):
        if self._gpu:
            self._torch.cuda.synchronize()

    def steps(self, step, count):
        self._wait()
        begin, marks = time.perf_counter(), [self._now()]
        for _ in range(count):
            step()
            marks.append(self._now())
        host_s = (time.perf_counter() - begin) / count
        self._wait()
        pairs = list(zip(marks, marks[1:]))
        seconds = [one.elapsed_time(next_one) / 1e3 if self._gpu else next_one - one for one, next_one in pairs]
        return Times(seconds, host_s if self._gpu else 0)

    def times(self, step, budget_s):
        self.steps(step, WARM_UP)
        one_s = self.steps(step, 1).median_s
        return self.steps(step, max(STEPS, min(MOST_STEPS, int(budget_s / one_s))))


def network(torch, shape, blocks, options):
    from common.decoder_network import Decoder
    whole = options.precision == "fp32" or options.shards > 1  # FSDP2 casts what it gathers
    torch.set_default_dtype(torch.float32 if whole else torch.bfloat16)
    with torch.device("cuda") if options.device == "cuda" else contextlib.nullcontext():  # drawn where it is used
        made = Decoder(shape, blocks, options)
    torch.set_default_dtype(torch.float32)
    for index, block in enumerate(made.blocks):
        made.blocks[index] = recomputed(torch, block, options.recompute)
        if options.compile:
            made.blocks[index].compile(dynamic=False)
    return made if options.shards == 1 else sharded(torch, made, options.shards, options.precision)


def timed(torch, shape, blocks, batch, options):
    """Times of forward and backward with `blocks` blocks. The optimizer is not among them: who trains such a model shards it."""
    made = network(torch, shape, blocks, options)
    ids = torch.randint(shape.words // options.tensor, (batch, shape.tokens), device=options.device)

    def step():
        made(ids).backward()
        made.zero_grad(set_to_none=True)

    return Clock(torch, options.device).times(step, options.seconds)


def attention_kernels(torch, options):
    """A context in which PyTorch prefers the kernels asked for."""
    if options.attention == "first":
        return contextlib.nullcontext()
    from torch.nn.attention import SDPBackend, sdpa_kernel
    return sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.MATH], set_priority=True)


@dataclasses.dataclass
class Runs:
    """Steps of one model at one batch, with as many blocks as were asked for."""
    shape: object
    batch: int
    of_blocks: dict  # of each count its Times

    def counts(self):
        return sorted(self.of_blocks)

    def last(self):
        return self.of_blocks[self.counts()[-1]]

    def step_s(self):
        """Of all blocks; with two counts, what a block takes beyond the smaller one stands for each of the others."""
        counts = self.counts()
        first_s, last_s = (self.of_blocks[count].median_s for count in (counts[0], counts[-1]))
        if len(counts) == 1:
            return first_s
        return first_s + (self.shape.blocks - counts[0]) * (last_s - first_s) / (counts[1] - counts[0])

    def counted_text(self):
        if len(self.of_blocks) == 1:
            return ""
        (few, many), shape = self.counts(), self.shape
        took = " and ".join(f"{1e3 * self.of_blocks[count].median_s:.5g}" for count in (few, many))
        return f"; {few} and {many} of {shape.blocks} blocks took {took} ms, the others stand for as much each"


class StepRecords:
    def __init__(self, options, torch):
        self.options, self._host = options, {} if options.anonymous else {"host": this_job().hosts[0]}
        gpu = f", CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}" if options.device == "cuda" else ""
        settings = {**settings_here(), "compute_threads": str(options.threads)}
        head = context(options, NAME, f"PyTorch {torch.__version__}{gpu}", settings, self._host)
        self._file = RecordFile(options.output)
        self._file.write({**head, "gpu": options.gpu} if options.gpu else head)

    def step(self, runs, others, suspect):
        options, last = self.options, runs.last()
        part = f", a rank's part of {options.tensor}" if options.tensor > 1 else ""
        part += f", rank 0 of {options.shards} under FSDP2, the others not there" if options.shards > 1 else ""
        part += f", {options.recompute} computed again" if options.recompute != "none" else ""
        print(f"{runs.shape.model}, batch {runs.batch}, {options.precision}{part}: {1e3 * runs.step_s():.5g} ms"
              f"{runs.counted_text()}", flush=True)
        if options.tensor > 1 or options.shards > 1:
            return
        by_clock = options.device == "cpu"  # a GPU's kernels wait for no process of the host
        record = {"record": "step", "series": self._series(runs), "origin": "run", "device": options.device, **self._host,
                  "transport": "unknown", "library": "pytorch", "statistic": "median", "repeats": len(last.step_s),
                  "relative_spread": rounded(statistics.pstdev(last.step_s) / last.median_s, 4)}
        if suspect and by_clock:
            record["suspect"] = True
        record.update(note=self._how() + runs.counted_text() + (f"; {others}" if by_clock else ""), **self._what(runs))
        if last.host_paced:
            record["host_paced"] = True
        self._file.write(record)

    def _series(self, runs):
        compiled = "compiled" if self.options.compile else "eager"
        again = "" if self.options.recompute == "none" else f"-{self.options.recompute}"
        return f"{runs.shape.model}-{self.options.precision}-{compiled}{again}-b{runs.batch}"

    def _how(self):
        how = "blocks by torch.compile" if self.options.compile else "eager"
        choice = {"first": "first choice", "cudnn": "choice of cuDNN"}[self.options.attention]
        again = "" if self.options.recompute == "none" else f", {self.options.recompute} computed again"
        return f"{how}, attention by PyTorch's {choice}{again}; no optimizer"

    def _strategy(self):
        how = self.options.recompute  # what is computed again is a part of a strategy that shards; alone it sends nothing
        return {"name": "none"} if how == "none" else {"name": "fsdp", "recompute": how}

    def _what(self, runs):
        precision = self.options.precision
        return {"model": runs.shape.model, "precision": precision, "wire_precision": "fp32" if precision == "fp32" else "bf16",
                "batch_per_gpu": float(runs.batch), "preset": "pytorch-fsdp", "strategy": self._strategy(),
                "algorithm": "unknown", "gpus": 1, "nodes": 1, "gpus_per_node": 1, "synchronised": False,
                "optimizer": False, "data": "synthetic", "mode": "train", "value": rounded(runs.step_s(), 6), "unit": "s"}


def measure(torch, shape, batch, options, records):
    clock, own_s, runs = Disturbance(), own_cpu_s(), Runs(shape, batch, {})
    if options.compile:
        torch._dynamo.reset()  # it keeps a few compiled shapes of a block, and would run others uncompiled
    for blocks in options.blocks or [shape.blocks]:
        try:
            runs.of_blocks[blocks] = timed(torch, shape, blocks, batch, options)
        except RuntimeError as error:  # torch.cuda.OutOfMemoryError is one
            if "out of memory" not in str(error):
                raise
            print(f"{shape.model}, batch {batch}: {blocks} blocks do not fit into the GPU's memory", file=sys.stderr,
                  flush=True)
            return
        finally:
            if options.device == "cuda":
                torch.cuda.empty_cache()
    records.step(runs, *clock.since(own_cpu_s() - own_s))


def main():
    options = read_options(sys.argv[1:])
    shapes = [read_decoder(name) for name in options.models.split(",")]
    for shape in shapes:
        check_shape(shape, options)
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    import torch
    if options.device == "cuda" and not torch.cuda.is_available():
        raise Failure("--device cuda; PyTorch finds no GPU here", 2)
    torch.manual_seed(options.seed)
    records = StepRecords(options, torch)
    with attention_kernels(torch, options):
        for shape in shapes:
            for batch in options.batch:
                measure(torch, shape, batch, options, records)


if __name__ == "__main__":
    end_on_failure(NAME, main)
