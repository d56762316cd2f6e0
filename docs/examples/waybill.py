#!/usr/bin/env python3
"""Sends files with Waybill and fetches what others sent, with nothing but Python's standard library.

    export WAYBILL_URL=https://files.example.org WAYBILL_API_KEY=...
    python3 waybill.py send report.pdf film.mov --to anna@example.org --message "As agreed."
    python3 waybill.py pull /srv/incoming
"""

import argparse
import base64
import hashlib
import http.client
import json
import os
import time
import urllib.parse
import uuid
from pathlib import Path

PART = 64 * 1024 * 1024
LEASE_SECONDS = 600


class Problem(Exception):
    """What the server refused, and why (RFC 9457)."""


class Waybill:
    def __init__(self, url, key):
        self.url = urllib.parse.urlsplit(url)
        self.key = key

    def request(self, method, path, body=None, headers=None):
        """Returns the open response. A connection is used once, which is simple and survives every restart of the server."""
        kind = http.client.HTTPSConnection if self.url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.url.netloc, timeout=120)
        connection.request(method, path, body, {"Authorization": f"Bearer {self.key}", **(headers or {})})
        response = connection.getresponse()
        if response.status >= 400:
            problem = json.loads(response.read() or b"{}")
            faults = [f"{fault['pointer']}: {fault['detail']}" for fault in problem.get("errors", [])]
            raise Problem("\n".join([problem.get("detail") or problem.get("title") or str(response.status), *faults]))
        return response

    def call(self, method, path, content=None, idempotency_key=None):
        headers = {}
        if content is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        body = None if content is None else json.dumps(content)
        with self.request(method, f"/api/v1{path}", body, headers) as response:
            return json.loads(response.read() or b"null")

    def upload(self, path):
        """Uploads a file in parts, by tus 1.0. After a broken connection, it continues where the server stopped."""
        size = path.stat().st_size
        name = base64.b64encode(path.name.encode()).decode()
        tus = {"Tus-Resumable": "1.0.0"}
        with self.request(
            "POST",
            "/api/v1/uploads",
            headers={
                **tus,
                "Upload-Length": str(size),
                "Upload-Metadata": f"filename {name}",
                "Repr-Digest": f"sha-256=:{digest_of(path)}:",
                "Idempotency-Key": str(uuid.uuid4()),
            },
        ) as created:
            place = urllib.parse.urlsplit(created.headers["Location"]).path
        failures = 0
        while True:
            try:
                with self.request("HEAD", place, headers=tus) as state:
                    offset = int(state.headers["Upload-Offset"])
                if offset == size:
                    return place.rsplit("/", 1)[-1]
                with path.open("rb") as file:
                    file.seek(offset)
                    length = min(PART, size - offset)
                    headers = {
                        **tus,
                        "Upload-Offset": str(offset),
                        "Content-Type": "application/offset+octet-stream",
                        "Content-Length": str(length),
                    }
                    self.request("PATCH", place, Limited(file, length), headers).close()
                failures = 0
            except (OSError, http.client.HTTPException):
                failures += 1
                if failures == 10:
                    raise
                time.sleep(min(60, 2**failures))

    def wait_until_ready(self, upload):
        while (state := self.call("GET", f"/uploads/{upload}"))["state"] == "checking":
            time.sleep(1)
        if state["state"] != "ready":
            raise Problem(f"{state['name']} was refused: {state['refusal']}")

    def send(self, paths, receivers, message):
        uploads = [self.upload(path) for path in paths]
        for upload in uploads:
            self.wait_until_ready(upload)
        drop = {"uploads": uploads, "receivers": [{"email": email} for email in receivers], "message": message}
        return self.call("POST", "/drops", drop, str(uuid.uuid4()))

    def pull(self, folder):
        """Fetches every available entry of the inbox. Any number of these may run at the same time, on any machine."""
        claim = {"max": 1, "lease_seconds": LEASE_SECONDS}
        while entries := self.call("POST", "/inbox/claim", claim, str(uuid.uuid4()))["data"]:
            [entry] = entries
            place = f"/inbox/{entry['id']}"
            for file in self.call("GET", place)["files"]:
                target = folder / entry["id"] / file["name"]
                self.download(f"/api/v1{place}/files/{file['id']}", target, file["sha256"])
                self.call("POST", f"{place}/renew", {"lease": entry["lease"], "lease_seconds": LEASE_SECONDS})
                yield target
            self.call("POST", f"{place}/ack", {"lease": entry["lease"]})

    def download(self, path, target, sha256):
        """The file has its name only when it is complete: a crash leaves nothing that looks like it."""
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.partial")
        digest = hashlib.sha256()
        with self.request("GET", path) as response, partial.open("wb") as file:
            while piece := response.read(1024 * 1024):
                digest.update(piece)
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if digest.hexdigest() != sha256:
            raise Problem(f"{target.name} arrived damaged; run the command again.")
        partial.replace(target)


class Limited:
    """A part of a file, as a request's body."""

    def __init__(self, file, length):
        self.file, self.left = file, length

    def read(self, size=-1):
        piece = self.file.read(self.left if size < 0 else min(size, self.left))
        self.left -= len(piece)
        return piece


def digest_of(path):
    with path.open("rb") as file:
        return base64.b64encode(hashlib.file_digest(file, "sha256").digest()).decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    send = commands.add_parser("send", help="send files")
    send.add_argument("files", nargs="+", type=Path)
    send.add_argument("--to", action="append", required=True, metavar="EMAIL")
    send.add_argument("--message", default="")
    pull = commands.add_parser("pull", help="fetch what others sent")
    pull.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    settings = [os.environ.get(name) for name in ("WAYBILL_URL", "WAYBILL_API_KEY")]
    if not all(settings):
        parser.error("set WAYBILL_URL and WAYBILL_API_KEY")
    waybill = Waybill(*settings)
    try:
        if arguments.command == "send":
            drop = waybill.send(arguments.files, arguments.to, arguments.message)
            print(f"Sent as {drop['reference']}, until {drop['expires_at']}.")
        else:
            for target in waybill.pull(arguments.folder):
                print(target)
    except (Problem, OSError) as problem:
        raise SystemExit(f"waybill: {problem}")


if __name__ == "__main__":
    main()
