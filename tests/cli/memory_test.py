"""Activations that ddlsim counts against those that PyTorch keeps: the same transformers, every tensor that autograd saves, on the CPU.

Kernels of a GPU that the CPU's PyTorch has not (attention in one kernel, RMSNorm, SwiGLU in one kernel) stand here as functions of
autograd that save what those kernels save. Not counted: parameters, numbers of whole type, tables of positions, and statistics, which
are a number for each token or head. Logits are compared by themselves: ddlsim counts them at the loss.
"""

import json
import math
import unittest

from program import Case, main, run

try:
    import torch
    from torch import nn
    from torch.nn import functional
    from torch.utils.checkpoint import checkpoint
except ImportError:
    torch = None

WIDTH, HEADS, PAIRS, INNER, BLOCKS, WORDS, TOKENS, SEQUENCES = 64, 4, 2, 160, 3, 8192, 48, 2
EXPERTS, CHOSEN = 4, 2
HEAD = WIDTH // HEADS
ROUTER_BYTES = 24  # of a token and an expert; what Megatron-LM's router keeps, which no module here has

LLAMA = {"model_type": "llama", "hidden_size": WIDTH, "num_hidden_layers": BLOCKS, "num_attention_heads": HEADS,
         "num_key_value_heads": PAIRS, "intermediate_size": INNER, "vocab_size": WORDS}
MIXTRAL = {**LLAMA, "model_type": "mixtral", "num_local_experts": EXPERTS, "num_experts_per_tok": CHOSEN}
GPT = {"model_type": "gpt2", "n_embd": WIDTH, "n_layer": BLOCKS, "n_head": HEADS, "n_inner": INNER, "vocab_size": WORDS,
       "n_positions": TOKENS, "resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0}


if torch:
    class OneKernel(torch.autograd.Function):
        """A kernel that saves some tensors; its result is computed plainly, its gradient is not needed here."""

        @staticmethod
        def forward(context, compute, saved, saves_result, *inputs):
            result = compute(*inputs)
            context.save_for_backward(*[inputs[i] for i in saved], *([result] if saves_result else []))
            return result

    def rms_norm(state):
        return OneKernel.apply(lambda x: x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt(), [0], False, state)

    def attend_plainly(query, key, value):
        """Scores in memory."""
        repeats = query.shape[1] // key.shape[1]
        key, value = (x.repeat_interleave(repeats, 1) for x in (key, value)) if repeats > 1 else (key, value)
        scores = query @ key.transpose(-1, -2) / math.sqrt(HEAD)
        return scores.softmax(-1) @ value

    def attend_in_one_kernel(query, key, value):
        """Writes its result as the next matrix reads it, as kernels do."""
        def compute(*parts):
            return attend_plainly(*parts).transpose(1, 2).contiguous()
        return OneKernel.apply(compute, [0, 1, 2], True, query, key, value).transpose(1, 2)

    class Rotation:
        """Turns pairs of numbers by angles, which are one table for all blocks."""

        def __init__(self):
            angles = torch.arange(TOKENS)[:, None] * torch.exp(-torch.arange(0, HEAD, 2) / HEAD)[None, :]
            self.cos, self.sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)

        def __call__(self, x):
            first, second = x.chunk(2, -1)
            return x * self.cos + torch.cat((-second, first), -1) * self.sin

    class Attention(nn.Module):
        def __init__(self, pairs, fused, rotation, one_kernel, selective):
            super().__init__()
            self.pairs, self.rotation, self.selective = pairs, rotation, selective
            self.core = attend_in_one_kernel if one_kernel else attend_plainly
            widths = [WIDTH + 2 * pairs * HEAD] if fused else [WIDTH, pairs * HEAD, pairs * HEAD]
            self.projections = nn.ModuleList(nn.Linear(WIDTH, width, bias=False) for width in widths)
            self.output = nn.Linear(WIDTH, WIDTH, bias=False)

        def rotated(self, query, key, value):
            if self.rotation:
                query, key = self.rotation(query), self.rotation(key)
            return self.core(query, key, value)

        def forward(self, state):
            made = [projection(state) for projection in self.projections]
            if len(made) == 1:
                made = [part.contiguous() for part in made[0].split([WIDTH, self.pairs * HEAD, self.pairs * HEAD], -1)]
            parts = [x.view(SEQUENCES, TOKENS, -1, HEAD).transpose(1, 2).contiguous() for x in made]
            whole = checkpoint(self.rotated, *parts) if self.selective else self.rotated(*parts)
            return self.output(whole.transpose(1, 2).reshape(SEQUENCES, TOKENS, WIDTH))

    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

        def forward(self, state):
            return self.down(functional.gelu(self.up(state)))

    class Gated(nn.Module):
        def __init__(self, fused):
            super().__init__()
            self.gate, self.up = nn.Linear(WIDTH, INNER, bias=False), nn.Linear(WIDTH, INNER, bias=False)
            self.down, self.fused = nn.Linear(INNER, WIDTH, bias=False), fused

        def forward(self, state):
            gate, up = self.gate(state), self.up(state)
            if self.fused:
                return self.down(OneKernel.apply(lambda a, b: functional.silu(a) * b, [0, 1], False, gate, up))
            return self.down(functional.silu(gate) * up)

    class Mixture(nn.Module):
        """Each token goes to CHOSEN experts, the same number to each; the router's weights do not scale what comes back."""

        def __init__(self, fused):
            super().__init__()
            self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
            self.experts = nn.ModuleList(Gated(fused) for _ in range(EXPERTS))

        @staticmethod
        def put_back(flat, taken, returned):
            """PyTorch's own index_add also saves what it adds."""
            return OneKernel.apply(lambda x: torch.zeros_like(flat).index_add(0, taken, x), [], False, returned)

        def forward(self, state):
            flat = state.reshape(-1, WIDTH)
            weights = self.router(flat).softmax(-1)
            total = torch.zeros_like(flat) + 0 * weights.sum()
            for number, expert in enumerate(self.experts):
                taken = torch.tensor([t for t in range(len(flat)) if (number - t) % EXPERTS < CHOSEN])
                total = total + self.put_back(flat, taken, expert(flat[taken]))
            return total.view_as(state)

    class Block(nn.Module):
        def __init__(self, attention, feed_forward, norm):
            super().__init__()
            self.attention, self.feed_forward = attention, feed_forward
            self.norm1, self.norm2 = norm(), norm()

        def forward(self, state):
            state = state + self.attention(self.norm1(state))
            return state + self.feed_forward(self.norm2(state))

    class Network(nn.Module):
        def __init__(self, block, norm, positions):
            super().__init__()
            self.words = nn.Embedding(WORDS, WIDTH)
            self.positions = nn.Embedding(TOKENS, WIDTH) if positions else None
            self.blocks = nn.ModuleList(block() for _ in range(BLOCKS))
            self.norm, self.decoder = norm(), nn.Linear(WIDTH, WORDS, bias=False)

        def forward(self, tokens, full):
            state = self.words(tokens)
            if self.positions:
                state = state + self.positions(torch.arange(TOKENS))
            for block in self.blocks:
                state = checkpoint(block, state) if full else block(state)
            return self.decoder(self.norm(state))


