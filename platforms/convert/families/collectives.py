"""All-reduce tables: nccl-tests, DeepBench, OSU over 10GbE, and jobs that share a link."""

from gpus import catalogue_name
from records import collective
from sink import context

DEEPBENCH, OSU, CONTENTION = ("deepbench-allreduce.json", "hkbu-osu-mpi-allreduce-10gbe.json",
                              "hkbu-allreduce-contention.json")
SOURCES = (DEEPBENCH, OSU, CONTENTION)

# DeepBench names the program of each row: NCCL 2.0 has rings only, Baidu's is a ring over MPI.
PROGRAMS = {"NCCL 2.0 MPI": ("nccl2-mpi", "nccl", "ring", "nccl-ib"),
            "NCCL 2.0 Single": ("nccl2-single", "nccl", "ring", "nccl-ib"),
            "Baidu RingAllReduce": ("baidu", "baidu-ring", "ring", "mpi-ib"),
            "OSU Allreduce": ("osu", "open-mpi", "unknown", "mpi-ib")}


def convert(source, sink):
    {DEEPBENCH: deepbench, OSU: osu, CONTENTION: contention}[source.name](source, sink)


def deepbench(source, sink):
    document = source.document
    for s, one in enumerate(document["sets"]):
        specs = "; ".join(f"{key.strip()}: {value}" for key, value in one["specs"].items() if value)
        name = one["id"].removeprefix("deepbench-allreduce-").replace("_", "-")
        file = sink.open(source, f"deepbench-8gpu-{name}", context(
            source, catalogue_name(one["gpu"]), f"{document['cluster']['intra_node_link']}; "
            f"{document['cluster']['network']}; {specs}", document["framework"], "2017", "Baidu Research",
            path=f"{one['xlsx']}, sheet {one['sheet']}"))
        for p, point in enumerate(one["points"]):
            slug, library, algorithm, wire = PROGRAMS[point["algorithm"]]
            collective(file, f"/sets/{s}/points/{p}/time_ms", f"{one['id']}-{point['gpus']}gpus-{slug}", point["gpus"],
                       point["nodes"], point["bytes"], "ms", algorithm=algorithm, library=library,
                       transport=wire if point["nodes"] > 1 else "unknown", statistic="mean",
                       relative_spread=round(point["stdev_ms"] / point["time_ms"], 6),
                       note="the table has the best program of each row")


def osu(source, sink):
    document = source.document
    file = sink.open(source, "hkbu-osu-10gbe", context(
        source, "", f"{document['cluster']['nodes']} nodes, one rank each, host memory; "
        f"{document['cluster']['network']}", document["framework"], "2018", "HKBU"))
    for s, one in enumerate(document["sets"]):
        for p, point in enumerate(one["points"]):
            collective(file, f"/sets/{s}/points/{p}/time_us", one["id"], point["nodes"], point["nodes"], point["bytes"],
                       "us", library="open-mpi", transport="mpi-tcp", statistic="mean")


# Files of the source that are converted: what the time is, and its statistic.
KEPT = {"alpha-beta.csv": ("one job", "mean"), "results_avg_avg.csv": ("mean over the jobs", "mean"),
        "results_avg_max.csv": ("slowest of the jobs", "unknown")}


def contention(source, sink):
    document = source.document
    machine = f"nodes: {document['cluster']['nodes'].strip()}; {document['cluster']['network']}"
    file = sink.open(source, "hkbu-contention-1gbe", context(
        source, "", machine, document["framework"], "2020", "HKBU"))
    for s, one in enumerate(document["sets"]):
        if one["file"] not in KEPT:
            sink.leave_out(source, f"/sets/{s}/points/*", f"{one['file']}: another average or maximum of the same runs "
                           "than the two kept, and the source does not say which")
            continue
        what, statistic = KEPT[one["file"]]
        for p, point in enumerate(one["points"]):
            jobs = point["concurrent_jobs"]
            collective(file, f"/sets/{s}/points/{p}/time_us", f"{one['id']}-{jobs}jobs", 2, 2, point["bytes"], "us",
                       library="open-mpi", transport="mpi-tcp", statistic=statistic, concurrent_jobs=jobs, note=what)
