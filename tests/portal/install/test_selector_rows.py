"""Of all combinations of all axes, the selector offers exactly those that the data allows.

The data is read and judged here anew, from the plain YAML: an option is asked whether it answers a
given choice, where the library asks which choices an option yields.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import Choice, Selector, expand, make_selector
from tests.folders import REPOSITORY
from tests.selector_choices import choices_of, row_of

Record = dict[str, Any]

BRINGS_ITS_PYTHON = {"docker", "libtorch"}


@cache
def read(path: str) -> Record:
    data = yaml.load((REPOSITORY / path).read_bytes(), Loader=yaml.CSafeLoader)
    assert isinstance(data, dict)
    return data


@cache
def release_of(build: str) -> tuple[str, Record]:
    """The version and the record that a build's id stands for."""
    data = read("data/releases.yaml")
    by_version = {release["version"]: release for release in data["releases"]}
    if build == "preview":
        return "", data["preview"]
    version = max(by_version, key=Version) if build == "stable" else build
    return version, by_version[version]


@cache
def options_of(platform: str, method: str, os: str, arch: str) -> list[Record]:
    """The options that could answer, by what they say of themselves."""
    return [
        option
        for option in read(f"accelerators/{platform}/install.yaml")["options"]
        if method in option["methods"]
        and os in option.get("os", [os])
        and arch in option.get("arch", [arch])
    ]


@cache
def compatible_pythons(platform: str, torch: str) -> list[str] | None:
    """The Pythons of the row to install with a torch release; None without such a row."""
    rows = read(f"accelerators/{platform}/compatibility.yaml")["rows"]
    fitting = [row for row in rows if row["torch"] == torch]
    if not fitting:
        return None
    best = max(fitting, key=lambda row: (bool(row.get("needs")), Version(row.get("plugin", "0"))))
    pythons: list[str] = best.get("python", release_of(torch)[1]["python"])
    return pythons


def answers(option: Record, choice: Choice) -> bool:
    torch, release = release_of(choice["build"])
    if (option.get("channel", "stable") == "preview") != (choice["build"] == "preview"):
        return False
    wanted = option.get("torch")
    if torch and wanted is not None:
        admitted = torch in (SpecifierSet(wanted) if isinstance(wanted, str) else wanted)
        if not admitted:
            return False
    if choice["variant"] not in option.get("variants", [choice["variant"]]):
        return False
    for kind in ("wheels", "images", "archives"):
        if kind in option:
            return any(
                build["os"] == choice["os"]
                and choice["arch"] in build["arch"]
                and fnmatchcase(build["variant"], option[kind])
                and choice["variant"] in {build["variant"], "default"}
                and fits(choice, build.get("python", release["python"]), option.get("python"))
                for build in release.get(kind, ())
            )
    compatible = None
    if option.get("compatibility") and torch:
        compatible = compatible_pythons(choice["platform"], torch)
        if compatible is None:
            return False
    return fits(choice, release["python"], option.get("python"), compatible)


def fits(choice: Choice, *lists: list[str] | None) -> bool:
    """Whether the Python is in every list, or does not matter."""
    return choice["method"] in BRINGS_ITS_PYTHON or all(
        choice["python"] in pythons for pythons in lists if pythons is not None
    )


def all_choices(selector: Selector) -> Iterator[Choice]:
    platforms = [
        (platform.id, variant)
        for platform in selector.axes["platform"]
        for variant in [v.id for v in selector.variants.get(platform.id, ())] or ["default"]
    ]
    axes = [[v.id for v in selector.axes[a]] for a in ("build", "os", "arch", "python", "method")]
    axes[0].remove("stable")  # no release of its own
    for build, os, arch, python, method in product(*axes):
        for platform, variant in platforms:
            yield {
                "build": build,
                "os": os,
                "arch": arch,
                "python": python,
                "method": method,
                "platform": platform,
                "variant": variant,
            }


def allowed(choice: Choice) -> bool:
    options = options_of(choice["platform"], choice["method"], choice["os"], choice["arch"])
    return any(answers(option, choice) for option in options)


def test_what_the_selector_offers_is_exactly_what_the_data_allows(selector: Selector) -> None:
    choices = list(all_choices(selector))
    wrong = [
        choice for choice in choices if allowed(choice) != (row_of(selector, choice) is not None)
    ]
    assert wrong == []
    assert len(choices) > 100_000


def test_a_choice_leads_to_one_row(selector: Selector) -> None:
    choices = [choice for row in selector.rows for choice in choices_of(selector, row)]
    assert len(choices) == len({tuple(choice.values()) for choice in choices})


@pytest.mark.parametrize("axis", ["build", "os", "arch", "python", "method", "platform"])
def test_every_value_of_an_axis_leads_somewhere(axis: str, selector: Selector) -> None:
    used = {choice[axis] for row in selector.rows for choice in choices_of(selector, row)}
    assert {value.id for value in selector.axes[axis]} - {"stable"} == used


def test_every_variant_leads_somewhere(selector: Selector) -> None:
    assert selector.variants
    for platform, variants in selector.variants.items():
        used = {row.variant for row in selector.rows if row.platform == platform}
        assert {value.id for value in variants} == used, platform


def test_the_selector_of_one_platform_has_its_rows_only(selector: Selector) -> None:
    for value in selector.axes["platform"]:
        one = selector.only(value.id)
        assert one.rows == tuple(row for row in selector.rows if row.platform == value.id)
        assert [v.id for v in one.axes["platform"]] == [value.id]
        assert one.starts
        for start in one.starts:
            assert start["platform"] == value.id
            assert any((r.os, r.arch) == (start["os"], start["arch"]) for r in one.rows)


def test_a_platform_without_rows_has_an_empty_selector(selector: Selector) -> None:
    nothing = selector.only("nowhere")
    assert (nothing.rows, nothing.starts) == ((), ())


def test_releases_stand_newest_first_with_the_nightly_build_second(selector: Selector) -> None:
    builds = [value.id for value in selector.axes["build"]]
    assert (builds[0], builds[2]) == ("stable", "preview")
    releases = [builds[1], *builds[3:]]
    assert releases == sorted(releases, key=Version, reverse=True)


def test_pythons_stand_newest_first_and_free_threaded_ones_last(selector: Selector) -> None:
    pythons = [value.id for value in selector.axes["python"]]
    plain = [python for python in pythons if not python.endswith("t")]
    free = [python for python in pythons if python.endswith("t")]
    assert pythons == plain + free
    for kind in (plain, free):
        assert kind == sorted(kind, key=lambda python: Version(python.rstrip("t")), reverse=True)


def test_a_platform_without_options_is_not_offered(catalog: Catalog, selector: Selector) -> None:
    gone = selector.axes["platform"][-1].id
    left = tuple(row for row in expand(catalog)[0] if row.platform != gone)
    offered = [value.id for value in make_selector(catalog, left).axes["platform"]]
    assert offered == [value.id for value in selector.axes["platform"] if value.id != gone]