def rms():
    return rms_norm


def network(family, one_kernel, recompute, fused):
    """The network of a config, as ddlsim's table of the same config describes it."""
    selective = recompute == "selective"
    if family == "gpt2":
        attention = lambda: Attention(HEADS, True, None, one_kernel, selective)  # noqa: E731
        norm = lambda: nn.LayerNorm(WIDTH)  # noqa: E731
        return Network(lambda: Block(attention(), Plain(), norm), norm, True)
    rotation = Rotation()
    attention = lambda: Attention(PAIRS, False, rotation, one_kernel, selective)  # noqa: E731
    behind = (lambda: Mixture(fused)) if family == "mixtral" else (lambda: Gated(fused))
    return Network(lambda: Block(attention(), behind(), rms), rms, False)


def bytes_kept(model, full):
    """Bytes of all tensors that autograd saves in one forward, each storage once."""
    known = {parameter.data_ptr() for parameter in model.parameters()}
    kept = {}

    def pack(tensor):
        statistics = tensor.numel() <= SEQUENCES * TOKENS * max(HEADS, EXPERTS)
        logits = tensor.dim() > 0 and tensor.shape[-1] == WORDS
        table = tensor.dim() == 2 and tensor.shape == (TOKENS, HEAD)
        if tensor.is_floating_point() and tensor.storage().data_ptr() not in known and not (statistics or logits or table):
            kept[tensor.storage().data_ptr()] = tensor
        return tensor

    tokens = torch.randint(WORDS, (SEQUENCES, TOKENS))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        logits = model(tokens, full)
        loss = functional.cross_entropy(logits.view(-1, WORDS), tokens.view(-1))
    del loss
    return sum(tensor.storage().nbytes() for tensor in kept.values())


@unittest.skipIf(torch is None, "no PyTorch for this Python")
class KeptActivations(Case):
    def counted(self, config, eager, recompute, preset):
        """What ddlsim counts, of one GPU in fp32, bytes."""
        self.write("config.json", json.dumps(config))
        made = run("import", "hf-config", "config.json", "--sequence", TOKENS, "--output", "table.json",
                   *(["--attention", "eager"] if eager else []), cwd=self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        strategy = {"name": "fsdp", "recompute": recompute}
        scenario = {"format": "ddlsim-scenario", "version": 1, "name": "kept", "model": "./table.json", "batch_per_gpu": SEQUENCES,
                    "precision": "fp32", "cluster": "azure-nd-h100-v5", "preset": preset, "gpus": [1], "strategies": [strategy],
                    "samples": 2, "one_gpu_samples_per_s": 10}
        self.write("kept.json", json.dumps(scenario))
        said = run("predict", "kept.json", "--json", "--fidelity", "formula", cwd=self.folder)
        self.assertEqual(said.returncode, 0, said.stderr)
        memory = json.loads(said.stdout)["points"][0]["memory"]
        self.assertAlmostEqual(memory["logits_bytes"], 12 * SEQUENCES * TOKENS * WORDS if preset != "megatron-lm" else
                               8 * SEQUENCES * TOKENS * WORDS, delta=1)
        router = ROUTER_BYTES * SEQUENCES * TOKENS * EXPERTS * BLOCKS if config["model_type"] == "mixtral" else 0
        return memory["activations_bytes"] - (router if recompute != "full" else 0)

    def same(self, config, eager=False, recompute="none", fused=False):
        preset = "megatron-lm" if fused else "pytorch-fsdp2"
        model = network(config["model_type"], not eager, recompute, fused)
        kept = bytes_kept(model, recompute == "full")
        with self.subTest(family=config["model_type"], eager=eager, recompute=recompute, fused=fused):
            self.assertEqual(self.counted(config, eager, recompute, preset), kept)

    def test_each_recomputation_of_each_family(self):
        torch.manual_seed(1)
        for recompute in ("none", "selective", "full"):
            for config in (LLAMA, GPT, MIXTRAL):
                self.same(config, recompute=recompute)
            self.same(GPT, eager=True, recompute=recompute)
        for config in (LLAMA, MIXTRAL):
            self.same(config, fused=True)


if __name__ == "__main__":
    main()
