"""The page of models that people ask for, a page for each family, and both as data."""

from __future__ import annotations

from collections.abc import Iterator

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import MODEL_FAMILIES
from accelerator_portal.site.model_shapes import (
    FamiliesIndex,
    FamilyCount,
    FamilyData,
    FamilyEntry,
    FamilyTest,
)
from accelerator_portal.site.model_view import FamilyCell, FamilyView, ModelsView, models_view
from accelerator_portal.site.page import SiteFile, data_file, to_root
from accelerator_portal.site.result_addresses import RESULTS_PAGES
from accelerator_portal.site.results_view import ResultsView
from accelerator_portal.site.templates import Templates

MODELS_PAGES = f"{RESULTS_PAGES}/by-model"

# Of one platform's results a family's page lists so many; its data has all.
MOST_LISTED = 200


def model_pages(catalog: Catalog, results: ResultsView, templates: Templates) -> Iterator[SiteFile]:
    """Yield the page of models, a page for each family that some report has, and their data."""
    view = models_view(catalog, results)
    path = f"{MODELS_PAGES}/index.md"
    content = templates.render(f"{path}.j2", to_root=to_root(path), view=view)
    yield SiteFile(path, content, MODEL_FAMILIES)
    for family in view.families:
        path = f"{MODELS_PAGES}/{family.family.id}.md"
        content = templates.render(
            f"{MODELS_PAGES}/family.md.j2", to_root=to_root(path), view=family, most=MOST_LISTED
        )
        yield SiteFile(path, content, MODEL_FAMILIES)
    yield from _files(view)


def _files(view: ModelsView) -> Iterator[SiteFile]:
    entries = tuple(
        FamilyEntry(
            id=family.family.id,
            title=family.family.title,
            address=f"models/{family.family.id}.json",
            counts=tuple(_count(cell) for cell in _cells(family)),
        )
        for family in view.families
    )
    yield data_file("models.json", FamiliesIndex(families=entries, no_report=view.no_report))
    for family in view.families:
        tests = tuple(test for cell in _cells(family) for test in _tests(family, cell))
        data = FamilyData(
            id=family.family.id,
            title=family.family.title,
            names=family.family.names,
            tests=tests,
        )
        yield data_file(f"models/{family.family.id}.json", data)


def _cells(family: FamilyView) -> Iterator[FamilyCell]:
    for of_platform in family.cells.values():
        yield from of_platform


def _count(cell: FamilyCell) -> FamilyCount:
    results = cell.results
    return FamilyCount(
        accelerator=results.accelerator,
        basis=results.basis,
        passed=results.passed,
        checked=results.checked,
        total=len(results.tests),
        outcomes=dict(results.outcomes),
        date=results.day,
        reports=tuple(stored.id for stored in results.reports),
    )


def _tests(family: FamilyView, cell: FamilyCell) -> Iterator[FamilyTest]:
    for row in family.rows[cell.anchor]:
        result = row.result
        yield FamilyTest(
            accelerator=result.accelerator,
            basis=cell.results.basis,
            report=result.report,
            suite=result.test.suite,
            name=result.test.name,
            settings=result.settings,
            outcome=result.test.outcome,
            evidence=row.address,
        )
