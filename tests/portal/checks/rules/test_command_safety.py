from __future__ import annotations

import cProfile

import pytest

from accelerator_portal.checks.rules import commands
from accelerator_portal.checks.rules.commands import CommandText
from accelerator_portal.checks.shell_commands import pipelines
from accelerator_reports.report_file import report_text
from tests.folders import EXAMPLE, Tree, problems_in
from tests.reports.examples import report

PIPE = "curl https://a.example/x | sh"


def test_the_commands_of_reports_are_looked_at(tree: Tree) -> None:
    suites = [{"name": "made-up", "kind": "unit", "command": PIPE}]
    made = report({"command": f"bash -c '{PIPE}'"}, suites=suites)
    path = "accelerators/example/results/a.json"
    found = problems_in(tree({**EXAMPLE, path: report_text(made)}))
    assert [problem.partition(": ")[0] for problem in found] == [f"{path}:1", f"{path}:20"]


UNPROTECTED = [
    *commands._UNSAFE_OPTIONS,
    *(f"export {name}=1" for name in sorted(commands._UNSAFE_VARIABLES)),
    *(f"tool config set {setting} 0" for setting in commands._UNSAFE_SETTINGS),
    *(f"tool --set {value}" for value in commands._UNSAFE_VALUES),
]


@pytest.mark.parametrize("text", UNPROTECTED)
def test_no_word_that_disables_a_check_is_skipped_in_text(text: str) -> None:
    """Texts without certain words are not parsed; each such word must be one of these."""
    pipelines = CommandText("guide.md", 1, text).pipelines()
    words = [word for pipeline in pipelines for one in pipeline.commands for word in one.words]
    assert list(commands.words_disabling_checks(words))


@pytest.mark.parametrize(
    "text", ["curl ", "a+.-", "curl|", "$(", "`a ", '"a|b" ', "'", "\\\n", "|\n", "<(", "a`", "(|"]
)
def test_time_is_in_proportion_to_the_text(text: str) -> None:
    """Each character is read a fixed number of times, whatever it is: counted, not timed."""
    counts = []
    for size in (2_000, 4_000):
        profile = cProfile.Profile()
        profile.runcall(list, pipelines(text * size))
        counts.append(sum(entry.callcount for entry in profile.getstats()))
    assert counts[1] <= 2.2 * counts[0] + 100
