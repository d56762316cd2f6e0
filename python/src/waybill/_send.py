"""Sends files: uploads them, and creates a drop."""

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

from ._drops import Completion, Drops
from ._sources import AnyFile, FileToSend, StreamKeeper, check_file, expand_folders, normalize_path
from ._uploads import OnUploadProgress, Uploads
from .errors import WaybillError, is_waybill_error
from .wire import Account, AccountLimits, CreatedDrop, NewDrop, NewReceiver

# Small files are uploaded concurrently, large ones alone.
_CONCURRENT_SMALL_FILES = 4
_SMALL_FILE_BYTES = 1024 * 1024
_SECONDS_PER_DAY = 86_400
_TOO_LARGE_CODES = {"file": "too_large", "storage": "storage_full", "scan": "too_large_to_scan"}


@dataclass(frozen=True)
class SentFile:
    """A finished upload."""

    # The name of the file, or its path in the folder that was sent.
    path: str
    # The id of the upload.
    id: str
    # The size in bytes; None if an earlier call sent the file.
    size: int | None
    # The result of the virus scan; None if an earlier call sent the file.
    scan: Literal["clean", "unscanned"] | None


@dataclass(frozen=True)
class SendResult:
    """The result of a send."""

    # The `idempotency_key` of the call, or the one that it generated.
    idempotency_key: str
    # Whether an earlier call with the same key sent the drop, and this call sent nothing.
    repeated: bool
    # The drop that contains the files.
    drop: CreatedDrop
    # The files, in the given order.
    files: list[SentFile]
    # The end of the wait for the receivers, if the call waited for them.
    completion: Completion | None = None


@dataclass(frozen=True)
class _NamedFile:
    path: str
    file: FileToSend
    size: int | None


def to_delivery_fields(
    to: Sequence[str | NewReceiver],
    title: str | None,
    message: str | None,
    days: float | None,
    second_factor: Literal["off", "mail", "sms"] | None,
    notify: bool | None,
    external_id: str | None,
) -> NewDrop:
    """Converts the options of a send to fields of the API."""
    if isinstance(to, str) or not to:
        raise WaybillError("no_receivers", "Name at least one receiver, in a list.")
    fields: NewDrop = {"uploads": [], "receivers": [{"email": one} if isinstance(one, str) else one for one in to]}
    if title is not None:
        fields["title"] = title
    if message is not None:
        fields["message"] = message
    if days is not None:
        fields["expires_in"] = round(days * _SECONDS_PER_DAY)
    if second_factor is not None:
        fields["second_factor"] = second_factor
    if notify is not None:
        fields["notify"] = notify
    if external_id is not None:
        fields["external_id"] = external_id
    return fields


