"""What is learnt from, and judged on: drawn digits, a folder with MNIST's files, or one random batch. And pictures for loaders: drawn
digits as large, and as hard to compress, as ImageNet's photographs."""
import io
import pathlib

import numpy as np

from common.digits import TEST_SEED, draw_digits
from common.failure import Failure
from common.random_bits import BatchOrder

SYNTHETIC_STEPS = 50  # of an epoch
IMAGE_MAGIC, LABEL_MAGIC = 0x803, 0x801
MOST_CLASSES = 10

ROWS, COLUMNS = 375, 500  # the mean ImageNet picture is about 500 x 400
GRAIN = 26                # of 255: JPEG of quality 90 then has some 110 kB, as ImageNet's mean (scenarios/inputs.json)
QUALITY = 90
DRAWN_AT_ONCE = 100


def _read_idx(file, magic):
    try:
        content = file.read_bytes()
    except OSError as error:
        raise Failure(f"{file}: cannot be read ({error.strerror}); an uncompressed IDX file is expected, as MNIST's")
    dimensions = magic & 0xFF
    header = 4 * (dimensions + 1)
    if content[:2] == b"\x1f\x8b":
        raise Failure(f"{file}: is compressed; unpack it with gunzip")
    if len(content) < header or int.from_bytes(content[:4], "big") != magic:
        raise Failure(f"{file}: starts with {content[:4].hex()}, expected {magic:08x} and {dimensions} sizes")
    shape = [int.from_bytes(content[4 * i:4 * i + 4], "big") for i in range(1, dimensions + 1)]
    expected = header + int(np.prod(shape, dtype=object))
    if len(content) != expected or 0 in shape:
        raise Failure(f"{file}: {len(content)} bytes found, its header says {expected}")
    return np.frombuffer(content, np.uint8, offset=header).reshape(shape)


def _read_pair(folder, name):
    images = _read_idx(folder / f"{name}-images-idx3-ubyte", IMAGE_MAGIC)
    labels_file = folder / f"{name}-labels-idx1-ubyte"
    labels = _read_idx(labels_file, LABEL_MAGIC)
    if len(images) != len(labels):
        raise Failure(f"{labels_file}: {len(labels)} labels for {len(images)} images")
    if labels.max() >= MOST_CLASSES:
        raise Failure(f"{labels_file}: label {labels.max()} found, expected 0 to {MOST_CLASSES - 1}")
    return (images[:, None].astype(np.float32) / np.float32(255), labels.astype(np.int64))


class SyntheticSource:
    """One random batch, seen again and again, as benchmarks with synthetic data do."""

    test = None

    def __init__(self, options, network, worker):
        generator = np.random.RandomState(options.seed + 1 + worker)
        self._images = generator.uniform(size=(options.batch, *network.image)).astype(np.float32)
        self._labels = generator.randint(network.classes, size=options.batch)

    def steps_per_epoch(self):
        return SYNTHETIC_STEPS

    def samples(self):
        """All that any worker may learn from."""
        return self._images, self._labels

    def batch(self, step):
        return self._images, self._labels


class ImageSource:
    """A worker's share of real images. test: (images, labels) to judge on."""

    def __init__(self, train, test, order, worker):
        self._train, self.test, self._order, self._worker = train, test, order, worker

    def steps_per_epoch(self):
        return self._order.steps_per_epoch()

    def samples(self):
        """All that any worker may learn from."""
        return self._train

    def batch(self, step):
        chosen = self._order.batch(step, self._worker)
        return self._train[0][chosen], self._train[1][chosen]


def sample_source(options, network, worker, workers):
    """What worker `worker` of `workers` learns from; images are [n, channels, rows, columns], labels [n]."""
    if options.data == "synthetic":
        return SyntheticSource(options, network, worker)
    if options.data == "digits":
        train, test = draw_digits(options.train_samples, options.seed), draw_digits(options.test_samples, TEST_SEED)
    else:
        train, test = (_read_pair(pathlib.Path(options.data), name) for name in ("train", "t10k"))
    if train[0].shape[1:] != network.image:
        found = "x".join(map(str, train[0].shape[1:]))
        wanted = "x".join(map(str, network.image))
        raise Failure(f"{options.model} takes image {wanted}, and --data {options.data} has image {found}; use --data synthetic", 2)
    order = BatchOrder(len(train[1]), options.batch, workers, options.seed)
    if order.steps_per_epoch() == 0:
        raise Failure(f"{workers} workers of batch {options.batch} need more than the {len(train[1])} training samples", 2)
    return ImageSource(train, test, order, worker)


def pictures(count, seed):
    """Yields (picture [ROWS, COLUMNS, 3] uint8, digit)."""
    generator = np.random.RandomState(seed)
    grain = generator.normal(0, GRAIN, (ROWS, COLUMNS, 3)).astype(np.float32)
    for first in range(0, count, DRAWN_AT_ONCE):
        images, digits = draw_digits(min(DRAWN_AT_ONCE, count - first), seed + first)
        for image, digit in zip(images[:, 0], digits):
            large = image[np.arange(ROWS) * image.shape[0] // ROWS][:, np.arange(COLUMNS) * image.shape[1] // COLUMNS]
            colour = generator.uniform(60, 200, 3).astype(np.float32)
            shifted = np.roll(grain, tuple(generator.randint(0, ROWS, 2)), (0, 1))  # another grain, without drawing it anew
            yield np.clip(large[..., None] * colour + 30 + shifted, 0, 255).astype(np.uint8), int(digit)


def pillow_jpeg(picture):
    """Its bytes as JPEG, by Pillow."""
    from PIL import Image
    content = io.BytesIO()
    Image.fromarray(picture).save(content, "JPEG", quality=QUALITY)
    return content.getvalue()
