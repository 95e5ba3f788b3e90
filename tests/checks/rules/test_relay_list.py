from __future__ import annotations

from tests.folders import ACCELERATOR, SOURCES, Tree, edited, problems_in

RELAY = {
    "data/relay.yaml": f"""\
{SOURCES}\
repositories:
  - {{repository: example/plugin, level: L2, source: made-up}}
"""
}


def named(repository: str) -> dict[str, str]:
    entry = f"upstream_ci:\n  - source: made-up\n    repository: {repository}\nsupport:"
    return edited((ACCELERATOR, "support:", entry)) | RELAY


def test_a_repository_that_the_relay_knows_is_fine(tree: Tree) -> None:
    assert problems_in(tree(named("example/plugin"))) == []


def test_another_is_named(tree: Tree) -> None:
    (problem,) = problems_in(tree(named("example/plugins")))
    assert problem == (
        f'{ACCELERATOR}:17: there is no entry in the relay list for "example/plugins"; '
        'did you mean "example/plugin"?'
    )
