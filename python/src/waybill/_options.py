"""Types that several modules share."""

import random
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# A value of None is left out; one of several values is repeated.
QueryValue: TypeAlias = str | int | bool | Sequence[str] | None
Query: TypeAlias = Mapping[str, QueryValue]
# An event that ends a call early when it is set.
Stop: TypeAlias = threading.Event | None


class Stopped(Exception):
    """The `stop` event of a call was set."""


def require_running(stop: Stop) -> None:
    if stop is not None and stop.is_set():
        raise Stopped


def _wait(seconds: float, stop: Stop) -> None:
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)


def _create_uuid() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Runtime:
    """The clock and the source of random numbers of the client, which tests replace."""

    # Seconds that never go back.
    monotonic: Callable[[], float] = time.monotonic
    # Waits, at most until the event is set.
    wait: Callable[[float, Stop], None] = _wait
    # A random number from 0 up to, but not including, 1.
    random: Callable[[], float] = random.random
    uuid: Callable[[], str] = _create_uuid

    def sleep(self, seconds: float, stop: Stop = None) -> None:
        """Waits. Raises an error if the event is set."""
        require_running(stop)
        self.wait(seconds, stop)
        require_running(stop)

    def jitter(self, seconds: float) -> float:
        """Returns about the given time, so that machines that were started together do not all return together."""
        return seconds * (0.9 + 0.2 * self.random())
