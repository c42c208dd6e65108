"""The generated parts of docs/accuracy.md: what `ddlsim validate --json` says of sites never seen, by site and by cluster."""

import math
import re

SPLITS = {"new-T1": "one node is known", "new-T2": "and the first scale across nodes", "new-T3": "and the second"}


def region(name):
    return re.compile(f"(<!-- {name}: begin -->\n)(.*?)(<!-- {name}: end -->)", re.DOTALL)


def error(point, method="ddlsim"):
    return abs(math.log(point["methods"][method]["predicted_s"] / point["measured_s"]))


def answered(validation, split):
    return [point for point in validation["points"] if point["split"] == split and "ddlsim" in point["methods"]]


def percent(value):
    return "-" if value is None else f"{100 * value:.1f}"


def expectations(validation):
    """How far points are off, and how many lie in their intervals."""
    lines = ["| known | points | half within, % | nine of ten within, % | in the 90 % interval |", "|---|---|---|---|---|"]
    for split, known in SPLITS.items():
        measured = [point for point in answered(validation, split) if "emulated" not in point["cluster"]]
        errors = sorted(error(point) for point in measured)
        at = lambda share: errors[math.ceil(share * len(errors)) - 1]
        held = validation["overall"][split]["ddlsim"]["coverage"]
        lines.append(f"| {known} | {len(errors)} | {percent(at(0.5))} | {percent(at(0.9))} | {100 * held:.0f} % |")
    return "\n".join(lines) + "\n"


def by_site(validation):
    lines = ["| site | split | points | ddlsim, % | straight line, % | in the interval |", "|---|---|---|---|---|---|"]
    scores = validation["by_cluster"]
    for site in sorted({site for split in SPLITS for site in scores[split]["ddlsim"]}):
        for split in SPLITS:
            own = scores[split]["ddlsim"].get(site)
            if own is None:
                continue
            line = scores[split]["straight-line"].get(site, {}).get("mean_error")
            lines.append(f"| {site} | {split} | {own['points']} | {percent(own['mean_error'])} | {percent(line)} | "
                         f"{100 * own['coverage']:.0f} % |")
    return "\n".join(lines) + "\n"


def row(point):
    found = point["methods"]["ddlsim"]
    stack = f"{point['preset']}, {point['strategy']}"
    return (f"| {point['cluster']} | {point['model']} | {stack} | {point['transport']} | {point['gpus']} on {point['nodes']} | "
            f"{1e3 * point['measured_s']:.4g} | {1e3 * found['predicted_s']:.4g} | "
            f"{1e3 * found['low_s']:.4g} .. {1e3 * found['high_s']:.4g} |")


def by_cluster(validation):
    """Of each cluster the point that is off by the median and the one that is off most."""
    lines = ["| cluster | model | stack | transport | GPUs on nodes | measured, ms | predicted, ms | 90 %, ms |",
             "|---|---|---|---|---|---|---|---|"]
    points = answered(validation, "new-T2")
    for cluster in sorted({point["cluster"] for point in points}):
        own = sorted((point for point in points if point["cluster"] == cluster),
                     key=lambda point: (error(point), point["series"], point["gpus"]))
        shown = [own[(len(own) - 1) // 2]] + own[-1:] if len(own) > 1 else own
        lines += [row(point) for point in shown]
    return "\n".join(lines) + "\n"


PARTS = {region("what to expect"): expectations, region("by site"): by_site, region("by cluster"): by_cluster}


def with_tables(text, validation_of):
    """`validation_of()` takes minutes, and is asked only where the text has such a part."""
    for part, table in PARTS.items():
        text = part.sub(lambda match: match.group(1) + table(validation_of()) + match.group(3), text)
    return text
