"""Renews the lease of a claimed entry while a program works on it."""

import threading
from typing import TYPE_CHECKING, Self

from ._options import Runtime, Stopped
from .errors import is_temporary_fault
from .wire import ClaimedEntry

if TYPE_CHECKING:
    from ._inbox import Inbox

# The pause before a renewal that failed is tried again.
_RETRY_SECONDS = 1.0


class Lease:
    """A lease that began no earlier than `since`. `lost` is set when it ends, whatever the server says later."""

    def __init__(self, inbox: "Inbox", runtime: Runtime, claimed: ClaimedEntry, seconds: int, since: float) -> None:
        self.lost = threading.Event()
        self._inbox = inbox
        self._runtime = runtime
        self._claimed = claimed
        self._seconds = seconds
        self._began_at = since
        # Set when the work is done or the lease is lost.
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._renew, name="waybill-renew", daemon=True),
            threading.Thread(target=self._watch_end, name="waybill-lease", daemon=True),
        ]

    def __enter__(self) -> Self:
        if self._runtime.monotonic() >= self._began_at + self._seconds / 3:
            # The response may be one to a claim that was made long ago.
            self._renew_once()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _renew_once(self) -> None:
        begun = self._runtime.monotonic()
        # A request without a response must not outlast the lease.
        self._inbox.renew(self._claimed, lease_seconds=self._seconds, stop=self._ended)
        self._began_at = begun

    def _renew(self) -> None:
        next_at = self._began_at + self._seconds / 3
        while True:
            try:
                self._runtime.sleep(max(0.0, next_at - self._runtime.monotonic()), self._ended)
                self._renew_once()
                next_at = self._began_at + self._seconds / 3
            except Stopped:
                return
            except Exception as error:
                if not is_temporary_fault(error):
                    self._lose()
                    return
                next_at = self._runtime.monotonic() + _RETRY_SECONDS

    def _watch_end(self) -> None:
        while not self._ended.is_set():
            left = self._began_at + self._seconds - self._runtime.monotonic()
            if left <= 0:
                self._lose()
            else:
                self._runtime.wait(left, self._ended)

    def _lose(self) -> None:
        self.lost.set()
        self._ended.set()
