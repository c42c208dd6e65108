"""Pictures behind HTTP, as an object store has them: a server that keeps them in memory, and what reads them."""
import http.client
import http.server
import json
import threading
import time

from common.failure import Failure

INDEX = "/"        # {name: bytes} of all objects
PATIENCE_S = 120   # until the server has drawn its pictures
RETRY_S = 0.2


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
