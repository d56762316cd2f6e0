import io
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any, cast

from fake_exchange import CHUNK, FakeExchange, lose_response
from wire_server import NO_REPLY, Reply, Seen, refuse

from waybill import FileToSend, RetryPolicy, UploadProgress, WaybillError

LARGE = os.urandom(2 * CHUNK + 4_321)
TO = ["a@example.org"]
FILES = [FileToSend("a.txt", content="a"), FileToSend("b.txt", content=b"bb")]


class SendingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.exchange = FakeExchange()
        self.addCleanup(self.exchange.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, content: bytes = b"x") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def assert_refused(self, code: str, *arguments: object, **options: object) -> WaybillError:
        with self.assertRaises(WaybillError) as caught:
            self.exchange.client().send(*arguments, **options)  # type: ignore[arg-type]
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception


class UploadTest(SendingTest):
    def assert_arrived(self, content: bytes) -> None:
        self.assertTrue(any(upload.content == content for upload in self.exchange.uploads.values()))

    def test_every_kind_of_source_arrives_with_its_bytes(self) -> None:
        for content in [b"", LARGE[:1_000], LARGE[: CHUNK + 5]]:
            path = self.write("source", content)
            pipe = self.folder / "pipe"
            os.mkfifo(pipe)
            feeder = os.fork() if content else 0
            if content and feeder == 0:
                with pipe.open("wb") as target:
                    target.write(content)
                os._exit(0)
            sources: list[object] = [
                path,
                str(path),
                FileToSend("f", path),
                FileToSend("f", content=content),
                FileToSend("f", content=io.BytesIO(content)),
                FileToSend("f", content=[content[:10], content[10:]]),
                *([FileToSend("f", pipe)] if content else []),
            ]
            for source in sources:
                with self.subTest(source=str(source)[:40], size=len(content)):
                    self.exchange.uploads.clear()
                    upload = self.exchange.client().uploads.upload(source)  # type: ignore[arg-type]
                    self.assertEqual(upload["size"], len(content))
                    self.assert_arrived(content)
            pipe.unlink()
            if content:
                os.waitpid(feeder, 0)

    def test_a_name_with_any_characters_is_preserved_and_cannot_inject_headers(self) -> None:
        name = 'Ä "quoted" (1) *\r\nX: y; 100%.txt'
        for content in [b"x", LARGE]:
            self.exchange.client().uploads.upload(FileToSend(name, content=content))
        self.assertEqual([upload.path for upload in self.exchange.uploads.values()], [name, name])
        for bad in ["", "\ud800"]:
            with self.assertRaises(WaybillError) as caught:
                self.exchange.client().uploads.upload(FileToSend(bad, content=b"x"))
            self.assertEqual(caught.exception.code, "invalid_name")

    def test_a_large_file_is_sent_in_one_request(self) -> None:
        progress: list[UploadProgress] = []
        self.exchange.client().uploads.upload(self.write("f", LARGE), on_progress=progress.append)
        self.assertEqual(self.exchange.parts, [("f", 0, len(LARGE))])
        self.assertEqual(progress[-1], UploadProgress("f", len(LARGE), len(LARGE)))

    def test_continues_from_the_offset_of_the_server(self) -> None:
        def cut_off(seen: Seen) -> Reply | None:
            """Stores a chunk of the first part, and closes the connection."""
            if seen.method != "PATCH" or self.exchange.parts:
                return None
            [upload] = self.exchange.uploads.values()
            upload.content = seen.body[:CHUNK]
            self.exchange.parts.append((upload.path, 0, CHUNK))
            return NO_REPLY

        self.exchange.intercept = cut_off
        self.exchange.client().uploads.upload(self.write("f", LARGE))
        self.assertEqual(self.exchange.parts, [("f", 0, CHUNK), ("f", CHUNK, len(LARGE) - CHUNK)])
        self.assert_arrived(LARGE)

    def test_failures_count_only_until_something_was_stored(self) -> None:
        def cut_off(seen: Seen) -> Reply | None:
            """Stores a little of every part, and closes the connection."""
            [upload] = self.exchange.uploads.values() or [None]
            if seen.method != "PATCH" or upload is None or len(seen.body) < CHUNK:
                return None
            upload.content += seen.body[: CHUNK // 2]
            return NO_REPLY

        self.exchange.intercept = cut_off
        self.exchange.client(retry=RetryPolicy(max_attempts=2)).uploads.upload(self.write("f", LARGE))
        self.assert_arrived(LARGE)

    def test_another_process_with_the_same_key_resumes(self) -> None:
        self.exchange.intercept = lambda seen: refuse(500, "internal") if seen.method == "PATCH" else None
        path = self.write("f", LARGE)
        with self.assertRaises(WaybillError):
            self.exchange.client().uploads.upload(path, idempotency_key="k")
        [upload] = self.exchange.uploads.values()
        upload.content = LARGE[:CHUNK]
        self.exchange.intercept = lambda _seen: None
        self.exchange.client().uploads.upload(path, idempotency_key="k")
        self.assertEqual(self.exchange.parts, [("f", CHUNK, len(LARGE) - CHUNK)])
        self.assert_arrived(LARGE)

    def test_a_proxy_that_limits_requests_gets_smaller_ones(self) -> None:
        def limit(seen: Seen) -> Reply | None:
            return Reply(413) if seen.method == "PATCH" and len(seen.body) > CHUNK else None

        self.exchange.intercept = limit
        self.exchange.client().uploads.upload(self.write("f", LARGE))
        self.assertEqual([length for _path, _offset, length in self.exchange.parts], [CHUNK, CHUNK, 4_321])

    def test_a_response_that_comes_before_the_end_of_the_body_counts(self) -> None:
        self.exchange.server.respond_early = lambda path: (
            refuse(507, "storage_full") if path.startswith("uploads/") and self.exchange.server.paths() else None
        )
        with self.assertRaises(WaybillError) as caught:
            self.exchange.client().uploads.upload(self.write("f", LARGE * 2))
        self.assertEqual(caught.exception.code, "storage_full")

    def test_a_file_that_changes_is_not_sent(self) -> None:
        path = self.write("f", LARGE)

        def change(seen: Seen) -> Reply | None:
            if seen.method == "PATCH":
                path.write_bytes(b"y" * len(LARGE))
                os.utime(path, ns=(1, 1))
            return None

        self.exchange.intercept = change
        with self.assertRaisesRegex(WaybillError, "f changed while it was being sent"):
            self.exchange.client().uploads.upload(path)

    def test_a_refused_file_is_named_and_removed(self) -> None:
        self.exchange.refusal = "infected"
        for content in [b"x", LARGE]:
            with self.assertRaises(WaybillError) as caught:
                self.exchange.client().uploads.upload(FileToSend("bad.com", content=content))
            self.assertEqual(caught.exception.code, "infected")
            self.assertIn("bad.com", str(caught.exception))
        self.assertEqual(self.exchange.uploads, {})

    def test_bytes_that_arrive_damaged_are_noticed(self) -> None:
        def damage(seen: Seen) -> Reply | None:
            if seen.method == "PATCH":
                [upload] = self.exchange.uploads.values()
                upload.content = b"y" * len(seen.body)
                return Reply(headers={"Upload-Offset": str(len(seen.body))})
            return None

        self.exchange.intercept = damage
        with self.assertRaisesRegex(WaybillError, "f was damaged in transit"):
            self.exchange.client().uploads.upload(self.write("f", LARGE))

    def test_what_cannot_be_read_is_refused_before_anything_is_sent(self) -> None:
        with open(self.write("text"), encoding="utf-8") as text:
            wrong: list[tuple[Path | FileToSend, str]] = [
                (self.folder / "missing", "source_failed"),
                (self.folder, "source_failed"),
                (FileToSend("f"), "invalid_argument"),
                (FileToSend("f", content=cast(Any, text)), "invalid_argument"),
                (FileToSend("f", content=b"x", type="a\r\nb"), "invalid_argument"),
            ]
            for bad, code in wrong:
                with self.subTest(bad=str(bad)), self.assertRaises(WaybillError) as caught:
                    self.exchange.client().uploads.upload(bad)
                self.assertEqual(caught.exception.code, code)
        self.assertEqual(self.exchange.server.requests, [])


class SendTest(SendingTest):
    def test_creates_one_drop_of_its_uploads(self) -> None:
        sent = self.exchange.client().send(
            FILES,
            ["a@example.org", {"email": "b@example.org", "language": "sv"}],
            message="Hello",
            days=3,
            notify=False,
        )
        asked = self.exchange.drops[sent.drop["id"]]["asked"]
        del asked["uploads"]
        receivers = [{"email": "a@example.org"}, {"email": "b@example.org", "language": "sv"}]
        self.assertEqual(asked, {"receivers": receivers, "message": "Hello", "expires_in": 259_200, "notify": False})
        self.assertEqual(self.exchange.drops[sent.drop["id"]]["files"], ["a.txt", "b.txt"])
        self.assertEqual([(file.path, file.size, file.scan) for file in sent.files][1], ("b.txt", 2, "clean"))
        self.assertFalse(sent.repeated)

    def test_sends_a_folder_with_the_paths_of_its_files(self) -> None:
        self.write("drawings/may/plan.pdf")
        self.write("drawings/a.txt")
        sent = self.exchange.client().send([self.folder / "drawings"], TO)
        self.assertEqual([file.path for file in sent.files], ["drawings/a.txt", "drawings/may/plan.pdf"])
        (self.folder / "drawings/link").symlink_to("/etc/passwd")
        self.assertIn("symbolic link", str(self.assert_refused("invalid_argument", [self.folder / "drawings"], TO)))
        (self.folder / "empty").mkdir()
        self.assert_refused("no_files", [self.folder / "empty"], TO)

    def test_a_repeated_call_sends_one_drop(self) -> None:
        first = self.exchange.client().send(FILES, TO, idempotency_key="nightly")
        self.exchange.is_daily_limit_reached = True
        second = self.exchange.client().send(FILES, TO, idempotency_key="nightly")
        self.assertEqual((first.repeated, second.repeated), (False, True))
        self.assertEqual(first.drop, second.drop)
        self.assertEqual(len(self.exchange.drops), 1)
        self.assert_refused("daily_limit", FILES, TO)

    def test_a_drop_whose_response_was_lost_is_sent_once(self) -> None:
        def lose_first(seen: Seen, reply: Reply) -> Reply:
            if seen.path != "drops":
                return reply
            self.exchange.deliver = lambda _seen, reply: reply
            return lose_response(seen, reply)

        self.exchange.deliver = lose_first
        self.exchange.client().send(FILES, TO)
        self.assertEqual(len(self.exchange.drops), 1)

    def test_uploads_that_were_removed_are_sent_again(self) -> None:
        client = self.exchange.client()
        self.exchange.intercept = lambda seen: refuse(500, "internal") if seen.path == "drops" else None
        self.assert_refused("internal", FILES, TO, idempotency_key="k")
        self.exchange.intercept = lambda _seen: None
        self.exchange.uploads.clear()
        self.assertFalse(client.send(FILES, TO, idempotency_key="k").repeated)

    def test_a_file_that_changed_since_an_earlier_call_is_sent_as_it_is(self) -> None:
        self.exchange.intercept = lambda seen: refuse(500, "internal") if seen.path == "drops" else None
        self.assert_refused("internal", [FileToSend("f", content=b"old")], TO, idempotency_key="k")
        self.exchange.intercept = lambda _seen: None
        sent = self.exchange.client().send([FileToSend("f", content=b"newer")], TO, idempotency_key="k")
        self.assertEqual(sent.files[0].size, 5)

    def test_a_stream_that_is_sent_again_keeps_its_bytes(self) -> None:
        def send(*contents: bytes) -> list[int | None]:
            files = [FileToSend(f"{index}", content=io.BytesIO(one)) for index, one in enumerate(contents)]
            return [file.size for file in self.exchange.client().send(files, TO, idempotency_key="k").files]

        old, new = [b"old", LARGE[:CHUNK]], [b"newer", LARGE[1 : CHUNK + 3]]
        self.exchange.intercept = lambda seen: refuse(500, "internal") if seen.path == "drops" else None
        with self.assertRaises(WaybillError):
            send(*old)
        with self.subTest("its key was used for other bytes"), self.assertRaises(WaybillError):
            send(*new)
        contents = [upload.content for upload in self.exchange.uploads.values()]
        self.assertEqual([len(content) for content in contents], [len(content) for content in [*old, *new]])
        self.assertTrue(contents == [*old, *new])
        with self.subTest("its upload was removed"):
            self.exchange.intercept = lambda _seen: None
            self.exchange.uploads.clear()
            self.assertEqual(send(*old), [len(content) for content in old])

    def test_checks_everything_before_the_first_byte(self) -> None:
        twice = [FileToSend("f", content=b"1"), FileToSend("f", content=b"2")]
        self.assert_refused("recipient_not_allowed", FILES, ["a@example.invalid"])
        self.assert_refused("no_receivers", FILES, [])
        self.assert_refused("no_receivers", FILES, "a@example.org")
        self.assert_refused("no_files", [], TO)
        self.assert_refused("invalid_argument", twice, TO)
        self.assert_refused("source_failed", [self.folder / "missing"], TO)
        for limits, code, max_size in [
            ({"file_size": 1, "file_size_reason": "scan"}, "too_large_to_scan", 1),
            ({"file_size": 1}, "too_large", 1),
            ({"stored_size": 2}, "storage_full", None),
            ({"files_per_drop": 1}, "too_many_files", None),
        ]:
            self.exchange.limits = limits  # type: ignore[assignment]
            self.assertEqual(self.assert_refused(code, FILES, TO).max_size, max_size)
        self.assertEqual((self.exchange.uploads, self.exchange.drops), ({}, {}))


class CompletionTest(SendingTest):
    def complete(self, *states: str, state: str = "live") -> None:
        [drop] = self.exchange.drops.values()
        drop["state"] = state
        drop["receivers"] = [{"id": index, "state": one} for index, one in enumerate(states)]
        self.exchange.add_event("drop.file_delivered", drop_id=drop["id"])

    def test_waits_until_every_receiver_has_every_file(self) -> None:
        def go_on(seen: Seen) -> Reply | None:
            if "wait=" in seen.path:
                waits.append(seen.path)
                if len(waits) == 1:
                    return Reply(value={"data": [], "next_cursor": "0", "has_more": True})
                self.complete("completed", "opened" if len(waits) == 2 else "revoked")
            return None

        waits: list[str] = []
        self.exchange.intercept = go_on
        self.exchange.client().send(FILES, [*TO, "b@example.org"], wait_for="completed")
        self.assertEqual(len(waits), 3)
        self.assertRegex(waits[0], r"^events\?type=drop.completed&type=.*&drop_id=[^&]+&cursor=0&wait=30$")

    def test_says_when_it_cannot_be_completed_any_more(self) -> None:
        sent = self.exchange.client().send(FILES, TO)
        for state in ["expired", "revoked"]:
            self.complete("opened", state=state)
            ended = self.exchange.client().drops.wait_for_completion(sent.drop["id"])
            self.assertEqual((ended.completed, ended.drop["state"]), (False, state))

    def test_with_a_key_that_may_not_read_events_the_drop_is_read_until_it_is_completed(self) -> None:
        def go_on(seen: Seen) -> Reply | None:
            if seen.path.startswith("events"):
                return refuse(403, "scope_missing")
            if seen.method == "GET" and seen.path.startswith("drops/"):
                reads.append(seen.path)
                self.complete("opened" if len(reads) < 3 else "completed")
            return None

        reads: list[str] = []
        self.exchange.intercept = go_on
        sent = self.exchange.client().send(FILES, TO, wait_for="completed")
        assert sent.completion is not None
        self.assertTrue(sent.completion.completed)
        self.assertEqual(self.exchange.server.runtime.sleeps, [2.0, 3.0])

    def test_a_key_that_may_read_neither_events_nor_the_drop_is_refused(self) -> None:
        sent = self.exchange.client().send(FILES, TO)
        self.exchange.intercept = lambda seen: refuse(403, "scope_missing")
        with self.assertRaises(WaybillError) as caught:
            self.exchange.client().drops.wait_for_completion(sent.drop["id"])
        self.assertEqual(caught.exception.code, "scope_missing")

    def test_a_negative_time_to_wait_sends_nothing(self) -> None:
        self.assert_refused("invalid_argument", FILES, TO, wait_for="completed", timeout=-1)
        self.assertEqual((self.exchange.uploads, self.exchange.drops), ({}, {}))

    def test_returns_the_drop_after_the_given_time(self) -> None:
        def pass_time(seen: Seen) -> Reply | None:
            if "wait=" in seen.path:
                self.exchange.server.runtime.time += 6
                return Reply(value={"data": [], "next_cursor": "0"})
            return None

        self.exchange.intercept = pass_time
        sent = self.exchange.client().send(FILES, TO, wait_for="completed", timeout=10)
        assert sent.completion is not None
        self.assertEqual((sent.completion.completed, sent.completion.drop["state"]), (False, "live"))
        self.assertEqual(sent.completion.drop["id"], sent.drop["id"])
        waits = [path for path in self.exchange.server.paths() if "wait=" in path]
        self.assertEqual([path[-7:] for path in waits], ["wait=10", "&wait=4"])

    def test_survives_an_outage_of_the_server(self) -> None:
        def be_away(seen: Seen) -> Reply | None:
            if "wait=" in seen.path:
                self.complete("completed")
            elif len(outage) < 8 and self.exchange.drops and seen.path.startswith("drops/"):
                outage.append(seen.path)
                return refuse(503, "unavailable")
            return None

        outage: list[str] = []
        self.exchange.intercept = be_away
        sent = self.exchange.client().send(FILES, TO, wait_for="completed")
        assert sent.completion is not None
        self.assertTrue(sent.completion.completed)
        self.assertIn(10.0, self.exchange.server.runtime.sleeps)

    def test_survives_a_cursor_that_expired(self) -> None:
        def expire(seen: Seen) -> Reply | None:
            if "wait=" not in seen.path:
                return None
            self.complete("completed")
            return refuse(410, "cursor_expired")

        self.exchange.intercept = expire
        sent = self.exchange.client().send(FILES, TO, wait_for="completed")
        self.assertEqual(sent.drop["reference"], "WB-0000-0001")


if __name__ == "__main__":
    unittest.main()
