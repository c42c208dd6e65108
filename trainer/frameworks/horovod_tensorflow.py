"""Horovod: its DistributedGradientTape around TensorFlow's, gradients fused and summed by MPI beside backward."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import horovod_pytorch  # noqa: E402
import mpi_tensors  # noqa: E402
from common.failure import end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.records import Records  # noqa: E402
from common.training import Worker, train  # noqa: E402

NAME = "horovod-tensorflow"


class TapeWorker(Worker):
    """A graph of one step. hvd: horovod.tensorflow; none where one process trains alone."""

    def __init__(self, tf, hvd, options, network, rank, workers):
        from common import tensorflow_network as tn
        self.tf, self.tn, self.hvd, self.options, self.network = tf, tn, hvd, options, network
        self.rank, self.workers = rank, workers
        self.parameters = [tf.Variable(value, name=name) for name, value in tn.starts(network, options.seed)]
        self.optimizer = tf.keras.optimizers.SGD(options.lr, options.momentum)
        self.optimizer.build(self.parameters)
        if hvd is not None:
            hvd.broadcast_variables(self.parameters, root_rank=0)
        self.run = tf.function(self._run)

    def _run(self, images, labels):
        with self.tf.GradientTape() as tape:
            loss = self.tn.loss_of(self.network, self.parameters, images, labels, self.options.waits)
        if self.hvd is not None:
            tape = self.hvd.DistributedGradientTape(tape)
        gradients = tape.gradient(loss, self.parameters)
        decayed = [g + self.options.weight_decay * p for g, p in zip(gradients, self.parameters)]
        self.optimizer.apply_gradients(zip(decayed, self.parameters))
        return loss

    def step(self, images, labels):
        return float(self.run(self.tf.constant(self.tn.channels_last(images)), self.tf.constant(labels)))

    def scores(self, images):
        return self.tn.scores(self.network, self.parameters, self.tn.channels_last(images), training=False).numpy()

    def sums(self, values):
        if self.hvd is None:
            return list(values)
        return self.hvd.allreduce(self.tf.constant(values, self.tf.float64), op=self.hvd.Sum).numpy().tolist()


def run(world):
    options, job, network = horovod_pytorch.asked(NAME, world)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.random.set_seed(options.seed + 1 + world.rank)  # dropout
    framework = horovod_pytorch.describe(NAME, options.strategy, f"TensorFlow {tf.__version__}")
    records = Records(options, job, framework, world.rank == 0)
    records.say_what()
    source = sample_source(options, network, world.rank, world.size)
    hvd = None
    if options.strategy == "all-reduce":
        import horovod.tensorflow as hvd
        hvd.init()  # in the MPI that mpi4py began, of whose ranks it takes all
    train(options, source, TapeWorker(tf, hvd, options, network, world.rank, world.size), records)
    if hvd is not None:
        hvd.shutdown()


def main():
    from mpi4py import MPI
    mpi_tensors.abort_on_failure(NAME, MPI.COMM_WORLD, lambda: run(MPI.COMM_WORLD))


if __name__ == "__main__":
    end_on_failure(NAME, main)
