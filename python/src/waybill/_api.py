"""Calls /api/v1: sends requests with credentials, retries those that may be retried, and classifies failures."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from . import _paths
from ._options import Query, Runtime, Stop, require_running
from ._responses import read_content, read_error, read_json, unexpected_response
from ._retry import Retry, RetryPolicy, retry_delay
from ._transport import Body, OutgoingRequest, Response, Transport
from .errors import WaybillError

T = TypeVar("T")
# The maximum that the server allows.
_PAGE_SIZE = 100


@dataclass(frozen=True)
class Call(Generic[T]):
    method: str
    path: str
    # Reads the response. Part of the attempt: if the response breaks off, the request is retried.
    read: Callable[[Response], T]
    headers: Mapping[str, str] = field(default_factory=dict)
    # Called again for every attempt.
    body: Callable[[], Body] | None = None
    stop: Stop = None


class ApiClient:
    """Calls of one account, which any number of threads may share."""

    def __init__(
        self,
        transport: Transport,
        api_key: str,
        policy: RetryPolicy,
        runtime: Runtime,
        on_retry: Callable[[Retry], None] | None,
    ) -> None:
        self.runtime = runtime
        self._transport = transport
        self._authorization = f"Bearer {api_key}"
        self._policy = policy
        self._on_retry = on_retry

    def call(self, call: Call[T]) -> T:
        """Sends a request, and retries it."""
        failures = 0
        while True:
            try:
                return self.attempt(call)
            except WaybillError as error:
                failures += 1
                self.wait_before_retry(error, failures, call.stop)

    def attempt(self, call: Call[T]) -> T:
        """Sends a request once, for callers that retry by themselves."""
        body = None if call.body is None else call.body()
        headers = {"Authorization": self._authorization, **call.headers}
        response = self._transport.exchange(OutgoingRequest(call.method, call.path, headers, body, call.stop))
        if 300 <= response.status < 400:
            response.close()
            raise unexpected_response(response, f"a redirect to {response.headers['Location'] or 'nowhere'}")
        if response.status >= 400:
            raise self._name_host(read_error(response))
        return call.read(response)

    def wait_before_retry(self, error: WaybillError, failures: int, stop: Stop = None, *passing: str) -> None:
        """Waits before the next attempt; raises the error if there should be none."""
        require_running(stop)
        is_retryable = error.is_retryable or error.code in passing
        pause = retry_delay(self._policy, self.runtime, failures, error, is_retryable)
        if pause is None:
            raise error
        if self._on_retry is not None:
            self._on_retry(Retry(failures + 1, self._policy.max_attempts, error))
        self.runtime.sleep(pause, stop)

    def get(self, path: str, query: Query | None = None, stop: Stop = None) -> Any:
        return self.call(Call("GET", _paths.add_query(path, query or {}), read_json, stop=stop))

    def list(self, path: str, query: Query | None = None) -> Iterator[Any]:
        """Yields all entries of a list. One page is in memory at a time."""
        cursor: str | None = None
        while True:
            page = self.get(path, {"limit": _PAGE_SIZE, **(query or {}), "cursor": cursor})
            yield from page["data"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def post(self, path: str, content: object = None, idempotency_key: str | None = None, stop: Stop = None) -> Any:
        """Uses one idempotency key for all attempts: a request is carried out once even if its response is lost."""
        headers = {"Idempotency-Key": idempotency_key or self.runtime.uuid()}
        if content is None:
            return self.call(Call("POST", path, read_content, headers, stop=stop))
        body = json.dumps(content).encode()
        headers["Content-Type"] = "application/json"
        return self.call(Call("POST", path, read_content, headers, lambda: body, stop))

    def delete(self, path: str) -> None:
        failures = 0
        while True:
            try:
                self.attempt(Call("DELETE", path, read_content))
                return
            except WaybillError as error:
                # An earlier attempt, whose response was lost, has deleted it.
                if failures > 0 and error.code == "not_found":
                    return
                failures += 1
                self.wait_before_retry(error, failures)

    def _name_host(self, error: WaybillError) -> WaybillError:
        """Names the host, which the server does not repeat if it does not serve it."""
        if error.code != "wrong_host":
            return error
        return error.with_detail(f"The server does not serve the host name {self._transport.host}.")
