"""Which indexes answer at all, so that nobody waits for those that do not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from uv import find_uv_bin

from accelerator_portal.packages.questions import Question
from accelerator_portal.packages.resolving import Answer, Uv, resolve

SECONDS = 15.0

FaultOf = Callable[[str], str | None]
"""From a host to what goes wrong when it is asked; None where it answers."""


def host_fault(host: str) -> str | None:
    """Return what goes wrong when a host is asked over https; None where it answers anything."""
    try:
        httpx.head(f"https://{host}/", timeout=SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return type(error).__name__
    return None


def resolve_what_answers(
    asked: Iterable[Question], cache: Path, fault_of: FaultOf = host_fault
) -> Callable[[Question], Answer]:
    """Return what resolves a question, after looking once which hosts answer.

    A question that names a host that does not is not asked at all. Raises OSError where there is no
    uv, or no room for its cache.
    """
    uv = own_uv(cache)
    silent = silent_hosts((host for question in asked for host in question.hosts), fault_of)

    def answer(question: Question) -> Answer:
        gone = sorted(question.hosts & silent.keys())
        if gone:
            return Answer("unchecked", why=f"{gone[0]} did not answer ({silent[gone[0]]})")
        return resolve(question, uv)

    return answer


def own_uv(cache: Path) -> Uv:
    """Return the uv that was installed with the portal. Raises OSError."""
    cache.mkdir(parents=True, exist_ok=True)
    return Uv(Path(find_uv_bin()), Path(sys.executable), cache)


def silent_hosts(hosts: Iterable[str], fault_of: FaultOf = host_fault) -> Mapping[str, str]:
    """Return the hosts that do not answer over https, with what went wrong; any answer is one."""
    every = sorted(set(hosts))
    with ThreadPoolExecutor(8) as pool:
        faults = zip(every, pool.map(fault_of, every), strict=True)
        return {host: fault for host, fault in faults if fault}
