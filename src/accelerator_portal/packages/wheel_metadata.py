"""Parses the metadata of wheels, and fetches it from an index without the whole wheel."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName, default_environment
from packaging.metadata import RawMetadata, parse_email
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from accelerator_portal.http import CachedBody, HttpClient, InvalidResponseError
from accelerator_portal.packages.wheel_tags import python_label_key, system_of_tag
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.files.text_file import one_line

# The largest METADATA file in bytes, and the most characters of its parts.
MAX_METADATA = 1024**2
_MAX_REQUIREMENT = 2000
_MAX_SPECIFIER = 300
_MAX_SUMMARY = 160

# The parts of a wheel to fetch, in bytes: the end of the file, then the smallest and the largest
# other part; and the most parts.
_TAIL_LEN = 32 * 1024
_PART_LEN = 16 * 1024
_MOST_PART_BYTES = 8 * 1024**2
_MOST_PARTS = 6

_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")

# Other methods can allocate gigabytes of memory before they return a byte.
_ALLOWED_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

# What `zipfile` raises for a file that is damaged or is not a zip archive.
_DAMAGED_WHEEL_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, EOFError),
    *(OverflowError, RuntimeError, ValueError, OSError),
)

# Packages whose version is the CUDA version, the most certain first.
_CUDA = re.compile(r"cuda-toolkit|nvidia-cuda-(?:runtime|nvrtc)(?:-cu\d+)?")

_SYSTEMS = {
    "linux": ("Linux", "linux", "posix"),
    "windows": ("Windows", "win32", "nt"),
    "macos": ("Darwin", "darwin", "posix"),
}


@dataclass(frozen=True, slots=True)
class Metadata:
    """The parts of a wheel's metadata that the portal uses."""

    about: str | None
    """The package's summary, or else the first line of its description, shortened if it is long."""
    requires: tuple[Requirement, ...]


def parse_metadata(data: bytes, package: str, version: Version) -> Metadata:
    """Parse `data`, the METADATA file of a wheel.

    Raises InvalidResponseError if `data` is invalid, or if it does not name `package` and
    `version`.
    """
    try:
        raw = parse_core_metadata(data)
        _check_name_and_version(raw, package, version)
        requires = valid_requirements(raw)
    except ValueError as error:
        raise InvalidResponseError(str(error)) from None
    summary = raw.get("summary") or _first_line(raw.get("description", ""))
    return Metadata(_clean_summary(summary), requires)


def _check_name_and_version(raw: RawMetadata, package: str, version: Version) -> None:
    name, version_text = raw.get("name", ""), raw.get("version", "")
    if not name or not version_text:
        raise ValueError("invalid metadata: it names no package and version")
    if canonicalize_name(name) != package:
        raise ValueError(f'the metadata belongs to another package, "{name[:60]}"')
    if version_or_none(version_text) != version:
        raise ValueError(f'the metadata belongs to another version, "{version_text[:60]}"')


def python_range(written: str | None) -> str | None:
    """Return the specifier `written` in normal form: `<4,>=3.9`. None if it is empty or invalid."""
    specifiers = specifier_set(written)
    return str(specifiers) or None if specifiers else None


def requirements_of_wheel(
    requires: Iterable[Requirement], names: frozenset[str], tag: str, label: str
) -> tuple[str, ...]:
    """Return a wheel's requirements on the packages `names`, as text without environment markers.

    The markers are evaluated for the wheel's platform tag `tag` and Python label `label`.
    """
    requirement_texts = {
        f"{canonicalize_name(requirement.name)}{requirement.specifier}"
        for requirement in _applicable_requirements(requires, tag, label)
        if canonicalize_name(requirement.name) in names
    }
    return tuple(sorted(requirement_texts))


def cuda_version(requires: Iterable[Requirement], tag: str, label: str) -> str | None:
    """Return the version of the CUDA libraries that a wheel requires, such as `13.0`.

    Returns None if the requirements state no CUDA version. `tag` and `label` are the wheel's
    platform tag and Python label, as in `requirements_of_wheel`.
    """
    versions = {
        canonicalize_name(requirement.name): spec.version
        for requirement in _applicable_requirements(requires, tag, label)
        for spec in requirement.specifier
        if _CUDA.fullmatch(canonicalize_name(requirement.name))
        and spec.operator in {"==", "~=", ">="}
    }
    for name in sorted(versions, key=lambda n: (n != "cuda-toolkit", "runtime" not in n, n)):
        parts = versions[name].split(".")
        if len(parts) > 1 and all(part.isdigit() for part in parts[:2]):
            return ".".join(parts[:2])
    return None


def _applicable_requirements(
    requires: Iterable[Requirement], tag: str, label: str
) -> Iterator[Requirement]:
    environment = _marker_environment(tag, label)
    for requirement in requires:
        try:
            applies = requirement.marker is None or requirement.marker.evaluate(environment)
        except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion, KeyError):
            applies = True  # a marker that cannot be evaluated must not hide the requirement
        if applies:
            yield requirement


def _marker_environment(tag: str, label: str) -> dict[str, str]:
    wheel_system = system_of_tag(tag)
    system_name, platform, os = _SYSTEMS[wheel_system.os if wheel_system else "linux"]
    machine = wheel_system.arches[-1] if wheel_system else "x86_64"
    names = {"windows": {"x86_64": "AMD64", "aarch64": "ARM64"}, "macos": {"aarch64": "arm64"}}
    major, minor, _ = python_label_key(label)
    python = f"{major or 3}.{minor or 12}"
    return {
        **{key: str(value) for key, value in default_environment().items()},
        "platform_system": system_name,
        "sys_platform": platform,
        "os_name": os,
        "platform_machine": names.get(wheel_system.os if wheel_system else "", {}).get(
            machine, machine
        ),
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }


