"""Times of layers, as measurement files say them: tables (`layers`), and the old form of one pass a line (`layer`)."""
import dataclasses

US = 1e-6
UNITS = {"s": 1, "ms": 1e-3, "us": US}
PASSES = ("forward", "backward", "backward-data", "backward-weights", "optimizer")


@dataclasses.dataclass
class PassTime:
    """Of one pass of one layer, for the whole batch."""
    timing: str     # alike for times that were measured together
    model: str
    layer: str
    kind: str
    batch: float
    direction: str  # one of PASSES
    time_s: float


def _of_row(record):
    return PassTime(record["series"], record["model"], record["layer"], record.get("kind", ""), record["batch"], record["pass"],
                    record["value"] * UNITS[record.get("unit", "s")])


def _of_timing(table, place):
    timing, layers = table["timings"][place], table["layers"]
    for at, layer in enumerate(layers["name"]):
        for direction in PASSES:
            time_us = timing[direction]["time_us"][at] if direction in timing else None
            if time_us is not None:
                yield PassTime(f"{table['series']}, {timing['precision']}, timing {place + 1}", table["model"], layer,
                               layers["kind"][at], timing["batch"], direction, time_us * US)


def pass_times(record):
    """Of one record, layer by layer; none of a record of another kind."""
    if record["record"] == "layer":
        return [_of_row(record)]
    if record["record"] != "layers":
        return []
    return [one for place in range(len(record["timings"])) for one in _of_timing(record, place)]
