"""Each hostile folder is refused in words that name its file and line, soon, or does nothing."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from accelerator_portal.checks import errors, load_and_check
from accelerator_portal.install.expand import MAX_ROWS
from accelerator_portal.site.vendor_text import render_vendor_text
from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.files.problem import MAX_TEXT_LENGTH, Problem, ProblemsError
from accelerator_reports.formats.format_list import READERS
from tests.day import TODAY
from tests.folders import ACCELERATOR, EXAMPLE, GUIDE, INSTALL, Tree, edited, write_tree
from tests.hostile import fields, folders, formats, large, markdown, reports, yaml_files
from tests.problem_tables import Case, cases
from tests.processor_time import takes_less_than

# Ten times what the slowest takes.
SECONDS = 10

MEMORY = 1024**3

REPORT = "accelerators/example/results/run.json"
VENDOR = "vendor: Example Vendor\n"


@pytest.fixture(scope="module", autouse=True)
def _memory() -> Iterator[None]:
    """All of them together fit into a gigabyte."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) * 1024 < MEMORY


def looked_at(root: Path) -> list[Problem]:
    """What is wrong in a repository; whatever it is, it is told soon, each in one line."""
    with takes_less_than(SECONDS):
        _, problems = load_and_check(root, TODAY)
    for problem in problems:
        text = str(problem)
        assert text.isprintable(), text
        assert len(text) < 3 * MAX_TEXT_LENGTH
        assert problem.path.startswith(("accelerators/", "data/")), text
        assert problem.line >= 1
    last = {problem.path: problem.line for problem in problems if problem.line > 1}
    for path, line in last.items():
        assert line <= (root / path).read_bytes().count(b"\n") + 1
    return errors(problems)


def assert_said(problems: list[Problem], path: str, words: str) -> None:
    said = [str(problem) for problem in problems if problem.path == path]
    assert any(words in text for text in said), said or problems


@pytest.mark.parametrize("case", yaml_files.LINES)
def test_a_line_of_yaml_is_refused(case: str, tree: Tree) -> None:
    text, words = yaml_files.LINES[case]
    root = tree({**EXAMPLE, ACCELERATOR: EXAMPLE[ACCELERATOR].replace(VENDOR, f"{text}\n")})
    assert_said(looked_at(root), ACCELERATOR, words)


@pytest.mark.parametrize("case", yaml_files.FILES)
def test_a_file_of_yaml_is_refused(case: str, tree: Tree) -> None:
    content, words = yaml_files.FILES[case]
    assert_said(looked_at(tree({**EXAMPLE, ACCELERATOR: content})), ACCELERATOR, words)


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("fields.yaml")))
def test_a_value_is_refused(case: Case, tree: Tree) -> None:
    case.assert_said([str(problem) for problem in looked_at(tree(case.files))])


@pytest.mark.parametrize("case", fields.LONG)
def test_a_value_that_is_too_long_is_refused(case: str, tree: Tree) -> None:
    path, old, new, words = fields.LONG[case]
    assert_said(looked_at(tree(edited((path, old, new)))), path, words)


@pytest.mark.parametrize("case", markdown.REFUSED)
def test_a_text_is_refused(case: str, tree: Tree) -> None:
    text, words = markdown.REFUSED[case]
    files = edited((GUIDE, "This is example data [@made-up].", f"x\n\n{text}\n\nx [@made-up]."))
    assert_said(looked_at(tree(files)), GUIDE, words)


@pytest.mark.parametrize("case", reports.REFUSED)
def test_a_report_is_refused(case: str, tree: Tree) -> None:
    content, words = reports.REFUSED[case]
    assert_said(looked_at(tree({**EXAMPLE, REPORT: content})), REPORT, words)


def test_the_report_that_all_others_are_made_of_is_good(tree: Tree) -> None:
    good = json.dumps(reports.GOOD)
    assert looked_at(tree({**EXAMPLE, REPORT: good})) == []


@pytest.mark.parametrize("case", folders.CASES)
def test_a_folder_is_refused_or_nobodys_business(case: str, tree: Tree) -> None:
    make, words = folders.CASES[case]
    root = tree(EXAMPLE)
    make(root)
    problems = looked_at(root)
    if words:
        assert any(words in str(problem) for problem in problems), problems
    elif problems:  # what is read of a link depends on the machine
        assert case.startswith("a link"), problems


@pytest.mark.parametrize("case", formats.CASES)
def test_a_file_of_another_format_is_refused_or_mere_text(case: str, tmp_path: Path) -> None:
    name, content, words = formats.CASES[case]
    file = tmp_path / "inductor_huggingface_float32_inference_cuda_accuracy.csv"
    file.write_bytes(content)
    with takes_less_than(SECONDS):
        try:
            said = repr(READERS[name](file, ImportOptions(suite="made-up")))
            problems: tuple[Problem, ...] = ()
        except ProblemsError as error:
            said, problems = str(error), error.problems
    assert bool(words) is bool(problems), said
    assert words in said
    assert all(str(problem).isprintable() for problem in problems)
    assert "root:" not in said  # /etc/passwd begins with it


@pytest.mark.parametrize("case", large.TEXTS)
def test_a_text_that_makes_parsers_slow_ends_soon(case: str, tmp_path: Path) -> None:
    text = large.TEXTS[case]
    assert len(text.encode()) <= 256 * 1024
    files: Mapping[str, str] = edited((GUIDE, "This is example data", f"{text}\n\nThis is"))
    problems = looked_at(write_tree(tmp_path, files))
    if not any("a paragraph has" in problem.what for problem in problems):
        with takes_less_than(SECONDS):
            render_vendor_text(text, "prepare", lambda _: None)


def test_options_that_make_rows_without_end_are_refused(tree: Tree) -> None:
    """Of few lines a million rows, each with commands: 400 builds, on 15 systems, in 3 ways."""
    builds = [f"many{number}" for number in range(400)]
    option = {
        "id": "many",
        "torch": ["1.10.0", "1.9.1"],
        "methods": ["pip", "uv", "docker"],
        "os": ["linux", "windows", "macos"],
        "arch": ["x86_64", "aarch64", "s390x", "ppc64le", "riscv64"],
        "variants": builds,
        "steps": [{"pip": {"packages": ["torch=={torch}"]}}],
        "source": "made-up",
    }
    described = "".join(f"  - {{id: {name}, name: {name}}}\n" for name in builds)
    text = EXAMPLE[INSTALL].replace("checks:\n", f"{described}checks:\n", 1)
    root = tree({**EXAMPLE, INSTALL: f"{text}  - {json.dumps(option)}\n"})
    assert_said(looked_at(root), INSTALL, f"the options make more than {MAX_ROWS:,} rows")
