from __future__ import annotations

import json
from pathlib import Path

import pytest
from coverage import CoverageData

from tests.folders import write_tree
from tools.mutants.edits import Place
from tools.mutants.mutant import Change, Mutant
from tools.mutants.recorder import FIXTURE_PREFIX
from tools.mutants.recording import RecordedTest, Recording, exclude_test, read_recording
from tools.mutants.selection import select_tests
from tools.mutants.workspace import State

FACTS = "src/accelerator_portal/catalog/facts.py"
PAGE = "src/accelerator_portal/site/site_file.py"
FILES = {
    FACTS: "LIMIT = 3\n\n\ndef small(a):\n    return a < LIMIT\n",
    PAGE: "from accelerator_portal.catalog.facts import LIMIT\n\n\ndef page():\n    return LIMIT\n",
}
TESTS = (
    RecordedTest("tests/portal/catalog/test_loader.py::test_all", 0.5),
    RecordedTest("tests/portal/catalog/test_facts.py::test_small[1]", 0.2),
    RecordedTest("tests/portal/catalog/test_facts.py::test_small[2]", 0.1),
    RecordedTest("tests/portal/catalog/test_facts.py::test_large", 0.9),
    RecordedTest("tests/portal/site/test_links.py::test_links", 0.1, ("site",)),
    RecordedTest("tests/portal/site/test_page.py::test_page", 3.0),
    RecordedTest("tests/portal/site/test_pages.py::test_pages", 70.0),
)
LOADER, SMALL, OTHER_SMALL, LARGE, LINKS, ON_PAGE, ON_PAGES = (test.id for test in TESTS)
# Which lines ran where, below the roots of the copies that were recorded.
RAN: dict[str, dict[str, list[int]]] = {
    "": {FACTS: [1, 4], PAGE: [1, 4]},
    LOADER: {FACTS: [5]},
    SMALL: {FACTS: [5]},
    OTHER_SMALL: {FACTS: [5]},
    f"{FIXTURE_PREFIX}site": {FACTS: [5]},
    ON_PAGE: {PAGE: [5]},
    ON_PAGES: {PAGE: [5]},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "root", FILES)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    data = CoverageData(basename=str(tmp_path / "coverage"))
    for copy, (context, lines) in enumerate(RAN.items()):
        data.set_context(context)
        data.add_lines({f"/copy-{copy // 2}/{path}": found for path, found in lines.items()})
    return Recording({test.id: test for test in TESTS}, {"site": 20.0}, (), data)


def mutant(path: str, function: str, line: int) -> Mutant:
    return Mutant(Change(path, function, "", ""), line, Place(function, (), line, line), "")


def test_a_statement_is_tried_with_the_tests_that_run_it(root: Path, recording: Recording) -> None:
    """One case of each test function first, a module's own tests before others, the site last."""
    found = select_tests(root, recording, mutant(FACTS, "small", 5))
    assert found.tests == (SMALL, LOADER, OTHER_SMALL, LINKS)
    assert found.seconds == pytest.approx(0.8 + 20.1)


def test_a_sentence_of_a_table_counts_as_a_function() -> None:
    ids = ("a.py::t[rule: one: x: y]", "a.py::t[rule: one: second]", "a.py::t[rule: two: first]")
    one, again, two = (RecordedTest(name, 0.1).function for name in ids)
    assert one == again != two
    assert RecordedTest("a.py::t[raw HTML: plain]", 0.1).function == "a.py::t"


def test_what_runs_at_import_is_tried_where_its_module_is_used(
    root: Path, recording: Recording
) -> None:
    found = select_tests(root, recording, mutant(FACTS, "", 1))
    assert found.tests == (SMALL, LOADER, ON_PAGE, OTHER_SMALL, LINKS)
    assert found.left_out == 1


def test_one_test_always_runs_however_long_it_takes(root: Path, recording: Recording) -> None:
    only = Recording({ON_PAGES: TESTS[-1]}, {}, (), recording.lines)
    assert select_tests(root, only, mutant(PAGE, "page", 5)).tests == (ON_PAGES,)


def test_a_test_whose_file_was_removed_is_not_chosen(tmp_path: Path) -> None:
    facts = {"seconds": 0.1, "fixtures": []}
    recorded = {"tests/test_a.py::f": facts, "tests/test_b.py::g": facts}
    content = {"tests": recorded, "fixtures": {}, "failed": ["tests/test_a.py::h"]}
    (tmp_path / "tests.json").write_text(json.dumps(content), "utf-8")
    found = read_recording(tmp_path, State("package", {"tests/test_b.py": "1"}))
    assert ([*found.tests], found.failed) == (["tests/test_b.py::g"], ())


def test_a_test_that_fails_without_a_mutant_is_not_chosen_again(tmp_path: Path) -> None:
    recorded = {"tests/test_a.py::f": {"seconds": 0.1, "fixtures": []}}
    content = {"tests": recorded, "fixtures": {}, "failed": []}
    (tmp_path / "tests.json").write_text(json.dumps(content), "utf-8")
    exclude_test(tmp_path, "tests/test_a.py::f")
    found = read_recording(tmp_path, State("package", {"tests/test_a.py": "1"}))
    assert (found.tests, found.failed) == ({}, ("tests/test_a.py::f",))


def test_what_no_test_runs_has_none(root: Path, recording: Recording) -> None:
    assert select_tests(root, recording, mutant(FACTS, "small", 9)).tests == ()
