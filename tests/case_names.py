"""No name of a test case has a semicolon: CMake takes the name as a list, and ctest then runs no case of that name."""

import pathlib
import re
import sys

CASE = re.compile(r'\b(?:TEMPLATE_)?TEST_CASE(?:_METHOD)?\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')


def main(root):
    found = [f"{file.relative_to(root)}: {name.strip()}" for file in sorted((root / "tests").rglob("*.cpp"))
             for name in CASE.findall(file.read_text()) if ";" in name]
    if found:
        print("names of test cases with a semicolon, of which ctest runs nothing:", *found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
