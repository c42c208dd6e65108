"""Pictures by matplotlib: lines with their names at their ends, a band around the one to take."""

from __future__ import annotations

import textwrap
from typing import IO, Any, Dict, List, Optional, Sequence, Tuple

try:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
except ImportError as missing:
    raise ImportError("plot() needs matplotlib: pip install 'ddlsim[plot]'") from missing

from ._words import distinct, label_of, middle

PER_GPU = "_per_gpu"
SIZE_INCHES = (7.0, 3.6)
COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#b9770e", "#566573")
UNITS = {"samples_per_s": "samples/s", "tokens_per_s": "tokens/s", "tokens_per_s_per_gpu": "tokens/s a GPU", "samples_per_s_per_gpu": "samples/s a GPU", "iteration_s": "seconds an iteration", "efficiency": "efficiency",
         "flop_utilisation": "share of the GPU's peak FLOP/s", "samples_per_s_per_node_bought": "samples/s a node bought"}
DASHES = ("-", "--", "-.", ":")
LABEL_LETTERS = 26  # of a line of a label
LINE_POINTS = 11  # height of such a line
LOG_FROM = 8  # a ratio of largest to smallest from which an axis is logarithmic


def draw(answer: Any, axes: Optional[Any], **options: Any) -> Any:
    """On these axes, or on new ones that matplotlib's pyplot shows."""
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots(figsize=SIZE_INCHES, layout="constrained")[1]
    _KINDS[type(answer).__name__](answer, axes, **options)
    return axes


def write_svg(answer: Any, file: IO[str]) -> bool:
    """The picture of an answer alone; False where there is nothing to draw."""
    figure = Figure(figsize=SIZE_INCHES, layout="constrained")
    axes = figure.add_subplot()
    _KINDS[type(answer).__name__](answer, axes)
    if not axes.has_data():
        return False
    with rc_context({"svg.hashsalt": "ddlsim", "svg.fonttype": "none"}):  # same answer, same bytes; letters as text
        figure.savefig(file, format="svg", metadata={"Date": None})
    return True


