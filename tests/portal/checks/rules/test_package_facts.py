from __future__ import annotations

from dataclasses import replace

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import IndexFacts, PackageFacts, ReleaseFacts
from accelerator_portal.checks.rules.facts import package_facts
from tests.day import TODAY
from tests.folders import COMPATIBILITY, INSTALL, RELEASES, Tree, edited, loaded
from tests.portal.packages.made_up import ARM, PACKAGE, PLUGINS, X86, release, with_facts

PYPI = "PyPI, read 2026-03-01"
SAYS = f"{PYPI} (data/packages/{PACKAGE}.json:7)"
FITTING = [release("1.10.0", "torch==1.10.0"), release("1.9.1", "torch==1.9.1")]
REMEDY = "correct the value, or add a note that explains why both are correct"


@pytest.fixture
def plugins(tree: Tree) -> Catalog:
    return loaded(tree(PLUGINS))


def found(catalog: Catalog) -> list[str]:
    return [f"{p.path}:{p.line}: {p.what}" for p in package_facts.check(catalog, TODAY)]


def test_what_agrees_is_silent(plugins: Catalog) -> None:
    assert found(plugins) == []
    assert found(with_facts(plugins, FITTING)) == []


def test_a_row_with_a_plugin_that_is_not_there(plugins: Catalog) -> None:
    newer = [release("1.10.1", "torch==1.10.0"), *FITTING[1:]]
    assert found(with_facts(plugins, newer)) == [
        f'{COMPATIBILITY}:7: this entry lists plugin "1.10.0", but {PYPI}, has no {PACKAGE} 1.10.0'
    ]


def test_what_is_too_old_to_be_kept_may_well_be_there(plugins: Catalog) -> None:
    assert found(with_facts(plugins, FITTING[:1])) == []


def test_a_row_whose_plugin_requires_another_torch(plugins: Catalog) -> None:
    other = [release("1.10.0", "torch==1.11.0+cpu"), FITTING[1]]
    assert found(with_facts(plugins, other)) == [
        (
            f'{COMPATIBILITY}:7: this entry lists plugin 1.10.0 for torch "1.10.0", '
            f'but {SAYS}, says that it requires "torch==1.11.0+cpu"'
        )
    ]


def test_another_build_of_the_same_torch_is_no_contradiction(plugins: Catalog) -> None:
    requires = {X86: ["torch==1.10.0+cpu"], ARM: ["torch==1.10.0"]}
    assert found(with_facts(plugins, [release("1.10.0", requires=requires), FITTING[1]])) == []


def test_a_row_with_a_plugin_that_was_withdrawn(plugins: Catalog) -> None:
    (problem,) = found(with_facts(plugins, [release("1.10.0", yanked="No."), FITTING[1]]))
    assert problem.endswith("withdrew it: No.")


def test_a_row_with_a_python_that_has_no_wheel(tree: Tree) -> None:
    edit = (COMPATIBILITY, 'plugin: "1.10.0"', 'plugin: "1.10.0", python: ["3.12", "3.13t"]')
    catalog = loaded(tree(edited(edit, files=PLUGINS)))
    assert found(with_facts(catalog, FITTING)) == [
        (
            f'{COMPATIBILITY}:7: this entry lists Python "3.13t" for plugin 1.10.0, '
            f"but {SAYS}, has wheels only for cp312 cp313"
        )
    ]
    with_source = [release("1.10.0", "torch==1.10.0", sdist=True), FITTING[1]]
    assert found(with_facts(catalog, with_source)) == []


OPTION = (INSTALL, '"torch=={torch}"], index: "{index}"', f'"{PACKAGE}==1.9.1"]')


def test_an_option_for_a_system_without_a_wheel(tree: Tree) -> None:
    catalog = loaded(tree(edited(OPTION, files=PLUGINS)))
    says = f"but {PYPI} (data/packages/{PACKAGE}.json:8)"
    wheels = "has wheels only for cp312 cp313"
    offers = f"{INSTALL}:24: the option offers {PACKAGE} 1.9.1 on"
    assert found(with_facts(catalog, FITTING)) == [
        f"{offers} linux x86_64 with Python 3.13t, {says}, {wheels}",
        f"{offers} linux aarch64, {says}, has no wheel for it",
        f"{offers} windows x86_64, {says}, has no wheel for it",
        f"{offers} linux x86_64 with Python 3.11, {says}, {wheels}",
    ]


@pytest.mark.parametrize("pin", ["==1.9.5", "===1.9.5"])
def test_an_option_with_a_version_that_is_not_there(tree: Tree, pin: str) -> None:
    catalog = loaded(tree(edited((*OPTION[:2], f'"{PACKAGE}{pin}"]'), files=PLUGINS)))
    assert found(with_facts(catalog, FITTING)) == [
        f'{INSTALL}:24: the option installs "{PACKAGE}{pin}", but {PYPI}, has no {PACKAGE} 1.9.5'
    ]


def test_releases_beside_what_pypi_has(plugins: Catalog) -> None:
    """In which words: tests/portal/packages/test_torch_contradictions.py."""
    torch = ReleaseFacts(version="1.10.0", wheels={X86: "cp312 cp313", ARM: "cp312 cp313 cp313t"})
    facts = PackageFacts(package="torch", indexes=(IndexFacts(index="pypi", releases=(torch,)),))
    (problem,) = found(replace(plugins, packages={"torch": facts}))
    assert problem.startswith(f"{RELEASES}:")
    assert "for Python 3.13t, but PyPI" in problem


def test_it_only_reminds_and_says_what_would_be_right(plugins: Catalog) -> None:
    assert package_facts.level == "warning"
    wrong = with_facts(plugins, [release("1.10.0", "torch==2"), FITTING[1]])
    assert {problem.remedy for problem in package_facts.check(wrong, TODAY)} == {REMEDY}
