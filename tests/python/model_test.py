"""Models of Transformers and PyTorch by their shapes, against `ddlsim import hf-config` and the shipped tables. Nothing is downloaded."""

import copy
import json
import os
import subprocess
import sys
from math import prod
from pathlib import Path

import pytest
import torch
import transformers
from torch import nn

import ddlsim

SOURCE = Path(os.environ["SOURCE"])
TOKENS = 128
MATRICES = {"linear", "attention", "conv", "conv1x1", "conv3x3"}
# Matrix products and attention are equal. What is between them is counted operation by operation here and by the rules
# of a family there: a softmax of a window, scores with a column more, a scalar factor. At these small widths that is the
# larger share; at 4096 it is a thirtieth.
ROUNDING = 0.01

SIZES = dict(hidden_size=256, intermediate_size=704, num_hidden_layers=4, num_attention_heads=8, vocab_size=4000, max_position_embeddings=512)
GROUPED = dict(**SIZES, num_key_value_heads=2)
EXPERTS = dict(num_experts_per_tok=2)
LATENT = dict(num_key_value_heads=8, n_routed_experts=16, num_experts_per_tok=4, moe_intermediate_size=128, first_k_dense_replace=1,
              q_lora_rank=96, kv_lora_rank=64, qk_rope_head_dim=16, qk_nope_head_dim=32, v_head_dim=32, n_group=4, topk_group=2)
CONFIGS = {
    "llama": lambda: transformers.LlamaConfig(**GROUPED),
    "gpt2": lambda: transformers.GPT2Config(n_embd=256, n_layer=4, n_head=8, vocab_size=4000, n_positions=512),
    "mixtral": lambda: transformers.MixtralConfig(**GROUPED, **EXPERTS, num_local_experts=8),
    "qwen3_moe": lambda: transformers.Qwen3MoeConfig(**GROUPED, head_dim=32, num_experts=16, num_experts_per_tok=4, moe_intermediate_size=128),
    "gemma2": lambda: transformers.Gemma2Config(**GROUPED, head_dim=32, sliding_window=64),
    "gpt_oss": lambda: transformers.GptOssConfig(**GROUPED, **EXPERTS, head_dim=32, num_local_experts=8, sliding_window=64),
    "bert": lambda: transformers.BertConfig(**SIZES, architectures=["BertForMaskedLM"]),
    "t5": lambda: transformers.T5Config(d_model=256, d_ff=704, num_layers=4, num_heads=8, d_kv=32, vocab_size=4000),
    "vit": lambda: transformers.ViTConfig(hidden_size=256, intermediate_size=704, num_hidden_layers=4, num_attention_heads=8, image_size=96,
                                          architectures=["ViTForImageClassification"]),
    "llama4_text": lambda: transformers.Llama4TextConfig(**{**GROUPED, "intermediate_size": 256}, intermediate_size_mlp=704,
                                                         num_local_experts=8, num_experts_per_tok=1, head_dim=32),
    "deepseek_v2": lambda: transformers.DeepseekV2Config(**SIZES, **LATENT, n_shared_experts=1),
    "falcon": lambda: transformers.FalconConfig(hidden_size=256, num_hidden_layers=4, num_attention_heads=8, vocab_size=4000,
                                                new_decoder_architecture=True, num_kv_heads=2),
    "bloom": lambda: transformers.BloomConfig(hidden_size=256, n_layer=4, n_head=8, vocab_size=4000),
    "phi3": lambda: transformers.Phi3Config(**GROUPED, pad_token_id=0),
    "opt": lambda: transformers.OPTConfig(hidden_size=256, ffn_dim=704, num_hidden_layers=4, num_attention_heads=8, vocab_size=4000,
                                          max_position_embeddings=512, word_embed_proj_dim=256),
    "gpt_neox": lambda: transformers.GPTNeoXConfig(**SIZES),
    "olmo2": lambda: transformers.Olmo2Config(**GROUPED),
    "cohere": lambda: transformers.CohereConfig(**GROUPED),
    "granite": lambda: transformers.GraniteConfig(**GROUPED),
}


