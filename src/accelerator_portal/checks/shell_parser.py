"""Splits shell command lines into pipelines, commands and words, so that rules can check them.

Quotes are removed, parts of a word are joined, and continued lines are joined. PowerShell and cmd
commands, and texts that are not commands, are also split into words. This is enough, because the
rules only search for certain words. The time is proportional to the length of the text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

_PUNCTUATION = "();<>|&"
_OPERATOR = re.compile(r"&>|[<>]&|\|\|?&?|&&|[();<>&]")
_REDIRECTIONS = frozenset({"<", ">", "&>", ">&", "<&"})
_PIPELINE_SEPARATORS = frozenset({";", "&", "&&", "||", "(", ")"})
# A redirection sign right after a quotation mark or a backslash is a word, not a redirection.
_QUOTED_REDIRECTION = re.compile(r"""["'\\][0-9&]*[<>]""")
_PIPES = frozenset({"|", "|&"})

# Joins a line with the next one: a backslash in sh, a backtick in PowerShell, a caret in cmd.
_LINE_CONTINUATION = re.compile(r"[\\`^]\n")
_CONTINUES_NEXT_LINE = re.compile(r"(?:\|&?|&&|\|\|)[ \t]*\Z")
_COMMENT = re.compile(r"(?<=[|&])[ \t]*#.*\Z")
# PowerShell runs the output of the command in the parentheses after these words.
_POWERSHELL_EVAL = frozenset({"iex", "invoke-expression"})
_CONTINUES_PREVIOUS_LINE = re.compile(r"[ \t]*\|(?!\|)")

# Commands inside words, as in `bash -c "…"`, are read up to this number of levels.
_MAX_DEPTH = 3


@dataclass(slots=True)
class Command:
    """A command as a list of words, such as `["pip", "install", "torch"]`.

    If `substituted` is true, the output of the command is used inside another command, as in
    `$(…)`.
    """

    words: list[str] = field(default_factory=list)
    substituted: bool = False
    files: set[int] = field(default_factory=set)
    """The indexes of the words to which output is written, such as `x.txt` in `> x.txt`."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands that each read the output of the previous command: `a | b`.

    `line` is the number of the pipeline's line in the text, counted from 0.
    """

    line: int
    commands: tuple[Command, ...]


def pipelines(text: str) -> Iterator[Pipeline]:
    """Yield every pipeline of a text, also those inside words (`sh -c "a | b"`) and `$(…)`."""
    for line, command_line in _logical_lines(text):
        for commands in _line_pipelines(command_line, _MAX_DEPTH):
            yield Pipeline(line, commands)


def pipelines_of_words(words: tuple[str, ...]) -> Iterator[Pipeline]:
    """Yield `words` as one command, then each pipeline inside a word, as in `sh -c "a | b"`."""
    commands = (Command(list(words)),)
    yield Pipeline(0, commands)
    for inner in _nested_pipelines(commands, _MAX_DEPTH):
        yield Pipeline(0, inner)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each command line with the number of its first line in `text`, counted from 0.

    Lines that continue a command line are joined with it.
    """
    lines = _LINE_CONTINUATION.sub("\x00", text).split("\n")  # the marks keep the lines countable
    number, start, parts = 0, 0, list[str]()
    for line in lines:
        continues = parts and (
            _CONTINUES_NEXT_LINE.search(parts[-1][-40:]) or _CONTINUES_PREVIOUS_LINE.match(line)
        )
        if parts and not continues:
            yield start, " ".join(parts)
            parts = []
        if not parts:
            start = number
        number += line.count("\x00") + 1
        parts.append(_COMMENT.sub("", line.replace("\x00", " ")))
    if parts:
        yield start, " ".join(parts)


def _line_pipelines(line: str, depth: int) -> Iterator[tuple[Command, ...]]:
    pipeline: list[Command] = [Command()]
    previous_word, begins, in_placeholder, is_output = "", True, False, False
    has_files = not _QUOTED_REDIRECTION.search(line)
    for part in _tokens(line):
        if part == "(" and previous_word == "&" and len(pipeline) == 1 and begins:
            previous_word = "&("
        if part in _PIPELINE_SEPARATORS:
            if part == "(" and previous_word in _PIPES:  # a group reads piped input
                pipeline[-1].words.append(part)
            yield from _with_nested_pipelines(pipeline, depth)
            is_substitution = part == "(" and (
                previous_word.endswith(("$", "<", ">"))
                or previous_word.lower() in _POWERSHELL_EVAL
                or previous_word == "&("
            )
            pipeline = [Command([part] if part == ")" else [], substituted=is_substitution)]
        elif part in _PIPES:
            pipeline.append(Command(substituted=pipeline[-1].substituted))
        elif part in _REDIRECTIONS:
            # `>` after `<` can be the end of a placeholder such as `<your token>`.
            is_output = has_files and ">" in part and not in_placeholder
            in_placeholder = "<" in part
        else:
            if previous_word in _REDIRECTIONS and is_output:
                pipeline[-1].files.add(len(pipeline[-1].words))
            pipeline[-1].words.append(part)
        begins = not previous_word
        previous_word = part
    yield from _with_nested_pipelines(pipeline, depth)


def _with_nested_pipelines(pipeline: list[Command], depth: int) -> Iterator[tuple[Command, ...]]:
    if any(command.words for command in pipeline):
        commands = tuple(pipeline)
        yield commands
        yield from _nested_pipelines(commands, depth)


def _nested_pipelines(commands: tuple[Command, ...], depth: int) -> Iterator[tuple[Command, ...]]:
    """Yield the pipelines inside words: in `bash -c "…"`, in a quoted `$(…)`, or in backticks.

    Pipelines inside those pipelines are yielded, too, down to `depth` levels.
    """
    if depth == 0:
        return
    for command in commands:
        for word in command.words:
            if "$(" in word or "<(" in word or (" " in word and re.search(r"[|;&`]", word)):
                opened = word.replace("`", " ; ").replace("$(", " $ ( ")
                yield from _line_pipelines(opened, depth - 1)
        if any("`" in word for word in command.words):
            inner = " ".join(command.words).split("`")[1::2]
            for text in inner:
                yield from _line_pipelines(f"$ ( {text} )", depth - 1)


def _tokens(line: str) -> Iterator[str]:
    try:
        raw_tokens = list(_make_lexer(line))
    except ValueError:  # an apostrophe, or another quotation mark without an end
        raw_tokens = list(_make_lexer(line.translate(_NO_QUOTES)))
    for token in raw_tokens:
        if token and all(sign in _PUNCTUATION for sign in token):
            yield from _OPERATOR.findall(token)
        else:
            yield token


_NO_QUOTES = str.maketrans({"'": " ", '"': " ", "\\": "/"})


def _make_lexer(line: str) -> shlex.shlex:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return lexer
