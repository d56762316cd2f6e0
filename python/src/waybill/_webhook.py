"""Verifies requests to webhooks according to Standard Webhooks 1.0.0."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict, cast


class WebhookEvent(TypedDict):
    """An event as Waybill posts it to a webhook."""

    # The same for every attempt and every replay: skip an event whose id you have seen.
    id: str
    # Such as `drop.completed`. Ignore types that you do not know.
    type: str
    # When it happened.
    timestamp: str
    # The details of the event: the same fields as `data` of an `AccountEvent` of this type.
    data: dict[str, Any]


class WebhookVerificationError(Exception):
    """The request was not sent for this webhook, was changed in transit, or is too old. Respond with 400 or 401."""


_Check: TypeAlias = Callable[[str, bytes], bool]


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str] | Iterable[tuple[str, str]],
    keys: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Verifies a request to a webhook, and returns its event.

    `body` is the body exactly as it was received, not parsed and serialized again. `keys` is the `secret` of the
    webhook (`whsec_…`) or one of its `public_keys` (`whpk_…`), or several while the secret is being replaced. Public
    keys need the package `cryptography`. Raises a `WebhookVerificationError` if the request is not signed with one of
    the keys, or if its time differs too much from the clock.
    """
    checks = [_create_check(key) for key in ([keys] if isinstance(keys, str) else keys)]
    fields = {name.lower(): value for name, value in (headers.items() if isinstance(headers, Mapping) else headers)}
    event_id = _read_header(fields, "webhook-id")
    timestamp = _read_header(fields, "webhook-timestamp")
    signatures = _read_header(fields, "webhook-signature").split(" ")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("webhook-timestamp is not a time.")
    if abs(now() - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("webhook-timestamp differs too much from the clock of this machine.")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{event_id}.{timestamp}.".encode(errors="replace") + content
    if not any(is_signed(signature, signed) for signature in signatures for is_signed in checks):
        raise WebhookVerificationError("No signature matches one of the keys.")
    # Another owner of the key may have sent something else.
    try:
        event = json.loads(content)
    except ValueError as cause:
        raise WebhookVerificationError("The body is not JSON.") from cause
    if not isinstance(event, dict):
        raise WebhookVerificationError("The body is not an event.")
    event["id"] = event_id
    return cast(WebhookEvent, event)


def _create_check(key: str) -> _Check:
    """Returns a check for a key, which is used only for its own kind of signature."""
    found = re.fullmatch(r"(whsec|whpk)_([A-Za-z0-9+/]+={0,2})", key)
    secret = _decode(found[2]) if found else b""
    if found and secret and found[1] == "whsec":
        return lambda signature, signed: hmac.compare_digest(
            _parse_signature(signature, "v1"), hmac.digest(secret, signed, hashlib.sha256)
        )
    if found and len(secret) == 32 and found[1] == "whpk":
        return _create_public_key_check(secret)
    raise ValueError("The key of a webhook must begin with whsec_ or whpk_.")


def _create_public_key_check(key: bytes) -> _Check:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as cause:
        message = "Public keys of webhooks need the package cryptography: pip install 'waybill-client[public-keys]'"
        raise ImportError(message) from cause
    public_key = Ed25519PublicKey.from_public_bytes(key)

    def check(signature: str, signed: bytes) -> bool:
        try:
            public_key.verify(_parse_signature(signature, "v1a"), signed)
        except InvalidSignature:
            return False
        return True

    return check


def _parse_signature(signature: str, version: str) -> bytes:
    found, _comma, encoded = signature.partition(",")
    return _decode(encoded) if found == version else b""


def _decode(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _read_header(fields: Mapping[str, str], name: str) -> str:
    value = fields.get(name)
    if not value:
        raise WebhookVerificationError(f"The header {name} is missing.")
    return value
