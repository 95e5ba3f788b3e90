"""A broken folder is set aside with its errors; the others stay as they are."""

from __future__ import annotations

from accelerator_portal.checks import load_and_check
from accelerator_portal.checks.quarantine import load_with_quarantine
from tests.day import TODAY
from tests.folders import ACCELERATOR, EXAMPLE, GUIDE, RELEASES, Tree, copied, edited


def with_copy(**files: str) -> dict[str, str]:
    """The example and a copy of it under another name; its files changed by name."""
    changed = {f"accelerators/other/{name.replace('_', '.')}": text for name, text in files.items()}
    return {**EXAMPLE, **copied("other"), **changed}


def test_nothing_is_set_aside_where_nothing_is_wrong(tree: Tree) -> None:
    catalog, problems = load_with_quarantine(tree(with_copy()), TODAY)
    assert catalog is not None
    assert (problems, catalog.set_aside) == ([], {})
    assert len(catalog.platforms) == 2


def test_what_cannot_be_read_and_what_breaks_a_rule_is_set_aside(tree: Tree) -> None:
    for name, text in (("guide_md", "no front matter"), ("install_yaml", "options: ")):
        root = tree(with_copy(**{name: text}))
        catalog, problems = load_with_quarantine(root, TODAY)
        assert catalog is not None
        assert problems == []
        assert [platform.id for platform in catalog.platforms] == ["example"]
        _, every = load_and_check(root, TODAY)
        assert catalog.set_aside == {"other": tuple(every)}


def test_a_folder_that_claims_the_name_of_another_sets_nobody_aside(tree: Tree) -> None:
    """The newcomer comes first in the order of ids; its pull request fails, the site does not."""
    newcomer = copied("aaa", (ACCELERATOR, "name: Other\n", "name: Example\n"))
    root = tree({**EXAMPLE, **newcomer})
    catalog, problems = load_with_quarantine(root, TODAY)
    assert catalog is not None
    assert sorted(catalog.by_id) == ["aaa", "example"]
    assert [(p.rule, p.level) for p in problems] == [("duplicate-names", "warning")]
    assert [p.level for p in load_and_check(root, TODAY)[1]] == ["error"]


def test_a_rule_that_compares_folders_looks_again_without_them(tree: Tree) -> None:
    """The copy claims the example's name, and its guide is broken: only it is set aside."""
    edits = (ACCELERATOR, "name: Other\n", "name: Example\n"), (GUIDE, "## Help", "## Halp")
    copy = copied("again", *edits)
    catalog, _ = load_with_quarantine(tree({**EXAMPLE, **copy}), TODAY)
    assert catalog is not None
    assert [platform.id for platform in catalog.platforms] == ["example"]


def test_errors_of_shared_data_leave_nothing_to_build(tree: Tree) -> None:
    catalog, problems = load_with_quarantine(tree({**EXAMPLE, RELEASES: "x: 1\n"}), TODAY)
    assert catalog is None
    assert problems


def test_an_exception_for_a_folder_that_is_set_aside_waits(tree: Tree) -> None:
    exception = (
        "exceptions:\n  - {rule: text-links, path: accelerators/example/guide.md, "
        "reason: Made up., expires: 2999-01-01}\n"
    )
    files = edited((ACCELERATOR, "vendor:", "vendr:"))
    root = tree({**files, "data/exceptions.yaml": exception})
    catalog, problems = load_with_quarantine(root, TODAY)
    assert catalog is not None
    assert list(catalog.set_aside) == ["example"]
    assert not [problem for problem in problems if problem.path == "data/exceptions.yaml"]
