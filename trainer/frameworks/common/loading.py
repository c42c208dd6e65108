"""What scripts of loaders share: their options, pictures that no cache holds, timed passes, records of kind `input`; and pictures behind
HTTP, as an object store has them: a server that keeps them in memory, and what reads them."""
import argparse
import http.client
import http.server
import json
import os
import pathlib
import statistics
import tempfile
import threading
import time

from common.failure import Failure
from common.images import pictures
from common.job import this_job
from common.processors import Disturbance, own_cpu_s
from common.records import RecordFile, add_record_options, context, rounded, settings_here

INDEX = "/"        # {name: bytes} of all objects
PATIENCE_S = 120   # until the server has drawn its pictures
RETRY_S = 0.2


def read_options(name, formats, words, storages=("disk",), worker_kinds=()):
    """worker_kinds: what a worker may be, where that can be chosen; the series' names say what is not the first."""
    parser = argparse.ArgumentParser(prog=name, allow_abbrev=False)
    parser.add_argument("--format", default=formats[0], choices=formats)
    parser.add_argument("--storage", default=storages[0], choices=storages, help="http: a rank more serves (--servers 1)")
    parser.add_argument("--link-rate", type=float, default=0, help="Mbit/s of the link to the server, for the records; 0: unknown")
    parser.add_argument("--servers", type=int, default=0)
    parser.add_argument("--decode", default="on", choices=["on", "off"], help="off: bytes are read and handed on")
    parser.add_argument("--workers", default="1,2", help="that read and decode, one count after another")
    parser.set_defaults(workers_are="")
    if worker_kinds:
        parser.add_argument("--workers-are", default=worker_kinds[0], choices=worker_kinds)
    parser.add_argument("--pictures", type=int, default=600, help="drawn, written and read")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=3, help="passes over the pictures")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk that is read")
    parser.add_argument("--seed", type=int, default=1)
    add_record_options(parser)
    options = parser.parse_args(words)
    options.other_workers = "" if options.workers_are in ("", *worker_kinds[:1]) else options.workers_are
    try:
        options.workers = [int(word) for word in options.workers.split(",")]
    except ValueError:
        raise Failure(f"--workers {options.workers}; whole numbers by commas are expected", 2)
    if min(*options.workers, options.batch, options.repeats, options.seed + 1) < 1:
        raise Failure("--workers, --batch and --repeats must be at least 1, and --seed 0", 2)
    if options.pictures < 4 * options.batch * max(options.workers):
        raise Failure(f"--pictures {options.pictures}; at least four batches a worker are needed", 2)
    if options.servers != (options.storage == "http") or this_job().ranks != 1 + options.servers:
        raise Failure("a loader is measured by one rank; --storage http needs one more that serves: --servers 1", 2)
    return options


def encoded(options, encode):
    """Yields (DIGIT/NUMBER.jpg, its bytes)."""
    for number, (picture, digit) in enumerate(pictures(options.pictures, options.seed)):
        yield f"{digit}/{number}.jpg", encode(picture)


def write_files(options, folder, encode):
    """A JPEG file a picture, in a folder for each digit; their sizes."""
    sizes = []
    for name, content in encoded(options, encode):
        file = pathlib.Path(folder, name)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        sizes.append(len(content))
    return sizes


def forget(folder):
    """The next reader has to ask the disk: the kernel's cache lets go of every file in the folder."""
    for file in pathlib.Path(folder).rglob("*.*"):
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def pass_rate(batches, made_before):
    """Pictures a second of one pass. The clock starts with the first batch, when so many pictures have been made."""
    begin, seen = None, -made_before
    for batch in batches:
        if begin is None:
            begin = time.perf_counter()
        seen += len(batch[1])
    return seen / (time.perf_counter() - begin)


