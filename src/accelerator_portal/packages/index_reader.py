"""Reads a package's releases and their requirements from its index page and a few wheels."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from packaging.version import Version

from accelerator_portal.catalog.files.package_file import (
    ANY_PLATFORM_TAG,
    IndexFacts,
    ReleaseFacts,
    releases_newest_first,
)
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.http import (
    CachedBody,
    FetchError,
    HttpCache,
    HttpClient,
    InvalidResponseError,
    get_cached,
    may_request_link,
)
from accelerator_portal.packages.index_page import (
    ACCEPT,
    MAX_PAGE,
    IndexFile,
    IndexPage,
    files_digest,
    parse_page,
)
from accelerator_portal.packages.portal_packages import TORCH, PortalPackage
from accelerator_portal.packages.stored_releases import representative_wheels, selected_versions
from accelerator_portal.packages.wheel_metadata import (
    MAX_METADATA,
    Metadata,
    cuda_version,
    metadata_by_ranges,
    parse_metadata,
    python_range,
    requirements_of_wheel,
)
from accelerator_portal.packages.wheel_tags import platform_tag, python_label, python_label_key
from accelerator_reports.files.text_file import one_line
from accelerator_reports.files.wording import count


@dataclass(frozen=True, slots=True)
class IndexReader:
    """What reading an index needs: the HTTP client, its cache, index addresses and package names.

    `address_of` returns the URL to read for an index, which is given as `pypi` or as its address.
    """

    client: HttpClient
    cache: HttpCache
    address_of: Callable[[str], str]
    names: frozenset[str]
    """Names of packages. Only a wheel's requirements on these packages are stored."""


@dataclass(frozen=True, slots=True)
class IndexReading:
    """The facts of a package on an index.

    `versions` are all versions on the index, also those without stored facts. `refused` has
    messages about files that were not read.
    """

    facts: IndexFacts
    versions: frozenset[Version]
    refused: tuple[str, ...] = ()


async def read_index(
    reader: IndexReader, package: PortalPackage, index: str, before: IndexFacts | None
) -> IndexReading:
    """Return a package's facts from an index; facts of unchanged files are taken from `before`.

    `index` is `pypi` or the index's address. The facts are empty if the index does not have the
    package.

    Raises FetchError if the index or its file host cannot be reached, or if all releases in
    `before` have disappeared. Raises InvalidResponseError if the response is invalid. Raises
    pydantic.ValidationError if a value from the index cannot be stored in `data/packages`. After an
    error, callers keep the facts in `before`.
    """
    url = f"{reader.address_of(index).rstrip('/')}/{package.name}/"
    try:
        response = await get_cached(reader.client, reader.cache, url, {"accept": ACCEPT}, MAX_PAGE)
    except FetchError as error:
        if not error.missing:
            raise
        _refuse_lost_releases(before, 0, str(error))
        return IndexReading(IndexFacts(index=index, releases=()), frozenset())
    page = await asyncio.to_thread(parse_page, response, package.name, url)
    _refuse_lost_releases(before, len(page.files), "the page names no file")
    return await _read_releases(
        reader, package, page, url, before or IndexFacts(index=index, releases=())
    )


def _refuse_lost_releases(before: IndexFacts | None, file_count: int, cause: str) -> None:
    """Raise FetchError if the index listed releases before and now has no file.

    Such an index is probably broken. `file_count` is the number of files now, and `cause` is the
    start of the error message.
    """
    if before and before.releases and not file_count:
        raise FetchError(f"{cause}, but it listed {count(len(before.releases), 'release')} before")


async def _read_releases(
    reader: IndexReader, package: PortalPackage, page: IndexPage, url: str, before: IndexFacts
) -> IndexReading:
    files = grouped((file.version, file) for file in page.files)
    work = _PackageReader(
        reader, package, url, {release.version: release for release in before.releases}
    )
    versions = selected_versions(files, package.name)
    read_facts = await asyncio.gather(*(work.release(files[version]) for version in versions))
    newest_version = next((r.version for r in read_facts if r.yanked is None), None)
    facts = IndexFacts(
        index=before.index,
        about=work.about.get(newest_version or "", before.about),
        releases=releases_newest_first({release.version: release for release in read_facts}),
    )
    return IndexReading(facts, frozenset(files), (*page.refused, *work.refused))


