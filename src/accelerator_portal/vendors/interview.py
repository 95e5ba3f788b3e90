"""Asks a vendor the questions about a new platform, or derives the answers from documents."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from accelerator_portal.vendors.answer_faults import answer_fault
from accelerator_portal.vendors.derived_answers import (
    derived_answer,
    pins_one_of_several,
    refused_offer,
)
from accelerator_portal.vendors.draft import PlatformCase
from accelerator_portal.vendors.questions import (
    DOCUMENTATION_SOURCE,
    QUESTION_BY_FLAG,
    QUESTIONS,
    Answer,
    Prompt,
    RefusedAnswerError,
    answer_text,
    read_answer,
    refused_answer,
)
from accelerator_reports.files.problem import printable


class AskQuestion(Protocol):
    """A function that asks a person a question."""

    def __call__(self, question: Prompt, case: PlatformCase, *, first: bool) -> PlatformCase | None:
        """Ask a question, and return a copy of `case` with the answer.

        If the user skips the question, return `case` unchanged. If the user goes back to the
        previous question, return None. If `first` is true, the user cannot go back.
        """


@dataclass(frozen=True, slots=True)
class InterviewResult:
    """The case after an interview, with messages about wrong and missing answers."""

    case: PlatformCase
    wrong: list[str]
    missing: list[str]


def add_answer(case: PlatformCase, question: Prompt, text: str) -> PlatformCase:
    """Return a copy of the case with `text` as the answer to `question`.

    Raises RefusedAnswerError if the answer is invalid.
    """
    value = read_answer(question, text)
    if fault := answer_fault(case, question.flag, value):
        raise refused_answer(question, *fault)
    implied = derived_answer(case, question.flag)
    source = implied.source if implied and implied.value == value else DOCUMENTATION_SOURCE
    return case.answered(question.flag, Answer(value, source))


def interview(
    case: PlatformCase, given: Mapping[str, str], ask: AskQuestion | None = None
) -> InterviewResult:
    """Go through all questions that apply to the platform, and return the case with the answers.

    `given` has the texts of known answers by question flag; these questions are not asked. The
    other questions are asked with `ask`, except hidden questions whose answer can be derived from
    documents or earlier answers. If `ask` is None, no question is asked. Answers are then derived
    if possible, and `missing` of the result lists the needed answers that cannot be derived.
    """
    wrong: list[str] = []
    missing: list[str] = []
    earlier_cases: list[tuple[int, PlatformCase]] = []
    position = 0
    while position < len(QUESTIONS):
        question = QUESTIONS[position]
        position += 1
        if not is_relevant(case, question):
            continue
        implied = None if question.flag in given else derived_answer(case, question.flag)
        if question.flag in given:
            try:
                case = add_answer(case, question, given[question.flag])
            except RefusedAnswerError as error:
                wrong += str(error).split("\n")
        elif ask and not (question.hidden and implied):
            answered = ask(question, case, first=not earlier_cases)
            if answered:
                earlier_cases.append((position - 1, case))
                case = answered
            else:
                position, earlier_case = earlier_cases.pop()
                case = replace(earlier_case, offers={**case.offers, **_proposed_answers(case)})
        elif implied:
            case = case.answered(question.flag, implied)
        elif offer_fault := refused_offer(case, question.flag):
            wrong.append(str(refused_answer(question, *offer_fault)))
        elif is_answer_needed(case, question):
            missing.append(_missing_answer_text(case, question))
    return InterviewResult(case, wrong, missing)


def _proposed_answers(case: PlatformCase) -> dict[str, Answer]:
    """Return the case's answers by flag, without answers to hidden questions.

    After the user goes back to an earlier question, these answers are proposed as defaults.
    """
    return {f: answer for f, answer in case.answers.items() if not QUESTION_BY_FLAG[f].hidden}


def is_relevant(case: PlatformCase, question: Prompt) -> bool:
    """Return whether a question applies to the new platform.

    For example, the question about operating systems applies only if there is an install command.
    """
    if question.flag in {"command", "os"} and case.entry_options:
        return False  # the entry has both
    if question.flag == "integration":
        return "package" in case.answers  # it often follows from that
    if question.flag == "device-note":
        return bool(case.platforms_with_same_device)
    if question.flag == "host-owner":
        return bool(case.unlisted_hosts)
    if question.flag == "arch" and case.entry_options:
        return any("wheels" not in option for option in case.entry_options)
    return bool(case.steps) or question.flag not in {"os", "arch"}


def question_detail(case: PlatformCase, question: Prompt) -> str:
    """Return text to append to a question, such as `: example.org` to the question about a host.

    The text is empty for most questions.
    """
    names = {
        "device-note": case.platforms_with_same_device,
        "host-owner": case.unlisted_hosts,
        "torch": _torch_details(case),
    }.get(question.flag)
    return f": {printable(', '.join(names))}" if names else ""


def _torch_details(case: PlatformCase) -> list[str]:
    required = case.package.torch if case.package else None
    if required is None:
        return [f"the newest is {case.catalog.releases.newest.version}"]
    admitted = [v for v in case.catalog.releases.by_version if required.contains(v)]
    return [f"the package requires torch{required}: {', '.join(admitted) or 'no listed release'}"]


def is_answer_needed(case: PlatformCase, question: Prompt) -> bool:
    """Return whether the folder can be created only if this question is answered."""
    if question.flag == "needs":
        return not case.steps
    if question.flag == "python":  # or else the command would be offered for every Python
        return is_relevant(case, QUESTION_BY_FLAG["arch"])
    if question.flag == "plugin-version":  # or else every release would install the same one
        return pins_one_of_several(case)
    return question.needed


def _missing_answer_text(case: PlatformCase, question: Prompt) -> str:
    if question.flag == "needs":
        command = QUESTION_BY_FLAG["command"]
        options = "add --command, --os, --arch and --python, or --needs"
        return f"command is missing; {options}: {command.help}"
    text = f"{question.flag} is missing; add {question.option}: {question.help}"
    return text + question_detail(case, question)


def command_with_answers(case: PlatformCase, more: Mapping[str, str]) -> str:
    """Return the `accelerator-portal new` command line with the case's answers as options.

    Answers from package metadata or `additional-platforms.json` are left out. `more` has the texts
    of additional options, by flag. If the case has an answer for the same flag, the answer is used.
    """
    given_answers = {
        f: answer_text(a.value) for f, a in case.answers.items() if a.source == DOCUMENTATION_SOURCE
    }
    words = [
        word for flag, text in {**more, **given_answers}.items() for word in (f"--{flag}", text)
    ]
    return shlex.join(["accelerator-portal", "new", case.id, *words])
