import base64
import fcntl
import hashlib
import os
import tempfile
import unittest
from io import FileIO
from pathlib import Path
from unittest.mock import patch

from fake_exchange import FakeExchange
from wire_server import Reply, Seen

from waybill import DownloadedFile, DownloadProgress, WaybillError, safe_local_name, safe_local_paths

CONTENT = os.urandom(3_000_000)


class DownloadsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.exchange = FakeExchange()
        self.addCleanup(self.exchange.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.inbox = self.exchange.client().inbox

    def download(self, **files: bytes) -> list[DownloadedFile]:
        self.exchange.add_entry("e", **files)
        return self.inbox.download(self.inbox.get("e"), self.folder)

    def cut_at(self, *places: int) -> None:
        """Breaks the connection of the next downloads after so many bytes."""
        left = list(places)

        def cut(seen: Seen, reply: Reply) -> Reply:
            if "/files/" not in seen.path or not left:
                return reply
            return Reply(reply.status, reply.value, reply.headers, reply.content, left.pop(0))

        self.exchange.deliver = cut

    def ranges(self) -> list[str | None]:
        return [seen.headers.get("range") for seen in self.exchange.server.requests if "/files/" in seen.path]

    def names(self) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def test_downloads_all_files_of_an_entry(self) -> None:
        found = self.download(empty=b"", one=b"1", large=CONTENT)
        self.assertEqual([file.path.name for file in found], ["empty", "one", "large"])
        self.assertEqual((self.folder / "large").read_bytes(), CONTENT)
        self.assertEqual(found[2].sha256, hashlib.sha256(CONTENT).hexdigest())
        self.assertEqual(self.names(), ["empty", "large", "one"])

    def test_resumes_where_the_connection_broke(self) -> None:
        self.cut_at(1_000_000, 0, 5)
        self.download(large=CONTENT)
        self.assertEqual((self.folder / "large").read_bytes(), CONTENT)
        self.assertEqual(self.ranges(), [None, *["bytes=1000000-"] * 2, "bytes=1000005-"])
        self.assertEqual(len([1 for seen in self.exchange.server.requests if "if-range" in seen.headers]), 3)

    def test_resumes_the_part_of_another_process(self) -> None:
        part = self.folder / ".waybill-0.part"
        for left, asked in [
            (CONTENT[:2_000_000], ["bytes=1999999-"]),
            (CONTENT, ["bytes=2999999-"]),
            (CONTENT + b"more", ["bytes=3000003-", None]),
            (b"other" + CONTENT[5:9_000], ["bytes=8999-", None]),
            (b"x", [None]),
        ]:
            with self.subTest(len(left)):
                self.exchange.server.requests.clear()
                part.write_bytes(left)
                self.download(large=CONTENT)
                self.assertEqual((self.folder / "large").read_bytes(), CONTENT)
                self.assertEqual(self.ranges(), asked)
                self.assertEqual(self.names(), ["large"])
                (self.folder / "large").unlink()

    def test_a_damaged_file_never_gets_its_name(self) -> None:
        def damage(seen: Seen, reply: Reply) -> Reply:
            content = (reply.content or b"")[:-1] + b"?"
            return Reply(reply.status, reply.value, reply.headers, content) if "/files/" in seen.path else reply

        self.exchange.deliver = damage
        with self.assertRaises(WaybillError) as caught:
            self.download(large=CONTENT)
        self.assertEqual(caught.exception.code, "digest_mismatch")
        self.assertEqual(self.names(), [".waybill-0.part"])
        self.assertEqual((self.folder / ".waybill-0.part").stat().st_size, 0)

    def test_a_file_that_changes_meanwhile_is_downloaded_anew(self) -> None:
        self.cut_at(1_000_000)
        deliver = self.exchange.deliver

        def change(seen: Seen, reply: Reply) -> Reply:
            if "if-range" in seen.headers:
                other = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
                return Reply(200, headers={"ETag": '"other"', "Repr-Digest": f"sha-256=:{other}:"}, content=b"other")
            return deliver(seen, reply)

        self.exchange.deliver = change
        with self.assertRaisesRegex(WaybillError, "has changed since its download began"):
            self.download(large=CONTENT)
        self.assertEqual(self.names(), [".waybill-0.part"])

    def test_a_file_that_is_there_is_kept(self) -> None:
        (self.folder / "report__pdf".replace("__", ".")).write_bytes(CONTENT)
        self.assertEqual(self.download(report__pdf=CONTENT)[0].size, len(CONTENT))
        self.assertEqual(self.ranges(), [])
        for content in [b"mine", b"x" * len(CONTENT)]:
            (self.folder / "report.pdf").write_bytes(content)
            with self.assertRaisesRegex(WaybillError, "exists already, with another content"):
                self.download(report__pdf=CONTENT)
            self.assertEqual((self.folder / "report.pdf").read_bytes(), content)

    def test_a_file_that_appears_during_the_download_is_kept(self) -> None:
        def create(seen: Seen, reply: Reply) -> Reply:
            if "/files/" in seen.path:
                (self.folder / "report.pdf").write_bytes(b"mine")
            return reply

        for link in [os.link, lambda *_: (_ for _ in ()).throw(PermissionError())]:
            with patch("os.link", link):
                (self.folder / "report.pdf").unlink(missing_ok=True)
                self.exchange.deliver = create
                with self.assertRaises(WaybillError) as caught:
                    self.download(report__pdf=CONTENT)
                self.assertEqual(caught.exception.code, "target_exists")
                self.assertEqual((self.folder / "report.pdf").read_bytes(), b"mine")

    def test_works_on_file_systems_without_hard_links(self) -> None:
        with patch("os.link", side_effect=PermissionError):
            self.download(report__pdf=CONTENT)
        self.assertEqual((self.folder / "report.pdf").read_bytes(), CONTENT)
        self.assertEqual(self.names(), ["report.pdf"])

    def test_two_downloads_do_not_write_the_same_part(self) -> None:
        with (self.folder / ".waybill-0.part").open("wb") as part:
            fcntl.flock(part, fcntl.LOCK_EX)
            with self.assertRaisesRegex(WaybillError, "Another download is writing"):
                self.download(large=CONTENT)
        self.download(large=CONTENT)

    def test_a_part_that_another_download_has_just_finished_is_opened_anew(self) -> None:
        part = self.folder / ".waybill-0.part"
        lock = fcntl.flock
        finished: list[bool] = []

        def finish(file: FileIO, operation: int) -> None:
            lock(file, operation)
            if not finished:
                part.unlink()
            finished.append(True)

        with patch("fcntl.flock", finish):
            self.download(large=CONTENT)
        self.assertEqual((self.folder / "large").read_bytes(), CONTENT)
        self.assertEqual(len(finished), 2)

    def test_a_part_that_is_a_link_is_not_followed(self) -> None:
        (self.folder / "other").write_bytes(b"mine")
        (self.folder / ".waybill-0.part").symlink_to(self.folder / "other")
        with self.assertRaises(OSError):
            self.download(large=CONTENT)
        self.assertEqual((self.folder / "other").read_bytes(), b"mine")

    def test_names_do_not_lead_out_of_the_folder(self) -> None:
        self.exchange.add_entry("e").files = {"../a": b"1", "a/../../b": b"2", "/etc/c": b"3", "CON": b"4", "con": b"5"}
        found = self.inbox.download(self.inbox.get("e"), self.folder / "in")
        self.assertEqual([file.path.read_bytes() for file in found], [b"1", b"2", b"3", b"4", b"5"])
        self.assertTrue(all(name.startswith("in/") for name in self.names()))
        self.assertEqual(safe_local_paths(["x/a.txt", "X/A.txt"]), ["x/a.txt", "x/A (2).txt"])
        self.assertEqual(safe_local_name("a:b?.txt"), "a_b_.txt")

    def test_a_stream_is_checked_and_resumed(self) -> None:
        self.exchange.add_entry("e", large=CONTENT)
        [file] = self.inbox.get("e")["files"]
        self.cut_at(1_000_000)
        progress: list[DownloadProgress] = []
        with self.inbox.open_file("e", file, on_progress=progress.append) as download:
            self.assertEqual(b"".join(download), CONTENT)
        self.assertEqual(progress[0], DownloadProgress("large", 0, len(CONTENT)))
        self.assertEqual(progress[-1], DownloadProgress("large", len(CONTENT), len(CONTENT)))
        self.assertEqual((download.name, download.size), ("large", len(CONTENT)))

    def test_a_stream_that_is_left_closes_its_connection(self) -> None:
        self.exchange.add_entry("e", large=CONTENT)
        [file] = self.inbox.get("e")["files"]
        with self.inbox.open_file("e", file) as download:
            next(iter(download))
        self.assertEqual(self.inbox.get("e")["id"], "e")
        self.assertEqual(self.exchange.server.connections, 2)

    def test_a_file_to_a_path(self) -> None:
        self.exchange.add_entry("e", large=CONTENT)
        [file] = self.inbox.get("e")["files"]
        found = self.inbox.download_file("e", file, self.folder / "new" / "name")
        self.assertEqual(found.path.read_bytes(), CONTENT)


if __name__ == "__main__":
    unittest.main()
