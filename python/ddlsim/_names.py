"""Names of a table's layers: its blocks, and what in them makes queries, keys, gates and experts (docs/formats.md)."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from . import _roles
from ._operations import Kind

WRAPPERS = {"model", "transformer", "base_model", "module", "language_model", "text_model"}


def _list_of(path: str) -> Optional[Tuple[Tuple[str, ...], str, Tuple[str, ...]]]:
    """("model", "layers"), "3" and ("mlp",) of "model.layers.3.mlp"; None where no part is a number."""
    parts = tuple(path.split("."))
    for place, part in enumerate(parts):
        if part.isdigit() and place > 0:
            return parts[:place], part, parts[place + 1:]
    return None


def _short(prefix: Tuple[str, ...], of: int) -> str:
    return "_".join(prefix[-of:])


def _shortest(prefix: Tuple[str, ...], all_of: Iterable[Tuple[str, ...]]) -> str:
    """The last words of a list's path that no other list has."""
    others = [other for other in all_of if other != prefix]
    width = next((of for of in range(1, len(prefix)) if all(_short(other, of) != _short(prefix, of) for other in others)), len(prefix))
    return _short(prefix, width)


def _list_names(layers: Iterable[Any]) -> Dict[Tuple[str, ...], str]:
    """What each list of modules is called: block where attention is in one alone, else by its own words."""
    attends: Dict[Tuple[str, ...], bool] = {}
    for layer in layers:
        found = _list_of(layer.path)
        if found:
            attends[found[0]] = attends.get(found[0], False) or layer.kind is Kind.ATTENTION
    attentive = [prefix for prefix, does in attends.items() if does]
    names = {prefix: _shortest(prefix, attends) for prefix in attends}
    if len(attentive) == 1:
        names[attentive[0]] = "block"
    for side in ("encoder", "decoder"):
        of_side = [prefix for prefix in attentive if side in prefix]
        if len(attentive) > 1 and len(of_side) == 1:
            names[of_side[0]] = side
    return names


def _place(path: str, lists: Dict[Tuple[str, ...], str]) -> Tuple[str, List[str]]:
    """The block and the words after it: "block3", ["mlp"]. Outside of blocks the block is empty."""
    found = _list_of(path)
    if not found:
        words = [part for part in path.split(".") if part]
        return "", words[1:] if len(words) > 1 and words[0] in WRAPPERS else words
    prefix, number, rest = found
    name = lists[prefix]
    return (f"{name}.{number}" if name[-1].isdigit() else f"{name}{number}"), list(rest)


def _attention_scopes(layers: Sequence[Any], places: Dict[int, Tuple[str, List[str]]]) -> Dict[Tuple[str, ...], str]:
    """Modules that attend, by block and words: the first of a block is "attention"."""
    scopes: Dict[Tuple[str, ...], str] = {}
    counts: Dict[str, int] = {}
    for layer in layers:
        block, words = places[id(layer)]
        key = (block, *words)
        if layer.kind is Kind.ATTENTION and key not in scopes:
            counts[block] = counts.get(block, 0) + 1
            scopes[key] = "attention" if counts[block] == 1 else f"attention{counts[block]}"
    return scopes


def _in_scope(block: str, words: List[str], scopes: Dict[Tuple[str, ...], str]) -> List[str]:
    for length in range(len(words), 0, -1):
        name = scopes.get((block, *words[:length]))
        if name is not None:
            return [name, *words[length:]]
    return words


def _words_of_lists(words: List[str]) -> List[str]:
    """"expert12" for a list of experts, which the program knows by it."""
    for place, word in enumerate(words[:-1]):
        if word == "experts" and words[place + 1].isdigit():
            return [*words[:place], f"expert{words[place + 1]}", *words[place + 2:]]
    return words


def name_layers(layers: List[Any], operations: Sequence[Any]) -> None:
    """Gives each layer its name. Layers stay in forward order, but for the activation of a gate; a matrix that makes two
    things becomes two layers."""
    lists = _list_names(layers)
    places = {id(layer): _place(layer.path, lists) for layer in layers}
    scopes = _attention_scopes(layers, places)
    for layer in layers:
        block, rest = places[id(layer)]
        rest = _words_of_lists(_in_scope(block, rest, scopes))
        layer.block = block
        layer.words = [*rest, layer.word] if layer.word else rest
    _roles.name(layers, operations)
    used: Dict[str, int] = {}
    for layer in layers:
        name = ".".join(part for part in (layer.block, *layer.words) if part) or layer.kind.value
        used[name] = used.get(name, 0) + 1
        layer.name = name if used[name] == 1 else f"{name}_{used[name]}"
