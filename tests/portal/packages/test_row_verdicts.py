"""From rows to verdicts, with made-up answers instead of indexes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import InstallRow, PipCall
from accelerator_portal.packages.uv_resolution import (
    ResolutionQuestion,
    ResolutionResult,
    distinct_questions,
    questions_of_row,
)
from accelerator_portal.packages.verdict_file import (
    Trial,
    Verdict,
    read_verdicts,
    verdict_row_key,
    verdicts_text,
    write_verdicts,
)
from accelerator_portal.packages.verification import resolve_questions, verdicts_of_rows
from accelerator_reports.files.problem import ProblemsError
from tests.folders import ACCELERATOR, COMPATIBILITY, EXAMPLE, Edit, Tree, edited, loaded

DAY = dt.date(2026, 6, 1)
EARLIER = dt.date(2026, 5, 1)
PLUGIN: tuple[Edit, ...] = (
    (ACCELERATOR, "value: in-tree", "value: out-of-tree"),
    (COMPATIBILITY, '"1.10.0", variant: ex2', '"1.10.0", plugin: "1.10.0", variant: ex2'),
)


@pytest.fixture
def catalog(tree: Tree) -> Catalog:
    return loaded(tree(EXAMPLE))


def rows_of(catalog: Catalog) -> list[InstallRow]:
    return [row for row in expand(catalog)[0] if row.method in {"pip", "uv"}]


def verdict_for(
    catalog: Catalog, answer: ResolutionResult, before: Verdict | None = None
) -> tuple[InstallRow, Verdict]:
    """What becomes of the first row's newest Python."""
    row = rows_of(catalog)[0]
    python = (row.pythons or ())[0]
    (platform,) = catalog.platforms
    known = {verdict_row_key(row): {python: before}} if before else {}
    answers = dict.fromkeys(questions_of_row(row).values(), answer)
    return row, verdicts_of_rows(platform, [row], answers, known, DAY)[verdict_row_key(row)][python]


def test_each_python_is_a_question_and_equal_ones_are_asked_once(catalog: Catalog) -> None:
    rows = rows_of(catalog)
    asked = distinct_questions(rows)
    assert len(asked) == len(set(asked))
    assert {q for row in rows for q in questions_of_row(row).values()} == set(asked)
    one = rows[0]
    assert set(questions_of_row(one)) == set(one.pythons or ())


def test_pip_and_uv_differ_only_where_there_are_two_indexes(catalog: Catalog) -> None:
    row = rows_of(catalog)[0]
    pip, uv = replace(row, method="pip"), replace(row, method="uv")
    assert questions_of_row(pip) == questions_of_row(uv)
    two = (PipCall(("torch",), extra_index="https://example.org/"),)
    pip, uv = replace(pip, calls=two), replace(uv, calls=two)
    assert questions_of_row(pip) != questions_of_row(uv)


@pytest.mark.parametrize("method", ["docker", "source", "libtorch"])
def test_other_methods_ask_no_index(method: str, catalog: Catalog) -> None:
    row = replace(rows_of(catalog)[0], method=method)  # type: ignore[arg-type]
    assert questions_of_row(row) == {}


def test_what_was_known_stays_where_an_index_does_not_answer(catalog: Catalog) -> None:
    before = Verdict(kind="found", on=EARLIER, found={"torch": "1.10.0"})
    silent = ResolutionResult("unchecked", why="an index did not respond")
    assert verdict_for(catalog, silent, before)[1] == before
    unknown = Verdict(kind="unchecked", on=EARLIER, why="before")
    assert verdict_for(catalog, silent, unknown)[1].on == DAY
    gone = ResolutionResult("none", why="there is no version of it")
    assert verdict_for(catalog, gone, before)[1].kind == "none"


def test_a_package_older_than_all_of_the_vendors_is_another_one(tree: Tree) -> None:
    catalog = loaded(tree(edited(*PLUGIN)))
    found = ResolutionResult("found", {"torch": "1.10.0", "torch-example": "1.0"})
    verdict = verdict_for(catalog, found)[1]
    assert verdict.kind == "none"
    assert verdict.why == (
        "the index has torch-example 1.0, older than every version that the vendor names: "
        "another package of that name."
    )
    newer = ResolutionResult("found", {"torch": "1.10.0", "torch-example": "1.11"})
    assert verdict_for(catalog, newer)[1].kind == "found"


def test_questions_are_asked_side_by_side_and_counted(catalog: Catalog) -> None:
    asked = distinct_questions(rows_of(catalog))
    counted: list[None] = []
    found = resolve_questions(
        asked, lambda _: ResolutionResult("found"), 4, lambda: counted.append(None)
    )
    assert set(found) == set(asked)
    assert len(counted) == len(asked)


def test_an_interruption_is_passed_on(catalog: Catalog) -> None:
    def interrupted(_: ResolutionQuestion) -> ResolutionResult:
        raise KeyboardInterrupt

    nothing: Callable[[], None] = lambda: None  # noqa: E731 - shorter than a function
    with pytest.raises(KeyboardInterrupt):
        resolve_questions(distinct_questions(rows_of(catalog)), interrupted, 2, nothing)


def test_verdicts_come_back_from_their_file(catalog: Catalog, tmp_path: Path) -> None:
    (platform,) = catalog.platforms
    rows = rows_of(catalog)
    answers = {
        question: ResolutionResult("found", {"torch": "1.10.0"})
        if n % 2
        else ResolutionResult("none", why="made up")
        for n, question in enumerate(distinct_questions(rows))
    }
    found = verdicts_of_rows(platform, rows, answers, {}, DAY)
    write_verdicts(tmp_path, "example", found)
    assert read_verdicts(tmp_path, "example") == found
    assert verdicts_text(found) == verdicts_text(dict(reversed(list(found.items()))))


@pytest.mark.parametrize("text", ["", "{}", '{"schema_version": 1, "verdicts": [], "rows": [1]}'])
def test_what_is_no_file_of_verdicts_is_named(text: str, tmp_path: Path) -> None:
    place = tmp_path / "data/verdicts/example.json"
    place.parent.mkdir(parents=True)
    place.write_text(text, "utf-8")
    with pytest.raises(
        ProblemsError, match=r"example.json:1: this is not a valid verdict file; delete"
    ):
        read_verdicts(tmp_path, "example")


def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    assert read_verdicts(tmp_path, "example") == {}


def test_a_trial_stays_as_long_as_the_same_versions_are_found(catalog: Catalog) -> None:
    trial = Trial(on=EARLIER, python="3.11.7", imported=("torch",))
    before = Verdict(kind="found", on=EARLIER, found={"torch": "1.10.0"}, trial=trial)
    same = ResolutionResult("found", {"torch": "1.10.0"})
    assert verdict_for(catalog, same, before)[1].trial == trial
    newer = ResolutionResult("found", {"torch": "1.10.1"})
    assert verdict_for(catalog, newer, before)[1].trial is None
