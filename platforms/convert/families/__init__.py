"""One module a family of sources. Each has SOURCES, the files it reads, and convert(source, sink)."""
