"""A vendor's pytest suite: the same isolation, the same outcomes, the same names as an import."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from accelerator_reports.file_reading import ImportOptions
from accelerator_reports.formats.junit import read_junit
from accelerator_reports.test_ids import identity_of
from tests.made_once import made_once
from tests.validation_torch.conftest import Done, validate, validate_once
from tests.validation_torch.pytest_suite import make_suite

# Each run starts processes that import torch; the job `validation` has the time.
pytestmark = pytest.mark.slow

SUITE = "pytest-vendor"
NAME = f"{SUITE}/tests.test_vendor"

SAID = {
    f"{NAME}::test_add?case=1&dtype=float32": ("passed", ""),
    f"{NAME}::test_add?case=1&dtype=int64": ("passed", ""),
    f"{NAME}::test_add?case=2&dtype=float32": ("passed", ""),
    f"{NAME}::test_add?case=2&dtype=int64": ("passed", ""),
    f"{NAME}::test_fails": ("wrong-result", "assert 1.0 == 2.0"),
    f"{NAME}::test_raises": ("failed", "RuntimeError: the driver says no"),
    f"{NAME}::test_skipped": ("skipped", "no second card"),
    f"{NAME}::test_expected": ("skipped", "It is expected to fail: known for long"),
    f"{NAME}::test_unexpected": ("passed", "unexpected pass: the test is marked xfail"),
    f"{NAME}::test_strict": ("failed", "unexpected pass: the test must fail"),
    f"{NAME}::test_marked?case=1": ("passed", ""),
    f"{NAME}::test_marked?case=2": ("failed", "unexpected pass"),
    f"{NAME}.TestStrict::test_passes": ("failed", "unexpected pass"),
    f"{NAME}.TestStrict::test_fails": ("skipped", "It is expected to fail"),
    f"{NAME}.TestOfUnittest::test_passes": ("failed", "unexpected pass"),
    f"{NAME}.TestOfUnittest::test_fails": ("skipped", "It is expected to fail"),
    f"{NAME}::test_fixture": ("infrastructure-error", "In setup: ValueError: the fixture stops"),
    f"{NAME}::test_teardown": ("infrastructure-error", "In teardown: ValueError: the end stops"),
    f"{NAME}::test_crash": ("crashed", "SIGSEGV"),
    f"{NAME}::test_hang": ("timed-out", "Timed out after 20 s"),
    f"{NAME}.TestGroup::test_inside": ("passed", ""),
    f"{SUITE}/tests.test_unready": ("test-broken", "No module named 'no_such_package_at_all'"),
}

TIMEOUT = "--timeout=20"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "vendor", make_suite) / "tests"


@pytest.fixture(scope="module")
def on_cpu(tmp_path_factory: pytest.TempPathFactory, suite: Path) -> Done:
    words = "--device=cpu", f"--pytest={suite}", TIMEOUT
    return validate_once(tmp_path_factory, "vendor-on-cpu", *words)


@pytest.mark.parametrize("key", SAID)
def test_each_ending_is_told_apart(on_cpu: Done, key: str) -> None:
    outcome, words = SAID[key]
    found = on_cpu.outcomes[key]
    assert (found[0], words in found[1]) == (outcome, True), found


def test_no_other_test_is_listed_and_none_that_the_suite_leaves_out(on_cpu: Done) -> None:
    assert set(on_cpu.outcomes) == set(SAID)
    assert on_cpu.status == 1


def test_the_report_has_tracebacks_and_nothing_of_this_machine(on_cpu: Done, suite: Path) -> None:
    test = on_cpu.tests["tests.test_vendor::test_raises"]
    assert "test_vendor.py" in (test.log_tail or "")
    assert str(suite.parent) not in on_cpu.report.read_text("utf-8")
    assert f"--pytest PATH --suite-name {SUITE} --test" in on_cpu.command(test)


def test_names_are_those_of_pytests_own_report(on_cpu: Done, suite: Path, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    words = ["-k", "not crash and not hang", "-p", "no:cacheprovider", f"--junit-xml={file}"]
    environment = {**os.environ, "ACCELERATOR_PORTAL_DEVICE": "cpu"}
    subprocess.run(
        [sys.executable, "-m", "pytest", *words, "--continue-on-collection-errors", str(suite)],
        cwd=suite.parent,
        env=environment,
        capture_output=True,
        check=False,
    )
    options = ImportOptions(suite=SUITE)
    theirs = {identity_of(t).key: t.outcome for t in read_junit(file, options).tests}
    ours = {key: outcome for key, (outcome, _) in on_cpu.outcomes.items() if key in theirs}
    assert len(theirs) == len(SAID) - 2
    assert ours == theirs


def test_a_command_of_the_report_repeats_its_test_on_a_plugins_device(
    on_cpu: Done, suite: Path, site: str, tmp_path: Path
) -> None:
    command = on_cpu.command(on_cpu.tests["tests.test_vendor::test_fails"])
    words = shlex.split(command.replace("PATH", str(suite)).replace("cpu", "paper"))[2:]
    done = validate(tmp_path, *words, site=site)
    assert {name: t.outcome for name, t in done.tests.items()} == {
        "tests.test_vendor::test_fails": "wrong-result"
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--suite=pytest"], "needs a folder of tests. Pass it with --pytest"),
        (["--suite=pytest-vendor"], "For your own pytest suite, name its folder with --pytest"),
        (["--suite-name=x"], "add --pytest PATH"),
        (["--pytest={suite}", "--suite-name=My Tests"], 'write "my-tests"'),
        (["--pytest={suite}", "--suite-name=operators"], "is a built-in suite"),
        (["--pytest={suite}", "--plan", "-k", "nothing_at_all"], "no test is selected"),
    ],
)
def test_a_mistake_is_one_message(words: list[str], said: str, suite: Path, tmp_path: Path) -> None:
    done = validate(tmp_path, "--device=cpu", *(word.format(suite=suite) for word in words))
    assert (done.status, said in done.said) == (2, True), done.said
    assert "Traceback" not in done.said


def test_a_configuration_that_pytest_refuses_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n", "utf-8")
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n", "utf-8")
    done = validate(tmp_path, "--device=cpu", f"--pytest={tmp_path}")
    assert (done.status, "pytest cannot list the tests" in done.said) == (2, True), done.said
    assert "--no-such-option" in done.said
    assert "Traceback" not in done.said
