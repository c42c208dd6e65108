"""The networks by name, as plain lists of layers that each script builds with its framework, and their first parameters."""
import dataclasses
import math
import typing

import numpy as np

BYTES_OF_FP32 = 4
WAYS = 2  # a push and a pull of each tensor, by each worker in each step (docs/trainer.md)


@dataclasses.dataclass(frozen=True)
class Layer:
    """kind: convolution, dense, pool (largest of a window), flatten (channel, row, column), dropout. Convolutions and dense
    layers have a bias; `activation` says that a ReLU follows."""
    kind: str
    name: str = ""
    inputs: int = 0  # channels or features
    outputs: int = 0
    kernel: int = 0
    stride: int = 1
    padding: int = 0
    activation: bool = False
    rate: float = 0  # of dropout


@dataclasses.dataclass(frozen=True)
class Network:
    image: tuple  # channels, rows, columns
    classes: int
    layers: typing.List[Layer]
    learning_rate: float  # as trainer/models/catalogue.cpp has it
    weight_decay: float


def _convolution(name, inputs, outputs, kernel, stride=1, padding=0):
    return Layer("convolution", name, inputs, outputs, kernel, stride, padding, activation=True)


def _dense(name, inputs, outputs, activation=True):
    return Layer("dense", name, inputs, outputs, activation=activation)


def _pool(kernel, stride):
    return Layer("pool", kernel=kernel, stride=stride)


# trainer/models/networks_plain.cpp
LENET5 = Network((1, 28, 28), 10, [
    _convolution("conv1", 1, 6, 5, padding=2), _pool(2, 2), _convolution("conv2", 6, 16, 5), _pool(2, 2), Layer("flatten"),
    _dense("fc1", 400, 120), _dense("fc2", 120, 84), _dense("fc3", 84, 10, activation=False)], 0.05, 0)

ALEXNET = Network((3, 224, 224), 1000, [
    _convolution("conv1", 3, 64, 11, 4, 2), _pool(3, 2), _convolution("conv2", 64, 192, 5, padding=2), _pool(3, 2),
    _convolution("conv3", 192, 384, 3, padding=1), _convolution("conv4", 384, 256, 3, padding=1),
    _convolution("conv5", 256, 256, 3, padding=1), _pool(3, 2), Layer("flatten"), Layer("dropout", rate=0.5),
    _dense("fc6", 9216, 4096), Layer("dropout", rate=0.5), _dense("fc7", 4096, 4096),
    _dense("fc8", 4096, 1000, activation=False)], 0.001, 5e-4)

NETWORKS = {"lenet5": LENET5, "alexnet": ALEXNET}


def _shape(layer):
    if layer.kind == "convolution":
        return (layer.outputs, layer.inputs, layer.kernel, layer.kernel)
    return (layer.outputs, layer.inputs)


def parameter_sizes(network):
    """Elements of each parameter, in the order of first_parameters()."""
    trained = [layer for layer in network.layers if layer.kind in ("convolution", "dense")]
    return [size for layer in trained for size in (math.prod(_shape(layer)), layer.outputs)]


def first_parameters(network, seed):
    """[(name, array)] in the order of the layers: weights uniform as He et al. 2015 (arXiv 1502.01852), biases 0. The same in
    every framework: convolutions are [outputs, inputs, rows, columns], dense layers [outputs, inputs]."""
    generator = np.random.RandomState(seed)  # NumPy keeps its numbers from version to version
    parameters = []
    for layer in network.layers:
        if layer.kind not in ("convolution", "dense"):
            continue
        shape = _shape(layer)
        bound = math.sqrt(6 / math.prod(shape[1:]))
        parameters.append((layer.name + ".weight", generator.uniform(-bound, bound, shape).astype(np.float32)))
        parameters.append((layer.name + ".bias", np.zeros(layer.outputs, np.float32)))
    return parameters


def traffic_of(network, workers, steps):
    """(bytes, messages) in and out of a server that has the whole network."""
    sizes = parameter_sizes(network)
    times = WAYS * workers * steps
    return BYTES_OF_FP32 * sum(sizes) * times, len(sizes) * times
