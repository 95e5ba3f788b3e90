"""Downloads a file from the storage that GitHub redirects to, without its token."""

from __future__ import annotations

import asyncio

from accelerator_portal.automation.github import GitHubError
from accelerator_portal.http.client import open_client
from accelerator_portal.http.errors import FetchError, RequestLimits

_LIMITS = RequestLimits(attempts=3, redirects=0, timeout=30, total_timeout=300)
_SERVER_ERROR = 500


def downloaded(path: str, address: str, most: int, agent: str) -> bytes:
    """Return the file at an address, of at most `most` bytes; `path` is where GitHub was asked.

    No token goes there. Raises GitHubError.
    """
    try:
        return asyncio.run(_fetched(address, most, agent))
    except FetchError as error:
        raise _not_fetched(path, most, error) from None


async def _fetched(address: str, most: int, agent: str) -> bytes:
    plain = {"accept-encoding": "identity"}  # else a few bytes could become many
    async with open_client(agent, _LIMITS) as client:
        return (await client.get(address, plain, max_bytes=most)).body


def _not_fetched(path: str, most: int, error: FetchError) -> GitHubError:
    if error.status is not None:
        what = f"{path}: file not found (HTTP {error.status})"
        return GitHubError(what, error.status, passing=error.status >= _SERVER_ERROR)
    if error.kind == "long":
        return GitHubError(f"{path}: the file has more than {most:,} bytes")
    if error.kind == "slow" and not error.cause:
        what = f"{path}: the download did not finish within {_LIMITS.total_timeout:.0f} seconds"
        return GitHubError(what, passing=True)
    return GitHubError(f"{path}: the download failed ({error.cause})", passing=True)
