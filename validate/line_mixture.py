#!/usr/bin/env python3
"""Would a share of the straight line make predictions better? Chooses that share on other sites, scores it on each.

    ddlsim validate --split new-T1 new-T2 new-T3 --json --quiet > scored.json
    python3 validate/line_mixture.py scored.json

The scores must be of a program without such a share: `line_share` 0 in sim/formats/model_constants.

ln T = ln T_sim + w (ln T_line - ln T_sim), w = w0 exp(-ln(N / N_last) / fade): N_last is the largest scale that was known.
1. For each site, (w0, fade) with the least mean error over all other sites, from a grid.
2. w0 = 0 unless those sites gain more than a standard error of their mean gain.
3. The site's own error with that choice.
"""

import json
import math
import statistics
import sys
from collections import defaultdict

SHARES = [0.1, 0.2, 0.3, 0.4, 0.5]
FADES = [0.3, 0.7, 1.5, 3.0]
KNOWN_SCALES = {"new-T2": 0, "new-T3": 1}  # index of the largest known scale across nodes


def points_of(document):
    """[split, site, cluster, series, ln(N / N_last), errors of the simulator and of the line in ln T]"""
    scales = defaultdict(set)
    for point in document["points"]:
        if point["split"] == "new-T1":
            scales[point["series"]].add((point["nodes"], point["gpus"]))
    points = []
    for point in document["points"]:
        methods, known = point["methods"], sorted(scales[point["series"]])
        if point["split"] not in KNOWN_SCALES or not known or not {"ddlsim", "straight-line"} <= set(methods):
            continue
        last = known[KNOWN_SCALES[point["split"]]][1]
        off = [math.log(methods[name]["predicted_s"] / point["measured_s"]) for name in ("ddlsim", "straight-line")]
        points.append((point["split"], point["group"], point["cluster"], point["series"], math.log(point["gpus"] / last), off))
    return points


def mean_by(values, key):
    """The means of (name, ..., value) over what shares the first `key` names."""
    groups = defaultdict(list)
    for *names, value in values:
        groups[tuple(names[:key])].append(value)
    return [(*names, statistics.fmean(group)) for names, group in groups.items()]


def site_errors(points, share, fade):
    """Mean error of each (split, site): over points of a series, series of a cluster, clusters of a site."""
    values = [(split, site, cluster, series, abs(sim + share * math.exp(-distance / fade) * (line - sim)))
              for split, site, cluster, series, distance, (sim, line) in points]
    for key in (4, 3, 2):
        values = mean_by(values, key)
    return {(split, site): error for split, site, error in values}


def choose(points):
    """(w0, fade) by mean error; no mixture unless the gain is above its standard error."""
    plain = site_errors(points, 0, 1)
    best, least = (0, 1), statistics.fmean(plain.values())
    for share in SHARES:
        for fade in FADES:
            mixed = site_errors(points, share, fade)
            gains = [plain[one] - mixed[one] for one in plain]
            if statistics.fmean(gains) <= statistics.stdev(gains) / math.sqrt(len(gains)):
                continue
            if statistics.fmean(mixed.values()) < least:
                best, least = (share, fade), statistics.fmean(mixed.values())
    return best


def nested(points):
    """Each site's error with the choice of the others: [(split, site, w0, error alone, error mixed)]"""
    rows = []
    for site in sorted({point[1] for point in points}):
        share, fade = choose([point for point in points if point[1] != site])
        own = [point for point in points if point[1] == site]
        alone, mixed = site_errors(own, 0, 1), site_errors(own, share, fade)
        rows += [(split, site, share, alone[split, site], mixed[split, site]) for split, _ in sorted(alone)]
    return rows


def main():
    if len(sys.argv) != 2:
        sys.exit("line_mixture.py: expected one file, what `ddlsim validate --split new-T1 new-T2 new-T3 --json` prints")
    points = [point for point in points_of(json.load(open(sys.argv[1], encoding="utf-8"))) if "emulated" not in point[1]]
    if len({point[1] for point in points}) < 3:
        sys.exit(f"{sys.argv[1]}: needs points of new-T2 or new-T3, and of new-T1, on three sites at least")
    print(f"{'split':<8} {'site':<18} {'w0':>4} {'alone %':>8} {'mixed %':>8}")
    for split, site, share, alone, mixed in nested(points):
        print(f"{split:<8} {site:<18} {share:>4} {100 * alone:>8.1f} {100 * mixed:>8.1f}")
    print("w0 chosen on all sites:", choose(points)[0])
    for share in [0, *SHARES]:
        errors = site_errors(points, share, 1.5)
        means = [statistics.fmean(error for (one, _), error in errors.items() if one == split) for split in KNOWN_SCALES]
        print(f"w0 {share}, fade 1.5: " + ", ".join(f"{split} {100 * mean:.2f} %" for split, mean in zip(KNOWN_SCALES, means)))


if __name__ == "__main__":
    main()
