"""Builds the whole site: from the Catalog to pages and data files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.own_suite import owner_of
from accelerator_portal.catalog.files.sources import Sourced, sources_by_id
from accelerator_portal.catalog.message import message
from accelerator_portal.catalog.source_ages import vendor_places
from accelerator_portal.checks import RULES
from accelerator_portal.checks.folder_limits import LIMITS
from accelerator_portal.install.expand import expand
from accelerator_portal.install.formats import with_formats
from accelerator_portal.install.resolution import followed_releases
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.install.selector import Selector, make_selector
from accelerator_portal.reports import Report
from accelerator_portal.reports.formats.format_list import EXAMPLES, FORMATS
from accelerator_portal.reports.report import SCHEMA_VERSION
from accelerator_portal.results.quality import as_of
from accelerator_portal.site.api import api_files, selector_files
from accelerator_portal.site.api_shapes import FindingShares
from accelerator_portal.site.archive_page import archive_pages
from accelerator_portal.site.assets import style_sheet
from accelerator_portal.site.format_reference import format_reference, reference
from accelerator_portal.site.languages import ENGLISH, Language
from accelerator_portal.site.operations import NightMetrics, operations_pages
from accelerator_portal.site.packages_pages import package_view, packages_pages
from accelerator_portal.site.page import PLATFORMS, SiteFile, data_file, to_root
from accelerator_portal.site.platforms.commands_table import (
    commands_table,
    offered_rows,
    offline_installs,
    usual_rows,
)
from accelerator_portal.site.platforms.comparison import comparison
from accelerator_portal.site.platforms.features import ENOUGH, FeaturesData, features_data
from accelerator_portal.site.platforms.hardware import HardwareData, hardware_data
from accelerator_portal.site.platforms.platform_page import (
    platform_context,
    search_words,
    vendor_texts,
)
from accelerator_portal.site.platforms.questions import (
    ANY,
    PageQuestion,
    question_index,
    questions,
    questions_in,
    relocated,
    shared_questions,
)
from accelerator_portal.site.platforms.release_pages import release_rows, versions_data
from accelerator_portal.site.platforms.selector_view import selector_view
from accelerator_portal.site.results.dashboard import dashboard_pages
from accelerator_portal.site.results.dashboard_grid import own_suite_rows, suite_cells
from accelerator_portal.site.results.executorch_view import executorch_context
from accelerator_portal.site.results.feed import feeds
from accelerator_portal.site.results.findings import (
    evidence_level,
    read_all,
    shares,
    total,
    unanswering,
    with_findings,
)
from accelerator_portal.site.results.history_pages import history_pages, pages_of_test_histories
from accelerator_portal.site.results.history_view import TestHistories, read_histories
from accelerator_portal.site.results.model_view import model_pages
from accelerator_portal.site.results.report_comparison_page import report_comparison_page
from accelerator_portal.site.results.results_pages import (
    results_files,
    results_index,
    results_pages,
)
from accelerator_portal.site.results.results_view import ResultsView, results
from accelerator_portal.site.results.speeds import SpeedRun, newest_runs, side_by_side, speed_runs
from accelerator_portal.site.source_ages import stale_facts_pages
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.templates import TEMPLATES, Templates
from accelerator_portal.site.translated import TRANSLATED, messages_file, page_in
from accelerator_portal.site.words import python_range

QUESTIONS = "questions.md"
VERSIONS = "versions/index.md"


@dataclass(frozen=True, slots=True)
class RepositoryLinks:
    """The URL of the repository, and the URL of the form to edit its files.

    The path of a file is appended to `edit`.
    """

    url: str
    edit: str


def build_site(
    catalog: Catalog,
    root: Path,
    repository: RepositoryLinks,
    nights: Sequence[NightMetrics] = (),
    languages: Iterable[Language] = (),
) -> Iterator[SiteFile]:
    """Yield every generated page and data file; `root` is the repository.

    `nights` are the metrics of nightly runs, empty if they are not available. `languages` are the
    languages besides English. Raises ProblemsError if stored verdicts or histories cannot be read.
    """
    verdicts = read_all(catalog, root)
    rows = with_findings(expand(catalog)[0], verdicts)
    selector = make_selector(catalog, with_formats(catalog, rows))
    templates, *translated = (
        Templates(root / TEMPLATES, language, catalog=catalog, repository=repository)
        for language in (ENGLISH, *languages)
    )
    tested = results(catalog)
    hardware, features = hardware_data(catalog), features_data(catalog, tested)
    before = read_histories(catalog, root, tested)
    at = as_of(catalog, [stored.report for stored in tested.reports])
    releases = list(release_rows(catalog, selector))
    looked = shares(rows)
    yield style_sheet(root)
    yield data_file("findings.json", looked)
    yield from stale_facts_pages(catalog, at.date(), templates)
    yield from operations_pages(nights, templates)
    silent = unanswering(verdicts)
    every = (templates, *translated)
    yield from _shared_pages(catalog, selector, every, tested, (total(looked), *silent))
    runs = speed_runs(catalog, tested.reports)
    for one in every:
        yield from _choosing_pages(catalog, one, hardware, features, runs)
    shared = shared_questions(catalog)
    faqs = [*shared]
    vendors = {platform.accelerator.vendor for platform in catalog.platforms}
    for platform in catalog.platforms:
        path = f"{PLATFORMS}/{platform.id}.md"
        sources = SourceList(platform.sourced_files(), vendor_places(platform.accelerator))
        faq = questions(platform, sources)
        faqs += faq
        cells = suite_cells(catalog, tested.newest(platform.id), at)
        context = {
            **platform_context(platform, selector.only(platform.id), sources, tested, before),
            "faq": faq,
            "hardware": next((h for h in hardware.platforms if h.id == platform.id), None),
            "features": features.by_id[platform.id],
            "evidence": evidence_level(catalog, tested, platform),
            "suite_cells": [c for c in cells if owner_of(c.column.suite) is None],
            "own_suites": own_suite_rows(catalog, platform, cells),
            "search_words": search_words(platform, vendors, chinese=not translated),
            "speeds": {run.id: run for run in runs},
            "packaged": package_view(catalog, platform),
        }
        for one in every:
            said = vendor_texts(platform, sources, one.language)
            said["faq"] = questions_in(faq, platform, one.language)
            page = page_in(one, path, {**context, **said}, "platform.md.j2", said["edit"])
            yield replace(page, platform=platform.accelerator.name)
    yield from (_questions_page(catalog, one, faqs) for one in every)
    yield data_file("questions.json", question_index(faqs, catalog.platforms))
    yield from _tested_pages(catalog, tested, before, every)
    yield from history_pages(catalog, tested, before, templates, at)
    yield from archive_pages(root, templates)
    yield from (page_in(one, VERSIONS, {"rows": releases}, edit=RELEASES) for one in every)
    for row in releases:
        path, template = f"versions/{row.release.version}.md", "versions/release.md.j2"
        yield from (page_in(one, path, {"row": row}, template, RELEASES) for one in every)
    yield from packages_pages(catalog, templates)
    versions = versions_data(catalog, releases)
    yield from api_files(catalog, selector, hardware, versions, features)
    for one in translated:
        yield from (messages_file(one.language), *selector_files(catalog, selector, one.language))


def _tested_pages(
    catalog: Catalog, tested: ResultsView, before: TestHistories, every: Sequence[Templates]
) -> Iterator[SiteFile]:
    templates = every[0]
    yield from (results_index(catalog, tested, one) for one in every)
    yield from results_pages(catalog, tested, before, templates)
    yield from results_files(tested)
    yield from model_pages(catalog, tested, every)
    yield report_comparison_page(catalog, tested, templates)
    yield from pages_of_test_histories(catalog, before, templates)
    yield from dashboard_pages(catalog, tested, before, every)
    yield from feeds(catalog, tested, before)


def _shared_pages(
    catalog: Catalog,
    selector: Selector,
    every: Sequence[Templates],
    tested: ResultsView,
    looked: tuple[FindingShares, tuple[str, ...], str],
) -> Iterator[SiteFile]:
    counts, silent, since = looked
    offered = offered_rows(selector)
    current_builds = {catalog.releases.newest.version, PREVIEW}
    current = [row for row in selector.rows if row.build in current_builds]
    in_container = {row.platform for row in selector.rows if row.method == "docker"}
    followed = {p.id: followed_releases(catalog, p) for p in catalog.platforms}
    pages: dict[str, dict[str, Any]] = {
        "index.md": {
            "followed": followed,
            "commands": commands_table(selector, usual_rows(offered)),
        },
        "get-started.md": {
            "commands": commands_table(selector, dict.fromkeys((*offered, *current))),
            "looked": counts,
            "silent": silent,
            "silent_since": since,
            "pythons": python_range(catalog.releases.newest.python),
            "checks": _checks(catalog, selector.rows),
            "offline": list(offline_installs(selector)),
            "containers": [p for p in catalog.platforms if p.id in in_container],
        },
        f"{PLATFORMS}/index.md": {"followed": followed, **_other_backends(catalog, "observed")},
        "other-ways.md": _other_backends(catalog, "runtimes"),
        "glossary.md": {},
        "run-anywhere.md": {"imports": [extra_import(p) for p in catalog.platforms]},
        "contribute/index.md": {"releases": RELEASES},
        "contribute/format.md": {"files": format_reference()},
        "contribute/guidelines.md": {},
        "contribute/rules.md": {"rules": RULES, "limits": LIMITS},
        "contribute/new-backend.md": {},
        "contribute/validate.md": {},
        "contribute/executorch.md": _executorch(catalog, tested),
        "contribute/upstream-events.md": {},
        "contribute/upstream-maintainers.md": {},
        "contribute/report.md": {
            "files": [reference("Report", Report)],
            "formats": FORMATS.values(),
            "examples": EXAMPLES,
            "version": SCHEMA_VERSION,
        },
    }
    view = selector_view(selector) if selector.starts else None
    common = {"view": view, "selector": selector, "evidence": tested.evidence()}
    for path, context in pages.items():
        for templates in every:
            if templates.language == ENGLISH or path in TRANSLATED:
                yield page_in(templates, path, {**common, **context})


def _checks(catalog: Catalog, rows: Iterable[InstallRow]) -> list[InstallRow]:
    """Return one install row with a check command for each platform.

    Rows for pip are preferred. Platforms without a check command are omitted.
    """
    found: dict[str, InstallRow] = {}
    for row in sorted(rows, key=lambda row: row.method != "pip"):
        if row.check:
            found.setdefault(row.platform, row)
    return [found[platform.id] for platform in catalog.platforms if platform.id in found]


def _executorch(catalog: Catalog, tested: ResultsView) -> dict[str, Any]:
    """Return the variables of the ExecuTorch page's template.

    `goals` is the content of `executorch-goals.yaml` or None, and `sources` lists its sources. The
    other variables come from `executorch_context`.
    """
    goals = catalog.executorch_goals
    return {
        "goals": goals,
        "sources": SourceList([("executorch-goals.yaml", goals.sources if goals else {})]),
        **executorch_context(catalog, tested.reports),
    }


def _questions_page(catalog: Catalog, templates: Templates, faqs: list[PageQuestion]) -> SiteFile:
    own = templates.language
    above = to_root(own.path(QUESTIONS))
    by_platform = {p: [q for q in faqs if q.group == p.id] for p in catalog.platforms}
    context = {
        "shared": [question for question in faqs if question.group == ANY],
        "groups": [
            (p, [relocated(q, above, own) for q in questions_in(asked, p, own)])
            for p, asked in by_platform.items()
            if asked
        ],
    }
    return page_in(templates, QUESTIONS, context)


def _choosing_pages(
    catalog: Catalog,
    templates: Templates,
    hardware: HardwareData,
    features: FeaturesData,
    runs: Sequence[SpeedRun],
) -> Iterator[SiteFile]:
    """Yield the pages that help readers choose hardware, in the language of the templates.

    The pages are `hardware.md`, `compare.md` and `features.md`.
    """
    listed = {platform.id for platform in hardware.platforms}
    pages: dict[str, dict[str, Any]] = {
        "hardware": {
            "hardware": hardware,
            "speeds": side_by_side(newest_runs(runs)),
            "count": sum(len(g.models) for p in hardware.platforms for g in p.generations),
            "platform_names": {platform.id: platform.name for platform in hardware.platforms},
            "without": [p.accelerator.name for p in catalog.platforms if p.id not in listed],
        },
        "compare": {"comparison": comparison(catalog, newest_runs(runs))},
        "features": {"features": features, "least": ENOUGH},
    }
    for name, context in pages.items():
        yield page_in(templates, f"{name}.md", context)


def _other_backends(catalog: Catalog, key: Literal["observed", "runtimes"]) -> dict[str, Any]:
    """Return the entries under `key` of `other-backends.yaml`, and the cited sources.

    The result has two keys: the value of `key`, and `sources`. `observed` are backends without a
    vendor folder. `runtimes` run PyTorch models without a torch device.
    """
    others = catalog.other_backends
    entries: Sequence[Sourced] = getattr(others, key) if others else ()
    cited = {name for entry in entries for name in entry.source}
    sources = sources_by_id(others.sources, cited) if others else {}
    return {key: entries, "sources": SourceList([("other-backends.yaml", sources)])}


@dataclass(frozen=True, slots=True)
class ExtraImport:
    """The import statement that a platform needs in addition to `import torch`.

    `words` is the text before the statement: `none since torch_npu 2.5.1; before that: `. If
    `statement` is empty, the page shows only `words`, for example `none`.
    """

    platform: Platform
    words: str
    statement: str = ""


def extra_import(platform: Platform) -> ExtraImport:
    """Return the import statement of a platform's plugin, if programs need the statement.

    If PyTorch includes the backend or loads the plugin by itself, `statement` is empty and `words`
    is `none`. If this is unknown, `statement` is empty and `words` is `not stated`. If the plugin
    loads by itself since a certain version, the result has both `words` and `statement`.
    """
    package = platform.accelerator.package
    statement = f"import {package.module}"
    if platform.in_tree or (package.autoload and package.autoload_since is None):
        return ExtraImport(platform, message("none"))
    if package.autoload is None:
        return ExtraImport(platform, message("not stated"))
    if not package.autoload:
        return ExtraImport(platform, "", statement)
    since = message(
        "none since {package} {version}; before that: ",
        package=package.name,
        version=package.autoload_since,
    )
    return ExtraImport(platform, since, statement)
