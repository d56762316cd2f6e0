"""Uploads that are not in a drop yet."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from . import _paths
from ._api import ApiClient, Call
from ._responses import read_bytes, read_json, unexpected_response
from ._sources import CHUNK_BYTES, AnyFile, FileToSend, OpenedSource, open_source, to_file
from ._transport import Response
from .errors import WaybillError
from .wire import Upload

# Small enough to show progress on a slow connection.
_PIECE_BYTES = 256 * 1024
_TUS = {"Tus-Resumable": "1.0.0"}
_INITIAL_POLL_SECONDS, _MAX_POLL_SECONDS = 0.1, 2.0
# Refusals of a single file, whose message has to name the file.
_FILE_REFUSALS = ("infected", "encrypted", "invalid_name", "too_large", "too_large_to_scan")
_REFUSAL_MESSAGES = {
    "infected": "was refused by the virus scanner",
    "encrypted": "is encrypted and cannot be scanned for viruses",
    "too_large_to_scan": "is too large to be scanned for viruses",
    "digest_mismatch": "was damaged in transit",
    "damaged": "was damaged on the server",
    "unchecked": "could not be checked by the server",
}


@dataclass(frozen=True)
class UploadProgress:
    """The progress of an upload."""

    # The name of the file.
    name: str
    # How many bytes were sent. Decreases if the connection breaks.
    sent_bytes: int
    # The size of the file in bytes.
    total_bytes: int


# Called whenever bytes were sent.
OnUploadProgress = Callable[[UploadProgress], None]


@dataclass(frozen=True)
class _Transfer:
    """A file on its way to the server."""

    file: FileToSend
    opened: OpenedSource
    key: str
    on_progress: OnUploadProgress | None

    def report(self, sent_bytes: int) -> None:
        if self.on_progress is not None:
            self.on_progress(UploadProgress(self.file.name, sent_bytes, self.opened.size))


class Uploads:
    """The uploads that are not in a drop yet."""

    def __init__(self, api: ApiClient) -> None:
        self._api = api

    def list(
        self, *, state: Literal["uploading", "checking", "ready", "refused"] | None = None
    ) -> Iterator[Upload]:
        """Lists the uploads of the account that were not sent yet, newest first."""
        return self._api.list(_paths.UPLOADS, {"state": state})

    def get(self, upload_id: str) -> Upload:
        """Gets the state of an upload."""
        upload: Upload = self._api.get(_paths.upload_path(upload_id))
        return upload

    def delete(self, upload_id: str) -> None:
        """Removes an upload that is not needed."""
        self._api.delete(_paths.upload_path(upload_id))

    def upload(
        self, file: AnyFile, *, idempotency_key: str | None = None, on_progress: OnUploadProgress | None = None
    ) -> Upload:
        """Uploads a file, and returns when it can be added to a drop.

        Another call with the same `idempotency_key`, in any process, resumes an upload that was cut off.
        """
        _id, uploaded = self.upload_or_find(to_file(file), idempotency_key, on_progress)
        if uploaded is None:
            message = "An earlier call with this key uploaded the file, which was then sent or removed."
            raise WaybillError("not_found", message)
        return uploaded

    def upload_or_find(
        self,
        file: FileToSend,
        idempotency_key: str | None,
        on_progress: OnUploadProgress | None,
        open_file: Callable[[FileToSend], AbstractContextManager[OpenedSource]] = open_source,
    ) -> tuple[str, Upload | None]:
        """Returns the id of the upload, and the upload unless an earlier call with the key has sent or removed it."""
        try:
            with open_file(file) as opened:
                transfer = _Transfer(file, opened, idempotency_key or self._api.runtime.uuid(), on_progress)
                if opened.size <= CHUNK_BYTES:
                    uploaded = self._upload_whole(transfer)
                    return uploaded["id"], uploaded
                upload_id = self._create(transfer)
                begun = self.find(upload_id)
                return upload_id, None if begun is None else self._upload_in_parts(transfer, begun)
        except WaybillError as error:
            if error.code not in _FILE_REFUSALS or file.name in error.detail:
                raise
            raise error.with_detail(f"{file.name}: {error.detail}") from error

    def find(self, upload_id: str) -> Upload | None:
        """Returns None if the upload was sent or removed."""
        try:
            return self.get(upload_id)
        except WaybillError as error:
            if error.code != "not_found":
                raise
            return None

    def _upload_whole(self, transfer: _Transfer) -> Upload:
        content = transfer.opened.read(0, transfer.opened.size)
        transfer.opened.require_unchanged()
        headers = {
            "Content-Type": _require_media_type(transfer.file.type),
            "Content-Length": str(len(content)),
            "Content-Disposition": f"attachment; filename*=UTF-8''{_encode_name(transfer.file.name)}",
            "Repr-Digest": f"sha-256=:{_to_base64(hashlib.sha256(content).digest())}:",
            "Idempotency-Key": transfer.key,
        }
        call = Call("POST", _paths.UPLOADS, read_json, headers, lambda: _split(content, transfer.report))
        uploaded: Upload = self._api.call(call)
        return uploaded

    def _create(self, transfer: _Transfer) -> str:
        name = transfer.file.name
        metadata = {
            "filename": name.rpartition("/")[2],
            "path": name,
            "filetype": _require_media_type(transfer.file.type),
        }
        headers = {
            **_TUS,
            "Upload-Length": str(transfer.opened.size),
            "Upload-Metadata": ",".join(f"{key} {_to_base64(_encode(value))}" for key, value in metadata.items()),
            "Idempotency-Key": transfer.key,
        }
        return self._api.call(Call("POST", _paths.UPLOADS, _read_location, headers))

    def _upload_in_parts(self, transfer: _Transfer, begun: Upload) -> Upload:
        """Sends the rest of the file in one request.

        The server stores it chunk by chunk, so a broken connection or a killed process loses less than a chunk.
        """
        opened = transfer.opened
        digest = _RunningDigest(opened)
        failures = stored_bytes = 0
        longest_request = opened.size
        upload = begun
        while upload["state"] == "uploading":
            try:
                offset = self._get_offset(upload["id"])
                if offset > stored_bytes:
                    failures = 0
                stored_bytes = offset
                digest.advance_to(offset)
                length = min(longest_request, opened.size - offset)
                if length > 0:
                    self._send_part(upload["id"], offset, _stream(opened, offset, length, digest, transfer.report))
            except WaybillError as error:
                if error.status == 413 and longest_request > CHUNK_BYTES:
                    longest_request = CHUNK_BYTES  # a proxy limits the size of requests
                    continue
                # The next attempt continues from the server's offset.
                failures += 1
                self._api.wait_before_retry(error, failures, None, "upload_superseded")
            upload = self.get(upload["id"])
        digest.advance_to(opened.size)
        opened.require_unchanged()
        return self._wait_for_check(transfer.file.name, upload, digest.hexdigest())

    def _get_offset(self, upload_id: str) -> int:
        """Returns the offset from which to continue.

        The server responds once an earlier request, whose connection broke, has stored the bytes that it received.
        """
        return self._api.attempt(Call("HEAD", _paths.upload_path(upload_id), _read_offset, _TUS))

    def _send_part(self, upload_id: str, offset: int, part: "_Part") -> None:
        headers = {
            **_TUS,
            "Upload-Offset": str(offset),
            "Content-Type": "application/offset+octet-stream",
            "Content-Length": str(part.length),
        }
        self._api.attempt(Call("PATCH", _paths.upload_path(upload_id), _read_offset, headers, lambda: part.pieces))

    def _wait_for_check(self, name: str, arrived: Upload, sha256: str) -> Upload:
        """Waits until the server has checked the file. A refused file is removed, so that it can be uploaded again."""
        upload, pause = arrived, _INITIAL_POLL_SECONDS
        while upload["state"] == "checking":
            self._api.runtime.sleep(pause)
            pause = min(_MAX_POLL_SECONDS, pause * 1.5)
            upload = self.get(upload["id"])
        is_damaged = upload["state"] == "ready" and upload["sha256"] != sha256
        refusal = "digest_mismatch" if is_damaged else upload["refusal"]
        if refusal is None:
            return upload
        self.delete(upload["id"])
        code = "unavailable" if refusal == "unchecked" else refusal
        raise WaybillError(code, f"{name} {_REFUSAL_MESSAGES[refusal]}.")


class _RunningDigest:
    """Computes the SHA-256 of a whole file, although only a part of it may be sent."""

    def __init__(self, opened: OpenedSource) -> None:
        self._opened = opened
        self._hash = hashlib.sha256()
        self._bytes = 0

    def advance_to(self, offset: int) -> None:
        """Reads the bytes up to the offset, which were sent earlier."""
        while self._bytes < offset:
            self.add(memoryview(self._opened.read(self._bytes, min(CHUNK_BYTES, offset - self._bytes))), self._bytes)

    def add(self, content: memoryview, offset: int) -> None:
        """Ignores bytes that were added before."""
        fresh = content[max(0, self._bytes - offset) :]
        self._hash.update(fresh)
        self._bytes += len(fresh)

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


@dataclass(frozen=True)
class _Part:
    length: int
    pieces: Iterator[memoryview]


def _stream(
    opened: OpenedSource, start: int, length: int, digest: _RunningDigest, report: Callable[[int], None]
) -> _Part:
    """Returns bytes of a file, which are added to the digest as they are sent."""

    def read() -> Iterator[memoryview]:
        offset, end = start, start + length
        while offset < end:
            chunk_start = offset
            chunk = opened.read(chunk_start, min(CHUNK_BYTES, end - chunk_start))
            for piece in _split(chunk, lambda sent, start=chunk_start: report(start + sent)):  # type: ignore[misc]
                digest.add(piece, offset)
                yield piece
                offset += len(piece)

    return _Part(length, read())


def _split(content: bytes, report: Callable[[int], None]) -> Iterator[memoryview]:
    view = memoryview(content)
    for start in range(0, len(view), _PIECE_BYTES):
        piece = view[start : start + _PIECE_BYTES]
        yield piece
        report(start + len(piece))


def _read_offset(response: Response) -> int:
    read_bytes(response)
    offset = response.headers["Upload-Offset"] or ""
    if not re.fullmatch(r"[0-9]{1,16}", offset):
        raise unexpected_response(response, "no offset of the upload")
    return int(offset)


def _read_location(response: Response) -> str:
    read_bytes(response)
    upload_id = (response.headers["Location"] or "").rpartition("/")[2]
    if not upload_id:
        raise unexpected_response(response, "no address of the upload")
    return str(upload_id)


def _encode_name(name: str) -> str:
    """Encodes a name for a header (RFC 8187)."""
    return quote(_encode(name), safe="!#$&+^`|")


def _encode(text: str) -> bytes:
    try:
        encoded = text.encode()
    except UnicodeEncodeError as cause:
        message = "The name of a file is not valid Unicode. Give it another name with FileToSend."
        raise WaybillError("invalid_name", message) from cause
    if not encoded:
        raise WaybillError("invalid_name", "A file needs a name.")
    return encoded


def _to_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _require_media_type(media_type: str) -> str:
    if not re.fullmatch(r"[\x20-\x7e]+", media_type):
        raise WaybillError("invalid_argument", "A media type must be printable ASCII.")
    return media_type
