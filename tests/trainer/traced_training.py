"""Two ranks that train a small network by turns: one alone and traced, one alone at twice the batch, both by DDP over Gloo.

usage: traced_training.py FOLDER ROUNDS BATCH   writes net.pt, trace-N.json and times.json into FOLDER
"""
import json
import os
import subprocess
import sys
import time

import torch
from torch import nn

FOLDER, ROUNDS, BATCH = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
STEPS = 6  # the first of them is left out


def block(inputs, outputs):
    return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]


def network():
    torch.manual_seed(1)
    return nn.Sequential(*block(3, 32), *block(32, 32), nn.MaxPool2d(2), *block(32, 64), *block(64, 64), nn.MaxPool2d(2),
                         *block(64, 128), *block(128, 128), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(2048, 512), nn.ReLU(),
                         nn.Linear(512, 10))


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), 0.01, 0.9)

    def step(self, batch):
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.model(batch[0]), batch[1]).backward()
        self.optimizer.step()

    def times(self, batch):
        """Seconds of each step but the first."""
        seconds = []
        for _ in range(STEPS):
            begin = time.perf_counter()
            self.step(batch)
            seconds.append(time.perf_counter() - begin)
        return seconds[1:]

    def trace(self, batch, file):
        schedule = torch.profiler.schedule(wait=0, warmup=1, active=STEPS, repeat=1)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], schedule=schedule,
                                    on_trace_ready=lambda profile: profile.export_chrome_trace(file)) as profile:
            for _ in range(STEPS + 1):
                self.step(batch)
                profile.step()


def samples(count):
    return torch.rand(count, 3, 32, 32), torch.randint(10, (count,))


def first_in_line():
    """The priority of real time: other programs of the machine then do not stand between the ranks' steps."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        pass  # not root: the noise is told by the spread


def rank(number):
    first_in_line()  # before threads are made, which inherit it: Gloo's too
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{FOLDER}/meeting", rank=number, world_size=2)
    alone, both = Trainer(network()), Trainer(nn.parallel.DistributedDataParallel(network()))
    small, large = samples(BATCH), samples(2 * BATCH)
    found = []
    for turn in range(ROUNDS + 1):  # the first warms up
        if number == 0:
            alone.trace(small, f"{FOLDER}/trace-{turn}.json")
            larger = alone.times(large)
            plain = alone.times(small)
        torch.distributed.barrier()
        together = both.times(small)
        if number == 0 and turn > 0:
            found.append({"larger_s": larger, "plain_s": plain, "two_ranks_s": together})
    if number == 0:
        with open(f"{FOLDER}/times.json", "w") as file:
            json.dump({"torch": torch.__version__, "rounds": found}, file)
    torch.distributed.destroy_process_group()


def main():
    if len(sys.argv) > 4:
        return rank(int(sys.argv[4]))
    torch.jit.script(network()).save(f"{FOLDER}/net.pt")
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ranks = [subprocess.Popen([sys.executable, *sys.argv, str(number)], env=one_thread) for number in (0, 1)]
    sys.exit(max(process.wait() for process in ranks))


if __name__ == "__main__":
    main()
