"""Reads the state of a built site: the data in its `/api/v1/`, and digests of its pages.

Unknown keys are ignored, so that sites of earlier and later commits can be compared. Reading stops
at the first file that cannot be read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from accelerator_portal.site.api_shapes import InstallData
from accelerator_portal.site.difference.commands import CommandsByChoice, commands_by_choice
from accelerator_portal.site.site_file import API
from accelerator_reports.file_reading import load_json, read_bytes
from accelerator_reports.files.fields import OpenModel
from accelerator_reports.files.problem import Problem, ProblemsError, first_error_text
from accelerator_reports.outcomes import Outcome, ReportKind

API_VERSION = 1

_REBUILD = "build the site again (make site)"

# The content of a page. The menus around it change on every page with each new platform.
_PAGE_CONTENT = re.compile(rb"<article\b.*</article>", re.DOTALL)

M = TypeVar("M", bound=BaseModel)


class IndexEntry(OpenModel):
    """A platform in the index, with the addresses of the platform's data."""

    id: str
    name: str
    accelerator: str
    install: str


class SiteIndex(OpenModel):
    """The index of a site's data files. Addresses are relative to the index."""

    api_version: int
    releases: str
    hardware: str
    results: str
    history: str
    quality: str
    accelerators: tuple[IndexEntry, ...]


class FaqEntry(OpenModel):
    """A question and its answer."""

    question: str
    answer: str


class VersionRows(BaseModel):
    """A platform's `compatibility.yaml`; keys other than `rows` are stored, too."""

    model_config = ConfigDict(frozen=True, extra="allow")

    rows: tuple[dict[str, Any], ...] = ()
    """The version rows."""


class PlatformData(OpenModel):
    """The content of a platform's folder."""

    accelerator: dict[str, Any]
    """The content of `accelerator.yaml`."""
    compatibility: VersionRows
    """The content of `compatibility.yaml`."""
    guide: dict[str, str]
    """The text of each section of the guide, by title."""
    faq: tuple[FaqEntry, ...]
    """The questions and answers."""


class LenientInstallData(InstallData):
    """The selector's data; unknown keys are ignored."""

    model_config = ConfigDict(extra="ignore")


class ReportState(OpenModel):
    """A report in the index of reports.

    `report` is the address of the report, relative to the index. `counts` are the numbers of
    results by suite and outcome.
    """

    id: str
    accelerator: str
    kind: ReportKind
    report: str
    counts: dict[str, dict[Outcome, int]]


class ReportIndex(OpenModel):
    """The index of all test reports on the site."""

    reports: tuple[ReportState, ...]


class HistoryAddresses(OpenModel):
    """The addresses of histories, relative to the index, by name such as `xpu-runs`."""

    histories: dict[str, str]


class StoredHistory(OpenModel):
    """The history of an accelerator's runs or baselines.

    Only the numbers of reports and changes are used. `basis` is `runs` or `baselines`. `changes`
    are the outcomes that changed between reports.
    """

    accelerator: str
    basis: str
    reports: tuple[Any, ...]
    changes: tuple[Any, ...]


class GenerationSummary(OpenModel):
    """A hardware generation; `words` say which PyTorch releases support it."""

    name: str
    chip: str | None = None
    words: str


class PlatformCards(OpenModel):
    """The hardware generations of one platform; `id` is the platform's id."""

    id: str
    generations: tuple[GenerationSummary, ...]


class Hardware(OpenModel):
    """The hardware data of every platform."""

    platforms: tuple[PlatformCards, ...]


class Quality(OpenModel):
    """The quality data of every platform, such as its level of evidence."""

    platforms: tuple[dict[str, Any], ...]


class ReleaseList(OpenModel):
    """PyTorch’s releases, newest first."""

    releases: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SiteReport:
    """A report on a built site: its entry in the index, its file, and the digest of this file."""

    entry: ReportState
    file: Path
    digest: str


@dataclass(frozen=True, slots=True)
class PlatformState:
    """The data of one platform on a built site."""

    name: str
    folder: PlatformData
    choices: CommandsByChoice
    cards: Mapping[str, str] = field(default_factory=dict)
    """The supported releases in words, by hardware generation. The key is the generation's name and
    chip as one text."""
    quality: Mapping[str, Any] = field(default_factory=dict)
    """The platform's entry in the quality data; empty if the site has none."""
    history: Mapping[str, str] = field(default_factory=dict)
    """The size of the history in words, by basis (`runs` or `baselines`)."""
    reports: Mapping[str, SiteReport] = field(default_factory=dict)
    """The platform's reports by id."""


@dataclass(frozen=True, slots=True)
class SiteState:
    """The data and pages of a built site."""

    releases: tuple[Mapping[str, Any], ...]
    platforms: Mapping[str, PlatformState]
    pages: Mapping[str, str] | None
    """A digest of each page by its address; None if the site has only data."""


def read_state(folder: Path) -> SiteState:
    """Return the data and pages of a built site; `folder` is the site or its `api/v1`.

    If `folder` is `api/v1`, only the data is read. Raises ProblemsError if the folder has no index,
    or if a file cannot be read or is invalid.
    """
    has_pages = (folder / API / "index.json").is_file()
    if not has_pages and not (folder / "index.json").is_file():
        what = f"there is no {API}/index.json here, so this is not a built site"
        raise ProblemsError([Problem(str(folder), 1, what, "build it (make site) and name site/")])
    pages = read_pages(folder) if has_pages else None
    return _Reader(folder / API if has_pages else folder).state(pages)


