"""The networks in TensorFlow's operations, for eager and for graph scripts. Images are [n, rows, columns, channels]."""
import numpy as np
import tensorflow as tf

from common.models import first_parameters

MICROSECONDS = 1e6


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
        return _waiting_loss_of(network, waits, parameters)
    value = scores(network, parameters, images, training=True)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=value))


# The replay for TensorFlow: operations of the graph that wait, in place of the network's.
# Waits are TensorFlow's own operations (a data set that sleeps, read in the graph), not Python: they hold no thread of the executor and no
# lock, and run wherever the graph is placed, in another process too. A step's forward pass begins when all parameters have come; what goes
# from layer to layer is the time at which the layer is done, so that a late wake-up does not delay later layers.


def _wait_until(time_s):
    """The same time, when it has come."""
    with tf.control_dependencies([time_s]):  # when the layer before is done
        left_s = time_s - tf.timestamp()
    left_us = tf.cast(tf.maximum(left_s * MICROSECONDS, 0), tf.int64)
    form = {"output_types": [tf.float64], "output_shapes": [tf.TensorShape([])]}
    once = tf.raw_ops.TensorDataset(components=[time_s], output_shapes=form["output_shapes"])
    slept = tf.raw_ops.SleepDataset(input_dataset=once, sleep_microseconds=left_us, **form)
    first = tf.raw_ops.TakeDataset(input_dataset=slept, count=1, **form)  # the end of the set is asked for, too, and would sleep again
    return tf.raw_ops.DatasetToSingleElement(dataset=first, **form)[0]


def _waiting_layer(layer, time_scale, done_s, parameters):
    """When the layer's forward pass is done. Its gradients are what its parameters are: of their size, and without a copy."""
    @tf.custom_gradient
    def waits(before_s, *values):
        here_s = _wait_until(before_s + time_scale * layer.forward_s)

        def gradient(later_s):
            ready_s = _wait_until(later_s + time_scale * layer.backward_s)
            with tf.control_dependencies([ready_s]):
                return (ready_s, *[tf.identity(value) for value in values])

        return here_s, gradient

    return waits(done_s, *parameters)


@tf.custom_gradient
def _waiting_loss(done_s):
    """0; the backward pass begins when the forward pass is done."""
    return 0 * tf.cast(done_s, tf.float32), lambda _: tf.identity(done_s)


def _waiting_loss_of(network, replay, parameters):
    """One number whose gradients by the parameters, in their order, become ready when the replay says."""
    values = [tf.identity(one) for one in parameters]  # here: a server's variable is read there, and comes after that
    pairs = zip(values[0::2], values[1::2])  # weight, bias
    of_layer = {layer.name: next(pairs) for layer in network.layers if layer.name}
    with tf.control_dependencies(values):
        done_s = tf.timestamp()
    for layer in replay.layers:
        done_s = _waiting_layer(layer, replay.time_scale, done_s, of_layer.get(layer.name, []))
    return _waiting_loss(done_s)
