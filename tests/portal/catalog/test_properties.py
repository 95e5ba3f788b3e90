"""Whatever a file holds, reading it ends in data or in problems that point into the file."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from accelerator_portal.catalog.markdown_file import parse_markdown
from accelerator_portal.checks import load_and_check
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.text_file import read_text
from accelerator_reports.files.yaml_file import parse_yaml
from tests.day import TODAY
from tests.folders import EXAMPLE, FAQ, INSTALL, REPOSITORY, real_files, write_tree

PLATFORMS = sorted(p.name for p in (REPOSITORY / "accelerators").iterdir())

# fmt: off
YAML_PIECES = st.sampled_from([
    "a: ", "- ", "[", "]", "{", "}", ", ", ": ", "? ", "\n", "\n  ", "\n    - ", "x", "'", '"',
    "&a ", "*a", "!!str ", "!x ", "<<: *a", "|\n", ">-\n  ", "#", "---\n", "...\n", "%YAML 1.1\n",
    "2.10", "1:30", "0x_", "=", "~", "no", "2026-13-01", "1e999", "\\x", "\t", "\ufeff", "😀",
])
MARKDOWN_PIECES = st.sampled_from([
    "## A\n", "# A\n", "A\n---\n", "\n", "- ", "> ", "```\n", "<b>", "<!--", "[@a]", "[@", "]",
    "[x](http://y)", "![x](y)", "| a |\n|-|\n", "    ", "`", "*", "_", "\\", "&amp;", "text", "\t",
])
# fmt: on
FRONT = (
    "---\nsources: {a: {url: https://example.org, title: Example data, read: 2026-01-02}}\n---\n"
)


def in_file(problems: list[Problem], text: str) -> bool:
    return all(1 <= problem.line <= text.count("\n") + 1 for problem in problems)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@given(data=st.binary(max_size=200) | st.text().map(str.encode))
def test_any_bytes_give_text_or_a_problem(data: bytes, folder: Path) -> None:
    (folder / "a").write_bytes(data)
    text = read_text(folder, "a")
    if isinstance(text, Problem):
        assert 1 <= text.line <= data.count(b"\n") + data.count(b"\r") + 1
        return
    assert text.strip()
    for parse in (parse_yaml, parse_markdown):
        file, problems = parse("a", text)
        assert file is not None or problems
        assert in_file(problems, text)


@given(text=st.lists(YAML_PIECES, max_size=25).map("".join))
def test_any_yaml_gives_data_or_problems(text: str) -> None:
    file, problems = parse_yaml("a", text)
    assert file is not None or problems
    assert in_file(problems, text)
    if file is not None:
        assert all(1 <= line <= text.count("\n") + 1 for line in file.lines.values())


@given(text=st.lists(MARKDOWN_PIECES, max_size=25).map("".join))
def test_any_markdown_gives_sections_or_problems(text: str) -> None:
    whole = FRONT + text
    file, problems = parse_markdown("a", whole)
    assert file is not None
    assert in_file(problems, whole)
    lines = whole.split("\n")
    for section in file.sections:
        start = section.text.split("\n")[0]
        assert not start or lines[section.text_line - 1].rstrip() == start.rstrip()


@given(body=st.lists(MARKDOWN_PIECES, max_size=25).map("".join))
def test_raw_html_is_found_where_a_full_parse_finds_it(body: str) -> None:
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(body)
    kinds = {child.type for token in tokens for child in (token, *(token.children or ()))}
    _, problems = parse_markdown("a", FRONT + body)
    found = "raw HTML is not allowed" in {problem.what for problem in problems}
    assert found == bool(kinds & {"html_block", "html_inline"})


def _garble(line: str, pick: random.Random) -> list[str]:
    place = pick.randrange(len(line) + 1)
    noise = pick.choice(
        ["", ":", " ", "[", '"', "- ", "x: ", "\t", "{a: b}", "é", "#", "null", "&a "]
    )
    return [line[:place] + noise + line[place + pick.randrange(4) :]]


MUTATIONS: list[Callable[[str, random.Random], list[str]]] = [
    lambda _line, _pick: [],
    lambda line, _pick: [line, line],
    lambda line, _pick: [f"  {line}"],
    lambda line, _pick: [line.split(":")[0] + ":"],
    lambda line, _pick: [line.split("{")[0] + " 7"],
    _garble,
    _garble,
]


def mutated(text: str, pick: random.Random) -> str:
    """Delete, double, indent, empty or garble a few lines."""
    lines = text.split("\n")
    for _ in range(pick.randint(1, 3)):
        place = pick.randrange(len(lines))
        lines[place : place + 1] = pick.choice(MUTATIONS)(lines[place], pick)
    return "\n".join(lines)


@settings(max_examples=40)
@given(platform=st.sampled_from(PLATFORMS), pick=st.randoms(use_true_random=False))
def test_a_spoilt_copy_of_a_real_folder_gives_problems_that_point_into_it(
    platform: str, pick: random.Random, folder: Path
) -> None:
    files = real_files(platform)
    spoilt = pick.choice([path for path in sorted(files) if path != "data/releases.yaml"])
    files[spoilt] = mutated(files[spoilt], pick)
    check(files, folder / platform)


@pytest.mark.parametrize("seed", range(10))
def test_so_do_spoilt_releases(seed: int, tmp_path: Path) -> None:
    files = real_files("mps")
    files["data/releases.yaml"] = mutated(files["data/releases.yaml"], random.Random(seed))  # noqa: S311
    check(files, tmp_path)


def check(files: dict[str, str], root: Path) -> None:
    _, problems = load_and_check(write_tree(root, files), TODAY)
    for problem in problems:
        assert problem.path in files
        assert in_file([problem], files[problem.path])
        assert "\n" not in str(problem)


@pytest.mark.parametrize("path", [INSTALL, FAQ])
def test_a_problem_never_hides_another_files(path: str, tmp_path: Path) -> None:
    """Each file on its own, and both together."""
    broken = {"data/selector.yaml": "start: 1\n", path: "broken"}
    found = []
    for number, change in enumerate([*({p: t} for p, t in broken.items()), broken]):
        root = write_tree(tmp_path / str(number), {**EXAMPLE, **change})
        _, problems = load_and_check(root, TODAY)
        found.append({problem for problem in problems if problem.path in broken})
    assert found[2] == found[0] | found[1]
