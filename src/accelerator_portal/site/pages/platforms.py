"""Builds the page of all platforms, and the page of each platform."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.accelerator import Feature
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.catalog.message import message, plural, translatable
from accelerator_portal.catalog.schema import slug
from accelerator_portal.install.commands import VENDOR_METHODS
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.install.selector import Selector
from accelerator_portal.results.history import RESULT_KINDS
from accelerator_portal.results.result_matrices import model_statements
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.commands_table import commands_table, default_build_rows
from accelerator_portal.site.grid import (
    Basis,
    Cell,
    Grid,
    GridMark,
    Head,
    platforms_by_integration,
    tally,
)
from accelerator_portal.site.languages import Language
from accelerator_portal.site.pages.features import FEATURE_LABELS, features_data, features_grid
from accelerator_portal.site.pages.hardware import (
    PlatformHardware,
    hardware_data,
    models_with_build,
)
from accelerator_portal.site.pages.models import models_grid, models_view
from accelerator_portal.site.pages.packages import package_view
from accelerator_portal.site.pages.questions import (
    page_sources,
    platform_questions,
    translated_questions,
)
from accelerator_portal.site.pages.upgrades import UPGRADES_PAGE, removal_note, upgrade_data
from accelerator_portal.site.pages.versions import (
    LAG_COLUMNS,
    lag_cells,
    versions_table,
)
from accelerator_portal.site.results.history_view import TestHistories
from accelerator_portal.site.results.results_view import DEMANDS, RESULTS_PAGES, evidence_level
from accelerator_portal.site.results.suite_cells import own_suite_rows, suite_cells
from accelerator_portal.site.selector_view import selector_view
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import PLATFORMS
from accelerator_portal.site.text_formats import format_number
from accelerator_portal.site.vendor_text import SourceList, guide_parts, render_section
from accelerator_reports.files.sources import Sourced, sources_by_id
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Report
from accelerator_reports.suite_names import suite_owner

# The maximum number of rows in a platform's table of commands if it has all releases.
MOST_COMMANDS = 60

# The number of version rows and answers that are visible before the reader opens the others.
MOST_VERSIONS = 3
MOST_ANSWERS = 2

# The words of a product's name before its number.
_PRODUCT_LINE = re.compile(r"[^\W\d][^\d]*(?=\s|$)")

CHINESE_CHARACTER = re.compile("[一-鿿]")

_AMBIGUOUS_WORD = re.compile(r"\d|torch", re.IGNORECASE)

TRANSLATED = (f"{PLATFORMS}/index.md", f"{PLATFORMS}/*.md")


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of all platforms, and the page of each platform in each language."""
    catalog = site.catalog
    context = {
        "evidence": site.results.newest_run_lines(),
        "followed": {p.id: supported_releases(catalog, p) for p in catalog.platforms},
        "devices": {p.id: _device_figures(p) for p in hardware_data(catalog).platforms},
        **other_backends(catalog, "observed"),
    }
    yield Page(f"{PLATFORMS}/index.md", context)
    for platform in catalog.platforms:
        sources = page_sources(platform)
        faq = platform_questions(catalog, platform, sources)
        context = _platform_context(site, platform, sources)
        for language in site.languages:
            texts = vendor_texts(platform, sources, language)
            edit = texts.pop("edit")
            texts["faq"] = translated_questions(faq, platform, language)
            yield Page(
                f"{PLATFORMS}/{platform.id}.md",
                {**context, **texts},
                "platform.md.j2",
                edit,
                platform.accelerator.name,
                language,
            )


_SHORT_BASES: Mapping[Basis, str] = {
    "run": message("run"),
    "expected": message("expected"),
    "stated": message("stated"),
}
"""The evidence in headings of narrow columns."""


