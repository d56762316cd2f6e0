import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

from wire_server import Reply, WireServer

from waybill import Stopped
from waybill._transport import OutgoingRequest, Transport


class StopTest(unittest.TestCase):
    def create_certificate(self) -> tuple[Path, Path]:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        key, certificate = folder / "key.pem", folder / "certificate.pem"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1"]
        subprocess.run([*command, *names, "-keyout", key, "-out", certificate], check=True, capture_output=True)
        return key, certificate

    def test_a_stop_does_not_end_encryption_before_the_connection(self) -> None:
        key, certificate = self.create_certificate()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        listener = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        ended = threading.Event()

        def serve() -> None:
            with context.wrap_socket(listener.accept()[0], server_side=True) as peer:
                try:
                    while peer.recv(65_536):
                        pass
                except OSError:
                    pass
                ended.set()

        server = threading.Thread(target=serve)
        server.start()
        self.addCleanup(server.join)
        url = urlsplit(f"https://127.0.0.1:{listener.getsockname()[1]}")
        transport = Transport(url, 60, ssl.create_default_context(cafile=certificate))
        connection = transport.connect()
        stop = threading.Event()
        protocols: list[str | None] = []

        def create_body() -> Iterator[bytes]:
            yield b"before"
            stop.set()
            self.assertTrue(ended.wait(60))
            assert isinstance(connection.sock, ssl.SSLSocket)
            protocols.append(connection.sock.version())
            yield b"after"

        headers = {"Content-Length": "11"}
        with patch.object(transport, "connect", return_value=connection), self.assertRaises(Stopped):
            transport.exchange(OutgoingRequest("POST", "uploads", headers, create_body(), stop))
        self.assertEqual(protocols, ["TLSv1.3"])

    def test_a_stop_after_a_request_does_not_end_the_connection(self) -> None:
        server = WireServer(lambda _seen: Reply(value={"data": [], "next_cursor": "0"}))
        self.addCleanup(server.close)
        client, stop = server.client(), threading.Event()
        client.events.list(stop=stop)
        watchers = [thread for thread in threading.enumerate() if thread.name == "waybill-stop"]
        stop.set()
        for watcher in watchers:
            watcher.join()
        client.events.list()
        self.assertEqual(server.connections, 1)


if __name__ == "__main__":
    unittest.main()
