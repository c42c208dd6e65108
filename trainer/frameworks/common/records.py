"""Measurement files as ddltrain writes them (docs/formats.md), and what a person reads meanwhile."""
import dataclasses
import datetime
import json
import math
import os
import platform
import statistics
import sys

from common.processors import DOUBT, Disturbance
from common.models import NETWORKS, traffic_of

WARM_UP = 2          # steps not counted: allocators, connections, the first touch of memory
MOST_SAMPLES = 1000  # more would make a record that no person can look at
LARGEST_SPREAD = 100  # readers refuse more
STEERING = ("OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_mpi_", "OMP_", "OPENBLAS_NUM_THREADS", "MXNET_", "PS_", "HOROVOD_")


@dataclasses.dataclass
class Framework:
    """What runs, in the words of records."""
    name: str       # as on the command line
    software: str   # "PyTorch 1.13.1"
    library: str    # that moves gradients
    transport: str
    preset: str     # of scenarios/presets.json
    strategy: dict
    synchronised: bool
    note: str = ""


def add_record_options(parser):
    parser.add_argument("--output", default="", help="measurement file to write")
    parser.add_argument("--cluster", default="local", help="named in the records")
    parser.add_argument("--anonymous", action="store_true", help="leave the host's name out of the records")


def rounded(value, count):
    return float(f"{value:.{count}g}")


def _cpuinfo(key):
    with open("/proc/cpuinfo") as lines:
        return next((line.split(": ", 1)[1].strip() for line in lines if line.startswith(key) and ": " in line), "")


def machine_text(nodes):
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") / 1024**3
    text = f"{_cpuinfo('model name') or 'unknown processor'}, {os.cpu_count()} cores, {memory:.1f} GiB, " \
           f"{platform.system()} {platform.release()}"
    return f"{nodes} hosts, the first: {text}" if nodes > 1 else text


def settings_here():
    """What steers how things run: this machine's, and variables that were set."""
    settings = {name: value for name, value in os.environ.items() if name.startswith(STEERING) and value}
    return {**settings, "cores": str(os.cpu_count()), "kernel": f"{platform.system()} {platform.release()}"}


def _settings(options):
    allowed = len(os.sched_getaffinity(0))
    return {**settings_here(), "cores_per_rank": str(allowed) if allowed < os.cpu_count() else "not bound",
            "compute_threads": str(options.threads), "learning_rate": repr(options.lr), "momentum": repr(options.momentum),
            "weight_decay": repr(options.weight_decay)}


def bytes_through(interface):
    """(received, sent) of this network namespace's interface; none of the loop's, which is no network."""
    if interface in ("", "lo"):
        return None
    with open("/proc/self/net/dev") as lines:
        numbers = next(line.split(":", 1)[1].split() for line in lines if line.split(":")[0].strip() == interface)
    return int(numbers[0]), int(numbers[8])


