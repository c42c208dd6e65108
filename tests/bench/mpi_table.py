"""What `ddltrain link` and `collectives` say beside a program that calls nothing but blocking MPI, and what a training
step of two ranks takes beside one rank's. Takes some eight minutes on an idle machine of two cores; prints tables.

    python3 tests/bench/mpi_table.py build/release/bin [--before FOLDER] [--rounds 8] [--only link,collectives,steps]

--before: the bin folder of an older build, whose times are shown too. A time is the least of the rounds' medians: a
virtual machine's cores change places on their host from start to start, and times with them. With
--least, the least of all repetitions, which a machine that others use has moments for. --first: transfers run at real-time
priority (root), which takes the cores from everybody else. Marks: "!" more than 15 % from the blocking program's time; "v"
a time more than its error below that of the size before. As root, "TCP, 1 Gbit/s" runs between two network namespaces
with shaped links.
"""
import argparse
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile

FIRST, LAST = 4096, 16 << 20
CLOSE = 0.15  # how near to the blocking program's time ours is to be
ERROR = 0.02  # of a median over rounds
MPIRUN = ["mpirun", "-q", "-np", "2", "--allow-run-as-root", "--oversubscribe", "--mca", "pml", "ob1", "--mca",
          "mpi_yield_when_idle", "0", "-x", "OMP_NUM_THREADS=1", "-x", "OPENBLAS_NUM_THREADS=1"]
HERE = [*MPIRUN, "--bind-to", "core", "--mca", "plm", "isolated", "--mca", "oob_tcp_if_include", "lo", "--mca", "btl"]
WIRES = {"shared memory": [*HERE, "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none"],
         "TCP loopback": [*HERE, "tcp,self", "--mca", "btl_tcp_if_include", "lo"]}
RATE = "1gbit"
# As the testbed: with PUT, replies wait behind bulk data, and both ways at once run at half the rate.
BOTH_WAYS = ["--mca", "btl_tcp_flags", "1", "--mca", "btl_tcp_sndbuf", "131072", "--mca", "btl_tcp_rcvbuf", "131072"]
# A burst below the largest packet with all its headers would cut each packet; the queue holds every socket's buffer.
SHAPE = ["tbf", "rate", RATE, "burst", "72k", "limit", "8m"]
SHORT = ["--cluster", "testbed", "--repetitions", "30", "--seconds", "0.5", "--warm-up", "5"]
STEPS = {"lenet5": ["--steps", "150"], "alexnet": ["--batch", "8", "--steps", "14", "--lr", "0.0001"]}