@dataclass(frozen=True)
class _PackageReader:
    """Reads the releases of one package from one index, and collects messages and summaries.

    `page_url` is the URL of the index page. `known_releases` has the facts of the last reading by
    version, and `about` the package's summary by version. `refused` has a message for each wheel
    whose metadata could not be read.
    """

    reader: IndexReader
    package: PortalPackage
    page_url: str
    known_releases: Mapping[str, ReleaseFacts]
    refused: list[str] = field(default_factory=list)
    about: dict[str, str | None] = field(default_factory=dict)

    async def release(self, files: list[IndexFile]) -> ReleaseFacts:
        """Return the facts of one release. Reads wheel metadata unless the files are unchanged."""
        file_facts = _facts_of_files(files)
        previous = self.known_releases.get(file_facts.version)
        if previous and previous.files and previous.files == file_facts.files:
            return _with_metadata_facts(file_facts, previous.requires, previous.cuda)
        requires: dict[str, tuple[str, ...]] = {}
        cuda: dict[str, str] = {}
        is_complete = True
        for file in representative_wheels(files, of_each_system=self.package.own):
            tag, label = platform_tag(file.tags), python_label(file.tags)
            metadata = await self._metadata_or_none(file)
            if metadata is None:
                is_complete = False
                _keep_wheel_facts(previous, tag, requires, cuda)
                continue
            self.about.setdefault(file_facts.version, metadata.about)
            requires[tag] = requirements_of_wheel(metadata.requires, self.reader.names, tag, label)
            version = cuda_version(metadata.requires, tag, label)
            if version and self.package.name == TORCH:
                cuda[tag] = version
        facts = _with_metadata_facts(file_facts, _joined_requirements(requires), cuda)
        # Without a digest, the metadata is read again next time.
        return facts if is_complete else facts.model_copy(update={"files": None})

    async def _metadata_or_none(self, file: IndexFile) -> Metadata | None:
        try:
            return await _wheel_metadata(self.reader, self.package.name, self.page_url, file)
        except FetchError as error:
            if self.reader.client.is_unreachable(file.url):
                raise
            self.refused.append(f"{file.name[:100]}: {error}")
            return None


def _keep_wheel_facts(
    previous: ReleaseFacts | None,
    tag: str,
    requires: dict[str, tuple[str, ...]],
    cuda: dict[str, str],
) -> None:
    """Copy the facts for a wheel from `previous` to `requires` and `cuda`.

    Used for a wheel whose metadata cannot be read now. `tag` is the wheel's platform tag. The keys
    of `requires` and `cuda` are platform tags.
    """
    if previous is None:
        return
    previous_requires = previous.requires.get(tag, previous.requires.get(ANY_PLATFORM_TAG))
    if previous_requires is not None:
        requires[tag] = previous_requires
    if tag in previous.cuda:
        cuda[tag] = previous.cuda[tag]


async def _wheel_metadata(
    reader: IndexReader, package: str, page: str, file: IndexFile
) -> Metadata:
    """Return a wheel's metadata from the cache, from its metadata file or from parts of the wheel.

    `page` is the URL of the index page that links to the wheel. Raises FetchError.
    """
    if not may_request_link(page, file.url):
        raise InvalidResponseError("the link leads outside the index")
    key = f"wheel {file.sha256 or file.url}"
    cached = reader.cache.read(key)
    if cached and file.sha256:
        return parse_metadata(cached.body, package, file.version)
    body = await _fetch_metadata(reader, file, cached)
    metadata = parse_metadata(body.body, package, file.version)
    reader.cache.write(key, body)  # only what is valid, because a hash is never fetched again
    return metadata


async def _fetch_metadata(
    reader: IndexReader, file: IndexFile, cached: CachedBody | None
) -> CachedBody:
    if url := file.metadata_url:
        try:
            response = await get_cached(reader.client, reader.cache, url, {}, MAX_METADATA)
        except FetchError as error:
            if not error.missing:
                raise
        else:
            body_sha256 = hashlib.sha256(response.body).hexdigest()
            if file.metadata_sha256 and body_sha256 != file.metadata_sha256:
                raise InvalidResponseError("the hash of the metadata differs from the index page")
            return CachedBody(response.body)
    etag = cached.etag if cached else ""
    return await metadata_by_ranges(reader.client, file.url, etag) or cached or CachedBody(b"")


def _facts_of_files(files: list[IndexFile]) -> ReleaseFacts:
    """Return a release's facts from the names of its files and their attributes on the index."""
    wheels: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}
    for file in files:
        if file.tags:
            tag = platform_tag(file.tags)
            wheels.setdefault(tag, set()).add(python_label(file.tags))
            if file.size:
                sizes[tag] = max(file.size, sizes.get(tag, 0))
    pythons = {python_range(file.python) for file in files}
    return ReleaseFacts(
        version=str(files[0].version),
        date=min((file.uploaded for file in files if file.uploaded), default=None),
        yanked=_yanked_reason(files),
        python=pythons.pop() if len(pythons) == 1 else None,  # wheels may state different ranges
        wheels={tag: " ".join(sorted(wheels[tag], key=python_label_key)) for tag in sorted(wheels)},
        sdist=any(not file.tags for file in files),
        sizes=dict(sorted(sizes.items())),
        files=files_digest(files),
    )


def _yanked_reason(files: list[IndexFile]) -> str | None:
    """Return the reason (it can be empty) if all files of a release are yanked; otherwise None."""
    if any(file.yanked is None for file in files):
        return None
    return one_line(files[0].yanked or "")[:200]


def _with_metadata_facts(
    facts: ReleaseFacts, requires: Mapping[str, tuple[str, ...]], cuda: Mapping[str, str]
) -> ReleaseFacts:
    return ReleaseFacts.from_objects(facts, requires=requires, cuda=dict(sorted(cuda.items())))


def _joined_requirements(requires: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the requirements by platform tag, sorted.

    If they are equal for all tags, the result has a single key, the tag `*`.
    """
    distinct_requirements = set(requires.values())
    if len(distinct_requirements) == 1:
        return {ANY_PLATFORM_TAG: distinct_requirements.pop()}
    return dict(sorted(requires.items()))
