"""The address of the server."""

import re
from urllib.parse import SplitResult, urlsplit

from . import _paths
from .errors import WaybillError


def parse_server_url(address: str, plain_http: bool) -> SplitResult:
    """Returns the address of the API. Raises an error if it is invalid, or if the key must not be sent to it."""
    try:
        url = urlsplit(address)
        host, _port = url.hostname, url.port
    except ValueError:
        url, host = urlsplit(""), None
    if url.scheme not in ("http", "https") or not host or url.username is not None:
        message = f'"{address}" is not a server’s address. Use a URL such as https://files.example.org.'
        raise WaybillError(
            "invalid_argument", message if "@" not in address else "A server’s address has no user in it."
        )
    path = url.path.rstrip("/")
    if path.endswith("/api/v1"):
        server = f"{url.scheme}://{url.netloc}{path.removesuffix('/api/v1')}"
        raise WaybillError("invalid_argument", f"The server’s address does not end in /api/v1. Use {server} alone.")
    if url.scheme == "http" and not plain_http and not _is_local_host(host):
        raise WaybillError(
            "invalid_argument",
            f"http://{url.netloc} would send the API key unencrypted. Use https://, or allow plain HTTP explicitly.",
        )
    return SplitResult(url.scheme, url.netloc, f"{path}/{_paths.API}", "", "")


def _is_local_host(host: str) -> bool:
    return host in ("localhost", "::1") or re.fullmatch(r"127(\.\d{1,3}){3}", host) is not None
