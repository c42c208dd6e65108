"""The loop that every synchronous script shares: epochs of timed steps, the loss and the accuracy of each."""
import math
import time

import numpy as np

from common.failure import Failure
from common.processors import Served, ServerClock, own_cpu_s
from common.job import HELPERS, cpu_s_of
from common.records import counted_from

TEST_BATCH = 500  # images judged at once; only memory depends on it


class Worker:
    """What a script tells the loop of its framework. A worker that trains alone needs the first two only."""

    workers = 1
    rank = 0

    def step(self, images, labels):
        """One step of training; returns the loss of this worker's batch, when the step is done."""
        raise NotImplementedError

    def scores(self, images):
        """[n, classes] of the network as it is, as an array."""
        raise NotImplementedError

    def sums(self, values):
        """Each value's sum over the workers (all are called), as a list."""
        return list(values)


def accuracy(worker, test):
    if test is None:
        return None
    images, labels = test
    right = 0
    for first in range(0, len(labels), TEST_BATCH):
        scores = np.asarray(worker.scores(images[first:first + TEST_BATCH]))
        right += int((scores.argmax(1) == labels[first:first + TEST_BATCH]).sum())
    return right / len(labels)


def slowest(worker, step_s):
    """The slowest worker's time of each step: they wait for each other. Sums of a table with a row a worker."""
    table = np.zeros((worker.workers, len(step_s)))
    table[worker.rank] = step_s
    return np.asarray(worker.sums(table.reshape(-1))).reshape(table.shape).max(0).tolist()


def train(options, source, worker, records, asynchronous=False):
    """Runs the steps; `records` are rank 0's. Asynchronous workers' step is their mean. A replay's times are divided by its
    time scale."""
    time_scale = getattr(options, "time_scale", 1)
    per_epoch = source.steps_per_epoch()
    steps = options.epochs * per_epoch
    if options.steps:
        steps = min(steps, options.steps)
    worker.sums([0.0])  # all begin together
    records.restart_clock()
    cpu_s, clock, step_s = own_cpu_s() + cpu_s_of(HELPERS), ServerClock(), []
    counted = counted_from(steps)
    for first in range(0, steps, per_epoch):
        losses = []
        last = min(steps, first + per_epoch)
        if first > counted:
            clock.start()
        for step in range(first, last):
            if step == counted:
                worker.sums([0.0])  # what servers take is of the counted steps of all workers
                clock.start()
            begin = time.perf_counter()
            losses.append(float(worker.step(*source.batch(step))))
            step_s.append((time.perf_counter() - begin) / time_scale)
            if not math.isfinite(losses[-1]):
                raise Failure(f"the loss of step {step + 1} is {losses[-1]}; a lower --lr usually helps (it is {options.lr})")
        loss = worker.sums([float(np.mean(losses))])[0] / worker.workers
        clock.stop()  # judging pulls the parameters too
        if worker.rank == 0:
            rate = options.batch * records.workers * (last - first) / sum(step_s[first:last])
            records.epoch(first // per_epoch + 1, last, loss, accuracy(worker, source.test), rate)
        worker.sums([0.0])  # nobody's next step is timed while rank 0 is judging
    own_s, server_s = worker.sums([own_cpu_s() + cpu_s_of(HELPERS) - cpu_s, clock.server_s])
    if asynchronous:
        joined = (np.asarray(worker.sums(step_s)) / worker.workers).tolist()
    else:
        joined = slowest(worker, step_s)
    if worker.rank == 0:
        records.steps(joined, own_s, served=Served(steps - counted, sum(joined[counted:]) * time_scale, server_s))
