"""Sends and receives files through a Waybill server."""

from ._client import Waybill
from ._downloads import Download, DownloadedFile, DownloadProgress
from ._drops import Completion, Drops
from ._events import Events
from ._inbox import Inbox
from ._options import Runtime, Stopped
from ._retry import Retry, RetryPolicy
from ._safe_name import safe_local_name, safe_local_paths
from ._send import SendResult, SentFile
from ._sources import FileToSend
from ._uploads import UploadProgress, Uploads
from ._webhook import WebhookEvent, WebhookVerificationError, verify_webhook
from ._worker import LeasedEntry
from .errors import WaybillError, is_waybill_error

__all__ = [
    "Completion",
    "Download",
    "DownloadProgress",
    "DownloadedFile",
    "Drops",
    "Events",
    "FileToSend",
    "Inbox",
    "LeasedEntry",
    "Retry",
    "RetryPolicy",
    "Runtime",
    "SendResult",
    "SentFile",
    "Stopped",
    "UploadProgress",
    "Uploads",
    "Waybill",
    "WaybillError",
    "WebhookEvent",
    "WebhookVerificationError",
    "is_waybill_error",
    "safe_local_name",
    "safe_local_paths",
    "verify_webhook",
]
