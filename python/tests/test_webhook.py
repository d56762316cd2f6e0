import base64
import hashlib
import hmac
import json
import unittest
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from waybill import WebhookVerificationError, verify_webhook

NOW = 1_900_000_000
EVENT = {"type": "drop.completed", "timestamp": "2030-03-17T17:46:40.000Z", "data": {"drop_id": "d"}}
BODY = json.dumps(EVENT).encode()
SECRET_BYTES = b"\x07" * 32
PRIVATE_KEY = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)


def to_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


SECRET = f"whsec_{to_base64(SECRET_BYTES)}"
OTHER_SECRET = f"whsec_{to_base64(b'other')}"
PUBLIC_KEY = f"whpk_{to_base64(PRIVATE_KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))}"


def sign(body: bytes) -> dict[str, str]:
    content = f"event-1.{NOW}.".encode() + body
    v1 = to_base64(hmac.digest(SECRET_BYTES, content, hashlib.sha256))
    v1a = to_base64(PRIVATE_KEY.sign(content))
    signature = f"v1,bm9uZQ== v9,future v1,{v1} v1a,{v1a}"
    return {"webhook-id": "event-1", "webhook-timestamp": str(NOW), "webhook-signature": signature}


HEADERS = sign(BODY)


class WebhookTest(unittest.TestCase):
    def refuse(
        self, message: str, headers: Mapping[str, str], body: bytes = BODY, *keys: str, seconds: float = 0
    ) -> None:
        with self.assertRaisesRegex(WebhookVerificationError, message):
            verify_webhook(body, headers, keys or [SECRET, PUBLIC_KEY], now=lambda: NOW + seconds)

    def test_accepts_a_signed_request(self) -> None:
        for keys in [SECRET, PUBLIC_KEY, [OTHER_SECRET, PUBLIC_KEY]]:
            self.assertEqual(verify_webhook(BODY, HEADERS, keys, now=lambda: NOW), {**EVENT, "id": "event-1"})

    def test_accepts_headers_and_bodies_of_any_kind(self) -> None:
        kinds: list[Mapping[str, str] | list[tuple[str, str]]] = [
            {name.title(): value for name, value in HEADERS.items()},
            list(HEADERS.items()),
        ]
        for headers in kinds:
            verified = verify_webhook(BODY.decode(), headers, SECRET, now=lambda: NOW)
            self.assertEqual(verified["type"], "drop.completed")

    def test_refuses_what_was_changed(self) -> None:
        _none, _future, v1, v1a = HEADERS["webhook-signature"].split(" ")
        self.refuse("No signature", HEADERS, BODY + b" ")
        for changed, message in [
            ({"webhook-id": "event-2"}, "No signature"),
            ({"webhook-id": "\udcff"}, "No signature"),
            ({"webhook-timestamp": str(NOW + 1)}, "No signature"),
            ({"webhook-timestamp": "1e9"}, "not a time"),
            ({"webhook-timestamp": "١"}, "not a time"),
            ({"webhook-signature": ""}, "The header webhook-signature is missing"),
            ({"webhook-signature": "v1, v1a,"}, "No signature"),
            ({"webhook-signature": "v1,é v1a,é"}, "No signature"),
            ({"webhook-signature": v1.replace("v1,", "v1a,")}, "No signature"),
            ({"webhook-signature": v1a.replace("v1a,", "v1,")}, "No signature"),
            ({"webhook-signature": v1[:-8]}, "No signature"),
        ]:
            with self.subTest(changed):
                self.refuse(message, {**HEADERS, **changed})
        self.refuse("webhook-id is missing", {})
        self.refuse("No signature", HEADERS, BODY, OTHER_SECRET)
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(BODY, HEADERS, [], now=lambda: NOW)

    def test_refuses_what_is_too_old_or_from_the_future(self) -> None:
        for seconds in (300, -300):
            verify_webhook(BODY, HEADERS, SECRET, now=lambda seconds=seconds: NOW + seconds)  # type: ignore[misc]
        for seconds in (301, -301):
            self.refuse("differs too much", HEADERS, seconds=seconds)
        verify_webhook(BODY, HEADERS, SECRET, now=lambda: NOW + 301, tolerance_seconds=600)

    def test_refuses_what_is_signed_but_no_event(self) -> None:
        for body, message in [(b"{", "not JSON"), (b"[]", "not an event"), (b"\xff", "not JSON")]:
            self.refuse(message, sign(body), body)

    def test_a_key_that_is_none_is_an_error_of_the_program(self) -> None:
        for key in ["", "whsec_", to_base64(SECRET_BYTES), PUBLIC_KEY[:-8], "whsec_a", f"{SECRET}\n"]:
            with self.subTest(key), self.assertRaisesRegex(ValueError, "begin with whsec_"):
                verify_webhook(BODY, HEADERS, key, now=lambda: NOW)

    def test_accepts_the_example_of_the_standard(self) -> None:
        """The test vector of https://github.com/standard-webhooks/standard-webhooks."""
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        verified = verify_webhook('{"test": 2432232314}', headers, secret, now=lambda: 1_614_265_330)
        self.assertEqual(verified, {"id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "test": 2_432_232_314})


if __name__ == "__main__":
    unittest.main()
