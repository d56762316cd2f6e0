import errno
import tempfile
import threading
import unittest
from collections.abc import Callable

from fake_exchange import FakeExchange
from wire_server import NO_REPLY, Reply, Seen, refuse

from waybill import LeasedEntry, RetryPolicy, WaybillError


class WorkerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.exchange = FakeExchange()
        self.addCleanup(self.exchange.close)
        # A third of the lease: renewals wait until the handler has returned.
        self.exchange.server.runtime.held_seconds = 100
        self.stop = threading.Event()
        self.errors: list[tuple[str | None, str]] = []

    def work(self, handler: Callable[[LeasedEntry], object], **options: object) -> None:
        """Works until a test sets `stop`."""

        def note(error: Exception, entry: LeasedEntry | None) -> None:
            self.errors.append((entry.id if entry else None, getattr(error, "code", type(error).__name__)))

        settings = {"on_error": note, "stop": self.stop, **options}
        # A call that ends only because it is stopped would otherwise fail in time.
        client = self.exchange.client(retry=RetryPolicy(max_attempts=settings.pop("max_attempts", 8)))  # type: ignore[arg-type]
        client.inbox.work(handler, lease_seconds=300, **settings)  # type: ignore[arg-type]

    def stop_when(self, is_over: Callable[[Seen], bool]) -> None:
        """Stops once a request was carried out."""

        def deliver(seen: Seen, reply: Reply) -> Reply:
            if is_over(seen):
                self.stop.set()
            return reply

        self.exchange.deliver = deliver

    def test_acknowledges_what_a_handler_has_done(self) -> None:
        entries = [self.exchange.add_entry(name, file=name.encode()) for name in ("a", "b")]
        handled: list[tuple[str, int, bytes]] = []

        def handle(entry: LeasedEntry) -> None:
            [file] = entry.files
            with entry.open_file(file) as download:
                handled.append((entry.sender, entry.attempts, b"".join(download)))

        self.stop_when(lambda seen: seen.path == "inbox/b/ack")
        self.work(handle)
        self.assertEqual(handled, [("beta@machines.test", 1, b"a"), ("beta@machines.test", 1, b"b")])
        self.assertEqual([(entry.is_done, entry.delays) for entry in entries], [(True, []), (True, [])])
        self.assertEqual(self.errors, [])

    def test_waits_for_arrivals_and_misses_none(self) -> None:
        def arrive(seen: Seen) -> Reply | None:
            if "wait=" in seen.path and not self.exchange.entries:
                threading.Thread(target=lambda: self.exchange.add_entry("late")).start()
            return None

        self.exchange.intercept = arrive
        self.stop_when(lambda seen: seen.path == "inbox/late/ack")
        self.work(lambda _entry: None)
        self.assertTrue(self.exchange.entries["late"].is_done)

    def test_a_key_that_may_not_read_events_polls(self) -> None:
        def arrive(seen: Seen) -> Reply | None:
            if seen.path.startswith("events"):
                return refuse(403, "scope_missing")
            if self.exchange.server.paths().count("POST inbox/claim") == 3 and not self.exchange.entries:
                self.exchange.add_entry("late")
            return None

        self.exchange.intercept = arrive
        self.stop_when(lambda seen: seen.path == "inbox/late/ack")
        self.work(lambda _entry: None, poll_seconds=50)
        self.assertEqual(self.exchange.server.runtime.sleeps[:2], [50.0, 50.0])
        self.assertEqual(len([path for path in self.exchange.server.paths() if "events" in path]), 1)

    def test_an_entry_whose_handler_fails_waits_as_long_as_the_server_says(self) -> None:
        entry = self.exchange.add_entry("a")

        def fail(_entry: LeasedEntry) -> None:
            if entry.attempts < 2:
                raise KeyError("bad file")

        self.stop_when(lambda seen: seen.path == "inbox/a/ack")
        self.work(fail)
        self.assertEqual((entry.attempts, entry.delays, entry.is_done), (2, [None], True))
        self.assertEqual(self.errors, [("a", "KeyError")])

    def test_a_fault_of_the_server_the_network_or_the_disk_is_no_refusal(self) -> None:
        entry = self.exchange.add_entry("a", file=b"content")
        faults: list[Exception | None] = [
            OSError(errno.ENOSPC, "no space"),
            WaybillError("unavailable", "The database is away."),
            None,
        ]

        def handle(_entry: LeasedEntry) -> None:
            fault = faults.pop(0)
            if fault is not None:
                raise fault

        outages = {"inbox/a": [refuse(500, "internal")] * 20, "inbox/a/ack": [NO_REPLY] * 20}

        def be_away(seen: Seen) -> Reply | None:
            return outages[seen.path].pop() if outages.get(seen.path) else None

        self.exchange.intercept = be_away
        self.stop_when(lambda seen: seen.path == "inbox/a/ack")
        self.work(handle)
        self.assertEqual((entry.attempts, entry.delays, entry.is_done), (1, [], True))
        self.assertEqual(faults, [])
        self.assertEqual([code for _id, code in self.errors[20:]], ["OSError", "unavailable", *["unreachable"] * 2])

    def test_an_entry_that_alone_cannot_be_read_does_not_delay_the_others(self) -> None:
        bad = self.exchange.add_entry("bad", file=b"bad")
        good = self.exchange.add_entry("good", file=b"good")
        self.exchange.intercept = lambda seen: refuse(500, "internal") if seen.path == "inbox/bad" else None
        self.stop_when(lambda seen: seen.path == "inbox/good/ack")
        self.work(lambda _entry: None)
        self.assertEqual((bad.delays[0], good.is_done), (None, True))
        reads = [seen.headers.get("range") for seen in self.exchange.server.requests if "/files/" in seen.path]
        self.assertEqual(reads[:3], ["bytes=0-0"] * 3)

    def test_a_claim_that_fails_is_repeated(self) -> None:
        self.exchange.add_entry("a")
        left = [NO_REPLY] * 9
        self.exchange.intercept = lambda seen: left.pop() if left and seen.path == "inbox/claim" else None
        self.stop_when(lambda seen: seen.path == "inbox/a/ack")
        self.work(lambda _entry: None, poll_seconds=50)
        self.assertEqual(self.errors, [(None, "unreachable")])
        self.assertIn(50.0, self.exchange.server.runtime.sleeps)

    def test_a_claim_whose_response_was_lost_leaves_no_entry_leased(self) -> None:
        entry = self.exchange.add_entry("a")
        lost = claims = 0

        def lose(seen: Seen, reply: Reply) -> Reply:
            nonlocal lost, claims
            if seen.path == "inbox/claim" and lost < 9:
                lost += 1
                return NO_REPLY
            claims += seen.path == "inbox/claim"
            if claims == 2 or seen.path == "inbox/a/ack":
                self.stop.set()
            return reply

        self.exchange.deliver = lose
        self.work(lambda _entry: None)
        self.assertEqual((entry.attempts, entry.is_done), (1, True))

    def test_a_stop_does_not_cut_off_a_claim(self) -> None:
        entry = self.exchange.add_entry("a")

        def stop(seen: Seen, reply: Reply) -> Reply:
            if seen.path == "inbox/claim" and not self.stop.is_set():
                self.stop.set()
                return NO_REPLY
            return reply

        self.exchange.deliver = stop
        self.work(lambda _entry: None)
        self.assertIsNone(entry.lease)

    def test_a_key_that_was_revoked_ends_the_work(self) -> None:
        self.exchange.intercept = lambda seen: refuse(401, "unauthorized") if seen.path == "inbox/claim" else None
        with self.assertRaises(WaybillError) as caught:
            self.work(lambda _entry: None)
        self.assertEqual(caught.exception.code, "unauthorized")

    def test_renews_the_lease_while_a_handler_runs(self) -> None:
        self.exchange.add_entry("a")
        renewed = threading.Event()

        def note(seen: Seen) -> Reply | None:
            if seen.path == "inbox/a/renew":
                self.assertEqual(seen.json(), {"lease": "lease a 1", "lease_seconds": 300})
                renewed.set()
            return None

        self.exchange.intercept = note
        self.stop_when(lambda seen: seen.path == "inbox/a/ack")

        def handle(_entry: LeasedEntry) -> None:
            self.exchange.server.runtime.time = 100.0
            self.assertTrue(renewed.wait(60))

        self.work(handle)
        self.assertEqual(self.errors, [])

    def test_a_lost_lease_ends_downloads_and_is_not_acknowledged(self) -> None:
        self.exchange.add_entry("a", file=b"content")

        def lose(seen: Seen) -> Reply | None:
            if seen.path == "inbox/a/renew":
                return refuse(409, "lease_not_held")
            if seen.path == "inbox/a/files/0":
                return NO_REPLY  # until the lease is lost
            return None

        def handle(entry: LeasedEntry) -> None:
            self.exchange.server.runtime.time = 100.0
            try:
                entry.download("/nonexistent" if entry.is_lost else self.enterContext(_temporary_folder()))
            finally:
                seen.append(entry.is_lost)
                self.stop.set()

        seen: list[bool] = []
        self.exchange.intercept = lose
        self.work(handle, max_attempts=1_000_000_000)
        self.assertEqual(self.errors, [("a", "lease_not_held")])
        self.assertEqual(seen, [True])
        self.assertNotIn("POST inbox/a/ack", self.exchange.server.paths())
        self.assertNotIn("POST inbox/a/nack", self.exchange.server.paths())

    def test_a_lease_is_lost_at_its_end_although_the_server_does_not_respond(self) -> None:
        runtime = self.exchange.server.runtime
        # The pause before the renewal is shorter by the time that the claim takes.
        runtime.held_seconds = 80
        self.exchange.add_entry("a")
        is_over = threading.Event()
        self.addCleanup(is_over.set)
        renewals: list[float] = []

        def be_away(seen: Seen) -> Reply | None:
            if seen.path == "inbox/claim" and not is_over.is_set():
                runtime.time += 20  # the lease may have begun before the response
            if seen.path != "inbox/a/renew":
                return None
            renewals.append(runtime.time)
            if len(renewals) == 1:
                return refuse(500, "internal")
            runtime.time = 299.0
            self.assertFalse(lost[0].is_set())
            runtime.time = 300.0
            is_over.wait(60)
            return NO_REPLY

        def handle(entry: LeasedEntry) -> None:
            lost.append(entry._lost)
            runtime.time = 100.0
            self.assertTrue(entry._lost.wait(30))
            is_over.set()
            self.stop.set()
            raise KeyError("the work that was begun cannot be finished")

        lost: list[threading.Event] = []
        self.exchange.intercept = be_away
        self.work(handle)
        self.assertEqual(self.errors, [("a", "lease_not_held")])
        self.assertEqual((renewals, runtime.sleeps.count(1.0)), ([100.0, 100.0], 1))

    def test_an_entry_of_an_old_claim_is_renewed_before_the_work(self) -> None:
        entry = self.exchange.add_entry("a")

        def be_slow(seen: Seen) -> Reply | None:
            if seen.path == "inbox/claim" and not entry.lease:
                self.exchange.server.runtime.time += 400
            if "wait=" in seen.path:
                self.stop.set()
            return refuse(409, "lease_not_held") if seen.path == "inbox/a/renew" else None

        self.exchange.intercept = be_slow
        self.work(lambda _entry: self.stop.set())
        self.assertIn((None, "lease_not_held"), self.errors)
        self.assertNotIn("GET inbox/a", self.exchange.server.paths())

    def test_a_cursor_that_expired_is_replaced(self) -> None:
        def expire(seen: Seen) -> Reply | None:
            if "wait=" in seen.path and not self.exchange.entries:
                self.exchange.add_entry("late")
                return refuse(410, "cursor_expired")
            return None

        self.exchange.intercept = expire
        self.stop_when(lambda seen: seen.path == "inbox/late/ack")
        self.work(lambda _entry: None)
        self.assertEqual(self.exchange.server.paths().count("GET events?cursor=end&limit=1"), 2)
        self.assertEqual(self.errors, [])

    def test_handlers_run_at_the_same_time_and_a_stop_lets_them_end(self) -> None:
        entries = [self.exchange.add_entry(name) for name in "abcd"]
        together = threading.Barrier(3, timeout=60)

        def handle(_entry: LeasedEntry) -> None:
            together.wait()
            self.stop.set()

        self.work(handle, concurrency=3)
        self.assertEqual([entry.is_done for entry in entries], [True, True, True, False])
        self.assertEqual(entries[3].attempts, 0)
        self.assertEqual(self.errors, [])

    def test_a_stop_ends_an_idle_worker(self) -> None:
        def stop(seen: Seen) -> Reply | None:
            if "wait=" in seen.path:
                self.stop.set()
            return None

        self.exchange.intercept = stop
        self.work(lambda _entry: None)
        self.assertEqual(self.exchange.server.paths()[-1], "GET events?cursor=0&wait=30")

    def test_a_stop_ends_the_wait_for_a_fault_to_pass(self) -> None:
        entry = self.exchange.add_entry("a")

        def fail(_entry: LeasedEntry) -> None:
            self.stop.set()
            raise WaybillError("unavailable", "The database is away.")

        self.exchange.server.runtime.held_seconds = 30
        self.work(fail)
        self.assertEqual((entry.delays, entry.is_done), ([0], False))

    def test_an_entry_that_no_handler_has_refused_is_not_parked(self) -> None:
        entry = self.exchange.add_entry("a", file=b"content")
        entry.attempts = 9

        def fail(_entry: LeasedEntry) -> None:
            raise WaybillError("unavailable", "The database is away.")

        def note(seen: Seen) -> Reply | None:
            if "bytes=0-0" in seen.headers.values():
                reads.append(seen.path)
            return None

        reads: list[str] = []
        other = self.exchange.add_entry("b", file=b"content")
        other.attempts = 10
        self.exchange.intercept = note
        self.stop_when(lambda seen: seen.path == "inbox/a/nack")
        self.work(fail)
        self.assertEqual((entry.delays, entry.is_parked), ([None], False))
        self.assertEqual(len(reads), 3)

    def test_an_entry_that_its_handler_has_refused_ten_times_is_parked(self) -> None:
        entry = self.exchange.add_entry("a")
        entry.attempts = 9
        self.stop_when(lambda seen: seen.path == "inbox/a/nack")
        self.work(lambda _entry: 1 / 0)
        self.assertTrue(entry.is_parked)

    def test_an_entry_that_was_handled_is_never_returned(self) -> None:
        entry = self.exchange.add_entry("a")
        self.exchange.intercept = lambda seen: refuse(400, "invalid_input") if seen.path == "inbox/a/ack" else None
        self.work(lambda _entry: self.stop.set())
        self.assertEqual((entry.delays, self.errors), ([], [("a", "invalid_input")]))

    def test_an_entry_that_cannot_be_acknowledged_does_not_hold_its_thread(self) -> None:
        bad, good = self.exchange.add_entry("bad"), self.exchange.add_entry("good")
        runtime, renewals = self.exchange.server.runtime, threading.Semaphore(0)

        def fail(seen: Seen) -> Reply | None:
            if seen.path == "inbox/bad/renew":
                renewals.release()
            if seen.path != "inbox/bad/ack":
                return None
            runtime.time += 100
            # The server renews the lease all the time.
            self.assertTrue(renewals.acquire(timeout=30))
            return refuse(500, "internal")

        self.exchange.intercept = fail
        self.stop_when(lambda seen: seen.path == "inbox/good/ack")
        self.work(lambda _entry: None, max_attempts=1, concurrency=1)
        self.assertEqual((bad.is_done, bad.delays, good.is_done), (False, [], True))
        self.assertEqual(self.errors, [("bad", "internal")] * 15)

    def test_an_entry_that_was_claimed_during_a_stop_is_returned_at_once(self) -> None:
        entry = self.exchange.add_entry("a")
        self.stop_when(lambda seen: seen.path == "inbox/claim")
        self.work(lambda _entry: self.fail("the work was stopped"))
        self.assertEqual((entry.delays, self.errors), ([0], []))

    def test_an_entry_that_expired_is_skipped(self) -> None:
        self.exchange.add_entry("a")
        self.exchange.intercept = lambda seen: refuse(404, "not_found") if seen.path == "inbox/a" else None
        self.stop_when(lambda seen: "wait=" in seen.path or self.exchange.server.paths().count("GET inbox/a") > 0)
        self.work(lambda _entry: self.fail("there is no such entry"))
        self.assertEqual(self.errors, [])

    def test_errors_are_logged_without_on_error(self) -> None:
        self.exchange.add_entry("a")
        self.stop_when(lambda seen: seen.path == "inbox/a/nack")
        with self.assertLogs("waybill") as logged:
            self.work(lambda _entry: 1 / 0, on_error=None)
        self.assertIn("The work on inbox entry a failed: division by zero", logged.output[0])


class QueueTest(unittest.TestCase):
    def test_claim_renew_ack_nack(self) -> None:
        exchange = FakeExchange()
        self.addCleanup(exchange.close)
        exchange.add_entry("a/b")
        inbox = exchange.client().inbox
        [entry] = inbox.claim(max=1, lease_seconds=60)
        self.assertEqual(exchange.server.requests[-1].json(), {"max": 1, "lease_seconds": 60})
        inbox.renew(entry, lease_seconds=90)
        inbox.nack(entry, delay_seconds=0)
        with self.assertRaises(WaybillError) as caught:
            inbox.ack(entry)
        self.assertEqual(caught.exception.code, "lease_not_held")
        self.assertEqual([one["id"] for one in inbox.list(state="available")], ["a/b"])
        self.assertEqual(exchange.server.paths()[1:3], ["POST inbox/a%2Fb/renew", "POST inbox/a%2Fb/nack"])


def _temporary_folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory()


if __name__ == "__main__":
    unittest.main()
