"""Finds by the flow of data what the layers of a block do, and gives them the words by which the program knows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, FrozenSet, Iterable, List, Sequence, Set, Tuple

from ._operations import Kind

MATRICES = frozenset([Kind.LINEAR, Kind.ATTENTION, Kind.CONV])


class _Flow:
    """Which layers a result comes from."""

    def __init__(self, layers: Sequence[Any], operations: Sequence[Any]) -> None:
        self.operations = operations
        self.of = {number: layer for layer in layers for number in layer.operations}

    def behind(self, reads: Iterable[int], until: FrozenSet[Kind]) -> List[Any]:
        """The nearest layers of these kinds, in forward order."""
        found: Set[int] = set()
        seen: Set[int] = set()
        waiting = list(reads)
        while waiting:
            at = waiting.pop()
            if at < 0 or at in seen:
                continue
            seen.add(at)
            if self.of[at].kind in until:
                found.add(at)
            else:
                waiting.extend(self.operations[at].reads)
        return list({id(self.of[number]): self.of[number] for number in sorted(found)}.values())

    def before(self, layer: Any, until: FrozenSet[Kind] = MATRICES) -> List[Any]:
        own = set(layer.operations)
        return self.behind({read for number in own for read in self.operations[number].reads} - own, until)

    def operands(self, attention: Any) -> List[List[Any]]:
        """Matrices behind queries, keys and values, or behind the two operands of a product."""
        return [self.behind(reads, MATRICES) for reads in self.operations[attention.operations[0]].of_attention]


def _call(layers: Iterable[Any], before: List[str], word: str) -> None:
    for layer in layers:
        if layer.kind is not Kind.ATTENTION:
            layer.words = [*before, word]


def _cut(layers: List[Any], layer: Any, words: Tuple[str, str], second: float) -> Tuple[Any, Any]:
    """Makes two layers of a matrix's rows; the second one has that share of them."""
    parts = []
    for word, share in zip(words, (1 - second, second)):
        tensors = {f"{name}.{word}": (round(shape[0] * share), *shape[1:]) for name, shape in layer.tensors.items()}
        parts.append(replace(layer, flop=layer.flop * share, outputs=layer.outputs * share, tensors=tensors))
        parts[-1].words, parts[-1].block = [*layer.words[:-1], word], layer.block
    place = layers.index(layer)
    layers[place:place + 1] = parts
    return parts[0], parts[1]


def _is_cut_evenly(layer: Any, second: float) -> bool:
    return 0 < second < 1 and all(shape[0] * second == int(shape[0] * second) for shape in layer.tensors.values())


def _name_narrow(flow: _Flow, layer: Any, before: List[str], words: Tuple[str, str]) -> None:
    """Latent attention: a norm before the matrix, and the matrix that makes the narrow state that it reads."""
    norms = flow.before(layer, frozenset([Kind.NORM, *MATRICES]))
    if len(norms) == 1 and norms[0].kind is Kind.NORM and norms[0].block == layer.block and norms[0].words[0] == before[0]:
        _call(norms, before, words[1])
        _call(flow.before(norms[0]), before, words[0])


def _name_operands(layers: List[Any], flow: _Flow, attention: Any) -> None:
    """What makes queries, keys and values."""
    queries, keys, values = flow.operands(attention)
    before = attention.words[:-1]
    if len(queries) == 1 and queries == keys == values:
        return _call(queries, before, "query_key_value")
    if len(queries) != 1 or len(values) != 1 or not before:
        return
    _call(queries, before, "query")
    if len(keys) == 1 and keys != values:
        _call(keys, before, "key")
        return _call(values, before, "value")
    share = flow.operations[attention.operations[0]].attended / values[0].outputs
    if values[0] in keys and _is_cut_evenly(values[0], share):
        _name_narrow(flow, queries[0], before, ("query_down", "query_norm"))
        _name_narrow(flow, values[0], before, ("state", "state_norm"))
        values[0].words = [*before, "value"]
        _cut(layers, values[0], ("key", "value"), share)


