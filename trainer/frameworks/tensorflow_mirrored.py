"""TensorFlow: MultiWorkerMirroredStrategy over several ranks, MirroredStrategy with --replicas in one process."""
import copy
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.failure import Failure, end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.job import Meeting, tensorflow_cluster, this_job  # noqa: E402
from common.options import read_options, settle  # noqa: E402
from common.records import Framework, Records  # noqa: E402
from common.training import Worker, train  # noqa: E402

NAME = "tensorflow-mirrored"


class MirroredWorker(Worker):
    def __init__(self, options, network, strategy, job):
        import tensorflow as tf
        from common import tensorflow_network as tn
        self.tf, self.tn, self.network, self.strategy = tf, tn, network, strategy
        self.local = strategy.num_replicas_in_sync // job.ranks
        self.rank, self.workers, self.meeting = job.rank, job.ranks, Meeting(job)
        with strategy.scope():
            self.parameters = [tf.Variable(value, name=name) for name, value in tn.starts(network, options.seed)]
            self.optimizer = tf.keras.optimizers.SGD(options.lr, options.momentum)
            self.optimizer.build(self.parameters)
        self.decay, self.waits = options.weight_decay, options.waits
        self.run = tf.function(self._run)

    def _replica(self, images, labels):
        tf = self.tf
        with tf.GradientTape() as tape:
            loss = self.tn.loss_of(self.network, self.parameters, images, labels, self.waits)
        gradients = tape.gradient(loss, self.parameters)
        replicas = self.strategy.num_replicas_in_sync  # apply_gradients sums over them
        summed = [(g + self.decay * p) / replicas for g, p in zip(gradients, self.parameters)]
        self.optimizer.apply_gradients(zip(summed, self.parameters))
        return loss

    def _run(self, images, labels):
        return self.strategy.run(self._replica, args=(images, labels))

    def _shared_out(self, array):
        parts = [self.tf.constant(part) for part in self.tn.np.split(array, self.local)]
        if self.local == 1:
            return parts[0]
        return self.strategy.experimental_distribute_values_from_function(lambda place: parts[place.replica_id_in_sync_group])

    def step(self, images, labels):
        losses = self.run(self._shared_out(self.tn.channels_last(images)), self._shared_out(labels))
        return sum(float(one) for one in self.strategy.experimental_local_results(losses)) / self.local

    def scores(self, images):
        own = [self.strategy.experimental_local_results(one)[0] for one in self.parameters]
        return self.tn.scores(self.network, own, self.tn.channels_last(images), training=False).numpy()

    def sums(self, values):
        return self.meeting.sums(values)


def make_strategy(tf, options, job):
    if job.ranks > 1:
        os.environ["TF_CONFIG"] = json.dumps({"cluster": tensorflow_cluster(job), "task": {"type": "worker", "index": job.rank}})
        return tf.distribute.MultiWorkerMirroredStrategy()
    device = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()] * options.replicas)
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(options.replicas)])


def main():
    options = read_options(NAME, ["all-reduce"], sys.argv[1:], replicas=True, replay=True)
    job = this_job()
    if job.ranks > 1 and options.replicas > 1:
        raise Failure("--replicas are of one process; with several ranks each is one replica", 2)
    network = settle(options, job.ranks * options.replicas, asynchronous=False)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.random.set_seed(options.seed + 1 + job.rank)
    strategy = make_strategy(tf, options, job)
    several = job.ranks > 1
    framework = Framework(NAME, f"TensorFlow {tf.__version__}", "grpc" if several else "unknown", "grpc" if several else "unknown",
                          "tf-multiworker" if several else "tf-mirrored", {"name": "all-reduce"}, True)
    records = Records(options, job, framework, job.rank == 0)
    records.say_what()
    every = copy.copy(options)  # of this process's replicas: their batches lie one behind another
    every.batch = options.batch * options.replicas
    source = sample_source(every, network, job.rank, job.ranks)
    train(options, source, MirroredWorker(options, network, strategy, job), records)


if __name__ == "__main__":
    end_on_failure(NAME, main)
