"""Sweeps by every kind of executor: the same bytes. Run by pytest; mpi4py and Dask where they are installed.

DDLSIM_QUESTIONS: how many; 200 in the deep tier.
"""

import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

import pytest

import ddlsim

QUESTIONS = int(os.environ.get("DDLSIM_QUESTIONS", "8"))
EACH = 5 if QUESTIONS == 200 else 1
VALUES = {"batch_per_gpu": [16, 32, 64, 96, 128][:EACH], "gpus": [8, 16, 24, 32, 64][:EACH], "strategy": ["ring", "tree", "auto", "hierarchical-ring"],
          "precision": ["fp32", "amp"]}
FIXED = {"model": "resnet50_v1.5", "cluster": "iris", "fidelity": "formula"}
SPAWN = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang


def saved(executor, folder):
    file = ddlsim.sweep(VALUES, executor=executor, **FIXED).save(folder / "all.json")
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def bytes_of_threads(tmp_path_factory):
    return saved(None, tmp_path_factory.mktemp("threads"))


def test_processes_give_the_same_bytes(bytes_of_threads, tmp_path):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=SPAWN) as executor:
        assert saved(executor, tmp_path) == bytes_of_threads


def test_dask_gives_the_same_bytes(bytes_of_threads, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        assert saved(client.get_executor(), tmp_path) == bytes_of_threads


def test_dask_replaces_a_killed_worker_or_says_so(bytes_of_threads, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        client.run(die_soon)
        assert saved(client.get_executor(), tmp_path) == bytes_of_threads
        (tmp_path / "all.json").unlink()
        cluster.scheduler.allowed_failures = 0
        client.run(die_soon)
        with pytest.raises(ddlsim.Error, match=r"^sweep, batch_per_gpu=.*worker failed \(KilledWorker.*and nothing was written"):
            saved(client.get_executor(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_submitit_gives_the_same_answers(tmp_path):
    submitit = pytest.importorskip("submitit")
    asked = {"values": {"gpus": [8, 16]}, "strategy": "ring", **FIXED, "batch_per_gpu": 32}
    assert ddlsim.sweep(**asked, executor=submitit.LocalExecutor(tmp_path / "logs")).texts == ddlsim.sweep(**asked).texts


MPI = """
import hashlib, pathlib, sys
from mpi4py.futures import MPIPoolExecutor
import sweep_test
if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        print(sweep_test.saved(executor, pathlib.Path(sys.argv[1])))
"""


def mpi(script, *words):
    pytest.importorskip("mpi4py")
    if shutil.which("mpiexec") is None:
        pytest.skip("no mpiexec")
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(["mpiexec", "-n", "2", sys.executable, "-m", "mpi4py.futures", script, *map(str, words)],
                          env={**os.environ, **allowed, "PYTHONPATH": path}, capture_output=True, text=True, timeout=500)


def test_two_ranks_give_the_same_bytes(bytes_of_threads, tmp_path):
    script = tmp_path / "ask.py"
    script.write_text(MPI)
    done = mpi(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [bytes_of_threads]


def test_a_killed_rank_ends_the_job_and_nothing_is_written(tmp_path):
    script = tmp_path / "ask.py"
    script.write_text(MPI.replace("import sweep_test\n", "import os, signal, sweep_test\nfrom mpi4py import MPI\n"
                                  "if MPI.COMM_WORLD.rank == 1: __import__('threading').Timer(0.2, lambda: os.kill(os.getpid(), 9)).start()\n"))
    done = mpi(script, tmp_path)
    assert done.returncode != 0
    assert re.search(rf"sweep, batch_per_gpu=.*: SIGTERM has ended the sweep; \d+ of {QUESTIONS} questions were answered, and nothing was written", done.stderr)
    assert [one.name for one in tmp_path.iterdir()] == ["ask.py"]


def die_soon():
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()


def test_a_killed_worker_is_a_clear_error_and_nothing_is_written(tmp_path):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=SPAWN, initializer=die_soon) as executor:
        with pytest.raises(ddlsim.Error, match=rf"^sweep, batch_per_gpu=.*worker failed \(BrokenProcessPool.* of {QUESTIONS} questions were answered, and nothing was written"):
            saved(executor, tmp_path)
    assert list(tmp_path.iterdir()) == []


class Interrupted:
    """An executor whose second answer a person does not wait for."""

    def submit(self, function, arguments, name):
        future = concurrent.futures.Future()
        if arguments["gpus"] == 8:
            future.set_result(function(arguments, name))
        else:
            future.set_exception(KeyboardInterrupt())
        return future


def test_an_interrupt_says_how_far_it_was():
    with pytest.raises(KeyboardInterrupt, match="1 of 2 questions were answered, and nothing was written"):
        ddlsim.sweep({"gpus": [8, 16]}, "scenarios/iris-resnet50.json", strategy="ring", executor=Interrupted())


def test_a_question_that_is_refused_is_a_row_that_says_why(tmp_path):
    with pytest.warns(UserWarning, match=r"1 of 2 questions have no answer; cluster=iri: .*no cluster"):
        sweep = ddlsim.sweep({"cluster": ["iri", "iris"]}, "scenarios/iris-resnet50.json", gpus=8, strategy="ring")
    refused, answered = sweep.predictions
    assert "no cluster" in refused.error and refused.points == [] and "No answer" in refused._repr_html_()
    assert list(sweep.to_pandas()["error"].notna()) == [True, False]
    assert sweep.plot().has_data() and "1 have no answer" in sweep._repr_html_()
    assert [set(one) >= {"scenario", "error"} for one in json.loads(sweep.save(tmp_path / "all.json").read_text())["predictions"]] == [True, False]
    with pytest.raises(ddlsim.Error, match="no cluster"):
        refused.fastest


def test_where_all_are_refused_is_an_error():
    with pytest.raises(ddlsim.Error, match=r"^sweep, cluster=iri: .*no cluster"):
        ddlsim.sweep({"cluster": ["iri", "iriss"]}, "scenarios/iris-resnet50.json", gpus=8, strategy="ring")
    with pytest.raises(ddlsim.UsageError, match=r"^sweep, gpus=0: .*--gpus: 0 found"):
        ddlsim.sweep({"gpus": [8, 0]}, "scenarios/iris-resnet50.json", strategy="ring")


def test_a_program_that_is_killed_ends_the_sweep(monkeypatch, tmp_path):
    killed = tmp_path / "ddlsim"
    killed.write_text("#!/bin/sh\nkill -9 $$\n")
    killed.chmod(0o755)
    monkeypatch.setattr(ddlsim._program, "program", lambda: str(killed))
    with pytest.raises(ddlsim.Error, match=r"^sweep, gpus=8: ddlsim was ended by signal 9"):
        ddlsim.sweep({"gpus": [8, 16]}, "scenarios/iris-resnet50.json", strategy="ring")


def test_a_sweep_is_a_table_and_a_picture(tmp_path):
    sweep = ddlsim.sweep({"batch_per_gpu": [32, 64], "/seed": [1, 2]}, "scenarios/iris-resnet50.json", gpus=8, strategy="ring")
    table = sweep.to_pandas()
    assert list(table["batch_per_gpu"]) == [32, 32, 64, 64]
    assert list(table["/seed"]) == [1, 2, 1, 2]
    assert [one.points[0].samples_per_s for _, one in sweep] == list(table["samples_per_s"])
    assert sweep.plot().has_data()
    assert "4 questions; most samples/s" in repr(sweep) and sweep._repr_html_().count("<tr>") == 1 + 4
    command = subprocess.run([os.environ["DDLSIM"], "predict", os.path.join(os.environ["SOURCE"], "scenarios/iris-resnet50.json"), "--sweep",
                              "/batch_per_gpu=32,64", "--gpus", "8", "--strategy", "ring", "--json"], capture_output=True, text=True, check=True)
    assert ddlsim._record.record_of(command.stdout).predictions[1].points == sweep.predictions[2].points
    assert ddlsim._record.record_of(sweep.save(tmp_path / "s.json").read_text()).format == "ddlsim-predictions"


def test_mistakes_of_a_sweep():
    with pytest.raises(ddlsim.UsageError, match="give a list of values"):
        ddlsim.sweep({"gpus": 8}, "scenarios/iris-resnet50.json")
    with pytest.raises(ddlsim.UsageError, match="one value and as several"):
        ddlsim.sweep({"gpus": [8]}, "scenarios/iris-resnet50.json", gpus=16)
    with pytest.raises(ddlsim.UsageError, match="has no values"):
        ddlsim.sweep({"gpus": []}, "scenarios/iris-resnet50.json")
