"""A linear layer whose three matrix products take 8-bit floats: e4m3 forward, gradients in e5m2, each tensor scaled by its
largest number (the "current scaling" of NVIDIA's Transformer Engine). Sums of gradients are not rounded between products."""
import torch
from torch import nn

LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}


def _narrowed(x, name):
    """(8-bit numbers, what gives them back their size)"""
    scale = LARGEST[name] / x.abs().amax().float().clamp(min=1e-12)
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
    def forward(self, x):
        out = _Product8.apply(x.reshape(-1, x.shape[-1]), self.weight).view(*x.shape[:-1], -1)
        return out if self.bias is None else out + self.bias