def flop_of_matrices(model):
    return sum(one.get("repeat", 1) * layer["forward_flop_per_sample"] for one in model["layers"] for layer in one.get("layers", [one])
               if layer["kind"] in MATRICES)


def parameters_in(model):
    return sum(prod(tensor["shape"]) for layer in model["layers"] for tensor in layer.get("tensors", []))


def by_arithmetic(config, attention=None):
    return ddlsim.from_hf(config, sequence=None if config.model_type == "vit" else TOKENS, attention=attention)


@pytest.mark.parametrize("family", CONFIGS)
def test_shapes_give_the_parameters_and_flop_of_the_arithmetic(family):
    config = CONFIGS[family]()
    by_shapes = ddlsim.from_transformers(config, sequence=None if family == "vit" else TOKENS)
    expected = by_arithmetic(config, attention="eager" if family == "gpt_oss" else None)  # Transformers has no other for its sinks
    assert by_shapes.parameters == parameters_in(by_shapes) == expected.parameters
    assert flop_of_matrices(by_shapes) == flop_of_matrices(expected)
    assert by_shapes.forward_flop == pytest.approx(expected.forward_flop, rel=ROUNDING)


@pytest.mark.parametrize("family", ["llama", "mixtral", "gpt2", "bert", "phi3", "olmo2"])
def test_both_tables_give_the_same_prediction(family):
    # the tables have the same sizes in the same order; only names differ
    config = CONFIGS[family]()
    asked = dict(cluster="p5", gpus=[8], strategy="fsdp", precision="bf16", batch_per_gpu=8, preset="pytorch-fsdp2")
    shapes = ddlsim.predict(model=ddlsim.from_transformers(config, sequence=TOKENS), **asked).point
    arithmetic = ddlsim.predict(model=by_arithmetic(config), **asked).point
    assert shapes.iteration_s == pytest.approx(arithmetic.iteration_s, rel=0.02)
    assert shapes.memory.peak_bytes == pytest.approx(arithmetic.memory.peak_bytes, rel=0.02)


def test_a_large_model_needs_no_memory():
    model = ddlsim.from_transformers(transformers.LlamaConfig(
        hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, num_attention_heads=64, num_key_value_heads=8, vocab_size=128256,
        max_position_embeddings=8192), sequence=8192, name="llama-70b")
    assert model.parameters == 70_553_706_496  # as published


def test_latent_attention_has_queries_keys_and_values():
    model = ddlsim.from_transformers(transformers.DeepseekV3Config(**SIZES, **LATENT), sequence=TOKENS)
    names = {layer.name: layer for layer in model["layers"]}
    words = ["query_down", "query_norm", "query", "state", "state_norm", "key", "value", "fused"]
    assert all(f"block2.attention.{word}" in names for word in words)
    assert names["block2.attention.key"].tensors[0].shape == [8 * 32, 64]
    assert names["block2.experts.gate"].experts == 16
    assert "block2.router" in names


def test_a_folder_of_the_cache_is_read(tmp_path):
    CONFIGS["llama"]().save_pretrained(tmp_path)
    assert ddlsim.from_transformers(tmp_path, sequence=TOKENS).parameters == ddlsim.from_transformers(CONFIGS["llama"](), sequence=TOKENS).parameters


def test_a_type_that_no_row_knows():
    config = transformers.StableLmConfig(**SIZES, num_key_value_heads=8)
    with pytest.raises(ddlsim.Error, match="model_type"):
        ddlsim.from_hf(config, sequence=16)
    model = ddlsim.from_transformers(config, sequence=16)
    with torch.device("meta"):
        whole = transformers.StableLmForCausalLM(config)
    assert model.parameters == sum(one.numel() for one in whole.parameters())
    assert sum(layer.kind == "attention" for layer in model["layers"]) == 4


