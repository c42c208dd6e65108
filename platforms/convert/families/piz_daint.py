"""The CSCS report's runs on Piz Daint: TensorFlow's parameter servers on P100, one GPU a node, Aries network."""

from families.tensorflow import add_point
from gpus import catalogue_name
from sink import context

SOURCES = ("bugliarello-piz-daint-p100.json",)


def convert(source, sink):
    document = source.document
    file = sink.open(source, "piz-daint", context(
        source, catalogue_name("P100-PCIe-16GB"), f"{document['cluster']['gpu']}; {document['cluster']['network']}",
        document["framework"], "2017-09", "E. Bugliarello, CSCS"))
    for s, one in enumerate(document["sets"]):
        for p, point in enumerate(one["points"]):
            add_point(file, f"/sets/{s}/points/{p}/images_per_sec", one, point, document["cluster"]["gpus_per_node"])
