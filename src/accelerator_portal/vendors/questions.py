"""Lists the questions that `accelerator-portal new` asks a vendor, and validates the answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, create_model

from accelerator_portal.catalog.files.install_steps import PipStep
from accelerator_portal.install.pip_command import UnreadableCommandError, pip_steps
from accelerator_reports.files.fields import (
    Arch,
    Day,
    DeviceString,
    DispatchKey,
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
    StrictModel,
    TorchVersion,
    Url,
    matches,
    validation_error,
    without_github_address,
)
from accelerator_reports.files.problem import printable
from accelerator_reports.files.yaml_file import Location, YamlFile
from accelerator_reports.files.yaml_validation import validate

DOCUMENTATION_SOURCE = "documentation"
PACKAGE_SOURCE = "package"


@dataclass(frozen=True, slots=True)
class Answer:
    """A vendor's answer to a question: its value, and the id of the source that states it."""

    value: Any
    source: str = DOCUMENTATION_SOURCE


def read_answer(question: Prompt, text: str) -> Any:  # noqa: ANN401 - each question has its kind
    """Parse the text of an answer, and return its value, which has the type `question.kind`.

    Raises RefusedAnswerError if the text is invalid. The message has one line for each fault,
    worded as in `accelerator-portal check`.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        error_text = f"{question.flag}: the text is not UTF-8; write it as UTF-8 text"
        raise RefusedAnswerError(error_text) from None
    data: str | list[str] = text.strip()
    lines: dict[Location, int] = {(): 1, (question.flag,): 1}
    text_by_location: dict[Location, str] = {(question.flag,): text}
    if question.many:
        data = [part for item in text.split(",") if (part := item.strip())]
        for position, part in enumerate(data):
            lines[question.flag, position] = 1
            text_by_location[question.flag, position] = part
    file = YamlFile("", {question.flag: data}, lines, text_by_location)
    record, problems = validate(_answer_model(question), file)
    if record is None:
        raise RefusedAnswerError("\n".join(problem.words for problem in problems))
    return record.answer  # type: ignore[attr-defined] # made below


def answer_text(value: Any) -> str:  # noqa: ANN401
    """Return an answer's value as the text that a user would enter: `3.12,3.13`."""
    return ",".join(value) if isinstance(value, tuple) else str(value)


def refused_answer(question: Prompt, what: str, remedy: str) -> RefusedAnswerError:
    """Return the error for an answer that contradicts earlier answers or platforms' folders.

    `what` says what is wrong, `remedy` is the fix.
    """
    return RefusedAnswerError(printable(f"{question.flag}: {what}; {remedy}"))


