"""A server on a real socket that responds as a test wants, and records its requests."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from waybill import Runtime, Waybill

API_KEY = "wb_key"


@dataclass(frozen=True)
class Seen:
    method: str
    # Relative to /api/v1.
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    status: int = 200
    value: object = None
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes | None = None
    # The connection is closed after so many bytes of the content.
    cut_at: int | None = None


# Closes the connection without a response.
NO_REPLY = Reply(status=0)


def refuse(status: int, code: str, errors: list[dict[str, str]] | None = None, **headers: str) -> Reply:
    problem = {"title": f"The {code}", "status": status, "code": code, "detail": f"This is {code}.", "errors": errors}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, problem, {"X-Request-Id": "request-1", **named})


class FakeRuntime(Runtime):
    """A clock that tests set. Waits return at once, except those of a given length or more, which wait for it."""

    def __init__(self) -> None:
        self.sleeps: list[float] = []
        self.time = 0.0
        self.held_seconds: float | None = None
        super().__init__(monotonic=lambda: self.time, wait=self._wait, random=lambda: 0.5)

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _wait(self, seconds: float, stop: threading.Event | None) -> None:
        self.sleeps.append(round(seconds, 3))
        if self.held_seconds is not None and seconds >= self.held_seconds and stop is not None:
            end = self.time + seconds
            while self.time < end and not stop.wait(0.005):
                pass


class WireServer:
    def __init__(self, respond: Callable[[Seen], Reply]) -> None:
        self.respond = respond
        self.requests: list[Seen] = []
        self.connections = 0
        self.runtime = FakeRuntime()
        # Responds before the body is read.
        self.respond_early: Callable[[str], Reply | None] = lambda _path: None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._create_handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._clients: list[Waybill] = []
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def client(self, **options: Any) -> Waybill:
        """Creates a client of this server that does not really wait between attempts."""
        options.setdefault("runtime", self.runtime)
        client = Waybill(self.url, API_KEY, **options)
        self._clients.append(client)
        return client

    def paths(self) -> list[str]:
        return [f"{seen.method} {seen.path}" for seen in self.requests]

    def close(self) -> None:
        for client in self._clients:
            client.close()
        self._server.shutdown()
        self._server.server_close()

    def _create_handler(self) -> type[BaseHTTPRequestHandler]:
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                wire.connections += 1
                super().setup()

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    self.close_connection = True

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                path = self.path.removeprefix("/api/v1/")
                early = wire.respond_early(path)
                if early is not None:
                    self.close_connection = True
                    self._send(early)
                    return
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                if len(body) < length:  # the client has cut it off
                    self.close_connection = True
                    return
                headers = {name.lower(): value for name, value in self.headers.items()}
                seen = Seen(self.command, path, headers, body)
                wire.requests.append(seen)
                self._send(wire.respond(seen))

            def _send(self, reply: Reply) -> None:
                if reply.status == 0:
                    self.close_connection = True
                    return
                is_text = reply.content is None and reply.value is not None
                content = json.dumps(reply.value).encode() if is_text else reply.content or b""
                self.send_response_only(reply.status)
                if is_text:
                    self.send_header("Content-Type", "application/json")
                for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content[: reply.cut_at])
                self.close_connection = self.close_connection or reply.cut_at is not None

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler
