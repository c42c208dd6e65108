"""Models of one's own: of a config of Hugging Face Transformers, of any class of it, or of any module of PyTorch."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _inputs, _program
from ._program import Error
from ._record import Record, record_of

if TYPE_CHECKING:
    import pandas
    import torch
    import transformers

PathLike = Union[str, "os.PathLike[str]"]
USUAL_IMAGE = 224  # pixels, of ImageNet's pictures, where a config does not say


class Model(Record):
    """The table of a model's layers, with the keys of its file: `ddlsim schema model --markdown`."""

    def save(self, file: PathLike) -> Path:
        """Writes NAME.json, whole or not at all; the model has the name of its file."""
        path = Path(file)
        _program.write_whole(path, json.dumps({**self, "name": path.stem}, indent=1) + "\n")
        return path

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each layer; a row of a block that repeats stands once."""
        rows = [{**layer, "repeat": one.get("repeat", 1)} for one in self["layers"] for layer in one.get("layers", [one])]
        return _program.pandas().DataFrame(rows)

    @property
    def forward_flop(self) -> float:
        """Of one sample."""
        return sum(one.get("repeat", 1) * layer["forward_flop_per_sample"]
                   for one in self["layers"] for layer in one.get("layers", [one]))

    def __repr__(self) -> str:
        return f"<ddlsim.Model {self['name']}: {self['title']}, {self['parameters']:,} parameters, {self.forward_flop:.4g} FLOP forward a sample>"


def from_hf(config: Union[PathLike, Mapping[str, Any], Any], *, sequence: Optional[int] = None, name: Optional[str] = None,
            attention: Optional[str] = None, data: Optional[PathLike] = None) -> Model:
    """Of a config.json (a file, its content, or a config object) by the arithmetic of its family; needs no other package.

    sequence   tokens a sample, which a config does not say; an image model has none
    attention  sdpa (one kernel, if not given) or eager
    """
    content = _inputs.config_content(config)
    with _program.Folder() as folder:
        words = ["import", "hf-config", folder.file_of(content, "config.json"), "--output", str(folder.path / "model.json")]
        words += _program.options({"sequence": sequence, "name": name, "attention": attention, "data": data})
        _program.run(words, folder)
        return Model(record_of((folder.path / "model.json").read_text()))


def _torch() -> Any:
    try:
        import torch
    except ImportError as missing:
        raise ImportError("this needs PyTorch: pip install 'ddlsim[torch]'") from missing
    return torch


def _tensors(tree: Any) -> List[Any]:
    from torch.utils._pytree import tree_flatten

    return [leaf for leaf in tree_flatten(tree)[0] if hasattr(leaf, "is_floating_point")]


def _sample_text(first: Any) -> str:
    shape = list(first.shape)[1:]
    if not first.is_floating_point() and len(shape) == 1:
        return f"sequence of {shape[0]} tokens"
    return ("image " if len(shape) == 3 else "input ") + "x".join(map(str, shape))


def _logits(result: Any) -> Dict[str, Any]:
    """What the module returns and a loss is computed of: logits by name, else the only float with a row for each sample."""
    if hasattr(result, "items"):
        return {name: one for name, one in result.items() if name.endswith("logits") and one is not None}
    floats = [one for one in _tensors(result) if one.is_floating_point()]
    return {"output": floats[0]} if len(floats) == 1 and floats[0].dim() >= 2 else {}


def _loss_layers(result: Any, samples: int) -> List[Dict[str, Any]]:
    """log-softmax of each row of logits, and the mean of the entries that it picks."""
    rows: List[Dict[str, Any]] = []
    for name, one in _logits(result).items():
        for word, flop, outputs in ((f"{name}.log_softmax", 5 * one.numel(), one.numel()), (f"{name}.loss", one.numel() // one.shape[-1], samples)):
            rows.append({"name": word, "kind": "loss", "forward_flop_per_sample": flop // samples,
                         "activation_bytes_per_sample": 4 * outputs // samples})
    return rows


def _table(module: "torch.nn.Module", arguments: Sequence[Any], named: Mapping[str, Any], samples: int, loss: bool,
           on_meta: bool) -> Tuple[List[Dict[str, Any]], int]:
    """Layers, and the number of parameters."""
    from . import _experts, _layers, _trace

    trace, result = _trace.run(module, arguments, named, on_meta, _experts.stand_ins)
    shapes = {name: tuple(one.shape) for name, one in module.named_parameters() if one.requires_grad}
    frozen = {name: tuple(one.shape) for name, one in module.named_parameters() if not one.requires_grad}
    layers = _layers.layers_of(trace.operations, {**shapes, **frozen})
    for layer in layers:
        layer.tensors = {name: shape for name, shape in layer.tensors.items() if name not in frozen}
    rows = [_layers.entry(layer, samples) for layer in layers]
    left = _layers.unused({name: shape for name, shape in shapes.items() if name not in trace.used}, layers)
    for name, shape in left.items():
        rows.append({"name": f"unused.{name}", "kind": "elementwise", "forward_flop_per_sample": 0, "activation_bytes_per_sample": 0,
                     "tensors": [{"name": name, "shape": list(shape) or [1]}]})
    rows += _loss_layers(result, samples) if loss else []
    return rows, sum(one.numel() for one in module.parameters() if one.requires_grad)


def _model(module: Any, name: str, arguments: Sequence[Any], named: Mapping[str, Any], loss: bool, on_meta: bool, source: str) -> Model:
    first = next(iter(_tensors((arguments, named))), None)
    if first is None or first.dim() == 0:
        raise Error(f"example: no tensor with samples along its first dimension found in {type(first).__name__}; "
                    "give what the module is called with, e.g. torch.zeros(1, 3, 224, 224)")
    samples = first.shape[0]
    rows, parameters = _table(module, arguments, named, samples, loss, on_meta)
    return Model(record_of(json.dumps({
        "format": "ddlsim-model", "version": 1, "name": name, "title": type(module).__name__, "source": source,
        "sample": _sample_text(first), "parameters": parameters, "layers": rows})))


def from_torch(module: "torch.nn.Module", example: Any, *, name: Optional[str] = None, loss: bool = True, on_meta: bool = True) -> Model:
    """Of a module by the shapes of one forward pass on the meta device, which computes nothing and needs no memory.

    example  what the module is called with: a tensor, a tuple of them, or a dict of keyword arguments; samples stand
             along the first dimension of its first tensor
    loss     whether a cross-entropy follows, where the module returns logits
    on_meta  False: one real forward pass, for a module that looks at values
    """
    torch = _torch()
    if not isinstance(module, torch.nn.Module):
        raise Error(f"module: {type(module).__name__} found; a torch.nn.Module expected, as torch.nn.Linear(8, 8) is one")
    named = dict(example) if isinstance(example, Mapping) else {}
    arguments = () if named else tuple(example) if isinstance(example, (tuple, list)) else (example,)
    return _model(module, name or type(module).__name__, arguments, named, loss, on_meta,
                  f"ddlsim.from_torch of PyTorch {torch.__version__}: shapes of one forward pass")


def _config_of(config: Any) -> Any:
    import transformers

    if isinstance(config, (str, os.PathLike)):
        config = transformers.AutoConfig.from_pretrained(os.fspath(config), local_files_only=True)
    is_of_more = getattr(config, "vision_config", None) is not None or getattr(config, "audio_config", None) is not None
    return config.get_text_config() if is_of_more else config


def _module_of(config: Any, attention: str) -> Any:
    """Of the class that the config names, else the one that predicts tokens, else the bare model."""
    import transformers

    torch = _torch()
    names = getattr(config, "architectures", None) or []
    known = next((getattr(transformers, one) for one in names if hasattr(transformers, one)), None)
    with torch.device("meta"):
        if known is not None:
            return known._from_config(config, attn_implementation=attention)
        for kind in (transformers.AutoModelForCausalLM, transformers.AutoModelForSeq2SeqLM, transformers.AutoModel):
            if type(config) in kind._model_mapping:
                return kind.from_config(config, attn_implementation=attention)
    raise Error(f"config: no class of Transformers {transformers.__version__} belongs to {type(config).__name__}")


def _example(module: Any, config: Any, sequence: Optional[int]) -> Dict[str, Any]:
    """What the class is called with, of one sample."""
    torch = _torch()
    if module.main_input_name == "pixel_values":
        size = getattr(config, "image_size", USUAL_IMAGE)
        side = size if isinstance(size, (tuple, list)) else (size, size)
        return {"pixel_values": torch.empty(1, config.num_channels, *side, device="meta")}
    if module.main_input_name != "input_ids":
        raise Error(f"{type(module).__name__} reads {module.main_input_name}; give it an example: ddlsim.from_torch(module, {{...}})")
    if sequence is None:
        raise Error("a config does not say how long a sample is; give sequence=TOKENS")
    tokens = torch.zeros(1, sequence, dtype=torch.long, device="meta")
    more = {"decoder_input_ids": tokens} if getattr(config, "is_encoder_decoder", False) else {}
    return {"input_ids": tokens, **more}


def from_transformers(config: "Union[str, PathLike, transformers.PreTrainedConfig]", *, sequence: Optional[int] = None,
                      name: Optional[str] = None, attention: str = "sdpa") -> Model:
    """Of any class of Hugging Face Transformers, built on the meta device; nothing is downloaded.

    config     a config object, a folder with config.json, or the name of a model whose config is in the cache
    sequence   tokens a sample; an image model has none
    attention  sdpa (one kernel) or eager
    """
    torch = _torch()
    import transformers

    built = _config_of(config)
    try:
        module = _module_of(built, attention)
    except ValueError as refused:
        if attention == "eager" or "attn_implementation" not in str(refused):
            raise
        module = _module_of(built, "eager")
    module.config.use_cache = False
    return _model(module, name or type(module).__name__, (), {**_example(module, built, sequence), "return_dict": True}, True, True,
                  f"ddlsim.from_transformers of Transformers {transformers.__version__}, PyTorch {torch.__version__}: "
                  f"shapes of {type(module).__name__}")
