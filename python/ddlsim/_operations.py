"""What the operations of PyTorch cost, counted as `ddltrain describe` and `ddlsim import hf-config` count."""

from __future__ import annotations

from enum import Enum
from math import prod
from typing import Any, Sequence


class Kind(Enum):
    """Kinds of layers of a model's table; MOVE has none, because it computes nothing."""

    LINEAR = "linear"
    CONV = "conv"
    EMBEDDING = "embedding"
    ATTENTION = "attention"
    NORM = "norm"
    ACTIVATION = "activation"
    POOL = "pool"
    ELEMENTWISE = "elementwise"
    LOSS = "loss"
    MOVE = "move"


#: Where a product has its two operands.
PRODUCTS = {"linear": (0, 1), "mm": (0, 1), "bmm": (0, 1), "matmul": (0, 1), "mv": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2),
            "_grouped_mm": (0, 1)}
CONVOLUTIONS = {"convolution", "_convolution", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
ATTENTIONS = {"scaled_dot_product_attention", "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention",
              "_scaled_dot_product_flash_attention_for_cpu"}  # queries, keys and values first

#: FLOP for each element of the output.
NORMS = {"layer_norm": 8, "native_layer_norm": 8, "batch_norm": 8, "native_batch_norm": 8, "_native_batch_norm_legit": 8,
         "instance_norm": 8, "group_norm": 8, "native_group_norm": 8, "rms_norm": 4, "_fused_rms_norm": 4}
ACTIVATIONS = {"gelu": 5, "silu": 5, "mish": 5, "elu": 5, "softplus": 5, "log_sigmoid": 5, "hardswish": 5, "softmax": 5, "_softmax": 5,
               "relu": 1, "relu_": 1, "leaky_relu": 1, "prelu": 1, "hardtanh": 1, "hardtanh_": 1, "tanh": 1, "sigmoid": 1, "glu": 5}
LOSSES = {"log_softmax": 5, "_log_softmax": 5, "nll_loss": 0, "nll_loss_forward": 0, "nll_loss_nd": 0, "nll_loss2d": 0}
DROPOUT_FLOP = 2
HAND_WRITTEN_NORM_FLOP = {True: 8, False: 4}  # whether it takes a mean away
HAND_WRITTEN_ACTIVATION_FLOP = 5
EMBEDDINGS = {"embedding", "embedding_bag"}
DROPOUTS = {"dropout", "dropout_", "native_dropout", "feature_dropout", "alpha_dropout"}

#: Operations that reorder, copy or pick numbers. Views need not be named.
MOVES = {"clone", "contiguous", "_to_copy", "to", "type_as", "float", "cat", "stack", "copy_", "neg", "repeat", "repeat_interleave", "index",
         "index_select", "gather", "pad", "constant_pad_nd", "roll", "flip", "topk", "sort", "argsort", "argmax", "zeros_like",
         "ones_like", "empty_like", "new_zeros", "new_empty", "full_like", "_unsafe_view", "reshape", "flatten", "masked_fill",
         "masked_fill_", "where", "tril", "triu", "one_hot", "nonzero", "scatter", "scatter_", "slice_scatter", "index_put_",
         "unfold", "split_with_sizes_copy", "lift_fresh", "detach", "pixel_shuffle", "channel_shuffle", "_reshape_alias", "im2col"}

#: Composite operations that are counted whole; others are taken apart by PyTorch.
WHOLE = {*PRODUCTS, *CONVOLUTIONS, *ATTENTIONS, *NORMS, *ACTIVATIONS, *LOSSES, *EMBEDDINGS, *DROPOUTS, *MOVES, "cross_entropy_loss",
         "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d"}


def is_pool(name: str) -> bool:
    return "pool" in name


def kind_of(name: str, is_view: bool) -> Kind:
    """Of an operation by its name in ATen; a product of two states is attention, which the caller sees."""
    if is_view or name in MOVES:
        return Kind.MOVE
    for kind, names in ((Kind.LINEAR, PRODUCTS), (Kind.CONV, CONVOLUTIONS), (Kind.ATTENTION, ATTENTIONS), (Kind.NORM, NORMS),
                        (Kind.ACTIVATION, ACTIVATIONS), (Kind.LOSS, LOSSES), (Kind.EMBEDDING, EMBEDDINGS)):
        if name in names:
            return kind
    return Kind.POOL if is_pool(name) else Kind.ELEMENTWISE


def _pool_flop(arguments: Sequence[Any], out: int) -> float:
    """Of a window by its size; of one that adapts, every input once."""
    window = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], (list, tuple)) else [1]
    return max(float(arguments[0].numel()), float(out * prod(window)))


def _attention_flop(query: Any, key: Any, value: Any, window: int) -> float:
    """Of scores and of what they weigh, for all pairs of states or those of the window, masked or not."""
    *rows, states, width = query.shape
    pairs = prod(rows) * states * key.shape[-2] * seen_share(key.shape[-2], window)
    return 2.0 * pairs * (width + value.shape[-1])


def product_flop(name: str, arguments: Sequence[Any], out: int) -> float:
    return 2.0 * out * arguments[PRODUCTS[name][0]].shape[-1]


def seen_share(states: int, window: int) -> float:
    """Of all pairs of states, where a state sees `window` others at most (0: all)."""
    return min(1.0, window / states) if window > 0 else 1.0


def flop_of(name: str, arguments: Sequence[Any], out: int, window: int) -> float:
    """`out` is the number of elements of the result, `window` how many states attention sees at most (0: all)."""
    if name in PRODUCTS:
        return product_flop(name, arguments, out)
    if name in CONVOLUTIONS:
        states, weight = arguments[:2]
        is_transposed = "transpose" in name or (name == "convolution" and bool(arguments[6]))
        positions = states.numel() if is_transposed else out
        return 2.0 * positions * weight.numel() / weight.shape[0]
    if name in ATTENTIONS:
        return _attention_flop(arguments[0], arguments[1], arguments[2], window)
    if is_pool(name):
        return _pool_flop(arguments, out)
    each = {**NORMS, **ACTIVATIONS, **LOSSES, **dict.fromkeys(EMBEDDINGS, 0), **dict.fromkeys(DROPOUTS, DROPOUT_FLOP)}.get(name)
    if each is not None:
        return float(each * out)
    taken = max((one.numel() for one in arguments if hasattr(one, "numel")), default=0)
    return float(max(out, taken))  # a sum reads every input once
