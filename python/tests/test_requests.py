import os
import select
import threading
import unittest
from unittest.mock import patch

from wire_server import NO_REPLY, Reply, Seen, WireServer, refuse

from waybill import RetryPolicy, Stopped, Waybill, WaybillError, is_waybill_error

ACCOUNT = {"email": "alpha@machines.test"}


class RequestsTest(unittest.TestCase):
    def start(self, *replies: Reply) -> WireServer:
        """Starts a server that responds in this order, and then succeeds."""
        left = list(replies)
        server = WireServer(lambda _seen: left.pop(0) if left else Reply(value=ACCOUNT))
        self.addCleanup(server.close)
        return server

    def assert_fails(self, server: WireServer, code: str, **options: object) -> WaybillError:
        with self.assertRaises(WaybillError) as caught:
            server.client(**options).account()
        self.assertEqual(caught.exception.code, code)
        return caught.exception

    def test_retries_after_the_wait_that_the_server_asks_for(self) -> None:
        server = self.start(
            refuse(503, "unavailable", Retry_After="7"),
            refuse(429, "too_many_requests", Retry_After="3"),
            refuse(408, "request_timeout"),
            Reply(502, content=b"<h1>Bad gateway</h1>"),
            Reply(429),
        )
        retries: list[int] = []
        client = server.client(on_retry=lambda retry: retries.append(retry.attempt))
        self.assertEqual(client.account(), ACCOUNT)
        # Half of a bound that doubles from 0.2 s, added to the requested wait.
        self.assertEqual(server.runtime.sleeps, [7.1, 3.2, 0.4, 0.8, 1.6])
        self.assertEqual(retries, [2, 3, 4, 5, 6])

    def test_compares_a_date_with_the_clock_of_the_server(self) -> None:
        date, later = "Thu, 31 Jan 2030 12:00:00 GMT", "Thu, 31 Jan 2030 12:00:09 GMT"
        server = self.start(refuse(503, "unavailable", Retry_After=later, Date=date))
        server.client().account()
        self.assertEqual(server.runtime.sleeps, [9.1])

    def test_retries_if_the_connection_breaks_before_or_during_the_response(self) -> None:
        server = self.start(NO_REPLY, Reply(value=ACCOUNT, cut_at=9))
        self.assertEqual(server.client().account(), ACCOUNT)
        self.assertEqual(len(server.requests), 3)

    def test_raises_the_last_failure_after_the_maximum_number_of_attempts(self) -> None:
        server = self.start(*[refuse(503, "unavailable") for _ in range(9)])
        error = self.assert_fails(server, "unavailable", retry=RetryPolicy(max_attempts=3))
        self.assertEqual(len(server.runtime.sleeps), 2)
        self.assertEqual((error.status, error.title, str(error)), (503, "The unavailable", "This is unavailable."))
        self.assertEqual(error.instance, "urn:waybill:http-request:request-1")
        self.assertTrue(error.is_retryable)
        self.assertTrue(is_waybill_error(error, "unavailable"))
        self.assertFalse(is_waybill_error(error, "damaged"))

    def test_does_not_retry_if_the_server_asks_for_too_long_a_wait(self) -> None:
        server = self.start(refuse(503, "unavailable", Retry_After="86400"))
        self.assertEqual(self.assert_fails(server, "unavailable").retry_after_seconds, 86400)
        self.assertEqual(server.runtime.sleeps, [])

    def test_reports_other_refusals_at_once_with_all_faults(self) -> None:
        fault = {"pointer": "/receivers/0/email", "code": "invalid_input", "detail": "No address."}
        for status, code in [(400, "invalid_input"), (401, "unauthorized"), (404, "not_found"), (500, "internal")]:
            with self.subTest(code):
                server = self.start(refuse(status, code, [fault]))
                error = self.assert_fails(server, code)
                self.assertEqual(str(error), f"This is {code}.\n/receivers/0/email: No address.")
                self.assertEqual(len(server.requests), 1)

    def test_recognises_the_responses_of_other_servers(self) -> None:
        for reply in [
            Reply(302, headers={"Location": "https://elsewhere.example/"}),
            refuse(418, "teapot"),
            Reply(content=b"<h1>Welcome</h1>"),
        ]:
            with self.subTest(reply.status):
                self.assert_fails(self.start(reply), "unexpected_response")

    def test_repeats_a_post_with_the_same_key(self) -> None:
        server = self.start(NO_REPLY, Reply(value={"data": []}))
        server.client().inbox.claim()
        first, second = [seen.headers["idempotency-key"] for seen in server.requests]
        self.assertEqual(first, second)

    def test_a_delete_whose_response_was_lost_succeeds(self) -> None:
        server = self.start(NO_REPLY, refuse(404, "not_found"))
        server.client().uploads.delete("u")
        with self.assertRaises(WaybillError):
            self.start(refuse(404, "not_found")).client().uploads.delete("u")

    def test_reuses_a_connection_and_replaces_one_that_was_closed(self) -> None:
        server = self.start()
        client = server.client()
        for _ in range(3):
            client.account()
        self.assertEqual(server.connections, 1)
        server.respond = lambda _seen: Reply(value=ACCOUNT, headers={"Connection": "close"})
        client.account()
        client.account()
        self.assertEqual(server.connections, 2)
        self.assertEqual(server.runtime.sleeps, [])

    def test_a_connection_that_the_server_has_closed_is_not_used(self) -> None:
        server = self.start(Reply(value=ACCOUNT, cut_at=1_000))
        client = server.client()
        client.account()
        [connection] = client._transport._idle
        self.assertTrue(select.select([connection.sock], [], [], 60)[0])
        client.account()
        self.assertEqual((server.connections, server.runtime.sleeps), (2, []))

    def test_a_server_that_is_away_is_named(self) -> None:
        server = self.start()
        client = Waybill(server.url, "k", runtime=server.runtime, retry=RetryPolicy(max_attempts=2))
        server.close()
        with (
            client,
            self.assertRaisesRegex(WaybillError, r"127\.0\.0\.1:\d+ cannot be reached: the connection was refused\."),
        ):
            client.account()

    def test_a_stop_ends_a_request_in_progress(self) -> None:
        stop, arrived = threading.Event(), threading.Event()

        def hold(_seen: Seen) -> Reply:
            stop.set()
            arrived.wait(60)
            return NO_REPLY

        server = WireServer(hold)
        self.addCleanup(server.close)
        self.addCleanup(arrived.set)
        with self.assertRaises(Stopped):
            server.client().events.list(wait=30, stop=stop)
        self.assertEqual(list(server.client().events.follow(stop=stop)), [])

    def test_a_key_is_not_sent_unencrypted_to_another_machine(self) -> None:
        for url in ["https://files.example.org", "http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1/base"]:
            Waybill(url, "k").close()
        Waybill("http://files.example.org", "k", plain_http=True).close()
        with self.assertRaisesRegex(WaybillError, "unencrypted"):
            Waybill("http://files.example.org", "k")
        for url in ["files.example.org", "ftp://files.example.org", "https://", "http://[", "https://u:secret@h"]:
            with self.subTest(url), self.assertRaises(WaybillError) as caught:
                Waybill(url, "k")
            self.assertNotIn("secret", str(caught.exception))

    def test_the_address_of_the_server_is_not_that_of_the_api(self) -> None:
        with self.assertRaisesRegex(WaybillError, r"Use https://files.example.org/waybill alone\.$"):
            Waybill("https://files.example.org/waybill/api/v1/", "k")

    def test_a_key_that_is_no_key_is_not_repeated(self) -> None:
        with self.assertRaises(WaybillError) as caught:
            Waybill("https://files.example.org", "secret\n")
        self.assertNotIn("secret", str(caught.exception))

    def test_takes_the_address_and_the_key_from_the_environment(self) -> None:
        server = self.start()
        with patch.dict(os.environ, {"WAYBILL_URL": server.url, "WAYBILL_API_KEY": "wb_env"}), Waybill() as client:
            client.account()
        self.assertEqual(server.requests[0].headers["authorization"], "Bearer wb_env")
        with patch.dict(os.environ, {"WAYBILL_URL": server.url, "WAYBILL_API_KEY_FILE": __file__}, clear=True):
            self.assertRaisesRegex(WaybillError, "characters that no key has", Waybill)
        with patch.dict(os.environ, {}, clear=True):
            self.assertRaisesRegex(WaybillError, "WAYBILL_URL", Waybill)
            self.assertRaisesRegex(WaybillError, "WAYBILL_API_KEY", Waybill, server.url)


if __name__ == "__main__":
    unittest.main()
