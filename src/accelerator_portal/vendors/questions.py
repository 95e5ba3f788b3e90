"""Lists the questions about a new platform, and parses the answers, such as pip commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Annotated, Any, Literal

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from pydantic import AfterValidator, Field, create_model

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.install_file import PipStep
from accelerator_portal.checks.look_alike_names import (
    alphabet_faults,
    claimed_fault,
    name_fault,
    skeleton,
)
from accelerator_reports.files.fields import (
    Arch,
    DeviceString,
    DispatchKey,
    GitHubLogin,
    Line,
    Mark,
    ModuleName,
    Name,
    Os,
    PackageName,
    Paragraph,
    PythonVersion,
    StrictModel,
    Title,
    TorchVersion,
    Url,
    matches,
    validation_error,
    without_github_address,
)
from accelerator_reports.files.folders import folder_fault
from accelerator_reports.files.problem import did_you_mean, printable
from accelerator_reports.files.wording import count
from accelerator_reports.files.yaml_file import Location, YamlFile, validate

# Parses `pip install` command lines into the pip steps of an `install.yaml`.

_PIP_INSTALL = re.compile(
    r"(?:(?:\S*/)?python3?(?:\.\d+)?\s+-m\s+)?(?:uv\s+)?pip3?\s+install\s+(.*)", re.DOTALL
)

_INDEX_OPTIONS = {"-i": "index", "--index-url": "index", "--extra-index-url": "extra_index"}


class UnreadableCommandError(ValueError):
    """Raised if a command is not a chain of `pip install` commands; the message says why."""


def pip_steps(command: str) -> list[dict[str, Any]]:
    """Return a step for each of the `pip install` commands that `&&` joins in `command`.

    For example, `pip install --pre torch` becomes `{"pip": {"packages": ["torch"], "pre": True}}`.
    The options `--pre`, `--index-url` and `--extra-index-url` are read. Raises
    UnreadableCommandError for any other option or command.
    """
    return [{"pip": _parse_pip_install(part.strip())} for part in command.split("&&")]


def _parse_pip_install(command: str) -> dict[str, Any]:
    command_match = _PIP_INSTALL.fullmatch(command)
    if not command_match:
        raise UnreadableCommandError(f'"{command[:60]}" is not a pip install command')
    try:
        words = shlex.split(command_match[1])
    except ValueError as error:
        raise UnreadableCommandError(f'"{command[:60]}": {error}') from None
    step: dict[str, Any] = {"packages": []}
    while words:
        option, equals, value = words.pop(0).partition("=")
        if option == "--pre":
            step["pre"] = True
        elif option in _INDEX_OPTIONS:
            if not (equals or words):
                raise UnreadableCommandError(f'"{option}" needs an address')
            step[_INDEX_OPTIONS[option]] = value if equals else words.pop(0)
        elif option.startswith("-"):
            raise UnreadableCommandError(f'the option "{option}" is not supported in a step')
        else:
            step["packages"].append(_valid_requirement(option + equals + value))
    if not step["packages"]:
        raise UnreadableCommandError(f'"{command[:60]}" names no package')
    return step


def _valid_requirement(word: str) -> str:
    try:
        Requirement(word)
    except InvalidRequirement:
        raise UnreadableCommandError(f'"{word[:60]}" is not a valid requirement') from None
    return word


DOCUMENTATION_SOURCE = "documentation"

AnswerValues = Mapping[str, Any]
"""The values of answers by key, such as `{"name": "Foo", "torch": ("2.14.0",)}`."""


class RefusedAnswerError(ValueError):
    """Raised for an invalid answer; the message says what is wrong and the fix."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question to a vendor; `key` names the answer in the files of `template/`.

    `kind` is the type of the answer, with which pydantic validates it. If `many` is true, the
    answer can have several values, separated by commas. `default` returns the suggested answer, or
    "" if there is none; it raises KeyError if it needs an answer that is missing. If `needed` is
    true, the folder needs an answer; for exceptions, see `_is_needed`. If `of_command` is true, the
    question applies only to a platform with an install command. If `assumed` is true, `default` is
    true of most platforms only, so that it is no answer before a person confirms it.
    """

    key: str
    words: str
    """A short name of the question."""
    help: str
    """What to answer."""
    kind: Any
    default: Callable[[AnswerValues], str] = lambda _: ""
    needed: bool = True
    many: bool = False
    of_command: bool = False
    assumed: bool = False

    @property
    def flag(self) -> str:
        """The name of the answer in messages, and of the command's option: `plugin-version`."""
        return self.key.replace("_", "-")


