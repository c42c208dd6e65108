#!/usr/bin/env python3
"""Points of `validate --split as-shipped`, drawn, are asked again by `predict --json` in a process of their own.

The number and both ends must agree in all digits: what is validated is what ships. With --whole the points are drawn from
all clusters, which validates every series; else from a few clusters of unlike kinds.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

DRAWN, DRAWN_OF_WHOLE = 16, 50
FEWEST_CLUSTERS_OF_WHOLE = 8
CLUSTERS = ("azure-nc24r-k80", "horovod-pascal", "hkbu-2020", "mosaic-h100-80gb")  # MPI, servers, NCCL, sharded


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def answered(program, data, *cluster):
    points = run(program, "validate", "--data", data, "--quiet", "--json", "--split", "as-shipped", *cluster)["points"]
    return [point for point in points if "ddlsim" in point["methods"]]


def drawn_points(program, data, whole):
    draw = random.Random(1)
    if whole:
        drawn = draw.sample(answered(program, data), DRAWN_OF_WHOLE)
        clusters = {point["cluster"] for point in drawn}
        assert len(clusters) >= FEWEST_CLUSTERS_OF_WHOLE, f"drawn from {sorted(clusters)} only"
        return drawn
    drawn = []
    for cluster in CLUSTERS:
        points = answered(program, data, "--cluster", cluster)
        assert points, cluster
        drawn += draw.sample(points, min(len(points), DRAWN // len(CLUSTERS)))
    return drawn


def main():
    program, data = sys.argv[1:3]
    drawn = drawn_points(program, data, "--whole" in sys.argv)
    clusters = {point["cluster"] for point in drawn}
    different = []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "question.json"
        for point in drawn:
            scored = point["methods"]["ddlsim"]
            file.write_text(json.dumps(scored["scenario"]))
            answer = run(program, "predict", str(file), "--data", data, "--quiet", "--json")["points"][0]
            asked = {"predicted_s": answer["iteration_s"], "low_s": answer["iteration_s_low"],
                     "high_s": answer["iteration_s_high"]}
            if any(asked[key] != scored[key] for key in asked):
                different.append(f"{point['series']} at {point['gpus']} GPUs: validated {scored}, predicted {asked}")
    assert not different, "\n".join(different)
    print(f"{len(drawn)} points of {len(clusters)} clusters: validate and predict agree in all digits")


if __name__ == "__main__":
    main()
