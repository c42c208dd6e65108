"""Keras: a Sequence of JPEG files read by OrderedEnqueuer, a process or a thread a worker, as fit(workers=N,
use_multiprocessing=...) reads it. It trains nothing.

These workers are Keras' own: ImageDataGenerator's iterators are Sequences that they read, while
image_dataset_from_directory is tf.data (tensorflow-loader)."""
import io
import itertools
import math
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.failure import Failure, end_on_failure  # noqa: E402
from common.job import this_job  # noqa: E402
from common.loading import InputRecords, Objects, encoded, forget, measure, read_options, serve, write_files  # noqa: E402
from common.images import pillow_jpeg  # noqa: E402

NAME = "tensorflow-keras-loader"
SIDE = 224
TRIES = 10  # for a box that lies inside


def crop_box(generator, columns, rows):
    """(left, top, right, bottom) of 8 to 100 % of the area, 3/4 to 4/3 as wide as high: torchvision's RandomResizedCrop."""
    for _ in range(TRIES):
        area = columns * rows * generator.uniform(0.08, 1)
        ratio = math.exp(generator.uniform(math.log(3 / 4), math.log(4 / 3)))
        width, height = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < width <= columns and 0 < height <= rows:
            left, top = generator.randint(0, columns - width + 1), generator.randint(0, rows - height + 1)
            return left, top, left + width, top + height
    return 0, 0, columns, rows


def augment(keras, content, generator):
    """Decode, crop at random, resize, flip."""
    from PIL import Image
    picture = keras.utils.load_img(io.BytesIO(content))
    picture = picture.resize((SIDE, SIDE), Image.BILINEAR, crop_box(generator, *picture.size))
    array = keras.utils.img_to_array(picture)
    return array[:, ::-1] if generator.randint(2) else array


def sequence(keras, options, names, read):
    """Of batches, in an order of its own. names: DIGIT/NUMBER.jpg at their end; read: a name's bytes."""
    order = np.random.RandomState(options.seed).permutation(names)

    class Batches(keras.utils.Sequence):
        def __len__(self):
            return math.ceil(len(order) / options.batch)

        def __getitem__(self, index):
            chosen = [str(name) for name in order[index * options.batch:(index + 1) * options.batch]]
            labels = np.array([int(name.split("/")[-2]) for name in chosen])
            contents = map(read, chosen)
            if options.decode == "off":
                return list(contents), labels
            generator = np.random.RandomState(options.seed + 1 + index)  # forked workers would all draw the same
            batch = np.stack([augment(keras, content, generator) for content in contents])
            return keras.applications.imagenet_utils.preprocess_input(batch, mode="torch"), labels

    return Batches()


class Pass:
    """Its batches, once; then the workers must be stopped, or they begin the next epoch."""

    def __init__(self, keras, options, names, read, workers):
        batches = sequence(keras, options, names, read)
        self._count = len(batches)
        self._enqueuer = keras.utils.OrderedEnqueuer(batches, use_multiprocessing=options.workers_are == "processes")
        self._enqueuer.start(workers)

    def __iter__(self):
        return itertools.islice(self._enqueuer.get(), self._count)

    def stop(self):
        self._enqueuer.stop()


def from_disk(keras, options, records):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        sizes = write_files(options, folder, pillow_jpeg)
        names = sorted(str(file) for file in pathlib.Path(folder).rglob("*.jpg"))
        measure(options, records, lambda: forget(folder), sizes,
                lambda workers: Pass(keras, options, names, lambda name: pathlib.Path(name).read_bytes(), workers),
                batch_a_worker=True, after_pass=Pass.stop)


def from_server(keras, options, records, place):
    objects = Objects(place)
    sizes = objects.sizes()
    records.storage([objects.bytes_per_s(sizes) for _ in range(options.repeats)], sizes)
    objects.close()  # so that each worker makes its own
    measure(options, records, lambda: None, list(sizes.values()),
            lambda workers: Pass(keras, options, sorted(sizes), objects.read, workers), batch_a_worker=True, after_pass=Pass.stop)


def main():
    options = read_options(NAME, ["files"], sys.argv[1:], storages=["disk", "http"], worker_kinds=["processes", "threads"])
    try:
        import PIL
    except ImportError:
        raise Failure("Keras decodes with Pillow, which this environment does not have; ./run frameworks tensorflow installs it")
    job = this_job(servers=options.servers)
    if not job.is_worker:
        return serve(job.addresses[job.rank], job.ports[job.rank][1], dict(encoded(options, pillow_jpeg)))
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import keras
    import tensorflow as tf
    records = InputRecords(options, NAME, f"Keras {keras.__version__}, TensorFlow {tf.__version__}, Pillow {PIL.__version__}")
    if options.storage == "http":
        return from_server(keras, options, records, job.place(job.workers, 1))
    return from_disk(keras, options, records)


if __name__ == "__main__":
    end_on_failure(NAME, main)
