"""Models the sources that a contributed file declares and that its facts cite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated
from urllib.parse import quote, urlsplit

from pydantic import Field, model_validator

from accelerator_reports.files.fields import (
    Day,
    Flag,
    Id,
    Line,
    PackageName,
    SourceIds,
    StrictModel,
    Url,
    exactly_one_of,
    validation_error,
)
from accelerator_reports.files.yaml_file import Location, values_in

LINES_PATTERN = r"[1-9][0-9]{0,6}(?:-[1-9][0-9]{0,6})?"

_REPOSITORY_FILE = re.compile(r"https://(?:github|gitlab|gitee|gitcode)\.com/[^?#]+/blob/[^?#]+")
_GIT_REFERENCE = re.compile(
    r"https://(?:(?:github|gitlab|gitee|gitcode)\.com/[^/]+/[^/]+/(?:-/)?(?:blob|tree|raw|commits)"
    r"|huggingface\.co/(?:datasets/)?[^/]+/[^/]+/(?:blob|tree|raw)"
    r"|raw\.githubusercontent\.com/[^/]+/[^/]+)/(?P<ref>[^/?#]+)"
)
# A commit, or the tag of a release. A branch of a release, such as `v0.25.1-dev`, can change.
_COMMIT_OR_TAG = re.compile(
    r"[0-9a-f]{7,40}|(?:[a-z]+-)?v?\d+(?:\.\d+)+(?:[._-]?(?:rc|post|a|b)\.?\d+)?"
)
_GITHUB = "https://github.com/"
# GitHub shows these files as pages. Only their plain text has addresses of lines.
_RENDERED_SUFFIXES = (".md", ".rst", ".markdown", ".ipynb")


def link_to_passage(url: str, lines: str | None = None, words: str | None = None) -> str:
    """Return the address that opens a document at the given lines or words.

    `lines` is a line number or a range such as `12-18`, and takes precedence over `words`. The
    address is `url` unchanged if both are None. It is also unchanged for words in a repository
    file, because code hosts cannot open a file at words.
    """
    if lines:
        first_line, _, last = lines.partition("-")
        plain = url.startswith(_GITHUB) and urlsplit(url).path.lower().endswith(_RENDERED_SUFFIXES)
        end = (f"-L{last}" if url.startswith(_GITHUB) else f"-{last}") if last else ""
        return f"{url}{'?plain=1' if plain else ''}#L{first_line}{end}"
    if words and not is_repository_file(url):
        # A hyphen has a special meaning in a text fragment, but `quote` does not encode it.
        encoded = quote(words, safe="").replace("-", "%2D")
        return f"{url}{'' if '#' in url else '#'}:~:text={encoded}"
    return url


def is_repository_file(url: str) -> bool:
    """Return whether an address is the page of a file in a repository on a code host."""
    return bool(_REPOSITORY_FILE.fullmatch(url))


def points_to_branch(url: str) -> bool:
    """Return whether an address points to a branch, whose content can change."""
    found = _GIT_REFERENCE.match(url)
    return found is not None and not _COMMIT_OR_TAG.fullmatch(found["ref"])


class Source(StrictModel):
    """A document, or a package's metadata on PyPI, and the date it was read."""

    url: Url | None = None
    """Address of the document. The address of a file in a repository contains the commit, not a
    branch."""
    package: PackageName | None = None
    """Name of the package whose metadata on PyPI was read. Use this key instead of `url`."""
    run_here: Flag = False
    """Whether this project installed and ran `package`. Default: only its metadata was read."""
    title: Line
    """Title that readers see: the publisher and the name of the document, for example `TorchNPU,
    README`."""
    read: Day
    """Date on which the source was read, for example `2026-11-21`."""
    as_of: Day | None = None
    """Date of the content, for example of the commit, if it is older than the date in `read`."""
    lines: Annotated[str, Field(pattern=rf"^{LINES_PATTERN}$")] | None = None
    """Lines of a repository file that state the fact: `12` or `12-18`. The link opens there."""
    quote: Annotated[Line, Field(max_length=200)] | None = None
    """The exact words of a page that state the fact. The link opens there."""

    _check_one_key = exactly_one_of("url", "package")

    @model_validator(mode="after")
    def _check_keys_fit(self) -> Source:
        if self.lines and not (self.url and is_repository_file(self.url)):
            raise validation_error(
                "lines need the address of a file in a repository", "use quote instead"
            )
        if self.run_here and not self.package:
            raise validation_error(
                "run_here needs a package", "name the package, or remove run_here"
            )
        if self.quote and not self.url:
            raise validation_error("a quote needs a url, not a package", "remove the quote")
        if self.as_of and self.as_of > self.read:
            raise validation_error("as_of is later than read", "use a date that is not after read")
        return self

    @property
    def address(self) -> str | None:
        """The address that opens the document, at `lines` or `quote` if possible.

        None for package metadata.
        """
        return link_to_passage(self.url, self.lines, self.quote) if self.url else None


def cited_ids(data: object) -> Iterator[tuple[Location, str]]:
    """Yield the location and the source id of each citation (`source: …`) in parsed YAML.

    A list of ids yields one pair for each id.
    """
    for location, value in values_in(data):
        if location[-1:] == ("source",):
            names = value if isinstance(value, list) else [value]
            yield from ((location, name) for name in names if isinstance(name, str))


def sources_by_id(sources: Mapping[str, Source], named: Iterable[str]) -> dict[str, Source]:
    """Return the sources whose ids are in `named`, in the order of `sources`."""
    ids = frozenset(named)
    return {name: source for name, source in sources.items() if name in ids}


class Sourced(StrictModel):
    """A fact, or a row of facts, that names its sources."""

    source: SourceIds
    """Id of the source in `sources` of the same file, or a list of ids."""


class SourcedFile(StrictModel):
    """A file with sources. In the front matter of a guide or FAQ, `sources` is the only key."""

    sources: Mapping[Id, Source] = Field(min_length=1)
    """The sources of this file, by id."""
