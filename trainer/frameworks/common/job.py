"""This process's place among the ranks that `ddltrain framework` started, in each framework's own words. And sums over the workers where a framework
has servers and no all-reduce: a star of TCP connections around rank 0. Only times, losses and starts go through it, never gradients."""
import atexit
import ctypes
import dataclasses
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import typing

PR_SET_PDEATHSIG = 1  # linux/prctl.h
HELPER_PATIENCE_S = 5
HELPERS = []  # processes beside this one
SERVERS = []  # those of them that are parameter servers
PORTS_A_RANK = 4  # free ports that the starter found for each rank: its own, its server's, the job's chief or scheduler, meetings
WAIT_S = 300  # for the others to come; they import a framework and draw their data meanwhile
RETRY_S = 0.05


@dataclasses.dataclass
class Job:
    """Ranks 0 to workers - 1 train; dedicated servers are the last ranks."""
    rank: int
    addresses: typing.List[str]            # of each rank's host
    ports: typing.List[typing.List[int]]   # of each rank
    hosts: typing.List[str]                # names
    interface: str                         # network interface of this rank's address
    servers: int = 0
    colocated: bool = False

    @property
    def ranks(self):
        return len(self.addresses)

    @property
    def workers(self):
        return self.ranks if self.colocated else self.ranks - self.servers

    @property
    def is_worker(self):
        return self.rank < self.workers

    def server_ranks(self):
        return range(self.servers) if self.colocated else range(self.workers, self.ranks)

    def nodes(self):
        """(of the workers, most workers on one)"""
        hosts = self.hosts[:self.workers]
        return len(set(hosts)), max(hosts.count(host) for host in hosts)

    def place(self, rank, port=0):
        return f"{self.addresses[rank]}:{self.ports[rank][port]}"


def _is_free(port):
    with socket.socket() as one:
        try:
            one.bind(("", port))
        except OSError:
            return False
    return True


def _free_ports(count):
    """Below those that outgoing connections get, which would take a port between this look and its use."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first_outgoing = int(file.read().split()[0])
    candidates = range(min(10000, first_outgoing - 1000), first_outgoing)
    return list(itertools.islice(filter(_is_free, random.sample(candidates, len(candidates))), count))


def this_job(servers=0, colocated=False):
    """Of what the starter says in DDLTRAIN_JOB; alone without it."""
    text = os.environ.get("DDLTRAIN_JOB")
    if text is None:
        return Job(0, ["127.0.0.1"], [_free_ports(PORTS_A_RANK)], [socket.gethostname()], "lo", servers, colocated)
    said = json.loads(text)
    return Job(said["rank"], said["addresses"], said["ports"], said["hosts"], said["interface"], servers, colocated)


def set_torchrun_variables(job):
    """As torchrun sets them, and the interface for Gloo, which would else look the host's name up."""
    os.environ.update(MASTER_ADDR=job.addresses[0], MASTER_PORT=str(job.ports[0][0]), RANK=str(job.rank),
                      WORLD_SIZE=str(job.ranks), LOCAL_RANK=str(job.hosts[:job.rank].count(job.hosts[job.rank])),
                      GLOO_SOCKET_IFNAME=job.interface)


def dmlc_variables(job, role):
    """Of MXNet's ps-lite: role is scheduler, server or worker. The scheduler lives beside rank 0."""
    return {"DMLC_ROLE": role, "DMLC_PS_ROOT_URI": job.addresses[0], "DMLC_PS_ROOT_PORT": str(job.ports[0][2]),
            "DMLC_NUM_WORKER": str(job.workers), "DMLC_NUM_SERVER": str(job.servers),
            "DMLC_NODE_HOST": job.addresses[job.rank], "DMLC_INTERFACE": job.interface}


def tensorflow_cluster(job, chief=False):
    """The "cluster" of TF_CONFIG; with a chief, which has rank 0's last port."""
    cluster = {"worker": [job.place(rank) for rank in range(job.workers)]}
    if job.servers:
        cluster["ps"] = [job.place(rank, 1) for rank in job.server_ranks()]
    if chief:
        cluster["chief"] = [job.place(0, 2)]
    return cluster


def _end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start_helper(variables, words=None, serves=False):
    """A process beside this one (a scheduler, a colocated server: `serves`), which ends with it: this script again, or with
    `words` other arguments."""
    environment = {**os.environ, **variables}
    helper = subprocess.Popen([sys.executable, *(words or sys.argv)], env=environment, stdin=subprocess.DEVNULL,
                              preexec_fn=_end_with_parent)
    atexit.register(helper.kill)
    HELPERS.append(helper)
    if serves:
        SERVERS.append(helper)


def cpu_s_of(processes):
    """Processor seconds of processes that still run: utime and stime of /proc/PID/stat, its fields 14 and 15."""
    ticks = 0
    for process in processes:
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()  # behind the name, which may hold blanks
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def end_helpers():
    """Those that do not end by themselves soon are ended."""
    for helper in HELPERS:
        try:
            helper.wait(HELPER_PATIENCE_S)
        except subprocess.TimeoutExpired:
            helper.kill()


class Meeting:
    def __init__(self, job):
        self.rank, self.workers = job.rank, job.workers
        place = (job.addresses[0], job.ports[0][3])
        if self.rank == 0:
            self._ends = self._accept(place)
        else:
            self._ends = [self._connect(place)]

    def sums(self, values):
        """Each value's sum over the workers, all of which call it."""
        if self.rank == 0:
            table = [list(values)] + [json.loads(end.readline()) for end in self._ends]
            summed = [sum(column) for column in zip(*table)]
            for end in self._ends:
                self._tell(end, summed)
            return summed
        self._tell(self._ends[0], list(values))
        return json.loads(self._ends[0].readline())

    @staticmethod
    def _tell(end, values):
        end.write(json.dumps(values) + "\n")
        end.flush()

    def _accept(self, place):
        if self.workers == 1:
            return []
        with socket.create_server(place, backlog=self.workers) as listener:
            listener.settimeout(WAIT_S)
            return [self._lines(listener.accept()[0]) for _ in range(self.workers - 1)]

    def _connect(self, place):
        last = time.monotonic() + WAIT_S
        while True:
            try:
                return self._lines(socket.create_connection(place))
            except OSError:
                if time.monotonic() > last:
                    raise
                time.sleep(RETRY_S)

    @staticmethod
    def _lines(connection):
        connection.settimeout(None)
        return connection.makefile("rw")
