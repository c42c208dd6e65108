"""Keras: model.fit in one process, or over several ranks under MultiWorkerMirroredStrategy."""
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.processors import own_cpu_s  # noqa: E402
from common.failure import Failure, end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.job import Meeting, tensorflow_cluster, this_job  # noqa: E402
from common.options import read_options, settle  # noqa: E402
from common.records import Framework, Records  # noqa: E402
from common.training import Worker, accuracy, slowest  # noqa: E402

NAME = "tensorflow-keras"
ENTROPY = "entropy"  # the loss without what weight decay adds


def build(tf, network, starts, weight_decay):
    """The network as a keras.Sequential with its first parameters."""
    layers, l2 = tf.keras.layers, tf.keras.regularizers.L2
    decay = {"kernel_regularizer": l2(weight_decay / 2), "bias_regularizer": l2(weight_decay / 2)} if weight_decay else {}
    channels, rows, columns = network.image
    model = tf.keras.Sequential([tf.keras.Input((rows, columns, channels))])
    for layer in network.layers:
        relu = "relu" if layer.activation else None
        if layer.padding:
            model.add(layers.ZeroPadding2D(layer.padding))
        if layer.kind == "flatten":
            model.add(layers.Permute((3, 1, 2)))  # channel, row, column, as the parameters of the next layer expect
        model.add({
            "convolution": lambda: layers.Conv2D(layer.outputs, layer.kernel, layer.stride, activation=relu, **decay),
            "dense": lambda: layers.Dense(layer.outputs, activation=relu, **decay),
            "pool": lambda: layers.MaxPool2D(layer.kernel, layer.stride),
            "flatten": layers.Flatten,
            "dropout": lambda: layers.Dropout(layer.rate)}[layer.kind]())
    model.set_weights([value for _, value in starts])
    return model


class KerasWorker(Worker):
    def __init__(self, tf, options, network, strategy, job):
        from common import tensorflow_network as tn
        self.tf, self.tn, self.network, self.strategy = tf, tn, network, strategy
        self.rank, self.workers, self.meeting = job.rank, job.ranks, Meeting(job)
        with strategy.scope():
            self.model = build(tf, network, tn.starts(network, options.seed), options.weight_decay)
            self.model.compile(tf.keras.optimizers.SGD(options.lr, options.momentum),
                               tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                               [tf.keras.metrics.SparseCategoricalCrossentropy(ENTROPY, from_logits=True)])

    def data(self, source, steps):
        """This worker's batches of all steps, in the order that every script has."""
        def batches():
            for step in range(steps):
                images, labels = source.batch(step)
                yield self.tn.channels_last(images), labels

        images, labels = source.batch(0)
        shape = self.tn.channels_last(images).shape
        form = (self.tf.TensorSpec(shape, self.tf.float32), self.tf.TensorSpec(labels.shape, self.tf.int64))
        made = self.tf.data.Dataset.from_generator(batches, output_signature=form)
        if self.workers == 1:
            return made
        return self.strategy.distribute_datasets_from_function(lambda _: made)

    def scores(self, images):
        own = [self.strategy.experimental_local_results(one)[0] for one in self.model.weights]
        return self.tn.scores(self.network, own, self.tn.channels_last(images), training=False).numpy()

    def sums(self, values):
        return self.meeting.sums(values)


def watch(worker, options, source, records, steps):
    """A callback that times the steps and tells of the epochs."""
    class Watch(worker.tf.keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.step_s = []

        def on_train_batch_begin(self, batch, logs=None):
            self.begin = time.perf_counter()

        def on_train_batch_end(self, batch, logs=None):
            self.step_s.append(time.perf_counter() - self.begin)
            if len(self.step_s) == steps:
                self.model.stop_training = True

        def on_epoch_end(self, epoch, logs=None):
            done = len(self.step_s) - epoch * source.steps_per_epoch()
            if worker.rank == 0:
                rate = options.batch * worker.workers * done / sum(self.step_s[-done:])
                records.epoch(epoch + 1, len(self.step_s), logs[ENTROPY], accuracy(worker, source.test), rate)
            worker.sums([0.0])  # nobody's next step is timed while rank 0 is judging

    return Watch()


def fit(options, source, worker, records):
    per_epoch = source.steps_per_epoch()
    steps = min(options.epochs * per_epoch, options.steps or sys.maxsize)
    times = watch(worker, options, source, records, steps)
    data = worker.data(source, steps)
    worker.sums([0.0])  # all begin together
    records.restart_clock()
    cpu_s = own_cpu_s()
    worker.model.fit(data, epochs=-(-steps // per_epoch), steps_per_epoch=min(steps, per_epoch), verbose=0, callbacks=[times])
    own_s = worker.sums([own_cpu_s() - cpu_s])[0]
    step_s = slowest(worker, times.step_s)
    if worker.rank == 0:
        records.steps(step_s, own_s)


def main():
    options = read_options(NAME, ["all-reduce", "none"], sys.argv[1:])
    job = this_job()
    if options.strategy == "none" and job.ranks > 1:
        raise Failure(f"--strategy none trains alone, and {job.ranks} ranks were started", 2)
    network = settle(options, job.ranks, asynchronous=False)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import keras
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.random.set_seed(options.seed + 1 + job.rank)
    several = job.ranks > 1
    if several:
        os.environ["TF_CONFIG"] = json.dumps({"cluster": tensorflow_cluster(job), "task": {"type": "worker", "index": job.rank}})
    strategy = tf.distribute.MultiWorkerMirroredStrategy() if several else tf.distribute.get_strategy()
    framework = Framework(NAME, f"TensorFlow {tf.__version__}, Keras {keras.__version__}", "grpc" if several else "unknown",
                          "grpc" if several else "unknown", "tf-multiworker", {"name": "all-reduce" if several else "none"}, several)
    records = Records(options, job, framework, job.rank == 0)
    records.say_what()
    source = sample_source(options, network, job.rank, job.ranks)
    fit(options, source, KerasWorker(tf, options, network, strategy, job), records)


if __name__ == "__main__":
    end_on_failure(NAME, main)
