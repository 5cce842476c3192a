"""TLS before a server that has none: what a deployment's own server, or a proxy before it, does."""

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from tests.servers import unavailable
from workers.store.embedded import HOST

CHUNK = 1 << 16


def certificate(folder: Path, name: str = HOST) -> tuple[Path, Path]:
    """A self-made certificate for an address, and its key."""
    if shutil.which("openssl") is None:
        unavailable("there is no openssl to make a certificate with")
    made, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tocsin"]
    command += ["-addext", f"subjectAltName=IP:{name}", "-keyout", str(key), "-out", str(made)]
    subprocess.run(command, check=True, capture_output=True)
    return made, key


class Terminator:
    """Listens with TLS and carries what it gets to a port without."""

    def __init__(self, port: int, made: Path, key: Path) -> None:
        self._to = (HOST, port)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(made, key)
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        self.carried = 0
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []

    def __enter__(self) -> "Terminator":
        self._run(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _run(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            self._run(self._carry, plain)

    def _carry(self, plain: socket.socket) -> None:
        try:
            near = self._context.wrap_socket(plain, server_side=True)
        except (OSError, ssl.SSLError):
            plain.close()
            return
        far = socket.create_connection(self._to)
        self._open += [near, far]
        self.carried += 1
        self._run(self._pump, far, near)
        self._pump(near, far)

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
