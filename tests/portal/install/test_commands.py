from __future__ import annotations

import pytest

from accelerator_portal.catalog.files.install_file import Step
from accelerator_portal.install.commands import (
    UnknownPlaceholderError,
    check_command,
    command_lines,
    venv_commands,
)
from accelerator_reports.files.fields import Method, Os

VALUES = {"torch": "1.10.0", "variant": "ex2", "index": "https://example.org/whl/ex2"}

PINNED = {"pip": {"packages": ["torch=={torch}", "x[y]"], "index": "{index}"}}
NIGHTLY = {"pip": {"packages": ["torch"], "index": "{index}", "pre": True}}
EXTRA = {"pip": {"packages": ["torch"], "extra_index": "https://example.org/more"}}
IMAGE = {"docker": {"image": "example:{torch}-{variant}", "args": ["--gpus", "all", "-e", "A=a b"]}}
ARCHIVE = {
    "download": {"url": "https://example.org/lib-{torch}%2B{variant}.zip?x=1", "unzip": True}
}
FILE = {"download": {"url": "https://example.org/a.whl"}}
RUN = {"run": ["git", "clone", "-b", "v{torch}", "a b"]}
ENV = {"env": {"USE_X": "1", "FLAGS": "-a {variant}"}}

INDEX = "--index-url https://example.org/whl/ex2"
ZIP = "lib-1.10.0+ex2.zip"
URL = "https://example.org/lib-1.10.0%2Bex2.zip?x=1"


@pytest.mark.parametrize(
    ("step", "method", "os", "expected"),
    [
        (PINNED, "pip", "linux", [f"python3 -m pip install torch==1.10.0 'x[y]' {INDEX}"]),
        (PINNED, "pip", "macos", [f"python3 -m pip install torch==1.10.0 'x[y]' {INDEX}"]),
        (PINNED, "pip", "windows", [f'python -m pip install torch==1.10.0 "x[y]" {INDEX}']),
        (PINNED, "uv", "linux", [f"uv pip install torch==1.10.0 'x[y]' {INDEX}"]),
        (PINNED, "uv", "windows", [f'uv pip install torch==1.10.0 "x[y]" {INDEX}']),
        (PINNED, "source", "linux", [f"python3 -m pip install torch==1.10.0 'x[y]' {INDEX}"]),
        (NIGHTLY, "pip", "linux", [f"python3 -m pip install --pre torch {INDEX}"]),
        (NIGHTLY, "uv", "linux", [f"uv pip install --prerelease=allow torch {INDEX}"]),
        (EXTRA, "pip", "linux",
         ["python3 -m pip install torch --extra-index-url https://example.org/more"]),
        (IMAGE, "docker", "linux",
         ["docker run -it --rm --gpus all -e 'A=a b' example:1.10.0-ex2"]),
        (IMAGE, "docker", "windows",
         ['docker run -it --rm --gpus all -e "A=a b" example:1.10.0-ex2']),
        (ARCHIVE, "libtorch", "linux", [f"curl -L -o {ZIP} '{URL}'", f"unzip {ZIP}"]),
        (FILE, "libtorch", "linux", ["curl -L -o a.whl https://example.org/a.whl"]),
        (FILE, "libtorch", "windows", ["curl.exe -L -o a.whl https://example.org/a.whl"]),
        (RUN, "source", "linux", ["git clone -b v1.10.0 'a b'"]),
        (RUN, "source", "windows", ['git clone -b v1.10.0 "a b"']),
        (ENV, "source", "macos", ["export USE_X=1", "export FLAGS='-a ex2'"]),
        (ENV, "source", "windows", ['$env:USE_X = "1"', '$env:FLAGS = "-a ex2"']),
    ],
)  # fmt: skip
def test_a_step_becomes_the_lines_of_its_shell(
    step: dict[str, object], method: Method, os: Os, expected: list[str]
) -> None:
    assert [*command_lines((Step.model_validate(step),), method, os, VALUES)] == expected


def test_an_archive_is_unpacked_with_what_windows_has() -> None:
    step = Step.model_validate({"download": {"url": "https://example.org/a.zip", "unzip": True}})
    assert command_lines((step,), "libtorch", "windows", {}) == (
        "curl.exe -L -o a.zip https://example.org/a.zip",
        "tar -xf a.zip",
    )


def test_a_download_stays_in_the_folder_that_the_reader_is_in() -> None:
    step = Step.model_validate({"download": {"url": "https://example.org/..%2F..%2Fa.zip"}})
    assert "-o a.zip " in command_lines((step,), "libtorch", "linux", {})[0]


def test_steps_keep_their_order() -> None:
    steps = tuple(Step.model_validate(step) for step in (ENV, RUN))
    lines = command_lines(steps, "source", "linux", VALUES)
    assert [line.split()[0] for line in lines] == ["export", "export", "git"]


@pytest.mark.parametrize("name", ["plugin", "troch", ""])
def test_a_placeholder_without_a_value_is_named(name: str) -> None:
    step = Step.model_validate({"run": ["a", f"{{{name}}}"]})
    with pytest.raises(UnknownPlaceholderError) as caught:
        command_lines((step,), "source", "linux", VALUES)
    assert caught.value.name == name


@pytest.mark.parametrize(
    ("method", "os", "expected"),
    [
        ("pip", "linux", "python{python} -m venv .venv\nsource .venv/bin/activate"),
        ("pip", "macos", "python{python} -m venv .venv\nsource .venv/bin/activate"),
        ("pip", "windows", "py -{python} -m venv .venv\n.venv\\Scripts\\Activate.ps1"),
        ("source", "linux", "python{python} -m venv .venv\nsource .venv/bin/activate"),
        ("uv", "linux", "uv venv --python {python}\nsource .venv/bin/activate"),
        ("uv", "windows", "uv venv --python {python}\n.venv\\Scripts\\Activate.ps1"),
        ("docker", "linux", None),
        ("libtorch", "windows", None),
    ],
)
def test_a_fresh_environment_has_the_chosen_python(
    method: Method, os: Os, expected: str | None
) -> None:
    assert venv_commands(method, os) == expected


def test_a_check_is_one_line() -> None:
    code = "import torch\n\n  print(torch.__version__)\n"
    assert check_command(code, "linux") == "python3 -c 'import torch; print(torch.__version__)'"
    assert check_command(code, "windows") == 'python -c "import torch; print(torch.__version__)"'
