"""Times of layers and kernels as tables: what a layer is stands once, with a timing for each GPU, precision and batch."""

US_IN = {"us": 1, "ms": 1000, "s": 1000000}
DIGITS = 5  # of a time


class LayerTable:
    """One record of kind `layers` in the making. `figure` gives the number at a pointer into the source."""

    def __init__(self, head, model, figure):
        self.figure = figure
        self._head, self._model = head, model
        self._layers, self._timings = {}, {}

    def add(self, layer, timing, direction, time_us):
        """`layer`: name, kind, flop_per_sample, size_bytes; `timing`: gpu, precision, batch. A time that is there already
        begins another timing of the same."""
        known = self._layers.setdefault(layer["name"], dict(layer))
        known["flop_per_sample"] = known["flop_per_sample"] or layer["flop_per_sample"]
        key, again = tuple(timing.items()), 0
        while layer["name"] in self._timings.get((key, again), {}).get(direction, {}):
            again += 1
        self._timings.setdefault((key, again), {}).setdefault(direction, {})[layer["name"]] = time_us

    def record(self):
        columns = {key: [layer[key] for layer in self._layers.values()]
                   for key in ("name", "kind", "flop_per_sample", "size_bytes")}
        timings = []
        for (key, _), passes in self._timings.items():
            times = {name: {"time_us": [time_us.get(layer) for layer in self._layers]} for name, time_us in passes.items()}
            timings.append({**{name: value for name, value in key if value}, **times})
        return {"record": "layers", **self._head, "model": self._model,
                "layers": {key: values for key, values in columns.items() if any(values)}, "timings": timings}


def in_us(value, unit):
    return whole(float(f"{value * US_IN[unit]:.{DIGITS}g}"))


def whole(number):
    """Without a point, where it has no fraction: tables are columns of them."""
    return int(number) if number == int(number) else number