@contextmanager
def problems_in(file: Path) -> Iterator[None]:
    """Give the problems that the `with` block raises the whole path of `file`, and one remedy.

    The whole path shows in which of the two compared sites the file is. The remedy is to build the
    site again.
    """
    try:
        yield
    except ProblemsError as error:
        problems = (replace(p, path=str(file), remedy=_REBUILD) for p in error.problems)
        raise ProblemsError(problems) from None


class _Reader:
    """Reads the data files of one `api/v1` folder. Files outside the folder are refused."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder.resolve()

    def state(self, pages: Mapping[str, str] | None) -> SiteState:
        index = self._index()
        hardware = self._read_model(index.hardware, Hardware).platforms
        cards = {
            p.id: {f"{g.name} {g.chip or ''}".strip(): g.words for g in p.generations}
            for p in hardware
        }
        quality = self._quality_by_platform(index.quality)
        history = self._history_sizes(index.history)
        reports = tuple(self._reports(index.results))
        platforms = {
            entry.id: PlatformState(
                entry.name,
                self._read_model(entry.accelerator, PlatformData),
                self._commands_by_choice(entry.install),
                cards.get(entry.id, {}),
                quality.get(entry.id, {}),
                history.get(entry.id, {}),
                {r.entry.id: r for r in reports if r.entry.accelerator == entry.id},
            )
            for entry in index.accelerators
        }
        releases = self._read_model(index.releases, ReleaseList).releases
        return SiteState(releases, platforms, pages)

    def _index(self) -> SiteIndex:
        data = self._load_file("index.json")
        version = data.get("api_version") if isinstance(data, dict) else None
        if isinstance(version, int) and version > API_VERSION:
            what = f"the data have version {version}, this command reads {API_VERSION}"
            self._refuse("index.json", what, "use the portal's newer version")
        return self._read_model("index.json", SiteIndex)

    def _read_model(self, address: str, model: type[M]) -> M:
        try:
            return model.model_validate(self._load_file(address))
        except ValidationError as error:
            self._refuse(address, first_error_text(error), _REBUILD)

    def _load_file(self, address: str) -> Any:  # noqa: ANN401 - any JSON
        file = self._file_path(address)
        with problems_in(self.folder / address):
            return load_json(file)

    def _file_path(self, address: str) -> Path:
        """Return the path of the file at an address, which is relative to the folder.

        Addresses are untrusted. Raises ProblemsError if an address leads out of the folder, or is
        not a valid path.
        """
        file: Path | None = None
        with suppress(OSError, RuntimeError, ValueError):  # a loop of links, or a null character
            file = (self.root / address).resolve()
        if file is None or not file.is_relative_to(self.root):
            self._refuse("index.json", f"{json.dumps(address[:60])} leads out of {API}", _REBUILD)
        return file

    def _commands_by_choice(self, address: str) -> CommandsByChoice:
        data = self._read_model(address, LenientInstallData)
        try:
            return commands_by_choice(data)
        except (LookupError, ValueError, TypeError):
            self._refuse(address, "a row refers to a value that does not exist", _REBUILD)

    def _quality_by_platform(self, address: str) -> dict[str, dict[str, Any]]:
        if not self._file_path(address).exists():  # without data/criteria.yaml there are no levels
            return {}
        return {str(row.get("id")): row for row in self._read_model(address, Quality).platforms}

    def _history_sizes(self, address: str) -> dict[str, dict[str, str]]:
        sizes: dict[str, dict[str, str]] = {}
        folder = Path(address).parent
        for file in self._read_model(address, HistoryAddresses).histories.values():
            history = self._read_model((folder / file).as_posix(), StoredHistory)
            size_words = f"reports: {len(history.reports)}, changes: {len(history.changes)}"
            sizes.setdefault(history.accelerator, {})[history.basis] = size_words
        return sizes

    def _reports(self, address: str) -> Iterator[SiteReport]:
        folder = Path(address).parent
        for entry in self._read_model(address, ReportIndex).reports:
            file = self._file_path((folder / entry.report).as_posix())
            with problems_in(self.folder / file.relative_to(self.root)):
                digest = hashlib.sha256(read_bytes(file)).hexdigest()
            yield SiteReport(entry, file, digest)

    def _refuse(self, address: str, what: str, remedy: str) -> NoReturn:
        raise ProblemsError([Problem(str(self.folder / address), 1, what, remedy)])


def read_pages(site: Path) -> dict[str, str]:
    """Return a digest of each page's content, by the page's address. Menus are ignored.

    Addresses are, for example, `get-started/`, `404.html`, and "" for the home page. Raises
    ProblemsError if a page cannot be read.
    """
    digest_by_address = {}
    for file in sorted(_html_files(site)):
        with problems_in(file):
            content = read_bytes(file)
        content_part = _PAGE_CONTENT.search(content)
        address = file.relative_to(site).as_posix().removesuffix("index.html")
        digest_by_address[address] = hashlib.sha256(
            content_part[0] if content_part else content
        ).hexdigest()
    return digest_by_address


def _html_files(site: Path) -> Iterator[Path]:
    return (file for file in site.rglob("*.html") if file.is_file() and not file.is_symlink())
