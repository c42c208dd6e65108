"""TensorFlow: ParameterServerStrategy, whose servers are asynchronous. Rank 0 coordinates and has a worker beside it."""
import json
import math
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.processors import Served, ServerClock, own_cpu_s  # noqa: E402
from common.failure import end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.job import HELPERS, Meeting, cpu_s_of, start_helper, tensorflow_cluster, this_job  # noqa: E402
from common.options import read_options, settle  # noqa: E402
from common.records import Framework, Records, counted_from  # noqa: E402
from common.training import accuracy  # noqa: E402

NAME = "tensorflow-servers"
TASK = "DDLTRAIN_TASK"  # of a process beside a rank: "worker 0", "ps 1"


def serve(tf, job, kind, index):
    """Carries out what the coordinator asks, until this process is ended."""
    os.environ["TF_CONFIG"] = json.dumps({"cluster": tensorflow_cluster(job, chief=True), "task": {"type": kind, "index": index}})
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=threads_beside(job))
    return tf.distribute.Server(resolver.cluster_spec(), job_name=kind, task_index=index, protocol="grpc", config=config, start=True)


def threads_beside(job):
    """TensorFlow has as many threads for operations as a process has cores. With one core and two workers all wait for each
    other: an operation that waits for another process keeps its thread."""
    return max(os.cpu_count(), job.workers + 1)


class Coordinator:
    def __init__(self, tf, options, network, job, source):
        from common import tensorflow_network as tn
        self.tf, self.tn, self.options, self.network, self.job, self.source = tf, tn, options, network, job, source
        os.environ["TF_CONFIG"] = json.dumps({"cluster": tensorflow_cluster(job, chief=True), "task": {"type": "chief", "index": 0}})
        self.strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver())
        self.coordinator = tf.distribute.coordinator.ClusterCoordinator(self.strategy)
        with self.strategy.scope():
            self.parameters = [tf.Variable(value, name=name) for name, value in tn.starts(network, options.seed)]
            self.optimizer = tf.keras.optimizers.legacy.SGD(options.lr, options.momentum)
        self.batches = iter(self.coordinator.create_per_worker_dataset(self._dataset))
        self.step = tf.function(self._step)

    def _dataset(self):
        """Every worker draws its own batches from all samples."""
        images, labels = self.source.samples()
        data = self.tf.data.Dataset.from_tensor_slices((self.tn.channels_last(images), labels))
        return data.shuffle(len(labels)).repeat().batch(self.options.batch, drop_remainder=True).prefetch(2)

    def _step(self, batches):
        return self.strategy.run(self._replica, args=next(batches))

    def _replica(self, images, labels):
        tf = self.tf
        values = [tf.convert_to_tensor(one) for one in self.parameters]  # each use of a variable would come from its server anew
        with tf.GradientTape() as tape:
            tape.watch(values)
            loss = self.tn.loss_of(self.network, values, images, labels, self.options.waits)
        gradients = tape.gradient(loss, values)
        decayed = [g + self.options.weight_decay * p for g, p in zip(gradients, values)]
        self.optimizer.apply_gradients(zip(decayed, self.parameters))
        return loss

    def scores(self, images):
        return self.tn.scores(self.network, self.parameters, self.tn.channels_last(images), training=False).numpy()

    def run(self, records):
        per_epoch, workers = self.source.steps_per_epoch(), self.job.workers
        steps = min(self.options.epochs * per_epoch, self.options.steps or sys.maxsize)
        records.restart_clock()
        cpu_s, clock, wall_s, step_s = own_cpu_s() + cpu_s_of(HELPERS), ServerClock(), 0, []
        counted = counted_from(math.ceil(steps / per_epoch)) * per_epoch  # servers take the first epoch's graph in, too
        for first in range(0, steps, per_epoch):
            count = min(per_epoch, steps - first)
            if first >= counted:
                clock.start()
            begin = time.perf_counter()
            losses = [self.coordinator.schedule(self.step, args=(self.batches,)) for _ in range(count * workers)]
            self.coordinator.join()
            epoch_s = time.perf_counter() - begin
            clock.stop()  # judging pulls the parameters too
            wall_s += epoch_s if first >= counted else 0
            # nobody waits within an epoch, so a step has no time of its own
            step_s.append(epoch_s / count / self.options.time_scale)
            loss = sum(float(one.fetch()) for one in losses) / len(losses)
            rate = self.options.batch * workers / step_s[-1]
            records.epoch(first // per_epoch + 1, first + count, loss, accuracy(self, self.source.test), rate)
        own_s = own_cpu_s() + cpu_s_of(HELPERS) - cpu_s
        records.steps(step_s, own_s, steps, Served(steps - counted, wall_s, clock.server_s))


def main():
    options = read_options(NAME, ["ps-async"], sys.argv[1:], servers=True, replay=True)
    job = this_job(options.servers, options.placement == "colocated")
    network = settle(options, job.workers, asynchronous=True)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    helper = os.environ.get(TASK, "").split()
    if job.colocated and job.rank < job.servers and not helper:
        start_helper({TASK: f"ps {job.rank}"}, serves=True)
    if job.rank == 0 and not helper:
        start_helper({TASK: "worker 0"})
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads_beside(job))
    if helper or not job.is_worker:
        server = serve(tf, job, *((helper[0], int(helper[1])) if helper else ("ps", job.rank - job.workers)))
        server.join()
    if job.rank > 0:
        server = serve(tf, job, "worker", job.rank)  # lives until the coordinator has come to the second meeting
        meeting = Meeting(job)
        meeting.sums([0.0]), meeting.sums([0.0])
        os._exit(0)  # the server has no other end
    framework = Framework(NAME, f"TensorFlow {tf.__version__}", "grpc", "grpc", "tf2-ps",
                          {"name": "ps-async", "servers": {"count": job.servers}, "placement": options.placement,
                           "sharding": "round-robin"}, True, "a sample is the mean of an epoch's steps")
    records = Records(options, job, framework, writes=True)
    records.say_what()
    meeting = Meeting(job)
    meeting.sums([0.0])  # all servers are there
    Coordinator(tf, options, network, job, sample_source(options, network, 0, job.workers)).run(records)
    meeting.sums([0.0])
    os._exit(0)  # connections to servers that may be gone already


if __name__ == "__main__":
    end_on_failure(NAME, main)
