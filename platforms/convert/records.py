"""The kinds of records that families write, each with the fields the format asks for."""

from layer_tables import in_us, whole


def layout(gpus, per_node):
    """GPUs, nodes and GPUs a node of a run that fills nodes."""
    return {"gpus": gpus, "nodes": -(-gpus // per_node), "gpus_per_node": min(gpus, per_node)}


def step(file, pointer, series, model, precision, batch, preset, strategy, where, **more):
    """A training rate in samples/s, synchronised, over synthetic data, unless `more` says otherwise."""
    wire = "fp32" if precision == "fp32" else "unknown"
    fields = {"model": model, "precision": precision, "wire_precision": wire, "batch_per_gpu": batch,
              "preset": preset, "strategy": strategy, "algorithm": "unknown", **where, "synchronised": True,
              "data": "synthetic", "mode": "train", "unit": "samples/s", **more}
    file.add("step", pointer, series=series, **fields)


def speed_up(file, pointer, series, model, precision, batch, preset, strategy, where, base_gpus, trust, **more):
    """How many times as fast a run is as the same on `base_gpus` of one node. `assumed` in `more`: field -> what the
    source does not say, and who assumes what."""
    wire = "fp32" if precision == "fp32" else "unknown"
    file.add("speed_up", pointer, series=series, **{
        "model": model, "precision": precision, "wire_precision": wire, "batch_per_gpu": batch, "preset": preset,
        "strategy": strategy, **where, "base_gpus": base_gpus, "base_nodes": 1, "trust": trust, "unit": "times",
        **more})


def forward_or_train(file, pointer, series, model, precision, batch, preset, mode, **more):
    """One GPU alone: no synchronisation and no strategy."""
    step(file, pointer, series, model, precision, batch, preset, {"name": "none"}, layout(1, 1),
         **{"synchronised": False, "mode": mode, **more})


def collective(file, pointer, series, ranks, nodes, size, unit, **more):
    """Time of one all-reduce of `size` bytes, unless `more` names another operation."""
    file.add("collective", pointer, series=series, **{"operation": "all_reduce", "algorithm": "unknown", **more,
             "ranks": ranks, "nodes": nodes, "size_bytes": size, "unit": unit})


def layer(table, pointer, name, kind, direction, unit, timing, flop=None, size_bytes=None):
    """Time of one layer or kernel for the whole batch; `flop` is of the pass over the whole batch, too. `table` is one of
    the file's (MeasurementFile.table); `timing`: gpu ("" for the file's), precision and batch."""
    of_layer = {"name": name, "kind": kind, "flop_per_sample": whole((flop or 0) / timing["batch"]), "size_bytes": size_bytes or 0}
    table.add(of_layer, timing, direction, in_us(table.figure(pointer), unit))
