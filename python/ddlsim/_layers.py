"""Makes layers of a model's table out of the operations of a forward pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, Sequence, Tuple

from ._names import name_layers
from ._operations import HAND_WRITTEN_ACTIVATION_FLOP, HAND_WRITTEN_NORM_FLOP, Kind
from ._trace import Operation

BYTES = 4  # of a number in fp32, which tables are in
MOST_OF_A_MODULE = 64  # layers of a module's own; more of them are steps of a loop
CURVES = {"tanh", "erf", "sigmoid", "exp"}
#: Operations that are a layer each; others of one module that follow each other are one layer together.
ALONE = {Kind.LINEAR, Kind.CONV, Kind.EMBEDDING, Kind.ATTENTION, Kind.NORM, Kind.ACTIVATION, Kind.POOL, Kind.LOSS}


@dataclass
class Layer:
    """A layer while it is made; sizes are of all samples of the example."""

    kind: Kind
    path: str  #: of the module
    word: str  #: what the layer is called within its module; "": the module is the layer
    flop: float
    outputs: float
    operations: List[int]
    tensors: Dict[str, Tuple[int, ...]] = field(default_factory=dict)
    experts: int = 0
    conv: Tuple[int, ...] = ()
    block: str = ""  #: "block3"; "" outside of blocks
    words: List[str] = field(default_factory=list)  #: of its name, after the block
    name: str = ""


def _is_alone(operation: Operation) -> bool:
    """A curve may be a part of an activation that is written by hand, such as GPT-2's."""
    return (operation.kind in ALONE and operation.name not in CURVES) or operation.name.endswith("dropout") or bool(operation.word)


def _runs(operations: Sequence[Operation]) -> List[List[int]]:
    """Numbers of operations, those together that make one layer."""
    runs: List[List[int]] = []
    for number, operation in enumerate(operations):
        last = operations[number - 1] if number > 0 else None
        together = last is not None and last.module == operation.module and not _is_alone(last) and not _is_alone(operation)
        if together:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _kind_of_run(run: Sequence[Operation]) -> Kind:
    if len(run) == 1:
        return run[0].kind
    names = {one.name for one in run}
    if "rsqrt" in names or {"pow", "sqrt"} <= names:
        return Kind.NORM
    return Kind.ACTIVATION if names & CURVES else Kind.ELEMENTWISE


def _flop_of_run(kind: Kind, run: Sequence[Operation]) -> float:
    if kind is Kind.NORM and len(run) > 1:
        return HAND_WRITTEN_NORM_FLOP[any(one.name == "sub" for one in run)] * run[-1].outputs
    if kind is Kind.ACTIVATION and len(run) > 1:
        return HAND_WRITTEN_ACTIVATION_FLOP * run[-1].outputs
    return sum(one.flop for one in run)


def _outputs_of_run(run: Sequence[int], operations: Sequence[Operation], readers: Mapping[int, FrozenSet[int]]) -> float:
    """Elements that operations outside of the run read; the last result where none does."""
    own = set(run)
    read = [number for number in run if readers.get(number, frozenset()) - own]
    return sum(operations[number].outputs for number in read) or operations[run[-1]].outputs


def _readers(operations: Sequence[Operation]) -> Dict[int, FrozenSet[int]]:
    found: Dict[int, set[int]] = {}
    for number, operation in enumerate(operations):
        for read in operation.reads:
            found.setdefault(read, set()).add(number)
    return {number: frozenset(reading) for number, reading in found.items()}


def _word_of(kind: Kind, run: Sequence[Operation]) -> str:
    """What a layer does that is no module of its own; the program knows some of these words."""
    first, last = run[0], run[-1]
    if first.word:
        return first.word
    if kind is Kind.ATTENTION:
        return "fused" if len(first.of_attention) == 3 else "product"
    if kind is Kind.ELEMENTWISE and last.name in ("add", "add_") and len(last.reads) > 1:
        return "add"
    if kind is Kind.ELEMENTWISE and len(run) == 1 and last.name in ("mul", "mul_") and len(last.reads) > 1:
        return "multiply"
    return first.name.strip("_") if len(run) == 1 else kind.value


