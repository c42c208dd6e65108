"""Nothing is dropped silently: every figure of a source is in a record, or is left out for a stated reason."""

# Names under which the sources keep measured figures, in JSON objects and in CSV columns alike.
MEASURED = frozenset((
    "images_per_sec", "samples_per_sec", "repeats_samples_per_sec", "iter_ms", "fwd_ms", "bwd_ms", "time_us",
    "time_us_inplace", "time_ms", "cuda_time_us", "cuda_time_no_overlap_us", "io_MB_per_sec", "mb_per_s", "gbit_per_s",
    "gb_per_s_range", "seconds", "busbw_gbit", "algbw_gbps", "busbw_gbps", "time_to_train", "time_to_train_s_median",
    "time_to_train_s_runs", "epoch_time_s", "computation_time_s", "local_nvme_us", "lustre_us", "alpha_s",
    "beta_s_per_byte", "images_per_sec_from_sums", "sum_fwd_ms", "sum_bwd_ms", "scaling_efficiency", "memory_mb",
    "ib_write_bw_GBps", "backward_ms", "comm_ms", "merged_comm_ms", "bwd_inputs_ms", "bwd_params_ms", "backward_us",
    "comm_us", "merged_comm_us", "speedup_efficiency", "throughput_mb_s", "MBps", "us", "epoch_s", "run_s", "speed_up",
    "efficiency", "ratio", "disk_Mbit_per_s", "train_s_per_20_iter", "test_s_per_50000", "test_images_per_sec",
    "forward_ms", "train_s_10_epochs", "train_s_3_epochs", "cpu_images_per_sec", "busbw_gbps_inplace",
    "GBps", "tflops", "standard_tflops", "flash2_tflops", "tokens_per_sec", "tokens_per_sec_per_gpu", "seqs_per_sec",
    "mfu_pct", "hfu_pct", "model_tflops_per_gpu", "tflops_per_gpu", "aggregate_pflops", "pct_of_peak"))
# Objects all of whose members are figures.
MEASURED_GROUPS = frozenset(("speedups", "sum_us_by_stage", "memory_TBps", "copy_GBps", "local_disk_fio_GBps"))


def figures(source):
    """Pointers of all measured figures of a source and of the tables beside it."""
    yield from _in_document(source.document, "", False)
    for file in source.tables():
        for row, cells in enumerate(source.table(file), 1):
            for column, text in cells.items():
                if column in MEASURED and text:
                    yield f"{file}#row={row}&column={column}"


def _in_document(place, pointer, inside):
    if isinstance(place, dict):
        for key, value in place.items():
            yield from _in_document(value, f"{pointer}/{_escape(key)}", inside or key in MEASURED_GROUPS
                                    or (key in MEASURED and _is_figure(value)))
    elif inside and _is_figure(place):
        yield pointer
    elif isinstance(place, list):
        for index, value in enumerate(place):
            yield from _in_document(value, f"{pointer}/{index}", inside)


def _escape(key):
    return key.replace("~", "~0").replace("/", "~1")


def _is_figure(value):
    if isinstance(value, list):
        return bool(value) and all(_is_figure(one) for one in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool) or isinstance(value, str)


def account(source, used, left_out):
    """How many figures each entry of left_out covers; raises ValueError for a figure nobody speaks of, and for an
    entry that covers none."""
    counts = [0] * len(left_out)
    for pointer in figures(source):
        if pointer in used:
            continue
        entry = next((i for i, one in enumerate(left_out) if one.covers(pointer)), None)
        if entry is None:
            raise ValueError(f"{source.name}: {pointer} is neither converted nor left out for a reason")
        counts[entry] += 1
    idle = [one.what for one, count in zip(left_out, counts) if count == 0 and one.what != "*"]
    if idle:
        raise ValueError(f"{source.name}: nothing to leave out at {', '.join(idle)}")
    return counts
