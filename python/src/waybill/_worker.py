"""Works on the entries of the inbox as they arrive."""

import errno
import logging
import math
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ._api import ApiClient
from ._downloads import Download, DownloadedFile, FolderDownloads, OnDownloadProgress, read_first_byte
from ._events import MAX_WAIT_SECONDS, Events
from ._lease import Lease
from ._options import Stopped
from .errors import WaybillError, is_temporary_fault, is_waybill_error
from .wire import ClaimedEntry, InboxEntryDetails, InboxFile

if TYPE_CHECKING:
    from ._inbox import Inbox

_logger = logging.getLogger("waybill")
# The times that the server reads another entry, but not this one, before this one is returned to the queue.
_MAX_OWN_FAULTS = 3
# The leases for which an acknowledgement is repeated while the server fails, but renews the lease.
_MAX_SETTLE_LEASES = 5
# An inbox can be long.
_MAX_LISTED_ENTRIES = 100
# The time after which a worker without a free thread notices that it should stop.
_STOP_POLL_SECONDS = 0.2
# A disk without room or with a fault, and a machine without memory, processes or open files.
_MACHINE_FAULTS = frozenset(
    (
        errno.EAGAIN,
        errno.EDQUOT,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOSPC,
        errno.EROFS,
    )
)


class OnWorkError(Protocol):
    """Called with an error and the entry that it is about, if any, from any thread."""

    def __call__(self, error: Exception, entry: "LeasedEntry | None", /) -> object: ...


class LeasedEntry:
    """An entry of the inbox, whose lease is renewed while a handler works on it."""

    def __init__(self, api: ApiClient, claimed: ClaimedEntry, details: InboxEntryDetails, lost: threading.Event):
        self._api = api
        self._lost = lost
        # The entry and its files, as the server describes them.
        self.details = details
        self.id = details["id"]
        # The address of the sender.
        self.sender = details["sender"]
        self.message = details["message"]
        self.files = details["files"]
        # The number of this attempt, from 1.
        self.attempts = claimed["attempts"]

    def download(
        self, folder: str | os.PathLike[str], *, on_progress: OnDownloadProgress | None = None
    ) -> list[DownloadedFile]:
        """Downloads all files into a folder, as `inbox.download` does. Ends with an error if the lease is lost."""
        with self._report_lost():
            return FolderDownloads(self._api, self.id, on_progress, self._lost).download_all(self.files, Path(folder))

    def open_file(self, file: InboxFile, *, on_progress: OnDownloadProgress | None = None) -> Download:
        """Downloads a file as a stream of bytes."""
        with self._report_lost():
            return Download(self._api, self.id, file, on_progress=on_progress, stop=self._lost)

    @property
    def is_lost(self) -> bool:
        """Whether the lease was lost. Check it before a change elsewhere: another program may work on the entry."""
        return self._lost.is_set()

    @contextmanager
    def _report_lost(self) -> Iterator[None]:
        try:
            yield
        except Stopped as cause:
            raise _lost_error() from cause


@dataclass(frozen=True)
class _Claim:
    """A request for an entry."""

    key: str
    # The time before its first attempt.
    begun_at: float


