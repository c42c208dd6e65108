"""TensorFlow: synchronous parameter servers, compat.v1's SyncReplicasOptimizer over sessions between the workers' graphs."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.failure import end_on_failure  # noqa: E402
from common.images import sample_source  # noqa: E402
from common.job import Meeting, start_helper, tensorflow_cluster, this_job  # noqa: E402
from common.options import read_options, settle  # noqa: E402
from common.records import Framework, Records  # noqa: E402
from common.training import Worker, train  # noqa: E402

NAME = "tensorflow-sync-servers"
TASK = "DDLTRAIN_TASK"  # of a server beside a rank: its number


class SessionWorker(Worker):
    def __init__(self, tf, options, network, job, server):
        from common import tensorflow_network as tn
        self.tf, self.tn, self.v1, self.network = tf, tn, tf.compat.v1, network
        self.rank, self.workers, self.meeting = job.rank, job.workers, Meeting(job)
        here = f"/job:worker/task:{job.rank}"
        cluster = tf.train.ClusterSpec(tensorflow_cluster(job))
        with self.v1.device(self.v1.train.replica_device_setter(cluster=cluster, worker_device=here)):
            self._build(options)
        with self.v1.device(here):  # the optimizer puts its slots beside the variables, and its count of steps here
            optimizer = self._train_with(options)
        self.session = self.v1.Session(server.target)
        self._start(optimizer)

    def _build(self, options):
        """Variables go round-robin over the servers, operations come here."""
        starts = self.tn.starts(self.network, options.seed)
        self.starts = {self.v1.placeholder(value.dtype, value.shape): value for _, value in starts}
        self.parameters = [self.v1.Variable(start, name=name) for start, (name, _) in zip(self.starts, starts)]
        self.global_step = self.v1.train.get_or_create_global_step()
        channels, rows, columns = self.network.image
        self.images = self.v1.placeholder(self.tf.float32, [None, rows, columns, channels])
        self.labels = self.v1.placeholder(self.tf.int64, [None])
        values = [self.tf.convert_to_tensor(one) for one in self.parameters]  # each use would come from its server anew
        self.loss = self.tn.loss_of(self.network, values, self.images, self.labels, options.waits)
        self.judged = self.tn.scores(self.network, values, self.images, training=False)
        gradients = self.v1.gradients(self.loss, values)
        self.gradients = [g + options.weight_decay * value for g, value in zip(gradients, values)]

    def _train_with(self, options):
        plain = self.v1.train.MomentumOptimizer(options.lr, options.momentum)
        optimizer = self.v1.train.SyncReplicasOptimizer(plain, replicas_to_aggregate=self.workers, total_num_replicas=self.workers)
        self.update = optimizer.apply_gradients(zip(self.gradients, self.parameters), self.global_step)
        return optimizer

    def _start(self, optimizer):
        """As the optimizer's own hook does; with no token beforehand nobody is a step ahead."""
        if self.rank == 0:
            self.session.run(self.v1.global_variables_initializer(), self.starts)
            self.session.run(optimizer.chief_init_op)
            self.coordinator = self.v1.train.Coordinator()
            optimizer.get_chief_queue_runner().create_threads(self.session, self.coordinator, daemon=True, start=True)
        self.meeting.sums([0.0])
        if self.rank > 0:
            self.session.run(optimizer.local_step_init_op)

    def step(self, images, labels):
        fed = {self.images: self.tn.channels_last(images), self.labels: labels}
        return self.session.run([self.update, self.loss], fed)[1]

    def scores(self, images):
        return self.session.run(self.judged, {self.images: self.tn.channels_last(images)})

    def sums(self, values):
        return self.meeting.sums(values)


def main():
    options = read_options(NAME, ["ps"], sys.argv[1:], servers=True, replay=True)
    job = this_job(options.servers, options.placement == "colocated")
    network = settle(options, job.workers, asynchronous=False)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    beside = os.environ.get(TASK)
    if job.colocated and job.rank < job.servers and beside is None:
        start_helper({TASK: str(job.rank)}, serves=True)
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    cluster = tf.train.ClusterSpec(tensorflow_cluster(job))
    if beside is not None or not job.is_worker:
        number = job.rank - job.workers if beside is None else int(beside)
        tf.distribute.Server(cluster, job_name="ps", task_index=number, protocol="grpc").join()
    server = tf.distribute.Server(cluster, job_name="worker", task_index=job.rank, protocol="grpc")
    framework = Framework(NAME, f"TensorFlow {tf.__version__}", "grpc", "grpc", "tf2-ps",
                          {"name": "ps", "servers": {"count": job.servers}, "placement": options.placement,
                           "sharding": "round-robin"}, True)
    records = Records(options, job, framework, job.rank == 0)
    records.say_what()
    source = sample_source(options, network, job.rank, job.workers)
    with tf.Graph().as_default():
        tf.random.set_seed(options.seed + 1 + job.rank)
        worker = SessionWorker(tf, options, network, job, server)
        train(options, source, worker, records)
        worker.sums([0.0])
    sys.stdout.flush()
    os._exit(0)  # the servers have no other end


if __name__ == "__main__":
    end_on_failure(NAME, main)
