"""Parses a package's page on an index: HTML (PEP 503, 592, 658) or JSON (PEP 691, 700).

The library pypi-simple reads both formats. In addition, each file's name must belong to this
package and have a version that follows PEP 440.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.tags import Tag
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version
from pypi_simple import DistributionPackage, Link, ProjectPage, RepositoryPage
from pypi_simple.errors import UnsupportedRepoVersionError

from accelerator_portal.http import CachedBody, InvalidResponseError

JSON_TYPE = "application/vnd.pypi.simple.v1+json"
ACCEPT = f"{JSON_TYPE}, application/vnd.pypi.simple.v1+html;q=0.5, text/html;q=0.2"
MAX_PAGE = 24 * 1024**2

# More files than any existing page has.
MAX_FILES = 40_000

# File systems allow no longer names. Python cannot parse versions with numbers of 4,300 digits.
_MAX_NAME_LENGTH = 255
# A wheel has a tag for each combination of its Python, ABI and platform tags: far more than any
# existing wheel has.
_MAX_TAGS = 500

_SHA256 = re.compile(r"[0-9a-f]{64}")
_HTML_TYPES = {"application/vnd.pypi.simple.v1+html", "text/html", "application/xhtml+xml", ""}


@dataclass(frozen=True, slots=True)
class IndexFile:
    """A file on an index page; `tags` are the tags of a wheel, and empty for a source archive."""

    name: str
    url: str
    version: Version
    tags: frozenset[Tag]
    sha256: str | None
    metadata_url: str | None
    """Address of the separate metadata file, if the index has one (PEP 658)."""
    metadata_sha256: str | None
    python: str | None
    """The Python versions that the file requires, such as `>=3.10`; None if not stated."""
    yanked: str | None
    """The reason, which can be empty, if the file is yanked; otherwise None."""
    uploaded: dt.date | None
    size: int | None = None
    """Size in bytes, if the index states it (PEP 700)."""


@dataclass(frozen=True, slots=True)
class IndexPage:
    """The wheels and source archives on a package's index page.

    `refused` has a message for each file that belongs to another package.
    """

    files: tuple[IndexFile, ...]
    refused: tuple[str, ...] = ()


def parse_page(cached: CachedBody, package: str, url: str) -> IndexPage:
    """Return the files of the index page in the response `cached`.

    `package` is the normalized name of the package, and `url` the address of the page. Raises
    InvalidResponseError if the response is not a valid page of this package.
    """
    kind = cached.content_type.partition(";")[0].strip().casefold()
    try:
        if kind == JSON_TYPE or kind == "application/json":  # noqa: PLR1714 - two, no set
            index_files = _json_files(cached.body, package, url)
        elif kind in _HTML_TYPES:
            index_files = _html_files(cached.body, package, url)
        else:
            raise InvalidResponseError(
                f'the response is not a package index page but "{kind[:60]}"'
            )
    except UnsupportedRepoVersionError:
        raise InvalidResponseError("the index uses a newer version of the protocol") from None
    except (ValueError, RecursionError, AssertionError, TypeError) as error:
        raise InvalidResponseError(f"the page cannot be read ({type(error).__name__})") from None
    return _page_of_files(index_files, package)


def files_digest(files: Iterable[IndexFile]) -> str | None:
    """Return a short digest over the names and hashes of files; None if a file has no hash."""
    lines = []
    for file in files:
        if file.sha256 is None:
            return None
        lines.append(f"{file.name} {file.sha256}\n")
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()[:12]


def _json_files(body: bytes, package: str, url: str) -> list[DistributionPackage]:
    page = ProjectPage.from_json_data(json.loads(body), url)
    if canonicalize_name(page.project) != package:
        raise InvalidResponseError(f'the page is about "{page.project[:60]}"')
    return page.packages[: MAX_FILES + 1]


def _html_files(body: bytes, package: str, url: str) -> list[DistributionPackage]:
    if not re.search(rb"<(?:!doctype|html|head|body|a|h1|title)\b", body[:4096], re.IGNORECASE):
        raise InvalidResponseError("the page is not HTML")
    page = RepositoryPage.from_html(body, url)
    html_files = []
    for link in page.links[: MAX_FILES + 1]:
        file = DistributionPackage.from_link(link, package)
        file.upload_time = _upload_time(link)
        html_files.append(file)
    return html_files


def _upload_time(link: Link) -> dt.datetime | None:
    """Return the time in the attribute `data-upload-time`, or None if it is missing or invalid.

    PEP 700 defines the time for JSON only, but some mirrors add it to their HTML.
    """
    time_text = link.get_str_attrib("data-upload-time")
    try:
        return dt.datetime.fromisoformat(time_text) if time_text else None
    except ValueError:
        return None


def _page_of_files(index_files: list[DistributionPackage], package: str) -> IndexPage:
    if len(index_files) > MAX_FILES:
        raise InvalidResponseError(f"the page names more than {MAX_FILES:,} files")
    files: dict[str, IndexFile] = {}
    refused: list[str] = []
    for file in index_files:
        try:
            name, version, tags = _parse_file_name(file.filename)
        except (InvalidWheelFilename, InvalidSdistFilename):
            continue
        if name != package:
            refused.append(f'"{file.filename[:80]}" belongs to another package')
            continue
        files[file.filename] = _index_file(file, version, tags)
    return IndexPage(tuple(files.values()), tuple(refused))


def _parse_file_name(name: str) -> tuple[str, Version, frozenset[Tag]]:
    """Return the normalized package name, the version and the tags in a file name.

    The name of a source archive has no tags. Raises InvalidWheelFilename or InvalidSdistFilename if
    the name is invalid, too long or has too many tags.
    """
    if len(name) > _MAX_NAME_LENGTH:
        raise InvalidSdistFilename("the name is too long")
    if name.endswith(".whl"):
        tag_parts = name.removesuffix(".whl").split("-")[-3:]
        if math.prod(part.count(".") + 1 for part in tag_parts) > _MAX_TAGS:
            raise InvalidWheelFilename("the name has too many tags")
        project, version, _, tags = parse_wheel_filename(name)
        return project, version, tags
    project, version = parse_sdist_filename(name)
    return project, version, frozenset()


def _index_file(file: DistributionPackage, version: Version, tags: frozenset[Tag]) -> IndexFile:
    sha256 = file.digests.get("sha256", "").casefold()
    metadata_sha256 = (file.metadata_digests or {}).get("sha256", "").casefold()
    return IndexFile(
        file.filename,
        file.url,
        version,
        tags,
        sha256 if _SHA256.fullmatch(sha256) else None,
        file.metadata_url if file.has_metadata else None,
        metadata_sha256 if _SHA256.fullmatch(metadata_sha256) else None,
        file.requires_python or None,
        (file.yanked_reason or "") if file.is_yanked else None,
        file.upload_time.date() if file.upload_time else None,
        file.size if file.size and file.size > 0 else None,
    )
