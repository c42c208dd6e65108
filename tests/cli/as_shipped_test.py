#!/usr/bin/env python3
"""Points of `validate --split as-shipped`, drawn, are asked again by `predict --json` in a process of their own.

The number and both ends must agree in all digits: what is validated is what ships.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

DRAWN = 50


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def answered(program, data):
    points = run(program, "validate", "--data", data, "--quiet", "--json", "--split", "as-shipped")["points"]
    return [point for point in points if "ddlsim" in point["methods"]]


def main():
    program, data = sys.argv[1:3]
    drawn = random.Random(1).sample(answered(program, data), DRAWN)
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
    assert len(clusters) >= 8, f"drawn from {sorted(clusters)} only"
    assert not different, "\n".join(different)
    print(f"{DRAWN} points of {len(clusters)} clusters: validate and predict agree in all digits")


if __name__ == "__main__":
    main()
