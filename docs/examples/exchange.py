#!/usr/bin/env python3
"""Sends files with Waybill, and fetches what others send until it gets SIGTERM or SIGINT.

    export WAYBILL_URL=https://files.example.org WAYBILL_API_KEY=...
    python3 exchange.py send film.mov report.pdf --to anna@example.org --message "As agreed." --key order-4711
    python3 exchange.py work /srv/incoming

A send that was interrupted continues where it stopped if it is repeated with the same key, and is never sent twice.
"""

import argparse
import signal
import threading
from pathlib import Path

from waybill import LeasedEntry, UploadProgress, Waybill, WaybillError


def send(waybill: Waybill, arguments: argparse.Namespace) -> None:
    def show(progress: UploadProgress) -> None:
        print(f"{progress.name}: {progress.sent_bytes} of {progress.total_bytes} bytes", flush=True)

    options = {"message": arguments.message, "idempotency_key": arguments.key, "on_progress": show}
    drop = waybill.send(arguments.files, arguments.to, **options).drop
    print(f"Sent as {drop['reference']}, until {drop['expires_at']}.")


def work(waybill: Waybill, arguments: argparse.Namespace) -> None:
    def store(entry: LeasedEntry) -> None:
        for file in entry.download(arguments.folder / entry.id):
            print(f"{entry.sender}: {file.path}", flush=True)

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    waybill.inbox.work(store, concurrency=4, stop=stop)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    sending = commands.add_parser("send", help="send files")
    sending.set_defaults(run=send)
    sending.add_argument("files", nargs="+", type=Path)
    sending.add_argument("--to", action="append", required=True, metavar="EMAIL")
    sending.add_argument("--message")
    sending.add_argument("--key", help="identifies this send if it is repeated")
    working = commands.add_parser("work", help="fetch what others send")
    working.set_defaults(run=work)
    working.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    try:
        with Waybill() as waybill:
            arguments.run(waybill, arguments)
    except WaybillError as error:
        raise SystemExit(f"exchange: {error}") from error


if __name__ == "__main__":
    main()
