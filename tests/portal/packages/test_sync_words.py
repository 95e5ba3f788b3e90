"""A sync in words: what is new, what could not be read, what was refused, what changed."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal.packages.sync import package_lines, sync_summary
from tests.folders import loaded
from tests.portal.packages.loopback import Index, answering
from tests.portal.packages.syncing import DAY, EXTRA, X86, releases, synced

NOWHERE = "the host cannot be reached from the machine that read the indexes"


def lines(root: Path, index: Index) -> list[str]:
    """What is said of the packages after a sync, and at its end."""
    read = loaded(root).packages_read
    found = synced(root, index)
    told = [line for package in found.packages for line in package_lines(package, read)]
    return [*told, sync_summary(found)]


def test_it_says_what_is_there_what_is_new_and_what_was_not_read(root: Path, index: Index) -> None:
    assert lines(root, index) == [
        "torch-example, PyPI: 1 release",
        f"torch-example, {EXTRA}: not read: {NOWHERE}; no facts are available",
        "1 package: 1 with changes, 1 not fully read",
    ]
    index.add("torch-example", "2.0", X86)
    index.add("torch-example", "2.1", X86)
    index.projects["torch-example"][-1].metadata = b"lies"
    first, _, refused, last = lines(root, index)
    assert first == "torch-example, PyPI: 3 releases, new: 2.1, 2.0"
    assert refused.startswith("  refused: pypi: torch_example-2.1-")
    assert last == "1 package: 1 with changes, 1 not fully read"


def test_of_many_only_the_first_are_named(root: Path, index: Index) -> None:
    synced(root, index)
    for minor in range(7):
        index.add("torch-example", f"2.{minor}", X86)
        index.projects["torch-example"][-1].metadata = b"lies"
    first, _, *refused, _ = lines(root, index)
    assert first.endswith("8 releases, new: 2.6, 2.5, 2.4, 2.3, 2.2 and 2 more")
    assert refused[-1] == "  refused: 2 more"
    assert len(refused) == 6


def test_a_package_that_no_index_has(root: Path, index: Index) -> None:
    index.projects.clear()
    assert lines(root, index)[0] == "torch-example, PyPI: no such package"


def test_facts_that_stay_say_of_when_they_are(root: Path, index: Index) -> None:
    synced(root, index)
    index.answers["/simple/torch-example/"] = answering(500)
    assert lines(root, index)[0] == (
        f"torch-example, PyPI: not read: the server answered 500; the facts of {DAY} are kept"
    )
    assert list(releases(root)) == ["1.0"]


def test_a_change_under_a_version_is_told(root: Path, index: Index) -> None:
    synced(root, index)
    index.projects["torch-example"] = []
    index.add("torch-example", "1.0", X86, requires=["torch==1.10.0"])
    changed = lines(root, index)[-2]
    assert changed == "  1.0 changed: requires torch==1.9.1+cpu → torch==1.10.0"
    assert not any("changed" in line for line in lines(root, index))
