"""Files to send."""

import hashlib
import io
import os
import stat
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, TypeAlias, cast

from .errors import WaybillError

# The server stores a file in chunks of this size.
CHUNK_BYTES = 8 * 1024 * 1024
# The limits of the server.
_MAX_FILES = 1_000
_MAX_DEPTH = 32


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


# Text, which is sent in UTF-8, bytes, or a stream. More than 8 MiB of streams are written to temporary files first,
# because the server has to know the size in advance.
Content: TypeAlias = str | bytes | _Readable | Iterable[bytes]


@dataclass(frozen=True)
class FileToSend:
    """A file with a name that receivers see, and either a path or a content.

    A name with `/` is a path in the folder that is sent. `type` is the media type, such as `application/pdf`.
    """

    name: str
    path: str | os.PathLike[str] | None = None
    content: Content | None = None
    type: str = "application/octet-stream"


# A path of a file or folder, or a file with a name.
AnyFile: TypeAlias = str | os.PathLike[str] | FileToSend


class OpenedSource:
    """A file whose size is known, and of which any part can be read."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.name = name
        self._file = file
        self._seen = self._look()
        self.size = self._seen[0]

    def read(self, offset: int, length: int) -> bytes:
        try:
            self._file.seek(offset)
            content = self._file.read(length)
        except OSError as cause:
            raise _unreadable(self.name, cause) from cause
        if len(content) < length:
            raise self._changed()
        return content

    def require_unchanged(self) -> None:
        if self._look() != self._seen:
            raise self._changed()

    def sha256(self, offset: int = 0) -> "hashlib._Hash":
        """Returns a hash of the bytes up to the offset."""
        digest = hashlib.sha256()
        for start in range(0, offset, CHUNK_BYTES):
            digest.update(self.read(start, min(CHUNK_BYTES, offset - start)))
        return digest

    def _look(self) -> tuple[int, int]:
        """Returns the size and, of a file that others may change, the time of its last change."""
        try:
            found = os.fstat(self._file.fileno())
        except io.UnsupportedOperation:  # not on disk
            return (self._file.seek(0, os.SEEK_END), 0)
        return (found.st_size, found.st_mtime_ns)

    def _changed(self) -> WaybillError:
        return WaybillError("source_failed", f"{self.name} changed while it was being sent.")


def to_file(file: AnyFile) -> FileToSend:
    """Returns a file with its name."""
    if not isinstance(file, FileToSend):
        path = Path(file)
        return FileToSend(path.resolve().name, path)
    if (file.path is None) == (file.content is None):
        raise WaybillError("invalid_argument", f"{file.name} needs either a path or a content.")
    return file


def check_file(file: FileToSend) -> int | None:
    """Raises an error if the file cannot be read. Returns its size if it is known in advance."""
    if file.path is not None:
        found = _stat_readable(file.path)
        return found.st_size if stat.S_ISREG(found.st_mode) else None
    content = _to_bytes(file.content)
    return None if content is None else len(content)


@contextmanager
def open_source(file: FileToSend) -> Iterator[OpenedSource]:
    with _open(file, CHUNK_BYTES) as opened:
        yield OpenedSource(file.name, opened)


class StreamKeeper:
    """Opens files any number of times. Keeps what can be read only once until `close`, mostly on disk."""

    def __init__(self) -> None:
        self._kept: dict[str, BinaryIO] = {}
        self._free_memory_bytes = CHUNK_BYTES

    @contextmanager
    def open(self, file: FileToSend) -> Iterator[OpenedSource]:
        if check_file(file) is not None:
            with open_source(file) as opened:
                yield opened
            return
        if file.name not in self._kept:
            kept = _open(file, self._free_memory_bytes)
            self._kept[file.name] = kept
            if isinstance(kept, io.BytesIO):
                self._free_memory_bytes -= len(kept.getbuffer())
        yield OpenedSource(file.name, self._kept[file.name])

    def close(self) -> None:
        for kept in self._kept.values():
            kept.close()


def expand_folders(files: Sequence[AnyFile]) -> list[FileToSend]:
    """Replaces each folder by its files. They keep their paths, which begin with the folder's name."""
    found: list[FileToSend] = []
    for file in map(to_file, files):
        if file.path is None or not os.path.isdir(file.path):
            found.append(file)
            continue
        before = len(found)
        _add_folder(found, file.path, file.name, 1)
        if len(found) == before:
            raise WaybillError("no_files", f"{os.fspath(file.path)} contains no files.")
    return found


