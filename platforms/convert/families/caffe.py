"""One GPU alone: Caffe's own page on Kepler cards."""

from gpus import catalogue_name
from names import BCAFFE
from records import forward_or_train
from sink import context

SOURCES = ("caffe-k20-k40-single-gpu.json",)
WORDS = {"K40c with cuDNN": "K40"}
UNLISTED = ("Titan (Kepler)", "GTX 770")


def gpu_of(words):
    return catalogue_name(WORDS.get(words, words.split(",")[0]))


def convert(source, sink):
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
