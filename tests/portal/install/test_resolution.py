"""From wishes to a row: what was picked is kept, the machine always, the rest is the newest.

The rule is applied here a second time, by brute force over all rows.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import InstallRow, Selector, expand, make_selector
from accelerator_portal.install.commands import with_derived_formats
from accelerator_portal.install.resolution import READY_METHODS, offers, resolve
from accelerator_portal.install.rows import Finding
from accelerator_portal.site.results.findings import read_all_verdicts, with_findings
from tests.folders import REPOSITORY
from tests.further_axis import further_selector

FREE = ("build", "method", "variant", "python")
LINUX = {"os": "linux", "arch": "x86_64"}
WINDOWS = {"os": "windows", "arch": "x86_64"}


@pytest.fixture(scope="module")
def found(catalog: Catalog) -> Selector:
    """The selector as the site has it: with what is known of versions, and in all formats."""
    return whole_selector(catalog)


@pytest.fixture(scope="module")
def found_frozen(frozen: Catalog) -> Selector:
    """The same, without the releases that came after these tests."""
    return whole_selector(frozen)


def whole_selector(catalog: Catalog) -> Selector:
    rows = with_findings(expand(catalog)[0], read_all_verdicts(catalog, Path(REPOSITORY)))
    return make_selector(catalog, with_derived_formats(catalog, rows))


def some_wishes(selector: Selector, seed: int, count: int) -> list[dict[str, str]]:
    pick = random.Random(seed)  # noqa: S311 - to repeat itself is what it is for
    axes = ("platform", *FREE)
    made: list[dict[str, str]] = []
    for _ in range(count):
        machine = {axis: pick.choice(selector.axes[axis]).id for axis in ("os", "arch")}
        platform = pick.choice(selector.axes["platform"]).id
        wishes = {**machine}
        for axis in pick.sample(axes, pick.randint(0, len(axes))):
            values = [value.id for value in selector.values(axis, platform)]
            wishes[axis] = platform if axis == "platform" else pick.choice(values or ["default"])
        made.append(wishes)
    return made


def serves(row: InstallRow, axis: str, value: str) -> bool:
    """Whether a row has a value, or the axis does not matter to it."""
    if axis == "python":
        return row.pythons is None or value in row.pythons
    return bool(getattr(row, axis) == value)


def test_the_machine_and_the_platform_are_never_changed(found: Selector) -> None:
    for wishes in some_wishes(found, 1, 400):
        choice = resolve(found, wishes).choice
        if choice is None:
            continue
        assert (choice["os"], choice["arch"]) == (wishes["os"], wishes["arch"])
        assert choice["platform"] == wishes.get("platform", choice["platform"])


def test_there_is_no_row_only_where_the_platform_has_none_for_the_machine(found: Selector) -> None:
    there_are = {(row.platform, row.os, row.arch) for row in found.rows}
    for wishes in some_wishes(found, 2, 400):
        resolution = resolve(found, wishes)
        key = (resolution.platform, wishes["os"], wishes["arch"])
        assert (resolution.row is not None) == (key in there_are), wishes


def test_a_wish_is_met_where_a_row_has_it_with_the_more_recent_ones(found: Selector) -> None:
    for wishes in some_wishes(found, 3, 300):
        resolution = resolve(found, wishes)
        if resolution.row is None:
            continue
        rows = [
            row
            for row in found.rows_of(resolution.platform)
            if (row.os, row.arch) == (wishes["os"], wishes["arch"])
        ]
        own = {value.id for value in found.values("variant", resolution.platform)}
        for axis, value in reversed(wishes.items()):
            strange = axis == "variant" and value not in own
            if axis not in FREE or strange or (axis, value) == ("build", "stable"):
                continue
            fitting = [row for row in rows if serves(row, axis, value)]
            if axis == "python":  # rows for every Python, such as LibTorch's, are the last choice
                fitting = [row for row in fitting if row.pythons] or fitting
            assert (axis in resolution.unmet) != bool(fitting), (wishes, axis)
            if fitting:
                rows = fitting
                assert serves(resolution.row, axis, value)


def test_what_is_not_wished_is_the_newest_that_is_ready_made(found: Selector) -> None:
    for platform in found.axes["platform"]:
        for machine in (LINUX, WINDOWS):
            row = resolve(found, {**machine, "platform": platform.id}).row
            if row is None:
                continue
            ready = {
                other.build
                for other in found.rows_of(platform.id)
                if (other.os, other.arch) == (row.os, row.arch)
                and other.method in READY_METHODS
                and not other.on_request
                and any(not fails(other, python) for python in other.pythons or ("",))
            } - {"preview"}
            if ready:
                newest = min(ready, key=lambda build: found.place("build", build))
                assert row.build == newest, platform.id


def fails(row: InstallRow, python: str) -> bool:
    known = dict(zip(row.pythons or (), row.findings, strict=False))
    finding = known.get(python)
    return finding is not None and finding.kind == "none"


def test_what_is_known_to_fail_is_taken_only_where_it_is_asked_for(found: Selector) -> None:
    """Of the first choice, the versions for its Python do not exist together."""
    first = resolve(found, {**LINUX, "platform": "tpu-xla"})
    assert first.row
    assert first.choice
    failing, build = first.choice["python"], first.row.build
    known = {python: Finding("found", "") for python in first.row.pythons or ()}
    findings = tuple({**known, failing: Finding("none", "")}.values())
    rows = [replace(r, findings=findings) if r == first.row else r for r in found.rows]
    changed = replace(found, rows=tuple(rows))
    start = resolve(changed, {**LINUX, "platform": "tpu-xla", "build": build})
    assert start.row
    assert start.choice
    assert not fails(start.row, start.choice["python"])
    asked = {**LINUX, "platform": "tpu-xla", "python": failing, "build": build, "method": "pip"}
    wanted = resolve(changed, asked)
    assert wanted.row
    assert wanted.unmet == ()
    assert fails(wanted.row, failing)


def test_the_cpu_on_linux_gets_the_small_build_unless_the_newest_is_asked_for(
    found_frozen: Selector, frozen: Catalog
) -> None:
    usual = resolve(found_frozen, {**LINUX, "platform": "cpu"}).row
    assert usual
    assert any("/whl/cpu" in command for command in usual.commands)
    assert "192 MB" in (usual.note or "")
    newest = frozen.releases.newest.version
    asked = resolve(found_frozen, {**LINUX, "platform": "cpu", "build": newest}).row
    assert asked
    assert asked.on_request
    assert "3.0 GB" in (asked.note or "")


@pytest.mark.parametrize(
    ("wishes", "shown", "unmet"),
    [
        ({**WINDOWS, "platform": "cuda", "build": "2.15.0"}, {"build": "2.14.1"}, ("build",)),
        (
            {**LINUX, "platform": "cuda", "build": "2.6.0", "variant": "cu124"},
            {"build": "2.6.0"},
            (),
        ),
        (
            {**LINUX, "build": "2.4.1", "method": "docker", "platform": "cuda"},
            {"method": "docker"},
            ("build",),
        ),
        ({**LINUX, "platform": "rocm", "variant": "cu126"}, {"build": "2.14.1"}, ()),
        ({**WINDOWS, "platform": "cpu"}, {"build": "2.15.0"}, ()),
        ({**LINUX, "build": "stable", "platform": "gaudi"}, {"method": "docker"}, ()),
    ],
)
def test_readers_who_picked(
    found_frozen: Selector, wishes: dict[str, str], shown: dict[str, str], unmet: tuple[str, ...]
) -> None:
    resolution = resolve(found_frozen, wishes)
    assert resolution.choice
    assert {axis: resolution.choice[axis] for axis in shown} == shown
    assert resolution.unmet == unmet


def test_a_row_that_the_machine_cannot_run_is_passed_over(found: Selector) -> None:
    wishes = {**LINUX, "platform": "cuda"}
    old = resolve(found, wishes, lambda row: row.variant == "cu118").row
    assert old
    assert old.variant == "cu118"
    assert resolve(found, wishes, lambda _: False).row is None


def test_each_platform_offers_what_a_reader_without_other_wishes_gets(found: Selector) -> None:
    for platform, machines in offers(found).items():
        for machine, build in machines.items():
            os, arch = machine.split()
            row = resolve(found, {"os": os, "arch": arch, "platform": platform}).row
            assert row
            assert row.build == build


def test_a_further_axis_is_derived_and_wished_for_like_the_others(catalog: Catalog) -> None:
    further = further_selector(catalog)
    usual = resolve(further, {**LINUX, "platform": "cuda"}).choice
    musl = resolve(further, {**LINUX, "platform": "cuda", "libc": "musl"}).choice
    windows = resolve(further, {**WINDOWS, "platform": "cuda", "libc": "musl"})
    assert usual
    assert musl
    assert windows.choice
    assert (usual["libc"], musl["libc"], windows.choice["libc"]) == ("glibc", "musl", "glibc")
    assert windows.unmet == ("libc",)


def test_without_rows_there_is_nothing_to_resolve(catalog: Catalog) -> None:
    with pytest.raises(LookupError):
        resolve(make_selector(catalog, ()), {})