def normalize_path(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _add_folder(found: list[FileToSend], folder: str | os.PathLike[str], name: str, depth: int) -> None:
    """Adds files sorted by name, so that a repeated send has the same files in the same order."""
    if depth >= _MAX_DEPTH:
        message = f"{os.fspath(folder)} has too many nested folders. Send an archive of it instead."
        raise WaybillError("invalid_argument", message)
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            _add_folder(found, entry.path, f"{name}/{entry.name}", depth + 1)
        elif entry.is_file(follow_symlinks=False):
            found.append(FileToSend(f"{name}/{entry.name}", entry.path))
        else:  # a link may lead to a file that nobody meant to send, and a pipe may never end
            what = "a symbolic link" if entry.is_symlink() else "not a file"
            message = f"{entry.path} is {what}. Remove it from the folder, or send an archive."
            raise WaybillError("invalid_argument", message)
        if len(found) > _MAX_FILES:
            message = f"A drop can have at most {_MAX_FILES} files. Send an archive of {os.fspath(folder)} instead."
            raise WaybillError("too_many_files", message)


def _open(file: FileToSend, max_memory_bytes: int) -> BinaryIO:
    """Opens a file on disk, or reads anything else to its end: a pipe can be read only once."""
    content = _to_bytes(file.content)
    if content is not None:
        return io.BytesIO(content)
    try:
        if file.path is None:
            return _spool(_read_pieces(file.content), max_memory_bytes)
        is_regular = stat.S_ISREG(_stat_readable(file.path).st_mode)
        opened = open(file.path, "rb")
        if is_regular:
            return opened
        with opened:
            return _spool(_read_pieces(opened), max_memory_bytes)
    except (OSError, ValueError) as cause:
        raise _unreadable(file.name, cause) from cause
    except TypeError as cause:
        message = f"{file.name} must be a stream of bytes. Open files in binary mode."
        raise WaybillError("invalid_argument", message) from cause


def _read_pieces(content: object) -> Iterator[bytes]:
    if hasattr(content, "read"):
        while piece := content.read(CHUNK_BYTES):
            yield piece
    elif isinstance(content, Iterable):
        yield from content
    else:
        raise TypeError


def _spool(pieces: Iterable[bytes], max_memory_bytes: int) -> BinaryIO:
    """Returns the bytes in memory or, if there are more than allowed, in a temporary file."""
    spool: BinaryIO = io.BytesIO()
    try:
        for piece in pieces:
            if spool.tell() + len(piece) > max_memory_bytes and isinstance(spool, io.BytesIO):
                beginning = spool.getbuffer()
                spool = cast(BinaryIO, tempfile.TemporaryFile())
                spool.write(beginning)
            spool.write(piece)
        spool.flush()
        return spool
    except BaseException:
        spool.close()
        raise


def _to_bytes(content: Content | None) -> bytes | None:
    if isinstance(content, str):
        return content.encode()
    return content if isinstance(content, bytes) else None


def _stat_readable(path: str | os.PathLike[str]) -> os.stat_result:
    name = os.fspath(path)
    try:
        found = os.stat(path)
    except OSError as cause:
        raise WaybillError("source_failed", f"{name} cannot be read: {cause.strerror}.") from cause
    if stat.S_ISDIR(found.st_mode):
        raise WaybillError("source_failed", f"{name} is a folder.")
    if not os.access(path, os.R_OK):
        raise WaybillError("source_failed", f"{name} cannot be read: permission is denied.")
    return found


def _unreadable(name: str, cause: Exception) -> WaybillError:
    return WaybillError("source_failed", f"{name} could not be read completely: {cause}.")
