"""A GPU's compute as timed waits: layer times of a profile or of measurement files (tables, `layers`, and the old form of one pass a line,
`layer`), and the clock by which a script's layers wait (`--replay`)."""
import dataclasses
import json
import time
import typing

from common.failure import Failure

US = 1e-6
UNITS = {"s": 1, "ms": 1e-3, "us": US}
PASSES = ("forward", "backward", "backward-data", "backward-weights", "optimizer")


@dataclasses.dataclass
class PassTime:
    """Of one pass of one layer, for the whole batch."""
    timing: str     # alike for times that were measured together
    model: str
    layer: str
    kind: str
    batch: float
    direction: str  # one of PASSES
    time_s: float


def _of_row(record):
    return PassTime(record["series"], record["model"], record["layer"], record.get("kind", ""), record["batch"], record["pass"],
                    record["value"] * UNITS[record.get("unit", "s")])


def _of_timing(table, place):
    timing, layers = table["timings"][place], table["layers"]
    kinds = layers.get("kind") or [""] * len(layers["name"])  # left out where the model's own table says it
    for at, layer in enumerate(layers["name"]):
        for direction in PASSES:
            time_us = timing[direction]["time_us"][at] if direction in timing else None
            if time_us is not None:
                yield PassTime(f"{table['series']}, {timing['precision']}, timing {place + 1}", table["model"], layer,
                               kinds[at], timing["batch"], direction, time_us * US)


def pass_times(record):
    """Of one record, layer by layer; none of a record of another kind."""
    if record["record"] == "layer":
        return [_of_row(record)]
    if record["record"] != "layers":
        return []
    return [one for place in range(len(record["timings"])) for one in _of_timing(record, place)]


@dataclasses.dataclass
class LayerTime:
    name: str
    forward_s: float = 0
    backward_s: float = 0


def _of_profile(said, file, model, batch):
    """What `ddltrain profile` wrote."""
    if said["model"] != model:
        raise Failure(f"{file}: a profile of {said['model']}, not of {model}", 2)
    if said["batch"] != batch:
        raise Failure(f"{file}: a profile at batch {said['batch']:g}, not {batch}", 2)
    return [LayerTime(layer["name"], layer["forward_s"], layer["backward_s"]) for layer in said["layers"]]


def _of_records(records, file, model, batch):
    """What `ddltrain layers` wrote: a table with a timing at this batch, its layers in forward order."""
    of_model = [one for record in records for one in pass_times(record) if one.model == model]
    chosen = [one for one in of_model if one.batch == batch]
    if not chosen:
        batches = ", ".join(sorted({f"{one.batch:g}" for one in of_model}))
        raise Failure(f"{file}: " + (f"{model} at batch {batches}, not {batch}" if batches else f"no layer times of {model}"), 2)
    if len({one.timing for one in chosen}) > 1:
        raise Failure(f"{file}: layers of {model} at batch {batch} were timed more than once; give a file with one timing", 2)
    layers = {}
    for one in chosen:
        layer = layers.setdefault(one.layer, LayerTime(one.layer))
        if one.direction == "forward":
            layer.forward_s += one.time_s
        elif one.direction.startswith("backward"):
            layer.backward_s += one.time_s
    return list(layers.values())


def _check_layers(layers, network, file, model):
    """Layers with parameters are the network's, in its order; what has none needs no time."""
    named = [layer.name for layer in network.layers if layer.name]
    found = [layer.name for layer in layers if layer.name in named]
    missing = next((name for name in named if name not in found), None)
    if missing is not None:
        raise Failure(f"{file}: has no time for layer {missing} of {model}; write it anew with ddltrain profile or ddltrain layers", 2)
    if found != named:
        raise Failure(f"{file}: has {model}'s layers as {', '.join(found)}; {', '.join(named)} is expected", 2)


def read_profile(file, network, model, batch):
    """[LayerTime] in forward order, of a file of `ddltrain profile` or of layer times."""
    try:
        with open(file, encoding="utf-8") as text:
            content = text.read()
        try:
            said = json.loads(content)
        except json.JSONDecodeError:
            said = [json.loads(line) for line in content.splitlines() if line.strip()]
        if isinstance(said, dict) and said.get("format") == "ddltrain-profile":
            layers = _of_profile(said, file, model, batch)
        else:
            layers = _of_records(said if isinstance(said, list) else [said], file, model, batch)
    except OSError as error:
        raise Failure(f"{file}: cannot be read ({error.strerror})", 2)
    except (ValueError, KeyError, IndexError, TypeError):
        raise Failure(f"{file}: is no profile; write one with ddltrain profile or ddltrain layers", 2)
    _check_layers(layers, network, file, model)
    return layers


class Replay:
    """Waits to absolute times from the begin of a step's forward pass: what one wait is late does not add up, and what is done
    with a gradient meanwhile (copied, sent) does not delay later layers, as it would not delay a GPU."""

    def __init__(self, layers, time_scale, now: typing.Callable = time.monotonic, sleep: typing.Callable = time.sleep):
        self.layers, self.time_scale, self._now, self._sleep = layers, time_scale, now, sleep
        end_s, self._forward_s, self._backward_s = 0.0, [], [0.0] * len(layers)
        for layer in layers:
            end_s += time_scale * layer.forward_s
            self._forward_s.append(end_s)
        for i in reversed(range(len(layers))):
            end_s += time_scale * layers[i].backward_s
            self._backward_s[i] = end_s
        self._begin_s = 0.0

    def begin(self):
        self._begin_s = self._now()

    def forward(self, i):
        """Returns when layer i's forward pass would be done."""
        self._until(self._forward_s[i])

    def backward(self, i):
        """Returns when layer i's gradients would be ready."""
        self._until(self._backward_s[i])

    def _until(self, end_s):
        left_s = self._begin_s + end_s - self._now()
        if left_s > 0:
            self._sleep(left_s)