class LeNet(nn.Module):
    """The definition of which scenarios/models/lenet5.json is the table."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)
        self.pool, self.act = nn.MaxPool2d(2), nn.ReLU()

    def forward(self, image):
        states = self.pool(self.act(self.conv1(image)))
        states = self.pool(self.act(self.conv2(states))).flatten(1)
        return self.fc3(self.act(self.fc2(self.act(self.fc1(states)))))


def test_a_convolutional_net_is_that_of_the_shipped_table():
    shipped = json.loads((SOURCE / "scenarios/models/lenet5.json").read_text())
    model = ddlsim.from_torch(LeNet(), torch.zeros(1, 1, 28, 28))
    assert model.parameters == shipped["parameters"]
    expected = {layer["name"]: layer["forward_flop_per_sample"] for layer in shipped["layers"] if layer["kind"] in MATRICES}
    assert {layer.name: layer.forward_flop_per_sample for layer in model["layers"] if layer.kind in MATRICES} == expected


def test_sizes_are_of_one_sample_whatever_the_example_has():
    one, four = (ddlsim.from_torch(LeNet(), torch.zeros(count, 1, 28, 28)) for count in (1, 4))
    assert one["layers"] == four["layers"]


class Block(nn.Module):
    """Closed form: a linear layer of 6 x 4 and a product of states with themselves."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 6, bias=False)
        self.unused = nn.Parameter(torch.zeros(3))
        self.frozen = nn.Parameter(torch.zeros(6), requires_grad=False)

    def forward(self, states):
        made = self.inner(states) + self.frozen
        return (made @ made.transpose(-1, -2)).sum()


def test_a_module_of_ones_own_by_hand():
    module = Block()
    before = copy.deepcopy(module.state_dict())
    model = ddlsim.from_torch(module, torch.zeros(2, 5, 4), loss=False)
    flop = {layer.name: layer.forward_flop_per_sample for layer in model["layers"]}
    assert flop["inner"] == 2 * 5 * 4 * 6
    assert flop["product"] == 2 * 5 * 5 * 6
    assert model.parameters == 4 * 6 + 3  # what is frozen is not trained
    assert parameters_in(model) == model.parameters
    assert all(torch.equal(before[name], value) for name, value in module.state_dict().items())
    assert not module._forward_hooks


class Chooser(nn.Module):
    """Looks at values, as a router that loops over its experts does."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, states):
        return self.experts[0](states) if states.sum() > -1 else states


def test_a_module_that_looks_at_values_is_run():
    with pytest.raises(ddlsim.Error, match="on_meta=False"):
        ddlsim.from_torch(Chooser(), torch.zeros(1, 4))
    model = ddlsim.from_torch(Chooser(), torch.zeros(1, 4), on_meta=False)
    assert model.parameters == parameters_in(model) == 3 * 20


def test_mistakes():
    with pytest.raises(ddlsim.Error, match="torch.nn.Module expected"):
        ddlsim.from_torch(nn.Linear, torch.zeros(1, 4))
    with pytest.raises(ddlsim.Error, match="no tensor with samples"):
        ddlsim.from_torch(nn.Linear(4, 4), 3)
    with pytest.raises(ddlsim.Error, match="cannot be run with this example"):
        ddlsim.from_torch(nn.Linear(4, 4), torch.zeros(1, 5))
    with pytest.raises(ddlsim.Error, match="sequence=TOKENS"):
        ddlsim.from_transformers(CONFIGS["llama"]())
    with pytest.raises(ddlsim.UsageError, match="Linear found.*from_torch"):
        ddlsim.predict(model=nn.Linear(4, 4), cluster="iris", gpus=8, batch_per_gpu=1)


def test_a_table_is_a_file_that_the_program_reads(tmp_path):
    file = ddlsim.from_torch(LeNet(), torch.zeros(1, 1, 28, 28)).save(tmp_path / "own.json")
    assert "model own: 13 layers" in ddlsim.check(file)
    assert ddlsim.predict(model=file, cluster="iris", gpus=8, strategy="ring", batch_per_gpu=64).point.samples_per_s > 0


def test_the_package_is_typed():
    folder = Path(ddlsim.__file__).parent
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-warn-return-any", "--allow-untyped-calls", "--ignore-missing-imports",
                           "--follow-imports=silent", "--no-incremental", folder],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
