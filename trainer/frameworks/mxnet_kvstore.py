"""MXNet: gluon over kvstore dist_sync (ps) and dist_async (ps-async), with ps-lite's servers and scheduler."""
import gc
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.failure import end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.job import Meeting, dmlc_variables, end_helpers, start_helper, this_job  # noqa: E402
from common.models import first_parameters  # noqa: E402
from common.options import read_options, settle  # noqa: E402
from common.records import Framework, Records  # noqa: E402
from common.training import Worker, train  # noqa: E402

NAME = "mxnet-kvstore"
STORES = {"ps": "dist_sync", "ps-async": "dist_async", "none": None}
RUN_ROLE = ["-c", "import mxnet"]  # under DMLC_ROLE server or scheduler the import serves until the workers are done


def build(network, seed):
    """The network as a gluon HybridSequential with its first parameters."""
    from mxnet import gluon, init, nd
    net = gluon.nn.HybridSequential()
    for layer in network.layers:
        relu = "relu" if layer.activation else None
        net.add({
            "convolution": lambda: gluon.nn.Conv2D(layer.outputs, layer.kernel, layer.stride, layer.padding,
                                                   in_channels=layer.inputs, activation=relu),
            "dense": lambda: gluon.nn.Dense(layer.outputs, in_units=layer.inputs, activation=relu),
            "pool": lambda: gluon.nn.MaxPool2D(layer.kernel, layer.stride),
            "flatten": gluon.nn.Flatten,
            "dropout": lambda: gluon.nn.Dropout(layer.rate)}[layer.kind]())
    net.initialize(init.Zero())
    for parameter, (_, value) in zip(net.collect_params().values(), first_parameters(network, seed)):
        parameter.set_data(nd.array(value))
    net.hybridize()
    return net


def make_net(options, network):
    """The network, or with --replay one that waits in its place."""
    if options.waits is None:
        return build(network, options.seed)
    from common.mxnet_replay import WaitingBlock
    return WaitingBlock(network, options.seed, options.waits)


class KvstoreWorker(Worker):
    def __init__(self, options, net, store, meeting, asynchronous):
        import mxnet
        from mxnet import autograd, gluon, nd
        self.mxnet, self.autograd, self.nd, self.net, self.meeting = mxnet, autograd, nd, net, meeting
        self.rank, self.workers = meeting.rank, meeting.workers
        self.loss = (lambda scores, labels: scores) if options.replay else gluon.loss.SoftmaxCrossEntropyLoss()
        self.divisor = options.batch * (1 if asynchronous else self.workers)  # of summed gradients
        self.trainer = gluon.Trainer(net.collect_params(), "sgd",
                                     {"learning_rate": options.lr, "momentum": options.momentum, "wd": options.weight_decay},
                                     kvstore=store, update_on_kvstore=None if store is None else True)

    def step(self, images, labels):
        with self.autograd.record():
            losses = self.loss(self.net(self.nd.array(images)), self.nd.array(labels))
        losses.backward()
        self.trainer.step(self.divisor)
        loss = losses.mean().asscalar()
        self.mxnet.nd.waitall()  # also for the parameters that were pulled
        return loss

    def scores(self, images):
        return self.net(self.nd.array(images)).asnumpy()

    def sums(self, values):
        return self.meeting.sums(values)


def start_roles(job):
    """The scheduler beside rank 0, and colocated servers beside the first workers."""
    if job.rank == 0:
        start_helper(dmlc_variables(job, "scheduler"), RUN_ROLE)
    if job.colocated and job.rank < job.servers:
        start_helper(dmlc_variables(job, "server"), RUN_ROLE, serves=True)
    os.environ.update(dmlc_variables(job, "worker"))


def main():
    options = read_options(NAME, list(STORES), sys.argv[1:], servers=True, replay=True)
    alone = options.strategy == "none"
    job = this_job(0 if alone else options.servers, options.placement == "colocated")
    os.environ["MXNET_CPU_WORKER_NTHREADS"] = str(options.threads)
    if not job.is_worker:
        os.environ.update(dmlc_variables(job, "server"))
        os.execv(sys.executable, [sys.executable, *RUN_ROLE])
    asynchronous = options.strategy == "ps-async"
    network = settle(options, job.workers, asynchronous)
    if not alone:
        start_roles(job)
    import mxnet
    mxnet.random.seed(options.seed + 1 + job.rank)
    strategy = {"name": options.strategy}
    if not alone:
        strategy.update(servers={"count": job.servers}, placement=options.placement, sharding="split")
    framework = Framework(NAME, f"MXNet {mxnet.__version__}", "unknown" if alone else "ps-lite", "unknown", "mxnet-kvstore",
                          strategy, not alone)
    records = Records(options, job, framework, job.rank == 0)
    records.say_what()
    source = sample_source(options, network, job.rank, job.workers)
    store = None if alone else mxnet.kv.create(STORES[options.strategy])
    worker = KvstoreWorker(options, make_net(options, network), store, Meeting(job), asynchronous)
    train(options, source, worker, records, asynchronous)
    del store, worker
    gc.collect()  # a kvstore says goodbye to servers and scheduler when it goes, and these then end
    end_helpers()


if __name__ == "__main__":
    end_on_failure(NAME, main)
