"""Documents with every key of their format, for which no shipped file is short enough or whole."""

# Those shipped are long, and none has every key.
SCOPE = ["transport@", "preset@", "precision@", "model@", "batch_per_gpu"]
CALIBRATION = {
    "format": "ddlsim-calibration", "version": 7, "cluster": "iris", "made_by": "0.1.0",
    "files": ["iris/runs.jsonl 0123456789abcdef"],
    "inputs": "0123456789abcdef",
    "quality": {"points": 2, "fit_error": 0.01, "leave_one_out_points": 0, "leave_one_out_error": 0,
                "unmeasured_models": 2, "unmeasured_model_error": 0.08},
    "shared": ["nic_efficiency", {"median": 0.8, "width": 0.15, "scale": "log"}, "1", "nccl-ib", "horovod", "fp32",
               "resnet50_v1.5", "iris/runs", "ring", "nccl", "all_reduce", "iris", "K80", "a.jsonl"],
    "parameters": {
        "columns": ["name@", "prior@", "unit@", "value", "low", "high", "z_score", "error", "points", "identified",
                    "borrowed_points", *SCOPE, "one_gpu_s", "evidence@"],
        "rows": [[0, 1, 2, 0.7, 0.6, 0.8, -0.5, 0.3, 2, True, 1, 3, 4, 5, 6, 64], [0, 1, 2, 0.7, 0.6, 0.8, -0.5, 0.3, 2]]},
    "correlation_ten_thousandths": [[], [2000]],
    "contradicted_draws": [0, 17, 127],
    "choices": {"columns": ["sharding", "all_reduce", *SCOPE], "rows": [[None, "nccl 2.8", 3], ["bytes", None, 3]]},
    "series": {
        "columns": ["file@", "name", "strategy@", "spread_ten_thousandths", "noise_ten_thousandths",
                    {"points": ["gpus", "nodes", "residual_ten_thousandths", "noise_ten_thousandths"]},
                    *SCOPE, "one_gpu_s", "evidence@", "borrowed"],
        "rows": [[7, "a", 8, 500, 40, [[4, 1, -100], [8, 2, 100, 50]], 3, 4, 5, 6, 64, None, None, True]]},
    "collectives": {
        "columns": ["cluster@", "series", "transport@", "library@", "operation@", "algorithm@", "ranks", "nodes", "latency_s",
                    "rate_Bps", "pipelining", "correlation", {"points": ["size_bytes", "residual"]}, "noise", "wander",
                    "fit_spread", "mean_leave_one_out_error", "worst_leave_one_out_error", "leave_one_out_points",
                    {"jumps": ["from_bytes", "to_bytes", "factor"]}, "sources"],
        "rows": [[11, "ring-16", 3, 9, 10, 8, 16, 2, {"value": 1e-4, "error": 0.1, "identified": True},
                  {"value": 3e9, "error": 0.05, "identified": True}, {"value": 0.6, "error": 0.4, "identified": False},
                  {"latency_rate": 0.3, "latency_pipelining": -0.5, "rate_pipelining": 0.2}, [[1000, 0.1]], 0.01, 0.08, 0.12,
                  0.03, 0.2, 3, [[1000, 10000, 0.8]], ["a.jsonl:2-4"]]]},
    "compute": {
        "columns": ["gpu@", "model@", "precision@", "preset@", "fixed_s", "per_sample_s", "smallest_batch", "largest_batch",
                    "relative_error", "fixed_error", "per_sample_error", "correlation", "records",
                    {"sources": ["file@", "lines"]}, "leave_one_out", "least_s"],
        "rows": [[12, 6, 5, 4, 0.0143, 0.0015, 32, 512, 0.03, 0.3, 0.02, -0.26, 2, [[13, "14, 17"]], 0.02, 0.001]]},
    "excluded": {"columns": ["what", "why"], "rows": [["iris/runs/b", "the same times as another"]]},
}
# The old form, in which no file is shipped any more.
LAYER = {"record": "layer", "series": "s", "origin": "run", "transport": "unknown", "library": "libtorch", "statistic": "median",
         "repeats": 5, "relative_spread": 0.01, "model": "resnet50_v1.5", "layer": "conv1", "kind": "conv", "pass": "forward",
         "precision": "fp32", "batch": 64, "flop": 1e9, "size_bytes": 37632, "value": 1.5, "unit": "ms"}
# Every key, and every way to pay.
PLAN_REQUEST = {
    "format": "ddlsim-plan-request", "version": 1, "name": "p",
    "workload": {"model": "resnet50_v1.5", "samples": 1000, "epochs": 2, "batch_per_gpu": 64, "precision": "fp32",
                 "wire_precision": "fp16", "evaluation": {"samples": 100, "epochs_apart": 2}},
    "goal": "time", "limits": {"deadline": "1 h", "budget": "5 USD", "power": "3 kW", "nodes": 2, "chance": 0.8},
    "failures": {"node_mtbf": "100 h", "checkpoint": "1 s", "restart": "0 s"}, "energy": {"usd_per_kwh": 0.1, "pue": 1.5},
    "candidates": [
        {"name": "a", "cluster": "iris", "preset": "pytorch-ddp", "transport": "nccl-ib", "batch_per_gpu": 32, "gpus": [1, 4], "network": "200 Gbps",
         "strategies": [{"name": "ring"}], "price": {"kind": "on-demand", "usd_per_node_hour": 3, "source": "s"}},
        {"name": "b", "cluster": "iris", "preset": "pytorch-ddp", "strategies": [{"name": "ring"}],
         "price": {"kind": "purchase", "usd_per_node": 9000, "years": 3, "source": "s"}}],
    "seed": 1, "samples": 50}
