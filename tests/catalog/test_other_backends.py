from __future__ import annotations

from tests.folders import EXAMPLE, SOURCES, Tree, loaded

OTHERS = f"""\
{SOURCES}\
observed:
  - {{id: made, name: Made, maker: Somebody, kind: community, url: "https://example.org",
     summary: It is made up., source: made-up}}
runtimes:
  - {{id: runner, name: Runner, hardware: Any., summary: It runs., url: "https://example.org",
     source: made-up}}
"""


def others(text: str) -> dict[str, str]:
    return {**EXAMPLE, "data/other-backends.yaml": text}


def test_backends_without_a_folder_are_no_platforms(tree: Tree) -> None:
    catalog = loaded(tree(others(OTHERS)))
    assert catalog.other_backends
    (backend,) = catalog.other_backends.observed
    assert (backend.id, backend.device, backend.package) == ("made", None, None)
    assert backend.id not in catalog.by_id


def test_without_the_file_there_are_none(tree: Tree) -> None:
    assert loaded(tree(EXAMPLE)).other_backends is None
