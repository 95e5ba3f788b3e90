from __future__ import annotations

from accelerator_portal.catalog import load_catalog
from accelerator_portal.checks.rules.versions import unlisted_releases
from tests.day import TODAY
from tests.folders import COMPATIBILITY, INSTALL, Tree, edited, loaded
from tests.portal.packages.made_up import PLUGINS, release, with_facts


def test_a_release_without_a_row_is_named_with_the_command(tree: Tree) -> None:
    catalog = loaded(tree(PLUGINS))
    facts = [release("1.11.0", "torch==1.11.0"), release("1.10.0", "torch==1.10.0")]
    (problem,) = unlisted_releases.check(with_facts(catalog, facts), TODAY)
    assert str(problem) == (
        f"{COMPATIBILITY}:6: no row lists torch-example 1.11.0, which the package index has; "
        "run accelerator-portal plugin-release example 1.11.0"
    )
    assert list(unlisted_releases.check(with_facts(catalog, facts[1:]), TODAY)) == []


def test_a_newest_row_that_no_option_serves_is_named(tree: Tree) -> None:
    older = (
        (INSTALL, "    methods: [pip, uv]", '    torch: ["1.9.1"]\n    methods: [pip, uv]'),
        (INSTALL, '    torch: ">=1.10"', '    torch: ["1.9.1"]'),
    )
    catalog, _ = load_catalog(tree(edited(*older, files=PLUGINS)))
    assert catalog is not None
    (problem,) = unlisted_releases.check(catalog, TODAY)
    assert problem.path == INSTALL
    assert problem.words == (
        "no install option installs torch 1.10.0, which the newest row (plugin 1.10.0) lists; add the release to an "
        "option, or use `compatibility: true`"
    )


def test_a_release_that_is_not_listed_is_another_rules(tree: Tree) -> None:
    newer = '  - {torch: "1.11.0", plugin: "1.11.0", source: made-up}\n  - {torch: "1.10.0"'
    catalog = loaded(tree(edited((COMPATIBILITY, '  - {torch: "1.10.0"', newer), files=PLUGINS)))
    assert list(unlisted_releases.check(catalog, TODAY)) == []