class Worker:
    """Claims entries, and runs a handler for each."""

    def __init__(
        self,
        inbox: "Inbox",
        api: ApiClient,
        events: Events,
        handler: Callable[[LeasedEntry], object],
        concurrency: int,
        lease_seconds: int,
        poll_seconds: float,
        on_error: OnWorkError | None,
        stop: threading.Event | None,
    ) -> None:
        if concurrency < 1:
            raise WaybillError("invalid_argument", "The concurrency must be at least 1.")
        self._inbox = inbox
        self._api = api
        self._events = events
        self._runtime = api.runtime
        self._handler = handler
        self._concurrency = concurrency
        self._lease_seconds = lease_seconds
        self._poll_seconds = poll_seconds
        self._on_error = on_error
        # Set by the caller.
        self._stop = stop or threading.Event()
        # Set when this worker ends, also by an error.
        self._ending = threading.Event()
        self._slots = threading.Semaphore(concurrency)
        # A claim whose response has not arrived: the same request is repeated, so that no entry is leased unnoticed.
        self._open_claim: _Claim | None = None
        self._cursor: str | None = None
        self._can_read_events = True

    def run(self) -> None:
        with ThreadPoolExecutor(self._concurrency, "waybill-work") as executor:
            try:
                while self._acquire_slot():
                    claimed = self._claim()
                    if claimed is None:
                        self._slots.release()
                    else:
                        executor.submit(self._process, *claimed)
            except Stopped:
                pass
            finally:
                self._ending.set()

    def _acquire_slot(self) -> bool:
        """Returns whether a thread is free, or False if this worker should stop before one is."""
        while not self._stop.is_set():
            if self._slots.acquire(timeout=_STOP_POLL_SECONDS):
                return not self._stop.is_set()
        return False

    def _claim(self) -> tuple[ClaimedEntry, float] | None:
        """Claims an entry, and returns it with the start of the claim. If there is none, waits for one to arrive."""
        try:
            # Before the claim: what arrives after it is noticed.
            self._watch_events()
            claim = self._open_claim or _Claim(self._runtime.uuid(), self._runtime.monotonic())
            self._open_claim = claim
            # A stop does not cut it off, because the server may have claimed an entry.
            claimed = self._inbox.claim(lease_seconds=self._lease_seconds, idempotency_key=claim.key)
            self._open_claim = None
            if claimed:
                return claimed[0], claim.begun_at
            self._wait_for_arrival()
        except WaybillError as error:
            if not _is_fault(error):
                raise
            self._report(error, None)
            self._runtime.sleep(self._runtime.jitter(self._poll_seconds), self._stop)
        return None

    def _watch_events(self) -> None:
        if self._cursor is None and self._can_read_events:
            try:
                self._cursor = self._events.find_last_cursor(self._stop)
            except WaybillError as error:
                if error.code != "scope_missing":
                    raise
                self._can_read_events = False

    def _wait_for_arrival(self) -> None:
        """Returns when something may have arrived, or after a time: no event says that an entry is available again."""
        seconds = self._runtime.jitter(self._poll_seconds)
        if self._cursor is None:
            self._runtime.sleep(seconds, self._stop)
            return
        wait = max(1, min(MAX_WAIT_SECONDS, round(seconds)))
        try:
            self._cursor = self._events.list(cursor=self._cursor, wait=wait, stop=self._stop)["next_cursor"]
        except WaybillError as error:
            if error.code != "cursor_expired":
                raise
            self._cursor = None

    def _process(self, claimed: ClaimedEntry, since: float) -> None:
        """Runs in a thread of its own."""
        try:
            self._work_under_lease(claimed, since)
        except Exception as error:  # an error of on_error itself
            _logger.error("on_error failed for inbox entry %s.", claimed["id"], exc_info=error)
        finally:
            self._slots.release()

    def _work_under_lease(self, claimed: ClaimedEntry, since: float) -> None:
        lease = Lease(self._inbox, self._runtime, claimed, self._lease_seconds, since)
        with ExitStack() as held:
            try:
                held.enter_context(lease)
            except WaybillError:  # nothing says that an old lease is still held
                self._report(_lost_error(), None)
                return
            self._work_on(claimed, lease.lost)

    def _work_on(self, claimed: ClaimedEntry, lost: threading.Event) -> None:
        entry: LeasedEntry | None = None
        own_faults = 0
        is_in_handler = is_handled = False
        settle_until = math.inf
        while True:
            try:
                if entry is None:
                    entry = LeasedEntry(self._api, claimed, self._inbox.get(claimed["id"]), lost)
                if not is_handled:
                    if self._stop.is_set():
                        self._give_back(claimed, delay_seconds=0)
                        return
                    is_in_handler = True
                    self._handler(entry)
                    is_in_handler, is_handled = False, True
                    # An acknowledgement that fails for longer fails because of its entry, and others need the thread.
                    settle_until = self._runtime.monotonic() + _MAX_SETTLE_LEASES * self._lease_seconds
                self._inbox.ack(claimed)
                return
            except Exception as error:
                if is_waybill_error(error, "lease_not_held") or lost.is_set():
                    self._report(_lost_error(), entry)
                    return
                # The entry has expired or was revoked while it was claimed.
                if is_waybill_error(error, "not_found") and (entry is None or is_handled):
                    return
                self._report(error, entry)
                is_too_late = self._runtime.monotonic() >= settle_until
                if not _is_fault(error) or own_faults == _MAX_OWN_FAULTS or is_too_late:
                    # The lease of an entry that was handled ends by itself.
                    if not is_handled:
                        self._give_back(claimed, is_refused=is_in_handler and not _is_fault(error))
                    return
                is_in_handler = False
                try:
                    self._runtime.sleep(self._runtime.jitter(self._poll_seconds), self._ending)
                except Stopped:
                    if not is_handled:
                        self._give_back(claimed, delay_seconds=0)
                    return
                if isinstance(error, WaybillError) and self._can_read_other_entry(claimed["id"]):
                    own_faults += 1

    def _give_back(self, claimed: ClaimedEntry, *, delay_seconds: int | None = None, is_refused: bool = False) -> None:
        """Returns an entry to the queue. One that no handler has refused is not parked, however often that happens."""
        # If that fails too, the lease ends by itself.
        with suppress(WaybillError):
            returned = self._inbox.nack(claimed, delay_seconds=delay_seconds)
            if not is_refused and returned["parked_at"] is not None:
                self._inbox.release(claimed["id"])

    def _can_read_other_entry(self, entry_id: str) -> bool:
        """Returns whether the server can read an entry that is waiting, besides the given one.

        Then a fault of the given one is no fault of the whole server. The entry is chosen at random, because others may
        be unreadable, too.
        """
        try:
            waiting = islice(self._inbox.list(state="available"), _MAX_LISTED_ENTRIES)
            others = [entry["id"] for entry in waiting if entry["id"] != entry_id]
            if not others:
                return False
            other = others[int(self._runtime.random() * len(others))]
            # One byte of more than one: no file is sent in full that this machine does not store.
            for file in self._inbox.get(other)["files"]:
                if file["size"] > 1:
                    read_first_byte(self._api, other, file, self._ending)
                    return True
            return False
        except (WaybillError, Stopped):
            return False

    def _report(self, error: Exception, entry: LeasedEntry | None) -> None:
        if self._on_error is not None:
            self._on_error(error, entry)
        elif entry is None:
            _logger.error("The inbox cannot be read: %s", error)
        else:
            _logger.error("The work on inbox entry %s failed: %s", entry.id, error, exc_info=error)


def _is_fault(error: Exception) -> bool:
    """Returns whether an error is a condition of the server, the network or this machine, and not of one entry."""
    return is_temporary_fault(error) or (isinstance(error, OSError) and error.errno in _MACHINE_FAULTS)


def _lost_error() -> WaybillError:
    return WaybillError("lease_not_held", "The lease was lost. Another program may be working on the entry.")
