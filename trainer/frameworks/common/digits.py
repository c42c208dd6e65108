"""The digits that ddltrain draws (trainer/data/labelled_images.cpp), pixel by pixel the same."""
import math

import numpy as np

from common.random_bits import shares, words_of

SIDE = 28
TEST_SEED = 0x7E57  # the test set is the same whatever the seed
HAND = 6            # random figures of one image's hand, after its digit; then two a pixel for the noise
WORDS_AN_IMAGE = 1 + HAND + 2 * SIDE * SIDE
CHUNK = 256         # images drawn at once: what fits the cache

# One stroke a digit, in a box one wide and one high, y downwards.
FONT = [
    [(.5, .02), (.2, .15), (.1, .5), (.2, .85), (.5, .98), (.8, .85), (.9, .5), (.8, .15), (.5, .02)],
    [(.25, .25), (.55, .03), (.55, .97)],
    [(.12, .28), (.3, .06), (.68, .06), (.85, .28), (.75, .5), (.12, .96), (.9, .96)],
    [(.12, .06), (.82, .06), (.42, .42), (.75, .5), (.86, .72), (.66, .94), (.35, .97), (.1, .85)],
    [(.68, .97), (.68, .03), (.08, .66), (.92, .66)],
    [(.85, .04), (.22, .04), (.17, .45), (.6, .4), (.86, .62), (.74, .9), (.4, .98), (.12, .88)],
    [(.75, .05), (.35, .28), (.13, .65), (.27, .93), (.65, .96), (.86, .74), (.7, .53), (.35, .53), (.16, .7)],
    [(.08, .05), (.9, .05), (.4, .97)],
    [(.5, .47), (.2, .3), (.3, .06), (.7, .06), (.8, .3), (.5, .47), (.14, .72), (.3, .96), (.7, .96), (.86, .72),
     (.5, .47)],
    [(.84, .3), (.65, .47), (.3, .47), (.14, .26), (.35, .04), (.73, .07), (.87, .35), (.65, .72), (.25, .95)],
]


def _between(low, high, share):
    return low + (high - low) * share


def _hands(share):
    """Where each digit's box comes to lie, and the pen: [n, HAND] in [0, 1) to columns."""
    height = _between(13, 21, share[:, 0])
    width = height * _between(0.5, 0.85, share[:, 1])
    angle = _between(-0.3, 0.3, share[:, 2])
    x, y = (SIDE / 2 + _between(-3.5, 3.5, share[:, i]) for i in (3, 4))
    cosine = np.array([math.cos(a) for a in angle])  # the C library's, as ddltrain's
    sine = np.array([math.sin(a) for a in angle])
    return width, height, cosine, sine, x, y, _between(0.6, 1.4, share[:, 5])


def _placed(point, hand):
    width, height, cosine, sine, centre_x, centre_y, _ = hand
    x, y = (point[0] - 0.5) * width, (point[1] - 0.5) * height
    return (centre_x + cosine * x - sine * y)[:, None], (centre_y + sine * x + cosine * y)[:, None]


def _distance(x, y, start, end):
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = ((x - start[0]) * dx + (y - start[1]) * dy) / (dx * dx + dy * dy)
    share = np.clip(along, 0.0, 1.0)
    return np.hypot(x - start[0] - share * dx, y - start[1] - share * dy)


def _ink(stroke, hand):
    """[n, SIDE * SIDE], float32: the ink of one digit drawn by each hand."""
    y, x = (axis.reshape(1, -1).astype(np.float64) for axis in np.mgrid[0:SIDE, 0:SIDE])
    image = np.zeros((len(hand[0]), SIDE * SIDE), np.float32)
    for start, end in zip(stroke, stroke[1:]):
        away = _distance(x, y, _placed(start, hand), _placed(end, hand))
        image = np.maximum(image, np.clip(hand[-1][:, None] + 0.5 - away, 0.0, 1.0).astype(np.float32))
    return image


def _noise(share):
    """Of +-0.4 at most, triangular: the sum of two uniform ones."""
    both = _between(-1, 1, share).reshape(len(share), -1, 2)
    return (0.2 * (both[:, :, 0] + both[:, :, 1])).astype(np.float32)


def _drawn(words):
    digits = (words[:, 0] % np.uint64(10)).astype(np.int64)
    share = shares(words[:, 1:])
    images = np.empty((len(words), SIDE * SIDE), np.float32)
    for digit, stroke in enumerate(FONT):
        own = np.flatnonzero(digits == digit)
        images[own] = _ink(stroke, _hands(share[own, :HAND]))
    images = np.clip(images + _noise(share[:, HAND:]), np.float32(0), np.float32(1))
    return images, digits


def draw_digits(count, seed):
    """(images [count, 1, SIDE, SIDE] float32 from 0 (paper) to 1 (ink), digits [count] int64)"""
    words = words_of(seed, count * WORDS_AN_IMAGE).reshape(count, WORDS_AN_IMAGE)
    parts = [_drawn(words[first:first + CHUNK]) for first in range(0, count, CHUNK)]
    images, digits = (np.concatenate(column) for column in zip(*parts))
    return images.reshape(count, 1, SIDE, SIDE), digits
