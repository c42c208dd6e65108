"""Horovod: its DistributedOptimizer around PyTorch's, gradients fused and summed by MPI beside backward."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpi_tensors  # noqa: E402
import pytorch_ddp  # noqa: E402
from common.failure import Failure, end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.options import read_options, settle  # noqa: E402
from common.records import Framework, Records  # noqa: E402
from common.training import train  # noqa: E402

NAME = "horovod-pytorch"
# horovod/common/operations.cc (0.28.1): what holds where the environment does not say
FUSION_BYTES, CYCLE_MS = 128 << 20, 1


class HorovodWorker(pytorch_ddp.TorchWorker):
    """Its optimizer waits for the sums that gradients began as they became ready."""

    def __init__(self, options, model, rank, workers):
        import horovod.torch as hvd
        super().__init__(options, model, model, rank, workers)
        self.hvd = hvd
        hvd.broadcast_parameters(model.state_dict(), root_rank=0)
        self.optimizer = hvd.DistributedOptimizer(self.optimizer, named_parameters=model.named_parameters())

    def sums(self, values):
        return self.hvd.allreduce(self.torch.tensor(values, dtype=self.torch.float64), op=self.hvd.Sum).tolist()


def fusion_text():
    """How Horovod fuses, so far as its environment says."""
    size = os.environ.get("HOROVOD_FUSION_THRESHOLD", str(FUSION_BYTES))
    cycle = os.environ.get("HOROVOD_CYCLE_TIME", str(CYCLE_MS))
    return f"fusion buffer {size} bytes, cycle {cycle} ms"


def describe(name, strategy, software):
    """What runs, in the words of records; software: what computes."""
    if strategy == "none":
        return Framework(name, software, "unknown", "unknown", "horovod", {"name": strategy}, False)
    import horovod
    text, library, transport = mpi_tensors.library()
    return Framework(name, f"Horovod {horovod.__version__}, {software}, {text}", library, transport, "horovod", {"name": strategy},
                     True, fusion_text())


def asked(name, world):
    """(options, job, network) of a script that Horovod is in."""
    options = read_options(name, ["all-reduce", "none"], sys.argv[1:], replay=True)
    if options.strategy == "none" and world.size > 1:
        raise Failure(f"--strategy none trains alone, and {world.size} ranks were started", 2)
    return options, mpi_tensors.this_job(world), settle(options, world.size, asynchronous=False)


def run(world):
    options, job, network = asked(NAME, world)
    import torch
    torch.set_num_threads(options.threads)
    framework = describe(NAME, options.strategy, f"PyTorch {torch.__version__}")
    records = Records(options, job, framework, world.rank == 0)
    records.say_what()
    source = sample_source(options, network, world.rank, world.size)
    model = pytorch_ddp.make_model(options, network)
    torch.manual_seed(options.seed + 1 + world.rank)  # dropout
    if options.strategy == "none":
        train(options, source, pytorch_ddp.TorchWorker(options, model, model, world.rank, world.size), records)
        return
    import horovod.torch as hvd
    hvd.init()  # in the MPI that mpi4py began, of whose ranks it takes all
    train(options, source, HorovodWorker(options, model, world.rank, world.size), records)
    hvd.shutdown()


def main():
    from mpi4py import MPI
    mpi_tensors.abort_on_failure(NAME, MPI.COMM_WORLD, lambda: run(MPI.COMM_WORLD))


if __name__ == "__main__":
    end_on_failure(NAME, main)
