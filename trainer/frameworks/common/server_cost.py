"""What the parameter server beside a worker takes of the processors while steps are counted."""
import typing

from common.job import SERVERS, cpu_s_of
from common.models import parameter_sizes

BYTES_OF_FP32 = 4
WAYS = 2  # a push and a pull of each tensor, by each worker in each step (docs/frameworks.md)


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


def traffic_of(network, workers, steps):
    """(bytes, messages) in and out of a server that has the whole network."""
    sizes = parameter_sizes(network)
    times = WAYS * workers * steps
    return BYTES_OF_FP32 * sum(sizes) * times, len(sizes) * times
