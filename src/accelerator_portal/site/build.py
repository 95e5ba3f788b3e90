"""Builds all pages and data files of the site from the catalog."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.facts import vendor_sites
from accelerator_portal.catalog.schema import FILE_FORMATS
from accelerator_portal.checks import RULES
from accelerator_portal.checks.folder_limits import LIMITS
from accelerator_portal.install.derived_formats import with_derived_formats
from accelerator_portal.install.expand import expand
from accelerator_portal.install.labels import ARCH_LABELS
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.install.selector import Selector, make_selector
from accelerator_portal.packages.newest_versions import fill_versions
from accelerator_portal.results.evidence_level import as_of
from accelerator_portal.site.api import api_files, selector_files
from accelerator_portal.site.archive_page import archive_pages
from accelerator_portal.site.assets import published_scripts, style_sheet
from accelerator_portal.site.format_reference import record_schemas
from accelerator_portal.site.languages import ENGLISH, Language
from accelerator_portal.site.nightly_metrics_page import NightMetrics, operations_pages
from accelerator_portal.site.packages_pages import package_view, packages_pages
from accelerator_portal.site.platforms.commands_table import (
    commands_table,
    default_build_rows,
    offline_installs,
    preferred_rows,
)
from accelerator_portal.site.platforms.comparison import comparison_groups
from accelerator_portal.site.platforms.features import (
    LEAST_FEATURE_SHARE,
    FeaturesData,
    features_data,
)
from accelerator_portal.site.platforms.hardware import HardwareData, hardware_data
from accelerator_portal.site.platforms.platform_page import (
    platform_context,
    search_words,
    vendor_texts,
)
from accelerator_portal.site.platforms.question_index import question_index
from accelerator_portal.site.platforms.questions import (
    ANY_PLATFORM,
    PageQuestion,
    platform_questions,
    question_on_other_page,
    shared_questions,
    translated_questions,
)
from accelerator_portal.site.platforms.release_pages import (
    minimum_systems,
    release_rows,
    versions_data,
    versions_table,
)
from accelerator_portal.site.platforms.selector_view import selector_view
from accelerator_portal.site.results.dashboard import dashboard_pages
from accelerator_portal.site.results.dashboard_grid import own_suite_rows, suite_cells
from accelerator_portal.site.results.evidence_view import DEMANDS, evidence_level
from accelerator_portal.site.results.executorch_view import executorch_context
from accelerator_portal.site.results.feed import feeds
from accelerator_portal.site.results.findings import (
    finding_counts,
    read_all_verdicts,
    total_findings,
    with_findings,
)
from accelerator_portal.site.results.history_pages import history_pages, pages_of_test_histories
from accelerator_portal.site.results.history_view import TestHistories, read_histories
from accelerator_portal.site.results.model_pages import model_pages
from accelerator_portal.site.results.report_comparison_page import report_comparison_page
from accelerator_portal.site.results.results_pages import (
    results_files,
    results_index,
    results_pages,
)
from accelerator_portal.site.results.results_view import ResultsView, make_results_view
from accelerator_portal.site.results.speeds import SpeedRun, newest_runs, speed_runs, speed_table
from accelerator_portal.site.site_file import PLATFORMS, SiteFile, data_file, to_root
from accelerator_portal.site.source_list import SourceList
from accelerator_portal.site.stale_facts_page import stale_facts_pages
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from accelerator_portal.site.text_formats import python_range
from accelerator_portal.site.translated_pages import messages_file, render_page, render_pages
from accelerator_reports.files.sources import Sourced, sources_by_id
from accelerator_reports.formats.format_list import EXAMPLES, FORMATS
from accelerator_reports.report import SCHEMA_VERSION, Report
from accelerator_reports.suite_names import suite_owner

QUESTIONS = "questions.md"
VERSIONS = "versions/index.md"


@dataclass(frozen=True, slots=True)
class RepositoryLinks:
    """The URL of the repository (`url`), and the start of the URL that edits a file (`edit`).

    The path of the file is appended to `edit`.
    """

    url: str
    edit: str


@dataclass(frozen=True, slots=True)
class Edition:
    """What a build of the site depends on besides the repository's data.

    `today` decides which dates have passed. `nights` are the metrics of nightly runs, if available.
    `languages` are the languages besides English.
    """

    repository: RepositoryLinks
    today: dt.date
    nights: Sequence[NightMetrics] = ()
    languages: Iterable[Language] = ()


def build_site(catalog: Catalog, root: Path, edition: Edition) -> Iterator[SiteFile]:
    """Yield every generated page and data file, with the newest versions in their placeholders.

    `root` is the folder of the repository. Stored verification results and histories that cannot be
    read are left out; `checks.stored_data` says what is wrong with them.
    """
    unlinked = _links_to_absent_platforms(catalog)
    for file in _site_files(catalog, root, edition):
        explains_placeholders = file.path.startswith("contribute/")
        content = file.content if explains_placeholders else fill_versions(catalog, file.content)
        yield replace(file, content=unlinked.sub(r"\1", content) if unlinked else content)


def _links_to_absent_platforms(catalog: Catalog) -> re.Pattern[str] | None:
    """Return a pattern of links, in HTML, to quarantined platforms that the site does not show.

    Answers of other platforms can contain such links. The first group is the tag before the link.
    None if the site shows all platforms.
    """
    absent = "|".join(name for name in catalog.set_aside if name not in catalog.by_id)
    return (
        re.compile(rf'(<a\b[^>]*) href="[^"]*compute-platforms/(?:{absent})/[^"]*"')
        if absent
        else None
    )


def _site_files(catalog: Catalog, root: Path, edition: Edition) -> Iterator[SiteFile]:
    verdicts = read_all_verdicts(catalog, root)
    rows = with_findings(expand(catalog)[0], verdicts)
    selector = make_selector(catalog, with_derived_formats(catalog, rows))
    templates, *translated = (
        Templates(
            root / TEMPLATES_FOLDER,
            language,
            catalog=catalog,
            repository=edition.repository,
            today=edition.today,
        )
        for language in (ENGLISH, *edition.languages)
    )
    test_results = make_results_view(catalog)
    hardware, features = hardware_data(catalog), features_data(catalog, test_results)
    histories = read_histories(catalog, root, test_results)
    data_time = as_of(catalog, [stored.report for stored in test_results.reports])
    releases = list(release_rows(catalog, selector))
    findings_data = finding_counts(rows)
    yield style_sheet(root)
    yield from published_scripts(root)
    yield data_file("findings.json", findings_data)
    yield from stale_facts_pages(catalog, data_time.date(), templates)
    yield from operations_pages(edition.nights, templates)
    verification = {"finding_totals": total_findings(findings_data)}
    all_templates = (templates, *translated)
    yield from _shared_pages(catalog, selector, all_templates, test_results, verification)
    runs = speed_runs(catalog, test_results.reports)
    yield from _hardware_choice_pages(catalog, all_templates, hardware, features, runs)
    comparison = comparison_groups(catalog, edition.today, newest_runs(runs))
    yield from render_pages(all_templates, "compare.md", {"comparison": comparison})
    faqs = shared_questions(catalog)
    vendors = {platform.accelerator.vendor for platform in catalog.platforms}
    for platform in catalog.platforms:
        path = f"{PLATFORMS}/{platform.id}.md"
        sources = SourceList(platform.sourced_files(), vendor_sites(platform.accelerator))
        faq = platform_questions(platform, sources)
        faqs += faq
        cells = suite_cells(catalog, test_results.newest(platform.id))
        context = {
            **platform_context(
                platform, selector.only(platform.id), sources, test_results, histories
            ),
            "versions": versions_table(platform, sources, edition.today),
            "faq": faq,
            "hardware": next((h for h in hardware.platforms if h.id == platform.id), None),
            "features": features.by_id[platform.id],
            "evidence": evidence_level(catalog, test_results, platform),
            "demands": DEMANDS,
            "suite_cells": [c for c in cells if suite_owner(c.column.suite) is None],
            "own_suites": own_suite_rows(catalog, platform, cells),
            "search_words": search_words(platform, vendors, chinese=not translated),
            "speeds": {run.id: run for run in runs},
            "packaged": package_view(catalog, platform),
        }
        for page_templates in all_templates:
            texts = vendor_texts(platform, sources, page_templates.language)
            texts["faq"] = translated_questions(faq, platform, page_templates.language)
            edit = texts.pop("edit")
            page = render_page(
                page_templates, path, {**context, **texts}, template="platform.md.j2", edit=edit
            )
            yield replace(page, platform=platform.accelerator.name)
    yield from (_questions_page(catalog, page_templates, faqs) for page_templates in all_templates)
    yield data_file("questions.json", question_index(faqs, catalog.platforms))
    yield from _test_result_pages(catalog, test_results, histories, all_templates)
    yield from history_pages(catalog, test_results, histories, templates, data_time)
    yield from archive_pages(root, templates)
    yield from render_pages(all_templates, VERSIONS, {"rows": releases}, edit=RELEASES)
    for row in releases:
        path, template = f"versions/{row.release.version}.md", "versions/release.md.j2"
        context = {"row": row, "arch_labels": ARCH_LABELS, "minimum_systems": minimum_systems}
        yield from render_pages(all_templates, path, context, template=template, edit=RELEASES)
    yield from packages_pages(catalog, templates)
    versions = versions_data(catalog, releases)
    yield from api_files(catalog, selector, hardware, versions, features)
    for page_templates in translated:
        yield from (
            messages_file(page_templates.language),
            *selector_files(catalog, selector, page_templates.language),
        )


def _test_result_pages(
    catalog: Catalog,
    test_results: ResultsView,
    histories: TestHistories,
    all_templates: Sequence[Templates],
) -> Iterator[SiteFile]:
    templates = all_templates[0]
    yield from results_index(catalog, test_results, all_templates)
    yield from results_pages(catalog, test_results, histories, templates)
    yield from results_files(test_results)
    yield from model_pages(catalog, test_results, all_templates)
    yield report_comparison_page(catalog, test_results, templates)
    yield from pages_of_test_histories(catalog, histories, templates)
    yield from dashboard_pages(catalog, test_results, histories, all_templates)
    yield from feeds(catalog, test_results, histories, templates)


def _shared_pages(
    catalog: Catalog,
    selector: Selector,
    all_templates: Sequence[Templates],
    test_results: ResultsView,
    verification: Mapping[str, object],
) -> Iterator[SiteFile]:
    """Yield the pages that are not about one platform, release or test result.

    `verification` has the template variables with the results of verifying install commands.
    """
    default_rows = default_build_rows(selector)
    current_builds = {catalog.releases.newest.version, PREVIEW}
    current_rows = [row for row in selector.rows if row.build in current_builds]
    docker_platforms = {row.platform for row in selector.rows if row.method == "docker"}
    releases_by_platform = {p.id: supported_releases(catalog, p) for p in catalog.platforms}
    pages: dict[str, dict[str, Any]] = {
        "index.md": {
            "followed": releases_by_platform,
            "commands": commands_table(selector, preferred_rows(default_rows)),
        },
        "get-started.md": {
            "commands": commands_table(selector, dict.fromkeys((*default_rows, *current_rows))),
            **verification,
            "pythons": python_range(catalog.releases.newest.python),
            "checks": _check_rows(catalog, selector.rows),
            "offline": list(offline_installs(selector)),
            "containers": [p for p in catalog.platforms if p.id in docker_platforms],
        },
        f"{PLATFORMS}/index.md": {
            "followed": releases_by_platform,
            **_other_backends(catalog, "observed"),
        },
        "other-ways.md": _other_backends(catalog, "runtimes"),
        "glossary.md": {},
        "run-anywhere.md": {},
        "contribute/index.md": {"releases": RELEASES},
        "contribute/format.md": {
            "files": {path: record_schemas(model) for path, (_, model) in FILE_FORMATS.items()},
        },
        "contribute/guidelines.md": {},
        "contribute/rules.md": {"rules": RULES, "limits": LIMITS},
        "contribute/new-backend.md": {},
        "contribute/validate.md": {},
        "contribute/executorch.md": _executorch_variables(catalog, test_results),
        "contribute/upstream-events.md": {},
        "contribute/upstream-maintainers.md": {},
        "contribute/report.md": {
            "files": {"Report": record_schemas(Report)},
            "formats": FORMATS.values(),
            "examples": EXAMPLES,
            "version": SCHEMA_VERSION,
        },
    }
    view = selector_view(selector) if selector.starts else None
    common = {"view": view, "selector": selector, "evidence": test_results.newest_run_lines()}
    for path, context in pages.items():
        yield from render_pages(all_templates, path, {**common, **context})


def _check_rows(catalog: Catalog, rows: Iterable[InstallRow]) -> list[InstallRow]:
    """Return one install row for each platform, to show the command that checks an installation.

    Rows for pip are preferred. Platforms without a command that checks an installation are omitted.
    """
    row_by_platform: dict[str, InstallRow] = {}
    for row in sorted(rows, key=lambda row: row.method != "pip"):
        if row.check:
            row_by_platform.setdefault(row.platform, row)
    return [
        row_by_platform[platform.id]
        for platform in catalog.platforms
        if platform.id in row_by_platform
    ]


def _executorch_variables(catalog: Catalog, test_results: ResultsView) -> dict[str, Any]:
    """Return the variables of the ExecuTorch page's template, by name.

    `goals` is the content of `executorch-goals.yaml` or None, and `sources` lists its sources. The
    other variables come from `executorch_context`.
    """
    goals = catalog.executorch_goals
    return {
        "goals": goals,
        "sources": SourceList([("executorch-goals.yaml", goals.sources if goals else {})]),
        **executorch_context(catalog, test_results.reports),
    }


def _questions_page(catalog: Catalog, templates: Templates, faqs: list[PageQuestion]) -> SiteFile:
    language = templates.language
    root_address = to_root(language.path(QUESTIONS))
    context = {
        "shared": [question for question in faqs if question.group == ANY_PLATFORM],
        "groups": [
            (
                p,
                [
                    question_on_other_page(q, root_address, language)
                    for q in translated_questions(platform_faq, p, language)
                ],
            )
            for p in catalog.platforms
            if (platform_faq := [question for question in faqs if question.group == p.id])
        ],
    }
    return render_page(templates, QUESTIONS, context)


def _hardware_choice_pages(
    catalog: Catalog,
    all_templates: Sequence[Templates],
    hardware: HardwareData,
    features: FeaturesData,
    runs: Sequence[SpeedRun],
) -> Iterator[SiteFile]:
    """Yield the pages that help readers choose hardware, in each language.

    The pages are `hardware.md` and `features.md`.
    """
    platforms_with_hardware = {platform.id for platform in hardware.platforms}
    pages: dict[str, dict[str, Any]] = {
        "hardware": {
            "hardware": hardware,
            "speeds": speed_table(newest_runs(runs)),
            "count": sum(len(g.models) for p in hardware.platforms for g in p.generations),
            "platform_names": {platform.id: platform.name for platform in hardware.platforms},
            "without": [
                p.accelerator.name for p in catalog.platforms if p.id not in platforms_with_hardware
            ],
        },
        "features": {"features": features, "least": LEAST_FEATURE_SHARE},
    }
    for name, context in pages.items():
        yield from render_pages(all_templates, f"{name}.md", context)


def _other_backends(catalog: Catalog, key: Literal["observed", "runtimes"]) -> dict[str, Any]:
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
