"""The schemas and the reader agree: both take every shipped file, and both refuse files spoilt in every way a schema can express."""

import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "platforms" / "convert"))
sys.dont_write_bytecode = True
from common_lines import unfold  # noqa: E402
from every_key import CALIBRATION, LAYER, PLAN_REQUEST  # noqa: E402

SKIPPED = 77  # ctest's SKIP_RETURN_CODE of this test

try:
    import fastjsonschema  # 45,000 documents: jsonschema takes ten times as long
except ImportError:
    print("skipped: the Python module fastjsonschema is missing (Debian: python3-fastjsonschema)")
    sys.exit(SKIPPED)

FORMATS = ("model", "gpus", "cluster", "scenario", "presets", "priors", "calibration", "plan-request",
           "convergence", "inputs", "kernels", "kernel-rates")
DOCUMENT_FORMATS = {"ddlsim-" + name: name for name in FORMATS}

def with_types(schema):
    """The schema with a type beside constants: to Python, and so to fastjsonschema, true is 1."""
    if isinstance(schema, list):
        return [with_types(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    constants = schema.get("enum") or [schema.get("const")]
    typed = {"type": "number"} if all(type(one) in (int, float) for one in constants) else {}
    return {**typed, **{key: with_types(value) for key, value in schema.items()}}


class Schemas:
    def __init__(self, folder):
        self.takes = {}
        for name in FORMATS + ("measurement",):
            schema = with_types(json.loads((folder / f"{name}.schema.json").read_text()))
            self.takes[name] = fastjsonschema.compile(schema)
            if name == "measurement":  # the branch a line takes, without trying the other ten
                self.takes_kind = {part["properties"]["record"]["const"]: fastjsonschema.compile(part) for part in schema["anyOf"]}

    def mistake(self, name, content):
        """The first mistake, or None."""
        takes = self.takes[name]
        if name == "measurement" and isinstance(content, dict):
            kind = content.get("record")
            takes = self.takes_kind.get(kind, takes) if isinstance(kind, str) else takes
        try:
            takes(content)
        except fastjsonschema.JsonSchemaException as error:
            return error.message[:200]


def shipped_documents(root):
    """(file, format, content) of every JSON document under platforms/ and scenarios/."""
    for file in sorted((root / "platforms").rglob("*.json")) + sorted((root / "scenarios").rglob("*.json")):
        content = json.loads(file.read_text())
        if "model_type" in content or file.name == "hf-configs.json":
            continue  # configs of Hugging Face, which import reads
        if content["format"].startswith("ddltrain-"):
            continue  # campaigns and profiles: the trainer's, which checks them itself
        yield file, DOCUMENT_FORMATS[content["format"]], content


def shipped_lines(root):
    for file in sorted((root / "platforms").rglob("*.jsonl")):
        lines = file.read_text().splitlines()
        for number, record in unfold(lines):
            yield f"{file}:{number}", record


def two_stacks(scenario):
    """The scenario with a preset and a transport of each strategy's own, and best servers before them."""
    return {**scenario, "strategies": [{"name": "ps", "servers": "best", "placement": "dedicated", "note": "n"}] +
            [{**strategy, "preset": scenario["preset"], "transport": "grpc"} for strategy in scenario["strategies"]]}


def with_fabric(cluster, fabric):
    """The cluster on another network, with NVLink domains where leaves hold them."""
    changed = copy.deepcopy(cluster)
    changed["fabric"] = {"hop_latency": "1 us", **fabric}
    changed["available"] = {"nodes": 1}
    changed["growth"] = {"max_nodes": 2, "rule": "as it is"}
    changed["node"]["intra"] = {"kind": "nvswitch", "bandwidth": "100 GB/s", "latency": "1 us"}
    if fabric["kind"] == "fat-tree":
        changed["node"]["intra"]["domain_nodes"] = 2
    if fabric["kind"] == "rails":
        changed["node"]["nics"] = [{"name": "ib", "bandwidth": "100 Gbps", "count": 4}]
    changed["sources"].update({"/fabric": "s", "/node": "s", "/available": "s", "/growth": "s"})
    return changed


def with_pipeline(request):
    changed = copy.deepcopy(request)
    changed["candidates"][0]["strategies"] = [
        {"name": "model-parallel", "tensor": 2, "pipeline": "best", "micro_batches": 4, "data_parallel": "zero-1"},
        {"name": "model-parallel", "context": "best", "recompute": "selective"}]
    return changed


def with_prices(cluster):
    """The cluster with a price of each kind and the power of a node."""
    changed = copy.deepcopy(cluster)
    changed["node"]["power"] = "10.2 kW"
    changed["prices"] = [{"kind": "on-demand", "usd_per_node_hour": 24.48, "date": "2024-03"},
                         {"kind": "reserved", "usd_per_node_hour": 16, "term": "8760 h", "date": "2024-03-31"},
                         {"kind": "purchase", "usd_per_node": 149000, "date": "2017"}]
    changed["sources"].update({"/node": "s", "/prices": "s"})
    return changed


def with_blocks(model):
    """The model after two blocks of one layer."""
    layer = {"name": "block{i}", "kind": "linear", "forward_flop_per_sample": 2, "activation_bytes_per_sample": 4,
             "tensors": [{"name": "block{i}.weight", "shape": [1], "bytes": 4}], "experts": 1}
    return {**model, "parameters": model["parameters"] + 2, "layers": [{"repeat": 2, "first": 1, "layers": [layer]}, *model["layers"]]}


def with_one_site(priors):
    """The priors with one summary, of a class that has every key."""
    of = {"parameter": "nic_efficiency", "transport": "nccl-tcp", "preset": "horovod", "path": "virtual-switch"}
    row = {**of, "median": 0.5, "width": 0.4, "scale": "log", "unit": "1", "source": ["s", "t"], "shaped_by": ["iris"]}
    return {**priors, "model": "1", "expected": [row, *priors["expected"]],
            "sites": [{"site": "iris", "values": [{**of, "value": 0.5, "error": 0.1}]}]}


def variants(samples):
    """Documents with keys that the shortest shipped ones lack, by name@variant."""
    owned = {**samples["plan-request"], "workload": {**samples["plan-request"]["workload"], "global_batch": 512}}
    del owned["workload"]["batch_per_gpu"]
    owned["candidates"] = [{**owned["candidates"][1], "price": {"kind": "owned", "source": "s"}}]
    yield "plan-request@owned", owned
    to_target = copy.deepcopy(owned)
    del to_target["workload"]["samples"], to_target["workload"]["epochs"]
    to_target["workload"].update({"convergence": "resnet50-imagenet", "start_up": "5 min", "input": {"dataset": "imagenet", "loader": "keras"}})
    to_target["candidates"][0]["cores_per_node"] = 4
    to_target["failures"] = {"storage": "2 GB/s", "bytes_per_parameter": 8, "repair": "24 h", "spare_nodes": 1}
    yield "plan-request@to-target", to_target
    by_tokens = copy.deepcopy(owned)
    del by_tokens["workload"]["samples"], by_tokens["workload"]["epochs"]
    by_tokens["workload"]["tokens"] = 1e9
    by_tokens["slow_node"] = {"compute_factor": 1.2, "network_factor": 0.5}
    yield "plan-request@tokens", by_tokens
    yield "scenario@shared", {
        **samples["scenario"], "node_placement": [4, 2], "background_traffic": 0.25,
        "neighbours": [{"name": "a", "nodes": 2, "node_placement": "scattered", "compute": "0 s", "all_reduce": "1 GB"}]}
    yield "scenario@sharded", {
        **samples["scenario"], "strategies": [
            {"name": "fsdp", "micro_batches": 2, "recompute": "full", "reshard_after_forward": False,
             "backward_prefetch": False, "gathers_in_flight": 3, "shard_group": 16},
            {"name": "fsdp", "shard_group": "node", "offload": "optimizer-and-parameters"},
            {"name": "zero-2", "offload": "optimizer"},
            {"name": "zero-1", "micro_batches": 2, "recompute": "none"}]}
    yield "scenario@pipeline", {
        **samples["scenario"], "strategies": [
            {"name": "model-parallel", "tensor": 2, "pipeline": 2, "micro_batches": 4, "schedule": "1f1b",
             "rank_order": "tp-cp-pp-dp"},
            {"name": "model-parallel", "context": 2, "recompute": "full"},
            {"name": "model-parallel", "tensor": 2, "context": 4, "micro_batches": 2},
            {"name": "model-parallel", "pipeline": 2, "micro_batches": 12, "schedule": "interleaved", "virtual_stages": 2}]}
    yield "scenario@best-layout", {
        **samples["scenario"], "strategies": [
            {"name": "model-parallel", "tensor": "best", "data_parallel": "zero-1"},
            {"name": "model-parallel", "context": "best"},
            {"name": "model-parallel", "pipeline": "best", "micro_batches": "best"}]}
    yield "plan-request@pipeline", with_pipeline(samples["plan-request"])
    yield "scenario@input", {
        **samples["scenario"], "input": {"dataset": "imagenet", "storage": "nfs", "format": "files", "loader": "keras",
                                         "cores_per_node": 8, "readers_per_node": 4, "bytes_per_sample": "1 KB",
                                         "loader_samples_per_s": 9, "read_bandwidth": "1 GB/s",
                                         "shared_read_bandwidth": "1 GB/s"}}
    for fabric in (
        {"kind": "fat-tree", "nodes_per_leaf": 4, "blocking": 1.5, "upper_levels": [{"nodes": 12, "blocking": 2}]},
        {"kind": "rails", "nodes_per_leaf": 4, "blocking": 2, "routing": "adaptive", "sharp": True},
        {"kind": "torus", "dimensions": [12, 12], "link_bandwidth": "5 GB/s"},
        {"kind": "dragonfly", "groups": 2, "switches_per_group": 12, "nodes_per_switch": 12,
         "links_between_groups": 3, "link_bandwidth": "5 GB/s"},
    ):
        yield "cluster@" + fabric["kind"], with_fabric(samples["cluster"], fabric)
    yield "cluster@priced", with_prices(samples["cluster"])
    yield "model@blocks", with_blocks(samples["model"])


def check_shipped(root, schemas):
    failures = []
    count = 0
    samples = {}
    for file, name, content in shipped_documents(root):
        count += 1
        mistake = schemas.mistake(name, content)
        if mistake:
            failures.append(f"{file}: {mistake}")
        if name not in samples or len(json.dumps(content)) < len(json.dumps(samples[name])):
            samples[name] = content
    samples["calibration"] = CALIBRATION
    samples["plan-request"] = PLAN_REQUEST
    samples["scenario"] = two_stacks(samples["scenario"])
    of_preset = {"sharding_choices": ["bytes", "pieces"], "one_gpu_as": "horovod", "servers_as": "horovod"}
    samples["presets"]["presets"][0].update(of_preset)
    samples["priors"] = with_one_site(samples["priors"])
    samples.update(variants(samples))
    for key in [key for key in samples if isinstance(key, str) and ("scenario" in key or "plan" in key) or "@" in key]:
        if mistake := schemas.mistake(key.split("@")[0], samples[key]):
            failures.append(f"a {key} of this test: {mistake}")
    mistake = schemas.mistake("calibration", CALIBRATION)
    if mistake:
        failures.append(f"a calibration: {mistake}")
    for where, line in shipped_lines(root):
        count += 1
        mistake = schemas.mistake("measurement", line)
        if mistake:
            failures.append(f"{where}: {mistake}")
        in_training = "-in-training" if line.get("what") == "training" else ""
        samples.setdefault(("measurement", line["record"] + in_training), line)
    samples["measurement", "layer"] = LAYER
    print(f"{count} shipped documents and lines against their schema: {len(failures)} refused")
    return failures, samples


def places(value, path=()):
    """Paths of all values inside, the whole one first; of long lists the first two items."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def spoilt_copies(content):
    """(what was done, copy) for every place: removed, given another type, a wrong word, a negative number, an unknown key added."""
    for path in places(content):
        old = at(content, path)
        if isinstance(old, dict):
            yield f"unknown key in /{'/'.join(map(str, path))}", replaced(content, path, {**old, "no_such_key": 1})
        if not path:
            continue
        where = "/" + "/".join(map(str, path))
        if isinstance(path[-1], str):
            yield f"{where} removed", removed(content, path)
        for new in (None, 12, "", "no such word", -1, 0, 0.5, True, [], {}, [3], "5", "12 parsecs", "nan GB/s"):
            if new != old or type(new) is not type(old):
                yield f"{where} = {json.dumps(new)}", replaced(content, path, new)


def positions_of(content):
    """Places in a calibration at which only the reader knows what is meant: the shared values, and positions among them."""
    places_ = ["/shared"]
    for table, value in content.items():
        if isinstance(value, dict) and "columns" in value:
            places_ += [f"/{table}/rows/{row}/{column}" for row in range(2) for column, name in enumerate(value["columns"])
                        if "@" in json.dumps(name)]
    return places_


def replaced(content, path, new):
    if not path:
        return new
    changed = copy.deepcopy(content)
    at(changed, path[:-1])[path[-1]] = new
    return changed


def removed(content, path):
    changed = copy.deepcopy(content)
    del at(changed, path[:-1])[path[-1]]
    return changed


def reader_verdicts(check, root, files):
    """What the reader says of each file: True when it takes it, and the words."""
    answer = subprocess.run([check, root], input="\n".join(map(str, files)), text=True, capture_output=True, check=True)
    lines = answer.stdout.splitlines()
    assert len(lines) == len(files), "the reader ended before the last file: " + answer.stderr[-500:]
    return [(line.startswith("good\t"), line) for line in lines]


# What only the reader holds: rules between fields or files. A copy that the schema takes may be refused for these only.
READER_ONLY = (
    "no such file, and no such folder", "is called", "leaves open", "no source for", "points at nothing", "is taken", "there twice", "comes after",
    "shapes sum to", "product of the shape", "of an earlier one", "partly used", "beside strategy none",
    "fewer than the", "more than the", "after the file's name", "say how they reach", "found beside GPU", "is no JSON pointer",
    "is no time", "times found for", "a figure that is not there", "never reached", "a path is a transport's", "found beside \"sharding\"", "or \"sharding\"", "or \"scale\": \"linear\"", "no row of \"expected\" is of", "is not learnt from sites", "uses nccl", "is not a figure", "cannot be looked up",
    "whole number, two or more, of the groups", "give that or fewer", "need a switch each", "nodes in all", "hold whole domains",
    "no NIC has a count of 2 or more", "one cable for each message", "does not lie between", "names no loader", "nodes are listed", "one a parameter", "one for each parameter before", "below smallest_batch",
    "say where the figure of", "missing beside", "has no meaning without", "missing; give the name of a NIC", "no rate found", "missing; give the time to open",
    "no NIC of the node is called", "shm stays inside", "is not a date",
    "missing; give the size of a stored", "missing; name what", "nothing is parallel but data", "only a pipeline has one", "only a tensor group has", "only experts on several",
    "has a first length of", "a batch is stated twice", "or \"global_batch\" of all GPUs", "follows from the scenario's", "its layout is searched",
    "nothing says what is trained", "all weights beside adapters", "only adapters have targets", "no GPU updates parameters",
    "are no multiple of", "give one of \"batch_per_gpu\"", "gives samples and epochs", "are those of the whole training", "or \"tokens\" or a", "give one of \"checkpoint\"",
    "goes with \"storage\"", "spare nodes wait", "found beside the workload's",
    "missing for a figure of origin", "a speed-up is of two scales", "a share of linear growth", "put {i} where", "once blocks are repeated", "give one for each layer", "numbers found, ", "digits found, ", "give a position among the", "key heads found for",
)


def check_spoilt(root, schemas, samples, check):
    failures = []
    in_memory = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None  # 16,000 files
    with tempfile.TemporaryDirectory(dir=in_memory) as folder:
        cases = []
        for key, content in samples.items():
            name = key.split("@")[0] if isinstance(key, str) else "measurement"
            skipped = positions_of(content) if name == "calibration" else []
            for number, (done, copy_) in enumerate(spoilt_copies(content)):
                if done.split(" ")[0] in skipped or any(done.startswith(f"{place}/") for place in skipped):
                    continue
                lines = [json.dumps(copy_)]
                if name == "measurement" and key[1] != "context":
                    lines.insert(0, json.dumps(samples["measurement", "context"]))
                stem = content["name"] if name == "model" else "x"
                file = pathlib.Path(folder) / f"{key if isinstance(key, str) else key[1]}-{number}" / f"{stem}.json"
                file.parent.mkdir()
                file = file.with_suffix(".jsonl") if name == "measurement" else file
                file.write_text("\n".join(lines) + "\n")
                cases.append((key, done, schemas.mistake(name, copy_), file))
        verdicts = reader_verdicts(check, root, [case[3] for case in cases])
        refused = 0
        for (key, done, mistake, _), (taken, words) in zip(cases, verdicts):
            refused += mistake is not None
            if mistake and taken:
                failures.append(f"{key}: {done}: the schema refuses it ({mistake}), the reader takes it")
            told = words.split("\t")[1:]
            if not mistake and not taken and not all(any(rule in line for rule in READER_ONLY) for line in told):
                failures.append(f"{key}: {done}: the schema takes it, the reader refuses it ({words[:300]})")
    print(f"{len(cases)} spoilt copies: {refused} refused by the schema, disagreements: {len(failures)}")
    if refused < len(cases) // 2:
        failures.append("too few spoilt copies were refused to say anything")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--check", required=True, help="the program that runs the reader over files")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([arguments.check, "--schemas", made], check=True)
        schemas = Schemas(pathlib.Path(made))
    failures, samples = check_shipped(arguments.root, schemas)
    kinds = {key[1] for key in samples if not isinstance(key, str)}
    print("sampled:", ", ".join([key for key in samples if isinstance(key, str)] + sorted(kinds)))
    failures += check_spoilt(arguments.root, schemas, samples, arguments.check)
    for failure in failures[:40]:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
