"""PyTorch: DataLoader reading JPEG files with torchvision, a process a worker. It trains nothing."""
import io
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.failure import end_on_failure  # noqa: E402
from common.job import this_job  # noqa: E402
from common.loading import InputRecords, Objects, encoded, forget, measure, read_options, serve, write_files  # noqa: E402
from common.images import pillow_jpeg  # noqa: E402

NAME = "pytorch-loader"


def augment():
    """What pytorch/examples' imagenet does with a picture."""
    from torchvision import transforms
    normalise = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    return transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor(), normalise])


class Samples:
    """Named DIGIT/NUMBER.jpg, for DataLoader. read: a name's bytes; what: made of a picture, none hands the bytes on."""

    def __init__(self, names, read, what):
        self._names, self._read, self._what = names, read, what

    def __len__(self):
        return len(self._names)

    def __getitem__(self, index):
        from PIL import Image
        name = self._names[index]
        content = self._read(name)
        return self._what(Image.open(io.BytesIO(content)).convert("RGB")) if self._what else content, int(name.split("/")[0])


def from_disk(options, records, load):
    from torchvision import datasets
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        sizes = write_files(options, folder, pillow_jpeg)
        if options.decode == "on":
            samples = datasets.ImageFolder(folder, augment())
        else:
            names = sorted(str(file.relative_to(folder)) for file in pathlib.Path(folder).rglob("*.jpg"))
            samples = Samples(names, lambda name: pathlib.Path(folder, name).read_bytes(), None)
        measure(options, records, lambda: forget(folder), sizes, lambda workers: load(samples, workers), batch_a_worker=True)


def from_server(options, records, load, place):
    objects = Objects(place)
    sizes = objects.sizes()
    records.storage([objects.bytes_per_s(sizes) for _ in range(options.repeats)], sizes)
    objects.close()  # so that each worker makes its own
    samples = Samples(sorted(sizes), objects.read, augment() if options.decode == "on" else None)
    measure(options, records, lambda: None, list(sizes.values()), lambda workers: load(samples, workers), batch_a_worker=True)


def main():
    options = read_options(NAME, ["files"], sys.argv[1:], storages=["disk", "http"])
    job = this_job(servers=options.servers)
    if not job.is_worker:
        return serve(job.addresses[job.rank], job.ports[job.rank][1], dict(encoded(options, pillow_jpeg)))
    os.environ["OMP_NUM_THREADS"] = "1"  # of a worker; DataLoader's own setting too
    import torch
    import torchvision
    torch.manual_seed(options.seed)
    records = InputRecords(options, NAME, f"PyTorch {torch.__version__}, torchvision {torchvision.__version__}")

    def load(samples, workers):
        return torch.utils.data.DataLoader(samples, options.batch, shuffle=True, num_workers=workers)

    if options.storage == "http":
        return from_server(options, records, load, job.place(job.workers, 1))
    return from_disk(options, records, load)


if __name__ == "__main__":
    end_on_failure(NAME, main)
