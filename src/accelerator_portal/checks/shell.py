"""Command lines as a shell reads them: pipelines of commands, each a list of words.

Quotes are removed and parts of a word joined, as a shell does; a line that goes on in the next one
is one. Words come from `shlex`, in time proportional to the text. What is written for another
shell, or is no command at all, gives words, too: the rules that read them look for few things.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

_PUNCTUATION = "();<>|&"
_OPERATOR = re.compile(r"&>|[<>]&|\|\|?&?|&&|[();<>&]")
_REDIRECTIONS = frozenset({"<", ">", "&>", ">&", "<&"})
_NEW_PIPELINE = frozenset({";", "&", "&&", "||", "(", ")"})
_PIPES = frozenset({"|", "|&"})

# A backslash in sh, a backtick in PowerShell, a caret in cmd.
_JOINED = re.compile(r"[\\`^]\n")
_ENDS_OPEN = re.compile(r"(?:\|&?|&&|\|\|)[ \t]*\Z")
_COMMENT = re.compile(r"(?<=[|&])[ \t]*#.*\Z")
# PowerShell runs what stands in the parentheses behind it.
_INVOKING = frozenset({"iex", "invoke-expression"})
_STARTS_PIPED = re.compile(r"[ \t]*\|(?!\|)")

# A text in a word, as of `bash -c`, is read so many levels deep.
_DEEPEST = 3


@dataclass(slots=True)
class Command:
    """One command; `substituted`: its output is put into another one."""

    words: list[str] = field(default_factory=list)
    substituted: bool = False


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands of which each reads the output of the one before; `line` counts from 0."""

    line: int
    commands: tuple[Command, ...]


def pipelines(text: str) -> Iterator[Pipeline]:
    """Yield every pipeline of a text, also those in words and in substitutions."""
    for line, joined in _logical_lines(text):
        for commands in _of_line(joined, _DEEPEST):
            yield Pipeline(line, commands)


def pipelines_of_words(words: tuple[str, ...]) -> Iterator[Pipeline]:
    """Yield the pipeline that a list of words is, and those that stand in one of them."""
    commands = (Command(list(words)),)
    yield Pipeline(0, commands)
    for inner in _inside(commands, _DEEPEST):
        yield Pipeline(0, inner)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with those that continue them: after a sign of continuation, or at a pipe."""
    lines = _JOINED.sub("\x00", text).split("\n")  # kept countable: each is one line of the text
    number, start, parts = 0, 0, list[str]()
    for line in lines:
        goes_on = parts and (_ENDS_OPEN.search(parts[-1][-40:]) or _STARTS_PIPED.match(line))
        if parts and not goes_on:
            yield start, " ".join(parts)
            parts = []
        if not parts:
            start = number
        number += line.count("\x00") + 1
        parts.append(_COMMENT.sub("", line.replace("\x00", " ")))
    if parts:
        yield start, " ".join(parts)


def _of_line(line: str, depth: int) -> Iterator[tuple[Command, ...]]:
    pipeline: list[Command] = [Command()]
    before, begins = "", True
    for part in _tokens(line):
        if part == "(" and before == "&" and len(pipeline) == 1 and begins:
            before = "&("
        if part in _NEW_PIPELINE:
            if part == "(" and before in _PIPES:  # a group reads what is piped
                pipeline[-1].words.append(part)
            yield from _finished(pipeline, depth)
            opened = part == "(" and (
                before.endswith(("$", "<", ">")) or before.lower() in _INVOKING or before == "&("
            )
            pipeline = [Command([part] if part == ")" else [], substituted=opened)]
        elif part in _PIPES:
            pipeline.append(Command(substituted=pipeline[-1].substituted))
        elif part not in _REDIRECTIONS:
            pipeline[-1].words.append(part)
        begins = not before
        before = part
    yield from _finished(pipeline, depth)


def _finished(pipeline: list[Command], depth: int) -> Iterator[tuple[Command, ...]]:
    if any(command.words for command in pipeline):
        commands = tuple(pipeline)
        yield commands
        yield from _inside(commands, depth)


def _inside(commands: tuple[Command, ...], depth: int) -> Iterator[tuple[Command, ...]]:
    """What stands in words: the text of `bash -c`, `$(…)` between quotes, between backticks.

    Backticks may reach over several words, so that a command's words are looked at together.
    """
    if depth == 0:
        return
    for command in commands:
        for word in command.words:
            if "$(" in word or "<(" in word or (" " in word and re.search(r"[|;&`]", word)):
                opened = word.replace("`", " ; ").replace("$(", " $ ( ")
                yield from _of_line(opened, depth - 1)
        if any("`" in word for word in command.words):
            inner = " ".join(command.words).split("`")[1::2]
            for text in inner:
                yield from _of_line(f"$ ( {text} )", depth - 1)


def _tokens(line: str) -> Iterator[str]:
    try:
        found = list(_shlex(line))
    except ValueError:  # a quotation mark without its end: an apostrophe, or a text of its own
        found = list(_shlex(line.translate(_NO_QUOTES)))
    for token in found:
        if token and all(sign in _PUNCTUATION for sign in token):
            yield from _OPERATOR.findall(token)
        else:
            yield token


_NO_QUOTES = str.maketrans({"'": " ", '"': " ", "\\": "/"})


def _shlex(line: str) -> shlex.shlex:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return lexer
