"""Finds the commands that readers may copy: in install files, guides, FAQs and test reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.checks.shell_parser import Pipeline, pipelines, pipelines_of_words
from accelerator_portal.results.stored_reports import stored_reports

# Reports contain many commands, and most are of the harness. Only texts with a pipe, a backtick, a
# parenthesis, an address, a dot, an at sign, a container engine, or a word that
# `words_disabling_checks` looks for are parsed.
_MAY_BE_UNSAFE = re.compile(
    r"[|`@.(]|//|verify|insecure|trust|check|force|auth|ssl|tls|docker|podman|nerdctl|-\w*k",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CommandText:
    """A command, or code that contains commands, with its file and line.

    `path` is the file. If the command is from an install step, `run` contains the words of the
    command. Otherwise, `run` is empty. `prose` is true if `text` is from a sentence, so that it is
    possibly not a command.
    """

    path: str
    line: int
    text: str
    run: tuple[str, ...] = ()
    prose: bool = False

    def pipelines(self) -> tuple[Pipeline, ...]:
        """Return the shell pipelines in the text. Their line numbers are relative to `line`."""
        return tuple(pipelines_of_words(self.run)) if self.run else _text_pipelines(self.text)


# Two rules read each text.
@lru_cache(maxsize=2048)
def _text_pipelines(text: str) -> tuple[Pipeline, ...]:
    return tuple(pipelines(text)) if _MAY_BE_UNSAFE.search(text) else ()


def command_texts(catalog: Catalog) -> Iterator[CommandText]:
    """Yield the commands in vendors' YAML files, in guides and FAQs, and in reports.

    A command that occurs several times in a report is yielded once.
    """
    for platform in catalog.platforms:
        yield from _yaml_command_texts(platform)
    for file in (*catalog.texts, *catalog.translations):
        yield from _markdown_command_texts(file)
    for stored in stored_reports(catalog)[0]:
        commands: dict[str, int] = {}
        for suite in stored.report.suites:
            commands.setdefault(suite.command or "", 1)
        for index, test in enumerate(stored.report.tests):
            commands.setdefault(test.command or "", (stored.first_test or 1) + index)
        for command, line in commands.items():
            if command:
                yield CommandText(stored.path, line, command)


def _yaml_command_texts(platform: Platform) -> Iterator[CommandText]:
    install, accelerator = platform.files["install.yaml"], platform.files["accelerator.yaml"]
    for step in platform.steps:
        line = platform.line_of(step)
        if step.run:
            yield CommandText(install.path, line, " ".join(step.run), step.run)
        if step.docker and step.docker.args:
            words = ("docker", "run", *step.docker.args, step.docker.image)
            yield CommandText(install.path, line, " ".join(words), words)
        for name, value in (step.env or {}).items():
            yield CommandText(install.path, line, f"{name}={value}", (f"{name}={value}",))
    for index, option in enumerate(platform.install.options):
        if option.note:
            line = install.line(("options", index, "note"))
            yield CommandText(install.path, line, option.note, prose=True)
    for index, entry in enumerate(platform.accelerator.identify):
        line = accelerator.line(("identify", index, "command"))
        yield CommandText(accelerator.path, line, entry.command)


def _markdown_command_texts(file: MarkdownFile) -> Iterator[CommandText]:
    for block in file.code:
        yield CommandText(file.path, block.line, block.text)
    for span in file.spans:
        yield CommandText(file.path, span.line, span.text.replace("`", ""), prose=True)
