"""Processor seconds: who else was busy while something was measured, as trainer/records/disturbance.hpp says it, and what the parameter
server beside a worker takes while steps are counted."""
import os
import resource
import time
import typing

from common.job import SERVERS, cpu_s_of

SUSPECT_CORES, IDLE_SHARE = 0.15, 0.1  # as trainer/records/disturbance.hpp
DOUBT = ", more than "  # where a note goes on to say that a time is suspect


def machine_busy_s():
    """Busy seconds of all cores; /proc/stat: user nice system idle iowait irq softirq steal."""
    with open("/proc/stat") as lines:
        ticks = [int(word) for word in lines.readline().split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def own_cpu_s(children=False):
    """Processor seconds of this process; children: and of those it started that have ended."""
    used = [resource.getrusage(resource.RUSAGE_SELF)] + ([resource.getrusage(resource.RUSAGE_CHILDREN)] if children else [])
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class Disturbance:
    """A clock that starts when it is made."""

    def __init__(self):
        self._begin = (time.perf_counter(), machine_busy_s())

    def since(self, own_s):
        """(a record's note, is it suspect?); own_s: processor seconds of what was measured."""
        wall_s = time.perf_counter() - self._begin[0]
        others = max(0.0, (machine_busy_s() - self._begin[1] - own_s) / wall_s)
        harmless = SUSPECT_CORES + IDLE_SHARE * max(0.0, os.cpu_count() - own_s / wall_s)
        first = os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR)
        note = f"others kept {others:.2f} cores busy" + (", after this process" if first else "")
        if first or others <= harmless:
            return note, False
        return f"{note}{DOUBT}{harmless:.2f}: suspect", True


class ServerClock:
    """Processor seconds of the servers beside this worker between start() and stop(), as often as these are called."""

    def __init__(self):
        self.server_s = 0.0
        self._begin_s = None

    def start(self):
        if self._begin_s is None:
            self._begin_s = cpu_s_of(SERVERS)

    def stop(self):
        if self._begin_s is not None:
            self.server_s += cpu_s_of(SERVERS) - self._begin_s
        self._begin_s = None


class Served(typing.NamedTuple):
    """What one server did in the counted steps."""
    steps: int
    wall_s: float
    processor_s: float
