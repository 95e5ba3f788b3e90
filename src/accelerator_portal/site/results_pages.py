"""The pages of results: overview, a matrix a suite, its tests one by one, and each report."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog
from accelerator_portal.reports.outcomes import GOOD, MEANING
from accelerator_portal.reports.report_file import report_text
from accelerator_portal.results.tables import Matrix
from accelerator_portal.site.history_view import Past
from accelerator_portal.site.page import API, SiteFile, data_file, to_root
from accelerator_portal.site.result_addresses import RESULTS_PAGES
from accelerator_portal.site.results_shapes import (
    MatrixColumn,
    MatrixData,
    ReportEntry,
    ResultsIndex,
    SuiteResults,
)
from accelerator_portal.site.results_view import (
    KINDS,
    SIGNS,
    MatrixView,
    Results,
    about,
)
from accelerator_portal.site.suite_tests import results_of, suite_tests_pages
from accelerator_portal.site.templates import Templates

# Of what did not pass a page lists so much; its data has all.
MOST_LISTED = 200


def results_pages(
    catalog: Catalog, results: Results, past: Past, templates: Templates
) -> Iterator[SiteFile]:
    """Yield every page of results."""
    suites = list(dict.fromkeys(view.matrix.suite for view in results.matrices))
    shared = {"signs": SIGNS, "meanings": MEANING, "kinds": KINDS, "results": results}
    path = f"{RESULTS_PAGES}/index.md"
    content = templates.render(f"{path}.j2", to_root=to_root(path), suites=suites, **shared)
    yield SiteFile(path, content, f"site_src/templates/{path}.j2")
    for suite in suites:
        described = catalog.suites.get(suite)
        context = {
            "id": suite,
            "suite": described,
            "title": described.title if described else suite,
            "csv_name": csv_name,
            **shared,
        }
        path = f"{RESULTS_PAGES}/{suite}/index.md"
        views = [view for view in results.matrices if view.matrix.suite == suite]
        content = templates.render(
            "results/suite.md.j2", to_root=to_root(path), views=views, **context
        )
        yield SiteFile(path, content, f"data/suites/{suite}.yaml")
        yield from suite_tests_pages(catalog, results, past, templates, context)
    for stored in results.reports:
        path = f"{RESULTS_PAGES}/runs/{stored.id}.md"
        others = [r for r in results_of(stored, catalog) if r.test.outcome not in GOOD]
        content = templates.render(
            "results/run.md.j2",
            to_root=to_root(path),
            stored=stored,
            name=catalog.by_id[stored.report.accelerator].accelerator.name,
            environment=about(stored),
            counts=results.suite_counts(stored.id),
            others=others[:MOST_LISTED],
            more=max(0, len(others) - MOST_LISTED),
            **shared,
        )
        yield SiteFile(path, content, stored.path)


def results_files(results: Results) -> Iterator[SiteFile]:
    """Yield the data: an index of the reports, each report, each suite's matrices."""
    suites = list(dict.fromkeys(view.matrix.suite for view in results.matrices))
    entries = tuple(
        ReportEntry(
            id=stored.id,
            accelerator=stored.report.accelerator,
            kind=stored.report.kind,
            report=f"../reports/{stored.id}.json",
            counts={s: dict(c) for (name, s), c in results.counts.items() if name == stored.id},
        )
        for stored in results.reports
    )
    index = ResultsIndex(reports=entries, suites={suite: f"{suite}.json" for suite in suites})
    yield data_file("results/index.json", index)
    for stored in results.reports:
        yield SiteFile(f"{API}/reports/{stored.id}.json", report_text(stored.report))
    for suite in suites:
        views = [view for view in results.matrices if view.matrix.suite == suite]
        data = SuiteResults(suite=suite, matrices=tuple(map(_matrix, views)))
        yield data_file(f"results/{suite}.json", data)
        for view in views:
            yield SiteFile(f"{API}/results/{csv_name(view.matrix)}", _csv(view))


def csv_name(matrix: Matrix) -> str:
    """Return the name of a matrix as CSV: `torchbench-inference.csv`."""
    return f"{'-'.join(filter(None, (matrix.suite, matrix.mode)))}.csv"


def _csv(view: MatrixView) -> str:
    """The matrix for spreadsheets; nothing in a cell means that there is no evidence."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = view.matrix.columns
    writer.writerow(["test", *(f"{c.accelerator} ({c.group}; {c.kind})" for c in columns)])
    for row in view.rows:
        writer.writerow([row.name, *(cell.outcome or "" for cell in row.cells)])
    return text.getvalue()


def _matrix(view: MatrixView) -> MatrixData:
    return MatrixData(
        mode=view.matrix.mode,
        columns=tuple(
            MatrixColumn(accelerator=c.accelerator, report=c.report, kind=c.kind, like=c.group)
            for c in view.matrix.columns
        ),
        tests={row.name: tuple(cell.outcome for cell in row.cells) for row in view.rows},
    )
