"""Draws a prediction as a picture: efficiency over GPUs with its 90 % band, one line a strategy.

usage: ddlsim predict SCENARIO --json | python3 docs/draw_curve.py > curve.svg
"""

import json
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 820, 380, 60, 240, 40, 50
LABEL_HEIGHT = 15  # one line of text
COLOURS = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad"]


def name_of(strategy):
    if strategy["name"] != "ps":
        return strategy["name"]
    servers = strategy["servers"]
    if servers == "best":
        return "parameter server, the best"
    many = "1 a node" if "per_node" in servers else f"{servers.get('count', '?')} {strategy['placement']}"
    return f"parameter server, {many}"


def scales(points):
    most = math.log2(max(point["gpus"] for point in points))
    x = lambda gpus: LEFT + (WIDTH - LEFT - RIGHT) * math.log2(gpus) / most
    y = lambda share: TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(share, 1.1) / 1.1)
    return x, y


def label_heights(ends, y):
    """Where the labels of the curves' ends stand: beside them, from the lowest up, none over another."""
    heights, free = {}, HEIGHT
    for index, share in sorted(enumerate(ends), key=lambda end: end[1]):
        heights[index] = free = min(y(share) + 4, free - LABEL_HEIGHT)
    return heights


def curve(points, colour, label, x, y, text_y):
    line = " ".join(f"{x(p['gpus']):.1f},{y(p['efficiency']):.1f}" for p in points)
    band = [(p["gpus"], p["efficiency_high"]) for p in points] + [(p["gpus"], p["efficiency_low"]) for p in reversed(points)]
    area = " ".join(f"{x(gpus):.1f},{y(share):.1f}" for gpus, share in band)
    end = points[-1]
    dots = "".join(f"<circle cx='{x(p['gpus']):.1f}' cy='{y(p['efficiency']):.1f}' r='3' fill='{colour}'><title>{label}, {p['gpus']} GPUs: "
                   f"{100 * p['efficiency']:.1f} % ({100 * p['efficiency_low']:.1f} .. {100 * p['efficiency_high']:.1f})</title></circle>"
                   for p in points)
    return (f"<polygon points='{area}' fill='{colour}' opacity='0.13'/><polyline points='{line}' fill='none' stroke='{colour}' "
            f"stroke-width='2'/>{dots}<text x='{x(end['gpus']) + 8:.1f}' y='{text_y:.1f}' fill='{colour}'>{label}</text>\n")


def axes(gpus, x, y, bound):
    text = ""
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1.0):
        text += (f"<line x1='{LEFT}' x2='{WIDTH - RIGHT}' y1='{y(share):.1f}' y2='{y(share):.1f}' stroke='#ddd'/>"
                 f"<text x='{LEFT - 8}' y='{y(share) + 4:.1f}' text-anchor='end'>{100 * share:.0f} %</text>\n")
    for count in gpus:
        text += f"<text x='{x(count):.1f}' y='{HEIGHT - BOTTOM + 18}' text-anchor='middle'>{count}</text>\n"
    text += (f"<line x1='{LEFT}' x2='{WIDTH - RIGHT}' y1='{y(bound):.1f}' y2='{y(bound):.1f}' stroke='#888' stroke-dasharray='4 3'/>\n"
             f"<text x='{(LEFT + WIDTH - RIGHT) / 2}' y='{HEIGHT - 10}' text-anchor='middle'>GPUs</text>\n")
    return text


def main():
    prediction = json.load(sys.stdin)
    points = [point for point in prediction["points"] if "error" not in point]
    x, y = scales(points)
    title = (f"{prediction['model']}, {prediction['batch_per_gpu']:g} samples a GPU, {prediction['precision']}, {prediction['cluster']}: "
             "predicted efficiency with 90 % intervals")
    print(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' font-family='sans-serif' font-size='12'>\n"
          f"<rect width='{WIDTH}' height='{HEIGHT}' fill='white'/>\n<text x='{LEFT}' y='20' font-size='13'>{title}</text>")
    print(axes(sorted({point["gpus"] for point in points}), x, y, prediction["efficiency_bound"]), end="")
    curves = [[point for point in points if point["strategy"] == strategy["strategy"]] for strategy in prediction["strategies"]]
    heights = label_heights([own[-1]["efficiency"] for own in curves], y)
    for index, own in enumerate(curves):
        print(curve(own, COLOURS[index % len(COLOURS)], name_of(own[0]["strategy"]), x, y, heights[index]), end="")
    print("</svg>")


if __name__ == "__main__":
    main()
