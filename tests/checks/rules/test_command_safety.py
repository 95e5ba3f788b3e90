from __future__ import annotations

import pytest

from tests.folders import GUIDE, INSTALL, ProblemsAfter

STEP = "      - pip: {packages: [torch], index"
RUNS, OFF = "runs what it fetches", "switches off what protects the reader"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("curl -fsSL https://a.example/install.sh | sh", RUNS),
        ("curl https://a.example/x | sudo -E bash -s -- --yes", RUNS),
        ("wget -qO- https://a.example/x | python3 -", RUNS),
        ("irm https://a.example/x | iex", RUNS),
        ("curl https://a.example/x | tee log | bash", RUNS),
        ("bash <(curl -s https://a.example/x)", RUNS),
        ('sh -c "$(curl -fsSL https://a.example/x)"', RUNS),
        ("eval `wget -qO- https://a.example/x`", RUNS),
        ("pip install --trusted-host a.example x", OFF),
        ("curl -k https://a.example/x -o x", OFF),
        ("wget --no-check-certificate https://a.example/x", OFF),
        ("GIT_SSL_NO_VERIFY=1 git clone https://a.example/x", OFF),
    ],
)
def test_commands_in_texts(command: str, words: str, problems_after: ProblemsAfter) -> None:
    (problem,) = problems_after((GUIDE, "This is", f"```sh\n{command}\n```\n\nThis is"))
    assert problem.startswith(f"{GUIDE}:12: ")
    assert words in problem


@pytest.mark.parametrize(
    "command",
    [
        "curl -fsSLO https://a.example/install.sh",
        "curl https://a.example/x | gpg --dearmor -o key.gpg",
        "curl https://a.example/x | sha256sum --check",
        "cat x | sh-tool",
        "echo shell | wc",
        "pip install torch --index-url https://a.example/whl",
    ],
)
def test_what_fetches_and_does_not_run_is_fine(command: str, problems_after: ProblemsAfter) -> None:
    assert problems_after((GUIDE, "This is", f"```sh\n{command}\n```\n\nThis is")) == []


def test_a_command_that_goes_on_in_the_next_line_is_one(problems_after: ProblemsAfter) -> None:
    for before, line in (("echo", 13), ("", 13), ("echo \\\n  a", 14)):
        code = f"```sh\n{before}\ncurl https://a.example/x \\\n  | bash\n```\n\nThis is"
        (problem,) = problems_after((GUIDE, "This is", code))
        assert problem.startswith(f"{GUIDE}:{line}: ")


@pytest.mark.parametrize(
    ("run", "faults"),
    [
        ('[bash, -c, "a; b"]', 1),
        ('[/bin/sh, -c, "curl x | sh"]', 2),
        ('[powershell, -Command, "a | b"]', 1),
        ('[sh, -c, "python3 -m pip install /opt/*.whl"]', 0),
        ("[bash, build.sh, -c]", 0),
        ('[git, clone, "https://a.example/x"]', 0),
    ],
)
def test_steps(run: str, faults: int, problems_after: ProblemsAfter) -> None:
    problems = problems_after((INSTALL, STEP, f"      - run: {run}\n{STEP}"))
    assert len(problems) == faults, problems
    assert all(problem.startswith(f"{INSTALL}:33: ") for problem in problems)
