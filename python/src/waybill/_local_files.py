"""Files on this machine: they get their names only once they are complete."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from .errors import WaybillError


def move_unless_exists(source: Path, target: Path) -> bool:
    """Moves a file within a file system, unless the target exists. Returns whether it was moved.

    Unlike a check followed by a rename, this cannot replace a file that appears in between.
    """
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    except OSError:  # file systems without hard links; any other problem makes the next step fail, too
        return _move_over_reservation(source, target)
    source.unlink()
    return True


def _move_over_reservation(source: Path, target: Path) -> bool:
    """Reserves the path with an empty file, which fails if the path exists, and replaces it."""
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    try:
        os.replace(source, target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return True


def sync_folder(folder: Path) -> None:
    """Makes the names of new files durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def open_part(path: Path) -> Iterator[FileIO]:
    """Opens a part file that an earlier download may have left. No two downloads can write to it at the same time."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    while True:
        with FileIO(os.open(path, flags, 0o666), "r+") as file:
            if _lock(file, path):
                yield file
                return


def _lock(file: FileIO, path: Path) -> bool:
    """Returns whether the locked file still has its name: the download that held the lock may have renamed it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as cause:
        message = f"Another download is writing {path}. Wait for it, or use another folder."
        raise WaybillError("target_exists", message) from cause
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    return False