class InputRecords:
    """Of the one rank."""

    def __init__(self, options, name, software):
        self.options, self.name, self.software = options, name, software
        self._host = {} if options.anonymous else {"host": this_job().hosts[0]}
        self._file = RecordFile(options.output)
        self._file.write(context(options, name, software, settings_here(), self._host))

    def storage(self, bytes_per_s, sizes):
        """What the server gives one connection, each time it was asked for all."""
        value = statistics.median(bytes_per_s)
        record = self._head("storage", len(bytes_per_s), statistics.pstdev(bytes_per_s) / value)
        record["note"] = (f"{len(sizes)} JPEG pictures of {statistics.mean(sizes.values()):.0f} bytes, one after another, "
                          f"{self._source()}")
        record.update(what="storage", value=rounded(value, 6), unit="B/s")
        self._file.write(record)
        print(f"{record['series']}: {value / 1e6:.2f} MB/s", flush=True)

    def rates(self, workers, rates, picture_bytes, disturbance):
        """Pictures a second of the passes."""
        options = self.options
        value = statistics.median(rates)
        note, suspect = disturbance
        counted = f"{workers} worker" + ("s" if workers > 1 else "") + (f" ({options.workers_are})" if options.workers_are else "")
        record = self._head(f"w{workers}", len(rates), statistics.pstdev(rates) / value)
        if suspect:
            record["suspect"] = True
        made = "decoded, cropped at random to 224 x 224, flipped, normalised" if options.decode == "on" else "not decoded"
        record["note"] = (f"{counted}, {options.pictures} JPEG pictures of {picture_bytes:.0f} bytes, "
                          f"{self._source()}, {made}; passes of "
                          f"{', '.join(f'{rate:.1f}' for rate in rates)} samples/s; {note}")
        record.update(what="loader", value=rounded(value, 6), unit="samples/s")
        self._file.write(record)
        print(f"{record['series']}: {value:.1f} samples/s, spread {100 * record['relative_spread']:.1f} %", flush=True)

    def _source(self):
        if self.options.storage == "disk":
            return "not in the kernel's cache"
        rate = f" over a link of {self.options.link_rate:g} Mbit/s" if self.options.link_rate > 0 else ""
        return f"from an HTTP server's memory{rate}"

    def _head(self, last, repeats, spread):
        """last: of the series' name."""
        options = self.options
        rate = f"-{options.link_rate:g}m" if options.link_rate > 0 else ""
        storage = "" if options.storage == "disk" else f"-{options.storage}{rate}"
        decode = "" if options.decode == "on" or last == "storage" else "-undecoded"
        others = f"-{options.other_workers}" if options.other_workers and last != "storage" else ""
        return {"record": "input", "series": f"{self.name}-{options.format}{storage}{decode}{others}-{last}", "origin": "run",
                "device": "cpu", **self._host, "transport": "unknown", "library": "unknown", "software": self.software,
                "statistic": "median", "repeats": repeats, "relative_spread": rounded(spread, 6)}


def measure(options, records, before_pass, sizes, make_batches, batch_a_worker, after_pass=lambda batches: None):
    """make_batches(workers): what a pass iterates over, each element (pictures, labels). batch_a_worker: every worker makes a
    batch of its own; else all make one together. after_pass(batches) is not timed."""
    for workers in options.workers:
        rates, clock, cpu_s = [], Disturbance(), own_cpu_s(children=True)
        for _ in range(options.repeats):
            before_pass()
            batches = make_batches(workers)
            rates.append(pass_rate(batches, options.batch * (workers if batch_a_worker else 1)))
            after_pass(batches)
        records.rates(workers, rates, statistics.mean(sizes), clock.since(own_cpu_s(children=True) - cpu_s))


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"      # connections stay
    disable_nagle_algorithm = True     # an object's end must not wait for an acknowledgement
    wbufsize = -1                      # an answer's head and body leave together

    def do_GET(self):  # noqa: N802: http.server's name
        found = self.server.objects.get(self.path)
        self.send_response(200 if found is not None else 404)
        self.send_header("Content-Length", str(len(found or b"")))
        self.end_headers()
        self.wfile.write(found or b"")

    def log_message(self, *words):
        pass


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a reader that ends closes its connection


def serve(address, port, objects):
    """objects: name to bytes. Serves until the process is ended."""
    try:
        server = _Server((address, port), _Handler)
    except OSError as error:
        raise Failure(f"{address}:{port} cannot be served: {error.strerror}")
    index = {name: len(content) for name, content in objects.items()}
    server.objects = {INDEX: json.dumps(index).encode(), **{f"/{name}": content for name, content in objects.items()}}
    server.serve_forever()


class Objects:
    """Of a server, over one connection a thread, made when it is first needed."""

    def __init__(self, place):
        self._place, self._own = place, threading.local()

    def read(self, name):
        if getattr(self._own, "connection", None) is None:
            self._own.connection = http.client.HTTPConnection(self._place, timeout=PATIENCE_S)
        self._own.connection.request("GET", f"/{name}")
        answer = self._own.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise Failure(f"http://{self._place}/{name}: status {answer.status}")
        return content

    def sizes(self):
        """Name to bytes, once the server answers."""
        last = time.monotonic() + PATIENCE_S
        while True:
            try:
                return json.loads(self.read(""))
            except OSError as error:
                self.close()
                if time.monotonic() > last:
                    raise Failure(f"http://{self._place} does not answer: {error}")
                time.sleep(RETRY_S)

    def close(self):
        """This thread's connection."""
        if getattr(self._own, "connection", None) is not None:
            self._own.connection.close()
        self._own.connection = None

    def bytes_per_s(self, names):
        """Of all these objects, one after another over one connection."""
        begin = time.perf_counter()
        read = sum(len(self.read(name)) for name in names)
        return read / (time.perf_counter() - begin)
