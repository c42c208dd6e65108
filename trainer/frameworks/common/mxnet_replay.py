"""The replay for MXNet: a block whose layers have the network's parameters and wait instead of computing.

The kvstore sees gradients of the real sizes become ready, one layer after another. MXNet copies each into its place, which takes this
machine's memory and no time of the replay's."""
from mxnet import autograd, gluon, init, nd

from common.models import first_parameters


class _Wait(autograd.Function):
    """One layer."""

    def __init__(self, replay, layer, gradients):
        super().__init__()
        self._replay, self._layer, self._gradients = replay, layer, gradients

    def forward(self, value, *parameters):
        self._replay.forward(self._layer)
        return value.copy()

    def backward(self, gradient):
        self._replay.backward(self._layer)
        return (gradient, *self._gradients) if self._gradients else gradient


class WaitingBlock(gluon.Block):
    """Called with a batch it does not look at; returns one number whose backward pass is the replay's."""

    def __init__(self, network, seed, replay):
        super().__init__()
        self._replay, self._parameters_of, self._gradients_of = replay, {}, {}
        self._begin = nd.zeros((1,))
        self._begin.attach_grad()  # so that layers without parameters have a backward pass
        for name, value in first_parameters(network, seed):
            layer = name.split(".")[0]
            parameter = self.params.get(name.replace(".", "_"), shape=value.shape, init=init.Zero())
            parameter.initialize()
            parameter.set_data(nd.array(value))
            self._parameters_of.setdefault(layer, []).append(parameter)
            self._gradients_of.setdefault(layer, []).append(nd.zeros(value.shape))

    def forward(self, images):
        self._replay.begin()
        value = self._begin
        for i, layer in enumerate(self._replay.layers):
            parameters = [parameter.data() for parameter in self._parameters_of.get(layer.name, [])]
            value = _Wait(self._replay, i, self._gradients_of.get(layer.name, []))(value, *parameters)
        return value