def _first_line(text: str) -> str:
    lines = (line.strip(" #*=-\t") for line in text[:5000].splitlines())
    return next(filter(None, lines), "")


def _clean_summary(text: str | None) -> str | None:
    summary = one_line(text or "")
    if len(summary) > _MAX_SUMMARY:
        summary = f"{summary[: _MAX_SUMMARY - 1]}…"
    return None if summary in {"", "UNKNOWN"} else summary


def parse_core_metadata(data: bytes | str) -> RawMetadata:
    """Return the raw fields of a METADATA file. Raises ValueError if it cannot be parsed."""
    try:
        raw, _ = parse_email(data)
    except Exception as error:  # noqa: BLE001 - a parser of mail, given anything at all
        raise ValueError(f"invalid metadata ({type(error).__name__})") from None
    return raw


def valid_requirements(raw: RawMetadata) -> tuple[Requirement, ...]:
    """Return the requirements in metadata, without the invalid ones.

    Raises ValueError if a requirement is too long.
    """
    requirements = []
    for line in raw.get("requires_dist", []):
        if len(line) > _MAX_REQUIREMENT:
            raise ValueError("invalid metadata: a requirement has no end")
        try:
            requirements.append(Requirement(line))
        except InvalidRequirement:
            continue
    return tuple(requirements)


def specifier_set(text: str | None) -> SpecifierSet | None:
    """Return the version specifier in a text; None if the text is empty, too long or invalid."""
    if not text or len(text) > _MAX_SPECIFIER:
        return None
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


def dist_info_file(wheel: zipfile.ZipFile, name: str) -> zipfile.ZipInfo | None:
    """Return a file of a wheel's `*.dist-info` folder, such as METADATA; None if missing.

    Raises NotImplementedError, as `zipfile` does, if the file is neither stored nor deflated.
    """
    path = re.compile(rf"[^/]+\.dist-info/{re.escape(name)}")
    info = next((info for info in wheel.infolist() if path.fullmatch(info.filename)), None)
    if info and info.compress_type not in _ALLOWED_METHODS:
        raise NotImplementedError("That compression method is not supported")
    return info


async def metadata_by_ranges(client: HttpClient, url: str, etag: str = "") -> CachedBody | None:
    """Return the METADATA file of the wheel at `url`, with the wheel's ETag.

    Used if an index has no separate metadata file (PEP 658). Only the needed parts of the wheel are
    fetched, with range requests (RFC 9110, 14). `zipfile` reads the archive from these parts. If it
    needs another part, the part is fetched, and `zipfile` reads again.

    Returns None if the wheel still has the ETag `etag`. Raises FetchError, and InvalidResponseError
    if the file is not a valid wheel.
    """
    headers = {"range": f"bytes=-{_TAIL_LEN}"} | ({"if-none-match": etag} if etag else {})
    tail = await client.get(url, headers, max_bytes=_TAIL_LEN)
    if tail.status == 304:  # noqa: PLR2004 - not modified
        return None
    content_range = _RANGE.fullmatch(tail.headers.get("content-range", ""))
    if not content_range or int(content_range[2]) - int(content_range[1]) + 1 != len(tail.body):
        raise InvalidResponseError("the server does not state which part of the file it returns")
    start, size = int(content_range[1]), int(content_range[3])
    if start + len(tail.body) != size:
        raise InvalidResponseError("the server does not return the end of the file")
    wheel = _PartialFile(size)
    wheel.add_part(start, tail.body)
    for _ in range(_MOST_PARTS):
        try:
            return CachedBody(_metadata_of_wheel(wheel), tail.headers.get("etag", ""))
        except _MissingPartError as missing:
            first, last = missing.first, min(max(missing.last, missing.first + _PART_LEN), size) - 1
            if last - first >= _MOST_PART_BYTES:
                raise InvalidResponseError("the list of the wheel's files is too long") from None
            range_header = {"range": f"bytes={first}-{last}"}
            part = await client.get(url, range_header, max_bytes=last - first + 1)
            if len(part.body) != last - first + 1:
                raise InvalidResponseError(
                    "the server returned a different part of the file than requested"
                ) from None
            wheel.add_part(first, part.body)
        except _DAMAGED_WHEEL_ERRORS as error:
            error_text = f"the file is not a valid wheel ({type(error).__name__})"
            raise InvalidResponseError(error_text) from None
    raise InvalidResponseError("the wheel's metadata is split into too many parts")


def _metadata_of_wheel(wheel: _PartialFile) -> bytes:
    wheel.seek(0)
    with zipfile.ZipFile(wheel) as archive:
        info = dist_info_file(archive, "METADATA")
        if info is None:
            raise InvalidResponseError("the wheel has no metadata")
        if info.file_size > MAX_METADATA:
            raise InvalidResponseError("the wheel's metadata is too long")
        with archive.open(info) as file:
            return file.read(MAX_METADATA)


class _MissingPartError(Exception):
    def __init__(self, first: int, last: int) -> None:
        super().__init__()
        self.first = first
        self.last = last


class _PartialFile(io.RawIOBase):
    """A file on a server, of which only the fetched parts can be read.

    Reading outside these parts raises _MissingPartError.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size
        self._position = 0
        self._parts: list[tuple[int, bytes]] = []

    def add_part(self, start: int, data: bytes) -> None:
        self._parts.append((start, data))

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("before the file")
        self._position = base + offset
        return self._position

    def read(self, size: int = -1) -> bytes:
        end = self._size if size < 0 else min(self._position + size, self._size)
        if end <= self._position:
            return b""
        for start, data in self._parts:
            if start <= self._position and end <= start + len(data):
                content = data[self._position - start : end - start]
                self._position = end
                return content
        raise _MissingPartError(self._position, end)
