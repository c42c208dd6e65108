"""One GPU alone: Caffe's own page on Kepler cards, and a small CIFAR-10 network in six frameworks."""

from gpus import catalogue_name
from names import BCAFFE
from records import forward_or_train
from sink import context

CAFFE, CIFAR = "caffe-k20-k40-single-gpu.json", "salvaris-dl-frameworks-cifar10.json"
SOURCES = (CAFFE, CIFAR)
WORDS = {"K40c with cuDNN": "K40", "K80 (one die)": "K80", "P100": "P100-PCIe"}
UNLISTED = ("Titan (Kepler)", "GTX 770")


def convert(source, sink):
    {CAFFE: caffe, CIFAR: cifar}[source.name](source, sink)


def gpu_of(words):
    return catalogue_name(WORDS.get(words, words.split(",")[0]))


def caffe(source, sink):
    file = sink.open(source, "single-gpu", context(source, "", "K20, K40 and K40c: see each record's note",
                                                   source.document["framework"], "2014", "BVLC"))
    caffenet, googlenet = source.document["sets"][:2]
    for p, point in enumerate(caffenet["points"]):
        if point["gpu"] in UNLISTED:
            sink.leave_out(source, f"/sets/0/points/{p}/*", "the GPU catalogue has no such card")
        else:
            add_caffe(file, f"/sets/0/points/{p}/iter_ms", f"{caffenet['id']}-{slug(point['gpu'])}", "caffenet", 256,
                      point["gpu"], "train", "real")
    for mode, column in (("forward", "forward_ms"), ("train", "iter_ms")):
        add_caffe(file, f"/sets/1/points/0/{column}", f"{googlenet['id']}-{mode}", BCAFFE, 128,
                  googlenet["points"][0]["gpu"], mode, "synthetic", "no update of the weights; ")
    leave_out_caffe(source, sink)


def slug(words):
    return "-".join(words.lower().replace(",", "").split())


def add_caffe(file, pointer, series, model, batch, words, mode, data, caution=""):
    forward_or_train(file, pointer, series, model, "fp32", batch, "caffe", mode, gpu=gpu_of(words), unit="ms",
                     data=data, origin="text", note=f"{caution}{words}")


def leave_out_caffe(source, sink):
    sink.leave_out(source, "/sets/*/images_per_sec", "follows from iter_ms")
    sink.leave_out(source, "/sets/*/train_s_per_20_iter", "iter_ms is a twentieth of it")
    sink.leave_out(source, "/sets/*/test_*", "batch of the test not stated")
    sink.leave_out(source, "/sets/1/*/backward_ms", "what iter_ms has beside forward_ms")


def cifar(source, sink):
    file = sink.open(source, "single-gpu", context(source, "", source.document["cluster"]["gpu"],
                                                   "six frameworks: see each record's note", "2018-02", "M. Salvaris"))
    for s, one in enumerate(source.document["sets"]):
        if one["id"].startswith("cifar10-cnn"):
            add_cifar(file, s, one)
        elif one["id"].startswith("imdb"):
            sink.leave_out(source, f"/sets/{s}/*", "the time of three epochs: reviews differ in length, and no rate is "
                           "given")
        else:
            sink.leave_out(source, f"/sets/{s}/*", "batch not stated")
    sink.leave_out(source, "/sets/*/iter_ms", "follows from images_per_sec")
    sink.leave_out(source, "/sets/*/train_s_10_epochs", "images_per_sec is 500,000 images over it")


def add_cifar(file, index, one):
    for p, point in enumerate(one["points"]):
        name = point["framework"].split(" ")[0].lower()
        forward_or_train(file, f"/sets/{index}/points/{p}/images_per_sec", f"{one['id']}-{name}", "cifar10_cnn",
                         one["precision"], one["batch_per_gpu"], name, "train", gpu=gpu_of(one["gpu"]), data="real",
                         note=f"{point['framework']}; 500,000 images over the time of 10 epochs; work of the host "
                         "is a large part of so small a step")
