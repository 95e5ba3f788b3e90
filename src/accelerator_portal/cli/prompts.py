"""Asking a person, one question after the other, until each answer can stand."""

from __future__ import annotations

import click

from accelerator_portal.vendors.answers import written
from accelerator_portal.vendors.case import PlatformCase
from accelerator_portal.vendors.interview import about, is_needed, take
from accelerator_portal.vendors.questions import Prompt, RefusedAnswerError
from accelerator_portal.vendors.suggestions import derived, suggested

NONE = "-"
"""Typed where something is proposed and nothing is right."""


def ask_question(question: Prompt, case: PlatformCase) -> PlatformCase:
    """Ask until the answer can stand; return the case with it. Raises click.Abort on Ctrl-C."""
    needed = is_needed(case, question)
    known = derived(case, question.flag)
    proposed = written(known.value) if known else suggested(case, question.flag)
    if proposed is None and not needed:
        proposed = ""
    hint = "" if needed else f"; {NONE} if not stated" if proposed else "; Enter if not stated"

    def taken(text: str) -> PlatformCase:
        if not needed and text.strip() in {"", NONE}:
            return case
        try:
            return take(case, question, text)
        except RefusedAnswerError as error:
            raise click.UsageError(str(error)) from None

    answered: PlatformCase = click.prompt(
        f"{question.words} ({question.help}{about(case, question)}{hint})",
        default=proposed,
        show_default=bool(proposed),
        value_proc=taken,
    )
    return answered
