"""Builds the home page, the guides for readers and the guides for contributors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.schema import FILE_FORMATS
from accelerator_portal.checks import RULES
from accelerator_portal.checks.folder_limits import LIMITS
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.site.commands_table import (
    commands_table,
    default_build_rows,
    offline_installs,
    preferred_rows,
    record_schemas,
)
from accelerator_portal.site.pages.platforms import other_backends, platforms_grid
from accelerator_portal.site.pages.upgrades import removal_note
from accelerator_portal.site.results.findings import FindingsData, finding_counts, total_findings
from accelerator_portal.site.selector_view import selector_view
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.text_formats import python_range
from accelerator_reports.formats.format_list import EXAMPLES, FORMATS
from accelerator_reports.report import SCHEMA_VERSION, Report

TRANSLATED = (
    "index.md",
    "get-started.md",
    "glossary.md",
    "other-ways.md",
    "run-anywhere.md",
    "contribute/index.md",
)
SCHEMAS = {"findings": FindingsData}


def pages(site: Site) -> Iterator[Page]:
    """Yield the pages."""
    catalog, selector = site.catalog, site.selector
    default_rows = default_build_rows(selector)
    view = selector_view(selector) if selector.starts else None
    home = {
        "view": view,
        "removal_note": removal_note(catalog, view),
        "selector": selector,
        "grid_of_platforms": platforms_grid(site),
        "commands": commands_table(selector, preferred_rows(default_rows)),
    }
    yield Page("index.md", home)
    current_builds = {catalog.releases.newest.version, PREVIEW}
    current_rows = [row for row in selector.rows if row.build in current_builds]
    docker_platforms = {row.platform for row in selector.rows if row.method == "docker"}
    get_started = {
        "commands": commands_table(selector, dict.fromkeys((*default_rows, *current_rows))),
        "finding_totals": total_findings(finding_counts(site.install_rows)),
        "pythons": python_range(catalog.releases.newest.python),
        "checks": _check_rows(catalog, selector.rows),
        "offline": list(offline_installs(selector)),
        "containers": [p for p in catalog.platforms if p.id in docker_platforms],
    }
    yield Page("get-started.md", get_started)
    yield Page("other-ways.md", other_backends(catalog, "runtimes"))
    formats = {path: record_schemas(model) for path, (_, model) in FILE_FORMATS.items()}
    yield Page("contribute/index.md", {"releases": RELEASES})
    yield Page("contribute/format.md", {"files": formats})
    yield Page("contribute/rules.md", {"rules": RULES, "limits": LIMITS})
    report = {
        "files": {"Report": record_schemas(Report)},
        "formats": FORMATS.values(),
        "examples": EXAMPLES,
        "version": SCHEMA_VERSION,
    }
    yield Page("contribute/report.md", report)
    guides = ("guidelines", "new-backend", "upstream-events", "upstream-maintainers", "validate")
    for path in ("glossary", "run-anywhere", *(f"contribute/{name}" for name in guides)):
        yield Page(f"{path}.md")


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the numbers of install commands by verification result."""
    yield data_file("findings.json", finding_counts(site.install_rows))


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
