"""No command runs what it has just fetched, or switches off what protects the reader.

Refused are a download that goes straight into a shell or an interpreter, several commands hidden in
the text of one (`bash -c`), and switched-off certificates. What is fetched has a name and can be
looked at before it runs: a `download` step, then a `run` step.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import PurePosixPath

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.markdown_file import MarkdownFile

_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh", "eval", "env"}
_INLINE = {"-c", "-command", "/c", "-encodedcommand", "-e"}
_CONTROL = re.compile(r"[|;&`$<>\n]")  # what joins commands, or puts one into another
_RUNNERS = (
    r"(?:sudo\s+(?:-\S+\s+)*)?(?:bash|dash|fish|[zk]?sh)\b|"
    r"python[\d.]*\b|perl\b|ruby\b|node\b|iex\b"
)
_PIPED = re.compile(
    rf"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n]*\|\s*(?:{_RUNNERS})",
    re.IGNORECASE,
)
_SUBSTITUTED = re.compile(r"(?:<\(|\$\(|`)\s*(?:curl|wget)\b", re.IGNORECASE)
_UNPROTECTED = re.compile(
    r"--trusted-host|--no-check-certificate|\bcurl\b[^\n|]*\s(?:-k|--insecure)\b|"
    r"--allow-insecure-host|GIT_SSL_NO_VERIFY|PYTHONHTTPSVERIFY=0|--no-gpg-check|--nogpgcheck|"
    r"--allow-unauthenticated",
    re.IGNORECASE,
)
_REMEDIES = (
    (_PIPED, "runs what it fetches", "fetch into a file first, then run the file"),
    (_SUBSTITUTED, "runs what it fetches", "fetch into a file first, then run the file"),
    (_UNPROTECTED, "switches off what protects the reader", "leave that out"),
)


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield commands that a careful reader would not paste."""
    for platform in catalog.platforms:
        yield from _of_steps(platform)
        for file in (platform.guide, platform.faq):
            yield from _of_text(file)


def _of_steps(platform: Platform) -> Iterator[Problem]:
    for place, option in enumerate(platform.install.options):
        for number, step in enumerate(option.steps):
            location = ("options", place, "steps", number)
            words = [*(step.run or ()), *(step.docker.args if step.docker else ())]
            if step.run and _is_inline(step.run):
                what = f'"{" ".join(step.run[:2])}" hides several commands in a text'
                remedy = "write each command as a step of its own"
                yield platform.problem("install.yaml", (*location, "run"), what, remedy)
            for what, remedy in _faults(" ".join(words)):
                yield platform.problem("install.yaml", location, what, remedy)


def _is_inline(run: tuple[str, ...]) -> bool:
    program = PurePosixPath(run[0].replace("\\", "/")).stem.lower()
    options = list(takewhile(lambda word: word.startswith(("-", "/c", "/C")), run[1:]))
    inline = any(word.lower() in _INLINE for word in options)
    return program in _SHELLS and inline and bool(_CONTROL.search(" ".join(run[1:])))


def _of_text(file: MarkdownFile) -> Iterator[Problem]:
    for block in file.code:
        joined = block.text.replace("\\\n", "  ")  # as long as before: lines are counted in it
        for start, line in _lines(joined):
            number = block.line + block.text.count("\n", 0, start)
            for what, remedy in _faults(line):
                yield Problem(file.path, number, what, remedy)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _faults(command: str) -> Iterator[tuple[str, str]]:
    for pattern, words, remedy in _REMEDIES:
        if found := pattern.search(command):
            yield f'"{found[0][:80]}" {words}', remedy
