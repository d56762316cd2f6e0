"""Downloads of the inbox's files, checked against their digest and resumed where they broke."""

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from . import _paths
from ._api import ApiClient, Call
from ._local_files import move_unless_exists, open_part, sync_folder
from ._options import Stop, require_running
from ._responses import unexpected_response
from ._safe_name import safe_local_paths
from ._transport import Response
from .errors import WaybillError, is_waybill_error
from .wire import InboxFile

_READ_BYTES = 1024 * 1024


@dataclass(frozen=True)
class DownloadProgress:
    """The progress of a download."""

    # The name of the file.
    name: str
    # How many bytes have arrived, including those of an earlier download that is resumed.
    received_bytes: int
    # The size of the file in bytes.
    total_bytes: int


# Called once at the start, and whenever bytes have arrived.
OnDownloadProgress = Callable[[DownloadProgress], None]


@dataclass(frozen=True)
class DownloadedFile:
    """A file that is complete, checked and on disk."""

    path: Path
    # The size in bytes.
    size: int
    # The SHA-256 in hexadecimal.
    sha256: str


@dataclass(frozen=True)
class _Part:
    response: Response
    start: int
    size: int
    etag: str
    sha256: str


class Download:
    """A file that is being downloaded. Iterate over it to get its bytes, which can be read once.

    If the connection breaks, the download resumes where it broke. The last step raises an error if the digest does not
    match, so do not use the bytes before the iteration has ended. Use it in a `with` statement if you may stop before.
    """

    def __init__(
        self,
        api: ApiClient,
        entry_id: str,
        file: InboxFile,
        *,
        beginning: "tuple[int, hashlib._Hash] | None" = None,
        on_progress: OnDownloadProgress | None = None,
        stop: Stop = None,
    ) -> None:
        self._api = api
        self._path = _paths.entry_file_path(entry_id, file["id"])
        self._stop = stop
        self._on_progress = on_progress
        self._received, self._hash = beginning or (0, hashlib.sha256())
        # The name of the file as it was sent.
        self.name = file["name"]
        self._part: _Part | None = self._request(None)
        self._etag = self._part.etag
        # The size in bytes.
        self.size = self._part.size
        # The SHA-256 in hexadecimal, as stated by the server. The received bytes are checked against it.
        self.sha256 = self._part.sha256

    def __iter__(self) -> Iterator[bytes]:
        failures = 0
        self._report()
        while True:
            try:
                part = self._part or self._request(self._etag)
                self._part = part
                for piece in part.response.read_pieces():
                    require_running(self._stop)
                    self._hash.update(piece)
                    self._received += len(piece)
                    failures = 0
                    yield piece
                    self._report()
                if self._received >= self.size:
                    break
                raise WaybillError("unreachable", "The response ended early.")
            except WaybillError as error:
                # Requests are retried elsewhere; only a body that broke off is resumed here.
                if error.code != "unreachable":
                    raise
                self.close()
                failures += 1
                self._api.wait_before_retry(error, failures, self._stop)
        if self._received != self.size or self._hash.hexdigest() != self.sha256:
            raise WaybillError("digest_mismatch", f"{self.name} was damaged in transit.")

    def __enter__(self) -> "Download":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the download."""
        if self._part is not None:
            self._part.response.close()
            self._part = None

    def _report(self) -> None:
        if self._on_progress is not None:
            self._on_progress(DownloadProgress(self.name, self._received, self.size))

    def _request(self, etag: str | None) -> _Part:
        start = self._received
        headers = {} if start == 0 else {"Range": f"bytes={start}-"}
        if start > 0 and etag is not None:
            headers["If-Range"] = etag

        def read(response: Response) -> _Part:
            part = _parse_part(response)
            if part.start == start and etag in (None, part.etag):
                return part
            response.close()
            raise WaybillError("digest_mismatch", f"{self.name} has changed since its download began.")

        return self._api.call(Call("GET", self._path, read, headers, stop=self._stop))


class FolderDownloads:
    """Downloads files of an inbox entry into a folder."""

    def __init__(self, api: ApiClient, entry_id: str, on_progress: OnDownloadProgress | None, stop: Stop) -> None:
        self._api = api
        self._entry_id = entry_id
        self._on_progress = on_progress
        self._stop = stop

    def download_all(self, files: list[InboxFile], folder: Path) -> list[DownloadedFile]:
        """Downloads files under the names that they were sent with, made safe and distinct."""
        names = safe_local_paths([file["path"] for file in files])
        return [self.download(file, folder / name) for file, name in zip(files, names, strict=True)]

    def download(self, file: InboxFile, target: Path) -> DownloadedFile:
        """Downloads a file to a path, where it appears only once it is complete, checked and on disk.

        A file that is there already is neither downloaded nor replaced; if it has another content, an error says so.
        """
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(target):
            return _require_same(file, target)
        part = target.parent / f".waybill-{file['id']}.part"
        with open_part(part) as handle:
            size, sha256 = self._complete(file, handle)
            os.fsync(handle.fileno())
            if not move_unless_exists(part, target):
                found = _require_same(file, target)
                part.unlink()
                return found
        sync_folder(target.parent)
        return DownloadedFile(target, size, sha256)

    def _complete(self, file: InboxFile, handle: FileIO) -> tuple[int, str]:
        """Downloads the rest of a part file."""
        beginning = _read_beginning(handle)
        try:
            return self._write(file, handle, beginning)
        except WaybillError as error:
            # The existing part does not belong to the server's file.
            if not is_waybill_error(error, "digest_mismatch", "range_not_satisfiable"):
                raise
            handle.truncate(0)
            if beginning[0] == 0:
                raise
        return self._write(file, handle, (0, hashlib.sha256()))

    def _write(self, file: InboxFile, handle: FileIO, beginning: "tuple[int, hashlib._Hash]") -> tuple[int, str]:
        download = Download(
            self._api,
            self._entry_id,
            file,
            beginning=beginning,
            on_progress=self._on_progress,
            stop=self._stop,
        )
        with download:
            handle.seek(beginning[0])
            for piece in download:
                view = memoryview(piece)
                while view:
                    view = view[handle.write(view) :]
            return download.size, download.sha256


def read_first_byte(api: ApiClient, entry_id: str, file: InboxFile, stop: Stop) -> None:
    """Raises an error if the server cannot read a file of the inbox."""
    path = _paths.entry_file_path(entry_id, file["id"])
    api.call(Call("GET", path, Response.close, {"Range": "bytes=0-0"}, stop=stop))


def _require_same(file: InboxFile, target: Path) -> DownloadedFile:
    """Returns the existing file if it is the one that would be downloaded, such as by an attempt that was cut off."""
    if target.is_file() and not target.is_symlink() and target.stat().st_size == file["size"]:
        with target.open("rb") as found:
            if hashlib.file_digest(found, "sha256").hexdigest() == file["sha256"]:
                return DownloadedFile(target, file["size"], file["sha256"])
    message = f"{target} exists already, with another content. Move it away, or download into another folder."
    raise WaybillError("target_exists", message)


def _read_beginning(handle: FileIO) -> "tuple[int, hashlib._Hash]":
    """Returns the size of the part without its last byte, and a hash of it.

    The range that follows a complete part would not be satisfiable.
    """
    size = max(0, os.fstat(handle.fileno()).st_size - 1)
    digest = hashlib.sha256()
    left = size
    while left > 0 and (piece := handle.read(min(_READ_BYTES, left))):
        digest.update(piece)
        left -= len(piece)
    return size, digest


def _parse_part(response: Response) -> _Part:
    headers = response.headers
    digest = re.search(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):", headers["Repr-Digest"] or "")
    whole = response.status == 200
    given = f"bytes 0-/{headers['Content-Length']}" if whole else headers["Content-Range"] or ""
    place = re.fullmatch(r"bytes ([0-9]{1,16})-[0-9]*/([0-9]{1,16})", given)
    etag = headers["ETag"]
    if digest is None or place is None or etag is None:
        response.close()
        raise unexpected_response(response, "a file without its size or digest")
    sha256 = base64.b64decode(digest[1]).hex()
    return _Part(response, int(place[1]), int(place[2]), etag, sha256)
