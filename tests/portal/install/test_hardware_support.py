from __future__ import annotations

import pytest

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.files.accelerator import BuildSupport
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.hardware_support import (
    HardwareSupport,
    ReleaseProducts,
    build_covers,
    builds_of_row,
    hardware_support,
    products_by_release,
    runs_on_generation,
)
from tests.folders import ACCELERATOR, EXAMPLE, INSTALL, Edit, Tree, edited


def generation(builds: str, note: str = "") -> Edit:
    """The example with one generation; ex2 has 1.10.0 and nightly builds, ex1 also 1.9.1."""
    text = (
        f"hardware:\n  generations:\n    - name: First\n      builds: [{builds}]\n{note}"
        "      source: made-up\n      models: [{name: Example card}]\nsupport:\n"
    )
    return ACCELERATOR, "support:\n", text


BOTH, NEWEST, OLDEST = ("ex2", "ex1"), "1.10.0", "1.9.1"
BUILDS: dict[str, HardwareSupport] = {
    "{}": HardwareSupport("newest", OLDEST, NEWEST, BOTH),
    "{variants: [ex1]}": HardwareSupport("newest", OLDEST, NEWEST, ("ex1",)),
    "{torch: '<1.10'}": HardwareSupport("earlier", OLDEST, OLDEST, ("ex1",), passed_over=NEWEST),
    "{torch: '>=1.10'}": HardwareSupport("newest", NEWEST, NEWEST, BOTH),
    "{variants: [ex2], torch: '>=1.10'}, {variants: [ex1], torch: '<1.10'}": HardwareSupport(
        "newest", OLDEST, NEWEST, ("ex2",)
    ),
    "{os: [windows]}": HardwareSupport("newest", NEWEST, NEWEST, ("ex1",), os="windows"),
    "{arch: [aarch64]}": HardwareSupport("newest", NEWEST, NEWEST, ("ex2",), arch="aarch64"),
    "{os: [linux, windows]}": HardwareSupport("newest", OLDEST, NEWEST, BOTH),
    "{uncertain: true, note: They differ.}": HardwareSupport(
        "newest", OLDEST, NEWEST, BOTH, uncertain=True
    ),
    "{uncertain: true, note: They differ.}, {torch: '>=1.10'}": HardwareSupport(
        "newest", OLDEST, NEWEST, BOTH
    ),
    "{inference_only: true}": HardwareSupport("newest", OLDEST, NEWEST, BOTH, inference_only=True),
    "{inference_only: true}, {torch: '>=1.10'}": HardwareSupport("newest", OLDEST, NEWEST, BOTH),
    "{torch: '<1.10'}, {torch: '>=1.10', reaches: loads, note: Sums fail.}": HardwareSupport(
        "earlier", OLDEST, OLDEST, ("ex1",), passed_over=NEWEST, reaches="loads"
    ),
    "{}, {torch: '>=1.10', reaches: installs, note: No device.}": HardwareSupport(
        "earlier", OLDEST, OLDEST, ("ex1",), passed_over=NEWEST, reaches="installs"
    ),
    "{reaches: loads, note: Sums fail.}": HardwareSupport("none", reaches="loads"),
    "{reaches: loads, note: Sums fail.}, {reaches: installs, note: No device.}": HardwareSupport(
        "none", reaches="loads"
    ),
    "{variants: [ex1], reaches: loads, note: Sums fail.}, {variants: [ex2]}": HardwareSupport(
        "newest", NEWEST, NEWEST, ("ex2",)
    ),
    "{torch: '<1'}": HardwareSupport("no-command"),
    "{torch: ==0.9.2}": HardwareSupport("no-command", "0.9.2", "0.9.2"),
    "{torch: ==0.9.*}, {torch: '==0.9.1,>=0.9'}": HardwareSupport("no-command"),
}


@pytest.mark.parametrize("builds", BUILDS)
def test_the_newest_release_that_a_build_admits(builds: str, tree: Tree) -> None:
    sourced = builds.replace("{", "{source: made-up, ").replace(", }", "}")
    assert found(tree, generation(sourced)) == BUILDS[builds]


def test_no_build_is_said_to_be_none(tree: Tree) -> None:
    edit = generation("", note="      note: Nothing has code for it.\n")
    assert found(tree, edit) == HardwareSupport("none")


def test_nightly_builds_count_only_where_no_release_does(tree: Tree) -> None:
    old = (INSTALL, "methods: [pip, uv]", 'torch: "<1.10"\n    methods: [pip, uv]')
    image = (INSTALL, 'torch: ">=1.10"', 'torch: "<1"')
    result = found(tree, generation("{variants: [ex2], source: made-up}"), old, image)
    assert result == HardwareSupport("preview", variants=("ex2",))
    assert result.build == "preview"


