"""What a notebook shows of an answer: a verdict of a sentence or two, a picture, a small table. Names are shown as text."""

from __future__ import annotations

import html
import io
from typing import Any, List, Sequence, Tuple

from ._words import distinct, label_of, middle, percent, short, span, time_text

MOST_ROWS = 8
STYLE = "max-width:720px;font-family:system-ui,sans-serif;font-size:14px;line-height:1.4"
Table = Tuple[Sequence[str], Sequence[Sequence[str]]]


def verdict(answer: Any) -> List[str]:
    """Sentences, the most important first."""
    return {"Prediction": _of_prediction, "Plan": _of_plan, "Diagnosis": _of_diagnosis, "Calibration": _of_calibration,
            "Validation": _of_validation, "Collective": _of_collective, "Sweep": _of_sweep}[type(answer).__name__](answer)


def _of_prediction(answer: Any) -> List[str]:
    if "error" in answer:
        return [f"No answer: {answer['error']}"]
    failed = [one for one in answer["points"] if "error" in one]
    if len(failed) == len(answer["points"]):
        return [f"No answer: {failed[0]['error']}"] if failed else ["No points."]
    best = answer.fastest
    label = label_of(best["strategy"], [one["strategy"] for one in answer["points"]])
    rate = span(best["samples_per_s"], best["samples_per_s_low"], best["samples_per_s_high"])
    tokens = f", {short(best['tokens_per_s'])} tokens/s" if "tokens_per_s" in best else ""
    rest = f" {len(failed)} of {len(answer['points'])} points have no answer." if failed else ""
    return [f"{answer['model']} on {best['gpus']} GPUs of {answer['cluster']}: {rate} samples/s{tokens} by {label}.",
            f"Efficiency {percent(best['efficiency'])}; {best['bottleneck']} dominates.{rest}"]


def _option(one: Any) -> str:
    cost = f", {short(middle(one['cost_usd']))} USD" if one.get("cost_usd") else ""
    return f"{' by '.join(distinct([one['candidate'], one['strategy']]))}, {one['gpus']} GPUs: {time_text(middle(one['time_s']))}{cost}"


def _of_plan(answer: Any) -> List[str]:
    if not answer["options"] or not answer["options"][0].get("time_s"):
        return ["No option can be taken; .options say why."]
    met = "" if answer.get("limits_met", True) else "No option keeps the limits. "
    said = [f"{met}Take {_option(answer['options'][0])}."]
    if answer.get("runner_up") is not None:
        said.append(f"Runner-up {_option(answer['options'][answer['runner_up']])}; it is better with a chance of "
                    f"{percent(answer['chance_runner_up_is_better'])}.")
    return said


def _of_diagnosis(answer: Any) -> List[str]:
    said = [f"{answer['verdict'].capitalize()}: {answer['headline']}."]
    if not answer["normal"] and answer["causes"]:
        first = answer["causes"][0]
        said.append(f"Most likely ({percent(first['chance'])}): {first['what']}. To do: {first['look_at']}.")
    return said


def _of_calibration(answer: Any) -> List[str]:
    known = sum(1 for one in answer["parameters"] if one.get("identified"))
    return [f"{answer['cluster']}: {len(answer['parameters'])} parameters, {known} of them known from its measurements."]


def _of_validation(answer: Any) -> List[str]:
    return [f"{len(answer['points'])} points in {len(answer.get('series', []))} series."]


def _of_collective(answer: Any) -> List[str]:
    points = [(point["bus_Bps"], one, point) for one in answer["answers"] for point in one["points"]]
    if not points:
        return ["No points."]
    rate, one, point = max(points, key=lambda row: row[0])
    return [f"{answer['operation']} on {answer['cluster']}: up to {rate / 1e9:.3g} GB/s on the bus, by {one['strategy']} at "
            f"{point['size_bytes'] / 2**20:.3g} MiB on {point['gpus']} GPUs."]


