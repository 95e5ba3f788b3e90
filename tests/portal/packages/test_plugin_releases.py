"""What the metadata of a release proves of a row; the facts are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.files.package_file import ReleaseFacts
from accelerator_portal.packages.plugin_releases import (
    RowProposal,
    VendorAnswers,
    final_plugin_releases,
    new_releases,
    proposal,
)
from tests.folders import COMPATIBILITY, REPOSITORY, Tree, edited, loaded
from tests.portal.packages.made_up import ARM, PLUGINS, X86, release, with_facts

NO_ANSWERS = VendorAnswers()
PATTERN = f"version_pattern: {{same: minor, source: made-up}}\n{PLUGINS[COMPATIBILITY]}"


def new(catalog: Catalog, *facts: ReleaseFacts) -> list[str]:
    catalog = with_facts(catalog, facts)
    return [r.facts.version for r in new_releases(catalog, catalog.platforms[0])]


def proposed(
    catalog: Catalog, facts: ReleaseFacts, answers: VendorAnswers = NO_ANSWERS
) -> RowProposal:
    catalog = with_facts(catalog, [facts])
    platform = catalog.platforms[0]
    return proposal(catalog, platform, final_plugin_releases(catalog, platform)[0], answers)


def test_new_is_what_no_row_lists_unless_it_is_older_than_all_of_them(plugins: Catalog) -> None:
    facts = [
        release("1.11.0rc1", "torch==1.11.0"),
        release("1.10.1", "torch==1.10.0"),
        release("1.10.0.post1", "torch==1.10.0", yanked="broken"),
        release("1.10.0", "torch==1.10.0"),
        release("1.9.1.post1", "torch==1.9.1"),
        release("1.9.1", "torch==1.9.1"),
        release("1.8.0", "torch==1.8.0"),
    ]
    assert new(plugins, *facts) == ["1.10.1", "1.9.1.post1"]


def test_where_no_row_names_a_plugin_the_newest_release_is_new(tree: Tree) -> None:
    catalog = loaded(tree(edited((COMPATIBILITY, ', plugin: "1.9.1"', ""), files=edited(
        (COMPATIBILITY, ', plugin: "1.10.0"', ""), files=PLUGINS))))  # fmt: skip
    assert new(catalog, release("1.10.0", ""), release("1.9.1", "")) == ["1.10.0"]


def test_an_index_that_was_never_read_has_nothing_new(plugins: Catalog) -> None:
    assert new_releases(plugins, plugins.platforms[0]) == ()


@pytest.mark.parametrize(
    ("required", "torch"),
    [
        ("torch==1.10.0", "1.10.0"),
        ("torch==1.10.0+cpu", "1.10.0"),
        ("torch==1.11.0", "1.11.0"),
        ("torch==1.11.0.*", "1.11.0"),
        ("torch===1.11.0+ex2", "1.11.0"),
        ("torch===1.11.0ours", None),
        ("torch>=1.9,<1.10", "1.9.1"),
        ("torch~=1.9", "1.10.0"),
        ("torch<1.0", None),
        ("torch", None),
        ("", None),
    ],
)
def test_the_requirement_proves_the_torch_release(
    plugins: Catalog, required: str, torch: str | None
) -> None:
    found = proposed(plugins, release("1.11.0", required))
    assert found.evidence.torch == torch
    assert (found.row.torch if found.row else None) == torch


def test_two_requirements_for_two_releases_leave_what_both_admit(plugins: Catalog) -> None:
    requires = {X86: ["torch==1.10.0"], ARM: ["torch==1.9.1"]}
    assert proposed(plugins, release("1.11.0", requires)).row is None
    requires = {X86: ["torch==1.10.0+cpu"], ARM: ["torch==1.10.0"]}
    found = proposed(plugins, release("1.11.0", requires))
    assert (found.row.torch if found.row else None) == "1.10.0"


def test_a_range_is_quoted_in_the_note(plugins: Catalog) -> None:
    row = proposed(plugins, release("1.11.0", "torch>=1.9")).row
    assert row
    assert (
        row.note
        == 'The metadata requires "torch>=1.9". 1.10.0 is the newest PyTorch release that fits.'
    )


@pytest.mark.parametrize(
    ("version", "torch"), [("1.9.5", "1.9.1"), ("1.10.0", "1.10.0"), ("1.12.0", None)]
)
def test_a_declared_pattern_names_torch_where_the_metadata_does_not(
    tree: Tree, version: str, torch: str | None
) -> None:
    catalog = loaded(tree({**PLUGINS, COMPATIBILITY: PATTERN}))
    found = proposed(catalog, release(version, ""))
    assert (found.row.torch if found.row else None) == torch
    if found.row:
        assert found.row.source == ("package", "made-up")


def test_pythons_are_those_that_every_system_and_torch_have(plugins: Catalog) -> None:
    wheels = {X86: "cp311 cp312 cp313 cp313t", ARM: "cp312 cp313t"}
    found = proposed(plugins, release("1.11.0", "torch==1.10.0", wheels=wheels))
    assert found.systems == ("Linux x86_64", "Linux aarch64")
    assert found.row
    assert found.row.python == ("3.12", "3.13t")
    assert found.row.note == (
        "For Python 3.11 there are wheels for Linux x86_64 only. "
        "For Python 3.13 there are wheels for Linux x86_64 only."
    )


def test_the_python_range_of_the_release_counts(plugins: Catalog) -> None:
    wheels = {"any": "py3"}
    found = proposed(plugins, release("1.11.0", "torch==1.10.0", wheels=wheels, python=">=3.13"))
    assert found.systems == ("any system",)
    assert found.row
    assert found.row.python == ("3.13", "3.13t")


def test_what_metadata_cannot_state_is_asked_for_by_name(tree: Tree) -> None:
    more = (
        'plugin: "1.10.0", needs: {SDK: "9.1", Made-Up: "2"}, includes: {Runtime: "3"}, '
        "lifecycle: {status: fresh},"
    )
    catalog = loaded(tree(edited((COMPATIBILITY, 'plugin: "1.10.0",', more), files=PLUGINS)))
    facts = release("1.11.0", {"*": ["torch==1.10.0", "made_up===2.1"]}, wheels={}, sdist=True)
    found = proposed(catalog, facts)
    assert found.row
    assert found.row.needs == {"Made-Up": "2.1"}
    assert [question.name for question in found.questions] == [
        "Python versions", "SDK version", "Runtime version", "variant", "lifecycle status",
    ]  # fmt: skip
    assert found.questions[1].example == 'needs: {"SDK": "9.1"}'


def test_answers_stand_in_the_row_with_their_sources(tree: Tree) -> None:
    more = 'plugin: "1.10.0", needs: {SDK: "9.1"},'
    catalog = loaded(tree(edited((COMPATIBILITY, 'plugin: "1.10.0",', more), files=PLUGINS)))
    answers = VendorAnswers("1.9.1", {"SDK": "9.2"}, variant="ex2", sources=("made-up",))
    found = proposed(catalog, release("1.11.0", ""), answers)
    assert found.row
    assert (found.row.torch, found.row.needs, found.row.variant) == ("1.9.1", {"SDK": "9.2"}, "ex2")
    assert found.row.source == ("package", "made-up")
    assert [question.name for question in found.questions] == ["lifecycle status"]


def test_metadata_counts_more_than_an_answer(plugins: Catalog) -> None:
    found = proposed(plugins, release("1.11.0", "torch==1.10.0"), VendorAnswers("1.9.1"))
    assert found.row
    assert found.row.torch == "1.10.0"


def test_every_row_of_this_repository_follows_from_the_metadata_of_its_release() -> None:
    """Rows that people wrote, proposed again: the same torch, and no other Python.

    Another package may exclude a Python that the wheel's metadata allows.
    """
    catalog, _ = load_catalog(REPOSITORY)
    assert catalog
    compared = 0
    for platform in catalog.platforms:
        rows = {row.plugin: row for row in platform.compatibility.rows if row.plugin}
        several = len(rows) != len([row for row in platform.compatibility.rows if row.plugin])
        for found in () if several else final_plugin_releases(catalog, platform):
            written, made = rows.get(found.facts.version), proposal(catalog, platform, found).row
            if written and made:
                compared += 1
                assert made.torch == written.torch, found.name
                assert set(written.python or ()) <= set(made.python or ()), found.name
    assert compared > 50


@given(st.text(max_size=40), st.text(max_size=30))
def test_whatever_metadata_says_there_is_a_row_or_a_question(
    catalog: Catalog, required: str, python: str
) -> None:
    platform = next(platform for platform in catalog.platforms if platform.id == "furiosa")
    known = final_plugin_releases(catalog, platform)[0]
    facts = known.facts.model_copy(
        update={"requires": {"*": (f"torch{required}",)}, "python": python or None}
    )
    found = proposal(catalog, platform, replace(known, facts=facts))
    names = [question.name for question in found.questions]
    assert ("torch version" in names) == (found.row is None)
