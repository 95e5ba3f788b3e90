"""Asking a person, one question after the other, until each answer can stand."""

from __future__ import annotations

import re

import click

from accelerator_portal.vendors.answers import written
from accelerator_portal.vendors.case import PlatformCase
from accelerator_portal.vendors.interview import about, is_needed, take
from accelerator_portal.vendors.questions import Prompt, RefusedAnswerError
from accelerator_portal.vendors.suggestions import derived, suggested

NONE = "-"
"""Typed where something is proposed and nothing is right."""

BACK = "<"
"""Typed to be asked the previous question again."""


def ask_question(question: Prompt, case: PlatformCase, *, first: bool) -> PlatformCase | None:
    """Ask until the answer can stand; return the case with it, or None to go back.

    Raises click.Abort on Ctrl+C.
    """
    needed = is_needed(case, question)
    known = derived(case, question.flag)
    proposed = written(known.value) if known else suggested(case, question.flag) or ""
    hint = "" if needed else f"; {NONE} if not stated" if proposed else "; Enter if not stated"
    back = "" if first else f"; {BACK} to go back"

    def taken(text: str) -> PlatformCase | None:
        answer = text.strip()
        if answer == BACK and not first:
            return None
        if not needed and answer in {"", NONE}:
            return case
        if not answer:
            raise click.UsageError(f"{question.words} is required: {question.help}")
        try:
            return take(case, question, text)
        except RefusedAnswerError as error:
            raise click.UsageError(_words(question, str(error))) from None

    answered: PlatformCase | None = click.prompt(
        f"{question.words} ({question.help}{about(case, question)}{hint}{back})",
        default=proposed,
        show_default=bool(proposed),
        value_proc=taken,
    )
    return answered


def _words(question: Prompt, fault: str) -> str:
    """The words of a fault, under the question instead of the option: `torch[2]: …`."""
    return re.sub(rf"^{question.flag}(\[\d+\])?(?=: )", question.words, fault, flags=re.MULTILINE)
