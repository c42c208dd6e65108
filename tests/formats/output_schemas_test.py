"""What the commands print as JSON keeps to the schemas that `ddlsim schema` prints, whatever kind of answer it is.

usage: python3 output_schemas_test.py DDLSIM SOURCE_FOLDER
"""

import functools
import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77  # ctest's SKIP_RETURN_CODE of this test

try:
    import jsonschema
except ImportError:
    print("skipped: the Python module jsonschema is missing (Debian: python3-jsonschema)")
    sys.exit(SKIPPED)

PROGRAM, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
BY_FORMULA = ["--fidelity", "formula"]
IRIS = ["predict", "scenarios/iris-resnet50.json"]
# Every kind of row and key: errors, servers that are searched, asynchronous ones, input, neighbours, measured times.
QUESTIONS = {
    "prediction": [
        IRIS + ["--gpus", "1,8,131072", *BY_FORMULA],
        IRIS + ["--gpus", "8", *BY_FORMULA, "--set", '/strategies=[{"name":"ps-async","servers":{"count":2}}]'],
        ["predict", "scenarios/pascal-vgg16.json", "--gpus", "16", *BY_FORMULA, "--set", "/strategies/1/servers=best"],
        ["predict", "scenarios/pascal-servers-or-horovod.json", "--gpus", "4,16", *BY_FORMULA],
        ["predict", "scenarios/a100-resnet50-from-lustre.json", "--gpus", "8", *BY_FORMULA],
        ["predict", "scenarios/iris-vgg16-shared.json", "--gpus", "8", *BY_FORMULA],
        ["predict", "scenarios/p5-llama-3.1-8b-fsdp.json", "--gpus", "8,64", *BY_FORMULA],
        ["predict", "scenarios/p5-llama-3.1-8b-pipeline.json", "--gpus", "4,8,64", *BY_FORMULA],
    ],
    "glossary": [["explain"], ["explain", "global", "batch"]],
    "plan": [["plan", "scenarios/plans/extend-iris.json"]],
    "predictions": [[*IRIS, "--gpus", "8", *BY_FORMULA, "--sweep", "/batch_per_gpu=16,100000000"]],
    "validation": [["validate", "--split", "T2", "--cluster", "dell-c4140-v100"]],
    "collectives": [["validate", "--collectives", "--cluster", "iris"]],
    "ratios": [["validate", "--ratios", "--cluster", "dell-c4140-v100"]],
    "collective-prediction": [[*IRIS, "--collective", "all-reduce", "--gpus", "4,64"],
                              ["predict", "scenarios/pascal-vgg16.json", "--collective", "all-reduce", "--gpus", "8,131072"]],
    "diagnosis": [["diagnose", "scenarios/iris-resnet50.json", "--strategy", "auto", "--step", f"16={time}"]
                  for time in ("430 ms", "900 ms")],
}


@functools.cache
def schema_of(name):
    schema = json.loads(subprocess.run([PROGRAM, "schema", name], capture_output=True, text=True, check=True).stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def answer_to(words):
    done = subprocess.run([PROGRAM, *words, "--json", "--quiet"], capture_output=True, text=True, cwd=SOURCE, timeout=600)
    assert done.returncode in (0, 3), (words, done.stderr)
    return json.loads(done.stdout)


def mistakes_in(name, words):
    return [f"{name}: {' '.join(words)}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
            for error in schema_of(name).iter_errors(answer_to(words))]


def with_offload(folder):
    """A question about a cluster whose file states what its hosts do, as no shipped one does."""
    cluster = json.loads((SOURCE / "platforms" / "iris" / "cluster.json").read_text())
    host = {"host_memory_bandwidth": "100 GB/s", "host_memory": "768 GB", "host_link": {"bandwidth": "12 GB/s", "gpus": 2}}
    cluster["node"] |= host
    cluster["sources"] |= {f"/node/{key}": "made up for this test" for key in host}
    cluster["name"] = pathlib.Path(folder).name
    (pathlib.Path(folder) / "cluster.json").write_text(json.dumps(cluster))
    strategies = [{"name": "zero-2", "offload": "optimizer"}, {"name": "fsdp", "offload": "optimizer-and-parameters"}]
    return [*IRIS, "--gpus", "1,8", *BY_FORMULA, "--set", f"/cluster={folder}", "--set", f"/strategies={json.dumps(strategies)}"]


def refuses_a_key_too_many(name, words):
    answer = answer_to(words) | {"surprise": 1}
    return any("surprise" in error.message for error in schema_of(name).iter_errors(answer))


made = tempfile.TemporaryDirectory(prefix="offload-")
QUESTIONS["prediction"].append(with_offload(made.name))
assert all("exposed_offload_s" in point for point in answer_to(QUESTIONS["prediction"][-1])["points"])
mistakes = [mistake for name, questions in QUESTIONS.items() for words in questions for mistake in mistakes_in(name, words)]
mistakes += [f"{name}: its schema takes any key" for name, questions in QUESTIONS.items()
             if not refuses_a_key_too_many(name, questions[0])]
print("\n".join(mistakes) or f"{sum(map(len, QUESTIONS.values()))} answers keep to their schemas")
sys.exit(1 if mistakes else 0)
