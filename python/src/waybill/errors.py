"""Errors of the client."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeGuard

from ._retryable_errors import RETRYABLE_ERRORS
from .wire import Fault

# Codes of failures in the client, or of the connection to the server, each with whether the same call may succeed
# later.
LOCAL_ERRORS: Mapping[str, bool] = MappingProxyType(
    {
        # The server did not respond, or its response broke off.
        "unreachable": True,
        # The response is not one of a Waybill server: probably another program responds at this address.
        "unexpected_response": False,
        # A file changed, ended early or could not be read during its upload.
        "source_failed": False,
        # The path of a download exists already.
        "target_exists": False,
        # The arguments of the call are invalid.
        "invalid_argument": False,
        # No receiver was given.
        "no_receivers": False,
    }
)

# Errors of the server besides those that it calls retryable.
_SERVER_FAULTS = ("internal", "unexpected_response")


class WaybillError(Exception):
    """Every failure of the client. `code` is for programs; the text says what happened and what to do next.

    A handler of `inbox.work` can raise one with the code `unavailable` if a system that it needs cannot be reached:
    the entry then stays claimed and is tried again.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        title: str | None = None,
        instance: str | None = None,
        retry_after_seconds: float | None = None,
        max_size: int | None = None,
        faults: Iterable[Fault] = (),
    ) -> None:
        super().__init__(code, detail)
        # The kind of failure: a code of the server, or one of LOCAL_ERRORS.
        self.code = code
        # What happened, and what to do next.
        self.detail = detail
        # The HTTP status, if the server responded.
        self.status = status
        # The kind of failure in words, if the server responded.
        self.title = title
        # Identifies the HTTP request; quote it to the administrator.
        self.instance = instance
        # How many seconds the server asks to wait, if it does.
        self.retry_after_seconds = retry_after_seconds
        # The size in bytes of the largest file that would be accepted, if one is too large.
        self.max_size = max_size
        # All faults of the request, if the server listed them.
        self.faults = tuple(faults)

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may succeed later. The client has already retried it."""
        return LOCAL_ERRORS.get(self.code, RETRYABLE_ERRORS.get(self.code, False))

    def __str__(self) -> str:
        listed = [f"{fault.get('pointer', fault.get('parameter', ''))}: {fault['detail']}" for fault in self.faults]
        return "\n".join([self.detail, *listed])

    def with_detail(self, detail: str) -> "WaybillError":
        """Returns the same error with another text."""
        return WaybillError(
            self.code,
            detail,
            status=self.status,
            title=self.title,
            instance=self.instance,
            retry_after_seconds=self.retry_after_seconds,
            max_size=self.max_size,
            faults=self.faults,
        )


def is_waybill_error(error: object, *codes: str) -> TypeGuard[WaybillError]:
    """Returns whether an error is a `WaybillError` and, if codes are given, has one of them."""
    return isinstance(error, WaybillError) and (not codes or error.code in codes)


def is_temporary_fault(error: object) -> bool:
    """Returns whether an error is a condition of the server or the network, and not of one request."""
    return isinstance(error, WaybillError) and (error.is_retryable or error.code in _SERVER_FAULTS)
