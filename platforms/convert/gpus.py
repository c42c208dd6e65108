"""The device catalogue's name of a GPU that a source names in its own way."""

import json
import re
from pathlib import Path

CATALOGUE = Path(__file__).resolve().parent.parent / "gpus.json"

# Words of the sources that are no alias in the catalogue, even without makers' names and brackets.
WORDS = {"Tesla P100 (SXM2, DGX-1)": "P100-SXM2-16GB", "V100-SXM3-32GB 450W (DGX-2H)": "V100-SXM3-32GB-450W",
         "NVIDIA V100-SXM3-32GB (450W)": "V100-SXM3-32GB-450W", "V100 32GB": "V100-SXM3-32GB"}


def _known():
    names = {}
    for gpu in json.loads(CATALOGUE.read_text(encoding="utf-8"))["gpus"]:
        for name in (gpu["name"], *gpu["aliases"]):
            names[name.lower()] = gpu["name"]
    return names


KNOWN = _known()


def catalogue_name(words):
    """Raises LookupError for a GPU that the catalogue does not have."""
    plain = re.sub(r"\s*\(.*\)$|^(NVIDIA |Lambda Cloud )|\s+NVLink$", "", WORDS.get(words, words), flags=re.IGNORECASE)
    short = plain.lower().removeprefix("tesla ")
    name = KNOWN.get(plain.lower(), KNOWN.get(short))
    if name is None:
        raise LookupError(f"the GPU catalogue has no {words!r}")
    return name
