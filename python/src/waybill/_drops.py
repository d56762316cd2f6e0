"""The drops of the account."""

from collections.abc import Iterator
from typing import Literal

from . import _paths
from ._api import ApiClient
from ._events import Events, watch_drop
from .errors import WaybillError
from .wire import CheckedDrop, CreatedDrop, Drop, DropDetails, NewDrop


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

    def wait_until_completed(self, drop_id: str, *, timeout: float | None = None) -> DropDetails:
        """Waits until every file was sent to every receiver whose link is not revoked.

        Learns of it from the events of the account, so the key needs the right to read the history. Raises a
        `WaybillError` if the drop ends before, and a `TimeoutError` after the given number of seconds.
        """
        for _ in watch_drop(self._events, self._api.runtime, timeout, drop_id):
            drop = self.get(drop_id)
            # The activity of old drops is deleted with the names of their receivers.
            receivers = [one["state"] for one in drop["receivers"] if one["state"] != "revoked"]
            if receivers and all(state == "completed" for state in receivers):
                return drop
            if drop["state"] != "live":
                code = "link_revoked" if drop["state"] == "revoked" else "link_ended"
                raise WaybillError(code, f"The drop was {drop['state']} before every receiver had all files.")
        raise TimeoutError(f"The drop was not completed within {timeout} seconds.")
