from __future__ import annotations

import pytest

from accelerator_portal.catalog import load_catalog
from tests.folders import ACCELERATOR, EXAMPLE, Tree

URL = "url: https://example.org/report.json"
RELEASE = "release: {repository: example/plugin, asset: report.json}"
ARTIFACT = "artifact: {repository: example/plugin, workflow: nightly.yml, artifact: report}"


def faults(tree: Tree, feed: str) -> list[str]:
    text = EXAMPLE[ACCELERATOR] + f"report_feeds:\n  - {{name: nightly, source: made-up, {feed}}}\n"
    _, problems = load_catalog(tree({**EXAMPLE, ACCELERATOR: text}))
    return [str(problem).partition(": ")[2] for problem in problems]


@pytest.mark.parametrize("feed", [URL, RELEASE, ARTIFACT, f"{URL}, sha256: https://a.example/b"])
def test_a_feed_stands_in_one_place(tree: Tree, feed: str) -> None:
    assert faults(tree, feed) == []


@pytest.mark.parametrize(
    ("feed", "fault"),
    [
        ("", "a feed needs exactly one location; use one of: url, release, artifact"),
        (
            f"{URL}, {RELEASE}",
            "a feed needs exactly one location; use one of: url, release, artifact",
        ),
        (
            f"{RELEASE}, sha256: https://a.example/b",
            "sha256 belongs to url; remove it; GitHub provides its own checksum",
        ),
        (
            "release: {repository: example/plugin, asset: ../x}",
            'release.asset: "../x" is not a valid GitHub name; use letters, digits and . _ -',
        ),
        (
            "artifact: {repository: example/plugin, workflow: 'a?b=c', artifact: report}",
            'artifact.workflow: "a?b=c" is not a valid GitHub name; use letters, digits and . _ -',
        ),
    ],
)
def test_what_is_no_place_is_named(tree: Tree, feed: str, fault: str) -> None:
    (found,) = faults(tree, feed)
    assert found.endswith(fault)


def test_two_feeds_of_one_name_are_refused(tree: Tree) -> None:
    (found,) = faults(tree, f"{URL}}}\n  - {{name: nightly, source: made-up, {RELEASE}")
    assert (
        'two entries in report_feeds have the name "nightly"; use a different name for each'
        in found
    )