def _is_modules_own(run: Sequence[int], operations: Sequence[Operation], leaves: FrozenSet[str]) -> bool:
    module = operations[run[0]].module
    return module in leaves and module != "" and not operations[run[0]].word


def _layer(run: Sequence[int], operations: Sequence[Operation], shapes: Mapping[str, Tuple[int, ...]],
           readers: Mapping[int, FrozenSet[int]], is_own: bool) -> Layer:
    ops = [operations[number] for number in run]
    kind = _kind_of_run(ops)
    outputs = ops[-1].outputs if kind in (Kind.NORM, Kind.ACTIVATION) else _outputs_of_run(run, operations, readers)
    made = Layer(kind, ops[0].module, "" if is_own else _word_of(kind, ops), _flop_of_run(kind, ops), outputs, list(run),
                 experts=ops[0].experts, conv=ops[0].window)
    for one in ops:
        first_wide = sorted(one.parameters, key=lambda name: -len(shapes[name]))  # the weight before its bias
        made.tensors.update({name: shapes[name] for name in first_wide})
        made.tensors.update(one.parts)
    return made


def _modules_of_one_layer(operations: Sequence[Operation], runs: Iterable[Sequence[int]]) -> FrozenSet[str]:
    """Modules whose operations are one layer, and that contain no other."""
    times: Dict[str, int] = {}
    for run in runs:
        times[operations[run[0]].module] = times.get(operations[run[0]].module, 0) + 1
    return frozenset(module for module, count in times.items()
                     if count == 1 and not any(other.startswith(module + ".") for other in times))


def _without_loops(runs: List[List[int]], operations: Sequence[Operation]) -> List[List[int]]:
    """A module that goes step by step through a sequence, as a scan does, becomes one layer for each kind of operation."""
    of_module: Dict[str, int] = {}
    for run in runs:
        of_module[operations[run[0]].module] = of_module.get(operations[run[0]].module, 0) + 1
    together: Dict[Tuple[str, Kind], List[int]] = {}
    kept: List[List[int]] = []
    for run in runs:
        first = operations[run[0]]
        key = (first.module, _kind_of_run([operations[number] for number in run]))
        if of_module[first.module] <= MOST_OF_A_MODULE or first.parameters or first.word:
            kept.append(run)
        elif key in together:
            together[key].extend(run)
        else:
            together[key] = run
            kept.append(run)
    return kept


def layers_of(operations: Sequence[Operation], shapes: Mapping[str, Tuple[int, ...]]) -> List[Layer]:
    """Layers in forward order, named; `shapes` are those of the parameters."""
    runs = _runs(operations)
    readers = _readers(operations)
    leaves = _modules_of_one_layer(operations, runs)
    runs = _without_loops(runs, operations)
    layers = [_layer(run, operations, shapes, readers, _is_modules_own(run, operations, leaves)) for run in runs]
    name_layers(layers, operations)
    return layers


def unused(shapes: Mapping[str, Tuple[int, ...]], layers: Iterable[Layer]) -> Dict[str, Tuple[int, ...]]:
    """Parameters that the forward pass did not touch. Experts' matrices stand in parts under other names."""
    seen = {name for layer in layers for name in layer.tensors}
    return {name: shape for name, shape in shapes.items() if name not in seen}


def _kind_name(layer: Layer) -> str:
    """A filter's kind has its size in its name, as in the tables that are shipped."""
    if layer.kind is not Kind.CONV:
        return str(layer.kind.value)
    *sides, groups = layer.conv
    if groups > 1:
        return "depthwise"
    return {(1, 1): "conv1x1", (3, 3): "conv3x3"}.get((sides[0], sides[-1]) if len(sides) == 2 else (0, 0), "conv")


def _number(value: float) -> Any:
    return int(value) if value == int(value) else value


def entry(layer: Layer, samples: int) -> Dict[str, Any]:
    """A layer as the file has it, of one sample."""
    made: Dict[str, Any] = {"name": layer.name, "kind": _kind_name(layer), "forward_flop_per_sample": _number(layer.flop / samples),
                            "activation_bytes_per_sample": _number(BYTES * layer.outputs / samples)}
    if layer.tensors:
        made["tensors"] = [{"name": name, "shape": list(shape) or [1]} for name, shape in layer.tensors.items()]
    if layer.experts > 0:
        made["experts"] = layer.experts
    return made
