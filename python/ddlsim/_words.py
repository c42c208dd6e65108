"""Figures and strategies in plain words."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence

SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
TIMES = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def short(value: float) -> str:
    """Three figures: 19.6k, 2.54k, 366."""
    for size, letter in SCALES:
        if abs(value) >= 0.9995 * size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def time_text(seconds: float) -> str:
    for size, unit in TIMES:
        if seconds >= (2 * size if size > 60 else size):
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def span(value: float, low: float, high: float) -> str:
    return f"{short(value)} ({short(low)} to {short(high)})"


def middle(figure: Mapping[str, float]) -> float:
    """Of a figure with an interval: its median, by which plans are ranked; else its likeliest value."""
    return figure.get("median", figure["value"])


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


PLAIN = {"auto": "the library's choice", "ps-async": "asynchronous parameter server", "model-parallel": "model parallelism"}
WITH_SERVERS = ("servers", "placement", "sharding", "preset")  # said in words of their own


def _servers(strategy: Mapping[str, Any]) -> str:
    servers = strategy.get("servers")
    if servers == "best" or not isinstance(servers, Mapping):
        return "parameter server, the best" if servers == "best" else "parameter server"
    many = "1 a node" if servers.get("per_node") == 1 else f"{servers['per_node']} a node" if "per_node" in servers else str(servers.get("count", "?"))
    return f"parameter server, {many} {strategy.get('placement', '')}".strip()


def label_of(strategy: Any, others: Sequence[Any]) -> str:
    """A strategy in plain words, with what no other of that name has in common with it."""
    if not isinstance(strategy, Mapping):
        return str(strategy)
    is_served = strategy["name"] == "ps"
    name = _servers(strategy) if is_served else PLAIN.get(strategy["name"], str(strategy["name"]))
    same = [one for one in others if isinstance(one, Mapping) and one["name"] == strategy["name"] and one != strategy]
    differs = [key for key in strategy if key not in ("name", "note", *(WITH_SERVERS if is_served else ()))
               and any(one.get(key) != strategy[key] for one in same)]
    return ", ".join([name, *(f"{key.replace('_', ' ')} {_value(strategy[key])}" for key in differs)])


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{one} {key.replace('_', ' ')}" for key, one in value.items())
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def distinct(values: Sequence[Any]) -> List[Any]:
    """Each once, in their order; of dicts, too."""
    found: List[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found
