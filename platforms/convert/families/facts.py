"""Sources that hold no measurement of a run: facts, constants, fits and abstracts. They are left out whole."""

REASONS = {
    "hardware-facts.json": "facts of devices and machines, not measurements; they stand in gpus.json and cluster.json",
    "hardware-facts-2026.json": "facts of devices and machines, with prices and peaks; they stand in gpus.json and "
                                "cluster.json, but for devices only announced or without a peak or memory size",
    "iris-cluster-spec.json": "facts of a machine, not measurements; they stand in iris/cluster.json",
    "large-scale-imagenet-records.json": "abstracts only: no rate, no time of an iteration, no variant; the two "
                                         "efficiencies name neither network nor node, and no preset is of their all-reduces",
    "mgwfbp-alpha-beta.json": "fitted constants, not measurements; their labels are doubtful",
    "nccl-tuning-constants.json": "constants of a library, not measurements",
}
SOURCES = tuple(REASONS)


def convert(source, sink):
    sink.leave_out(source, "*", REASONS[source.name])
