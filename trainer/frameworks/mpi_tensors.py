"""One MPI all-reduce a tensor after backward (mpi4py), PyTorch computing: what PyTorch's MPI tutorial does."""
import os
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pytorch_ddp  # noqa: E402
from common.failure import end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.job import Job  # noqa: E402
from common.options import read_options, settle  # noqa: E402
from common.records import Framework, Records  # noqa: E402
from common.training import train  # noqa: E402

NAME = "mpi-tensors"


class MpiWorker(pytorch_ddp.TorchWorker):
    """The gradients' mean, tensor by tensor in the order of the parameters."""

    def __init__(self, options, model, world):
        super().__init__(options, model, model, world.rank, world.size)
        self.world = world

    def reduce(self):
        from mpi4py import MPI
        for parameter in self.plain.parameters():
            self.world.Allreduce(MPI.IN_PLACE, parameter.grad.numpy())
            parameter.grad /= self.workers

    def sums(self, values):
        import numpy as np
        summed = np.array(values, np.float64)
        from mpi4py import MPI
        self.world.Allreduce(MPI.IN_PLACE, summed)
        return summed.tolist()


def own_interface():
    """The one through which Open MPI was told to talk; "" where it chooses itself."""
    told = os.environ.get("OMPI_MCA_btl_tcp_if_include", "")
    return told if told in [name for _, name in socket.if_nameindex()] else ""


def this_job(world):
    """MPI tells where the ranks are."""
    from mpi4py import MPI
    hosts = world.allgather(MPI.Get_processor_name())
    return Job(world.rank, hosts, [[]] * world.size, hosts, own_interface())


def library():
    """(what MPI calls itself, its name in records, the transport so far as the environment leaves no choice)"""
    from mpi4py import MPI
    text = MPI.Get_library_version().split(",")[0].replace(" v", " ")
    name = "open-mpi" if text.startswith("Open MPI") else "mpich" if text.startswith("MPICH") else "unknown"
    forced_tcp = os.environ.get("OMPI_MCA_btl", "").split(",")
    return text, name, "mpi-tcp" if "tcp" in forced_tcp and "vader" not in forced_tcp else "unknown"


def abort_on_failure(script, world, body):
    """A rank that fails ends the job; the first ranks tell first, for what all meet at once."""
    import time
    import traceback
    try:
        body()
    except BaseException as error:
        if isinstance(error, SystemExit) and error.code in (0, None):
            return
        time.sleep(min(3.0, 0.5 * world.rank))
        place = traceback.extract_tb(error.__traceback__)[-1]
        print(f"ddltrain: {script}, rank {world.rank}: {error} ({place.filename}:{place.lineno})", file=sys.stderr, flush=True)
        world.Abort(getattr(error, "status", 1))


def run(world):
    options = read_options(NAME, ["all-reduce"], sys.argv[1:], replay=True)
    job = this_job(world)
    network = settle(options, world.size, asynchronous=False)
    import torch
    torch.set_num_threads(options.threads)
    text, name, transport = library()
    framework = Framework(NAME, f"PyTorch {torch.__version__}, {text}", name, transport, "pytorch-mpi",
                          {"name": "all-reduce"}, True)
    records = Records(options, job, framework, world.rank == 0)
    records.say_what()
    source = sample_source(options, network, world.rank, world.size)
    model = pytorch_ddp.make_model(options, network)
    torch.manual_seed(options.seed + 1 + world.rank)
    train(options, source, MpiWorker(options, model, world), records)


def main():
    from mpi4py import MPI
    abort_on_failure(NAME, MPI.COMM_WORLD, lambda: run(MPI.COMM_WORLD))


if __name__ == "__main__":
    end_on_failure(NAME, main)
