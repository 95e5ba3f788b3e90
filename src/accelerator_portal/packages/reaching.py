"""Which indexes answer at all, so that nobody waits for those that do not."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from uv import find_uv_bin

from accelerator_portal.http.client import HttpClient, open_client
from accelerator_portal.http.errors import FetchError
from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.packages.questions import ResolutionQuestion
from accelerator_portal.packages.resolving import ResolutionResult, Uv, resolve

AGENT = "accelerator-portal (looks which package indexes answer)"
LIMITS = RequestLimits(timeout=15.0, redirects=0)  # any answer is one, also that it moved


def resolve_what_answers(
    asked: Iterable[ResolutionQuestion], cache: Path
) -> Callable[[ResolutionQuestion], ResolutionResult]:
    """Return what resolves a question, after looking once which hosts answer.

    A question that names a host that does not is not asked at all. Raises OSError where there is no
    uv, or no room for its cache.
    """
    uv = own_uv(cache)
    silent = silent_hosts(host for question in asked for host in question.hosts)

    def answer(question: ResolutionQuestion) -> ResolutionResult:
        gone = sorted(question.hosts & silent.keys())
        if gone:
            return ResolutionResult(
                "unchecked", why=f"{gone[0]} did not answer ({silent[gone[0]]})"
            )
        return resolve(question, uv)

    return answer


def own_uv(cache: Path) -> Uv:
    """Return the uv that was installed with the portal. Raises OSError."""
    cache.mkdir(parents=True, exist_ok=True)
    return Uv(Path(find_uv_bin()), Path(sys.executable), cache)


def silent_hosts(hosts: Iterable[str]) -> Mapping[str, str]:
    """Return the hosts that do not answer over https, with what went wrong; any answer is one."""
    return asyncio.run(_silent_hosts(sorted(set(hosts))))


async def _silent_hosts(hosts: Sequence[str]) -> Mapping[str, str]:
    async with open_client(AGENT, LIMITS) as client:
        faults = await asyncio.gather(*(_fault(client, host) for host in hosts))
    return {host: fault for host, fault in zip(hosts, faults, strict=True) if fault}


async def _fault(client: HttpClient, host: str) -> str | None:
    try:
        await client.status(f"https://{host}/", "HEAD")
    except FetchError as error:
        return error.cause
    return None
