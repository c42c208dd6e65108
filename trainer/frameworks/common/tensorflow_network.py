"""The networks in TensorFlow's operations, for eager and for graph scripts. Images are [n, rows, columns, channels]."""
import numpy as np
import tensorflow as tf

from common.models import first_parameters


def as_tensorflow(parameters):
    """First parameters in TensorFlow's order of dimensions."""
    turned = {4: (2, 3, 1, 0), 2: (1, 0), 1: (0,)}
    return [(name.replace(".", "_"), np.ascontiguousarray(value.transpose(turned[value.ndim]))) for name, value in parameters]


def starts(network, seed):
    return as_tensorflow(first_parameters(network, seed))


def channels_last(images):
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1))


def _layer(layer, here, parameters, training):
    if layer.kind == "convolution":
        edge = [layer.padding, layer.padding]
        here = tf.nn.conv2d(here, next(parameters), layer.stride, [[0, 0], edge, edge, [0, 0]])
        return tf.nn.bias_add(here, next(parameters))
    if layer.kind == "dense":
        return tf.linalg.matmul(here, next(parameters)) + next(parameters)
    if layer.kind == "pool":
        return tf.nn.max_pool2d(here, layer.kernel, layer.stride, "VALID")
    if layer.kind == "flatten":  # channel, row, column, as the parameters of the next layer expect
        return tf.reshape(tf.transpose(here, [0, 3, 1, 2]), [-1, int(np.prod(here.shape[1:]))])
    return tf.nn.dropout(here, layer.rate) if training else here


def scores(network, parameters, images, training):
    """[n, classes]"""
    here, parameters = images, iter(parameters)
    for layer in network.layers:
        here = _layer(layer, here, parameters, training)
        here = tf.nn.relu(here) if layer.activation else here
    return here


def loss_of(network, parameters, images, labels, waits=None):
    """The batch's mean; waits: the replay that stands for the network."""
    if waits is not None:
        from common import tensorflow_replay
        return tensorflow_replay.loss_of(network, waits, parameters)
    value = scores(network, parameters, images, training=True)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=value))
