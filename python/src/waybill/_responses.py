"""Reads responses of /api/v1."""

import json
import re
from email.utils import parsedate_to_datetime
from typing import Any

from ._retryable_errors import RETRYABLE_ERRORS
from ._transport import Response
from .errors import WaybillError

# Far above the size of any page of a list. Anything larger is read as a stream.
_MAX_BODY_BYTES = 64 * 1024 * 1024
# Far above the size of any error.
_MAX_ERROR_BYTES = 64 * 1024


def read_bytes(response: Response) -> bytes:
    content = response.read(_MAX_BODY_BYTES)
    if content is None:
        raise unexpected_response(response, f"a response of more than {_MAX_BODY_BYTES} bytes")
    return content


def read_json(response: Response) -> Any:
    content = read_bytes(response)
    try:
        return json.loads(content)
    except ValueError as cause:
        raise unexpected_response(response, "something that is not JSON") from cause


def read_content(response: Response) -> Any:
    """Returns None for a response without a body."""
    if response.headers["Content-Type"] is not None:
        return read_json(response)
    read_bytes(response)
    return None


def unexpected_response(response: Response, what: str) -> WaybillError:
    return WaybillError(
        "unexpected_response",
        f"The server responded with {response.status} and {what}. It may not be a Waybill server.",
        status=response.status,
        instance=_read_instance(response),
        retry_after_seconds=_read_retry_after(response),
    )


def read_error(response: Response) -> WaybillError:
    """Returns the error that a response describes (RFC 9457)."""
    problem = _parse_problem(response.read(_MAX_ERROR_BYTES))
    code, detail, title = problem.get("code"), problem.get("detail"), problem.get("title")
    status = response.status
    if isinstance(code, str) and code in RETRYABLE_ERRORS:
        detail = detail if isinstance(detail, str) else code
    elif status in (502, 503, 504):  # the response of a proxy whose server is down
        code, detail = "unavailable", f"The proxy cannot reach the server ({status})."
    elif status in (408, 429):
        code, detail = "unavailable", f"The server is busy ({status})."
    else:
        return unexpected_response(response, "an error that is not one of Waybill’s")
    faults, max_size = problem.get("errors"), problem.get("max_size")
    return WaybillError(
        code,
        detail,
        status=status,
        title=title if isinstance(title, str) else None,
        instance=_read_instance(response),
        retry_after_seconds=_read_retry_after(response),
        max_size=max_size if isinstance(max_size, int) else None,
        faults=faults if isinstance(faults, list) else (),
    )


def _parse_problem(content: bytes | None) -> dict[str, Any]:
    try:
        problem = json.loads(content or b"{}")
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _read_instance(response: Response) -> str | None:
    request_id = response.headers["X-Request-Id"]
    return None if request_id is None else f"urn:waybill:http-request:{request_id}"


def _read_retry_after(response: Response) -> float | None:
    """Reads seconds or a date (RFC 9110, 10.2.3). A date is compared with the server's clock."""
    asked, now = response.headers["Retry-After"], response.headers["Date"]
    if asked is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", asked):
        return float(asked)
    try:
        until, sent = (parsedate_to_datetime(str(time)) for time in (asked, now))
        return max(0.0, (until - sent).total_seconds())
    except (TypeError, ValueError):
        return None