@cached_by_owner
def platforms_grid(site: Site) -> Grid:
    """Return the grid of all platforms with their release lag, test results, features and models.

    Tests are those of the newest report of each suite. Results of a baseline without a test that is
    expected to pass are a list of failures: they have no share.
    """
    catalog = site.catalog
    cells: dict[tuple[str, str], Cell] = {}
    features = features_data(site)
    models = models_grid(catalog, models_view(site)).cells
    for platform in catalog.platforms:
        row = lag_cells(catalog, platform) | _result_cells(site, platform)
        if (stated := features.by_id[platform.id].features.values()) and features.labels:
            row["features"] = _features_cell(platform, stated, len(features.labels))
        for basis in _SHORT_BASES:
            count = sum(
                column == platform.id and any(mark.basis == basis for mark in cell.marks)
                for (_, column), cell in models.items()
            )
            if count:
                words = plural("{count} model family", "{count} model families", count)
                address = f"{RESULTS_PAGES}/by-model/?with={platform.id}"
                mark = GridMark("pass", basis)
                row[f"models-{basis}"] = Cell(
                    (mark,), str(count), label=words, href=address, order=count
                )
        figures = [m.memory_gb for m in models_with_build(platform) if m.memory_gb]
        if figures:
            least, most = format_number(min(figures)), format_number(max(figures))
            text = least if least == most else f"{least}–{most}"
            row["memory"] = Cell(text=text, order=max(figures))
        cells |= {(platform.id, column): cell for column, cell in row.items()}
    heads = (replace(head, note=head.words) for head in platforms_by_integration(catalog.platforms))
    tests, families = message("Tests passed"), message("Model families")
    columns = (
        *LAG_COLUMNS,
        Head("level", message("Level")),
        *(Head(basis, _SHORT_BASES[basis], group=tests) for basis in ("run", "expected")),
        Head("features", message("full + in part"), group=message("Features")),
        *(Head(f"models-{b}", words, group=families) for b, words in _SHORT_BASES.items()),
        Head("memory", message("GB"), group=message("Memory")),
    )
    return Grid(
        "platforms",
        message("Platform"),
        tuple(heads),
        columns,
        cells,
        words={
            "pass": message("newest release; model families"),
            "fail": message("failures listed"),
            "meter": message("share of tests or features"),
        },
        wide=True,
        panel=False,
        differences=False,
    )


def _result_cells(site: Site, platform: Platform) -> dict[str, Cell]:
    """Return the cells of a platform's level of evidence, its runs and its baselines."""
    address = f"{PLATFORMS}/{platform.id}/#results"
    row: dict[str, Cell] = {}
    criteria = site.catalog.criteria
    if criteria and (evidence := evidence_level(site.catalog, site.results, platform)):
        order = -criteria.levels.index(evidence.level)
        row["level"] = Cell(text=translatable(evidence.level.title), href=address, order=order)
    newest = [e for e in site.results.newest(platform.id) if e.kind != "speed"]
    bases: tuple[Basis, Basis] = ("run", "expected")
    for basis in bases:
        counts: Counter[Outcome] = Counter()
        for suite in newest:
            if suite.is_run == (basis == "run"):
                counts.update(suite.counts)
        found = tally(counts, basis)
        if not found.checked:
            continue
        words = message(
            "{passed} of {total}", passed=f"{found.passed:,}", total=f"{found.checked:,}"
        )
        if found.passed:
            mark, text = replace(found.mark, state="meter"), words
        else:
            mark = found.mark
            text = message("{count} listed", count=found.checked)
        row[basis] = Cell((mark,), text, label=words, href=address, order=found.mark.share)
    return row


def _features_cell(platform: Platform, stated: Iterable[Feature], total: int) -> Cell:
    extents = Counter(feature.works for feature in stated)
    words = message(
        "{full} of {total} features work, {part} work in part",
        full=extents["yes"],
        total=total,
        part=extents["partly"],
    )
    return Cell(
        (GridMark("meter", "stated", extents["yes"] / total),),
        f"{extents['yes']} + {extents['partly']}",
        label=words,
        href=f"{PLATFORMS}/{platform.id}/#features",
        order=extents["yes"],
    )


def _device_figures(platform: PlatformHardware) -> str:
    """Return as JSON what readers filter by: the different figures of a platform's devices."""
    models = [model for generation in platform.generations for model in generation.models]
    figures = {(m.purpose, m.memory_gb, m.power_w): None for m in models}
    return json.dumps(
        [
            {"purpose": "|".join(purpose or ()), "memory": memory or "", "power": power or ""}
            for purpose, memory, power in figures
        ],
        separators=(",", ":"),
    )


def other_backends(catalog: Catalog, key: Literal["observed", "runtimes"]) -> dict[str, Any]:
    """Return template variables: a list from `other-backends.yaml`, and the sources that it cites.

    `key` is the name of the list. `observed` has backends without a vendor folder. `runtimes` has
    programs that run PyTorch models without a torch device. For `observed`, the result is
    `{"observed": entries, "sources": sources}`.
    """
    backends = catalog.other_backends
    entries: Sequence[Sourced] = getattr(backends, key) if backends else ()
    source_ids = {name for entry in entries for name in entry.source}
    sources = sources_by_id(backends.sources, source_ids) if backends else {}
    return {key: entries, "sources": SourceList([("other-backends.yaml", sources)])}


