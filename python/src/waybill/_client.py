"""The client for one account."""

import os
import re
import ssl
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from . import _paths
from ._api import ApiClient
from ._drops import Drops, require_timeout
from ._events import Events
from ._inbox import Inbox
from ._options import Runtime
from ._retry import Retry, RetryPolicy
from ._send import Sender, SendResult, to_delivery_fields
from ._server_url import parse_server_url
from ._sources import AnyFile
from ._transport import Transport
from ._uploads import OnUploadProgress, Uploads
from .errors import WaybillError
from .wire import Account, NewReceiver


class Waybill:
    """A client for one account, which any number of threads may share. It connects with the first call.

    Use it in a `with` statement, or call `close`.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        plain_http: bool | None = None,
        retry: RetryPolicy | None = None,
        on_retry: Callable[[Retry], None] | None = None,
        idle_timeout_seconds: float = 120,
        ssl_context: ssl.SSLContext | None = None,
        runtime: Runtime | None = None,
    ) -> None:
        """Creates a client. Arguments that are not given are taken from the environment, as the command `waybill` does.

        - `url`: the server's address, such as `https://files.example.org`; `WAYBILL_URL`.
        - `api_key`: a key of the account, which is sent only to this server; `WAYBILL_API_KEY`, or the content of the
          file that `WAYBILL_API_KEY_FILE` names.
        - `plain_http`: allows http:// to other machines. The key and the files can then be read in transit;
          `WAYBILL_PLAIN_HTTP=1`.
        - `retry`: how often and for how long requests are retried.
        - `on_retry`: called before a request is sent again.
        - `idle_timeout_seconds`: a connection without any data for this long is closed.
        - `ssl_context`: the certificates that are trusted; by default, those of the system.
        """
        if plain_http is None:
            plain_http = os.environ.get("WAYBILL_PLAIN_HTTP") == "1"
        address = parse_server_url(_require("url", url or os.environ.get("WAYBILL_URL")), plain_http)
        key = _require("api_key", api_key or os.environ.get("WAYBILL_API_KEY") or _read_key_file())
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            raise WaybillError("invalid_argument", "The API key contains characters that no key has.")
        self._transport = Transport(address, idle_timeout_seconds, ssl_context)
        self._api = ApiClient(self._transport, key, retry or RetryPolicy(), runtime or Runtime(), on_retry)
        # Events of the account.
        self.events = Events(self._api)
        # Drops: files that were sent.
        self.drops = Drops(self._api, self.events)
        # Files that were received.
        self.inbox = Inbox(self._api, self.events)
        # Uploads that are not in a drop yet.
        self.uploads = Uploads(self._api)

    def account(self) -> Account:
        """Gets the account, its limits, and the rights of the key."""
        account: Account = self._api.get(_paths.ACCOUNT)
        return account

    def send(
        self,
        files: Sequence[AnyFile],
        to: Sequence[str | NewReceiver],
        *,
        title: str | None = None,
        message: str | None = None,
        days: float | None = None,
        notify: bool | None = None,
        second_factor: Literal["off", "mail", "sms"] | None = None,
        external_id: str | None = None,
        idempotency_key: str | None = None,
        on_progress: OnUploadProgress | None = None,
        wait_for: Literal["completed"] | None = None,
        timeout: float | None = None,
    ) -> SendResult:
        """Sends files and folders: checks the receivers, the lifetime and the sizes, uploads the files, creates a drop.

        - `files`: paths of files and folders, or `FileToSend`. The files of a folder keep their paths.
        - `to`: addresses of receivers, who need not be contacts, or `NewReceiver` with more details.
        - `title`: one line by which you and the receivers know it: the subject of the mails, and in lists.
        - `message`: shown in the mail and on the page of each receiver.
        - `days`: for how many days the links can be used.
        - `notify`: `False`: receivers get no mails. The result contains their links, for you to send.
        - `second_factor`: how receivers get a code besides their link. Cannot be weaker than the account's rule.
        - `external_id`: your own identifier.
        - `idempotency_key`: calls with the same key within 7 days, by any process, send one drop. A call resumes what
          an earlier one, whose process was killed, has begun.
        - `on_progress`: called whenever bytes of a file were sent, from several threads.
        - `wait_for`: `"completed"`: waits for the receivers, too, as `drops.wait_for_completion` does, for at most
          `timeout` seconds; the result has `completion`.
        """
        delivery = to_delivery_fields(to, title, message, days, second_factor, notify, external_id)
        if wait_for not in (None, "completed"):
            raise WaybillError("invalid_argument", 'A send can wait only for "completed".')
        if wait_for is not None:
            require_timeout(timeout)
        sender = Sender(self.uploads, self.drops, self.account)
        sent = sender.send(files, delivery, idempotency_key, self._api.runtime.uuid(), on_progress)
        if wait_for is None:
            return sent
        return replace(sent, completion=self.drops.wait_for_completion(sent.drop["id"], timeout=timeout))

    def close(self) -> None:
        """Closes all connections that no call is using."""
        self._transport.close()

    def __enter__(self) -> "Waybill":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _require(name: str, value: str | None) -> str:
    if value:
        return value
    variable = f"WAYBILL_{name.upper()}"
    raise WaybillError("invalid_argument", f"A client needs {name}: pass it, or set {variable}.")


def _read_key_file() -> str | None:
    path = os.environ.get("WAYBILL_API_KEY_FILE")
    if not path:
        return None
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as cause:
        raise WaybillError("invalid_argument", f"{path} cannot be read. Correct WAYBILL_API_KEY_FILE.") from cause