@dataclass(frozen=True, slots=True)
class Prefill:
    """What a document states about a new platform.

    `texts` has possible answers by key, the preferred one first. `source` is the document's entry
    in the files' list of sources, and `id` its id there. `requires` are the torch releases to which
    the statements apply. `values` are additional values for `template/`.
    """

    id: str
    source: Mapping[str, Any]
    texts: Mapping[str, Collection[str]]
    requires: SpecifierSet = field(default_factory=SpecifierSet)
    values: AnswerValues = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answers:
    """The values of all answers by key, the id of each value's source, and messages about faults.

    `wrong` are messages about invalid answers, and `missing` about questions without an answer.
    """

    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


AskQuestion = Callable[[Prompt, str, str, bool, Callable[[str], Any]], Any]
"""Asks a person a question. The arguments are the question, what to answer, the suggested answer,
whether an answer is needed, and a function that reads the answer and raises RefusedAnswerError.
Returns the value, or None if the person skips the question."""


def collect_answers(
    catalog: Catalog,
    given: Mapping[str, str],
    prefills: Collection[Prefill],
    ask: AskQuestion | None = None,
) -> Answers:
    """Go through all questions, and return the answers.

    `given` has the texts of known answers by key. The other questions are asked with `ask`. Without
    `ask`, each gets the suggested answer, unless that is an assumption.
    """
    answers = Answers()
    values = answers.values
    for question in QUESTIONS:
        key = question.key
        if question.of_command and "command" not in values:
            continue
        read = partial(read_answer, question, catalog, values)
        try:
            text, source = _suggestion(question, values, prefills, read, confirmed=ask is not None)
        except KeyError:  # the missing answer to an earlier question is reported
            text, source = "", ""
        if key in given:
            text, source = given[key], DOCUMENTATION_SOURCE
        value, fault = None, ""
        try:
            value = read(text) if text else None
        except RefusedAnswerError as error:
            fault = str(error)
        help_text = f"{question.help}{_torch_detail(catalog, prefills) if key == 'torch' else ''}"
        if ask and (fault or key not in given):
            suggested = value
            value = ask(question, help_text, text, _is_needed(question, values), read)
            source = source if value == suggested else DOCUMENTATION_SOURCE
        elif fault:
            answers.wrong.extend(fault.split("\n"))
        elif value is None and source and _is_needed(question, values):
            answers.missing.append(
                f"{question.flag} is missing; add --{question.flag}: {help_text}"
            )
        if value is not None:
            values[key], answers.origins[key] = value, source
    return answers


def _is_needed(question: Prompt, values: AnswerValues) -> bool:
    if question.key == "python":  # or else the command would be offered for every Python
        return "command" in values
    if question.key == "plugin_version":  # or else every release would install the same one
        return _pins_one_of_several(values)
    return question.needed


def _suggestion(
    question: Prompt,
    values: AnswerValues,
    prefills: Collection[Prefill],
    read: Callable[[str], Any],
    *,
    confirmed: bool,
) -> tuple[str, str]:
    """Return the first valid suggested answer, or "", and the id of its source.

    `confirmed` is whether a person confirms the answer.
    """

    def candidates() -> Iterator[tuple[str, str]]:
        for prefill in prefills:
            # The package's versions are not suggested for torch releases that it does not support.
            if question.key not in {"plugin_version", "python"} or all(
                map(prefill.requires.contains, values.get("torch", ()))
            ):
                yield from ((text, prefill.id) for text in prefill.texts.get(question.key, ()))
        if confirmed or not question.assumed:
            yield question.default(values), DOCUMENTATION_SOURCE

    for text, source in candidates():
        try:
            if text:
                read(text)
                return text, source
        except RefusedAnswerError:
            continue
    return "", DOCUMENTATION_SOURCE


def _torch_detail(catalog: Catalog, prefills: Collection[Prefill]) -> str:
    requires = next((str(prefill.requires) for prefill in prefills if prefill.requires), "")
    newest = f": the newest is {catalog.releases.newest.version}"
    return f": the package requires torch{requires}" if requires else newest