def _platform_context(site: Site, platform: Platform, sources: SourceList) -> dict[str, Any]:
    """Return the variables of `platform.md.j2` that are the same in all languages, by name.

    `vendor_texts` returns the variables that depend on the language. `sources` are those of the
    platform.
    """
    catalog, results, selector = site.catalog, site.results, site.selector.only(platform.id)
    hardware = hardware_data(catalog).platforms
    reports = results.of(platform.id)
    cells = suite_cells(catalog, results.newest(platform.id))
    vendors = {other.accelerator.vendor for other in catalog.platforms}
    view = selector_view(selector) if selector.starts else None
    return {
        "platform": platform,
        "a": platform.accelerator,
        "selector": selector,
        "view": view,
        "removal_note": removal_note(catalog, view),
        **_commands(catalog, selector),
        "feature_labels": FEATURE_LABELS,
        "most_versions": MOST_VERSIONS,
        "most_answers": MOST_ANSWERS,
        "reports": [(stored, results.suite_counts(stored.id)) for stored in reports],
        "statements": tuple(model_statements(platform)),
        "tested_systems": systems_of_runs(reports),
        "tested_hardware": devices_of_runs(reports),
        "course": list(_report_count_texts(platform.id, site.histories)),
        "page_files": [*map(platform.path, (*platform.files, "guide.md", "faq.md"))],
        "sources": sources,
        "cited": sources.cited,
        "versions": versions_table(platform, sources, site.edition.today),
        "upgrades": UPGRADES_PAGE if platform.id in upgrade_data(catalog).platforms else None,
        "hardware": next((h for h in hardware if h.id == platform.id), None),
        "features": features_data(site).by_id[platform.id],
        "evidence": evidence_level(catalog, results, platform),
        "demands": DEMANDS,
        "summary_grid": platforms_grid(site),
        "feature_grid": features_grid(site),
        "suite_cells": [c for c in cells if suite_owner(c.column.suite) is None],
        "own_suites": own_suite_rows(catalog, platform, cells),
        "search_words": search_words(platform, vendors, chinese=len(site.languages) == 1),
        "speeds": {run.id: run for run in site.speed_runs},
        "packaged": package_view(catalog, platform),
    }


def _commands(catalog: Catalog, selector: Selector) -> dict[str, Any]:
    """Return the rows of a platform's table of commands, and the releases that it leaves out.

    A long table leaves out releases, because their own pages have the commands. It has the default
    builds, the newest release, nightly builds, and the builds without a page of a release.
    """
    all_commands = commands_table(selector, selector.rows)
    if len(all_commands) <= MOST_COMMANDS:
        return {"commands": all_commands, "older_releases": []}
    released = {release.version for release in catalog.releases.releases}
    defaults = {row.build for row in default_build_rows(selector)}
    listed = {catalog.releases.newest.version, *defaults}
    rows = [row for row in selector.rows if row.build in listed or row.build not in released]
    stated = {row.build for row in selector.rows if row.method in VENDOR_METHODS}
    older = (stated & released) - listed
    return {
        "commands": commands_table(selector, rows),
        "older_releases": sorted(older, key=Version, reverse=True),
    }


def vendor_texts(platform: Platform, sources: SourceList, language: Language) -> dict[str, Any]:
    """Return the variables of the template `platform.md.j2` that depend on the language.

    The variables are:

    - `guide`: the HTML of each section of the guide as `guide_parts` splits it, by English title,
      translated if possible
    - `translation`: the `Translation` of the guide, or None
    - `chinese_names`: the vendor's names in Chinese characters
    - `is_older`: whether the English guide has changed since the translation
    - `lead`: the translated summary, or None
    - `own_files`: the paths of the translated files
    - `edit`: the path of the translated guide, or of the English guide if there is no translation.
      The template does not use it, but the page's edit link opens it
    """
    translation, answers = (
        texts.get(language.code) for texts in (platform.translations, platform.answers)
    )
    guide = translation.text if translation else platform.guide
    return {
        "guide": {
            section.title: guide_parts(
                render_section(
                    platform.guide, sources, section.text, slug(section.title), language=language
                )
            )
            for section in guide.sections
        },
        "translation": translation,
        "chinese_names": [
            name for name in platform.accelerator.vendor_names if CHINESE_CHARACTER.search(name)
        ],
        "is_older": translation is not None
        and translation.head.translates != platform.guide.fingerprint,
        "lead": translation.head.summary if translation else None,
        "own_files": [file.text.path for file in (translation, answers) if file],
        "edit": guide.path,
    }


