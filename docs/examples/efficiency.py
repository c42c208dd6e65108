"""Throughput over GPUs of each strategy with its 90 % interval, by matplotlib.

    python docs/examples/efficiency.py scenarios/iris-resnet50.json efficiency.png
"""

import sys

import ddlsim
import matplotlib

matplotlib.use("Agg")  # draws into a file
from matplotlib import pyplot

scenario, picture = sys.argv[1:]
figure, axes = pyplot.subplots(figsize=(8, 5))
for name, points in ddlsim.predict(scenario).to_pandas().groupby("strategy.name", sort=False):
    (line,) = axes.plot(points["gpus"], points["samples_per_s"], marker="o", label=name)
    axes.fill_between(points["gpus"], points["samples_per_s_low"], points["samples_per_s_high"], color=line.get_color(), alpha=0.2)
axes.set(xscale="log", yscale="log", xlabel="GPUs", ylabel="samples/s")
axes.legend()
figure.savefig(picture, dpi=120)