def _is_wide(values: Sequence[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) >= LOG_FROM


def _frame(axes: Any, x: str, y: str, title: str = "") -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if title:
        axes.set_title(_text(title), loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def _text(words: str) -> str:
    """A dollar begins mathematics in matplotlib; here it is a dollar."""
    return words.replace("$", r"\$")


def _count_axis(axes: Any, counts: Sequence[float]) -> None:
    if _is_wide(counts):
        axes.set_xscale("log", base=2)
    ticks = distinct(counts) if len(set(counts)) <= 10 else distinct(counts)[::2]
    axes.set_xticks(ticks, [f"{one:g}" for one in ticks])
    axes.minorticks_off()


def _plain_ticks(axes: Any) -> None:
    """1, 2, 5, 10 and not powers of ten alone, which may be one or none in the picture."""
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _apart(heights: Sequence[float], lines: Sequence[int], line: float, top: float) -> List[float]:
    """Heights of labels of so many lines that do not cover each other, below the top where there is room."""
    placed = list(heights)
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    for before, place in zip(order, order[1:]):
        placed[place] = max(placed[place], placed[before] + line * (lines[before] + lines[place]) / 2)
    for place, above in zip([*reversed(order)], [-1, *reversed(order)]):
        limit = top if above < 0 else placed[above] - line * (lines[above] + lines[place]) / 2
        placed[place] = min(placed[place], limit)
    return placed


def _name_ends(axes: Any, ends: Sequence[Tuple[float, float, str, str]]) -> None:
    """A line's name at its end, in its colour: x, y, name, colour."""
    names = [textwrap.fill(_text(name), LABEL_LETTERS) for _, _, name, _ in ends]
    longest = max(len(line) for name in names for line in name.split("\n"))
    axes.figure.get_layout_engine().set(rect=(0, 0, 1 - min(0.35, 0.012 * longest), 1)) if axes.figure.get_layout_engine() else None
    axes.figure.draw_without_rendering()
    points = [axes.transData.transform((x, y)) for x, y, _, _ in ends]
    top = axes.transAxes.transform((0, 1))[1]
    heights = _apart([y for _, y in points], [name.count("\n") + 1 for name in names], LINE_POINTS * axes.figure.dpi / 72, top)
    for (x, y, _, colour), name, (_, at), height in zip(ends, names, points, heights):
        note = axes.annotate(name, (x, y), xytext=(6, (height - at) * 72 / axes.figure.dpi), textcoords="offset points", color=colour,
                             va="center", fontsize=9, annotation_clip=False)
        note.set_in_layout(False)


def _prediction(answer: Any, axes: Any, y: str = "") -> None:
    points = [one for one in answer.points if "error" not in one]
    if not points:
        return
    y = y or ("tokens_per_s_per_gpu" if "tokens_per_s" in points[0] else "efficiency")
    best = answer.fastest["strategy"]
    strategies = distinct([one["strategy"] for one in points])
    ends = []
    for place, strategy in enumerate(strategies):
        own = [one for one in points if one["strategy"] == strategy]
        colour = COLOURS[place % len(COLOURS)]
        _line(axes, own, y, colour, DASHES[place % len(DASHES)], strategy == best)
        ends.append((own[-1]["gpus"], _values(own[-1], y)[0], label_of(strategy, strategies), colour))
    _count_axis(axes, [one["gpus"] for one in points])
    values = [_values(one, y)[0] for one in points]
    if _is_wide(values) and y != "efficiency":
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    _frame(axes, "GPUs", UNITS.get(y, y), f"{answer['model']} on {answer['cluster']}, {answer['precision']}")
    _name_ends(axes, ends)


def _values(one: Any, y: str) -> Tuple[float, float, float]:
    """A figure of a point with its 90 % interval; that of tokens is that of samples."""
    base = y[:-len(PER_GPU)] if y.endswith(PER_GPU) else y
    of = "samples_per_s" if base == "tokens_per_s" else base
    value = one[base] / (one["gpus"] if y.endswith(PER_GPU) else 1)
    return value, value * one.get(f"{of}_low", one[of]) / one[of], value * one.get(f"{of}_high", one[of]) / one[of]


def _line(axes: Any, own: Sequence[Any], y: str, colour: str, dash: str, is_best: bool) -> None:
    x, (values, low, high) = [one["gpus"] for one in own], zip(*(_values(one, y) for one in own))
    axes.plot(x, values, dash if not is_best else "-", marker="o", markersize=4, color=colour, linewidth=2 if is_best else 1.2)
    if is_best and len(x) > 1:
        axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    elif is_best:
        axes.errorbar(x, values, [[values[0] - low[0]], [high[0] - values[0]]], color=colour, capsize=3)


def _plan(answer: Any, axes: Any) -> None:
    """Time and what it costs; energy where a price is not known."""
    options = [one for one in answer["options"] if one.get("time_s")]
    price = next((key for key in ("cost_usd", "energy_kwh") if options and all(one.get(key) for one in options)), None)
    if price is None:
        return
    unit_s = 86400.0 if max(middle(one["time_s"]) for one in options) > 2 * 86400 else 3600.0
    for place, candidate in enumerate(distinct([(one["candidate"], one["strategy"]) for one in options])):
        own = [one for one in options if (one["candidate"], one["strategy"]) == candidate]
        axes.plot([middle(one["time_s"]) / unit_s for one in own], [middle(one[price]) for one in own], "o", markersize=5,
                  color=COLOURS[place % len(COLOURS)], label=_text(", ".join(distinct(candidate))))
    _mark_choice(axes, options[0], price, unit_s)
    for scale, key in ((axes.set_xscale, "time_s"), (axes.set_yscale, price)):
        if _is_wide([middle(one[key]) for one in options]):
            scale("log")
    _plain_ticks(axes)
    _frame(axes, "days" if unit_s > 3600 else "hours", {"cost_usd": "USD", "energy_kwh": "kWh"}[price],
           f"{answer['request']}: least {answer['ranked_by']}")
    axes.legend(frameon=False, fontsize=9)


def _mark_choice(axes: Any, one: Any, price: str, unit_s: float) -> None:
    """Its cost is its time times a rate, so that its interval is a slanted bar."""
    time, cost = one["time_s"], one[price]
    axes.plot([time["low"] / unit_s, time["high"] / unit_s], [cost["low"], cost["high"]], color="#222222", linewidth=1)
    axes.annotate(_text(f"take {one['gpus']} GPUs"), (middle(time) / unit_s, middle(cost)), xytext=(6, 6), textcoords="offset points", fontsize=9)


def _diagnosis(answer: Any, axes: Any) -> None:
    points = [one for one in answer["points"] if {"time_s", "expected_s", "expected_s_low", "expected_s_high"} <= set(one)]
    for place, one in enumerate(points):
        axes.plot([one["expected_s_low"] / one["expected_s"], one["expected_s_high"] / one["expected_s"]], [place, place], color=COLOURS[0],
                  linewidth=6, alpha=0.3, solid_capstyle="butt")
        is_inside = one["is"] == "inside"
        axes.plot([one["time_s"] / one["expected_s"]], [place], "o" if is_inside else "X", color=COLOURS[0] if is_inside else COLOURS[1])
    if not points:
        return
    axes.axvline(1, color="#888888", linewidth=0.8)
    axes.set_yticks(range(len(points)), [_text(_point_name(one)) for one in points])
    axes.invert_yaxis()
    _frame(axes, "times the expected time; the bar is what a healthy cluster does (90 %)", "")


def _point_name(one: Any) -> str:
    size = f", {one['size_bytes'] / 2**20:.3g} MiB" if "size_bytes" in one else ""
    return f"{one['gpus']} GPUs, {one['what']}{size}"


def _calibration(answer: Any, axes: Any) -> None:
    known = [one for one in answer["parameters"] if one.get("identified") and one["value"] > 0 and {"low", "high"} <= set(one)][:20]
    if not known:
        return
    for place, one in enumerate(known):
        axes.plot([one["low"] / one["value"], one["high"] / one["value"]], [place, place], color=COLOURS[0], linewidth=4, alpha=0.4)
        axes.plot([1], [place], "o", color=COLOURS[0], markersize=4)
    axes.set_yticks(range(len(known)), [_text(one["name"]) for one in known], fontsize=7)
    axes.invert_yaxis()
    axes.set_xscale("log")
    _plain_ticks(axes)
    _frame(axes, "interval (90 %) over the value", "", answer["cluster"])


def _validation(answer: Any, axes: Any) -> None:
    pairs = [(one["measured"], one["predicted"]) for one in answer["points"] if {"measured", "predicted"} <= set(one)]
    if not pairs:
        return
    axes.loglog([one for one, _ in pairs], [one for _, one in pairs], ".", color=COLOURS[0], alpha=0.5)
    ends = [min(map(min, pairs)), max(map(max, pairs))]
    axes.plot(ends, ends, color="#888888", linewidth=0.8)
    _frame(axes, "measured", "predicted")


def _collective(answer: Any, axes: Any) -> None:
    lines: Dict[Tuple[str, int], List[Any]] = {}
    for one in answer["answers"]:
        for point in one["points"]:
            lines.setdefault((one["strategy"], point["gpus"]), []).append(point)
    if not lines:
        return
    ends = []
    for place, ((strategy, gpus), points) in enumerate(lines.items()):
        colour = COLOURS[place % len(COLOURS)]
        axes.plot([one["size_bytes"] for one in points], [one["bus_Bps"] / 1e9 for one in points], marker="o", markersize=3, color=colour)
        ends.append((points[-1]["size_bytes"], points[-1]["bus_Bps"] / 1e9, f"{strategy}, {gpus} GPUs", colour))
    axes.set_xscale("log", base=2)
    _frame(axes, "bytes", "GB/s on the bus", f"{answer['operation']} on {answer['cluster']}")
    _name_ends(axes, ends)


def _sweep(answer: Any, axes: Any, x: str = "", y: str = "samples_per_s") -> None:
    """Over the first value that is a number; a line for each combination of the others."""
    rows = [(values, one.fastest) for values, one in answer if any("error" not in point for point in one.points)]
    if not rows:
        return
    numeric = [name for name in rows[0][0] if all(isinstance(values[name], (int, float)) for values, _ in rows)]
    x = x or (numeric[0] if numeric else "")
    lines: Dict[str, List[Tuple[float, float]]] = {}
    for place, (values, point) in enumerate(rows):
        name = ", ".join(label_of(value, []) if isinstance(value, (str, dict)) else f"{key} {value}" for key, value in values.items() if key != x)
        lines.setdefault(name, []).append((values[x] if x else place, point[y]))
    for place, pairs in enumerate(lines.values()):
        axes.plot(*zip(*sorted(pairs)), marker="o", markersize=4, color=COLOURS[place % len(COLOURS)])
    if x:
        _count_axis(axes, sorted({values[x] for values, _ in rows}))
    _frame(axes, x or "question", UNITS.get(y, y))
    _name_ends(axes, [(*max(pairs), name, COLOURS[place % len(COLOURS)]) for place, (name, pairs) in enumerate(lines.items())])


_KINDS: Dict[str, Any] = {"Prediction": _prediction, "Plan": _plan, "Diagnosis": _diagnosis, "Calibration": _calibration, "Validation": _validation,
                          "Collective": _collective, "Sweep": _sweep}
