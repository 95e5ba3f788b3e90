"""Compares what readers see of two catalogs: commands, versions, facts, texts and test results."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.results.suite_evidence import newest_evidence
from accelerator_portal.site.command_changes import (
    ReaderChoice,
    command_changes,
    commands_by_choice,
)
from accelerator_portal.site.json_changes import (
    DifferenceSection,
    Item,
    ItemChange,
    change_kind,
    changes,
    shortened,
)
from accelerator_portal.site.pages.hardware import hardware_data
from accelerator_portal.site.results.results_view import evidence_level, make_results_view
from accelerator_reports.file_reading import read_bytes
from accelerator_reports.files.fields import Count, StrictModel
from accelerator_reports.outcomes import BAD, GOOD, Outcome
from accelerator_reports.test_keys import Identity, identity_of

MOST_CHANGES = 500
"""Further changes of a platform, or of pages, are only counted."""

RELEASES_ID = ""
"""The id of the part about PyTorch's releases, which belong to no platform."""

_SECTIONS = get_args(DifferenceSection)
_NO_TEXT = {"before": None, "after": None}

# The content of a page. The menus around it change on every page with each new platform.
_PAGE_CONTENT = re.compile(rb"<article\b.*</article>", re.DOTALL)


class PartDifference(StrictModel):
    """What changed about a platform or about PyTorch's releases."""

    id: str
    """The platform's id, or `RELEASES_ID`."""
    name: str
    """Its name."""
    change: ItemChange
    """Whether it is new, removed or changed."""
    items: tuple[Item, ...]
    """What changed, at most `MOST_CHANGES`."""
    left_out: Count = 0
    """The number of further changes."""


class Difference(StrictModel):
    """The difference between two states of the site."""

    schema_version: Literal[2] = 2
    not_compared: str | None = None
    """Why the data was not compared; None if it was."""
    parts: tuple[PartDifference, ...] = ()
    """What changed, by platform."""
    pages: PartDifference | None = None
    """The pages that changed; None if pages were not compared."""


@dataclass(frozen=True, slots=True)
class PlatformContent:
    """What readers see of a platform."""

    name: str
    commands: Mapping[ReaderChoice, str] = field(default_factory=dict)
    """The commands for each selection, with the texts beside them."""
    reports: Mapping[str, StoredReport] = field(default_factory=dict)
    """The test reports by id."""
    versions: Sequence[Any] = ()
    """The version rows and other facts on versions, as in JSON."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The facts about the platform, as in JSON."""
    texts: Mapping[str, Mapping[str, str]] = field(
        default_factory=lambda: {"Guide": {}, "Question": {}}
    )
    """The text of each section of the guide, and of each answer, by title."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """The level of evidence, and what higher levels lack."""


SiteContent = Mapping[str, PlatformContent]
"""What readers see, by platform id. `RELEASES_ID` is the key of PyTorch's releases."""


def site_content(catalog: Catalog) -> SiteContent:
    """Return what readers see of a valid catalog."""
    results = make_results_view(catalog)
    releases = catalog.releases.model_dump(mode="json", exclude_unset=True)["releases"]
    content = {RELEASES_ID: PlatformContent("PyTorch’s releases", versions=releases)}
    cards = {hardware.id: hardware.generations for hardware in hardware_data(catalog).platforms}
    for platform in catalog.platforms:
        facts, versions = (
            record.model_dump(mode="json", by_alias=True, exclude_unset=True)
            for record in (platform.accelerator, platform.compatibility)
        )
        facts["variant"] = {variant.id: variant.name for variant in platform.install.variants}
        facts["runs on"] = {
            f"{card.name} {card.chip or ''}".strip(): card.words
            for card in cards.get(platform.id, ())
        }
        quality = evidence_level(catalog, results, platform)
        content[platform.id] = PlatformContent(
            platform.accelerator.name,
            commands_by_choice(rows_by_platform(catalog)[platform.id], platform),
            {stored.id: stored for stored in results.of(platform.id)},
            [*versions.pop("rows", ()), *({"name": key, key: versions[key]} for key in versions)],
            facts,
            {
                kind: {section.title: section.text for section in file.sections}
                for kind, file in (("Guide", platform.guide), ("Question", platform.faq))
            },
            {
                "level": quality.level.id,
                "why": quality.tested.why,
                "missing": {level.title: ", ".join(why) for level, why in quality.missing.items()},
            }
            if quality
            else {},
        )
    return content


def compare(before: SiteContent, after: SiteContent) -> tuple[PartDifference, ...]:
    """Return what changed, by platform, in the order of `after`."""
    ids = dict.fromkeys((*after, *before))
    found = (_part_difference(id_, before.get(id_), after.get(id_)) for id_ in ids)
    return tuple(part for part in found if part.items or part.change != "changed")


