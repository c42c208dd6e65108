"""The Python package against the command: same figures, same words. Run by pytest in an environment that has the wheel.

DDLSIM: the program beside which the package is held; SOURCE: the checkout.
"""

import json
import os
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


def test_a_notebook_shows_the_page_in_a_frame():
    asked = ddlsim.predict(SCENARIO, **QUICK)
    assert "<svg" in asked.page
    assert asked._repr_html_().startswith("<iframe srcdoc=")
    assert "<svg" not in asked._repr_html_()  # quoted, so that the page cannot reach out of its frame


def test_mistakes_have_the_words_of_the_command():
    with pytest.raises(ddlsim.Error, match=r"/batch_per_gpu: -3 found"):
        ddlsim.predict(SCENARIO, batch_per_gpu=-3)
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
        ddlsim.Prediction({"points": [], "warnings": ["calibrate again"]})


def test_names():
    assert "iris" in ddlsim.clusters()
    assert "resnet50_v1.5" in ddlsim.models()
    assert ddlsim.__version__ == "0.1.0"


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ipykernel about its own parts
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in shown)
