"""From what somebody typed to a value that may stand in a folder, refused in the check's words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import Field, create_model

from accelerator_portal.catalog.fields import Model
from accelerator_portal.catalog.problem import printable
from accelerator_portal.catalog.validation import validate
from accelerator_portal.catalog.yaml_file import Location, YamlFile
from accelerator_portal.vendors.questions import Prompt, RefusedAnswerError

DOCUMENTATION = "documentation"
PACKAGE = "package"


@dataclass(frozen=True, slots=True)
class Answer:
    """A value, and the id of the source that states it."""

    value: Any
    source: str = DOCUMENTATION


def read_answer(question: Prompt, text: str) -> Any:  # noqa: ANN401 - each question has its kind
    """Return the value that `text` stands for.

    Raises RefusedAnswerError with the words that `accelerator-portal check` has for the same fault.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        words = f"{question.flag}: the text is not UTF-8; write it as UTF-8 text"
        raise RefusedAnswerError(words) from None
    data: str | list[str] = text.strip()
    lines: dict[Location, int] = {(): 1, (question.flag,): 1}
    written: dict[Location, str] = {(question.flag,): text}
    if question.many:
        data = [part for item in text.split(",") if (part := item.strip())]
        for place, part in enumerate(data):
            lines[question.flag, place] = 1
            written[question.flag, place] = part
    file = YamlFile("", {question.flag: data}, lines, written)
    record, problems = validate(_model(question), file)
    if record is None:
        raise RefusedAnswerError("\n".join(problem.words for problem in problems))
    return record.answer  # type: ignore[attr-defined] # made below


def written(value: Any) -> str:  # noqa: ANN401
    """Return a value as it would be typed."""
    return ",".join(value) if isinstance(value, tuple) else str(value)


def refuse(question: Prompt, what: str, remedy: str) -> RefusedAnswerError:
    """Return the error for a fault that only other answers or other folders show."""
    return RefusedAnswerError(printable(f"{question.flag}: {what}; {remedy}"))


@cache
def _model(question: Prompt) -> type[Model]:
    """A file with one key, so that faults are found and worded as in a file."""
    field: Any = (question.kind, Field(alias=question.flag))
    return create_model("Answer", __base__=Model, answer=field)
