"""The Python package against the command: same figures, same words. Run by pytest in an environment that has the wheel.

DDLSIM: the program beside which the package is held; SOURCE: the checkout.
"""

import copy
import json
import os
import pickle
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import ddlsim

DDLSIM, SOURCE = os.environ["DDLSIM"], Path(os.environ["SOURCE"])
SCENARIO = "scenarios/iris-resnet50.json"
QUICK = {"gpus": [1, 8], "strategies": ["ring"]}


def command(*words):
    done = subprocess.run([DDLSIM, *words, "--json", "--quiet"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_prediction_has_the_digits_of_the_command():
    asked = ddlsim.predict(SCENARIO, **QUICK)
    assert dict(asked) == command("predict", str(SOURCE / SCENARIO), "--gpus", "1,8", "--strategy", "ring")


def test_a_dict_is_the_scenario_of_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = json.loads((SOURCE / SCENARIO).read_text())
    from_dict, from_file = ddlsim.predict(content, **QUICK), ddlsim.predict(SCENARIO, **QUICK)
    assert from_dict.points == from_file.points


def test_a_dict_may_say_it_as_an_argument_does():
    content = {"model": "resnet50_v1.5", "cluster": "iris", "preset": "pytorch-ddp", "precision": "fp32", "batch_per_gpu": 128}
    assert ddlsim.predict({**content, "gpus": 8, "strategies": "ring"}).points == ddlsim.predict(
        {**content, "gpus": [8], "strategies": [{"name": "ring"}]}).points


def test_fields_and_changes_ask_another_question():
    asked = ddlsim.predict(SCENARIO, batch_per_gpu=64, changes={"/efficiency_bound": 0.9}, **QUICK)
    assert asked["batch_per_gpu"] == 64
    assert asked["efficiency_bound"] == 0.9


def test_pandas_has_a_row_for_each_point():
    asked = ddlsim.predict(SCENARIO, gpus=range(1, 9, 7), strategies=["auto", "ring"])
    table = asked.to_pandas()
    assert list(table["gpus"]) == [1, 8, 1, 8]
    assert list(table["strategy.name"]) == ["auto", "auto", "ring", "ring"]
    assert list(table["iteration_s"]) == [point["iteration_s"] for point in asked.points]


def test_ordinary_arguments_ask_what_a_scenario_asks():
    short = ddlsim.predict(model="resnet50_v1.5", cluster="iris", gpus=8, strategy="ring", batch_per_gpu=128)
    long = ddlsim.predict(SCENARIO, gpus=[8], strategies=["ring"])
    assert short.point == long.point
    assert short.point.samples_per_s == long["points"][0]["samples_per_s"]
    assert short.fastest is short.points[0]
    assert ddlsim.predict(model="resnet50_v1.5", cluster="iris", gpus=8, batch_per_gpu=128,
                          strategy=[{"name": "ring"}]).points == long.points


def test_strategies_have_the_preset_that_a_new_scenario_gives_them():
    asked = dict(model="llama_3.1_8b_seq8192", cluster="p5", gpus=16, batch_per_gpu=1, precision="bf16")
    layouts = ddlsim.new_scenario(strategy={"name": "model-parallel", "tensor": 8}, **asked)
    assert layouts.preset == "megatron-lm" and layouts.strategies == [{"name": "model-parallel", "tensor": 8}]
    beside = ddlsim.new_scenario(strategy=["auto", {"name": "fsdp", "recompute": "full"}], **asked)
    assert beside.strategies[1] == {"name": "fsdp", "preset": "pytorch-fsdp2", "recompute": "full"}
    assert ddlsim.predict(strategy={"name": "model-parallel", "tensor": 8}, **asked).point.samples_per_s > 0


def test_attributes_that_are_not_there_name_near_ones():
    asked = ddlsim.predict(SCENARIO, **QUICK)
    with pytest.raises(AttributeError, match="samples_per_s"):
        asked.points[0].sample_per_s
    with pytest.raises(ddlsim.UsageError, match="2 points"):
        asked.point
    assert copy.deepcopy(asked) == asked == pickle.loads(pickle.dumps(asked))


def test_a_notebook_shows_verdict_picture_and_small_table():
    asked = ddlsim.predict(SCENARIO, **QUICK)
    shown = asked._repr_html_()
    assert shown.index("samples/s by ring") < shown.index("<svg") < shown.index("<table>")
    words = re.sub(r"<svg.*?</svg>|<details>.*?</details>|<[^>]*>", " ", shown, flags=re.S).split()
    assert len(words) < 60  # a sentence or two, before any paragraph
    assert "<script" not in shown and "iframe" not in shown
    assert "<svg style=\"max-width:100%;height:auto\"" in shown  # no wider than its frame
    assert shown.count("<tr>") <= 1 + 8
    assert asked._repr_html_() == shown  # same answer, same bytes
    assert "<svg" in asked.page


def test_a_hostile_name_is_shown_as_text():
    answer = ddlsim.predict(SCENARIO, **QUICK)
    answer["model"] = "</script><img src=x onerror=alert(1)> $\\frac{"
    shown = answer._repr_html_()
    assert "<img" not in shown and "<script" not in shown


@pytest.mark.parametrize("ask", [
    lambda: ddlsim.predict(SCENARIO, gpus=8, strategy="ring"), lambda: ddlsim.plan(SOURCE / "scenarios/plans/extend-iris.json"),
    lambda: ddlsim.diagnose(SCENARIO, steps={1: "366 ms", 16: 0.640}, strategy="auto"), lambda: ddlsim.calibrate("iris"),
    lambda: ddlsim.collective(cluster="iris", gpus=8, strategy="ring", sizes=["1MiB", "64MiB"])])
def test_every_answer_is_drawn_and_said(ask):
    answer = ask()
    assert answer.plot().has_data()
    assert len(repr(answer)) > 40
    assert "<b>" in answer._repr_html_()


def test_a_plan_of_ordinary_arguments():
    short = ddlsim.plan(model="resnet50_v1.5", clusters=["iris"], gpus=[32, 64], strategy="ring", samples=1281167, epochs=90,
                        batch_per_gpu=128, deadline="3 h", price={"kind": "owned"})
    assert [one.gpus for one in short.options] and short.choice.candidate == "iris"
    with pytest.raises(ddlsim.UsageError, match="clusters missing"):
        ddlsim.plan(model="resnet50_v1.5")
    with pytest.raises(ddlsim.Error, match=r"/workload/deadlin"):
        ddlsim.plan(model="resnet50_v1.5", clusters="iris", samples=1000, epochs=1, batch_per_gpu=1, deadlin="3 h")


def test_a_plan_takes_the_words_of_the_command():
    words = {"tokens": "10B", "gpus": [64], "budget": "3M"}
    plan = ddlsim.plan(model="llama_3.1_8b_seq8192", on="p5", within="30 d", **words)
    told = command("plan", "llama_3.1_8b_seq8192", "--on", "p5", "--tokens", "10B", "--within", "30d", "--budget", "3M", "--gpus", "64")
    assert plan.options[0].time_s.median == told["options"][0]["time_s"]["median"]
    assert plan.limits.budget_usd == 3e6
    assert ddlsim.plan(model="llama_3.1_8b_seq8192", clusters="p5", **words).options[0].time_s.median == plan.options[0].time_s.median
    config = ddlsim.plan(model=str(SOURCE / "scenarios/examples/llama-1b-config.json"), sequence=2048, clusters=["p5"], tokens="10B", gpus=[8])
    assert config.options
    alone = ddlsim.plan(model="lenet5", on="2 x 8 x H100, 8x400 Gb/s IB", samples=10**6, gpus=[8], budget=1000)
    assert len(alone.options) == 1 and "Take " in repr(alone)
    with pytest.raises(ddlsim.UsageError, match="within and deadline"):
        ddlsim.plan(model="lenet5", clusters="iris", within="3 h", deadline="3 h")
    with pytest.raises(ddlsim.UsageError, match="did you mean gpus"):
        ddlsim.predict(SCENARIO, gpu=8)


def test_a_cluster_and_a_model_of_ones_own(tmp_path):
    cluster = ddlsim.new_cluster("mine", gpu="H100-SXM5-80GB", gpus_per_node=8, nodes=16, network="8x400 Gbps ib")
    model = ddlsim.from_hf(SOURCE / "scenarios/examples/llama-1b-config.json", sequence=2048, name="llama-1b")
    asked = dict(gpus=16, strategy="fsdp", preset="pytorch-fsdp2", precision="bf16", batch_per_gpu=4)
    from_dicts = ddlsim.predict(model=model, cluster=cluster, **asked)
    from_files = ddlsim.predict(model=model.save(tmp_path / "llama-1b.json"), cluster=cluster.save(tmp_path / "mine"), **asked)
    assert from_dicts.points == from_files.points
    config = json.loads((SOURCE / "scenarios/examples/llama-1b-config.json").read_text())
    assert ddlsim.predict(model=config, sequence=2048, cluster=cluster, **asked).points == from_dicts.points


def test_a_log_alone_is_a_question():
    log = SOURCE / "tests/fuzz/seeds/nccl-tests.txt"
    assert ddlsim.diagnose(log, cluster="iris", gpus_per_node=4) == ddlsim.diagnose(logs=[log], cluster="iris", gpus_per_node=4)
    assert ddlsim.records(log, cluster="iris", gpu="V100-SXM2-16GB")[1].operation == "all_reduce"


def test_the_other_commands():
    text = subprocess.run([DDLSIM, "predict", str(SOURCE / SCENARIO), "--gpus", "8", "--strategy", "ring", "--markdown"], capture_output=True,
                          text=True, check=True).stdout
    assert ddlsim.command("predict", SCENARIO, gpus=[8], strategy="ring", markdown=True) == text
    assert "model" in ddlsim.new_scenario(model="lenet5", cluster="iris", gpus=8, batch_per_gpu=1)
    assert ddlsim.explain("straggling").entries[0].term == "straggling"
    assert "`layers`" in ddlsim.schema("model", markdown=True)
    assert "H100-SXM5-80GB" in ddlsim.gpus() and "pytorch-ddp" in ddlsim.presets()


def test_progress_is_a_line_that_goes_away(capsys, monkeypatch):
    monkeypatch.setattr(ddlsim._progress, "PATIENCE_S", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with ddlsim._progress.Shown("sweep") as shown:
        shown.count(3, 10)
        assert "sweep: 3 of 10" in capsys.readouterr().err
    assert capsys.readouterr().err == "\r\033[K"
    with ddlsim._progress.Shown("sweep", False) as shown:
        shown.count(3, 10)
    assert capsys.readouterr().err == ""


def test_progress_in_a_log_is_a_line_now_and_then(capsys, monkeypatch):
    with ddlsim._progress.Shown("sweep") as shown:
        shown.count(3, 10)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(ddlsim._progress, "BETWEEN_LINES_S", 0)
        shown.count(10, 10)
    assert capsys.readouterr().err == "sweep: 10 of 10\n"


@pytest.mark.parametrize("document", ["README.md", "docs/quickstart.md"])
def test_the_python_of_the_documents_runs(document, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (SOURCE / document).read_text(), flags=re.S)
    assert blocks
    for place, block in enumerate(blocks):
        script = tmp_path / f"block{place}.py"
        script.write_text(block)
        subprocess.run([sys.executable, script], cwd=tmp_path, env={**os.environ, "MPLBACKEND": "agg"}, check=True)
    if "all.json" in "".join(blocks):
        assert len(json.loads((tmp_path / "all.json").read_text())["predictions"]) == 4


def test_a_program_that_is_killed_is_said(monkeypatch, tmp_path):
    killed = tmp_path / "ddlsim"
    killed.write_text("#!/bin/sh\nkill -9 $$\n")
    killed.chmod(0o755)
    monkeypatch.setattr(ddlsim._program, "program", lambda: str(killed))
    with pytest.raises(ddlsim.Error, match="SIGKILL"):
        ddlsim.predict(SCENARIO)


def test_mistakes_have_the_words_of_the_command():
    with pytest.raises(ddlsim.Error, match=r"/batch_per_gpu: -3 found"):
        ddlsim.predict(SCENARIO, batch_per_gpu=-3)
    with pytest.raises(ddlsim.Error, match=r"^question.json: /batch_per_gpu: missing"):
        ddlsim.predict(model="lenet5", cluster="iris", gpus=8)
    with pytest.raises(ddlsim.Error, match=r"did you mean .precision"):
        ddlsim.predict(model="lenet5", cluster="iris", gpus=8, batch_per_gpu=1, prcision="bf16")
    with pytest.raises(ddlsim.UsageError, match="model missing"):
        ddlsim.predict(cluster="iris", gpus=8)
    with pytest.raises(ddlsim.Error, match="did you mean"):
        ddlsim.predict(SCENARIO, cluster="iri")
    with pytest.raises(ddlsim.UsageError, match="fidelity"):
        ddlsim.predict(SCENARIO, fidelity="ful")


def test_a_text_stays_a_text():
    with pytest.raises(ddlsim.Error, match="no such file"):
        ddlsim.predict(SCENARIO, model="--output /tmp/x", **QUICK)


def test_threads_may_ask_at_the_same_time():
    answers = {}

    def ask(gpus):
        answers[gpus] = ddlsim.predict(SCENARIO, gpus=[gpus], strategies=["ring"]).points

    threads = [threading.Thread(target=ask, args=(gpus,)) for gpus in (4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {gpus: points[0]["gpus"] for gpus, points in answers.items()} == {4: 4, 8: 8}


def test_a_calibration_is_returned_and_nothing_is_written():
    file = SOURCE / "platforms/iris/calibration.json"
    before = file.exists() and file.read_bytes()
    calibration = ddlsim.calibrate("iris")
    assert calibration["cluster"] == "iris"
    assert set(calibration.to_pandas().columns) >= {"name", "value", "low", "high", "identified"}
    assert (file.exists() and file.read_bytes()) == before


def test_a_diagnosis_answers_where_the_command_ends_with_3():
    diagnosis = ddlsim.diagnose(SCENARIO, steps={1: "366 ms", 16: 0.640}, strategy="auto")
    assert diagnosis.normal is False
    assert sum(cause["chance"] for cause in diagnosis.causes) == pytest.approx(1, abs=1e-6)


def test_a_log_is_judged_without_a_scenario():
    log = SOURCE / "tests/fuzz/seeds/nccl-tests.txt"
    diagnosis = ddlsim.diagnose(logs=[log], cluster="iris", gpus_per_node=4)
    assert dict(diagnosis) == command("diagnose", str(log), "--cluster", "iris", "--gpus-per-node", "4")
    assert {point["what"] for point in diagnosis["points"]} == {"all_reduce"}


def test_warnings_of_the_answer_are_warnings_of_python():
    with pytest.warns(UserWarning, match="calibrate"):
        ddlsim.Prediction.of('{"points": [], "warnings": ["calibrate again"]}')


def test_names():
    assert "iris" in ddlsim.clusters()
    assert "resnet50_v1.5" in ddlsim.models()
    assert ddlsim.__version__ == (SOURCE / "VERSION").read_text().strip()


def test_the_example_for_matplotlib_draws(tmp_path):
    picture = tmp_path / "efficiency.png"
    scenario = tmp_path / "small.json"
    content = json.loads((SOURCE / SCENARIO).read_text()) | {"gpus": [1, 4, 8]}
    content["strategies"] = [one for one in content["strategies"] if one["name"] in ("auto", "ring")]
    scenario.write_text(json.dumps(content))
    subprocess.run([sys.executable, SOURCE / "docs/examples/efficiency.py", scenario, picture], check=True)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_notebook_of_the_documents_runs():
    notebook = nbformat.read(SOURCE / "docs/python.ipynb", as_version=4)
    assert all(cell.outputs for cell in notebook.cells if cell.cell_type == "code")  # executed when it was packaged
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ipykernel about its own parts
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("<svg" in "".join(output.get("data", {}).get("text/html", "")) for output in shown)
