"""What files do not say of a run comes from options; what nobody says is named with its option."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from accelerator_reports.formats.format_list import EXAMPLES, READERS, detect_format
from accelerator_reports.report import Environment
from accelerator_reports.report_file import read_report
from tests.folders import ACCELERATOR, REPOSITORY, Tree, edited

SUITE = """\
sources: {a: {url: "https://example.org", title: A, read: 2026-01-02}}
title: Made up
kind: unit
description: Made up.
url: https://example.org
source: [a]
tests: [alpha]
"""
XML = """\
<testsuites><testsuite name="pytest" timestamp="2026-01-02T03:04:05+00:00">
<properties>
<property name="PyTorch" value="1.9.0"/><property name="driver" value="7"/>
<property name="color" value="blue"/>
</properties>
<testcase classname="test_a" name="test_b"/></testsuite></testsuites>
"""
CTRF = {
    "reportFormat": "CTRF",
    "specVersion": "1.0.0",
    "results": {
        "tool": {"name": "jest"},
        "summary": {"tests": 1, "passed": 1, "failed": 0, "pending": 0, "skipped": 0, "other": 0,
                    "start": 1767323045000, "stop": 1767323046000},
        "tests": [{"name": "b", "status": "passed", "duration": 1}],
        "environment": {"osPlatform": "Example OS", "osRelease": "1",
                        "extra": {"torch": "1.9.0", "hardware": "Card", "buildName": "x"}},
    },
}  # fmt: skip


@pytest.fixture
def root(tree: Tree) -> Path:
    own = 'name: Example\nsuites: [{name: example/ours, title: Ours, url: "https://example.org"}]\n'
    folder = edited((ACCELERATOR, "name: Example\n", own))
    return tree({**folder, "data/suites/known.yaml": SUITE, "results.xml": XML})


def imported(root: Path, *options: str | Path, file: str = "results.xml") -> Result:
    fixed = ["--root", root, "--accelerator", "example", "--out", root / "r.json"]
    return CliRunner().invoke(
        main, ["report", "import", *map(str, [*fixed, *options, root / file])]
    )


def environment(root: Path, *options: str | Path, file: str = "results.xml") -> Environment:
    done = imported(root, *options, file=file)
    assert done.exit_code == 0, done.output
    return read_report(root / "r.json").environment


def test_properties_of_a_junit_file_state_its_environment(root: Path) -> None:
    assert environment(root) == Environment(torch="1.9.0", driver="7")


def test_the_environment_of_a_ctrf_file_is_read(root: Path) -> None:
    (root / "ctrf.json").write_text(json.dumps(CTRF), "utf-8")
    assert environment(root, file="ctrf.json") == Environment(
        torch="1.9.0", hardware="Card", os="Example OS 1"
    )


def test_an_option_counts_before_a_file_and_both_before_the_input(root: Path) -> None:
    facts = root / "environment.yaml"
    facts.write_text('torch: "1.8.0"\npython: "3.12"\nhardware_count: 2\n', "utf-8")
    assert environment(root, "--environment", facts) == Environment(
        torch="1.8.0", python="3.12", hardware_count=2, driver="7"
    )
    options = ("--torch", "1.7.0", "--os", "OS", "--arch", "x86_64", "--python", "3.13",
               "--hardware", "Card", "--driver", "8")  # fmt: skip
    assert environment(root, "--environment", facts, *options) == Environment(
        torch="1.7.0", os="OS", arch="x86_64", python="3.13", hardware="Card", driver="8",
        hardware_count=2,
    )  # fmt: skip


def test_the_note_of_several_files_has_their_counts(root: Path) -> None:
    for name in ("inductor_timm_inference.csv", "inductor_timm_training.csv"):
        (root / name).write_text("name,float32,float16\na,pass,\nb,pass,pass\n", "utf-8")
    run = ("--torch", "2.9.0", "--started", "2026-01-02", "--note", "N.")
    files = (*run, root / "inductor_timm_training.csv")
    done = imported(root, *files, file="inductor_timm_inference.csv")
    assert done.exit_code == 0, done.output
    note = read_report(root / "r.json").note
    assert note == "N. Entries read: 8. Taken: 6. Left out: 2 empty cells."


def test_a_note_is_added_to_what_the_import_notes(root: Path) -> None:
    (root / "two.xml").write_text(
        XML.replace("<testcase", '<testcase name="x" time="-"/><testcase')
    )
    done = imported(root, "--note", "N.", file="two.xml")
    assert done.exit_code == 0, done.output
    assert read_report(root / "r.json").note == "N. 1 invalid value left out."


def test_files_with_the_same_tests_are_named(root: Path) -> None:
    (root / "again.xml").write_text(XML, "utf-8")
    done = imported(root, root / "again.xml")
    assert done.exit_code == 1
    assert done.output.startswith(
        f"{root}/results.xml:1: the file contains 1 test of {root}/again.xml, such as "
        '"test_a::test_b", again; import each file to its own report, with --parameter'
    )


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("ctrf", XML, "not in the format ctrf, but probably in junit; pass --format junit"),
        ("junit", "PK\x03\x04", "the file is a ZIP archive; unpack it"),
        ("junit", "just words", "invalid XML in column 1"),
    ],
)
def test_a_wrong_format_is_named(root: Path, name: str, text: str, told: str) -> None:
    (root / "results.xml").write_text(text, "utf-8")
    assert told in imported(root, "--format", name).output


def test_the_files_of_a_folder_are_to_be_passed(root: Path) -> None:
    done = imported(root, file="")
    assert (done.exit_code, "is a folder. Pass the files in it" in done.output) == (2, True)


def test_the_environment_may_be_json(root: Path) -> None:
    facts = root / "environment.json"
    facts.write_text(json.dumps({"plugin": {"name": "torch-example", "version": "1"}}), "utf-8")
    plugin = environment(root, "--environment", facts).plugin
    assert plugin is not None
    assert (plugin.name, plugin.version) == ("torch-example", "1")


def test_this_machine_adds_what_nobody_said(root: Path) -> None:
    found = environment(root, "--here")
    assert (found.torch, found.driver) == ("1.9.0", "7")
    assert (found.arch, found.python) == (platform.machine(), platform.python_version())
    assert found.os
    assert found.hardware is None
    assert environment(root, "--here", "--arch", "riscv64").arch == "riscv64"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("torsh: '1'\n", 'environment.yaml:1: unknown key "torsh"; did you mean "torch"?'),
        ("torch: [1]\n", "environment.yaml:1: torch:"),
        ("", "environment.yaml:1:"),
        ("{", "environment.yaml:"),
    ],
)
def test_a_fault_of_the_environment_is_named(text: str, words: str, root: Path) -> None:
    (root / "environment.yaml").write_text(text, "utf-8")
    done = imported(root, "--environment", root / "environment.yaml")
    assert done.exit_code == 1
    assert done.output.startswith(words), done.output
    assert not (root / "r.json").exists()


def test_what_is_missing_is_named_with_its_option(root: Path) -> None:
    (root / "bare.xml").write_text('<testsuite name="a"><testcase name="b"/></testsuite>', "utf-8")
    done = imported(root, file="bare.xml")
    assert done.exit_code == 1
    assert sorted(done.output.splitlines()[:2], reverse=True) == [
        ("bare.xml:1: the run has no start time; add --started YYYY-MM-DDTHH:MM:SS, in UTC"),
        (
            "bare.xml:1: the run has no PyTorch version; add --torch VERSION or "
            "--environment FILE, or use --here on the machine and in the environment that ran the "
            "tests"
        ),
    ]
    whole = ("--started", "2026-01-02T03:04:05", "--torch", "1.9.0")
    assert imported(root, *whole, file="bare.xml").exit_code == 0


@pytest.mark.parametrize(
    ("started", "told"),
    [
        ("1900-01-01", "the time 1900-01-01 is before 2016, when PyTorch did not exist"),
        ("2026-01-03", "before the start time; correct --started, or the end time in the file"),
    ],
)
def test_a_start_that_cannot_be_is_refused(root: Path, started: str, told: str) -> None:
    (root / "ctrf.json").write_text(json.dumps(CTRF), "utf-8")
    done = imported(root, "--started", started, file="ctrf.json")
    assert done.exit_code == (2 if started == "1900-01-01" else 1)
    assert told in done.output


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--started", "2999-01-01", "the time is in the future (2999-01-01). Correct it"),
        ("--suite", "Our Kernels", '"Our Kernels" is not a valid suite name; write "our-kernels"'),
        ("--parameter", "D type=float32", "parameters.D type"),
        ("--hardware", "a\u202eb", "the character U+202E is not allowed in text"),
        ("--commit", "acme/x@main", "is not in the form OWNER/NAME@COMMIT"),
    ],
)
def test_a_value_of_an_option_that_is_none_is_wrong_usage(
    root: Path, option: str, value: str, told: str
) -> None:
    done = imported(root, option, value)
    assert (done.exit_code, told in done.output) == (2, True), done.output
    assert not (root / "r.json").exists()


def test_a_time_of_the_future_is_not_used(root: Path) -> None:
    (root / "future.xml").write_text(
        '<testsuite name="a" timestamp="2999-01-01T00:00:00Z"><testcase name="b"/></testsuite>'
    )
    told = "future.xml:1: the run has no start time; add --started"
    assert told in imported(root, "--torch", "1.9.0", file="future.xml").output
    run = ("--started", "2026-01-02T03:04:05", "--torch", "1.9.0")
    done = imported(root, *run, file="future.xml")
    assert done.exit_code == 0, done.output
    assert "warning: future.xml:1: the time 2999-01-01 is in the future" in done.output
    assert read_report(root / "r.json").finished is None


def test_the_report_may_not_replace_a_file_that_it_is_made_of(root: Path) -> None:
    done = imported(root, "--out", root / "results.xml")
    assert done.exit_code == 2
    assert "results.xml is one of the files to import; name another file" in done.output
    assert (root / "results.xml").read_text("utf-8") == XML


def test_a_file_of_very_many_suites_needs_one_name(root: Path) -> None:
    suites = "".join(
        f'<testsuite name="s{n}"><testcase classname="s{n}" name="a"/></testsuite>'
        for n in range(101)
    )
    (root / "many.xml").write_text(f"<testsuites>{suites}</testsuites>", "utf-8")
    run = ("--started", "2026-01-02T03:04:05", "--torch", "1.9.0")
    done = imported(root, *run, file="many.xml")
    assert done.exit_code == 1
    assert (
        "101 suites, more than 100; pass --suite NAME, so that all tests belong to" in done.output
    )
    assert imported(root, *run, "--suite", "example/all", file="many.xml").exit_code == 0
    assert len({test.name for test in read_report(root / "r.json").tests}) == 101


@pytest.mark.parametrize(
    ("options", "name", "warned"),
    [
        ((), "example/pytest", True),
        (("--suite", "example/ours"), "example/ours", False),
        (("--suite", "ours"), "example/ours", False),
        (("--suite", "known"), "known", True),  # it has no test of this name
    ],
)
def test_a_suite_that_the_portal_does_not_know_is_the_vendors_own(
    options: tuple[str, ...],
    name: str,
    warned: bool,  # noqa: FBT001 - a parameter
    root: Path,
) -> None:
    done = imported(root, *options)
    assert done.exit_code == 0, done.output
    assert ("warning: r.json:1:" in done.output) is warned
    made = read_report(root / "r.json")
    assert [suite.name for suite in made.suites] == [test.suite for test in made.tests] == [name]


def commands_of_the_page() -> list[str]:
    page = (REPOSITORY / "site_src/templates/contribute/report.md.j2").read_text("utf-8")
    block = page.partition("```console")[2].partition("```")[0]
    return [line.removeprefix("$ ") for line in block.strip().splitlines()]


def test_the_first_example_of_the_page_works_in_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command as it stands there, with an id and a version in their places."""
    (tmp_path / "test_add.py").write_text("def test_add():\n    assert 1 + 1 == 2\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    first, *others = commands_of_the_page()
    python, *words = first.split()
    assert (python, words) == ("python", ["-m", "pytest", "--junitxml", "results.xml"])
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    assert others[0].startswith("accelerator-portal report import ")
    for command in others:
        said = command.replace("<id>", "acme").replace("<version>", "2.9.0").split()
        done = CliRunner().invoke(main, said[1:])
        assert done.exit_code == 0, (command, done.output)
    made = read_report(tmp_path / "report.json")
    assert [(t.suite, t.name, t.outcome) for t in made.tests] == [
        ("pytest", "test_add::test_add", "passed")
    ]
    assert (made.accelerator, made.environment.torch) == ("acme", "2.9.0")
    assert (tmp_path / "ctrf.json").is_file()


@pytest.mark.parametrize("suite", ["acme/kernels", "other/kernels"])
def test_in_a_vendors_ci_a_suite_keeps_the_name_that_a_person_gave_it(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results.xml").write_text(XML, "utf-8")
    fixed = ["report", "import", "--accelerator", "acme", "--out", "report.json"]
    done = CliRunner().invoke(main, [*fixed, "--suite", suite, "results.xml"])
    assert done.exit_code == 0, done.output
    assert [test.suite for test in read_report(Path("report.json")).tests] == [suite]


PYTEST = {"created": 1769824800, "duration": 1, "exitcode": 0, "environment": {},
          "summary": {"total": 1}}  # fmt: skip
NODE = {"nodeid": "test_a.py::test_b", "outcome": "passed",
        "call": {"duration": 1, "outcome": "passed"}}  # fmt: skip
SUBTEST = {"Test ID": "test_b[xnnpack-float32]", "Test Case": "test_b", "Subtest": 0,
           "Flow": "xnnpack", "Result": "Pass", "Result Detail": "", "Error": ""}  # fmt: skip
KEY = "model=a, test=eval, device=npu, bs=None, extra_args=[], metric=accuracy"
COLUMNS = (
    "Test ID,Test Case,Subtest,Flow,Params,Result,Result Detail,Delegated,Quantize Time (s),"
    "Lower Time (s),Delegated Nodes,Undelegated Nodes,Delegated Ops,Undelegated Ops,"
    "PTE Size (Kb),Error"
)
FILES = {
    "junit": XML,
    "ctrf": json.dumps(CTRF),
    "torchbench": json.dumps({"environ": {"pytorch_version": "2.9.0"}, "metrics": {KEY: "pass"}}),
    "executorch-json": json.dumps(
        {**PYTEST, "tests": [{**NODE, "metadata": {"subtests": [SUBTEST]}}]}
    ),
    "executorch-csv": f"{COLUMNS}\ntest_b_xnnpack,test_b,0,xnnpack,,Pass,,True,,,,,,,,\n",
    "dynamo-csv": "name,accuracy,graph_breaks\na,pass,0\n",
    "flaggems": "import flag_gems\n@pytest.mark.skipif(flag_gems.vendor_name == 'acme')\n"
    "def test_b(): pass\n",
    "lm-eval": "model_card: {tasks: gsm8k,\n  model_name: a}\nmetrics: {name: acc, value: 1}\n",
    "mps-lists": "def mps_ops_modifier(ops):\n  XFAILLIST = {'abs': None}\n",
    "xpu-skip-list": "skip_dict = {\n  'test_a.py': ('test_b',),\n}\n",
    "tt-xla": "test_config:\n  a-single_device-inference: {status: EXPECTED_PASSING}\n",
}


@pytest.mark.parametrize("name", READERS)
def test_the_example_of_each_format_works(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = EXAMPLES[name].split()
    monkeypatch.chdir(tmp_path)
    Path(words[-1]).write_text(FILES[name], "utf-8")
    assert detect_format(Path(words[-1])) == name
    fixed = ["report", "import", "--accelerator", "acme", "--out", "report.json"]
    done = CliRunner().invoke(main, [*fixed, *words])
    assert done.exit_code == 0, done.output
    assert len(read_report(Path("report.json")).tests) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<testsuites>\n <testcase nam", "2: invalid XML in column 2: unclosed token"),
        ("<testsuite name='a'>\n</test>", "2: invalid XML in column 3: mismatched tag"),
        ('{"a": 1,\n  }', "2: invalid JSON in column 3: expecting property name"),
        ("[1,\n2", "2: invalid JSON in column 2: expecting ',' delimiter"),
        (
            '{"results": {"tool": {}}}',
            '1: the file looks like CTRF, but has no "reportFormat" or "specVersion"; add',
        ),
        ("just words", "1: unknown format; run the tests with"),
        ('{"a": 1}\n{"a": 2}', '1: the file is JSON of an unknown format, with the keys "a"; '),
    ],
)
def test_a_malformed_file_is_named_with_line_and_column(root: Path, text: str, told: str) -> None:
    (root / "broken").write_text(text, "utf-8")
    done = imported(root, file="broken")
    assert done.exit_code == 1
    assert f"broken:{told}" in done.stdout
    assert not (root / "r.json").exists()


@pytest.mark.parametrize("character", ["\r", "\x85", "\x9b", "\u2028", "\u202e"])
@pytest.mark.parametrize("option", ["--note", "--parameter", "--hardware", "--torch"])
def test_a_character_that_nobody_sees_is_refused(root: Path, option: str, character: str) -> None:
    text = {"--parameter": "mode=a{}b", "--torch": "1.9.0{}1"}.get(option, "a{}b")
    done = imported(root, option, text.format(character))
    assert done.exit_code == 2, done.output
    if option != "--torch":
        assert f"the character U+{ord(character):04X} is not allowed in text" in done.output
    assert not (root / "r.json").exists()
