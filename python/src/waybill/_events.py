"""The events of the account."""

from collections.abc import Iterator, Sequence

from . import _paths
from ._api import ApiClient
from ._options import Stop, Stopped
from .wire import EventPage, EventType

# The longest wait for events that the server allows.
MAX_WAIT_SECONDS = 30


class Events:
    """The events of the account, in order."""

    def __init__(self, api: ApiClient) -> None:
        self._api = api

    def list(
        self,
        *,
        types: Sequence[EventType] | None = None,
        drop_id: str | None = None,
        request_id: str | None = None,
        external_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
        stop: Stop = None,
    ) -> EventPage:
        """Lists a page of events after a cursor, or after `end` only new ones, and waits up to `wait` seconds.

        Events match everything that is given. With a filter, an empty page can have `has_more`.
        """
        query = {
            "type": types,
            "drop_id": drop_id,
            "request_id": request_id,
            "external_id": external_id,
            "cursor": cursor,
            "limit": limit,
            "wait": wait,
        }
        page: EventPage = self._api.get(_paths.EVENTS, query, stop)
        return page

    def follow(
        self,
        *,
        types: Sequence[EventType] | None = None,
        drop_id: str | None = None,
        request_id: str | None = None,
        external_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        stop: Stop = None,
    ) -> Iterator[EventPage]:
        """Yields pages of past and future events, until `stop` is set. Each page has at least one event.

        Store `next_cursor` of a page together with the results of your work, and pass it as `cursor` to continue.
        """
        while True:
            try:
                page = self.list(
                    types=types,
                    drop_id=drop_id,
                    request_id=request_id,
                    external_id=external_id,
                    cursor=cursor,
                    limit=limit,
                    wait=MAX_WAIT_SECONDS,
                    stop=stop,
                )
            except Stopped:
                return
            cursor = page["next_cursor"]
            if page["data"]:
                yield page

    def find_last_cursor(self, stop: Stop = None) -> str:
        return self.list(cursor="end", limit=1, stop=stop)["next_cursor"]
