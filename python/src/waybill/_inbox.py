"""The inbox: everything that contacts and other accounts have sent to the account."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from . import _paths
from ._api import ApiClient
from ._downloads import Download, DownloadedFile, FolderDownloads, OnDownloadProgress
from ._events import Events
from ._options import Stop
from ._worker import LeasedEntry, OnWorkError, Worker
from .wire import ClaimedEntry, InboxEntry, InboxEntryDetails, InboxFile

# Inside the class, `list` is its method.
ClaimedEntries: TypeAlias = list[ClaimedEntry]
DownloadedFiles: TypeAlias = list[DownloadedFile]
_DEFAULT_LEASE_SECONDS = 300


class Inbox:
    """The inbox of the account. It is a queue that any number of programs can share."""

    def __init__(self, api: ApiClient, events: Events) -> None:
        self._api = api
        self._events = events

    def list(
        self,
        *,
        state: Literal["available", "claimed", "parked", "acknowledged"] | None = None,
        request_id: str | None = None,
        external_id: str | None = None,
        reference: str | None = None,
    ) -> Iterator[InboxEntry]:
        """Lists entries, newest first, or those with one of these. Those in a state begin with the longest in it."""
        query = {"state": state, "request_id": request_id, "external_id": external_id, "reference": reference}
        return self._api.list(_paths.INBOX, query)

    def get(self, entry_id: str) -> InboxEntryDetails:
        """Gets an entry and its files."""
        entry: InboxEntryDetails = self._api.get(_paths.entry_path(entry_id))
        return entry

    def claim(
        self,
        *,
        max: int = 1,
        lease_seconds: int = _DEFAULT_LEASE_SECONDS,
        idempotency_key: str | None = None,
        stop: Stop = None,
    ) -> ClaimedEntries:
        """Claims up to `max` entries: no other program can claim them until the lease ends.

        Returns an empty list if none is available.
        """
        asked = {"max": max, "lease_seconds": lease_seconds}
        claimed: ClaimedEntries = self._api.post(_paths.CLAIM, asked, idempotency_key, stop)["data"]
        return claimed

    def renew(
        self, entry: ClaimedEntry, *, lease_seconds: int = _DEFAULT_LEASE_SECONDS, stop: Stop = None
    ) -> InboxEntry:
        """Renews a lease. Its new duration starts now."""
        asked = {"lease": entry["lease"], "lease_seconds": lease_seconds}
        renewed: InboxEntry = self._api.post(_paths.renew_path(entry["id"]), asked, stop=stop)
        return renewed

    def ack(self, entry: ClaimedEntry) -> None:
        """Acknowledges an entry, which is then not claimed again."""
        self._api.post(_paths.ack_path(entry["id"]), {"lease": entry["lease"]})

    def nack(self, entry: ClaimedEntry, *, delay_seconds: int | None = None) -> InboxEntry:
        """Returns an entry to the queue, where it is available again after a delay.

        By default, the server chooses the delay: 30 seconds after the first attempt, twice as many after each further
        one, and at most an hour.
        """
        asked: dict[str, object] = {"lease": entry["lease"]}
        if delay_seconds is not None:
            asked["delay_seconds"] = delay_seconds
        returned: InboxEntry = self._api.post(_paths.nack_path(entry["id"]), asked)
        return returned

    def release(self, entry_id: str) -> InboxEntry:
        """Makes an entry available again that was parked after too many attempts."""
        released: InboxEntry = self._api.post(_paths.release_path(entry_id))
        return released

    def download(
        self,
        entry: InboxEntryDetails,
        folder: str | os.PathLike[str],
        *,
        on_progress: OnDownloadProgress | None = None,
    ) -> DownloadedFiles:
        """Downloads all files of an entry into a folder, under names that are safe on every system.

        A file appears only once it is complete, checked and on disk. After a crash, another call with the same folder
        resumes the download. A file that is there already is not replaced; if it has another content, the call fails.
        """
        return FolderDownloads(self._api, entry["id"], on_progress, None).download_all(entry["files"], Path(folder))

    def download_file(
        self,
        entry_id: str,
        file: InboxFile,
        path: str | os.PathLike[str],
        *,
        on_progress: OnDownloadProgress | None = None,
    ) -> DownloadedFile:
        """Downloads a file of an entry to a path. Use `safe_local_name` first for names that someone else chose."""
        return FolderDownloads(self._api, entry_id, on_progress, None).download(file, Path(path))

    def open_file(self, entry_id: str, file: InboxFile, *, on_progress: OnDownloadProgress | None = None) -> Download:
        """Downloads a file of an entry as a stream of bytes."""
        return Download(self._api, entry_id, file, on_progress=on_progress)

    def work(
        self,
        handler: Callable[[LeasedEntry], object],
        *,
        concurrency: int = 1,
        lease_seconds: int = _DEFAULT_LEASE_SECONDS,
        poll_seconds: float = 30,
        on_error: OnWorkError | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        """Calls the handler for every entry that arrives, until `stop` is set; then waits for handlers to return.

        Each handler runs in a thread of its own, up to `concurrency` at the same time. The lease of its entry is
        renewed while it runs. If it returns, the entry is acknowledged. If it raises an error, the entry is returned to
        the queue, where it waits longer after each attempt, and is parked after the tenth. A fault of the server, the
        network or the disk parks no entry: the entry stays claimed, and the handler is called again about every
        `poll_seconds` until the fault has passed. So a handler may be called again with the same entry.

        `on_error` is called with each error, and with the entry that it is about, if any. By default, errors are
        logged. Errors that concern all entries, such as a revoked key, are raised.
        """
        Worker(self, self._api, self._events, handler, concurrency, lease_seconds, poll_seconds, on_error, stop).run()
