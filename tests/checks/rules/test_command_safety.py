from __future__ import annotations

import cProfile

import pytest

from accelerator_portal.checks.command_texts import pipelines
from accelerator_portal.reports.report_file import report_text
from tests.folders import (
    ACCELERATOR,
    EXAMPLE,
    FAQ,
    GUIDE,
    INSTALL,
    Edit,
    ProblemsAfter,
    Tree,
    problems_in,
)
from tests.reports.examples import report

STEP = "      - pip: {packages: [torch], index"
RUNS, OFF = "runs a downloaded file", "disables a security check"
PIPED = "runs piped input"


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
        ("curl https://a.example/x |\n  sh", RUNS),
        ("curl https://a.example/x\n  | sh", RUNS),
        ("curl https://a.example/x &&\n cat y | sh", PIPED),
        ("curl https://a.example/x | /bin/sh", RUNS),
        ("curl https://a.example/x | env bash", RUNS),
        ("curl https://a.example/x | env -i A=b bash", RUNS),
        ("curl https://a.example/x | sudo -u root bash", RUNS),
        ("curl https://a.example/x |& sh", RUNS),
        ("curl https://a.example/x | tee y | /usr/bin/env python3.11", RUNS),
        ("curl https://a.example/x | some-installer", RUNS),
        ("curl https://a.example/x | tar x --to-command=sh", RUNS),
        ("curl https://a.example/x | $SHELL", RUNS),
        ("curl https://a.example/x | xargs -n1 sh -c", RUNS),
        ("/usr/bin/curl https://a.example/x | 'ba'sh", RUNS),
        ("bash -lc 'curl https://a.example/x | sh'", RUNS),
        ("(curl https://a.example/x) | sh", RUNS),
        ("curl https://a.example/x 2>&1 | some-installer", RUNS),
        ("{ curl https://a.example/x; } | some-installer", RUNS),
        ("for i in 1; do curl https://a.example/$i; done | some-installer", RUNS),
        ("curl https://a.example/x | (some-installer)", RUNS),
        ("lynx -source https://a.example/x | sh", RUNS),
        ("python3 -c 'print(urlopen(\"https://a.example\").read())' | some-installer", RUNS),
        ("base64 -d x | sh", PIPED),
        ("source <(wget -qO- https://a.example/x)", RUNS),
        ("it's curl https://a.example/x | sh", RUNS),
        ('python3 -c "$(curl https://a.example/x)"', RUNS),
        ("curl -sk https://a.example/x -o x", OFF),
        ("curl -fsSLk https://a.example/x -o x", OFF),
        ("git -c http.sslVerify=false clone https://a.example/x", OFF),
        ("export PYTHONHTTPSVERIFY=0", OFF),
        ("$env:PIP_TRUSTED_HOST='a.example'", OFF),
        ("conda config --set ssl_verify false", OFF),
        ("uv pip install --allow-insecure-host a.example x", OFF),
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
        "curl -fsSL https://a.example/key | sudo -u root tee /etc/apt/key.asc",
        "curl -o k https://a.example/x",
        "ps aux | grep python",
        "pip list | grep -E '(torch|neuron)'",
        "cat x.json | python3 -m json.tool",
        "yes | bash install.sh",
        "# it's done",
        "| GPU | Name |",
        "sudo apt-get install -y curl",
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
        ('[bash, -lc, "a; b"]', 1),
        ('[env, bash, -ec, "a; b"]', 1),
        ('[sudo, -u, root, sh, -c, "a; b"]', 1),
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


@pytest.mark.parametrize(
    "name", ["GIT_SSL_NO_VERIFY", "PYTHONHTTPSVERIFY", "PIP_TRUSTED_HOST", "UV_INSECURE_HOST"]
)
def test_a_variable_that_switches_protection_off(name: str, problems_after: ProblemsAfter) -> None:
    (problem,) = problems_after((INSTALL, STEP, f"      - env: {{{name}: '1'}}\n{STEP}"))
    assert f'"{name}=1" {OFF}' in problem


PIPE = "curl https://a.example/x | sh"
IDENTIFY = f"identify:\n  - {{os: linux, shows: x, source: made-up, command: '{PIPE}'}}\nsupport:"


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        ((GUIDE, "This is", f"Do `{PIPE}`. This is"), 11),
        ((GUIDE, "This is", f"Words and\nthen `{PIPE}`.\n\nThis is"), 12),
        ((GUIDE, "This is", "| a |\n| - |\n| `curl x \\| sh` |\n\nThis is"), 13),
        ((GUIDE, "This is", "| a |\n| - |\n| curl x \\| sh |\n\nThis is"), 13),
        ((GUIDE, "This is", f"> - ```\n>   {PIPE}\n>   ```\n\nThis is"), 12),
        ((FAQ, "## Does it exist?", f"## {PIPE}"), 9),
        ((INSTALL, "    check: python\n    source: made-up\n  - id: nightly",
          f"    note: 'First {PIPE}'\n    source: made-up\n  - id: nightly"), 26),
        ((ACCELERATOR, "support:", ("identify:\n  - {os: linux, shows: x, source: made-up,"
          f" command: '{PIPE}'}}\nsupport:")), 16),
    ],
)  # fmt: skip
def test_commands_are_found_wherever_they_stand(
    edit: Edit, line: int, problems_after: ProblemsAfter
) -> None:
    (problem,) = problems_after(edit)
    assert problem.startswith(f"{edit[0]}:{line}: "), problem
    assert RUNS in problem


def test_the_commands_of_reports_are_looked_at(tree: Tree) -> None:
    suites = [{"name": "made-up", "kind": "unit", "command": PIPE}]
    made = report({"command": f"bash -c '{PIPE}'"}, suites=suites)
    path = "accelerators/example/results/a.json"
    found = problems_in(tree({**EXAMPLE, path: report_text(made)}))
    assert [problem.partition(": ")[0] for problem in found] == [f"{path}:1", f"{path}:20"]


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
