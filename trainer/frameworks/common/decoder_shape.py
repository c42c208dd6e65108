"""What a decoder-only transformer consists of, read from its layer table, and what it keeps of a step and of itself: outputs that backward
computes again, and parameters of which other ranks have a part."""
import dataclasses
import functools
import json
import os
import pathlib
import re

from common.failure import Failure

MODELS = pathlib.Path(os.path.abspath(__file__)).parents[3] / "scenarios" / "models"
BLOCK = re.compile(r"block(\d+)\.")
TOKENS = re.compile(r"sequence of (\d+) tokens")
RECOMPUTED = ("none", "full", "alternate-matmuls")


@dataclasses.dataclass
class DecoderShape:
    model: str
    tokens: int       # of a sequence
    width: int
    words: int
    positions: int    # that are learned; 0 where queries and keys are rotated
    blocks: int
    keys: int         # width of all keys; the queries' is `width`
    inner: int        # width of the feed-forward layers
    fused: bool       # query, key and value are one layer
    gated: bool       # SwiGLU; else GELU
    layer_norm: bool  # else RMSNorm
    biased: bool
    tied: bool        # the decoder has the embedding's weights


def _table(model):
    file = pathlib.Path(model) if model.endswith(".json") else MODELS / f"{model}.json"
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Failure(f"--models: {file} is no layer table ({error})", 2)
    except OSError as error:
        known = ", ".join(sorted(one.stem for one in MODELS.glob("*_seq*.json") if not one.stem.startswith("bert")))
        raise Failure(f"--models: {model}: no layer table ({error.strerror}); there are {known}", 2)


def read_decoder(model):
    """Of a name in scenarios/models, or of a file."""
    try:
        return _decoder(model, _table(model))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"--models: {model} is no layer table ({type(error).__name__}: {error})", 2)


def _layers(table):
    """In forward order. In the names of a repeated block, {i} is the number of the block."""
    for entry in table["layers"]:
        if "repeat" not in entry:
            yield entry
            continue
        first, block = entry.get("first", 0), json.dumps(entry["layers"])
        for number in range(first, first + entry["repeat"]):
            yield from json.loads(block.replace("{i}", str(number)))


def _decoder(model, table):
    layers = list(_layers(table))
    names = [layer["name"] for layer in layers]
    weights = {tensor["name"]: tensor["shape"] for layer in layers for tensor in layer.get("tensors", [])}
    tokens = TOKENS.fullmatch(table["sample"])
    if "block0.attention.fused" not in names or tokens is None or "embeddings.word.weight" not in weights:
        raise Failure(f"--models: {model} is no decoder of words, whose table has embeddings.word and block0.attention.fused", 2)
    words, width = weights["embeddings.word.weight"]
    fused, gated = "block0.attention.query_key_value" in names, "block0.gate" in names
    first = "query_key_value" if fused else "query"
    keys = width if fused else weights["block0.attention.key.weight"][0]
    return DecoderShape(table["name"], int(tokens.group(1)), width, words, weights.get("embeddings.position.weight", [0])[0],
                        len({found.group(1) for found in map(BLOCK.match, names) if found}), keys,
                        weights["block0.gate.weight" if gated else "block0.intermediate.weight"][0], fused, gated,
                        "block0.norm1.bias" in weights, f"block0.attention.{first}.bias" in weights,
                        "words.decoder.weight" not in weights)


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
