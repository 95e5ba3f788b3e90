"""Checks which hosts of package indexes respond, so that uv does not wait for silent hosts."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from pypi_simple import PYPI_SIMPLE_ENDPOINT
from uv import find_uv_bin

from accelerator_portal.catalog.files.releases_file import PYTORCH_INDEX
from accelerator_portal.http.client import HttpClient, open_client
from accelerator_portal.http.errors import FetchError
from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.packages.resolution_questions import ResolutionQuestion
from accelerator_portal.packages.uv_resolution import ResolutionResult, Uv, resolve

USER_AGENT = "accelerator-portal (checks whether package indexes respond)"
PYPI_HOST = urlsplit(PYPI_SIMPLE_ENDPOINT).netloc
RESOLUTION_TIME_LIMIT_S = 45 * 60
"""The time limit for resolving all install commands: half of the nightly job's time limit."""

NO_ANSWER = "did not respond"
"""The text that follows the name of a silent host in a verdict. The site searches for this text."""

_TIME_LIMIT_REASON = f"the {RESOLUTION_TIME_LIMIT_S // 60} minutes for resolving have elapsed"
_MOST_FAILURES = 5
HOST_CHECK_LIMITS = RequestLimits(timeout=15.0, redirects=0)  # a redirect is a response, too


def resolver_of_reachable_hosts(
    asked: Iterable[ResolutionQuestion], cache: Path
) -> Callable[[ResolutionQuestion], ResolutionResult]:
    """Check which package indexes respond, and return a function that resolves a question.

    `asked` are the questions that will be resolved; the hosts of their indexes are checked. The
    returned function gives a result of kind `unchecked` if a host of its question does not respond.
    It also does so once RESOLUTION_TIME_LIMIT_S seconds have elapsed since the check. `cache` is
    uv's cache folder. Raises OSError if uv is missing or `cache` cannot be created.
    """
    uv = installed_uv(cache)
    reachable = ReachableHosts(
        unreachable_hosts(host for one in asked for host in index_hosts(one))
    )
    deadline = time.monotonic() + RESOLUTION_TIME_LIMIT_S

    def resolve_if_reachable(question: ResolutionQuestion) -> ResolutionResult:
        if time.monotonic() > deadline:
            return ResolutionResult("unchecked", why=_TIME_LIMIT_REASON)
        if why := reachable.unreachable_host_text(question):
            return ResolutionResult("unchecked", why=why)
        result = resolve(question, uv)
        reachable.note(question, result)
        return result

    return resolve_if_reachable


class ReachableHosts:
    """Records which hosts of package indexes do not respond; shared between threads.

    `silent` maps each host that is known not to respond to the class name of its error.
    """

    def __init__(self, silent: Mapping[str, str]) -> None:
        self._errors_by_host = dict(silent)
        self._failures: Counter[str] = Counter()
        self._lock = threading.Lock()

    def unreachable_host_text(self, question: ResolutionQuestion) -> str | None:
        """Return a text that names one host of `question` that does not respond, or None."""
        silent = sorted(index_hosts(question) & self._errors_by_host.keys())
        return f"{silent[0]} {NO_ANSWER} ({self._errors_by_host[silent[0]]})" if silent else None

    def note(self, question: ResolutionQuestion, result: ResolutionResult) -> None:
        """Record the result of a question.

        If an index did not respond (`result.no_answer`), checks whether the question's hosts
        respond. A host with five such results in a row counts as not responding.
        """
        hosts = index_hosts(question)
        with self._lock:
            if not result.no_answer:
                if result.kind != "unchecked":
                    for host in hosts:
                        self._failures.pop(host, None)
                return
            self._failures.update(hosts)
            if not hosts & self._errors_by_host.keys():  # else another question has checked them
                self._errors_by_host |= unreachable_hosts(hosts)
            failing_hosts = {host for host in hosts if self._failures[host] >= _MOST_FAILURES}
            self._errors_by_host |= dict.fromkeys(
                failing_hosts - self._errors_by_host.keys(), "uv got no response"
            )


def index_hosts(question: ResolutionQuestion) -> frozenset[str]:
    """Return the hosts of the indexes that a question uses, such as `index.example:8443`.

    PyPI's host is included if a call names no index.
    """
    indexes = [
        index for call in question.calls for index in (call.index, call.extra_index) if index
    ]
    indexes += [PYTORCH_INDEX for call in question.calls if call.backend]
    hosts = {urlsplit(index).netloc.lower() for index in indexes}
    uses_pypi = any(call.index is None for call in question.calls)
    return frozenset(hosts | {PYPI_HOST} if uses_pypi else hosts)


def installed_uv(cache: Path) -> Uv:
    """Return the uv that is installed with the portal.

    Raises OSError if it is missing or its cache folder `cache` can't be created.
    """
    cache.mkdir(parents=True, exist_ok=True)
    return Uv(Path(find_uv_bin()), Path(sys.executable), cache)


def unreachable_hosts(hosts: Iterable[str]) -> Mapping[str, str]:
    """Return the hosts that don't respond over HTTPS, each with the class name of its error.

    A host responds if it sends any HTTP status.
    """
    return asyncio.run(_find_unreachable_hosts(sorted(set(hosts))))


async def _find_unreachable_hosts(hosts: Sequence[str]) -> Mapping[str, str]:
    async with open_client(USER_AGENT, HOST_CHECK_LIMITS) as client:
        faults = await asyncio.gather(*(_request_error(client, host) for host in hosts))
    return {host: fault for host, fault in zip(hosts, faults, strict=True) if fault}


async def _request_error(client: HttpClient, host: str) -> str | None:
    try:
        await client.status(f"https://{host}/", "HEAD")
    except FetchError as error:
        return error.cause
    return None