def _name_written_out(layers: Sequence[Any], flow: _Flow, scores: Any) -> None:
    """Attention that writes its scores to memory: two products and what is between them."""
    place = layers.index(scores)
    context = next((one for one in layers[place + 1:] if one.kind is Kind.ATTENTION), None)
    if context is None or context.words[:-1] != scores.words[:-1]:
        return
    before = scores.words[:-1]
    scores.words, context.words = [*before, "scores"], [*before, "context"]
    for one in layers[place + 1:layers.index(context)]:
        if one.kind is Kind.ELEMENTWISE and not one.words[-1].endswith("dropout"):
            one.words = [*before, "mask"]
    (queries, keys), values = flow.operands(scores), flow.operands(context)[1]
    if queries == keys == values:
        return _call(queries, before, "query_key_value")
    for made, word in ((queries, "query"), (keys, "key"), (values, "value")):
        if len(made) == 1:
            _call(made, before, word)


def _name_rotation(layers: Sequence[Any], flow: _Flow, attention: Any) -> None:
    """What reads queries and keys by element on their way to attention, and norms of them."""
    before = attention.words[:-1]
    for place, word in enumerate(("query_norm", "key_norm")):
        reads = flow.operations[attention.operations[0]].of_attention[place]
        for one in flow.behind(reads, frozenset([Kind.NORM, *MATRICES])):
            if one.kind is Kind.NORM and one.words[:len(before)] == before and len(before) > 0:
                one.words = [*before, word]
        for one in {id(flow.of[number]): flow.of[number] for number in reads if number >= 0}.values():
            if one.kind is Kind.ELEMENTWISE and one.words[:len(before)] == before:
                one.words = [*before, "rotary"]


def _name_attention(layers: List[Any], flow: _Flow) -> None:
    for layer in [one for one in layers if one.kind is Kind.ATTENTION]:
        fused = len(flow.operations[layer.operations[0]].of_attention) == 3
        if fused:
            _name_rotation(layers, flow, layer)
            _name_operands(layers, flow, layer)
        elif layer.words[-1] != "context":
            _name_rotation(layers, flow, layer)
            _name_written_out(layers, flow, layer)


def _name_gates(layers: List[Any], flow: _Flow) -> None:
    """gate and up of a gated feed-forward part; the activation of the gate stands just before the product, as in tables."""
    for layer in [one for one in layers if one.words and one.words[-1] == "multiply" and one.experts == 0]:
        reads = [flow.of[number] for number in sorted(flow.operations[layer.operations[0]].reads) if number >= 0]
        activations = [one for one in reads if one.kind is Kind.ACTIVATION]
        ups = [one for one in reads if one.kind is Kind.LINEAR]
        gates = flow.before(activations[0]) if len(activations) == 1 else []
        if len(ups) != 1 or len(gates) != 1 or gates[0].kind is not Kind.LINEAR:
            continue
        before = layer.words[:-1]
        activations[0].words = [*before, activations[0].words[-1]]
        if gates[0] is not ups[0]:
            _call(gates, before, "gate")
            _call(ups, before, "up")
        elif ups[0].outputs == 2 * activations[0].outputs and _is_cut_evenly(ups[0], 0.5):
            ups[0].words = [*before, "up"]
            _cut(layers, ups[0], ("gate", "up"), 0.5)
        layers.remove(activations[0])
        layers.insert(layers.index(layer), activations[0])


def _name_router(layers: List[Any], router: Any, first: Any) -> None:
    """The product that chooses, and its softmax with what weighs the chosen ones, which is one layer in tables."""
    router.words = ["router"]
    between = layers[layers.index(router) + 1:layers.index(first)]
    softmax = next((one for one in between if one.kind is Kind.ACTIVATION), None)
    if softmax is None:
        return
    softmax.words = ["router_softmax"]
    for one in between:
        if one.kind is Kind.ELEMENTWISE and not one.tensors and one.path == router.path:
            softmax.flop += one.flop
            layers.remove(one)


def _name_experts(layers: List[Any]) -> None:
    """Products of experts, and what chooses among them."""
    for layer in [one for one, before in zip(layers[1:], layers) if one.experts > 0 and before.experts == 0]:
        place = layers.index(layer)
        router = next((one for one in reversed(layers[:place]) if one.kind is Kind.LINEAR), None)
        if router is not None and router.block == layer.block:
            _name_router(layers, router, layer)
        for one in layers[layers.index(layer):]:
            if one.path != layer.path:
                break
            one.words = ["experts", one.word] if one.experts > 0 else [one.word]


def name(layers: List[Any], operations: Sequence[Any]) -> None:
    """Sets the words of layers whose part in a block is seen."""
    flow = _Flow(layers, operations)
    _name_attention(layers, flow)
    _name_gates(layers, flow)
    _name_experts(layers)