def id_fault(catalog: Catalog, folders: Collection[str], new: str) -> tuple[str, str] | None:
    """Return why `new` cannot be the id of a new platform, and the fix. None if the id is valid.

    `folders` are the names of all existing folders, including folders that have problems.
    """
    if format_fault := folder_fault(new):
        return format_fault
    if new in folders:
        return f"accelerators/{new} already exists", "edit that folder, or choose another ID"
    return _similar_name_fault(catalog, new)


def _similar_name_fault(catalog: Catalog, name: str) -> tuple[str, str] | None:
    for platform in catalog.platforms:
        if platform.accelerator.name.casefold() == name.casefold():
            return claimed_fault("name", name, platform)
        for other_name in (platform.id, platform.accelerator.name):
            if skeleton(other_name) == skeleton(name):
                path = platform.path("accelerator.yaml")
                return f'"{name}" looks like "{other_name}" of {path}', "choose another name"
    return None


def read_answer(question: Prompt, catalog: Catalog, values: AnswerValues, text: str) -> Any:  # noqa: ANN401 - each question has its kind
    """Parse the text of an answer, and return its value, which has the type `question.kind`.

    Raises RefusedAnswerError if the text is invalid. The message has one line for each fault,
    worded as in `accelerator-portal check`.
    """
    flag = question.flag
    try:
        text.encode()
    except UnicodeEncodeError:
        error_text = f"{flag}: the text is not UTF-8; write it as UTF-8 text"
        raise RefusedAnswerError(error_text) from None
    data: str | list[str] = text.strip()
    lines: dict[Location, int] = {(): 1, (flag,): 1}
    text_by_location: dict[Location, str] = {(flag,): text}
    if question.many:
        data = [part for item in text.split(",") if (part := item.strip())]
        for position, part in enumerate(data):
            lines[flag, position] = 1
            text_by_location[flag, position] = part
    record, problems = validate(
        _answer_model(question), YamlFile("", {flag: data}, lines, text_by_location)
    )
    if record is None:
        raise RefusedAnswerError("\n".join(problem.words for problem in problems))
    value = record.answer  # type: ignore[attr-defined] # made below
    if fault := _answer_fault(question.key, value, catalog, values):
        raise RefusedAnswerError(printable(f"{flag}: {'; '.join(fault)}"))
    return value


@cache
def _answer_model(question: Prompt) -> type[StrictModel]:
    """Return a pydantic model with the question's flag as its only key.

    Validating an answer with this model gives the same error messages as validating a file.
    """
    field_: Any = (question.kind, Field(alias=question.flag))
    return create_model("Answer", __base__=StrictModel, answer=field_)


def _answer_fault(
    key: str,
    value: Any,  # noqa: ANN401 - each question has its kind
    catalog: Catalog,
    values: AnswerValues,
) -> tuple[str, str] | None:
    """Return how an answer contradicts the catalog or earlier answers, and the fix, or None."""
    if isinstance(value, str) and (what := next(alphabet_faults(value), None)):
        return what, "use one alphabet"
    if key == "name":
        return name_fault(value) or _similar_name_fault(catalog, value)
    releases = catalog.releases.by_version
    if key == "torch":
        oldest = min(map(Version, releases))  # older releases need no entry
        for version in value:
            if version not in releases and Version(version) >= oldest:
                return f"{RELEASES} has no release {version}", did_you_mean(version, releases)
    torch = values.get("torch", ())
    if key == "plugin_version" and len(value) not in {1, len(torch)}:
        what = f"{count(len(value), 'version')} for {count(len(torch), 'release')}"
        return what, f"enter one version for all, or one for each of {', '.join(torch)}"
    if (pin := _pin(key, values)) and pin not in value:
        package = "torch" if key == "torch" else values["package"]
        return f"the command installs {package} {pin}", f'write "{pin}"'
    return None


def requirements(command: str | None) -> list[Requirement]:
    """Return what a pip command installs; empty if the text is not a pip command."""
    try:
        steps = pip_steps(command or "")
    except UnreadableCommandError:
        return []
    return [Requirement(package) for step in steps for package in step["pip"]["packages"]]


def pinned_version(command: str | None, package: str) -> str:
    """Return the version to which a pip command pins a package; "" if it pins none."""
    name = canonicalize_name(package)
    pins = (r.specifier for r in requirements(command) if canonicalize_name(r.name) == name)
    return next(filter(None, map(exact_version, pins)), "")