class Sender:
    """Uploads files and creates a drop. Checks everything else before the first byte is sent."""

    def __init__(self, uploads: Uploads, drops: Drops, account: Callable[[], Account]) -> None:
        self._uploads = uploads
        self._drops = drops
        self._account = account

    def send(
        self,
        files: Sequence[AnyFile],
        delivery: NewDrop,
        given_key: str | None,
        new_key: str,
        on_progress: OnUploadProgress | None,
    ) -> SendResult:
        wanted = _require_distinct(files)
        self._check(wanted, delivery, given_key is not None)
        key = given_key or new_key
        with closing(StreamKeeper()) as streams:
            repeated, sent = False, self._upload_all(wanted, f"{key} 1", on_progress, streams)
            if given_key is not None:
                # An upload that was sent cannot be found any more.
                repeated = self._uploads.find(sent[0].id) is None
            try:
                drop = self._create(delivery, sent, key)
            except WaybillError as error:
                # An upload of an earlier call was removed, and not sent.
                if not _is_upload_missing(error):
                    raise
                repeated, sent = False, self._upload_all(wanted, f"{key} 2", on_progress, streams)
                drop = self._create(delivery, sent, key)
        return SendResult(key, repeated, drop, sent)

    def _create(self, delivery: NewDrop, sent: Sequence[SentFile], key: str) -> CreatedDrop:
        drop = delivery.copy()
        drop["uploads"] = [file.id for file in sent]
        return self._drops.create(drop, idempotency_key=key)

    def _check(self, files: Sequence[_NamedFile], delivery: NewDrop, may_be_repeated: bool) -> None:
        """Checks the sizes of the files, and everything about the drop but the uploads, which do not exist yet."""
        _require_allowed_sizes(files, self._account()["limits"])
        try:
            self._drops.check(delivery)
        except WaybillError as error:
            # An earlier call with this key may have sent the drop, and then the limit does not apply.
            if not (may_be_repeated and error.code == "daily_limit"):
                raise

    def _upload_all(
        self, files: Sequence[_NamedFile], key: str, on_progress: OnUploadProgress | None, streams: StreamKeeper
    ) -> list[SentFile]:
        """Uploads files in the given order where that costs no time: a drop lists them as they were uploaded."""
        sent: list[SentFile] = []
        with ThreadPoolExecutor(_CONCURRENT_SMALL_FILES, "waybill-upload") as executor:
            for group in _group(files):
                uploads = [executor.submit(self._upload_one, file, key, on_progress, streams) for file in group]
                sent += [upload.result() for upload in uploads]
        return sent

    def _upload_one(
        self, named: _NamedFile, send_key: str, on_progress: OnUploadProgress | None, streams: StreamKeeper
    ) -> SentFile:
        # The same in every process that repeats this send, whatever characters the key contains.
        digest = hashlib.sha256(json.dumps([send_key, named.path]).encode()).digest()
        key = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        try:
            upload_id, upload = self._uploads.upload_or_find(named.file, key, on_progress, streams.open)
        except WaybillError as error:
            # The file has changed since an earlier call.
            if not is_waybill_error(error, "idempotency_key_reused"):
                raise
            upload_id, upload = self._uploads.upload_or_find(named.file, None, on_progress, streams.open)
        if upload is None:
            return SentFile(named.path, upload_id, None, None)
        return SentFile(named.path, upload_id, upload["size"], upload["scan"])


def _group(files: Sequence[_NamedFile]) -> list[list[_NamedFile]]:
    """Returns groups of files that are uploaded at the same time."""
    groups: list[list[_NamedFile]] = []
    is_open = False
    for file in files:
        is_small = file.size is not None and file.size <= _SMALL_FILE_BYTES
        if is_open and is_small and len(groups[-1]) < _CONCURRENT_SMALL_FILES:
            groups[-1].append(file)
        else:
            groups.append([file])
        is_open = is_small
    return groups


def _require_distinct(files: Sequence[AnyFile]) -> list[_NamedFile]:
    """Raises an error if two files have the same path, or if one cannot be read, before anything is sent."""
    if isinstance(files, str) or not files:
        raise WaybillError("no_files", "Name at least one file, in a list.")
    found: dict[str, _NamedFile] = {}
    for file in expand_folders(files):
        path = normalize_path(file.name)
        if path in found:
            message = f"Two files are called {path}. Rename one of them, or send them separately."
            raise WaybillError("invalid_argument", message)
        found[path] = _NamedFile(path, file, check_file(file))
    return list(found.values())


def _require_allowed_sizes(files: Sequence[_NamedFile], limits: AccountLimits) -> None:
    if len(files) > limits["files_per_drop"]:
        message = f"A drop may have {limits['files_per_drop']} files, and these are {len(files)}."
        raise WaybillError("too_many_files", message)
    max_size = limits["file_size"]
    for file in files:
        if file.size is not None and file.size > max_size:
            code = _TOO_LARGE_CODES[limits["file_size_reason"]]
            raise WaybillError(code, f"{file.path} is too large.", max_size=max_size)
    stored_size = limits["stored_size"]
    if stored_size is not None and sum(file.size or 0 for file in files) > stored_size:
        raise WaybillError("storage_full", "The files are larger than all that the account may store.")


def _is_upload_missing(error: WaybillError) -> bool:
    return any(fault.get("pointer", "").startswith("/uploads/") and fault["code"] == "not_found" for fault in error.faults)
