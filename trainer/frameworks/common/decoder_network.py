"""A decoder-only transformer in PyTorch, with the layers of its table, or one rank's part of them in a tensor group."""
import math

import torch
from torch import nn
from torch.nn import functional

EPSILON = 1e-5     # PyTorch's own, of LayerNorm
ROTARY_BASE = 1e4  # Su et al., RoFormer, arXiv:2104.09864, section 3.2.2; which base it is changes no time
LARGEST_FLOAT8 = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}


def _narrowed(x, name):
    """(8-bit numbers, what gives them back their size)"""
    scale = LARGEST_FLOAT8[name] / x.abs().amax().float().clamp(min=1e-12)
    return (x.float() * scale).to(getattr(torch, name)), scale.reciprocal()


def _product(left, right, scales, fast):
    """left [m, k] by rows, right [n, k] by rows: left times right transposed."""
    return torch._scaled_mm(left, right.t(), scale_a=scales[0], scale_b=scales[1], out_dtype=torch.bfloat16, use_fast_accum=fast)


class _Product8(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        x8, x_scale = _narrowed(x, "float8_e4m3fn")
        w8, w_scale = _narrowed(weight, "float8_e4m3fn")
        ctx.save_for_backward(x8, x_scale, w8, w_scale)
        return _product(x8, w8, (x_scale, w_scale), True)

    @staticmethod
    def backward(ctx, gradient):
        x8, x_scale, w8, w_scale = ctx.saved_tensors
        g8, g_scale = _narrowed(gradient, "float8_e5m2")
        of_x = _product(g8, w8.t().contiguous(), (g_scale, w_scale), False)
        of_weight = _product(g8.t().contiguous(), x8.t().contiguous(), (g_scale, x_scale), False)
        return of_x, of_weight


class Linear8(nn.Linear):
    """A linear layer whose three matrix products take 8-bit floats: e4m3 forward, gradients in e5m2, each tensor scaled by its
    largest number (the "current scaling" of NVIDIA's Transformer Engine). Sums of gradients are not rounded between products."""

    def forward(self, x):
        out = _Product8.apply(x.reshape(-1, x.shape[-1]), self.weight).view(*x.shape[:-1], -1)
        return out if self.bias is None else out + self.bias


class _Gather(torch.autograd.Function):
    """In place of what a tensor group gathers: as many copies of the own part."""

    @staticmethod
    def forward(ctx, x, tensor):
        ctx.tensor = tensor
        return x.repeat(1, tensor, 1)

    @staticmethod
    def backward(ctx, gradient):
        return gradient[:, :gradient.shape[1] // ctx.tensor].contiguous(), None


class _Scatter(torch.autograd.Function):
    """In place of what a tensor group reduce-scatters: the own part alone."""

    @staticmethod
    def forward(ctx, x, tensor):
        ctx.tensor = tensor
        return x[:, :x.shape[1] // tensor].contiguous()

    @staticmethod
    def backward(ctx, gradient):
        return gradient.repeat(1, ctx.tensor, 1), None


def attend(query, key, value):
    """Causal; [samples, heads, tokens, head's width]; fewer keys than queries are each of several."""
    if hasattr(functional, "scaled_dot_product_attention"):
        grouped = {"enable_gqa": True} if key.shape[1] != query.shape[1] else {}
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True, **grouped)
    key, value = (one.repeat_interleave(query.shape[1] // key.shape[1], dim=1) for one in (key, value))
    scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[3])
    masked = torch.ones(scores.shape[2:], dtype=torch.bool, device=query.device).triu(1)
    return scores.masked_fill(masked, -math.inf).softmax(3) @ value


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        if hasattr(functional, "rms_norm"):
            return functional.rms_norm(x, self.weight.shape, self.weight, EPSILON)
        return (x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + EPSILON)).to(x.dtype) * self.weight


def _norm(shape):
    return nn.LayerNorm(shape.width, EPSILON) if shape.layer_norm else RmsNorm(shape.width)


class Block(nn.Module):
    """Of a rank whose tensor group shares it; norms and sums are of the rank's part of the tokens."""

    def __init__(self, shape, options):
        super().__init__()
        part, self.head, self.part = options.tensor, options.head_width, options.tensor
        linear = Linear8 if options.precision == "fp8" else nn.Linear
        self.queries, self.keys = shape.width // part, max(self.head, shape.keys // part)
        widths = [self.queries, self.keys, self.keys]
        self.inputs = nn.ModuleList(linear(shape.width, wide, bias=shape.biased)
                                    for wide in ([sum(widths)] if shape.fused else widths))
        self.attended = linear(self.queries, shape.width, bias=shape.biased)
        self.norm1, self.norm2 = _norm(shape), _norm(shape)
        inner = shape.inner // part
        self.gate = linear(shape.width, inner, bias=shape.biased) if shape.gated else None
        self.up = linear(shape.width, inner, bias=shape.biased)
        self.down = linear(inner, shape.width, bias=shape.biased)

    def _heads(self, x):
        return x.view(x.shape[0], x.shape[1], -1, self.head).transpose(1, 2)

    def _attention(self, x, angles):
        parts = [one(x) for one in self.inputs]
        if len(parts) == 1:
            parts = parts[0].split([self.queries, self.keys, self.keys], 2)
        query, key, value = (self._heads(part) for part in parts)
        if angles is not None:
            query, key = _rotated(query, angles), _rotated(key, angles)
        out = attend(query, key, value)
        return self.attended(out.transpose(1, 2).reshape(x.shape[0], x.shape[1], self.queries))

    def _feed_forward(self, x):
        inner = functional.silu(self.gate(x)) * self.up(x) if self.gate is not None else functional.gelu(self.up(x))
        return self.down(inner)

    def _whole(self, x):
        return x if self.part == 1 else _Gather.apply(x, self.part)

    def _own(self, x):
        return x if self.part == 1 else _Scatter.apply(x, self.part)

    def forward(self, x, angles):
        x = x + self._own(self._attention(self._whole(self.norm1(x)), angles))
        return x + self._own(self._feed_forward(self._whole(self.norm2(x))))


def _rotated(x, angles):
    """Each pair (i, i + half) of a head's numbers by the position's angle."""
    cosine, sine = angles
    first, second = x.chunk(2, dim=3)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], 3)


