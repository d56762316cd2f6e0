"""The drops of the account."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from . import _paths
from ._api import ApiClient
from ._events import MAX_WAIT_SECONDS, Events
from .errors import WaybillError
from .wire import CheckedDrop, CreatedDrop, Drop, DropDetails, EventType, NewDrop

# The pause while the server is away, besides those of each request.
_RETRY_SECONDS = 10.0
# The pauses between two reads of the drop, if the key may not read events.
_FIRST_POLL_SECONDS = 2.0
_LONGEST_POLL_SECONDS = 30.0
_LAST_EVENTS: tuple[EventType, ...] = ("drop.completed", "drop.expired", "drop.receiver_revoked", "drop.revoked")


@dataclass(frozen=True)
class Completion:
    """The end of a wait for the receivers of a drop."""

    # Whether every file was sent in full to every receiver whose link is not revoked.
    completed: bool
    # The drop, with the state of every receiver. If it is not completed but `live`, the time ran out.
    drop: DropDetails


class Drops:
    """The drops of the account. `Waybill.send` uploads files and creates a drop in one call."""

    def __init__(self, api: ApiClient, events: Events) -> None:
        self._api = api
        self._events = events

    def list(
        self,
        *,
        state: Literal["live", "expired", "revoked"] | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        receiver_email: str | None = None,
        external_id: str | None = None,
        reference: str | None = None,
        search: str | None = None,
        contains: str | None = None,
    ) -> Iterator[Drop]:
        """Lists drops, newest first."""
        query = {
            "state": state,
            "created_after": created_after,
            "created_before": created_before,
            "receiver_email": receiver_email,
            "external_id": external_id,
            "reference": reference,
            "search": search,
            "contains": contains,
        }
        return self._api.list(_paths.DROPS, query)

    def get(self, drop_id: str) -> DropDetails:
        """Gets a drop, with the state of every receiver and file."""
        drop: DropDetails = self._api.get(_paths.drop_path(drop_id))
        return drop

    def create(self, drop: NewDrop, *, idempotency_key: str | None = None) -> CreatedDrop:
        """Creates a drop and sends it to its receivers. If this fails, nothing is sent to anyone."""
        created: CreatedDrop = self._api.post(_paths.DROPS, drop, idempotency_key)
        return created

    def check(self, drop: NewDrop) -> CheckedDrop:
        """Checks whether `create` would succeed, and sends nothing. Raises an error with all faults."""
        checked: CheckedDrop = self._api.post(_paths.CHECK_DROP, drop)
        return checked

    def revoke(self, drop_id: str, *, idempotency_key: str | None = None) -> Drop:
        """Revokes a drop: all its links end."""
        revoked: Drop = self._api.post(_paths.revoke_drop_path(drop_id), {}, idempotency_key)
        return revoked

    def revoke_receiver(self, drop_id: str, receiver_id: int, *, idempotency_key: str | None = None) -> Drop:
        """Revokes the link of the receiver with this `id`."""
        path = _paths.revoke_receiver_path(drop_id, receiver_id)
        revoked: Drop = self._api.post(path, {}, idempotency_key)
        return revoked

    def wait_for_completion(self, drop_id: str, *, timeout: float | None = None) -> Completion:
        """Waits until every receiver has downloaded every file, the drop has ended, or the seconds are over.

        Learns of it from the events of the account, or, with a key that has only the scope `send`, by reading the drop
        every few seconds; such a key can wait for what it sent itself.
        """
        require_timeout(timeout)
        runtime = self._api.runtime
        end = math.inf if timeout is None else runtime.monotonic() + timeout
        cursor: str | None = None
        last: Completion | None = None
        poll_seconds: float | None = None
        while True:
            try:
                if poll_seconds is not None:
                    last = self._read_completion(drop_id)
                elif cursor is None or last is None:
                    # The position comes first: what happens after the drop was read is then an event.
                    found = self._events.find_last_cursor()
                    last, cursor = self._read_completion(drop_id), found
                left = end - runtime.monotonic()
                if last.completed or last.drop["state"] != "live" or left <= 0:
                    return last
                if poll_seconds is not None:
                    runtime.sleep(min(left, poll_seconds))
                    poll_seconds = min(_LONGEST_POLL_SECONDS, poll_seconds * 1.5)
                    continue
                page = self._events.list(
                    types=_LAST_EVENTS, drop_id=drop_id, cursor=cursor, wait=math.ceil(min(left, MAX_WAIT_SECONDS))
                )
                if page["data"]:
                    last = self._read_completion(drop_id)
                cursor = page["next_cursor"]
            except WaybillError as error:
                if error.code == "cursor_expired":
                    cursor = None
                    continue
                if error.code == "scope_missing" and poll_seconds is None:
                    # A key that may only send reads its own drops, but no events.
                    poll_seconds = _FIRST_POLL_SECONDS
                    continue
                left = end - runtime.monotonic()
                if not error.is_retryable or (left <= 0 and last is None):
                    raise
                if left <= 0 and last is not None:
                    return last
                runtime.sleep(min(left, _RETRY_SECONDS))

    def _read_completion(self, drop_id: str) -> Completion:
        drop = self.get(drop_id)
        # The activity of old drops is deleted with the names of their receivers.
        states = [receiver["state"] for receiver in drop["receivers"] if receiver["state"] != "revoked"]
        return Completion(bool(states) and all(state == "completed" for state in states), drop)


def require_timeout(timeout: float | None) -> None:
    if timeout is not None and not timeout >= 0:
        raise WaybillError("invalid_argument", "The time to wait must not be negative.")
