"""ddltrain's measuring commands as a user runs them: records that ddlsim accepts, and what is said where a GPU is missing.

usage: measure_command_test.py DDLTRAIN DDLSIM SOURCE_FOLDER
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

DDLTRAIN, DDLSIM, SOURCE = sys.argv[1:4]
SHORT = ["--cluster", "testbed", "--repetitions", "5", "--seconds", "1", "--anonymous"]


def run(*words):
    return subprocess.run([DDLTRAIN, *words], capture_output=True, text=True, timeout=250, check=False)


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def measured(folder, command, *words):
    """The records of one command, accepted by ddlsim check; and what it printed."""
    file = Path(folder) / f"{command}.jsonl"
    result = run(command, *words, *SHORT, "--output", str(file))
    expect(result.returncode == 0, f"{command}: exit {result.returncode}: {result.stderr}")
    check = subprocess.run([DDLSIM, "check", "--data", SOURCE, str(file)], capture_output=True, text=True, check=False)
    expect(check.returncode == 0, f"ddlsim check {command}: {check.stderr}")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    expect(lines[0]["record"] == "context" and "Open MPI" in lines[0]["software"], f"{command}: context")
    expect(all(line["repeats"] == len(line["samples_s"]) for line in lines[1:]), f"{command}: samples")
    return lines[1:], result.stderr


def test_commands(folder):
    records, told = measured(folder, "collectives", "--sizes", "4KiB,1MiB")
    points = [(record.get("algorithm", "unknown"), record["size_bytes"], record["ranks"]) for record in records]
    expect(points == [(way, size, 2) for size in (4096, 1048576) for way in ("ring", "unknown")], f"collectives: {points}")
    expect("busbw" in told, "collectives: table")
    records, _ = measured(folder, "link", "--sizes", "4,64KiB")
    expect([record["size_bytes"] for record in records] == [4, 65536], "link: sizes")
    expect({record["transport"] for record in records} == {"shm"}, "link: transport")
    expect("pairs" not in records[0], "link: one pair is what is usual")
    records, _ = measured(folder, "link", "--ranks", "4", "--sizes", "64KiB", "--pairs", "2", "--both-ways")
    expect([(record["pairs"], record["both_ways"], record["series"]) for record in records] == [(2, True, "both-ways-2-pairs")],
           f"link: pairs, both ways: {records}")
    operations = ("all-reduce", "reduce-scatter", "all-gather", "broadcast")
    records, _ = measured(folder, "collectives", "--operation", ",".join(operations), "--sizes", "4KiB", "--ranks", "3",
                          "--queued", "20")
    points = [(record["operation"], record.get("algorithm", "unknown"), record["size_bytes"]) for record in records]
    whole = 4096 // 12 * 12  # three whole shares
    expect(points == [("all_reduce", "ring", 4096), ("all_reduce", "unknown", 4096), ("reduce_scatter", "ring", whole),
                      ("reduce_scatter", "unknown", whole), ("all_gather", "ring", whole), ("all_gather", "unknown", whole),
                      ("broadcast", "unknown", 4096)], f"collectives: {points}")
    expect(all("20 operations queued, mean over the ranks" in record["note"] for record in records), "collectives: queued")
    records, _ = measured(folder, "server", "--ranks", "3", "--sizes", "64KiB")
    expect([record["what"] for record in records] == ["push", "pull", "push-pull"] * 2, "server: one and two workers")


def test_bad_use():
    expect(run("collectives", "--sizes", "7", "--cluster", "testbed").returncode == 2, "a size of no whole elements")
    wrong = run("collectives", "--operation", "reduce", "--cluster", "testbed")
    expect(wrong.returncode == 2 and "there are all-reduce" in wrong.stderr, f"an unknown operation: {wrong.stderr}")
    wrong = run("collectives", "--operation", "broadcast", "--backends", "ring", "--cluster", "testbed")
    expect(wrong.returncode == 2 and "--backends ring has no broadcast" in wrong.stderr, f"a ring's broadcast: {wrong.stderr}")
    wrong = run("link", "--pairs", "2", "--cluster", "testbed")
    expect(wrong.returncode == 2 and "--pairs 2 needs 4 ranks" in wrong.stderr, f"too many pairs: {wrong.stderr}")
    expect(run("link").returncode == 2, "no cluster")


def test_without_gpu():
    for words in (["layers", "lenet5", "--device", "cuda"], ["collectives", "--backend", "nccl"]):
        result = run(*words, "--cluster", "testbed", "--output", "/dev/null")
        if result.returncode == 0:
            continue  # there is a GPU
        expect(result.returncode == 1, f"{words}: exit {result.returncode}")
        expect("no GPU can be used" in result.stderr, f"{words}: {result.stderr}")


with tempfile.TemporaryDirectory() as temporary:
    test_commands(temporary)
test_bad_use()
test_without_gpu()
