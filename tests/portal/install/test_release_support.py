from __future__ import annotations

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.install.resolution import SupportedReleases, supported_releases
from tests.folders import COMPATIBILITY, EXAMPLE, INSTALL, RELEASES, Edit, Tree, edited

BEFORE, _, LISTED = EXAMPLE[INSTALL].partition("options:\n")
WHEELS, NIGHTLY, IMAGE = (f"  - id: {option}" for option in LISTED.split("  - id: ")[1:])
FROM_SOURCE = """\
  - id: source
    torch: ["1.9.1"]
    methods: [source]
    os: [linux]
    arch: [x86_64]
    python: ["3.12"]
    steps:
      - run: [make]
    source: made-up
"""


def released(*versions: str) -> Edit:
    """PyTorch releases that the example has nothing for, the newest first."""
    fields = 'date: 2026-02-01, python: ["3.12"], wheels: [], source: made-up'
    more = "".join(f'  - {{version: "{version}", {fields}}}\n' for version in versions)
    return (RELEASES, "releases:\n", f"releases:\n{more}")


def options(*texts: str) -> Edit:
    written = f"options:\n{''.join(texts)}" if texts else "options: []\n"
    return (INSTALL, EXAMPLE[INSTALL], BEFORE + written)


def of_example(tree: Tree, *edits: Edit) -> SupportedReleases:
    catalog, problems = load_catalog(tree(edited(*edits)))
    assert catalog is not None
    assert problems == []
    return supported_releases(catalog, catalog.by_id["example"])


def test_a_platform_with_a_command_for_the_newest_release_is_not_behind(tree: Tree) -> None:
    assert of_example(tree) == SupportedReleases("1.10.0", "1.9.1", 0, has_command=True)


@pytest.mark.parametrize(
    ("versions", "behind"),
    [
        (["1.10.1"], 0),  # a patch release of the minor release that it has
        (["1.11.0"], 1),
        (["1.12.1", "1.12.0", "1.11.0"], 2),
        (["2.0.0", "1.11.0"], 2),
    ],
)
def test_minor_releases_after_the_newest_are_counted(
    tree: Tree, versions: list[str], behind: int
) -> None:
    found = of_example(tree, options(WHEELS), released(*versions))
    assert found == SupportedReleases("1.10.0", "1.9.1", behind, has_command=True)


@pytest.mark.parametrize("text", ["", NIGHTLY, FROM_SOURCE])
def test_without_a_command_for_a_release_the_vendors_rows_say_it(tree: Tree, text: str) -> None:
    """A nightly build is no release, and what everybody builds for themselves is no command."""
    earlier = (COMPATIBILITY, '"1.10.0"', '"1.8.0"')
    found = of_example(tree, options(*([text] if text else [])), earlier)
    assert found == SupportedReleases("1.9.1", "1.8.0", 1, has_command=False)


def test_of_a_platform_that_states_nothing_nothing_is_known(tree: Tree) -> None:
    rows = EXAMPLE[COMPATIBILITY].partition("rows:\n")[2]
    assert of_example(tree, options(), (COMPATIBILITY, f"rows:\n{rows}", "rows: []\n")) == (
        SupportedReleases(None, None, None, has_command=False)
    )
