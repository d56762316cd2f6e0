"""An in-memory server for uploads, drops, events and the inbox that follows docs/api-v1.md."""

import base64
import hashlib
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from wire_server import NO_REPLY, Reply, Seen, WireServer, refuse

CHUNK = 8 * 1024 * 1024


@dataclass
class Stored:
    path: str
    size: int
    content: bytes = b""


@dataclass
class Entry:
    id: str
    files: dict[str, bytes]
    sender: str = "beta@machines.test"
    attempts: int = 0
    lease: str | None = None
    is_done: bool = False
    is_parked: bool = False
    # The delays with which it was returned to the queue; None: that of the server.
    delays: list[int | None] = field(default_factory=list)


class FakeExchange:
    def __init__(self) -> None:
        self.uploads: dict[str, Stored] = {}
        self.drops: dict[str, dict[str, Any]] = {}
        self.entries: dict[str, Entry] = {}
        self.events: list[dict[str, Any]] = []
        # Path, offset and length of the parts that were stored.
        self.parts: list[tuple[str, int, int]] = []
        self.limits: dict[str, Any] = {}
        self.refusal: str | None = None
        self.is_daily_limit_reached = False
        # Responds instead of this server, or returns None.
        self.intercept: Callable[[Seen], Reply | None] = lambda _seen: None
        # Called after a request was carried out; returns the reply that the client gets.
        self.deliver: Callable[[Seen, Reply], Reply] = lambda _seen, reply: reply
        self._replies: dict[str, tuple[str, Reply]] = {}
        self._changed = threading.Condition()
        self.server = WireServer(self._respond)
        self.client = self.server.client

    def close(self) -> None:
        with self._changed:
            self._changed.notify_all()
        self.server.close()

    def add_event(self, kind: str, **data: str) -> None:
        with self._changed:
            event = {"id": str(uuid.uuid4()), "type": kind, "timestamp": "2030-01-31T12:00:00.000Z", "data": data}
            self.events.append(event)
            self._changed.notify_all()

    def add_entry(self, entry_id: str, **files: bytes) -> Entry:
        entry = self.entries[entry_id] = Entry(entry_id, {name.replace("__", "."): one for name, one in files.items()})
        self.add_event("inbox.received", inbox_id=entry_id)
        return entry

    def _respond(self, seen: Seen) -> Reply:
        intercepted = self.intercept(seen)
        if intercepted is not None:
            return intercepted
        return self.deliver(seen, self._respond_once(seen))

    def _respond_once(self, seen: Seen) -> Reply:
        """Carries out a request with an idempotency key once."""
        key = seen.headers.get("idempotency-key")
        if seen.method != "POST" or key is None:
            return self._handle(seen)
        announced = [seen.headers.get(name) for name in ("upload-length", "upload-metadata", "content-disposition")]
        digest = hashlib.sha256(repr([seen.path, announced, seen.body]).encode()).hexdigest()
        known, reply = self._replies.get(key, (digest, None))
        if known != digest:
            return refuse(422, "idempotency_key_reused")
        if reply is None:
            reply = self._handle(seen)
            if reply.status < 400:
                self._replies[key] = (digest, reply)
        return reply

    def _handle(self, seen: Seen) -> Reply:
        url = urlsplit(seen.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        match [seen.method, *(unquote(part) for part in url.path.split("/"))]:
            case ["GET", "account"]:
                limits = {"file_size": 2**40, "file_size_reason": "file", "files_per_drop": 1000, "stored_size": None}
                return Reply(value={"email": "alpha@machines.test", "limits": limits | self.limits})
            case ["POST", "uploads"] if "tus-resumable" in seen.headers:
                return self._create_upload(seen)
            case ["POST", "uploads"]:
                return self._upload_whole(seen)
            case [_, "uploads", upload_id]:
                upload = self.uploads.get(upload_id)
                return refuse(404, "not_found") if upload is None else self._handle_upload(seen, upload_id, upload)
            case ["POST", "drops", "check"]:
                return self._check_drop(seen)
            case ["POST", "drops"]:
                return self._create_drop(seen)
            case ["GET", "drops", drop_id]:
                return Reply(value=self.drops[drop_id]) if drop_id in self.drops else refuse(404, "not_found")
            case ["GET", "events"]:
                return self._list_events(query)
            case ["GET", "inbox"]:
                waiting = [_show(entry) for entry in self.entries.values() if not entry.is_done and not entry.lease]
                return Reply(value={"data": waiting, "next_cursor": None})
            case ["POST", "inbox", "claim"]:
                return self._claim()
            case [_, "inbox", entry_id, *action] if entry_id in self.entries:
                return self._handle_entry(seen, self.entries[entry_id], action)
        return refuse(404, "not_found")

    def _create_upload(self, seen: Seen) -> Reply:
        fields = dict(one.split(" ") for one in seen.headers["upload-metadata"].split(","))
        upload_id = str(uuid.uuid4())
        path = base64.b64decode(fields["path"]).decode()
        self.uploads[upload_id] = Stored(path, int(seen.headers["upload-length"]))
        return Reply(201, headers={"Location": f"/api/v1/uploads/{upload_id}"})

    def _upload_whole(self, seen: Seen) -> Reply:
        if seen.headers["repr-digest"] != f"sha-256=:{base64.b64encode(hashlib.sha256(seen.body).digest()).decode()}:":
            return refuse(422, "digest_mismatch")
        if self.refusal is not None:
            return refuse(422, self.refusal)
        path = unquote(seen.headers["content-disposition"].removeprefix("attachment; filename*=UTF-8''"))
        upload_id = str(uuid.uuid4())
        self.uploads[upload_id] = Stored(path, len(seen.body), seen.body)
        return Reply(201, self._show_upload(upload_id))

    def _handle_upload(self, seen: Seen, upload_id: str, upload: Stored) -> Reply:
        if seen.method == "GET":
            return Reply(value=self._show_upload(upload_id))
        if seen.method == "DELETE":
            del self.uploads[upload_id]
            return Reply(204)
        if seen.method == "PATCH":
            if int(seen.headers["upload-offset"]) != len(upload.content):
                return refuse(409, "upload_superseded")
            self.parts.append((upload.path, len(upload.content), len(seen.body)))
            upload.content += seen.body
        return Reply(200, headers={"Upload-Offset": str(len(upload.content))})

    def _show_upload(self, upload_id: str) -> dict[str, Any]:
        upload = self.uploads[upload_id]
        is_complete = len(upload.content) == upload.size
        return {
            "id": upload_id,
            "path": upload.path,
            "size": upload.size,
            "state": "uploading" if not is_complete else "refused" if self.refusal else "ready",
            "sha256": hashlib.sha256(upload.content).hexdigest() if is_complete else None,
            "scan": "clean" if is_complete else None,
            "refusal": self.refusal,
        }

    def _check_drop(self, seen: Seen) -> Reply:
        if self.is_daily_limit_reached:
            return refuse(429, "daily_limit", Retry_After="40000")
        for index, receiver in enumerate(seen.json()["receivers"]):
            if receiver["email"].endswith(".invalid"):
                fault = {
                    "pointer": f"/receivers/{index}/email",
                    "code": "recipient_not_allowed",
                    "detail": "Not there.",
                }
                return refuse(403, "recipient_not_allowed", [fault])
        return Reply(value={"receiver_count": 1})

    def _create_drop(self, seen: Seen) -> Reply:
        asked = seen.json()
        for index, upload_id in enumerate(asked["uploads"]):
            if upload_id not in self.uploads:
                fault = {"pointer": f"/uploads/{index}", "code": "not_found", "detail": "It is not there."}
                return refuse(404, "not_found", [fault])
        drop_id = str(uuid.uuid4())
        drop = {
            "id": drop_id,
            "reference": f"WB-0000-000{len(self.drops) + 1}",
            "state": "live",
            "files": [self.uploads.pop(upload_id).path for upload_id in asked["uploads"]],
            "receivers": [{**one, "id": index, "state": "notified"} for index, one in enumerate(asked["receivers"])],
            "asked": asked,
        }
        self.drops[drop_id] = drop
        return Reply(201, drop)

    def _list_events(self, query: dict[str, str]) -> Reply:
        with self._changed:
            place = len(self.events) if query.get("cursor") == "end" else int(query.get("cursor") or 0)
            if "wait" in query and len(self.events) == place:
                self._changed.wait(60)
            events = self.events[place : place + int(query.get("limit") or 100)]
        return Reply(value={"data": events, "next_cursor": str(place + len(events)), "has_more": False})

    def _claim(self) -> Reply:
        for entry in self.entries.values():
            if not entry.lease and not entry.is_done and len(entry.delays) < entry.attempts + 1 and entry.attempts < 10:
                entry.attempts += 1
                entry.lease = f"lease {entry.id} {entry.attempts}"
                return Reply(value={"data": [{**_show(entry), "lease": entry.lease}]})
        return Reply(value={"data": []})

    def _handle_entry(self, seen: Seen, entry: Entry, action: list[str]) -> Reply:
        match action:
            case []:
                return Reply(value=_show(entry))
            case ["files", index]:
                return _show_file(seen, list(entry.files.values())[int(index)])
        if action == ["release"]:
            entry.attempts, entry.is_parked = 0, False
            return Reply(value=_show(entry))
        if seen.json()["lease"] != entry.lease:
            return refuse(409, "lease_not_held")
        if action == ["ack"]:
            entry.is_done, entry.lease = True, None
        elif action == ["nack"]:
            entry.delays.append(seen.json().get("delay_seconds"))
            entry.is_parked = entry.attempts >= 10
            entry.lease = None
        return Reply(value=_show(entry))


def _show(entry: Entry) -> dict[str, Any]:
    files = [
        {
            "id": str(index),
            "name": path.rpartition("/")[2],
            "path": path,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        for index, (path, content) in enumerate(entry.files.items())
    ]
    return {
        "id": entry.id,
        "sender": entry.sender,
        "message": "Hello",
        "attempts": entry.attempts,
        "parked_at": "2030-01-31T12:00:00.000Z" if entry.is_parked else None,
        "files": files,
    }


def _show_file(seen: Seen, content: bytes) -> Reply:
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    headers = {"ETag": f'"{digest}"', "Repr-Digest": f"sha-256=:{digest}:"}
    asked = seen.headers.get("range")
    if asked is None:
        return Reply(200, headers=headers, content=content)
    start, _dash, end = asked.removeprefix("bytes=").partition("-")
    if int(start) >= len(content):
        return refuse(416, "range_not_satisfiable")
    part = content[int(start) : int(end) + 1 if end else None]
    headers["Content-Range"] = f"bytes {start}-{int(start) + len(part) - 1}/{len(content)}"
    return Reply(206, headers=headers, content=part)


def lose_response(_seen: Seen, _reply: Reply) -> Reply:
    return NO_REPLY
