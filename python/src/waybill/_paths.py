"""Paths of /api/v1. No other module contains one."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from ._options import Query, QueryValue

API = "api/v1/"
ACCOUNT = "account"
UPLOADS = "uploads"
DROPS = "drops"
CHECK_DROP = "drops/check"
EVENTS = "events"
INBOX = "inbox"
CLAIM = "inbox/claim"


def upload_path(upload_id: str) -> str:
    return f"{UPLOADS}/{_quote(upload_id)}"


def drop_path(drop_id: str) -> str:
    return f"{DROPS}/{_quote(drop_id)}"


def revoke_drop_path(drop_id: str) -> str:
    return f"{drop_path(drop_id)}/revoke"


def revoke_receiver_path(drop_id: str, receiver_id: int) -> str:
    return f"{drop_path(drop_id)}/receivers/{_quote(str(receiver_id))}/revoke"


def entry_path(entry_id: str) -> str:
    return f"{INBOX}/{_quote(entry_id)}"


def entry_file_path(entry_id: str, file_id: str) -> str:
    return f"{entry_path(entry_id)}/files/{_quote(file_id)}"


def renew_path(entry_id: str) -> str:
    return f"{entry_path(entry_id)}/renew"


def ack_path(entry_id: str) -> str:
    return f"{entry_path(entry_id)}/ack"


def nack_path(entry_id: str) -> str:
    return f"{entry_path(entry_id)}/nack"


def release_path(entry_id: str) -> str:
    return f"{entry_path(entry_id)}/release"


def add_query(path: str, query: Query) -> str:
    given = [(name, _to_text(each)) for name, value in query.items() for each in _to_values(value)]
    return f"{path}?{urlencode(given)}" if given else path


def _to_values(value: QueryValue) -> Sequence[str | int | bool]:
    if value is None:
        return []
    return [value] if isinstance(value, str | int | bool) else value


def _to_text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quote(part: str) -> str:
    return quote(part, safe="")