def _of_sweep(answer: Any) -> List[str]:
    best = max(((one.fastest["samples_per_s"], values) for values, one in answer if any("error" not in p for p in one.points)),
               key=lambda row: row[0], default=None)
    if best is None:
        why = next((point["error"] for _, one in answer for point in one.points), "")
        return [f"{len(answer)} questions, none with an answer: {why}."]
    where = _values_text(best[1])
    refused = sum(1 for one in answer.predictions if "error" in one)
    return [f"{len(answer)} questions; most samples/s: {short(best[0])}, with {where}.", *([f"{refused} have no answer."] if refused else [])]


def _values_text(values: Any) -> str:
    return ", ".join(f"{name} {label_of(value, [])}" for name, value in values.items())


def _sweep_table(answer: Any) -> Table:
    """The questions with the most samples/s first."""
    best = [(values, one.fastest) for values, one in answer if any("error" not in point for point in one.points)]
    best.sort(key=lambda row: -row[1]["samples_per_s"])
    return (("question", "samples/s (90 %)", "efficiency"),
            [(_values_text(values), span(one["samples_per_s"], one["samples_per_s_low"], one["samples_per_s_high"]), percent(one["efficiency"]))
             for values, one in best])


def _table(answer: Any) -> Table:
    """The rows to look at first."""
    kind = type(answer).__name__
    if kind == "Prediction" and "points" in answer:
        strategies = distinct([one["strategy"] for one in answer["points"]])
        return (("strategy", "GPUs", "samples/s (90 %)", "efficiency"),
                [(label_of(one["strategy"], strategies), str(one["gpus"]), span(one["samples_per_s"], one["samples_per_s_low"], one["samples_per_s_high"]),
                  percent(one["efficiency"])) for one in answer["points"] if "error" not in one])
    if kind == "Plan":
        return (("option", "time (90 %)", "USD", "chance"),
                [(f"{one['candidate']}, {one['gpus']} GPUs, {one['strategy']}",
                  f"{time_text(middle(one['time_s']))} ({time_text(one['time_s']['low'])} to {time_text(one['time_s']['high'])})",
                  short(middle(one["cost_usd"])) if one.get("cost_usd") else "", percent(one["chance"]) if one.get("chance") is not None else "")
                 for one in answer["options"] if one.get("time_s")])
    if kind == "Diagnosis":
        return ("chance", "cause", "what to do"), [(percent(one["chance"]), one["what"], one["look_at"]) for one in answer["causes"]][:4]
    if kind == "Sweep":
        return _sweep_table(answer)
    if kind == "Collective":
        return (("by", "size", "GPUs", "GB/s on the bus"),
                [(one["strategy"], f"{point['size_bytes'] / 2**20:.3g} MiB", str(point["gpus"]), f"{point['bus_Bps'] / 1e9:.3g}")
                 for one in answer["answers"] for point in one["points"]])
    if kind == "Calibration":
        return ("parameter", "value (90 %)"), [(one["name"], span(one["value"], one["low"], one["high"])) for one in answer["parameters"]
                                               if {"name", "value", "low", "high"} <= set(one)]
    return (), []


def _table_html(answer: Any) -> str:
    heads, rows = _table(answer)
    if not rows:
        return ""
    cells = "".join(f"<th style='text-align:left'>{html.escape(one)}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{html.escape(one)}</td>" for one in row) + "</tr>" for row in rows[:MOST_ROWS])
    more = f"<p>{len(rows) - MOST_ROWS} more: <code>.to_pandas()</code></p>" if len(rows) > MOST_ROWS else ""
    return (f"<details><summary>{min(len(rows), MOST_ROWS)} of {len(rows)} rows</summary><div style='overflow-x:auto'>"
            f"<table><tr>{cells}</tr>{body}</table></div>{more}</details>")


def _picture(answer: Any) -> str:
    """The chart as an inline image; "" without matplotlib, or where there is nothing to draw."""
    try:
        from . import _plot
    except ImportError:
        return ""
    written = io.StringIO()
    if not _plot.write_svg(answer, written):
        return ""
    text = written.getvalue()
    return text[text.index("<svg"):].replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)


def html_of(answer: Any) -> str:
    first, *rest = verdict(answer)
    said = f"<p style='margin:4px 0'><b>{html.escape(first)}</b> {html.escape(' '.join(rest))}</p>"
    return f'<div style="{STYLE}">{said}{_picture(answer)}{_table_html(answer)}</div>'
