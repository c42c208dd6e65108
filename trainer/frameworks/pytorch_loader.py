"""PyTorch: DataLoader reading JPEG files with torchvision, a process a worker. It trains nothing."""
import io
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common.failure import end_on_failure  # noqa: E402
from common.loading import InputRecords, measure, read_options, write_files  # noqa: E402
from common.pictures import QUALITY  # noqa: E402

NAME = "pytorch-loader"


def encode(picture):
    from PIL import Image
    text = io.BytesIO()
    Image.fromarray(picture).save(text, "JPEG", quality=QUALITY)
    return text.getvalue()


def samples(folder):
    """What pytorch/examples' imagenet does with a picture."""
    from torchvision import datasets, transforms
    normalise = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    steps = [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor(), normalise]
    return datasets.ImageFolder(folder, transforms.Compose(steps))


def main():
    options = read_options(NAME, ["files"], sys.argv[1:])
    os.environ["OMP_NUM_THREADS"] = "1"  # of a worker; DataLoader's own setting too
    import torch
    import torchvision
    torch.manual_seed(options.seed)
    records = InputRecords(options, NAME, f"PyTorch {torch.__version__}, torchvision {torchvision.__version__}")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        sizes = write_files(options, folder, encode)
        read = samples(folder)
        measure(options, records, folder, sizes,
                lambda workers: torch.utils.data.DataLoader(read, options.batch, shuffle=True, num_workers=workers),
                batch_a_worker=True)


if __name__ == "__main__":
    end_on_failure(NAME, main)