class Decoder(nn.Module):
    """Blocks of `shape`, as many as asked for, between its embeddings and its loss."""

    def __init__(self, shape, blocks, options):
        super().__init__()
        self.part, words = options.tensor, shape.words // options.tensor
        self.word = nn.Embedding(words, shape.width)
        self.position = nn.Embedding(shape.positions, shape.width) if shape.positions else None
        self.blocks = nn.ModuleList(Block(shape, options) for _ in range(blocks))
        self.norm = _norm(shape)
        self.decoder = nn.Linear(shape.width, words, bias=False)
        if shape.tied:
            self.decoder.weight = self.word.weight
        self.register_buffer("angles", None if shape.positions else _angles(shape, options), persistent=False)

    def forward(self, ids):
        x = self.word(ids)
        if self.position is not None:
            x = x + self.position(torch.arange(ids.shape[1], device=ids.device))
        x = x[:, :x.shape[1] // self.part]
        angles = None if self.angles is None else self.angles.to(x.dtype).unbind(0)
        for block in self.blocks:
            x = block(x, angles)
        x = self.norm(x)
        x = x if self.part == 1 else _Gather.apply(x, self.part)
        scores = self.decoder(x)
        return functional.cross_entropy(scores.view(-1, scores.shape[2]).float(), ids.view(-1))


def _angles(shape, options):
    half = options.head_width // 2
    rates = ROTARY_BASE ** (-torch.arange(half) / half)
    turned = torch.outer(torch.arange(shape.tokens).float(), rates.float())
    return torch.stack([turned.cos(), turned.sin()])
