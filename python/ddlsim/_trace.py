"""Runs a module of PyTorch with shapes in place of numbers, and notes its operations: in which module, with which parameters."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Mapping, Sequence, Tuple

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from ._operations import ATTENTIONS, CONVOLUTIONS, DROPOUTS, EMBEDDINGS, PRODUCTS, WHOLE, Kind, flop_of, kind_of, seen_share
from ._program import Error

INPUT = -1  # in place of an operation's number: a float that the module was given


@dataclass
class Operation:
    """One operation on what depends on parameters or on the input. Sizes are of all samples of the example."""

    name: str
    kind: Kind
    module: str  #: path of the innermost module that ran it
    flop: float
    outputs: float  #: elements of the result
    reads: FrozenSet[int]  #: numbers of the operations whose results it reads
    parameters: Tuple[str, ...]  #: used here first
    of_attention: Tuple[FrozenSet[int], ...] = ()  #: what query, key and value come from, or a product's two operands
    attended: float = 0  #: elements of the last of them
    experts: int = 0
    word: str = ""  #: last word of its layer's name where the module's path does not say it
    parts: Dict[str, Tuple[int, ...]] = field(default_factory=dict)  #: parts of parameters in place of `parameters`
    window: Tuple[int, ...] = ()  #: of a convolution: sizes of its filter and groups


def note(tensor: Any, reads: FrozenSet[int], weights: FrozenSet[str]) -> None:
    tensor._ddlsim_reads, tensor._ddlsim_weights = reads, weights


def reads_of(value: Any) -> FrozenSet[int]:
    return getattr(value, "_ddlsim_reads", frozenset())


def _tensors(tree: Any) -> List[torch.Tensor]:
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


class Trace(TorchDispatchMode):
    """The operations of a run in their order. What neither a parameter nor a float input decides is left out."""

    def __init__(self, parameters: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        self.operations: List[Operation] = []
        self.modules: List[Tuple[str, Any]] = []  # those that run, innermost last
        self._names = {id(tensor): name for name, tensor in parameters.items()}
        self.used: set[str] = set()  #: names of parameters

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        space, name = func._schema.name.split("::")
        if space == "prim":  # asks for a device
            return func(*args, **kwargs)
        if name not in WHOLE:
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        result = func(*args, **kwargs)
        self._see(name, func.is_view, list(args) + list(kwargs.values()), result)
        return result

    def add(self, operation: Operation) -> int:
        self.operations.append(operation)
        return len(self.operations) - 1

    def take(self, names: Sequence[str]) -> Tuple[str, ...]:
        """Those that no earlier operation used."""
        fresh = tuple(name for name in sorted(names) if name not in self.used)
        self.used.update(fresh)
        return fresh

    def weights_of(self, value: Any) -> FrozenSet[str]:
        name = self._names.get(id(value))
        return getattr(value, "_ddlsim_weights", frozenset()) if name is None else frozenset([name])

    def _see(self, name: str, is_view: bool, arguments: List[Any], result: Any) -> None:
        inputs = _tensors(arguments)
        reads = frozenset().union(*map(reads_of, inputs)) if inputs else frozenset()
        weights = frozenset().union(*map(self.weights_of, inputs)) if inputs else frozenset()
        out = [one for one in _tensors(result) if one.is_floating_point() or one.is_complex()]
        if not (reads or weights) or not out:
            return
        kind = kind_of(name, is_view)
        passes = kind is Kind.MOVE or self._is_idle(name, arguments)
        if passes or (not reads and name not in EMBEDDINGS):  # arithmetic of parameters alone costs next to nothing
            for one in out:
                note(one, reads, weights)
            return
        number = self.add(self._operation(name, kind, arguments, out, reads, weights))
        for one in out:
            note(one, frozenset([number]), frozenset())

    def _is_idle(self, name: str, arguments: List[Any]) -> bool:
        return name in DROPOUTS and (arguments[1] == 0 or arguments[2] is False)

    def _operation(self, name: str, kind: Kind, arguments: List[Any], out: List[Any], reads: FrozenSet[int],
                   weights: FrozenSet[str]) -> Operation:
        path, module = self.modules[-1]
        outputs = out[0].numel()
        window = getattr(module, "sliding_window", None)
        window = window if isinstance(window, int) else 0
        flop = flop_of(name, arguments, outputs, window)
        if name in PRODUCTS and all(reads_of(arguments[place]) for place in PRODUCTS[name]):
            kind = Kind.ATTENTION
            flop *= seen_share(arguments[PRODUCTS[name][0]].shape[-2], window)
        made = Operation(name, kind, path, flop, float(outputs), reads, self.take(list(weights)))
        if name in ATTENTIONS:
            made.of_attention = tuple(map(reads_of, arguments[:3]))
            made.attended = float(arguments[2].numel())
        elif kind is Kind.ATTENTION:
            made.of_attention = tuple(reads_of(arguments[place]) for place in PRODUCTS[name])
            made.attended = float(arguments[PRODUCTS[name][1]].numel())
        if name in CONVOLUTIONS:
            weight = arguments[1]
            made.window = (*weight.shape[2:], arguments[0].shape[1] // max(1, weight.shape[1]))
        return made


@contextmanager
def _followed(module: torch.nn.Module, trace: Trace) -> Iterator[None]:
    """Keeps `trace.modules` what runs, by hooks that are gone afterwards."""
    def enter(path: str) -> Callable[..., None]:
        return lambda one, _arguments: trace.modules.append((path, one))

    handles = []
    for path, one in module.named_modules():
        handles.append(one.register_forward_pre_hook(enter(path), prepend=True))
        handles.append(one.register_forward_hook(lambda *_: trace.modules.pop() and None))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _shapes_of(mode: FakeTensorMode, values: Any) -> Any:
    """Tensors as their shapes, which PyTorch calls fake tensors."""
    return tree_map(lambda one: mode.from_tensor(one, static_shapes=True) if isinstance(one, torch.Tensor) else one, values)


def run(module: torch.nn.Module, arguments: Sequence[Any], named: Mapping[str, Any], on_meta: bool,
        stand_ins: Callable[[torch.nn.Module, Trace], Any]) -> Tuple[Trace, Any]:
    """The operations of one forward pass, and what it returns. The module is as before afterwards."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    parameters, buffers = dict(module.named_parameters()), dict(module.named_buffers())
    if on_meta:
        parameters, buffers, arguments, named = _shapes_of(mode, (parameters, buffers, tuple(arguments), dict(named)))
    trace = Trace(parameters)
    for one in _tensors((arguments, named)):
        if one.is_floating_point():
            note(one, frozenset([INPUT]), frozenset())
    was_training = {path: one.training for path, one in module.named_modules()}
    try:
        module.train()
        with torch.inference_mode(), mode if on_meta else nullcontext(), _followed(module, trace), stand_ins(module, trace), trace:
            if on_meta:
                result = torch.func.functional_call(module, {**parameters, **buffers}, tuple(arguments), dict(named))
            else:
                result = module(*arguments, **named)
    except Exception as error:  # whatever the module's own code raises
        raise Error(_refusal(module, trace, error, on_meta)) from error
    finally:
        for path, one in module.named_modules():
            one.training = was_training.get(path, one.training)  # a module may have changed its parts
    return trace, result


def _refusal(module: torch.nn.Module, trace: Trace, error: Exception, on_meta: bool) -> str:
    where = next((path for path, _ in reversed(trace.modules) if path), type(module).__name__)
    what = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"
    advice = ("; if it looks at values, ask from_torch with on_meta=False, which computes one forward pass" if on_meta
              else "; call the module with the example to see where it fails")
    return f"{type(module).__name__} cannot be run with this example, in {where}: {what}{advice}"
