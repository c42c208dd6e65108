"""Dell's papers on its own servers: four P100 in a C4130, and speed-ups without a base rate; the rest gives no batch,
or compares two machines."""

from gpus import catalogue_name
from names import BCAFFE, TF_CNN
from records import layout, speed_up, step
from sink import context
from strategies import plain, tf_local

P100, READY, SCALE_OUT = ("dell-p100-c4130-2016.json", "dell-ready-solutions-ai-v1-in-node.json",
                          "dell-scaleout-in-node.json")
SOURCES = (P100, READY, SCALE_OUT)
OTHER_MACHINE = ("a ratio of two machines, precisions or links whose rates are in charts only, and no batch is stated: "
                 "it is of no two scales of one run")

# NV-Caffe trains BVLC's GoogLeNet, with its auxiliary heads; MXNet's has none, and sees images of 256 here.
SETS = {"dell-p100-nvcaffe-googlenet": (BCAFFE, "nv-caffe", None),
        "dell-p100-mxnet-googlenet": ("googlenet_256", "mxnet", "kvstore type not stated")}

BY_CONVERTER = "assumed by this project's converter"
INCEPTION = {
    "precision": f"not stated; {BY_CONVERTER}: fp32, a P100 under TensorFlow of October 2016",
    "strategy": f"not stated; {BY_CONVERTER}: variables on the CPU, which sums what the GPUs send, as in "
                "tensorflow/models' multi-GPU Inception of that time",
    "preset": f"\"TensorFlow in one node\"; {BY_CONVERTER}: variables on the CPU are a server in the same node"}
RESNET = {
    "model": f"\"ResNet-50\"; {BY_CONVERTER}: that of tf_cnn_benchmarks",
    "precision": f"not stated; {BY_CONVERTER}: mixed, since 256 images of ResNet-50 in fp32 do not fit into 16 GB"}


def convert(source, sink):
    {P100: four_p100, READY: ready, SCALE_OUT: scale_out}[source.name](source, sink)


def four_p100(source, sink):
    document = source.document
    block = document["cluster"]
    machine = f"{block['node']}, {block['gpus_per_node']} x {block['gpu']}; {block['intra_node_link']}"
    parts = context(source, catalogue_name(block["gpu"]), machine, document["framework"], "2016-10",
                    "Dell EMC HPC Innovation Lab", path=document["source"]["page"])
    file = sink.open(source, "dell-c4130-p100", parts)
    for s, one in enumerate(document["sets"]):
        for p, point in enumerate(one["points"]):
            if one["id"] in SETS and point["gpus"] > 0:
                add_point(file, f"/sets/{s}/points/{p}/images_per_sec", one, point["gpus"])
    sink.leave_out(source, "/sets/0/points/0/*", "no GPU")
    sink.leave_out(source, "/sets/*_s", "the same run as images_per_sec, with its start")
    ratios = sink.open(source, "dell-c4130-p100", parts, folder="ratios")
    inception = document["sets"][2]
    speed_up(ratios, "/sets/2/points/0/speed_up", inception["id"], TF_CNN["inception_v3"], "fp32",
             inception["batch_per_gpu"], "tf-ps", tf_local("cpu"), layout(4, 4), 1, "B", origin="text",
             library="tensorflow", note="rounded to 0.1", assumed=INCEPTION)
    sink.leave_out(source, "/sets/3/*", "follows from two records")


def add_point(file, pointer, one, gpus):
    model, preset, caution = SETS[one["id"]]
    batch = one["batch_per_gpu"] if "global_batch" not in one else one["global_batch"] // gpus
    note = "; ".join(filter(None, ["fp32 presumed", caution]))
    step(file, pointer, one["id"], model, "fp32", batch, preset, plain("all-reduce"), layout(gpus, 4), data="real",
         origin="plot", note=note)


def ready(source, sink):
    sink.leave_out(source, "/sets/0/*", "batch not stated, and precision of two of three")
    sink.leave_out(source, "/sets/1/*", OTHER_MACHINE)


def scale_out(source, sink):
    block = source.document["cluster"]["c4140-m"]
    public = source.document["source"]
    file = sink.open(source, "dell-c4140-v100", context(
        source, catalogue_name("V100-SXM2-16GB"),
        f"Dell PowerEdge C4140-M, 4 x {block['gpu']}; {block['intra_node_link']}", source.document["framework"], "2019-02", "Dell EMC", path=public["page"]), folder="ratios")
    resnet = source.document["sets"][0]
    speed_up(file, "/sets/0/points/0/speed_up", resnet["id"], TF_CNN["resnet50"], "amp", resnet["batch_per_gpu"],
             "horovod", plain("all-reduce"), layout(4, 4), 1, "B", origin="text", library="nccl",
             note="rounded to 0.1", assumed=RESNET)
    sink.leave_out(source, "/sets/1/*", "the model is not stated")