def _part_difference(
    id_: str, before: PlatformContent | None, after: PlatformContent | None
) -> PartDifference:
    old, new = (content or PlatformContent("") for content in (before, after))
    items = chain(
        command_changes(old.commands, new.commands),
        changes("versions", old.versions, new.versions),
        changes("facts", old.facts, new.facts),
        (i.model_copy(update=_NO_TEXT) for i in changes("texts", old.texts, new.texts)),
        _report_changes(old.reports, new.reports),
        _outcome_changes(old.reports, new.reports),
        changes("evidence", old.evidence, new.evidence),
    )
    return _part(id_, new.name or old.name, change_kind(before, after), items)


def _part(id_: str, name: str, change: ItemChange, items: Iterator[Item]) -> PartDifference:
    found = sorted(items, key=lambda item: _SECTIONS.index(item.section))
    left_out = max(0, len(found) - MOST_CHANGES)
    return PartDifference(
        id=id_, name=name, change=change, items=tuple(found[:MOST_CHANGES]), left_out=left_out
    )


def _report_changes(
    before: Mapping[str, StoredReport], after: Mapping[str, StoredReport]
) -> Iterator[Item]:
    for id_ in dict.fromkeys((*after, *before)):
        old, new = before.get(id_), after.get(id_)
        if not (old and new and old.report == new.report):
            yield Item(
                section="reports",
                change=change_kind(old, new),
                name=id_,
                before=_report_summary(old) if old else None,
                after=_report_summary(new) if new else None,
            )


def _report_summary(stored: StoredReport) -> str:
    """Return a report in one line: `self-reported, torchbench: 75 passed, 15 failed`."""
    parts: list[str] = [stored.report.kind]
    for evidence in newest_evidence([stored]):
        counts = (f"{count:,} {_words(outcome)}" for outcome, count in evidence.counts.items())
        parts.append(f"{evidence.suite}: {', '.join(counts)}")
    return shortened(", ".join(parts))


def _outcome_changes(
    before: Mapping[str, StoredReport], after: Mapping[str, StoredReport]
) -> Iterator[Item]:
    """Yield the tests whose newest outcome changed, new failures first, then counts of tests.

    Settings of a test that changed alike are counted.
    """
    old, new = (_newest_outcomes(reports.values()) for reports in (before, after))
    moves = Counter(
        (f"{test.suite}/{test.name}{expected}", old[test, expected], outcome)
        for (test, expected), outcome in new.items()
        if old.get((test, expected), outcome) != outcome
    )
    for (name, was, now), settings in sorted(moves.items(), key=_severity):
        more = f", {settings:,} settings" if settings > 1 else ""
        yield Item(
            section="outcomes",
            change="changed",
            name=name,
            before=_words(was),
            after=_words(now) + more,
            is_new_failure=was in GOOD and now in BAD,
        )
    added, gone = (
        Counter(f"tests of {test.suite}{expected}" for test, expected in sorted(keys))
        for keys in (new.keys() - old.keys(), old.keys() - new.keys())
    )
    yield from changes("reports", {}, added)
    yield from changes("reports", gone, {})


def _newest_outcomes(
    reports: Iterable[StoredReport],
) -> Mapping[tuple[Identity, str], Outcome]:
    """Return the outcome of each test in the newest report that has it.

    Results of baselines are kept apart: the second part of their key is `, expected`.
    """
    return {
        (identity_of(test), ", expected" if stored.report.kind == "baseline" else ""): test.outcome
        for stored in sorted(reports, key=lambda stored: stored.order)
        for test in stored.report.tests
    }


def _severity(move: tuple[tuple[str, Outcome, Outcome], int]) -> tuple[int, str]:
    """Return the sort key of a changed outcome: new failures, other failures, passed, others."""
    (name, was, now), _ = move
    return (was not in GOOD if now in BAD else 2 if now in GOOD else 3), name


def _words(outcome: Outcome) -> str:
    return outcome.replace("-", " ")


def page_digests(site: Path) -> Mapping[str, str]:
    """Return a digest of the content of each page of a built site, by address; menus are ignored.

    Addresses are, for example, `get-started/`, `404.html`, and "" for the home page. Raises
    ProblemsError if a page cannot be read.
    """
    digests = {}
    for file in sorted(site.rglob("*.html")):
        if file.is_file() and not file.is_symlink():
            page = read_bytes(file)
            content = _PAGE_CONTENT.search(page)
            address = file.relative_to(site).as_posix().removesuffix("index.html")
            digests[address] = hashlib.sha256(content[0] if content else page).hexdigest()
    return digests


def compare_pages(before: Mapping[str, str], after: Mapping[str, str]) -> PartDifference:
    """Return the new, removed and changed pages; both arguments are results of `page_digests`."""
    items = (
        Item(
            section="pages", change=change_kind(before.get(page), after.get(page)), name=f"/{page}"
        )
        for page in dict.fromkeys((*after, *before))
        if before.get(page) != after.get(page)
    )
    return _part("", "Pages", "changed", items)
