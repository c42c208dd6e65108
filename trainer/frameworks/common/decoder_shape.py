"""What a decoder-only transformer consists of, read from its layer table."""
import dataclasses
import json
import os
import pathlib
import re

from common.failure import Failure

MODELS = pathlib.Path(os.path.abspath(__file__)).parents[3] / "scenarios" / "models"
BLOCK = re.compile(r"block(\d+)\.")
TOKENS = re.compile(r"sequence of (\d+) tokens")


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
