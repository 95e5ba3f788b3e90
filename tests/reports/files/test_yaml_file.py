from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
import yaml

from accelerator_reports.files.yaml_file import MAX_NODES, YamlFile, parse_yaml

FAULTS: list[list[str]] = yaml.safe_load(
    Path(__file__).with_name("faults.yaml").read_text("utf-8")
)["yaml"]


def parsed(text: str) -> YamlFile:
    file, problems = parse_yaml("a.yaml", text)
    assert problems == []
    assert file is not None
    return file


def problems(text: str, first_line: int = 1) -> list[str]:
    return [str(problem) for problem in parse_yaml("a.yaml", text, first_line)[1]]


def test_every_key_and_item_knows_its_line() -> None:
    file = parsed("a: 1\nb:\n  - x\n  - {c: 2,\n     d: 3}\n")
    assert file.data == {"a": 1, "b": ["x", {"c": 2, "d": 3}]}
    assert file.lines == {
        (): 1,
        ("a",): 1,
        ("b",): 2,
        ("b", 0): 3,
        ("b", 1): 4,
        ("b", 1, "c"): 4,
        ("b", 1, "d"): 5,
    }


@pytest.mark.parametrize(
    ("location", "line"), [(("b", 0, "nowhere"), 3), (("nowhere",), 1), ((), 1), (("b", 7), 2)]
)
def test_what_was_not_written_has_the_line_of_what_is_around_it(
    location: tuple[str | int, ...], line: int
) -> None:
    assert parsed("a: 1\nb:\n  - x\n").line(location) == line


def test_a_file_without_lines_starts_at_one() -> None:
    assert YamlFile("a.yaml", {}).line(("a",)) == 1


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2.10", 2.1),
        ("2.10.0", "2.10.0"),
        ("no", False),
        ("2026-01-02", dt.date(2026, 1, 2)),
        ("", None),
        ("~", None),
        ("0o17", "0o17"),
        ("1_000", 1000),
        ('"2.10"', "2.10"),
    ],
)
def test_scalars_are_read_as_yaml_reads_them_and_the_written_text_is_kept(
    written: str, value: object
) -> None:
    file = parsed(f"a: {written}\n")
    assert file.data == {"a": value}
    assert file.written["a",] == written.strip('"')


@pytest.mark.parametrize("key", ["on", "no", "1.10", "null", "2026-01-02", "<<", "="])
def test_a_key_is_the_text_as_written(key: str) -> None:
    assert parsed(f"{key}: 1").data == {key: 1}


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case[0])
def test_what_is_wrong_is_named_with_its_line(case: list[str]) -> None:
    text, *expected = case
    assert problems(text) == [f"a.yaml:{problem}" for problem in expected]


TOO_LARGE = (
    "a.yaml:{}: the file is too deep or too large; "
    "use one document, at most 12 levels and 20,000 values"
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[" * 13 + "]" * 13, 1),
        ("\n".join(" " * depth + "a:" for depth in range(13)), 13),
        ("- x\n" * MAX_NODES, MAX_NODES),
        ("[" * 100_000, 1),
    ],
)
def test_a_file_that_is_too_deep_or_too_large_is_refused(text: str, line: int) -> None:
    assert problems(text) == [TOO_LARGE.format(line)]


def test_at_the_limits_a_file_is_read() -> None:
    assert parsed("[" * 12 + "]" * 12).data == [[[[[[[[[[[[]]]]]]]]]]]]
    assert parsed("- x\n" * (MAX_NODES - 1)).data == ["x"] * (MAX_NODES - 1)


def test_lines_count_from_where_the_text_stands_in_its_file() -> None:
    file, found = parse_yaml("a.md", "a: 1\na: 2\n", first_line=2)
    assert file is not None
    assert file.line(("a",)) == 2
    assert list(map(str, found)) == [
        'a.md:3: the key "a" is already used in line 2; remove one of the two'
    ]
    assert problems("\na: [", first_line=5)[0].startswith("a.yaml:6: not valid YAML")


def test_no_line_is_after_the_end_of_a_file_with_line_breaks_of_unicode() -> None:
    file = parsed('{"a": "\N{LINE SEPARATOR}\N{NEXT LINE}",\n "b": 1}')
    assert file.line(("b",)) == 2


@pytest.mark.parametrize("text", ['a: {b: "what?"}\n', "a: what?\n", "- a?\n- {b: 'c?'}\n"])
def test_a_question_mark_elsewhere_is_read_by_every_parser(text: str) -> None:
    assert problems(text) == []
    assert yaml.load(text, Loader=yaml.SafeLoader)
