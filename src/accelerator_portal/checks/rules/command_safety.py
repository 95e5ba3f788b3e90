"""No command runs a download directly or disables a security check.

These are errors: a download piped into anything except a known filter, anything piped into a
shell or an interpreter, several commands in one text (`bash -c`), and disabled certificate checks.
Use a `download` step and then a `run` step, so that readers can inspect the file before it runs.
The rule applies wherever readers may copy a command: steps and notes in `install.yaml`, `identify`,
code, tables and headings in guides and FAQs, and commands in reports.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.checks.command_texts import CommandText, command_texts
from accelerator_portal.checks.programs import (
    CLOSING,
    SHELLS,
    fetches,
    only_filters,
    program_of,
    runs_its_input,
    startup_file,
)
from accelerator_portal.checks.protection import unprotected_words
from accelerator_portal.checks.shell import Pipeline

_CONTROL = frozenset("|;&`$<>\n")  # what joins commands, or puts one into another
_FIRST_FETCH = "download to a file first, then run the file"

SafetyFault = tuple[str, str]  # what is wrong, what would be right


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield commands that a careful reader would not paste."""
    for found in command_texts(catalog):
        if found.run and _is_inline(found.run):
            what = f'"{" ".join(found.run[:2])}" puts several commands into one string'
            yield Problem(found.path, found.line, what, "write each command as a separate step")
        for line, what, remedy in _faults(found):
            yield Problem(found.path, found.line + line, what, remedy)


def _faults(found: CommandText) -> Iterator[tuple[int, str, str]]:
    told: set[tuple[int, str]] = set()
    fetched = False
    for pipeline in found.pipelines():
        of_group = fetched and bool(CLOSING.intersection(pipeline.commands[0].words[:1]))
        fetched = fetched or any(fetches(command.words) for command in pipeline.commands)
        for what, remedy in _of_pipeline(pipeline, fetched=of_group):
            if (pipeline.line, remedy) not in told:  # a word is read again within others
                told.add((pipeline.line, remedy))
                yield pipeline.line, what, remedy


def _of_pipeline(pipeline: Pipeline, *, fetched: bool) -> Iterator[SafetyFault]:
    """`fetched`: the pipeline begins with the output of a group that has fetched something."""
    commands = [command.words for command in pipeline.commands]
    shown = " | ".join(" ".join(words) for words in commands)[:80]
    for words, target in zip(commands, [*commands[1:], None], strict=True):
        fetched = fetched or fetches(words)
        if not target:
            continue
        if fetched and not only_filters(target):
            what = (
                f'"{shown}" runs a downloaded file; only listed filter commands can read a download'
            )
            yield what, _FIRST_FETCH
        elif runs_its_input(target):
            yield f'"{shown}" runs piped input', _FIRST_FETCH
    if any(command.substituted and fetches(command.words) for command in pipeline.commands):
        yield f'"{shown}" runs a downloaded file', _FIRST_FETCH
    for words in commands:
        if fetched and (place := startup_file(words)):
            yield f'"{shown}" writes its download to {place[:60]}', _FIRST_FETCH
        for word in unprotected_words(words):
            yield f'"{word[:80]}" disables a security check', "remove it"


def _is_inline(run: tuple[str, ...]) -> bool:
    """Whether a step gives a shell a text with several commands, as `bash -lc` does."""
    program, arguments = program_of(run)
    if program not in SHELLS:
        return False
    for word in arguments:
        if not word.startswith(("-", "/c", "/C")):
            return False
        if "c" in word.lower().lstrip("-/"):
            return not _CONTROL.isdisjoint(" ".join(arguments))
    return False
