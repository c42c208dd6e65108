"""The device catalogue's name of a GPU that a source names in its own way."""

import json
from pathlib import Path

CATALOGUE = Path(__file__).resolve().parent.parent / "gpus.json"

# Words of the sources that are no alias in the catalogue.
WORDS = {"Tesla P100 (SXM2, DGX-1)": "P100-SXM2-16GB", "Tesla K80 (one GK210 die)": "K80",
         "Tesla K80 (one GK210 die per GPU)": "K80"}


def _known():
    names = {}
    for gpu in json.loads(CATALOGUE.read_text(encoding="utf-8"))["gpus"]:
        for name in (gpu["name"], *gpu["aliases"]):
            names[name.lower()] = gpu["name"]
    return names


KNOWN = _known()


def catalogue_name(words):
    """Raises LookupError for a GPU that the catalogue does not have."""
    name = KNOWN.get(WORDS.get(words, words).lower())
    if name is None:
        raise LookupError(f"the GPU catalogue has no {words!r}")
    return name
