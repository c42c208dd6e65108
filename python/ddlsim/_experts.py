"""Stand-ins for modules of experts, whose forward pass looks at which expert each state chose."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Tuple

import torch

from ._operations import HAND_WRITTEN_ACTIVATION_FLOP, Kind
from ._trace import Operation, Trace, note, reads_of


def _matrices(module: torch.nn.Module) -> List[Tuple[str, torch.nn.Parameter]]:
    return [(name, one) for name, one in module.named_parameters(recurse=False) if one.dim() == 3]


def _is_of_experts(module: torch.nn.Module) -> bool:
    """As Transformers has them: the matrices of all experts are two or three parameters, and the last leads back."""
    names = [name for name, _ in _matrices(module)]
    return type(module).__name__.endswith("Experts") and len(names) in (2, 3) and any("down" in name or name == "w2" for name in names)


def _rows(arguments: Tuple[Any, ...], named: Any, states: Any, experts: int, top: int) -> Tuple[int, int]:
    """How many states experts compute together, and how many experts one state chose: by the numbers of the chosen, a row
    for each state, or where each expert is handed all states by how many the router lets through. (0, 0): not seen."""
    integers = [one for one in (*arguments, *named.values()) if isinstance(one, torch.Tensor) and not one.is_floating_point()]
    if integers:
        return integers[0].numel(), integers[0].shape[-1]
    rows = states.numel() // states.shape[-1]
    return (rows // experts * top, top) if top > 0 and rows % experts == 0 else (0, 0)


class _Products:
    """Adds the operations of a gated or plain feed-forward part of all experts."""

    def __init__(self, trace: Trace, path: str, module: torch.nn.Module, states: Any, rows: int, chosen_each: int) -> None:
        self.trace, self.path, self.reads = trace, path, reads_of(states)
        matrices = dict(_matrices(module))
        self.down = next(name for name in matrices if "down" in name or name == "w2")
        self.into = [name for name in matrices if name != self.down]
        self.experts = matrices[self.down].shape[0]
        self.width = states.shape[-1]
        self.rows, self.chosen_each = rows, chosen_each
        inner = matrices[self.down].numel() // self.experts // self.width
        made = sum(matrices[name].numel() // self.experts // self.width for name in self.into)
        self.inner, self.gated = inner, made == 2 * inner
        self.biases = [name for name, one in module.named_parameters(recurse=False) if one.dim() == 2]

    def name(self, word: str) -> str:
        return f"{self.path}.{word}" if self.path else word

    def add(self, word: str, kind: Kind, flop: float, outputs: float, parts: Any = None, experts: bool = True) -> None:
        number = self.trace.add(Operation(word, kind, self.path, flop, outputs, self.reads, (), word=word, parts=parts or {},
                                          experts=self.experts if experts else 0))
        self.reads = frozenset([number])

    def product(self, word: str, inputs: int, outputs: int, parts: Any) -> None:
        self.add(word, Kind.LINEAR, 2.0 * self.rows * inputs * outputs, float(self.rows * outputs), parts)

    def weight(self, word: str, name: str, inputs: int, outputs: int) -> Any:
        parts: Dict[str, Tuple[int, ...]] = {self.name(f"{word}.weight"): (self.experts, outputs, inputs)}
        if any(bias.startswith(name) for bias in self.biases):
            parts[self.name(f"{word}.bias")] = (self.experts, outputs)
        self.trace.take([self.name(one) for one in (name, *[bias for bias in self.biases if bias.startswith(name)])])
        return parts

    def run(self) -> None:
        words = ["gate", "up"] if self.gated else ["intermediate"]
        for word, name in zip(words, self.into * 2 if len(self.into) == 1 else self.into):
            self.product(word, self.width, self.inner, self.weight(word, name, self.width, self.inner))
        middle = float(self.rows * self.inner)
        self.add("activation", Kind.ACTIVATION, HAND_WRITTEN_ACTIVATION_FLOP * middle, middle)
        if self.gated:
            self.add("multiply", Kind.ELEMENTWISE, middle, middle)
        self.product("output", self.inner, self.width, self.weight("output", self.down, self.inner, self.width))
        states = float(self.rows // self.chosen_each * self.width)
        self.add("combine", Kind.ELEMENTWISE, 2 * self.chosen_each * states, states, experts=False)


@contextmanager
def stand_ins(module: torch.nn.Module, trace: Trace) -> Iterator[None]:
    """Each module of experts counts what its chosen ones do, an even share each, in place of computing it."""
    replaced = []

    def stand_in(path: str, one: Any) -> Any:
        usual = one.forward
        top = getattr(module.get_submodule(path.rpartition(".")[0]), "top_k", 0)

        def forward(states: Any, *arguments: Any, **named: Any) -> Any:
            rows, chosen_each = _rows(arguments, named, states, _matrices(one)[0][1].shape[0], top)
            if rows == 0:
                return usual(states, *arguments, **named)
            products = _Products(trace, path, one, states, rows, chosen_each)
            products.run()
            result = torch.empty_like(states)
            note(result, products.reads, frozenset())
            return result
        return forward

    for path, one in module.named_modules():
        if _is_of_experts(one):
            replaced.append((one, vars(one).get("forward")))
            one.forward = stand_in(path, one)
    try:
        yield
    finally:
        for one, own in replaced:
            del one.forward
            if own is not None:
                one.forward = own
