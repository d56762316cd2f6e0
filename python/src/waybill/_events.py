"""The events of the account."""

from collections.abc import Iterator

from . import _paths
from ._api import ApiClient
from ._options import Runtime, Stop, Stopped
from .errors import WaybillError
from .wire import AccountEvent, EventPage

# The longest wait for events that the server allows.
MAX_WAIT_SECONDS = 30


class Events:
    """The events of the account, in order."""

    def __init__(self, api: ApiClient) -> None:
        self._api = api

    def list(
        self, *, cursor: str | None = None, limit: int | None = None, wait: int | None = None, stop: Stop = None
    ) -> EventPage:
        """Lists a page of events after a cursor, or after `end` only new ones, and waits up to `wait` seconds."""
        page: EventPage = self._api.get(_paths.EVENTS, {"cursor": cursor, "limit": limit, "wait": wait}, stop)
        return page

    def follow(self, *, cursor: str | None = None, limit: int | None = None, stop: Stop = None) -> Iterator[EventPage]:
        """Yields pages of past and future events, until `stop` is set. Each page has at least one event.

        Store `next_cursor` of a page together with the results of your work, and pass it as `cursor` to continue.
        """
        while True:
            try:
                page = self.list(cursor=cursor, limit=limit, wait=MAX_WAIT_SECONDS, stop=stop)
            except Stopped:
                return
            cursor = page["next_cursor"]
            if page["data"]:
                yield page

    def find_last_cursor(self, stop: Stop = None) -> str:
        return self.list(cursor="end", limit=1, stop=stop)["next_cursor"]


def watch_drop(events: Events, runtime: Runtime, timeout: float | None, drop_id: str) -> Iterator[None]:
    """Yields at once, and then whenever something has happened to a drop, until the time is over."""
    end = None if timeout is None else runtime.monotonic() + timeout
    cursor = events.find_last_cursor()
    while True:
        yield
        has_news = False
        while not has_news:
            left = MAX_WAIT_SECONDS if end is None else end - runtime.monotonic()
            if left <= 0:
                return
            wait = max(1, min(MAX_WAIT_SECONDS, round(left)))
            try:
                page = events.list(cursor=cursor, wait=wait)
                cursor = page["next_cursor"]
                has_news = any(is_about_drop(event, drop_id) for event in page["data"])
            except WaybillError as error:
                if error.code != "cursor_expired":
                    raise
                cursor, has_news = events.find_last_cursor(), True


def is_about_drop(event: AccountEvent, drop_id: str) -> bool:
    return event["data"].get("drop_id") == drop_id