def test_without_any_command_the_vendors_rows_answer(tree: Tree) -> None:
    options = EXAMPLE[INSTALL][EXAMPLE[INSTALL].index("options:") :]
    result = found(
        tree, generation("{torch: '<1.10', source: made-up}"), (INSTALL, options, "options: []\n")
    )
    assert result == HardwareSupport("no-command", "1.9.1", "1.9.1")
    assert result.build == "1.9.1"


def test_a_source_build_counts_where_nothing_is_ready(tree: Tree) -> None:
    source = [(INSTALL, "methods: [pip, uv]", "methods: [source]")]
    source += [
        (INSTALL, "methods: [docker]", "methods: [source]"),
        (INSTALL, "methods: [pip]", "methods: [source]"),
    ]
    result = found(tree, generation("{variants: [ex1], source: made-up}"), *source)
    assert result == HardwareSupport("newest", "1.9.1", "1.10.0", ("ex1",), from_source=True)


def test_a_build_without_a_version_fits_only_where_none_is_asked_for() -> None:
    assert build_covers(BuildSupport(source=("a",)), "default", None)
    assert not build_covers(BuildSupport(source=("a",), torch=">=2"), "default", None)
    assert build_covers(BuildSupport(source=("a",), torch=">=2"), "default", "2.16.0.dev0")


@pytest.mark.parametrize(
    ("builds", "expected"),
    [
        ("{variants: [ex1]}", [(OLDEST, 1, 0), (NEWEST, 1, 0)]),
        ("{variants: [ex2]}", [(OLDEST, 0, 0), (NEWEST, 1, 0)]),
        ("{torch: '<1.10'}", [(OLDEST, 1, 0), (NEWEST, 0, 0)]),
        (
            "{torch: '<1.10', uncertain: true, note: They differ.}, {torch: '>=1.10'}",
            [(OLDEST, 0, 1), (NEWEST, 1, 0)],
        ),
        ("{variants: [ex1]}, {}", []),  # the second is about all releases alike
        ("{variants: [ex1]}, {reaches: loads, note: Sums fail.}", [(OLDEST, 0, 0), (NEWEST, 0, 0)]),
    ],
)
def test_the_products_of_each_release_are_counted_if_the_data_tell_releases_apart(
    tree: Tree, builds: str, expected: list[tuple[str, int, int]]
) -> None:
    stated = builds.replace("}", ", source: made-up}").replace("{, ", "{")
    catalog, _ = load_catalog(tree(edited(generation(stated))))
    assert catalog is not None
    (platform,) = catalog.platforms
    assert products_by_release(catalog, platform) == tuple(
        ReleaseProducts(*numbers) for numbers in expected
    )


VENDORS_INDEX = [
    (INSTALL, '    wheels: "ex*"\n    methods: [pip, uv]', "    torch: [1.10.0]\n    os: [linux]\n    arch: [x86_64]\n    variants: [ex1]\n    methods: [pip, uv]"),
    (INSTALL, 'index: "{index}"}\n    check: python\n    source: made-up\n  - id: nightly', 'index: "https://example.org/"}\n    check: python\n    source: made-up\n  - id: nightly'),
]  # fmt: skip


@pytest.mark.parametrize(
    "edits", [VENDORS_INDEX, [(INSTALL, "methods: [pip, uv]", "methods: [source]")]]
)
def test_builds_of_vendors_and_from_source_are_no_builds_of_a_release(
    tree: Tree, edits: list[Edit]
) -> None:
    stated = generation("{variants: [ex1, ex2], source: made-up}")
    catalog, problems = load_catalog(tree(edited(stated, *edits)))
    assert catalog is not None, problems
    (platform,) = catalog.platforms
    assert {row.build for row in rows_by_platform(catalog)[platform.id]} >= {NEWEST}
    assert products_by_release(catalog, platform) == ()


def found(tree: Tree, *edits: Edit) -> HardwareSupport:
    catalog, _ = load_catalog(tree(edited(*edits)))
    assert catalog is not None
    (platform,) = catalog.platforms
    assert platform.accelerator.hardware is not None
    return hardware_support(catalog, platform, platform.accelerator.hardware.generations[0])


def test_what_fails_on_a_card_is_neither_offered_nor_called_supported(catalog: Catalog) -> None:
    """Over all products and rows of this repository: a note on a failure has its field."""
    failing_rows = 0
    for platform in catalog.platforms:
        hardware = platform.accelerator.hardware
        for card in hardware.generations if hardware else ():
            support = hardware_support(catalog, platform, card)
            for row in rows_by_platform(catalog)[platform.id]:
                stated = builds_of_row(catalog, card, row)
                fails = any(build.reaches != "computes" for build in stated)
                failing_rows += fails
                assert runs_on_generation(catalog, card, row) == (bool(stated) and not fails)
                if fails and row.variant in (support.variants or (row.variant,)):
                    assert row.build != support.build, f"{platform.id}: {card.name}, {row}"
            if support.verdict == "newest":
                assert support.reaches is None
    assert failing_rows > 100