def exact_version(specifier: SpecifierSet) -> str:
    """Return the version that a specifier pins: `2.9.0` for `==2.9.0` or `===2.9.0`, else ""."""
    pins = [s.version for s in specifier if s.operator in {"==", "==="}]
    return pins[0] if len(pins) == 1 and "*" not in pins[0] else ""


def _pin(key: str, values: AnswerValues) -> str:
    """Return the version of torch or of the plugin that the command pins; "" for other questions.

    `key` is the key of the question about this version.
    """
    if key == "torch":
        return pinned_version(values.get("command"), "torch").partition("+")[0]
    return (
        pinned_version(values.get("command"), values.get("package", ""))
        if key == "plugin_version"
        else ""
    )


def _pins_one_of_several(values: AnswerValues) -> bool:
    """Return whether the command pins torch and the package, but there are several releases.

    Its version of the package then fits only one of these releases.
    """
    pins = [_pin(key, values) for key in ("torch", "plugin_version")]
    return len(values.get("torch", ())) > 1 and all(pins)


def _summary(values: AnswerValues) -> str:
    if canonicalize_name(values["package"]) == "torch":
        return f"{values['name']}, supported by PyTorch itself."
    return f"{values['name']}, used from PyTorch through the package {values['package']}."


def _description(values: AnswerValues) -> str:
    device, key = values["device"], values["dispatch_key"]
    return f"{values['summary']} PyTorch calls the device {device}. Its dispatch key is {key}."


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


def _several(kind: Any) -> Any:  # noqa: ANN401 - a type, as pydantic takes it
    return Annotated[tuple[kind, ...], Field(min_length=1)]


NeededSoftware = Annotated[Title, AfterValidator(_not_pip_command)]
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
    Prompt("url", "Documentation", "address of your documentation, the source of all answers",
             Url),
    Prompt("device", "Device string", "as in torch.device()", DeviceString),
    Prompt("dispatch_key", "Dispatch key", "such as PrivateUse1; not the device string",
             DispatchKey, lambda _: "PrivateUse1", assumed=True),
    Prompt("package", "Package", "Python package of the plugin", PackageName),
    Prompt("import", "Import", "module to import", ModuleName,
             lambda values: re.sub(r"\W", "_", values["package"]), assumed=True),
    Prompt("autoload", "Autoload", "yes or no: whether `import torch` loads the plugin",
             Literal["yes", "no"], needed=False),
    Prompt("command", "Install command", "pip command from your documentation",
             PipCommand, needed=False),
    Prompt("needs", "Needed first", "required driver or SDK, with its version",
             NeededSoftware, needed=False),
    Prompt("torch", "PyTorch", "supported PyTorch releases", _several(TorchVersion),
             lambda values: _pin("torch", values), many=True),
    Prompt("plugin_version", "Plugin", "version of the package, or one for each PyTorch release",
             _several(TorchVersion),
             lambda values: ""
             if _pins_one_of_several(values)
             else _pin("plugin_version", values),
             needed=False, many=True),
    Prompt("os", "Systems", "linux, windows, macos", _several(Os), lambda _: "linux",
             many=True, of_command=True, assumed=True),
    Prompt("arch", "Processors", "x86_64, aarch64, …", _several(Arch), lambda _: "x86_64",
             many=True, of_command=True, assumed=True),
    Prompt("python", "Python", "Python versions, such as 3.12,3.13", _several(PythonVersion),
             many=True),
    Prompt("github", "Repository", "owner/name on GitHub", GivenRepository, needed=False),
    Prompt("support", "Support", "address where users can ask for help", Url,
             lambda values: f"https://github.com/{values['github']}/issues"
             if "github" in values else ""),
    Prompt("maintainer", "Maintainers", "GitHub logins of the maintainers",
             _several(GitHubLogin), needed=False, many=True),
    Prompt("mark", "Mark", "two letters, shown instead of a logo", Mark,
             lambda values: re.sub(r"[^A-Za-z0-9]", "", values["name"])[:2].upper()),
    Prompt("summary", "Summary", "one sentence about the platform and the hardware it supports",
             Annotated[Line, Field(max_length=160)], _summary),
    Prompt("description", "Description", "description in two to four sentences", Paragraph,
             _description),
)  # fmt: skip