@contextlib.contextmanager
def two_hosts(folder):
    """The wire between two network namespaces, whose links are shaped both ways; they are removed in the end."""
    prefix = f"mpitable-{os.getpid()}-"
    hosts = [prefix + "h0", prefix + "h1"]
    enter = os.path.abspath(os.path.join(folder, "ddltrain-netns"))
    try:
        for host in hosts:
            run(["ip", "netns", "add", host])
        run(["ip", "link", "add", "eth0", "netns", hosts[0], "type", "veth", "peer", "name", "eth0", "netns", hosts[1]])
        for number, host in enumerate(hosts):
            run(["ip", "-n", host, "address", "add", f"10.78.0.{number + 1}/24", "dev", "eth0"])
            for device in ("lo", "eth0"):
                run(["ip", "-n", host, "link", "set", device, "up"])
            run(["tc", "-n", host, "qdisc", "add", "dev", "eth0", "root", *SHAPE])
        yield [enter, hosts[0], "h0", *MPIRUN, "--bind-to", "none", "--host", "h0:1,h1:1", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent",
               f"{enter} --agent {prefix}", "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "oob_tcp_if_include", "eth0",
               "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "eth0", *BOTH_WAYS]
    finally:
        for host in hosts:
            subprocess.run(["ip", "netns", "delete", host], check=False, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def all_wires(folder, first):
    """What starts two ranks on each wire, by its name."""
    priority = ["chrt", "-f", "20"] if first else []
    with contextlib.ExitStack() as stack:
        wires = dict(WIRES)
        if os.geteuid() == 0:
            wires[f"TCP, {RATE[:-4]} Gbit/s"] = stack.enter_context(two_hosts(folder))
        yield {name: [*priority, *words] for name, words in wires.items()}


def run(words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def measured(program, start, command, *words):
    """Records of one ddltrain command."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        run([*start, program, command, "--sizes", f"{FIRST}..{LAST}", *SHORT, *words, "--output", file.name])
        file.seek(0)
        return [json.loads(line) for line in file.read().splitlines()[1:]]


def blocking(program, start, what, least):
    lines = run([*start, program, what, str(FIRST), str(LAST)]).splitlines()
    return {int(size): float(smallest if least else median) for size, median, smallest in map(str.split, lines)}


def ours(program, start, command, least):
    """Times by column and size: link; ring and mpi of collectives."""
    columns = {}
    for record in measured(program, start, command):
        column = {"ring": "ring", "unknown": "mpi"}.get(record.get("algorithm"), "link")
        columns.setdefault(column, {})[int(record["size_bytes"])] = min(record["samples_s"]) if least else record["value"]
    return columns


def quickest(rounds):
    """Of several rounds' tables, each column and size: what disturbs a machine only adds."""
    return {column: {size: min(one[column][size] for one in rounds) for size in rounds[0][column]} for column in rounds[0]}


def marks(times, size, reference):
    smaller = [one for one in times if one < size]
    text = "!" if reference and abs(times[size] / reference[size] - 1) > CLOSE else " "
    return text + ("v" if smaller and times[size] < (1 - ERROR) * times[max(smaller)] else " ")


def print_table(title, table, compared):
    """compared: column and the one its times are held to."""
    print(f"\n{title}, us\n{'bytes':>10} " + " ".join(f"{column:>16}  " for column in table))
    for size in next(iter(table.values())):
        cells = [f"{1e6 * times[size]:16.2f}{marks(times, size, table.get(compared.get(column)))}" for column, times in table.items()]
        print(f"{size:>10} " + " ".join(cells), flush=True)


def transfers(wires, folders, options, command, what, compared):
    found = {wire: [] for wire in wires}
    for _ in range(options.rounds):  # in turns, so that a slow moment of the machine meets all
        for wire, start in wires.items():
            table = {"blocking MPI": blocking(os.path.join(folders["now"], "blocking_mpi"), start, what,
                                              options.least)}
            for name, folder in folders.items():
                for column, times in ours(os.path.join(folder, "ddltrain"), start, command, options.least).items():
                    table[f"{column} {name}"] = times
            found[wire].append(table)
    for wire, tables in found.items():
        print_table(f"{command}, {wire}", quickest(tables), compared)


def step_ms(folder, model, ranks, *words):
    told = run([os.path.join(folder, "ddltrain"), "train", "--model", model, *STEPS[model], "--ranks", str(ranks), *words])
    return float(re.search(r"step: median ([0-9.]+) ms", told)[1])


def steps(folders, rounds):
    cases = {"1 rank": (1, "--strategy", "none"), "2 ranks, ring": (2,), "2 ranks, ring, no overlap": (2, "--overlap", "off"),
             "2 ranks, MPI_Allreduce": (2, "--strategy", "all-reduce")}
    for model in STEPS:
        print(f"\nstep of {model}, ms\n{'':>28}" + "".join(f"{name:>12}" for name in folders))
        for case, (ranks, *words) in cases.items():
            found = [[step_ms(folder, model, ranks, *words) for folder in folders.values()] for _ in range(rounds)]
            print(f"{case:>28}" + "".join(f"{statistics.median(column):12.2f}" for column in zip(*found)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--least", action="store_true")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--only", default="link,collectives,steps")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # removes what was made
    folders = {"now": options.folder, **({"before": options.before} if options.before else {})}
    wanted = options.only.split(",")
    with all_wires(options.folder, options.first) as wires:
        if "link" in wanted:
            transfers(wires, folders, options, "link", "link", {"link now": "blocking MPI"})
        if "collectives" in wanted:
            transfers(wires, folders, options, "collectives", "all_reduce", {"mpi now": "blocking MPI"})
    if "steps" in wanted:
        steps(folders, options.rounds)


if __name__ == "__main__":
    main()
