"""TensorFlow: tf.data reading JPEG files, or the same pictures in TFRecord, with so many parallel calls. It trains nothing.

Files may come from an HTTP server: tf.data has no reader for one, so that each parallel call asks Python's."""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.failure import Failure, end_on_failure  # noqa: E402
from common.job import this_job  # noqa: E402
from common.loading import InputRecords, Objects, encoded, forget, measure, read_options, serve, write_files  # noqa: E402
from common.images import QUALITY  # noqa: E402

NAME = "tensorflow-loader"
SHARDS = 4  # TFRecord files
SIDE = 224
MEANS, DEVIATIONS = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def augment(tf, jpeg):
    """Decode what a random crop needs of it, resize, flip, normalise."""
    box = tf.zeros([1, 0, 4])
    begin, size, _ = tf.image.sample_distorted_bounding_box(tf.io.extract_jpeg_shape(jpeg), box, area_range=(0.08, 1),
                                                            aspect_ratio_range=(3 / 4, 4 / 3), use_image_if_no_bounding_boxes=True)
    window = tf.stack([begin[0], begin[1], size[0], size[1]])
    picture = tf.image.resize(tf.io.decode_and_crop_jpeg(jpeg, window, channels=3), (SIDE, SIDE))
    return (tf.image.random_flip_left_right(picture) / 255 - MEANS) / DEVIATIONS


def pack(tf, folder, packed):
    """The files once more, as TFRecord."""
    files = sorted(pathlib.Path(folder).rglob("*.jpg"), key=lambda file: int(file.stem))
    for shard in range(SHARDS):
        with tf.io.TFRecordWriter(str(pathlib.Path(packed, f"{shard}.tfrecord"))) as writer:
            for file in files[shard::SHARDS]:
                features = {"jpeg": tf.train.Feature(bytes_list=tf.train.BytesList(value=[file.read_bytes()])),
                            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(file.parent.name)]))}
                writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())


def batches(tf, options, folder, names, read, workers):
    """names, read: of the files, DIGIT/NUMBER.jpg at their end; folder: of TFRecord."""
    form = {"jpeg": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}

    def made_of(jpeg):
        return augment(tf, jpeg) if options.decode == "on" else jpeg

    def of_file(name, label):
        return made_of(read(name)), label

    def of_example(text):
        parsed = tf.io.parse_single_example(text, form)
        return made_of(parsed["jpeg"]), parsed["label"]

    if options.format == "files":
        data = tf.data.Dataset.from_tensor_slices((names, [int(name.split("/")[-2]) for name in names]))
        data = data.shuffle(len(names)).map(of_file, workers)
    else:
        data = tf.data.TFRecordDataset(sorted(str(file) for file in pathlib.Path(folder).glob("*.tfrecord")))
        data = data.shuffle(8 * options.batch).map(of_example, workers)
    limits = tf.data.Options()
    limits.threading.private_threadpool_size = workers
    limits.autotune.enabled = False
    return data.batch(options.batch).prefetch(1).with_options(limits)


def from_disk(tf, options, records, encode):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, tempfile.TemporaryDirectory(dir=options.folder) as packed:
        sizes = write_files(options, folder, encode)
        names = sorted(str(file) for file in pathlib.Path(folder).rglob("*.jpg"))
        if options.format == "tfrecord":
            pack(tf, folder, packed)
            folder = packed
        measure(options, records, lambda: forget(folder), sizes,
                lambda workers: batches(tf, options, folder, names, tf.io.read_file, workers), batch_a_worker=False)


def from_server(tf, options, records, place):
    objects = Objects(place)
    sizes = objects.sizes()
    records.storage([objects.bytes_per_s(sizes) for _ in range(options.repeats)], sizes)
    objects.close()

    def read(name):
        content = tf.numpy_function(lambda text: objects.read(text.decode()), [name], tf.string)
        content.set_shape([])
        return content

    measure(options, records, lambda: None, list(sizes.values()),
            lambda workers: batches(tf, options, "", sorted(sizes), read, workers), batch_a_worker=False)


def main():
    options = read_options(NAME, ["files", "tfrecord"], sys.argv[1:], storages=["disk", "http"])
    if options.storage == "http" and options.format != "files":
        raise Failure("--storage http serves a picture an object: use --format files", 2)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import tensorflow as tf
    tf.random.set_seed(options.seed)

    def encode(picture):
        return tf.io.encode_jpeg(picture, quality=QUALITY).numpy()

    job = this_job(servers=options.servers)
    if not job.is_worker:
        return serve(job.addresses[job.rank], job.ports[job.rank][1], dict(encoded(options, encode)))
    records = InputRecords(options, NAME, f"TensorFlow {tf.__version__}")
    if options.storage == "http":
        return from_server(tf, options, records, job.place(job.workers, 1))
    return from_disk(tf, options, records, encode)


if __name__ == "__main__":
    end_on_failure(NAME, main)
