"""PyTorch: DistributedDataParallel over Gloo, one process, or DataParallel (refused here: on processors it does nothing)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.failure import Failure, end_at_once, end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.job import set_torchrun_variables, this_job  # noqa: E402
from common.models import first_parameters  # noqa: E402
from common.options import read_options, settle  # noqa: E402
from common.records import Framework, Records  # noqa: E402
from common.training import Worker, train  # noqa: E402

NAME = "pytorch-ddp"


def build(network, seed):
    """The network as a torch.nn.Sequential with its first parameters."""
    import torch
    from torch import nn
    modules = []
    for layer in network.layers:
        modules.append({
            "convolution": lambda: nn.Conv2d(layer.inputs, layer.outputs, layer.kernel, layer.stride, layer.padding),
            "dense": lambda: nn.Linear(layer.inputs, layer.outputs),
            "pool": lambda: nn.MaxPool2d(layer.kernel, layer.stride),
            "flatten": nn.Flatten,
            "dropout": lambda: nn.Dropout(layer.rate)}[layer.kind]())
        if layer.activation:
            modules.append(nn.ReLU())
    model = nn.Sequential(*modules)
    with torch.no_grad():
        for parameter, (_, value) in zip(model.parameters(), first_parameters(network, seed)):
            parameter.copy_(torch.from_numpy(value))
    return model


def make_model(options, network):
    """The network, or with --replay one that waits in its place."""
    if options.waits is None:
        return build(network, options.seed)
    from common.torch_replay import WaitingModel
    return WaitingModel(network, options.seed, options.waits)


class TorchWorker(Worker):
    """One process's part. model: what is called; plain: the same without DDP around it, to judge with."""

    def __init__(self, options, model, plain, rank, workers):
        import torch
        self.torch, self.model, self.plain, self.rank, self.workers = torch, model, plain, rank, workers
        self.replays = bool(options.replay)
        self.optimizer = torch.optim.SGD(plain.parameters(), options.lr, options.momentum, weight_decay=options.weight_decay)

    def reduce(self):
        """Between backward and the update."""

    def step(self, images, labels):
        torch = self.torch
        self.plain.zero_grad(set_to_none=self.replays)  # a replay's gradients are handed over, not added
        loss = self.model(torch.from_numpy(images))
        if not self.replays:
            loss = torch.nn.functional.cross_entropy(loss, torch.from_numpy(labels))
        loss.backward()
        self.reduce()
        self.optimizer.step()
        return loss.item()

    def scores(self, images):
        self.plain.eval()
        with self.torch.no_grad():
            scores = self.plain(self.torch.from_numpy(images)).numpy()
        self.plain.train()
        return scores

    def sums(self, values):
        if self.workers == 1:
            return list(values)
        summed = self.torch.tensor(values, dtype=self.torch.float64)
        self.torch.distributed.all_reduce(summed)
        return summed.tolist()


def groups_text(model):
    """How DDP grouped the gradients, by its own log: bytes, in the order they are summed."""
    data = model._get_ddp_logging_data()  # what DDP logs for its makers
    rebuilt = data.get("rebuilt_bucket_sizes") or data.get("bucket_sizes", "")
    return f"buckets {str(rebuilt).replace(' ', '')} bytes"


def main():
    options = read_options(NAME, ["all-reduce", "none", "data-parallel"], sys.argv[1:], replay=True)
    if options.strategy == "data-parallel":
        raise Failure("DataParallel copies a model to several GPUs of one process; on processors it does nothing, so there is "
                      "nothing to measure. It needs --device cuda, which this script does not have yet", 2)
    job = this_job()
    if options.strategy == "none" and job.ranks > 1:
        raise Failure(f"--strategy none trains alone, and {job.ranks} ranks were started", 2)
    network = settle(options, job.ranks, asynchronous=False)
    set_torchrun_variables(job)
    import torch
    torch.set_num_threads(options.threads)
    plain = make_model(options, network)
    torch.manual_seed(options.seed + 1 + job.rank)  # dropout
    model = plain
    if options.strategy == "all-reduce":
        torch.distributed.init_process_group("gloo")
        model = torch.nn.parallel.DistributedDataParallel(plain)
    synchronised = options.strategy == "all-reduce"
    framework = Framework(NAME, f"PyTorch {torch.__version__}", "gloo" if synchronised else "unknown",
                          "gloo-tcp" if synchronised else "unknown", "pytorch-gloo", {"name": options.strategy}, synchronised)
    worker = TorchWorker(options, model, plain, job.rank, job.ranks)
    records = Records(options, job, framework, job.rank == 0)
    records.say_what()
    source = sample_source(options, network, job.rank, job.ranks)
    original = records.steps

    def with_groups(step_s, own_s, **more):
        if synchronised:
            framework.note = groups_text(model)
        original(step_s, own_s, **more)

    records.steps = with_groups
    train(options, source, worker, records)
    if synchronised:
        torch.distributed.destroy_process_group()
        end_at_once(0)  # Gloo's threads, which DDP still holds, free gradients: too late for an interpreter that ends (3 % of runs)


if __name__ == "__main__":
    end_on_failure(NAME, main)
