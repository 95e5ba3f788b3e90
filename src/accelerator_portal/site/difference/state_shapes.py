"""Defines what a difference reads of the files under `/api/v1/`.

Another commit may have built a site, by models with other keys: those of `api_shapes` would refuse.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from accelerator_portal.reports.outcomes import Kind, Outcome
from accelerator_portal.site.api_shapes import InstallData


class Lenient(BaseModel):
    """A record of which other keys are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class IndexEntry(Lenient):
    """A platform of the index."""

    id: str
    name: str
    accelerator: str
    install: str


class SiteIndex(Lenient):
    """The index: addresses relative to it."""

    api_version: int
    releases: str
    hardware: str
    results: str
    history: str
    quality: str
    accelerators: tuple[IndexEntry, ...]


class FaqEntry(Lenient):
    """A question and its answer."""

    question: str
    answer: str


class VersionRows(BaseModel):
    """A platform's `compatibility.yaml`; what it says beside its rows is kept too."""

    model_config = ConfigDict(frozen=True, extra="allow")

    rows: tuple[dict[str, Any], ...] = ()
    """The rows."""


class Folder(Lenient):
    """What stands in a platform's folder."""

    accelerator: dict[str, Any]
    """Its `accelerator.yaml`."""
    compatibility: VersionRows
    """Its `compatibility.yaml`."""
    guide: dict[str, str]
    """Sections of its guide."""
    faq: tuple[FaqEntry, ...]
    """Its questions."""


class LenientInstall(InstallData):
    """The selector's data; later keys are passed over."""

    model_config = ConfigDict(extra="ignore")


class ReportState(Lenient):
    """A report of the index; `report` is its address, relative to the index."""

    id: str
    accelerator: str
    kind: Kind
    report: str
    counts: dict[str, dict[Outcome, int]]


class Reports(Lenient):
    """The index of reports."""

    reports: tuple[ReportState, ...]


class KeptIndex(Lenient):
    """The index of histories: addresses relative to it."""

    histories: dict[str, str]


class Kept(Lenient):
    """A history, of which only the size matters here."""

    accelerator: str
    basis: str
    reports: tuple[Any, ...]
    changes: tuple[Any, ...]


class GenerationWords(Lenient):
    """What runs on a generation of cards, in words."""

    name: str
    words: str


class Cards(Lenient):
    """The cards of a platform."""

    id: str
    generations: tuple[GenerationWords, ...]


class Hardware(Lenient):
    """The hardware of every platform."""

    platforms: tuple[Cards, ...]


class Quality(Lenient):
    """The quality of every platform."""

    platforms: tuple[dict[str, Any], ...]


class ReleaseList(Lenient):
    """PyTorch’s releases, newest first."""

    releases: tuple[dict[str, Any], ...]
