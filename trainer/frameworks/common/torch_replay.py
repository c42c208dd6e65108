"""The replay for PyTorch: a model whose layers have the network's parameters and wait instead of computing.

It is an ordinary module: what is around it (DistributedDataParallel, an MPI all-reduce) sees gradients of the real sizes become
ready, one layer after another, while its own threads go on."""
import torch

from common.models import first_parameters


class _Wait(torch.autograd.Function):
    """One layer. The gradients are the same memory in every step, handed over without a copy."""

    @staticmethod
    def forward(context, value, replay, layer, gradients, *parameters):
        context.replay, context.layer, context.gradients = replay, layer, gradients
        replay.forward(layer)
        return value.clone()

    @staticmethod
    def backward(context, gradient):
        context.replay.backward(context.layer)
        return gradient, None, None, None, *(one.detach() for one in context.gradients)


class WaitingModel(torch.nn.Module):
    """Called with a batch it does not look at; returns one number whose backward pass is the replay's."""

    def __init__(self, network, seed, replay):
        super().__init__()
        self._replay, self._parameters_of, self._gradients_of = replay, {}, {}
        for name, value in first_parameters(network, seed):
            layer = name.split(".")[0]
            parameter = torch.nn.Parameter(torch.from_numpy(value))
            self.register_parameter(name.replace(".", "_"), parameter)
            self._parameters_of.setdefault(layer, []).append(parameter)
            self._gradients_of.setdefault(layer, []).append(torch.zeros_like(parameter))

    def forward(self, images):
        self._replay.begin()
        value = torch.zeros((), requires_grad=True)  # so that layers without parameters have a backward pass
        for i, layer in enumerate(self._replay.layers):
            parameters = self._parameters_of.get(layer.name, [])
            value = _Wait.apply(value, self._replay, i, self._gradients_of.get(layer.name, []), *parameters)
        return value
