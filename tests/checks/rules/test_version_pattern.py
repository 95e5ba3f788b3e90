from __future__ import annotations

import pytest

from tests.folders import COMPATIBILITY, Tree, problems_in
from tests.packages.made_up import PLUGINS


def problems(tree: Tree, pattern: str, plugin: str) -> list[str]:
    text = PLUGINS[COMPATIBILITY].replace('plugin: "1.9.1"', f'plugin: "{plugin}"')
    declared = f"version_pattern: {{{pattern}, source: made-up}}\n"
    return problems_in(tree({**PLUGINS, COMPATIBILITY: declared + text}))


@pytest.mark.parametrize(
    ("pattern", "plugin"),
    [
        ("same: minor", "1.9.7"),
        ("same: release", "1.9.1.post4"),
        ("same: release", "1.9.1.2.15.32035"),
        ('same: minor, since: "1.10.0"', "0.3.0"),
    ],
)
def test_rows_that_follow_the_pattern_are_right(tree: Tree, pattern: str, plugin: str) -> None:
    assert problems(tree, pattern, plugin) == []


@pytest.mark.parametrize(
    ("pattern", "plugin", "shared"),
    [
        ("same: minor", "1.8.1", "first two numbers"),
        ("same: release", "1.9.2", "first three numbers"),
        ("same: release", "1.9", "first three numbers"),
    ],
)
def test_a_row_that_breaks_the_pattern_is_named_with_the_source(
    tree: Tree, pattern: str, plugin: str, shared: str
) -> None:
    (problem,) = problems(tree, pattern, plugin)
    assert problem == (
        f'{COMPATIBILITY}:9: plugin "{plugin}" and torch "1.9.1" differ in the {shared} of the '
        "version, but version_pattern says that they are the same (made-up); correct the row, or "
        "limit the pattern with since"
    )


def test_a_pattern_needs_its_source(tree: Tree) -> None:
    text = f"version_pattern: {{same: minor}}\n{PLUGINS[COMPATIBILITY]}"
    found = problems_in(tree({**PLUGINS, COMPATIBILITY: text}))
    assert any("version_pattern.source" in line or '"source"' in line for line in found), found
