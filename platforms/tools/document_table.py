"""A table that a program writes into a document, between two marks."""

import sys


def put(document, begin, end, text):
    """Writes the text there with --write; else ends with a message where the document has another."""
    before, rest = document.read_text().split(begin)
    expected = before + begin + text + end + rest.split(end)[1]
    if "--write" in sys.argv:
        document.write_text(expected)
    elif document.read_text() != expected:
        sys.exit(f"{document} has other tables than the records and predictions of today give; write them anew with --write:\n{text}")
    print(text)
