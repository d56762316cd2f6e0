"""Sends requests over persistent connections."""

import http.client
import select
import socket
import ssl
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import SplitResult

from ._options import Stop, require_running
from .errors import WaybillError

Body: TypeAlias = bytes | Iterable[bytes | memoryview] | None

_MAX_IDLE_CONNECTIONS = 8
_PIECE_BYTES = 256 * 1024
# The time after which a call notices that it should stop.
_STOP_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class OutgoingRequest:
    method: str
    # Relative to the address of the API.
    path: str
    headers: Mapping[str, str]
    body: Body = None
    stop: Stop = None


class Response:
    """A response whose headers have arrived. Its body must be read to the end, or the response closed."""

    def __init__(self, transport: "Transport", connection: http.client.HTTPConnection, raw: http.client.HTTPResponse):
        self.status = raw.status
        self.headers = raw.headers
        self._transport = transport
        self._connection: http.client.HTTPConnection | None = connection
        self._raw = raw

    def read_pieces(self) -> Iterator[bytes]:
        """Yields the body piece by piece. Raises an error if it breaks off."""
        try:
            while piece := self._read_piece():
                yield piece
            if self._raw.length:  # http.client reports no early end
                raise lost_connection()
            if self._connection is not None and self._raw.isclosed() and not self._raw.will_close:
                self._transport.keep(self._connection)
                self._connection = None
        finally:
            self.close()

    def read(self, max_bytes: int) -> bytes | None:
        """Returns the whole body, or None if it is larger."""
        pieces: list[bytes] = []
        length = 0
        for piece in self.read_pieces():
            length += len(piece)
            if length > max_bytes:
                self.close()
                return None
            pieces.append(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Closes the connection unless it was kept."""
        if self._connection is not None:
            self._connection.close()
            self._raw.close()

    def _read_piece(self) -> bytes:
        try:
            return self._raw.read(_PIECE_BYTES)
        except (OSError, ValueError, http.client.HTTPException) as cause:
            raise lost_connection() from cause


class Transport:
    """Connections to one server, which any number of threads may share."""

    def __init__(self, url: SplitResult, idle_timeout_seconds: float, tls: ssl.SSLContext | None) -> None:
        self._url = url
        self._timeout = idle_timeout_seconds
        self._tls = (tls or ssl.create_default_context()) if url.scheme == "https" else None
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._closed = False

    @property
    def host(self) -> str:
        return self._url.netloc

    def connect(self) -> http.client.HTTPConnection:
        """Returns a connection that opens itself with its first request."""
        host, port = self._url.hostname or "", self._url.port
        if self._tls is None:
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._tls)

    def keep(self, connection: http.client.HTTPConnection) -> None:
        """Keeps a connection for the next request."""
        with self._lock:
            if not self._closed and len(self._idle) < _MAX_IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def exchange(self, request: OutgoingRequest) -> Response:
        """Returns as soon as the headers of the response have arrived."""
        require_running(request.stop)
        if self._closed:
            raise WaybillError("invalid_argument", "This client is closed. Create another one.")
        connection = self._take()
        try:
            with _abort_when(request.stop, connection):
                is_sent = self._send(connection, request)
                raw = connection.getresponse()
            # The server would read the rest of the body as the next request.
            raw.will_close = raw.will_close or not is_sent
            return Response(self, connection, raw)
        except (OSError, http.client.HTTPException) as cause:
            connection.close()
            require_running(request.stop)
            raise self._explain(cause) from cause
        except BaseException:
            connection.close()
            raise

    def _take(self) -> http.client.HTTPConnection:
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self.connect()
            # The server has closed it, or sent something that nobody asked for.
            if connection.sock is not None and not _is_readable(connection.sock):
                return connection
            connection.close()

    def _send(self, connection: http.client.HTTPConnection, request: OutgoingRequest) -> bool:
        """Returns whether the whole request was sent: the server may respond before."""
        connection.putrequest(request.method, self._url.path + request.path, skip_accept_encoding=True)
        for name, value in request.headers.items():
            connection.putheader(name, value)
        if isinstance(request.body, bytes):
            connection.putheader("Content-Length", str(len(request.body)))
        elif request.body is None and request.method not in ("GET", "HEAD"):
            connection.putheader("Content-Length", "0")
        connection.endheaders(request.body if isinstance(request.body, bytes) else None)
        if request.body is None or isinstance(request.body, bytes):
            return True
        for piece in request.body:
            # With TLS, something may be readable that is no response.
            if self._tls is None and _is_readable(connection.sock):
                return False
            try:
                connection.send(piece)
            except (BrokenPipeError, ConnectionResetError):
                return False  # the response may have arrived before
        return True

    def _explain(self, cause: Exception) -> WaybillError:
        host = self._url.netloc
        if isinstance(cause, ssl.SSLCertVerificationError):
            why = cause.verify_message.rstrip(".")
            message = (
                f"The certificate of {host} cannot be trusted: {why}. Check the address, or ask the administrator."
            )
            return WaybillError("unexpected_response", message)
        if isinstance(cause, ssl.SSLError) and cause.reason in ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG"):
            return WaybillError("unexpected_response", f"{host} does not speak TLS. Use http://, or the right port.")
        return WaybillError("unreachable", f"{host} cannot be reached: {self._describe(cause)}.")

    def _describe(self, cause: Exception) -> str:
        if isinstance(cause, TimeoutError):
            return f"no data for {round(self._timeout)} seconds"
        if isinstance(cause, ConnectionRefusedError):
            return "the connection was refused"
        if isinstance(cause, http.client.RemoteDisconnected):
            return "the connection was closed without a response"
        if isinstance(cause, ConnectionError):
            return "the connection was reset"
        if isinstance(cause, socket.gaierror):
            return "the host name is unknown, or cannot be looked up"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        return "its response is not HTTP"


def lost_connection() -> WaybillError:
    return WaybillError("unreachable", "The connection broke off in the middle of the response.")


def _is_readable(sock: socket.socket) -> bool:
    if hasattr(select, "poll"):  # select alone cannot watch descriptors from 1024 on
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


@contextmanager
def _abort_when(stop: Stop, connection: http.client.HTTPConnection) -> Iterator[None]:
    """Ends a request that waits for its response once the event is set."""
    if stop is None:
        yield
        return
    event, done, lock = stop, threading.Event(), threading.Lock()

    def watch() -> None:
        while not done.is_set():
            if event.wait(_STOP_POLL_SECONDS):
                with lock:
                    if not done.is_set() and connection.sock is not None:
                        _shut_down(connection.sock)
                done.wait(_STOP_POLL_SECONDS)  # again, for a connection that was just being opened

    watcher = threading.Thread(target=watch, name="waybill-stop", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        # The connection may be kept for another request, which the watcher must not end.
        with lock:
            done.set()


def _shut_down(sock: socket.socket) -> None:
    """Ends a connection that another thread uses. `SSLSocket.shutdown` would let that thread send plain bytes."""
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
