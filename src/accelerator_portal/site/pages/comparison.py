"""Builds the table that compares platforms: one row per question, one column per platform."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import get_args

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.accelerator import Purpose
from accelerator_portal.catalog.message import (
    Translatable,
    comma_list,
    message,
    plural,
    semicolon_list,
)
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.install.rows import METHOD_LABELS, OS_LABELS
from accelerator_portal.site.grid import Cell, Grid, Head, platform_head
from accelerator_portal.site.pages.features import features_grid
from accelerator_portal.site.pages.hardware import models_with_build
from accelerator_portal.site.results.speeds import SpeedRun, newest_runs
from accelerator_portal.site.results.suite_cells import suite_grid
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.text_formats import (
    format_number,
    lifecycle_words,
    python_range,
)


@dataclass(frozen=True, slots=True)
class CellLine:
    """A line of a table cell: `text`, and a `note` in smaller text.

    If `code` is true, the text is formatted as code. If `url` is set, the text is a link to it.
    """

    text: str
    note: str | None = None
    url: str | None = None
    code: bool = False


CellLines = tuple[CellLine, ...]
CellReader = Callable[[Platform], Iterable[CellLine]]

TRANSLATED = ("compare.md",)


def pages(site: Site) -> Iterator[Page]:
    """Yield the page."""
    yield Page("compare.md", {"grid_of_platforms": comparison_grid(site)})


# Pairs that readers ask for in public threads, as far as the site has these platforms.
_PRESETS = (
    ("cuda", "rocm"),
    ("cuda", "xpu"),
    ("cuda", "ascend"),
    ("cuda", "tpu"),
    ("mps", "cpu"),
    ("gaudi", "xpu"),
    ("ascend", "mlu", "musa"),
)

_ADDRESSES: Mapping[str, str] = {
    "Platform": "",
    "Versions": "#versions",
    "Installation": "#install",
    "Hardware": "#hardware",
}

_SPEED = message("Measured speed")


def comparison_grid(site: Site) -> Grid:
    """Return the grid of properties by platforms, of which it shows two at first.

    The features and the test results are those of the grids of their own pages.
    """
    catalog = site.catalog
    rows: list[Head] = []
    cells: dict[tuple[str, str], Cell] = {}
    groups = comparison_groups(catalog, site.edition.today, newest_runs(site.speed_runs))
    for group, properties in groups.items():
        for title, lines_by_platform in properties:
            row = Head(f"p{len(rows)}", title, group=group)
            rows.append(row)
            for platform, lines in zip(catalog.platforms, lines_by_platform, strict=True):
                if lines:
                    cells[row.id, platform.id] = _grid_cell(platform, group, lines)
    newest_evidence = {p.id: site.results.newest(p.id) for p in catalog.platforms}
    for group, grid in (
        (message("Features"), features_grid(site)),
        (
            message("Test results"),
            suite_grid(catalog, newest_evidence, site.results.own, site.edition.today),
        ),
    ):
        rows += [replace(column, group=group) for column in grid.columns]
        cells |= {(column, platform): cell for (platform, column), cell in grid.cells.items()}
    rows.sort(key=lambda row: row.group == _SPEED)  # many rows, and few platforms have them
    names = {platform.id: platform.accelerator.name for platform in catalog.platforms}
    presets = [ids for ids in _PRESETS if all(id_ in names for id_ in ids)]
    vendors = list(dict.fromkeys(p.accelerator.vendor for p in catalog.platforms))
    return Grid(
        "compare",
        message("Property"),
        rows,
        [
            platform_head(platform, group=vendor)
            for vendor in vendors
            for platform in catalog.platforms
            if platform.accelerator.vendor == vendor
        ],
        cells,
        shown=presets[0] if presets else [*names][:2],
        wide=True,
        presets=[(" – ".join(names[id_] for id_ in ids), ids) for ids in presets],
    )


def _grid_cell(platform: Platform, group: str, lines: CellLines) -> Cell:
    text = semicolon_list(line.text for line in lines)
    # The notes of vendors are on the page of the platform: they are too long for a cell.
    notes = [line.note for line in lines if isinstance(line.note, Translatable)]
    address = _ADDRESSES.get(group)
    href = f"compute-platforms/{platform.id}/{address}" if address else ""
    return Cell(text=text, note=notes[0] if notes and len(lines) == 1 else "", href=href)


def comparison_groups(
    catalog: Catalog, today: dt.date, runs: Sequence[SpeedRun] = ()
) -> dict[str, list[tuple[str, list[CellLines]]]]:
    """Return the rows of the comparison table, by group. A row is a question with its cells.

    A row has one cell for each platform, without lines if no source answers the question. The
    platforms are in the order of the catalog. The last group compares the speeds in `runs`: it has
    a row for each test whose speed was measured on at least two platforms. Without such a test, the
    group is omitted.
    """
    groups: dict[str, dict[str, CellReader]] = {
        message("Platform"): {
            message("Vendor"): lambda p: _text_cell(p.accelerator.vendor),
            message("Integration"): lambda p: _text_cell(
                Translatable(p.accelerator.integration.value)
            ),
            message("Dispatch key"): lambda p: _code_cell(p.accelerator.dispatch_key.value),
            message("Device"): lambda p: _code_cell(p.accelerator.device.value),
            message("Package"): lambda p: _code_cell(p.accelerator.package.name),
        },
        message("Versions"): {
            message("Newest PyTorch"): partial(_newest_release_cell, catalog),
            message("PyTorch releases with packages"): partial(_release_range_cell, catalog),
            message("Python, newest release"): partial(_python_cell, catalog),
            message("Lifecycle of newest release"): partial(_lifecycle_cell, today),
        },
        message("Installation"): {
            message("Operating systems"): _systems_cell,
            message("Methods"): partial(_methods_cell, catalog),
        },
        message("Hardware"): {
            message("Generations"): _generations_cell,
            message("Memory of one device"): lambda p: _value_range_cell("GB", "memory_gb", p),
            message("Maximum power of one device"): lambda p: _value_range_cell("W", "power_w", p),
            message("Made for"): _purposes_cell,
            message("Cloud access"): _access_cell,
        },
    }
    readers = {label: list(answers.items()) for label, answers in groups.items()}
    if speeds := list(_speed_readers(runs)):
        readers[_SPEED] = speeds
    return {
        group: [(label, [tuple(reader(p)) for p in catalog.platforms]) for label, reader in rows]
        for group, rows in readers.items()
    }


def _speed_readers(runs: Sequence[SpeedRun]) -> Iterator[tuple[str, CellReader]]:
    """Yield the label and the cells of each test that was measured on at least two platforms."""
    for key, test in {key: run.tests[key] for run in runs for key in run.speeds}.items():
        measured_runs = [run for run in runs if key in run.speeds]
        if len({run.accelerator for run in measured_runs}) > 1:
            label = ", ".join(filter(None, (test.name, test.mode, test.dtype, test.size)))
            yield label, partial(_speed_cell, key, measured_runs)


def _speed_cell(key: str, runs: Sequence[SpeedRun], platform: Platform) -> Iterable[CellLine]:
    for run in runs:
        if run.accelerator == platform.id:
            speed = run.speeds[key]
            interval = f"{format_number(speed.low)}–{format_number(speed.high)}"
            day = f"{run.day}" if run.day else None
            efficiency = (
                f"{format_number(speed.per_watt)} {speed.unit} per watt" if speed.per_watt else None
            )
            note_parts = (interval, efficiency, run.hardware, f"torch {run.torch}", day, run.kind)
            text = f"{format_number(speed.value)} {speed.unit}"
            yield CellLine(text, ", ".join(filter(None, note_parts)))


def _text_cell(text: str) -> CellLines:
    return (CellLine(text),)


def _code_cell(text: str) -> CellLines:
    return (CellLine(text, code=True),)


def _newest_release_cell(catalog: Catalog, platform: Platform) -> CellLines:
    releases = supported_releases(catalog, platform)
    if releases.newest is None:
        return ()
    newest = catalog.releases.newest.version
    notes = [] if releases.has_command else [message("no install command on this site")]
    if releases.behind:
        notes.append(
            plural(
                "one minor release behind {newest}",
                "{count} minor releases behind {newest}",
                releases.behind,
                newest=newest,
            )
        )
    return (CellLine(releases.newest, semicolon_list(notes) if notes else None),)


def _release_range_cell(catalog: Catalog, platform: Platform) -> CellLines:
    releases = supported_releases(catalog, platform)
    if not releases.has_command or releases.newest is None:
        return (CellLine(message("none")),)
    if releases.oldest == releases.newest:
        return _text_cell(releases.newest)
    return _text_cell(message("{least} to {most}", least=releases.oldest, most=releases.newest))


def _python_cell(catalog: Catalog, platform: Platform) -> CellLines:
    newest = supported_releases(catalog, platform).newest
    rows = [row for row in rows_by_platform(catalog)[platform.id] if row.build == newest]
    pythons = {python for row in rows for python in row.pythons or ()}
    return _text_cell(python_range(pythons)) if pythons else ()


def _lifecycle_cell(today: dt.date, platform: Platform) -> Iterable[CellLine]:
    """Yield one line with the lifecycle of the newest release that has a lifecycle."""
    for row in platform.compatibility.rows:
        if row.lifecycle:
            status = lifecycle_words(row.lifecycle, today)
            words = message("PyTorch {torch}: {status}", torch=row.torch, status=status)
            yield CellLine(words, row.lifecycle.note)
            return


def _systems_cell(platform: Platform) -> Iterable[CellLine]:
    for os in dict.fromkeys(system.os for system in platform.accelerator.operating_systems):
        systems = [s for s in platform.accelerator.operating_systems if s.os == os]
        names = [s.name for s in systems if s.name != OS_LABELS[os]]
        archs = dict.fromkeys(arch for system in systems for arch in system.arch or ())
        note = "; ".join([*names, ", ".join(archs)] if archs else names)
        yield CellLine(OS_LABELS[os], note or None)


def _methods_cell(catalog: Catalog, platform: Platform) -> CellLines:
    used_methods = {row.method for row in rows_by_platform(catalog)[platform.id]}
    labels = [label for method, label in METHOD_LABELS.items() if method in used_methods]
    return _text_cell(comma_list(labels)) if labels else ()


def _generations_cell(platform: Platform) -> CellLines:
    hardware = platform.accelerator.hardware
    names = dict.fromkeys(g.name for g in hardware.generations if g.builds) if hardware else {}
    return _text_cell(comma_list(names)) if names else ()


def _value_range_cell(unit: str, field: str, platform: Platform) -> CellLines:
    """Return the range of the values of a field of `HardwareModel`: `80 to 192 GB`.

    Only hardware models with a PyTorch build count. If only some of these models have a value, a
    note states their number. If none of them has a value, the result is empty.
    """
    device_values: list[float | None] = [
        getattr(model, field) for model in models_with_build(platform)
    ]
    values = sorted(value for value in device_values if value is not None)
    if not values:
        return ()
    least, most = format_number(values[0]), format_number(values[-1])
    words = message("{least} to {most}", least=least, most=most) if least != most else least
    note = None
    if len(values) < len(device_values):
        note = message(
            "stated for {count} of {all} devices", count=len(values), all=len(device_values)
        )
    return (CellLine(message("{amount} {unit}", amount=words, unit=unit), note),)


def _purposes_cell(platform: Platform) -> CellLines:
    used_purposes = {
        purpose for model in models_with_build(platform) for purpose in model.purpose or ()
    }
    words = [Translatable(purpose) for purpose in get_args(Purpose) if purpose in used_purposes]
    return _text_cell(comma_list(words)) if words else ()


def _access_cell(platform: Platform) -> Iterable[CellLine]:
    for access in platform.accelerator.access:
        terms = {"free": message("free"), "apply": message("on application")}.get(access.kind)
        notes = [note for note in (terms, access.note) if note]
        yield CellLine(access.title, comma_list(notes) if notes else None, access.url)
