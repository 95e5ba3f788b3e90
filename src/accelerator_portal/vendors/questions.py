"""What is asked of a new platform: each question with the kind of its answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from accelerator_portal.catalog.fields import (
    Arch,
    Day,
    GitHubLogin,
    Integration,
    Line,
    Mark,
    ModuleName,
    Name,
    Os,
    PackageName,
    Paragraph,
    PythonVersion,
    TorchVersion,
    Url,
    fault,
)
from accelerator_portal.catalog.install_file import PipStep
from accelerator_portal.catalog.validation import validate
from accelerator_portal.catalog.yaml_file import Location, YamlFile
from accelerator_portal.install.pip_command import UnreadableCommandError, pip_steps


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `flag` is the option that answers it without being asked.

    `needed`: without an answer there is no folder. `hidden`: never asked, the flag or what follows
    from other answers is enough. `many`: several values, with commas between them.
    """

    flag: str
    words: str
    help: str
    kind: Any
    needed: bool = True
    hidden: bool = False
    many: bool = False

    @property
    def option(self) -> str:
        """The flag as it is typed."""
        return f"--{self.flag}"


class RefusedError(ValueError):
    """An answer that cannot stand in a folder; the text says what is wrong and what is right."""


def _pip_command(value: str) -> str:
    if re.search(r"[{}]", value):
        raise fault("a placeholder in braces", "write the command as one types it")
    try:
        steps = pip_steps(value)
    except UnreadableCommandError as error:
        remedy = "write pip install with packages, --index-url, --extra-index-url and --pre"
        raise fault(str(error), remedy) from None
    for step in steps:
        known: dict[Location, int] = {(key,): 1 for key in step["pip"]}
        _, problems = validate(PipStep, YamlFile("", step["pip"], known))
        for problem in problems:
            raise fault(problem.what, problem.remedy)
    return value


def _repository(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9](?:-?[A-Za-z0-9])*/[A-Za-z0-9._-]*[A-Za-z0-9_-]", value):
        raise fault(f'"{value[:60]}" is no repository', "write owner/name")
    return value


def _many(kind: Any) -> Any:  # noqa: ANN401 - a type, as pydantic takes it
    return Annotated[tuple[kind, ...], Field(min_length=1)]


PipCommand = Annotated[Line, AfterValidator(_pip_command)]
Repository = Annotated[Line, Field(max_length=140), AfterValidator(_repository)]

QUESTIONS: tuple[Question, ...] = (
    Question("name", "Name", "short, as readers know it", Name),
    Question("vendor", "Vendor", "who makes the hardware", Line),
    Question("url", "Documentation", "your page that says all this; it becomes the source", Url),
    Question("device", "Device string", "what goes into torch.device()", Line),
    Question("device-note", "Shared device", "how to tell yours from the other", Line),
    Question("dispatch-key", "Dispatch key", "PrivateUse1, XLA, …; not the device string", Line),
    Question("package", "Package", "the Python package that brings it", PackageName),
    Question("import", "Import", "the module to import", ModuleName),
    Question("autoload", "Autoload", "yes or no: whether `import torch` loads it",
             Literal["yes", "no"], needed=False),
    Question("integration", "Integration", "in-tree, or out-of-tree: installed on top of PyTorch",
             Integration, hidden=True),
    Question("command", "Install command", "the pip command on your page; or else --needs",
             PipCommand, needed=False),
    Question("needs", "Needed first", "driver or SDK on the machine; or else --command",
             Line, needed=False),
    Question("host-owner", "Owner of the host", "whose the host is that the command names", Line),
    Question("torch", "PyTorch", "the releases that it works with", _many(TorchVersion), many=True),
    Question("plugin-version", "Plugin", "the package's version for these", TorchVersion,
             needed=False),
    Question("os", "Systems", "linux, windows, macos", _many(Os), many=True),
    Question("arch", "Processors", "x86_64, aarch64, …", _many(Arch), many=True),
    Question("python", "Python", "the versions, such as 3.12,3.13", _many(PythonVersion),
             needed=False, many=True),
    Question("github", "Repository", "owner/name on GitHub", Repository, needed=False),
    Question("support", "Support", "the address where people ask for help", Url),
    Question("maintainer", "Maintainers", "GitHub logins of those who answer for it",
             _many(GitHubLogin), needed=False, many=True),
    Question("mark", "Mark", "two letters, shown where others show a logo", Mark),
    Question("summary", "Summary", "one sentence: what it is, on what hardware",
             Annotated[Line, Field(max_length=160)]),
    Question("description", "Description", "two to four sentences", Paragraph),
    Question("title", "Title", "whose document the documentation is, and what it is called",
             Line, hidden=True),
    Question("read", "Read", "the day on which the documentation was read; today",
             Day, hidden=True),
)  # fmt: skip

BY_FLAG = {question.flag: question for question in QUESTIONS}
