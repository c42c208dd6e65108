"""What `ddltrain link` and `collectives` say beside a program that calls nothing but blocking MPI, and what a training
step of two ranks takes beside one rank's. Takes some five minutes on an idle machine of two cores; prints tables.

    python3 tests/bench/mpi_table.py build/release/bin [--before FOLDER] [--rounds 2] [--only link,collectives,steps]

--before: the bin folder of an older build, whose times are shown too. Marks: "!" more than 15 % from the blocking
program's time; "v" a time below that of the size before.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile

FIRST, LAST = 4096, 16 << 20
CLOSE = 0.15  # how near to the blocking program's time ours is to be
COMMON = ["mpirun", "-q", "-np", "2", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "plm", "isolated",
          "--mca", "oob_tcp_if_include", "lo", "--mca", "pml", "ob1", "--mca", "mpi_yield_when_idle", "0",
          "-x", "OMP_NUM_THREADS=1", "-x", "OPENBLAS_NUM_THREADS=1"]
WIRES = {"shared memory": ["--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none"],
         "TCP loopback": ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"]}
SHORT = ["--cluster", "testbed", "--repetitions", "30", "--seconds", "0.5", "--warm-up", "5", "--no-samples"]
STEPS = {"lenet5": ["--steps", "150"], "alexnet": ["--batch", "8", "--steps", "14", "--lr", "0.0001"]}


def run(words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def measured(program, wire, command, *words):
    """Records of one ddltrain command."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        run([*COMMON, *WIRES[wire], program, command, "--sizes", f"{FIRST}..{LAST}", *SHORT, *words, "--output", file.name])
        file.seek(0)
        return [json.loads(line) for line in file.read().splitlines()[1:]]


def blocking(program, wire, what):
    lines = run([*COMMON, *WIRES[wire], program, what, str(FIRST), str(LAST)]).splitlines()
    return {int(size): float(time_s) for size, time_s in map(str.split, lines)}


def ours(program, wire, command):
    """Times by column and size: link; ring and mpi of collectives."""
    columns = {}
    for record in measured(program, wire, command):
        column = {"ring": "ring", "unknown": "mpi"}.get(record.get("algorithm"), "link")
        columns.setdefault(column, {})[int(record["size_bytes"])] = record["value"]
    return columns


def medians(rounds):
    """Of several rounds' tables, each column and size."""
    return {column: {size: statistics.median(one[column][size] for one in rounds) for size in rounds[0][column]}
            for column in rounds[0]}


def marks(times, size, reference):
    smaller = [one for one in times if one < size]
    text = "!" if reference and abs(times[size] / reference[size] - 1) > CLOSE else " "
    return text + ("v" if smaller and times[size] < times[max(smaller)] else " ")


def print_table(title, table, compared):
    """compared: column and the one its times are held to."""
    print(f"\n{title}, us\n{'bytes':>10} " + " ".join(f"{column:>16}  " for column in table))
    for size in next(iter(table.values())):
        cells = [f"{1e6 * times[size]:16.2f}{marks(times, size, table.get(compared.get(column)))}" for column, times in table.items()]
        print(f"{size:>10} " + " ".join(cells), flush=True)


def transfers(folders, rounds, command, what, compared):
    for wire in WIRES:
        found = []
        for _ in range(rounds):  # in turns, so that a slow moment of the machine meets all
            table = {"blocking MPI": blocking(os.path.join(folders["now"], "blocking_mpi"), wire, what)}
            for name, folder in folders.items():
                for column, times in ours(os.path.join(folder, "ddltrain"), wire, command).items():
                    table[f"{column} {name}"] = times
            found.append(table)
        print_table(f"{command}, {wire}", medians(found), compared)


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
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="link,collectives,steps")
    options = parser.parse_args()
    folders = {"now": options.folder, **({"before": options.before} if options.before else {})}
    wanted = options.only.split(",")
    if "link" in wanted:
        transfers(folders, options.rounds, "link", "link", {"link now": "blocking MPI"})
    if "collectives" in wanted:
        transfers(folders, options.rounds, "collectives", "all_reduce", {"mpi now": "blocking MPI"})
    if "steps" in wanted:
        steps(folders, options.rounds)


if __name__ == "__main__":
    main()
