"""Draws a trace of one iteration as a picture: a row a track, a bar a span.

usage: ddlsim predict SCENARIO --trace trace.json; python3 docs/draw_trace.py trace.json > trace.svg
"""

import json
import math
import sys
from html import escape

WIDTH, LEFT, RIGHT, TOP, ROW, BAR = 820, 190, 20, 40, 26, 18
LETTER = 6.2  # width of one, where a bar holds its name
US_PER_MS = 1000
COLOURS = {"compute": "#1b6ca8", "all-reduce": "#c0392b", "push-pull": "#c0392b", "input": "#8e44ad", "forward": "#5fa2d0",
           "synchronisation": "#e08e0b", "exposed communication": "#c0392b", "straggling": "#7f8c8d", "unexplained": "#bdc3c7",
           "input wait": "#8e44ad"}
OTHER = "#2e8b57"


def tracks_of(events):
    """Names of tracks, and their spans, in the order in which the file has them."""
    tracks, processes = {}, {}
    for event in events:
        key = event["pid"], event["tid"]
        if event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            role = processes[event["pid"]].split(" (")[0]
            of_server = role == "parameter servers"  # whose number says enough
            tracks[key] = (event["args"]["name"] if of_server else f"{role}: {event['args']['name']}", [])
        elif event["ph"] == "X":
            tracks[key][1].append(event)
    return list(tracks.values())


def colour(span):
    by_name = span["cat"] == "iteration" or span["name"] in COLOURS
    return COLOURS.get(span["name"].split(":")[0] if by_name else span["cat"], OTHER)


def what(span):
    """What the pointer is told over a bar."""
    text = f"{span['name']}, {span['dur'] / US_PER_MS:.2f} ms"
    if "bytes" in span["args"]:
        text += f", {span['args']['bytes'] / 1e6:.2f} MB"
    return escape(text)


def bar(span, x, y):
    left, right = x(span["ts"]), x(span["ts"] + span["dur"])
    text = (f"<rect x='{left:.1f}' y='{y}' width='{max(right - left, 0.3):.1f}' height='{BAR}' fill='{colour(span)}' stroke='white' "
            f"stroke-width='0.4'><title>{what(span)}</title></rect>")
    if LETTER * len(span["name"]) < right - left:
        text += f"<text x='{(left + right) / 2:.1f}' y='{y + 13}' fill='white' text-anchor='middle' font-size='11'>{escape(span['name'])}</text>"
    return text + "\n"


def axis(last_us, x, bottom):
    """A line every 1, 2 or 5 x 10^n ms, so that there are four to ten."""
    most = last_us / US_PER_MS / 4
    power = 10 ** math.floor(math.log10(most))
    step = max(size * power for size in (1, 2, 5) if size * power <= most)
    text = ""
    for tick in range(int(last_us / US_PER_MS / step) + 1):
        at = x(tick * step * US_PER_MS)
        text += (f"<line x1='{at:.1f}' x2='{at:.1f}' y1='{TOP}' y2='{bottom}' stroke='#ddd'/>"
                 f"<text x='{at:.1f}' y='{bottom + 16}' text-anchor='middle'>{tick * step:g} ms</text>\n")
    return text


def legend(parts, y):
    """The iteration's parts beside their colours: most of their bars are too narrow for a name."""
    text, at = "", LEFT
    for part in parts:
        text += (f"<rect x='{at:.1f}' y='{y - 9}' width='10' height='10' fill='{colour(part)}'/>"
                 f"<text x='{at + 14:.1f}' y='{y}' font-size='11'>{escape(part['name'])}</text>\n")
        at += 30 + LETTER * len(part["name"])
    return text


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file)
    tracks, facts = tracks_of(trace["traceEvents"]), trace["otherData"]
    last_us = max(span["ts"] + span["dur"] for _, spans in tracks for span in spans)
    x = lambda us: LEFT + (WIDTH - LEFT - RIGHT) * us / last_us
    bottom = TOP + ROW * len(tracks)
    title = (f"one iteration of {facts['model']} on {facts['cluster']}, {facts['strategy']}, {facts['gpus']} GPUs: "
             f"{1000 * facts['iteration_s']:.1f} ms")
    print(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {bottom + 46}' font-family='sans-serif' font-size='12'>\n"
          f"<rect width='{WIDTH}' height='{bottom + 46}' fill='white'/>\n<text x='10' y='22' font-size='13'>{escape(title)}</text>")
    print(axis(last_us, x, bottom), end="")
    for row, (name, spans) in enumerate(tracks):
        y = TOP + ROW * row + (ROW - BAR) // 2
        print(f"<text x='10' y='{y + 13}'>{escape(name)}</text>")
        print("".join(bar(span, x, y) for span in spans), end="")
    print(legend(tracks[0][1], bottom + 36) + "</svg>")


if __name__ == "__main__":
    main()