def counted_from(steps):
    """The first step that counts."""
    return min(WARM_UP, steps // 2)


def served_text(served):
    """What servers beside workers took of the processors; "": none was there."""
    if served is None or not served.processor_s > 0:
        return ""
    return f"the servers took {served.processor_s / served.steps:.4g} processor seconds a step"


class RecordFile:
    """A measurement file that is written line by line; file "": none."""

    def __init__(self, file):
        self._file = open(file, "w", buffering=1) if file else None

    def write(self, record):
        if self._file is not None:
            self._file.write(json.dumps(record, separators=(",", ":")) + "\n")


def replays(options):
    """Layers wait as long as a profile says, and nothing is computed."""
    return bool(getattr(options, "replay", ""))


def context(options, name, software, settings, node, nodes=1):
    """The first line of a measurement file."""
    return {"record": "context", "version": 1, "cluster": options.cluster, "machine": machine_text(nodes),
            "software": f"{software}, Python {platform.python_version()}",
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "who": "ddltrain framework",
            "source": {"title": f"ddltrain framework {name} {' '.join(sys.argv[1:])}".strip()}, "emulated": replays(options),
            "settings": settings, "nodes": [node]}


class Records:
    """Of rank 0's worker; on others nothing is written nor said."""

    def __init__(self, options, job, framework, writes):
        self.options, self.job, self.framework, self.writes = options, job, framework, writes
        self._file = RecordFile(options.output if writes else "")
        self.restart_clock()
        self.workers, (self.nodes, self.workers_per_node) = job.workers, job.nodes()
        if getattr(options, "replicas", 1) > 1:
            self.workers = self.workers_per_node = options.replicas
        self._file.write(self._context())

    def say_what(self):
        hosts = f"{self.nodes} host" + ("s" if self.nodes > 1 else "")
        ranks = f"{self.workers} worker" + ("s" if self.workers > 1 else "")
        servers = self._servers_text()
        self._say(f"{self.options.model} on {self.options.data} data: {ranks} on {hosts}, {self.framework.name} "
                  f"({self.framework.strategy['name']}{', ' + servers if servers else ''}), batch {self.options.batch} a worker, "
                  f"{self.framework.software}")

    def epoch(self, epoch, step, loss, accuracy, samples_per_s):
        judged = "" if accuracy is None else f"  test accuracy {100 * accuracy:.2f} %"
        self._say(f"epoch {epoch}  step {step}  loss {loss:.4f}{judged}  {samples_per_s:.0f} samples/s")
        if not math.isfinite(loss) or replays(self.options):  # a replay computes no loss
            return
        record = {"record": "loss", **self._head("mean"), "model": self.options.model, "epoch": epoch, "step": step, "value": loss}
        if accuracy is not None:
            record["accuracy"] = accuracy
        self._file.write(record)

    def steps(self, step_s, own_s, steps=0, served=None):
        """step_s: of the run's steps, of which there were `steps` where step_s are means; own_s: processor seconds of all ranks
        and of the processes beside them meanwhile; served: by the parameter servers among these."""
        if not step_s:
            return
        samples = step_s[counted_from(len(step_s)):]
        median = statistics.median(samples)
        spread = statistics.pstdev(samples) / median
        note, suspect = self._clock.since(own_s)
        record = {"record": "step", **self._head("median")}
        record["repeats"] = len(samples)
        record["relative_spread"] = rounded(spread, 6) if spread <= LARGEST_SPREAD else 0
        if suspect:
            record["suspect"] = True
        record["note"] = "; ".join(part for part in (self.framework.note, self._traffic(steps or len(step_s)),
                                                   served_text(served), note) if part)
        if len(samples) <= MOST_SAMPLES:
            record["samples_s"] = [rounded(sample, 4) for sample in samples]
        record.update(model=self.options.model, precision="fp32", wire_precision="fp32", batch_per_gpu=float(self.options.batch),
                      preset=self.framework.preset, strategy=self.framework.strategy, algorithm="unknown", gpus=self.workers,
                      nodes=self.nodes, gpus_per_node=self.workers_per_node, synchronised=self.framework.synchronised,
                      data="synthetic" if self.options.data == "synthetic" else "real", mode="train",
                      value=rounded(median, 6), unit="s")
        self._file.write(record)
        self._server(served, note)
        self._say(f"step: median {1e3 * median:.3f} ms, {self.options.batch * self.workers / median:.0f} samples/s, "
                  f"spread {100 * spread:.1f} %, {len(samples)} steps")

    def _server(self, served, note):
        """What one server beside a worker did. Whatever disturbs it makes both figures worse, and they stay lower bounds of what
        it could serve: such a record is never suspect."""
        if served is None or not served.processor_s > 0 or self.job.servers != 1:
            return
        size_bytes, messages = traffic_of(NETWORKS[self.options.model], self.workers, served.steps)
        self._file.write({"record": "server", **self._head("mean"), "repeats": served.steps, "note": note.partition(DOUBT)[0], "what": "training",
                          "preset": self.framework.preset, "workers": self.workers, "nodes": self.nodes, "bytes": size_bytes,
                          "messages": messages, "processor_s": rounded(served.processor_s, 4),
                          "value": rounded(size_bytes / served.wall_s, 6), "unit": "B/s"})

    def _servers_text(self):
        if "servers" not in self.framework.strategy:
            return ""
        return f"{self.job.servers} {self.framework.strategy['placement']}"

    def _context(self):
        node = {} if self.options.anonymous else {"host": self.job.hosts[0]}
        clock = _cpuinfo("cpu MHz").split(".")[0]
        if clock:
            node["clock_MHz"] = clock
        return context(self.options, self.framework.name, self.framework.software, _settings(self.options), node, self.nodes)

    def _head(self, statistic):
        options, framework = self.options, self.framework
        data = options.data if options.data in ("digits", "synthetic") else "images"
        strategy = framework.strategy["name"]
        if "servers" in framework.strategy:
            strategy += f"-{self.job.servers}-{framework.strategy['placement']}"
        threads = "" if options.threads == 1 else f"-{options.threads}-threads"
        head = {"series": f"{options.model}-{data}-{framework.name}-{strategy}{threads}-b{options.batch}", "origin": "run"}
        if not replays(options):  # of a replay neither the processor nor the GPU computes
            head["device"] = "cpu"
        if not options.anonymous:
            head["host"] = self.job.hosts[0]
        return {**head, "transport": options.transport or framework.transport, "library": framework.library,
                "software": framework.software, "statistic": statistic}

    def restart_clock(self):
        """What was busy before the first step is not of the measurement."""
        self._clock = Disturbance()
        self._bytes = bytes_through(self.job.interface)

    def _traffic(self, steps):
        """What went through rank 0's network interface, headers included."""
        if self._bytes is None:
            return ""
        received, sent = ((now - then) / steps for now, then in zip(bytes_through(self.job.interface), self._bytes))
        return f"rank 0 received {received:.0f} and sent {sent:.0f} bytes a step"

    def _say(self, text):
        if self.writes:
            print(text, flush=True)
