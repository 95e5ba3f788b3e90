"""Reads from package indexes which builds and companion packages a PyTorch release has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import PYPI, ReleaseFacts
from accelerator_portal.catalog.files.releases_file import PYTORCH_INDEX
from accelerator_portal.http.cache import HttpCache, get_cached
from accelerator_portal.http.client import open_client
from accelerator_portal.http.errors import FetchError
from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.packages.index_page import ACCEPT, MAX_PAGE, parse_page
from accelerator_portal.packages.index_reader import IndexReader, read_index
from accelerator_portal.packages.portal_packages import (
    TORCH,
    TORCHVISION,
    PortalPackage,
    portal_packages,
)
from accelerator_portal.packages.sync import CACHE, USER_AGENT, address_of
from accelerator_portal.releases.published_builds import (
    PublishedBuild,
    PublishedRelease,
    builds_on_index,
    builds_on_pypi,
    companions_on_pypi,
    newest_untied_version,
    newest_version_requiring,
)

_NIGHTLY = f"{PYTORCH_INDEX}/nightly"


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """Options for reading indexes."""

    limits: RequestLimits = field(default_factory=RequestLimits)
    """The limits of requests, such as their number and the time of each."""
    address_of: Callable[[str], str] = address_of
    """A function from an index (`pypi` or an address) to the address to read. Tests replace it."""
    on_answer: Callable[[], None] = lambda: None
    """Called after each package on PyPI and each index is read or has failed."""
    seconds: float = 10 * 60
    """The time limit for all indexes. Indexes not read by then are in `PublishedRelease.unread`."""


def release_indexes(catalog: Catalog) -> tuple[str, ...]:
    """Return the addresses of PyTorch's package indexes to read, without indexes of nightly builds.

    These are the indexes that install options name. The last address is the index of all builds,
    which also has variants that no option names yet.
    """
    all_indexes = {
        index
        for package in portal_packages(catalog)
        if package.name == TORCH
        for index in package.indexes
    }
    indexes = {index.rstrip("/") for index in all_indexes if index.startswith(f"{PYTORCH_INDEX}/")}
    return (*sorted(index for index in indexes if not index.startswith(_NIGHTLY)), PYTORCH_INDEX)


def queried_packages(catalog: Catalog) -> tuple[str, ...]:
    """Return the packages to read from PyPI: torch, and companion packages such as torchvision."""
    companions = (companion.package for companion in catalog.releases.companions)
    return tuple(dict.fromkeys([TORCH, TORCHVISION, *companions]))


def query_release(
    root: Path, catalog: Catalog, version: str, options: QueryOptions
) -> PublishedRelease:
    """Return what PyPI and PyTorch's indexes publish of the PyTorch release `version`.

    `unread` of the result lists what could not be read. Responses are cached below `root`.
    """
    query = _ReleaseQuery(catalog, version, options)
    asyncio.run(query.query_all(root / CACHE))
    return query.result()


class _ReleaseQuery:
    """Reads one PyTorch release from all indexes, and collects the responses."""

    def __init__(self, catalog: Catalog, version: str, options: QueryOptions) -> None:
        self._catalog = catalog
        self._version = version
        self._options = options
        self._indexes = release_indexes(catalog)
        self._packages = queried_packages(catalog)
        self._builds: dict[str, tuple[PublishedBuild, ...]] = {}
        self._facts: dict[str, tuple[ReleaseFacts, ...]] = {}
        self._refused: dict[str, tuple[str, ...]] = {}
        self._faults: dict[str, str] = {}

    async def query_all(self, cache: Path) -> None:
        """Read all packages and indexes, within the time limit of the options."""
        async with open_client(USER_AGENT, self._options.limits) as client:
            names = frozenset(self._packages)
            reader = IndexReader(client, HttpCache(cache), self._options.address_of, names)
            tasks = [self._query_package(reader, name) for name in self._packages]
            tasks += [self._query_page(reader, index) for index in self._indexes]
            with suppress(TimeoutError):
                async with asyncio.timeout(self._options.seconds):
                    await asyncio.gather(*tasks)

    async def _query_package(self, reader: IndexReader, name: str) -> None:
        known_facts = self._catalog.packages.get(name)
        known_index = known_facts.on(PYPI) if known_facts else None
        if name == TORCH and known_index:  # the known facts lack its requirements on companions
            other_releases = tuple(r for r in known_index.releases if r.version != self._version)
            known_index = known_index.model_copy(update={"releases": other_releases})
        package = PortalPackage(name, (PYPI,), own=name == TORCH)
        try:
            reading = await read_index(reader, package, PYPI, known_index)
            self._facts[name] = reading.facts.releases
            self._refused[name] = reading.refused
        except FetchError as error:
            self._faults[_pypi_label(name)] = str(error)
        except ValidationError:
            self._faults[_pypi_label(name)] = "the answer has a value that is not valid"
        self._options.on_answer()

    async def _query_page(self, reader: IndexReader, index: str) -> None:
        url = f"{reader.address_of(index).rstrip('/')}/{TORCH}/"
        try:
            body = await get_cached(reader.client, reader.cache, url, {"accept": ACCEPT}, MAX_PAGE)
            page = await asyncio.to_thread(parse_page, body, TORCH, url)
            self._builds[index] = builds_on_index(index, page.files, self._version)
        except FetchError as error:
            if error.missing:  # the index has no such package
                self._builds[index] = ()
            else:
                self._faults[index] = str(error)
        self._options.on_answer()

    def result(self) -> PublishedRelease:
        """Return the published release from the responses so far.

        A build on several indexes is listed once: with PyPI as its index if PyPI has it, else with
        the index of its variant, else with the index of all builds.
        """
        facts = next((r for r in self._facts.get(TORCH, ()) if r.version == self._version), None)
        fault_by_label = dict(self._faults)
        read_labels = {*self._builds, *map(_pypi_label, self._facts)}
        for name in (*map(_pypi_label, self._packages), *self._indexes):
            if name not in {*fault_by_label, *read_labels}:
                fault_by_label[name] = f"no answer within {self._options.seconds:.0f} seconds"
        builds: dict[tuple[str, str, str], PublishedBuild] = {}
        if facts and facts.yanked is None:
            pypi_builds, unread_tags = builds_on_pypi(facts, self._refused[TORCH])
            fault_by_label |= {
                f"PyPI, {tag}": "the metadata of the wheel could not be read" for tag in unread_tags
            }
            builds = {build.key: build for build in pypi_builds}
        for index in self._indexes:
            for build in self._builds.get(index, ()):
                builds.setdefault(build.key, build)
        others = {
            name: self._facts.get(name, ())
            for name in self._packages
            if name not in {TORCH, TORCHVISION}
        }
        untied = {
            name: version for name in others if (version := newest_untied_version(others[name]))
        }
        return PublishedRelease(
            self._version,
            facts.date if facts else None,
            newest_version_requiring(self._facts.get(TORCHVISION, ()), self._version),
            tuple(builds.values()),
            frozenset([*self._builds, *([PYPI] if TORCH in self._facts else [])]),
            fault_by_label,
            companions_on_pypi(facts, others, self._version),
            untied,
        )


def _pypi_label(name: str) -> str:
    return f"PyPI, {name}"
