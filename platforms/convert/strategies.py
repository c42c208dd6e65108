"""Strategies as records write them."""


def plain(name, library=None):
    """Without servers; `library` where the source names the version that sums, or its date leaves no other."""
    return {"name": name} if library is None else {"name": name, "library": library}


# The last without trees is 2.3 (2018); what 2017 ran is a 2.0.
NCCL_OF_2017 = "nccl 2.0"
NCCL_OF_2018 = "nccl 2.2"


def servers(count, placement="unknown", sharding="unknown", on_node_reduce=True, device="cpu"):
    """A synchronous parameter server. `count` is a rule ({"count": 4}, {"per_node": 1}, ...)."""
    return {"name": "ps", "servers": count, "placement": placement, "sharding": sharding,
            "on_node_reduce": on_node_reduce, "device": device}


# tf_cnn_benchmarks, read in variable_mgr.py and tf_cnn_benchmarks.py at commit 9165a70 (2017):
# - parameter_server on one machine, device cpu: one holder of all variables; device gpu: each variable on the GPU with
#   the least bytes so far. Every tower sends its gradients to the variable's device: nothing is summed before.
# - parameter_server over machines: variables go to the server with the least bytes so far.
# - distributed_replicated: gradients of a machine are summed first; shadow variables go round the servers in turn.
def tf_local(device):
    count = {"count": 1} if device == "cpu" else {"equal_workers": True}
    return servers(count, "colocated", "bytes", False, device)


def tf_distributed(mode, count):
    if mode == "distributed_replicated":
        return servers(count, "colocated", "round-robin", True)
    if mode == "parameter_server":
        return servers(count, "colocated", "bytes", False)
    raise ValueError(f"no strategy for variable_update={mode}")
