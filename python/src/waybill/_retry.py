"""The policy by which requests are retried."""

from dataclasses import dataclass

from ._options import Runtime
from .errors import WaybillError


@dataclass(frozen=True)
class RetryPolicy:
    """How often and for how long a request is retried."""

    # The maximum number of attempts, including the first.
    max_attempts: int = 8
    # The upper bound of the first delay. It doubles with every further delay.
    initial_delay_seconds: float = 0.2
    # The upper bound of all delays.
    max_delay_seconds: float = 20.0
    # The request is not retried if the server asks for a longer wait.
    max_retry_after_seconds: float = 300.0


@dataclass(frozen=True)
class Retry:
    """A request that is sent again."""

    # The number of the next attempt: 2, 3, …
    attempt: int
    # The maximum number of attempts.
    max_attempts: int
    # Why the last attempt failed.
    error: WaybillError


def retry_delay(
    policy: RetryPolicy, runtime: Runtime, failures: int, error: WaybillError, is_retryable: bool
) -> float | None:
    """Returns the seconds before a request that failed `failures` times is sent again; None if it should not be.

    The delay is random up to a growing bound, so that clients that failed together do not return together, and is added
    to the wait that the server asked for.
    """
    if not is_retryable or failures >= policy.max_attempts:
        return None
    asked = error.retry_after_seconds or 0.0
    if asked > policy.max_retry_after_seconds:
        return None
    bound = min(policy.max_delay_seconds, policy.initial_delay_seconds * 2.0 ** min(failures - 1, 30))
    return asked + runtime.random() * bound