@cache
def _answer_model(question: Prompt) -> type[StrictModel]:
    """Return a pydantic model with the question's flag as its only key.

    Validating an answer with this model gives the same error messages as validating a file.
    """
    field: Any = (question.kind, Field(alias=question.flag))
    return create_model("Answer", __base__=StrictModel, answer=field)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question to a vendor; `flag` is the option that answers it on the command line.

    If `needed` is true, the folder cannot be created without an answer; for exceptions, see
    `interview.is_answer_needed`. If `hidden` is true, the question is asked only if no option
    answers it and no document or earlier answer implies the answer. If `many` is true, the answer
    can have several values, separated by commas.
    """

    flag: str
    words: str
    """A short name of the question."""
    help: str
    """What to answer."""
    kind: Any
    """The type of the answer, with which pydantic validates it."""
    needed: bool = True
    hidden: bool = False
    many: bool = False

    @property
    def option(self) -> str:
        """The flag as a command-line option: `--name`."""
        return f"--{self.flag}"


class RefusedAnswerError(ValueError):
    """Raised for an invalid answer; the message says what is wrong and the fix."""


def _valid_pip_command(value: str) -> str:
    if re.search(r"[{}]", value):
        raise validation_error("a placeholder in braces", "enter the command without placeholders")
    try:
        steps = pip_steps(value)
    except UnreadableCommandError as error:
        remedy = "use pip install with packages, --index-url, --extra-index-url and --pre only"
        raise validation_error(str(error), remedy) from None
    for step in steps:
        line_by_key: dict[Location, int] = {(key,): 1 for key in step["pip"]}
        _, problems = validate(PipStep, YamlFile("", step["pip"], line_by_key))
        for problem in problems:
            raise validation_error(problem.what, problem.remedy)
    return value


def _not_pip_command(value: str) -> str:
    if re.search(r"(^|\s)pip3?\s+install\b", value):
        raise validation_error(
            f'"{value[:60]}" is a pip command', "enter it as the install command"
        )
    return value


def _non_empty_tuple(kind: Any) -> Any:  # noqa: ANN401 - a type, as pydantic takes it
    return Annotated[tuple[kind, ...], Field(min_length=1)]


NeededSoftware = Annotated[Line, AfterValidator(_not_pip_command)]
PipCommand = Annotated[Line, AfterValidator(_valid_pip_command)]
GivenRepository = Annotated[
    Line,
    Field(max_length=140),
    without_github_address(r"[\w.-]+/[\w.-]+"),
    matches(
        r"[A-Za-z0-9](?:-?[A-Za-z0-9])*/[A-Za-z0-9._-]*[A-Za-z0-9_-]",
        "write owner/name",
        "is not a repository",
    ),
]

QUESTIONS: tuple[Prompt, ...] = (
    Prompt("name", "Name", "short name of the platform", Name),
    Prompt("vendor", "Vendor", "company that makes the hardware", Line),
    Prompt("url", "Documentation", "address of your documentation, the source of all answers", Url),
    Prompt("device", "Device string", "as in torch.device()", DeviceString),
    Prompt("device-note", "Shared device", "difference to the platform with the same device", Line),
    Prompt("dispatch-key", "Dispatch key", "such as PrivateUse1; not the device string",
           DispatchKey),
    Prompt("package", "Package", "Python package of the plugin", PackageName),
    Prompt("import", "Import", "module to import", ModuleName),
    Prompt("autoload", "Autoload", "yes or no: whether `import torch` loads the plugin",
           Literal["yes", "no"], needed=False),
    Prompt("integration", "Integration", "in-tree, or out-of-tree: installed on top of PyTorch",
           Integration, hidden=True),
    Prompt("command", "Install command", "pip command from your documentation",
           PipCommand, needed=False),
    Prompt("needs", "Needed first", "required driver or SDK, with its version",
           NeededSoftware, needed=False),
    Prompt("host-owner", "Owner of the host", "who runs the host in the command", Line),
    Prompt("torch", "PyTorch", "supported PyTorch releases", _non_empty_tuple(TorchVersion),
           many=True),
    Prompt("plugin-version", "Plugin", "version of the package, or one for each PyTorch release",
           _non_empty_tuple(TorchVersion), needed=False, many=True),
    Prompt("os", "Systems", "linux, windows, macos", _non_empty_tuple(Os), many=True),
    Prompt("arch", "Processors", "x86_64, aarch64, …", _non_empty_tuple(Arch), many=True),
    Prompt("python", "Python", "Python versions, such as 3.12,3.13",
           _non_empty_tuple(PythonVersion), needed=False, many=True),
    Prompt("github", "Repository", "owner/name on GitHub", GivenRepository, needed=False),
    Prompt("support", "Support", "address where users can ask for help", Url),
    Prompt("maintainer", "Maintainers", "GitHub logins of the maintainers",
           _non_empty_tuple(GitHubLogin), needed=False, many=True),
    Prompt("mark", "Mark", "two letters, shown instead of a logo", Mark),
    Prompt("summary", "Summary", "one sentence about the platform and the hardware it supports",
           Annotated[Line, Field(max_length=160)]),
    Prompt("description", "Description", "description in two to four sentences", Paragraph),
    Prompt("title", "Title", "publisher and title of the documentation",
           Line, hidden=True),
    Prompt("read", "Read", "date on which the documentation was read. Default: today",
           Day, hidden=True),
)  # fmt: skip

QUESTION_BY_FLAG = {question.flag: question for question in QUESTIONS}
