#!/usr/bin/env python3
"""Does each module include only what is below it? usage: layers.py ROOT

A module is a folder of sources. The table says which modules it may include beside itself, and PARTS which single headers of
others; OUTSIDE says who may use which library. Tests may include everything, and nothing but tests includes tests.
"""
import pathlib
import re
import sys

SIM = ["sim/base", "sim/formats", "sim/network", "sim/compute", "sim/collective", "sim/library", "sim/parameter_server",
       "sim/neighbours", "sim/simgrid", "sim/iteration",
       "sim/predict"]  # sim/export stands on them, and only cli on sim/export

MODULES = {
    "sim/base": [],
    "sim/formats": ["sim/base"],
    "sim/network": ["sim/base", "sim/formats"],
    "sim/compute": ["sim/base", "sim/formats"],
    "sim/collective": ["sim/base", "sim/formats", "sim/network"],
    "sim/library": ["sim/base", "sim/formats", "sim/network", "sim/collective"],
    "sim/parameter_server": ["sim/base", "sim/formats", "sim/network"],
    "sim/neighbours": ["sim/base", "sim/formats", "sim/network"],
    "sim/simgrid": ["sim/base", "sim/formats", "sim/network", "sim/collective", "sim/parameter_server", "sim/neighbours"],
    "sim/iteration": SIM[:9],
    "sim/predict": SIM[:10],
    "sim/export": SIM,
    "import": ["sim/base", "sim/formats"],
    "own": ["sim/base", "sim/formats", "import"],
    "calibrate/data": SIM,
    "calibrate/fit": SIM + ["calibrate/data"],
    "calibrate/cache": SIM + ["calibrate/data", "calibrate/fit"],
    "calibrate/priors": SIM + ["calibrate/data", "calibrate/fit"],
    "validate": SIM + ["calibrate/data", "calibrate/fit"],
    "validate/methods": SIM + ["calibrate/data", "calibrate/fit", "validate"],
    "validate/collectives": SIM + ["calibrate/data", "calibrate/fit", "validate", "validate/methods"],
    "validate/ratios": SIM + ["calibrate/data", "calibrate/fit", "validate", "validate/methods"],
    "validate/ablation": SIM + ["calibrate/priors", "validate", "validate/methods"],
    "validate/blind": SIM + ["calibrate/data", "validate", "validate/methods", "validate/collectives"],
    "plan": SIM,
    "diagnose": SIM,
    "viewer": ["sim/base"],
    "viewer/answers": SIM + ["viewer", "calibrate/data", "calibrate/fit", "validate", "plan", "diagnose"],
    "platforms/tools": SIM + ["calibrate/data", "calibrate/fit"],
    "trainer": ["sim/base", "sim/formats"],
    "cli": SIM + ["sim/export", "viewer", "viewer/answers", "import", "own", "calibrate/data", "calibrate/fit", "calibrate/cache",
            "calibrate/priors", "validate", "validate/methods", "validate/collectives", "validate/ratios", "validate/ablation", "validate/blind",
            "plan", "diagnose"],
}

# Rules that trainer and simulator share, beside those of sim/formats: what a layer costs, where a tensor goes.
PARTS = {"trainer": ["sim/compute/layer_times.hpp", "sim/parameter_server/placement.hpp"]}

OUTSIDE = {
    r"simgrid/|xbt/": ["sim/simgrid"],
    r"CLI/": ["cli", "platforms/tools", "trainer"],
    r"torch/|ATen/|c10/|nccl\.h|cuda": ["trainer"],
    r"mpi\.h": ["trainer"],
    r"zlib\.h|zstd\.h": ["import"],
    r"catch2/|benchmark/": [],
}


def module_of(path):
    """The longest module that the path lies in; "" for none."""
    return max((module for module in MODULES if path.startswith(module + "/")), key=len, default="")


def complaints(source, module, text):
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not found:
            continue
        quoted, name = found[1] == '"', found[2]
        if quoted and name not in PARTS.get(module, []) and module_of(name) not in [module] + MODULES[module]:
            yield f"{source}:{number}: {module} may not include {name}"
        for library, users in OUTSIDE.items():
            if not quoted and re.match(library, name) and module not in users:
                yield f"{source}:{number}: {module} may not use {name}"


def main(root):
    found = []
    count = 0
    for folder in sorted({module.split("/")[0] for module in MODULES}):
        for source in sorted((root / folder).rglob("*.[ch]pp")):
            name = source.relative_to(root).as_posix()
            if module_of(name) == "":
                found.append(f"{name}: lies in no module of tests/layers.py")
                continue
            count += 1
            found += complaints(name, module_of(name), source.read_text())
    print("\n".join(found) if found else f"layers: {count} files include what they may", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
