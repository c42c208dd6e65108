"""What a decoder keeps of a step and of itself: outputs that backward computes again, and parameters of which other ranks have a part."""
import functools

from common.failure import Failure

RECOMPUTED = ("none", "full", "alternate-matmuls")


def need(torch, option, least):
    """Throws where PyTorch is older: importing what it lacks can fail in any way."""
    if tuple(int(word) for word in torch.__version__.split(".")[:2]) < least:
        raise Failure(f"{option}: PyTorch {torch.__version__} does not have it; take {least[0]}.{least[1]} or later", 2)


def recomputed(torch, block, how):
    """`block`, whose backward computes its forward again: all of it, or all but attention and every other matrix product. The
    latter is torchtitan's choice by operations (torchtitan/models/llama3/parallelize_llama.py at e7c0cae). Products in 8 bits
    are not counted there, and all of them are computed again."""
    if how == "none":
        return block
    need(torch, f"--recompute {how}", (2, 4))
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
    if how == "full":
        return checkpoint_wrapper(block, preserve_rng_state=False, early_stop=False)
    contexts = functools.partial(_contexts, torch)
    return checkpoint_wrapper(block, context_fn=contexts, preserve_rng_state=False, early_stop=False)


def _contexts(torch):
    from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts
    aten, products = torch.ops.aten, {"forward": 0, "again": 0}
    attention = {aten._scaled_dot_product_flash_attention.default, aten._scaled_dot_product_efficient_attention.default,
                 aten._scaled_dot_product_cudnn_attention.default, aten._scaled_dot_product_flash_attention_for_cpu.default,
                 aten.max.default}

    def policy(context, operation, *_, **__):
        when = "again" if context.is_recompute else "forward"
        if operation == aten.mm.default:
            products[when] += 1
            kept = products[when] % 2 == 1
        else:
            kept = operation in attention
        return CheckpointPolicy.MUST_SAVE if kept else CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(policy)


def sharded(torch, model, ranks, precision):
    """`model` as rank 0 of `ranks` has it under PyTorch's FSDP2 (`fully_shard`), a block a unit. The other ranks are not there:
    a gather copies the own part as often, and a reduce-scatter does nothing. So a step takes what FSDP2 costs beside its
    traffic: casts, copies into and out of the buffers of collectives, and the host's time. Parameters and sums of gradients
    are fp32."""
    need(torch, "--shards", (2, 6))
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    from torch.testing._internal.distributed.fake_pg import FakeStore
    import torch.distributed as distributed
    if not distributed.is_initialized():
        distributed.init_process_group("fake", rank=0, world_size=ranks, store=FakeStore())
    mesh = distributed.device_mesh.init_device_mesh(next(model.parameters()).device.type, (ranks,))
    narrow = torch.float32 if precision == "fp32" else torch.bfloat16
    policy = MixedPrecisionPolicy(param_dtype=narrow, reduce_dtype=torch.float32)
    for block in model.blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    return model
