"""`convert.py --check` over the published tables, where they are at hand. Exit status 77: skipped."""

import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
CONVERT = Path(__file__).resolve().parents[2] / "platforms" / "convert" / "convert.py"


def main():
    folder = os.environ.get("DDLSIM_PUBLISHED")
    if not folder:
        print("skipped: DDLSIM_PUBLISHED is not set: the published source tables are not at hand")
        return SKIPPED
    return subprocess.run([sys.executable, "-B", str(CONVERT), folder, "--check"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
