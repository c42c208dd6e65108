"""The replay for TensorFlow: operations of the graph that wait, in place of the network's.

Waits are TensorFlow's own operations (a data set that sleeps, read in the graph), not Python: they hold no thread of the executor and no
lock, and run wherever the graph is placed, in another process too. A step's forward pass begins when all parameters have come; what goes
from layer to layer is the time at which the layer is done, so that a late wake-up does not delay later layers."""
import tensorflow as tf

MICROSECONDS = 1e6


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


def _layer(layer, time_scale, done_s, parameters):
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
def _loss(done_s):
    """0; the backward pass begins when the forward pass is done."""
    return 0 * tf.cast(done_s, tf.float32), lambda _: tf.identity(done_s)


def loss_of(network, replay, parameters):
    """One number whose gradients by the parameters, in their order, become ready when the replay says."""
    values = [tf.identity(one) for one in parameters]  # here: a server's variable is read there, and comes after that
    pairs = zip(values[0::2], values[1::2])  # weight, bias
    of_layer = {layer.name: next(pairs) for layer in network.layers if layer.name}
    with tf.control_dependencies(values):
        done_s = tf.timestamp()
    for layer in replay.layers:
        done_s = _layer(layer, replay.time_scale, done_s, of_layer.get(layer.name, []))
    return _loss(done_s)
