"""The text of one of PyTorch's lists: a file, or what an address answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

from accelerator_portal.http.client import open_client
from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.packages.sync import AGENT

# Ten times what the largest list has.
MAX_BYTES = 4 * 1024**2


def upstream_text(source: str, limits: RequestLimits) -> str:
    """Return the text at a path or an address.

    Raises OSError, FetchError, or ValueError where it is too large or no text.
    """
    if source.startswith(("https://", "http://")):
        data = asyncio.run(_fetched(source, limits))
    else:
        with Path(source).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES // 1024**2} MB")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None


async def _fetched(address: str, limits: RequestLimits) -> bytes:
    async with open_client(AGENT, limits) as client:
        return (await client.get(address, max_bytes=MAX_BYTES)).body