def search_words(
    platform: Platform, vendors: Collection[str], *, chinese: bool = True
) -> list[str]:
    """Return words by which the site's search finds a platform's page, without duplicates.

    The words are from the names of the vendor, the platform, its hardware and its software.
    `vendors` has the names of all vendors. Words that name a vendor other than the platform's are
    omitted. Chinese names are omitted if `chinese` is false.
    """
    accelerator = platform.accelerator
    other_vendors = {*vendors} - {accelerator.vendor}
    generations = accelerator.hardware.generations if accelerator.hardware else ()
    own_generations = [generation for generation in generations if generation.vendor is None]
    models = [model.name for generation in own_generations for model in generation.models]
    # "Core Ultra, Xeon and newer": each is a name of its own, but what begins in lower case.
    products = [n for m in models for n in re.split(r", | and | \(.*?\)", m) if n[:1].isupper()]
    systems = {system.name.split()[0] for system in accelerator.operating_systems}
    names = [
        accelerator.vendor,
        accelerator.name,
        # The first word only, such as "MacBook": other products have "Air" in their names, too.
        *(
            n.split()[0]
            for n in accelerator.vendor_names
            if chinese or not CHINESE_CHARACTER.search(n)
        ),
        *sorted(systems & {"Windows", "macOS"}),  # all platforms support Linux
        *(generation.name for generation in own_generations),
        *(line[0] for line in map(_PRODUCT_LINE.match, products) if line),
        *(n for row in platform.compatibility.rows for n in row.needs if n.isupper()),  # CANN
        *("JetPack" for generation in own_generations if generation.jetpack),
    ]
    lines = [name.split() for name in names]
    words = dict.fromkeys(word for line in lines if line[0] not in other_vendors for word in line)
    # Words with numbers also name other products, and all platforms have words with "torch".
    return [
        w
        for w in words
        if w not in other_vendors and w[0].isalpha() and not _AMBIGUOUS_WORD.search(w)
    ]


def _report_count_texts(accelerator: str, histories: TestHistories) -> Iterator[str]:
    """Yield texts such as `5 runs since 2026-01-02` and `3 baselines since 2026-01-02`.

    The text about runs is omitted if there are fewer than two runs, and the text about baselines if
    there are fewer than two baselines. A history that cannot be read has a text that says so.
    """
    for kind in RESULT_KINDS:
        history = histories.of(accelerator, kind)
        points = history.reports.values()
        if history.left_out and not points:
            yield message("the earlier results cannot be read")
        if len(points) > 1:
            first_start = min(point.started for point in points)
            message_values = {"count": len(points), "day": f"{first_start:%Y-%m-%d}"}
            if kind == "runs":
                yield message("{count} runs since {day}", **message_values)
            else:
                yield message("{count} baselines since {day}", **message_values)


def systems_of_runs(reports: Iterable[StoredReport]) -> list[tuple[str, StoredReport]]:
    """Return the operating systems on which runs took place, each with its newest run.

    Their names include the architecture, if known: `Ubuntu 24.04 (x86_64)`. The system with the
    newest run is first.
    """
    return _tested_on((_system_name(stored.report), stored) for stored in reports)


def devices_of_runs(reports: Iterable[StoredReport]) -> list[tuple[str, StoredReport]]:
    """Return the device models on which runs took place, each with its newest run.

    The device with the newest run is first.
    """
    return _tested_on((stored.report.environment.hardware, stored) for stored in reports)


def _tested_on(
    named_reports: Iterable[tuple[str | None, StoredReport]],
) -> list[tuple[str, StoredReport]]:
    """Return each name in `named_reports` with its newest run, newest run first.

    `named_reports` has pairs of a name and a report. A name is None if the report does not state
    it. Reports without a name and baselines are ignored.
    """
    runs = [(name, s) for name, s in named_reports if name and s.report.kind != "baseline"]
    newest_by_name: dict[str, StoredReport] = {}
    for name, stored in sorted(runs, key=lambda run: run[1].order, reverse=True):
        newest_by_name.setdefault(name, stored)
    return list(newest_by_name.items())


def _system_name(report: Report) -> str | None:
    system, arch = report.environment.os, report.environment.arch
    return f"{system} ({arch})" if system and arch else system
